#!/usr/bin/env python3
"""Weightings against their standards, analogue root lists against their transfer function, coefficients carried to another rate.
SPDX-License-Identifier: ISC"""
import mpmath
import numpy as np
from scipy import signal

from design_tool import *  # noqa: F403
from design_tool import Report, design

report = Report()


def transfer(zeros, poles, f):
    """Product of (s - z) over product of (s - p), normalised to 1 at 1 kHz; roots in Hz, positive in the left half-plane; pairs given once."""
    def at(f):
        s, h = 1j * np.asarray(f, float), 1.0 + 0j
        for z in zeros:
            h = h * (s + z) * ((s + np.conj(z)) if np.imag(z) else 1)
        for p in poles:
            h = h / (s + p) / ((s + np.conj(p)) if np.imag(p) else 1)
        return h
    return at(f) / at([1000.0])


def db(h):
    return 20 * np.log10(np.maximum(np.abs(h), 1e-300))


def us(t):
    return 1e6 / (2 * np.pi * t)


def itu_468():
    """Poles of the polynomial that the standard's network has; its known gain form is R = 1.2463e-4 f / sqrt(h1^2 + h2^2)."""
    mpmath.mp.dps = 30
    c = ['4.737338981378384e-24', '1.306612257412824e-19', '2.043828333606125e-15', '2.118150887518656e-11', '1.363894795463638e-7', '5.559488023498642e-4', '1']
    roots = mpmath.polyroots([mpmath.mpf(x) for x in c], maxsteps=500, extraprec=200)
    return [0.0], [complex(-r) if abs(r.imag) > 1 else float(-r.real) for r in roots if r.imag < 1e-9]


CURVES = {0: ('A', [0.0] * 4, [20.598997] * 2 + [107.65265, 737.86223] + [12194.217] * 2), 1: ('B', [0.0] * 3, [20.598997] * 2 + [158.48932] + [12194.217] * 2),
          2: ('C', [0.0] * 2, [20.598997] * 2 + [12194.217] * 2), 3: ('468',) + itu_468(), 5: ('RIAA', [us(318)], [us(3180), us(75)]), 6: ('NAB', [us(50)], [us(3180)])}


def weightings():
    for number, (name, zeros, poles) in CURVES.items():
        for fs in (44100.0, 48000.0, 96000.0, 192000.0):
            c = design([dict(type=WEIGHTING, weighting=number, fs=fs)])[0]
            f = np.geomspace(10, 20000, 300)
            report.check(c.status == 0 and c.notes == 0 and c.stable(), 'weighting %s at %g Hz' % (name, fs))
            error = np.max(np.abs(c.db(fs, f) - db(transfer(zeros, poles, f))))
            report.limit('weighting %s at %g Hz, 10 Hz to 20 kHz, dB' % (name, fs), float(error), .3 if name == '468' else .03)
            report.check(abs(c.db(fs, [1000.0])[0]) < 1e-10, 'weighting %s is 0 dB at 1 kHz' % name)
    for number, t in ((7, 50), (8, 75)):
        c = design([dict(type=WEIGHTING, weighting=number, fs=44100.0)])[0]
        f = np.geomspace(10, 20000, 300)
        report.limit('de-emphasis %d us, dB' % t, float(np.max(np.abs(c.db(44100.0, f) + 10 * np.log10(1 + (f / us(t)) ** 2)))), .02)
    # low rates, where 1 kHz may lie above Nyquist
    for fs in (1.0, 200.0, 1500.0, 8000.0):
        for number in range(9):
            c = design([dict(type=WEIGHTING, weighting=number, fs=fs)])[0]
            report.check(c.status == 0 and c.stable() and np.all(np.isfinite(c.sections)) and np.isfinite(c.gain), 'weighting %d at %g Hz' % (number, fs))
    c = design([dict(type=WEIGHTING, weighting=2, fs=1500.0)])[0]
    f = np.geomspace(10, 600, 50)
    report.limit('weighting C at 1500 Hz, dB', float(np.max(np.abs(c.db(1500.0, f) - db(transfer(CURVES[2][1], CURVES[2][2], f))))), .05)
    report.check(design([dict(type=WEIGHTING, weighting=9)])[0].status == RANGE, 'an unknown weighting')


def standards():
    """Values and tolerances as the standards print them."""
    # IEC 61672-1, class 1: nominal frequency, A, C, upper and lower tolerance; the curve is defined at exact decades
    table = [(31.5, -39.4, -3.0, 1.5, 1.5), (63, -26.2, -.8, 1, 1), (125, -16.1, -.2, 1, 1), (250, -8.6, 0, 1, 1), (500, -3.2, 0, 1, 1), (1000, 0, 0, .7, .7),
             (2000, 1.2, -.2, 1, 1), (4000, 1.0, -.8, 1, 1), (8000, -1.1, -3.0, 1.5, 2.5), (12500, -4.3, -6.2, 2, 5), (16000, -6.6, -8.5, 2.5, 16), (20000, -9.3, -11.2, 3, 99)]
    for fs in (44100.0, 48000.0):
        a, k = design([dict(type=WEIGHTING, weighting=n, fs=fs) for n in (0, 2)])
        for f, va, vc, up, down in table:
            exact = 1000 * 10 ** (round(10 * np.log10(f / 1000)) / 10)
            for c, v in ((a, va), (k, vc)):
                error = c.db(fs, [exact])[0] - v
                report.check(-.1 * down - .06 <= error <= .1 * up + .06, 'a tenth of class 1 at %g Hz: %g dB off' % (f, error))
    # ITU-R BS.468-4
    table = [(31.5, -29.9), (63, -23.9), (100, -19.8), (200, -13.8), (400, -7.8), (800, -1.9), (1000, 0), (2000, 5.6), (3150, 9.0), (4000, 10.5), (5000, 11.7), (6300, 12.2),
             (7100, 12.0), (8000, 11.4), (9000, 10.1), (10000, 8.1), (12500, 0), (14000, -5.3), (16000, -11.7), (20000, -22.2)]
    for fs in (44100.0, 48000.0):
        c = design([dict(type=WEIGHTING, weighting=3, fs=fs)])[0]
        for f, v in table:
            report.check(abs(c.db(fs, [f])[0] - v) < .35, '468 at %g Hz: %g, not %g' % (f, c.db(fs, [f])[0], v))
    # IEC 60098
    c = design([dict(type=WEIGHTING, weighting=5, fs=48000.0)])[0]
    for f, v in ((20, 19.274), (50, 16.946), (100, 13.088), (500, 2.648), (2000, -2.589), (10000, -13.734), (20000, -19.620)):
        report.check(abs(c.db(48000.0, [f])[0] - v) < .03, 'RIAA at %g Hz: %g, not %g' % (f, c.db(48000.0, [f])[0], v))
    # ITU-R BS.1770-4: the printed coefficients, and the same curve at 44.1 kHz
    pre = ([1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585])
    rlb = ([1.0, -2.0, 1.0], [1, -1.99004745483398, 0.99007225036621])
    c = design([dict(type=WEIGHTING, weighting=4, fs=48000.0)])[0]
    f = np.geomspace(5, 23900, 300)
    want = db(signal.freqz(*pre, worN=f, fs=48000)[1]) + db(signal.freqz(*rlb, worN=f, fs=48000)[1])
    report.limit('K at 48 kHz against the printed coefficients, dB', float(np.max(np.abs(c.db(48000.0, f) - want)[f > 20])), 1e-6)
    c = design([dict(type=WEIGHTING, weighting=4, fs=44100.0)])[0]
    report.limit('K at 44.1 kHz against 48 kHz, to 18 kHz, dB', float(np.max(np.abs(c.db(44100.0, f) - want)[f < 18000])), .1)


def root_lists():
    cases = [('C by its roots', [0.0, 0.0], [20.598997, 20.598997, 12194.217, 12194.217]), ('a resonance', [], [complex(200, 3000)]), ('a high-pass pair', [0.0, 0.0], [complex(500, 800)]),
             ('a band-pass pair', [0.0], [complex(500, 8000)]), ('a shelf', [5000.0], [2000.0]), ('pair over pair', [complex(2000, 1000)], [complex(900, 4000)]),
             ('a notch', [complex(0, 3000)], [complex(1500, 3000)]), ('real zeros over a pair', [800.0, 9000.0], [complex(900, 2000)]),
             ('many', [0.0, 0.0, 0.0, 700.0, complex(3000, 2000)], [10.0, 20.0, 40.0, 200.0, 5000.0, 9000.0, complex(8000, 9000)])]
    for name, zeros, poles in cases:
        for fs in (44100.0, 96000.0):
            c = design([dict(type=ANALOGUE, fs=fs, zero=zeros, pole=poles, roots_gain=2.0)])[0]
            f = np.concatenate([np.geomspace(10, 20000, 200)])
            want = db(transfer(zeros, poles, f)) + 20 * np.log10(2)
            heard = want > np.max(want) - 60
            report.check(c.status == 0 and c.notes == 0 and c.stable(), '%s: status %s notes %s' % (name, c.status, c.notes))
            report.limit('roots: %s at %g Hz, dB' % (name, fs), float(np.max(np.abs(c.db(fs, f) - want)[heard])), .8 if fs < 90000 else .3)
            report.check(abs(c.db(fs, [1000.0])[0] - 20 * np.log10(2)) < 1e-9, '%s: level at 1 kHz' % name)
    # a zero in the right half-plane: bilinear, exact phase too
    zeros, poles, fs = [-900.0], [900.0], 96000.0
    c = design([dict(type=ANALOGUE, fs=fs, zero=zeros, pole=poles, mode=MATCHED)])[0]
    report.check(c.status == 0 and c.notes == NOTE_NOT_MATCHED and len(c.sections) == 1, 'right half-plane: bilinear, and said')
    report.check(np.max(np.abs(c.db(fs, np.geomspace(10, 40000, 40)))) < 1e-10, 'right half-plane: the all-pass stays flat')
    # 64 roots: more than matched sections hold
    poles = [float(100 * 1.05 ** k) for k in range(64)]
    c = design([dict(type=ANALOGUE, fs=192000.0, zero=[0.0] * 32, pole=poles)])[0]
    f = np.geomspace(20, 5000, 60)
    report.check(c.status == 0 and c.notes == NOTE_NOT_MATCHED and len(c.sections) == 32 and c.stable(), '64 roots')
    # the bilinear transform bends 5 kHz by (pi 5 / 192)^2 / 3, 0.2 %, which 32 poles turn into 0.6 dB
    report.limit('64 roots, bilinear, to 5 kHz, dB', float(np.max(np.abs(c.db(192000.0, f) - db(transfer([0.0] * 32, poles, f))))), .62)
    for zeros, poles, status in (([], [0.0], UNSTABLE), ([], [-5.0], UNSTABLE), ([1.0, 2.0], [3.0], RANGE), ([complex(0, 1000)], [complex(500, 1000)], RANGE),
                                 ([], [complex(1, 2)] * 33, RANGE), ([], [float('nan')], NOT_FINITE), ([float('inf')], [1.0], NOT_FINITE)):
        got = design([dict(type=ANALOGUE, zero=zeros, pole=poles)])[0].status
        report.check(got == status, 'zeros %s poles %s: status %d, not %d' % (zeros, poles[:2], got, status))
    a, b, k = design([dict(type=ANALOGUE, zero=[0.0], pole=[100.0], **g) for g in (dict(gain=6.0), dict(roots_gain=10 ** .3), dict(roots_gain=-1.0))])
    report.check(abs(a.db(48000.0, [1000.0])[0] - 6) < 1e-9 and abs(b.db(48000.0, [1000.0])[0] - 6) < 1e-9, 'gain in dB or linear')
    report.check(k.gain < 0 and abs(k.db(48000.0, [1000.0])[0]) < 1e-9, 'a negative gain inverts')


def carried():
    """Coefficients of another rate: inverse bilinear at the old rate, bilinear at the new one, as scipy would do it."""
    rng = np.random.default_rng(2)
    for i in range(60):
        old, new = [(44100.0, 48000.0), (48000.0, 96000.0), (96000.0, 44100.0), (48000.0, 8000.0)][i % 4]
        poles = .97 * rng.random() * np.exp(2j * np.pi * rng.random())
        zeros = 1.5 * rng.random() * np.exp(2j * np.pi * rng.random())
        b, a = np.real(np.poly([zeros, np.conj(zeros)])) * rng.uniform(.1, 3), np.real(np.poly([poles, np.conj(poles)]))
        if i % 5 == 0:  # first order
            b, a = np.array([b[0], b[0] * rng.uniform(-1.2, 1.2), 0.0]), np.array([1, rng.uniform(-.95, .95), 0.0])
        c = design([dict(type=COEFFICIENTS, rate=old, fs=new, convert=1, **{'%s%d' % (n, k): float(v[k]) for n, v in (('b', b), ('a', a)) for k in range(3)})])[0]
        report.check(c.status == 0 and c.notes == NOTE_CONVERTED and c.stable(), 'conversion %d: status %d notes %d' % (i, c.status, c.notes))
        f = np.geomspace(10, .45 * min(old, new), 200)
        # H of the old filter where its bilinear transform puts what the new one has at f
        warped = np.arctan(np.tan(np.pi * f / new) * new / old) * old / np.pi
        want = db(signal.freqz(b, a, worN=warped, fs=old)[1])
        report.check(np.max(np.abs(c.db(new, f) - want)) < 1e-7, 'conversion %d is %g dB off' % (i, np.max(np.abs(c.db(new, f) - want))))
        top = .45 * min(old, new)
        f = np.concatenate([np.linspace(1, top, 20000), np.geomspace(1, top, 3000)])  # dense: a null may be deep
        warped = np.arctan(np.tan(np.pi * f / new) * new / old) * old / np.pi
        actual = np.max(np.abs(db(signal.freqz(b, a, worN=f, fs=old)[1]) - db(signal.freqz(b, a, worN=warped, fs=old)[1])))
        report.check(abs(c.extra[0] - actual) < .02 + .05 * actual, 'conversion %d says %g dB, deviates by %g' % (i, c.extra[0], actual))
        if i % 5 == 0:
            report.check(c.sections[0, 1] == 1 and c.sections[0, 4] == 0, 'first order stays first order')
    same = design([dict(type=COEFFICIENTS, rate=48000.0, fs=48000.0, convert=1, a1=-.5), dict(type=COEFFICIENTS, fs=48000.0, convert=1, a1=-.5)])
    report.check(all(c.notes == 0 and c.extra[0] == 0 for c in same), 'the same rate, or any: nothing is carried')
    refused = design([dict(type=COEFFICIENTS, rate=44100.0, convert=1, a2=1.0), dict(type=COEFFICIENTS, rate=float('nan'), convert=1), dict(type=COEFFICIENTS, rate=-1.0, convert=1)])
    report.check([c.status for c in refused] == [UNSTABLE, NOT_FINITE, RANGE], 'refusals of a conversion: %s' % [c.status for c in refused])


weightings()
standards()
root_lists()
carried()
report.end()
