"""Bands on mid and side, against scipy on M = (L + R) / 2 and S = (L - R) / 2.
SPDX-License-Identifier: ISC"""
import os
import subprocess
import sys

import numpy as np
from scipy import signal

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_engine')
PEAK, LOWPASS, HIGHPASS = 1, 2, 3
LEVELS = ('reference', 'reference-nofma', 'sse2', 'avx2', 'avx512', 'neon')
passed = failed = 0


def check(name, good, detail):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED %s: %s' % (name, detail))


def play(script, channels=2, optional=False):
    run = subprocess.run([TOOL], input=('\n'.join(script) + '\n').encode(), capture_output=True)
    if run.returncode and optional:
        return None
    if run.returncode:
        raise SystemExit('tool_engine: ' + run.stderr.decode())
    return np.frombuffer(run.stdout).reshape(-1, channels)


def band(i, kind, fc, gain, q, channels):
    return 'band %d 1 %d 0 0 2 %.17g %.17g %.17g %x' % (i, kind, fc, gain, q, channels)


def rbj(kind, fc, gain, q, fs):
    """R. Bristow-Johnson's cookbook."""
    w, A = 2 * np.pi * fc / fs, 10 ** (gain / 40)
    c, alpha = np.cos(w), np.sin(w) / (2 * q)
    if kind == PEAK:
        b, a = [1 + alpha * A, -2 * c, 1 - alpha * A], [1 + alpha / A, -2 * c, 1 - alpha / A]
    elif kind == LOWPASS:
        b, a = [(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha]
    else:
        b, a = [(1 + c) / 2, -1 - c, (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha]
    return np.concatenate([b, a]) / a[0]


def against_scipy(level):
    fs = 48000
    rng = np.random.default_rng(7)
    for case in range(12):
        bands = [(int(rng.choice([PEAK, LOWPASS, HIGHPASS])), 100 * 100 ** rng.random(), rng.uniform(-12, 12), 2 ** rng.uniform(-1, 2),
                  int(rng.integers(1, 4))) for _ in range(1 + case % 4)]
        lines = [band(i, *b) for i, b in enumerate(bands)]
        x = play(['engine 2 %d 4 -' % fs, 'noise 0.5', 'run 6000 100'])
        y = play(['engine 2 %d 4 %s' % (fs, level)] + lines + ['mid_side 1', 'gain %d' % -case, 'apply', 'noise 0.5',
                                                              'run 6000 %d' % (1, 64, 100, 777)[case % 4]], optional=True)
        if y is None:
            return False
        part = [(x[:, 0] + x[:, 1]) / 2, (x[:, 0] - x[:, 1]) / 2]
        for c in range(2):
            sos = [rbj(*b[:4], fs) for b in bands if b[4] >> c & 1]
            if sos:
                part[c] = signal.sosfilt(np.array(sos), part[c])
        right = np.stack([part[0] + part[1], part[0] - part[1]], 1) * 10 ** (-case / 20)
        worst = np.max(np.abs(y - right))
        check('%s, case %d' % (level, case), worst < 1e-12, worst)
    return True


def moving():
    """Equal bands on both parts are bands on both channels, also while they glide."""
    def script(mid_side):
        lines = ['engine 2 48000 2 -', 'mid_side %d' % mid_side, 'noise 0.5']
        for i in range(20):
            lines += [band(0, PEAK, 500 + 100 * i, 12 * (-1) ** i, 2, 3), band(1, LOWPASS, 9000 - 100 * i, 0, .7, 3), 'apply', 'run %d 111' % (300 + 97 * i)]
        return lines
    left_right, mid_side = play(script(0)), play(script(1))
    worst = np.max(np.abs(left_right - mid_side))
    check('gliding', 0 < worst < 1e-12, worst)


def keeps_apart():
    """A band on S leaves what is equal in both channels alone, to the bit; one on M what is opposite."""
    x = play(['engine 2 48000 1 -', 'sine 1000 0.5', 'run 3000 100'])  # the second channel starts half a period later: opposite
    y = play(['engine 2 48000 1 -', band(0, PEAK, 1000, 12, 1, 1), 'mid_side 1', 'apply', 'sine 1000 0.5', 'run 3000 100'])
    worst = np.max(np.abs(x - y))
    check('a band on M, opposite channels', worst < 1e-12, worst)
    y = play(['engine 2 48000 1 -', band(0, PEAK, 1000, 12, 1, 2), 'mid_side 1', 'apply', 'dc 0.3', 'run 3000 100'])
    check('a band on S, equal channels', np.all(y == .3), np.max(np.abs(y - .3)))


ran = [level for level in LEVELS if against_scipy(level)]
check('levels', len(ran) >= 2, ran)
moving()
keeps_apart()
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
