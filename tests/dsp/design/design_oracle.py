"""Exact |H| of the families: analogue definitions, evaluated where the bilinear transform puts them. No code of the library is used.
SPDX-License-Identifier: ISC

A bilinear design with prewarped corners has at f the response of the analogue filter at tan(pi f / fs) / tan(pi fc / fs), so the oracle
needs no digital filter at all. Arithmetic: 64-bit mantissas (numpy's longdouble), and mpmath for Bessel polynomials and elliptic functions."""
import functools
import math

import mpmath
import numpy as np

from design_tool import AP, BESSEL, BP, BS, BUTTERWORTH, CHEBYSHEV1, CHEBYSHEV2, ELLIPTIC, HP, LINKWITZ_RILEY, LP

LD = np.longdouble
PI = 4 * np.arctan(LD(1))
DB = 20 / np.log(LD(10))


def warped(f, fs):
    """tan(pi f / fs), by the cotangent of the complement in the upper half."""
    f, fs = np.asarray(f, LD), LD(fs)
    upper = f > fs / 4
    low = np.where(upper, fs / 2 - f, f)
    t = np.tan(PI * low / fs)
    return np.where(upper, 1 / t, t)


def lowpass_frequency(response, f, fs, fc, fc2):
    """|Omega| of the low-pass prototype that f stands for."""
    t = warped(f, fs)
    if response in (LP, HP):
        ratio = t / warped(fc, fs)
        return ratio if response == LP else 1 / ratio
    a, b = warped(fc, fs), warped(fc2, fs)
    # t^2 - a b in factors that keep their digits near the centre: (t - a)(t + b) - t (b - a)
    difference = np.sin(PI * (LD(fc2) - LD(fc)) / LD(fs)) / (np.cos(PI * LD(fc) / LD(fs)) * np.cos(PI * LD(fc2) / LD(fs)))
    with np.errstate(divide='ignore'):
        ratio = np.abs((t * t - a * b) / (difference * t))
        return ratio if response == BP else 1 / ratio


@functools.lru_cache(None)
def bessel(n):
    """|theta_n(j w c) / theta_n(0)|^2 as a polynomial in w^2, where c is the -3 dB frequency. theta_n(s) theta_n(-s) is taken in whole numbers; as
    a polynomial in w^2 all of its coefficients are positive, so that nothing cancels afterwards."""
    mpmath.mp.dps = 50
    f = math.factorial
    theta = [f(2 * n - k) // (2 ** (n - k) * f(k) * f(n - k)) for k in range(n + 1)]
    square = [(-1) ** m * sum((-1) ** k * theta[k] * theta[2 * m - k] for k in range(max(0, 2 * m - n), min(n, 2 * m) + 1)) for m in range(n + 1)]
    assert min(square) > 0
    c = [mpmath.mpf(x) / square[0] for x in square]
    low, high = mpmath.mpf(0), mpmath.mpf(16 * n * n)
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if mpmath.polyval(c[::-1], middle) < 2 else (low, middle)
    return [LD(mpmath.nstr(x * low ** k, 25)) for k, x in enumerate(c)]


def bessel_db(n, omega):
    total = 0 * omega
    for c in reversed(bessel(n)):
        total = total * omega * omega + c
    return -DB / 2 * np.log(total)


@functools.lru_cache(None)
def elliptic(n, ripple, stop):
    """Gain at 0, poles of the upper half-plane (and the real one), zeros, by mpmath's elliptic functions. So many digits since moduli may be 1 - 1e-84."""
    mpmath.mp.dps = 200
    e2 = mpmath.mpf(10) ** (mpmath.mpf(ripple) / 10) - 1
    m1 = e2 / (mpmath.mpf(10) ** (mpmath.mpf(stop) / 10) - 1)
    k1, k1c = mpmath.ellipk(m1), mpmath.ellipk(1 - m1)
    q = mpmath.exp(-mpmath.pi * k1c / k1 / n)
    # m near 1 is formed from the nome of its complement
    qc = mpmath.exp(mpmath.pi ** 2 / mpmath.log(q))
    mc = mpmath.mfrom(q=qc)
    m = 1 - mc
    big, bigc = mpmath.ellipk(m), mpmath.ellipk(mc)
    v = mpmath.ellipf(mpmath.atan(1 / mpmath.sqrt(e2)), 1 - m1) / k1c * bigc
    fun = lambda name, u, mm: mpmath.ellipfun(name, u, m=mm)
    sv, cv, dv = (fun(x, v, mc) for x in ('sn', 'cn', 'dn'))
    poles, zeros = [], []
    for i in range(n // 2):
        u = big * (n - 1 - 2 * i) / n
        s, c, d = (fun(x, u, m) for x in ('sn', 'cn', 'dn'))
        below = cv ** 2 + m * s ** 2 * sv ** 2
        poles.append((-c * d * sv * cv / below, s * dv / below))
        zeros.append(1 / (mpmath.sqrt(m) * s))
    real = -sv / cv if n % 2 else None
    gain = mpmath.mpf(1) if n % 2 else 1 / mpmath.sqrt(1 + e2)
    ld = lambda x: LD(mpmath.nstr(x, 25))
    return ld(gain), [(ld(a), ld(b)) for a, b in poles], [ld(z) for z in zeros], (None if real is None else ld(real))


def chebyshev(n, x):
    """T_n(x) for x >= 0, and for x > 1 without overflow as its logarithm: returns log of |T_n|."""
    with np.errstate(invalid='ignore', divide='ignore'):
        inside = np.log(np.abs(np.cos(n * np.arccos(np.minimum(x, 1)))))
        a = n * np.arccosh(np.maximum(x, 1))
        outside = a + np.log1p(np.exp(-2 * a)) - np.log(LD(2))
    return np.where(x <= 1, inside, outside)


def family_db(family, response, order, fs, f, fc, fc2=0.0, ripple=0.1, stop=60.0):
    """|H| in dB at f (array)."""
    w = lowpass_frequency(response, f, fs, fc, fc2)
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):
        if family == BUTTERWORTH:
            return -DB / 2 * np.log1p(np.exp(2 * order * np.log(w)))
        if family == LINKWITZ_RILEY:
            return -DB * np.log1p(np.exp(order * np.log(w)))
        if family == BESSEL:
            return bessel_db(order, w)
        if family == CHEBYSHEV1:
            e2 = np.expm1(LD(ripple) / 10 * np.log(LD(10)))
            return -DB / 2 * np.log1p(e2 * np.exp(2 * chebyshev(order, w)))
        if family == CHEBYSHEV2:
            a2 = np.expm1(LD(stop) / 10 * np.log(LD(10)))
            return -DB / 2 * np.log1p(a2 * np.exp(-2 * chebyshev(order, 1 / w)))
        gain, poles, zeros, real = elliptic(order, ripple, stop)
        level = np.log(gain) + 0 * w
        big = w > 1e12  # keeps the squares in range
        x = np.where(big, 1, w)
        for (a, b), z in zip(poles, zeros):
            size = a * a + b * b
            # |p|^2 / z^2 |z^2 - x^2| / |(s - p)(s - p*)|
            level += np.where(big, np.log(size / (z * z)), np.log(size / (z * z) * np.abs((z - x) * (z + x)) / np.hypot((np.sqrt(size) - x) * (np.sqrt(size) + x), 2 * a * x)))
        if real is not None:
            level += np.log(-real) - np.log(np.hypot(real, w))
        return DB * level
