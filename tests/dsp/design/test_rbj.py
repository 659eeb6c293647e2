#!/usr/bin/env python3
"""RBJ's filters, first-order filters and the Linkwitz transform against their formulas, in 64-bit-mantissa arithmetic.
SPDX-License-Identifier: ISC"""
import random

import numpy as np

from design_tool import *  # noqa: F403
from design_tool import Report, design

PI = 4 * np.arctan(LD(1))
report = Report()


def cookbook(kind, fs, f, q=None, db=0.0, octaves=None, slope=None):
    """b, a as the cookbook prints them. Direct coefficients cancel at low f: 64-bit mantissas keep about 1e-19 / (f/fs)^2."""
    w = 2 * PI * LD(f) / LD(fs)
    c, s, a = np.cos(w), np.sin(w), LD(10) ** (LD(db) / 40)
    if octaves is not None:
        alpha = s * np.sinh(np.log(LD(2)) / 2 * LD(octaves) * w / s)
    elif slope is not None:
        alpha = s / 2 * np.sqrt((a + 1 / a) * (1 / LD(slope) - 1) + 2)
    else:
        alpha = s / (2 * LD(q))
    r = 2 * np.sqrt(a) * alpha
    return {
        LOWPASS: ([(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha]),
        HIGHPASS: ([(1 + c) / 2, -(1 + c), (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha]),
        BANDPASS: ([alpha, 0 * c, -alpha], [1 + alpha, -2 * c, 1 - alpha]),
        NOTCH: ([1 + 0 * c, -2 * c, 1 + 0 * c], [1 + alpha, -2 * c, 1 - alpha]),
        ALLPASS: ([1 - alpha, -2 * c, 1 + alpha], [1 + alpha, -2 * c, 1 - alpha]),
        PEAK: ([1 + alpha * a, -2 * c, 1 - alpha * a], [1 + alpha / a, -2 * c, 1 - alpha / a]),
        LOWSHELF: ([a * (a + 1 - (a - 1) * c + r), 2 * a * (a - 1 - (a + 1) * c), a * (a + 1 - (a - 1) * c - r)],
                   [a + 1 + (a - 1) * c + r, -2 * (a - 1 + (a + 1) * c), a + 1 + (a - 1) * c - r]),
        HIGHSHELF: ([a * (a + 1 + (a - 1) * c + r), -2 * a * (a - 1 + (a + 1) * c), a * (a + 1 + (a - 1) * c - r)],
                    [a + 1 - (a - 1) * c + r, 2 * (a - 1 - (a + 1) * c), a + 1 - (a - 1) * c - r]),
    }[kind]


def direct(b, a, fs, f):
    z = np.exp(-2j * np.asarray(PI * np.asarray(f, LD) / LD(fs), np.clongdouble))
    return (b[0] + b[1] * z + b[2] * z * z) / (a[0] + a[1] * z + a[2] * z * z)


def compare(name, requests, wants, limit):
    worst = 0.0
    for r, want, c in zip(requests, wants, design(requests)):
        if c.status or c.notes or not c.stable():
            report.check(False, '%s: %s gives status %d notes %d' % (name, r, c.status, c.notes))
            continue
        f = np.concatenate([np.geomspace(r['fs'] / 2e4, .499 * r['fs'], 25), np.clip(r['fc'] * np.array([.5, .9, .99, 1, 1.01, 1.1, 2]), 0, .499 * r['fs'])])
        h = want(f)
        level, turn = c.response(r['fs'], f)
        error = np.abs(np.exp2(level) * turn - h) / np.maximum(np.abs(h), 1e-2 * np.max(np.abs(h)))
        worst = max(worst, float(np.max(error) / (1 + c.q().max() / 100)))
    report.limit('%s, %d designs, error of H (relative; below -40 dB of its peak, to that)' % (name, len(requests)), worst, limit)


def second_order():
    rng = random.Random(11)
    for kind in (PEAK, LOWPASS, HIGHPASS, BANDPASS, NOTCH, ALLPASS, LOWSHELF, HIGHSHELF):
        shelf = kind in (LOWSHELF, HIGHSHELF)
        for unit in (Q, SLOPE, DB_PER_OCTAVE) if shelf else (Q, OCTAVES):
            requests, wants = [], []
            for _ in range(60):
                fs = rng.choice((8000.0, 44100.0, 96000.0))
                f, db = fs * 10 ** rng.uniform(-3, np.log10(.49)), rng.uniform(-30, 30)
                width = {Q: 10 ** rng.uniform(-1, 2), OCTAVES: rng.uniform(.05, 2), SLOPE: rng.uniform(.1, 1), DB_PER_OCTAVE: rng.uniform(1, 12)}[unit]
                how = {Q: dict(q=width), OCTAVES: dict(octaves=width), SLOPE: dict(slope=width), DB_PER_OCTAVE: dict(slope=width / 12)}[unit]
                b, a = cookbook(kind, fs, f, db=db, **how)
                if unit == OCTAVES and (a[0] - a[2]) / (2 * np.sin(2 * PI * LD(f) / LD(fs))) > 40:
                    continue  # wider than Q 0.01: clamped
                requests.append(dict(type=kind, fs=fs, fc=f, gain=db, width=width, unit=unit))
                wants.append(lambda f, b=b, a=a, fs=fs: direct(b, a, fs, f))
            compare('type %d by unit %d' % (kind, unit), requests, wants, 2e-12)


def first_order():
    """Analogue definitions at tan(pi f / fs) / tan(pi fc / fs); shelves have half their dB at fc."""
    rng = random.Random(12)
    shapes = {LOWPASS1: lambda s, a: 1 / (1 + s), HIGHPASS1: lambda s, a: s / (1 + s), ALLPASS1: lambda s, a: (1 - s) / (1 + s),
              LOWSHELF1: lambda s, a: (s + a) / (s + 1 / a), HIGHSHELF1: lambda s, a: (1 + a * s) / (1 + s / a)}
    for kind, shape in shapes.items():
        requests, wants = [], []
        for _ in range(60):
            fs = rng.choice((8000.0, 44100.0, 768000.0))
            fc, db = fs * 10 ** rng.uniform(-5, np.log10(.49)), rng.uniform(-30, 30)
            requests.append(dict(type=kind, fs=fs, fc=fc, gain=db))
            wants.append(lambda f, fs=fs, fc=fc, db=db, shape=shape: shape(1j * np.tan(PI * np.asarray(f, LD) / LD(fs)) / np.tan(PI * LD(fc) / LD(fs)), LD(10) ** (LD(db) / 40)))
        compare('first order, type %d' % kind, requests, wants, 1e-13)
        for c in design(requests):
            s, p, d, e1, e2 = c.sections[0]
            report.check(p == 1 and e2 == 0, 'promise 1: b2 = a2 = 0 in type %d' % kind)


def promise_4():
    at = [0.0, 500.0, 1000.0, 2000.0, 24000.0]
    c = design([dict(type=PEAK, fs=48000.0, fc=1000.0, width=1.0, gain=6.0, at=at)])[0]
    for f, got, want in zip(at, c.points[:, 0], (0, 1.879, 6, 1.866, 0)):
        report.check(abs(got - want) < 6e-4, 'promise 4: %g dB at %g Hz, not %g' % (got, f, want))
    for kind in (PEAK, LOWSHELF, HIGHSHELF, LOWSHELF1, HIGHSHELF1):  # cut is the inverse of boost, and 0 dB nothing
        for fc in (20.0, 1000.0, 15000.0):
            f = np.geomspace(5, 23900, 80)
            boost, cut, none = design([dict(type=kind, fs=48000.0, fc=fc, width=.8, gain=g) for g in (17.0, -17.0, 0.0)])
            report.check(np.max(np.abs(boost.db(48000.0, f) + cut.db(48000.0, f))) < 1e-11, 'promise 4: cut is not the inverse of boost, type %d' % kind)
            report.check(np.max(np.abs(none.db(48000.0, f))) < 1e-12, 'promise 4: 0 dB is not flat, type %d' % kind)


def shelves_by_corner():
    """A corner f of gain G at slope s: the centre lies at f 10^(|G| / 80 / (s/12)), inwards."""
    for kind, sign in ((LOWSHELF, 1), (HIGHSHELF, -1)):
        for gain in (9.0, -9.0):
            for slope, unit in ((6.0, DB_PER_OCTAVE), (12.0, DB_PER_OCTAVE), (.9, SLOPE)):
                s = slope / 12 if unit == DB_PER_OCTAVE else slope
                centre = 1000.0 * 10 ** (sign * abs(gain) / 80 / s)
                a, b = design([dict(type=kind, fs=48000.0, fc=1000.0, gain=gain, width=slope, unit=unit, corner=1), dict(type=kind, fs=48000.0, fc=centre, gain=gain, width=slope, unit=unit)])
                f = np.geomspace(10, 23900, 50)
                report.check(np.max(np.abs(a.db(48000.0, f) - b.db(48000.0, f))) < 1e-9, 'corner of type %d at %g dB/oct' % (kind, slope))
    a, b = design([dict(type=LOWSHELF, fs=48000.0, fc=1000.0, gain=9.0, width=.7, corner=k) for k in (0, 1)])
    report.check(np.array_equal(a.sections, b.sections), 'with Q, fc is the centre')


def linkwitz_transform():
    """(s^2 + s w0/Q0 + w0^2) / (s^2 + s w1/Q1 + w1^2), gain 1 far above; low frequencies, where the bilinear transform bends nothing."""
    rng = random.Random(13)
    worst = 0.0
    for _ in range(40):
        f0, q0, f1, q1 = rng.uniform(30, 80), rng.uniform(.4, 2), rng.uniform(10, 40), rng.uniform(.4, 1)
        c = design([dict(type=LINKWITZ_TRANSFORM, fs=48000.0, t0=f0, t1=q0, t2=f1, t3=q1)])[0]
        f = np.geomspace(1, 1000, 60)
        s = 1j * f
        want = 20 * np.log10(np.abs((s * s + s * f0 / q0 + f0 * f0) / (s * s + s * f1 / q1 + f1 * f1)))
        worst = max(worst, float(np.max(np.abs(c.db(48000.0, f) - want))))
        report.check(abs(c.db(48000.0, [0.0])[0] - 40 * np.log10(f0 / f1)) < 1e-3, 'Linkwitz transform: gain at DC')
    report.limit('Linkwitz transform, 1 Hz to 1 kHz, dB', worst, 1e-3)


second_order()
first_order()
promise_4()
shelves_by_corner()
linkwitz_transform()
report.end()
