#!/usr/bin/env python3
"""Every family, response and order at every rate and corner against the exact analogue prototype.
SPDX-License-Identifier: ISC

Run with a number: only that share of the cases, drawn by seed (tests/dsp/design/test_families.py draws a tenth)."""
import os
import random
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.environ.get('MILLRACE_SOURCE', os.path.join(os.path.dirname(__file__), '..', '..')), 'tests', 'dsp', 'design'))
from design_oracle import DB, family_db  # noqa: E402
from design_tool import *  # noqa: E402,F403
from design_tool import Report, design  # noqa: E402

RATES = (8000.0, 44100.0, 48000.0, 96000.0, 192000.0, 768000.0)
NAMES = {BUTTERWORTH: 'Butterworth', CHEBYSHEV1: 'Chebyshev 1', CHEBYSHEV2: 'Chebyshev 2', ELLIPTIC: 'elliptic', BESSEL: 'Bessel', LINKWITZ_RILEY: 'Linkwitz-Riley'}
RIPPLE, STOP = 0.1, 60.0


def corners(response, fs):
    """Low, middle and high: of a low- or high-pass, or the edges of a band."""
    if response in (LP, HP):
        return [(1.0, 0.0), (fs / 40, 0.0), (0.49 * fs, 0.0)]
    return [(1.0, 2.0), (fs / 100, fs / 10), (0.3 * fs, 0.49 * fs)]


def cases():
    for family in NAMES:
        for response in (LP, HP) if family == LINKWITZ_RILEY else (LP, HP, BP, BS):
            for order in range(1, 33):
                if family == LINKWITZ_RILEY and order % 2:
                    continue
                for fs in RATES:
                    for fc, fc2 in corners(response, fs):
                        yield family, response, order, fs, fc, fc2


def grid(rng, fs, fc, fc2):
    """From corner / 1000 or 1 Hz, whichever is lower, to 0.499 fs; half of it around the corners."""
    low, top = np.log(min(1.0, fc / 1000)), np.log(0.499 * fs)
    wide = [rng.uniform(low, top) for _ in range(24)]
    edges = [fc] if not fc2 else [fc, fc2, (fc * fc2) ** 0.5]
    near = [np.log(e) + rng.choice((0.7, 0.05, 0.002)) * rng.uniform(-1, 1) for e in edges for _ in range(24 // len(edges))]
    return np.exp(np.minimum(np.array(wide + near), top))


def main(share, report, seed=20, families=tuple(NAMES)):
    rng = random.Random(seed)
    drawn = [c for c in cases() if c[0] in families and (share >= 1 or rng.random() < share)]
    requests = [dict(type=c[0], response=c[1], order=c[2], fs=c[3], fc=c[4], fc2=c[5], ripple=RIPPLE, stop=STOP) for c in drawn]
    worst = {NAMES[family]: 0.0 for family in families}
    compared = 0
    for case, r, cascade in zip(drawn, requests, design(requests)):
        family, response, order, fs, fc, fc2 = case
        f = grid(rng, fs, fc, fc2)
        name = '%s response %d order %d fs %g fc %g %g' % (NAMES[family], response, order, fs, fc, fc2)
        if cascade.status or cascade.notes:
            report.check(False, '%s: status %d notes %d' % (name, cascade.status, cascade.notes))
            continue
        report.check(cascade.stable(), name + ': a pole on or outside the circle')
        odd = (cascade.sections[:, 1] == 1) & (cascade.sections[:, 4] == 0)  # a2 = b2 = 0
        firsts = (2 if family == LINKWITZ_RILEY and order // 2 % 2 else order % 2 if family != LINKWITZ_RILEY else 0) if response in (LP, HP) else 0
        report.check(odd.sum() == firsts, '%s: %d first-order sections, not %d' % (name, odd.sum(), firsts))
        want = family_db(family, response, order, fs, f, fc, fc2, RIPPLE, STOP)
        got = cascade.db(fs, f)
        heard = want > -200
        # 1e-9 dB or 8 eps of the sum of Q, whichever is larger. Beside a null this asks for zeros that are rounded once.
        allowed = np.maximum(1e-9, DB * 8 * EPS * cascade.q().sum())
        error = np.where(heard, np.abs(got - np.where(heard, want, 0)) / allowed, 0)
        compared += int(heard.sum())
        bad = int(np.argmax(error))
        report.check(error[bad] <= 1, '%s: at %.17g Hz %.12g dB, not %.12g (%.2g of what is allowed)' % (name, f[bad], got[bad], want[bad], error[bad]))
        worst[NAMES[family]] = max(worst[NAMES[family]], float(error[bad]))
    print('%d designs, %d points; worst error as a share of what is allowed:' % (len(drawn), compared))
    for name, value in worst.items():
        print('  %-15s %.3f' % (name, value))


if __name__ == '__main__':
    report = Report()
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0, report)
    report.end()
