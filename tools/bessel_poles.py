#!/usr/bin/env python3
# Writes dsp/design/bessel_table.h: poles of the Bessel low-passes of order 1 to 32, -3 dB at 1 rad/s, from 120-digit arithmetic.
# SPDX-License-Identifier: ISC
#
# Usage: tools/bessel_poles.py > dsp/design/bessel_table.h   (needs mpmath; the output was then formatted by clang-format)
#
# The poles are the roots of the reverse Bessel polynomial theta_n(s) = sum over k of (2n-k)! / (2^(n-k) k! (n-k)!) s^k.
# They are divided by the w at which |theta_n(0) / theta_n(j w)|^2 = 1/2.
import mpmath

mpmath.mp.dps = 120


def coefficients(n):
    """theta_n, highest power first; exact integers."""
    f = mpmath.factorial
    return [mpmath.mpf(f(2 * n - k) / (mpmath.mpf(2) ** (n - k) * f(k) * f(n - k))) for k in range(n, -1, -1)]


def poles(n):
    """One pole of each pair (im > 0), highest Q first, then the real one of an odd order; all divided by the -3 dB frequency."""
    c = coefficients(n)
    roots = mpmath.polyroots(c, maxsteps=2000, extraprec=2000)
    power = lambda w: abs(mpmath.polyval(c, mpmath.mpc(0, w))) ** 2 / c[-1] ** 2 - 2
    low, high = mpmath.mpf(0), mpmath.mpf(4 * n)
    for _ in range(420):  # the attenuation of a Bessel low-pass rises monotonically
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < 0 else (low, middle)
    corner = (low + high) / 2
    tiny = mpmath.mpf(10) ** -60
    upper = sorted([r for r in roots if r.imag > tiny], key=lambda r: abs(r) / -r.real, reverse=True)
    return [r / corner for r in upper] + [mpmath.mpc(r.real, 0) / corner for r in roots if abs(r.imag) <= tiny]


if __name__ == "__main__":
    print("/* Poles of the Bessel low-passes of order 1 to 32, -3 dB at 1 rad/s. Written by tools/bessel_poles.py.")
    print("   SPDX-License-Identifier: ISC */")
    print("#ifndef MILLRACE_DESIGN_BESSEL_TABLE_H\n#define MILLRACE_DESIGN_BESSEL_TABLE_H\n\n#include \"../millrace.h\"\n")
    print("/* Order n has (n + 1) / 2 entries from index (n / 2) * ((n + 1) / 2): a pole of each pair, highest Q first, then the real one. */")
    print("static const MrComplex mr_bessel_pole[272] = {")
    for n in range(1, 33):
        print("    /* %d */" % n)
        for p in poles(n):
            print("    {%s, %s}," % (mpmath.nstr(p.real, 17), mpmath.nstr(p.imag, 17) if p.imag else "0.0"))
    print("};\n\n#endif")
