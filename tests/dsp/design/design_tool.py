"""Drives tool_design and evaluates the sections that it prints, in 64-bit-mantissa arithmetic. Shared by the tests of designs.
SPDX-License-Identifier: ISC"""
import os
import subprocess
import sys

import numpy as np

NONE, PEAK, LOWPASS, HIGHPASS, BANDPASS, NOTCH, ALLPASS, LOWSHELF, HIGHSHELF = range(9)
LOWPASS1, HIGHPASS1, LOWSHELF1, HIGHSHELF1, ALLPASS1 = range(9, 14)
BUTTERWORTH, CHEBYSHEV1, CHEBYSHEV2, ELLIPTIC, BESSEL, LINKWITZ_RILEY = range(14, 20)
WEIGHTING, LINKWITZ_TRANSFORM, ANALOGUE, COEFFICIENTS = range(20, 24)
LP, HP, BP, BS, AP = range(5)
RBJ, MATCHED = range(2)
Q, OCTAVES, SLOPE, DB_PER_OCTAVE = range(4)
OK, MEMORY, ARGUMENT, NOT_FINITE, RANGE, UNSTABLE, RATE = range(7)
NOTE_FREQUENCY, NOTE_WIDTH, NOTE_GAIN, NOTE_ORDER, NOTE_RIPPLE, NOTE_NYQUIST, NOTE_NOT_MATCHED, NOTE_FALLBACK, NOTE_CONVERTED = (1 << k for k in range(9))
EPS = 2.0 ** -52
LD = np.longdouble


class Cascade:
    def __init__(self, words, points):
        self.status, self.notes = int(words[0]), int(words[1])
        if self.status:
            return
        n = int(words[2])
        x = [float.fromhex(w) for w in words[3:]]
        self.gain, self.sections = x[0], np.array(x[1:1 + 5 * n]).reshape(n, 5)
        self.points = np.array(x[1 + 5 * n:1 + 5 * n + 3 * points]).reshape(points, 3)
        self.extra = x[1 + 5 * n + 3 * points:]

    def q(self):
        s, p = self.sections[:, 0], self.sections[:, 1]
        return np.sqrt(s * np.maximum(0, 4 - s - 2 * p)) / (2 * p)

    def stable(self):
        s, p = self.sections[:, 0].astype(LD), self.sections[:, 1].astype(LD)
        return bool(np.all(s > 0) and np.all(p > 0) and np.all(4 - s - 2 * p > 0))

    def factors(self, fs, f, upto):
        """H of each of the first `upto` sections at each f: an array of sections x frequencies."""
        half = 4 * np.arctan(LD(1)) * np.asarray(f, LD) / LD(fs)
        x, sw = np.sin(half) ** 2, np.sin(2 * half)
        s, p, d, e1, e2 = (c[:, None] for c in self.sections[:upto].astype(LD).T)
        total, rise = d * s + e1, d * p + e2
        return (total - 4 * x * d + 2 * x * rise), rise * sw, s - 4 * x + 2 * x * p, p * sw

    def response(self, fs, f, upto=None):
        """H of the first `upto` sections (all: with the gain) as (log2 magnitude, phase factor); f in Hz, an array."""
        nr, ni, dr, di = self.factors(fs, f, upto)
        h = (nr + 1j * ni) / (dr + 1j * di)
        size = np.abs(h)
        with np.errstate(divide='ignore', invalid='ignore'):
            level = np.log2(size).sum(0)
            turn = np.prod(np.where(size > 0, h / size, 0), axis=0)
        if upto is None:
            level, turn = level + np.log2(LD(abs(self.gain))), turn * np.sign(self.gain)
        return level, turn

    def db(self, fs, f):
        nr, ni, dr, di = self.factors(fs, f, None)
        with np.errstate(divide='ignore'):
            log = np.log10(nr * nr + ni * ni) - np.log10(dr * dr + di * di)
        return 10 * log.sum(0) + 20 * np.log10(LD(abs(self.gain)))


def tool():
    build = os.environ.get('MILLRACE_BUILD', 'build')
    for path in (os.path.join(build, 'tests', 'dsp', 'design', 'tool_design'), os.path.join(build, 'tool_design')):
        if os.path.exists(path):
            return path
    sys.exit('tool_design is not built; MILLRACE_BUILD is %s' % build)


def design(requests):
    """requests: dicts of the tool's keys; lists become repeated keys. Returns a Cascade for each."""
    lines = []
    for r in requests:
        words = []
        for key, value in r.items():
            for v in value if isinstance(value, (list, tuple, np.ndarray)) else [value]:
                words.append('%s=%s' % (key, ('%r,%r' % (v.real, v.imag)) if isinstance(v, complex) else repr(v) if isinstance(v, float) else str(v)))
        lines.append(' '.join(words))
    out = subprocess.run([tool()], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(out) == len(requests), 'the tool answered %d of %d lines' % (len(out), len(requests))
    return [Cascade(o.split(), len(r.get('at', []))) for o, r in zip(out, requests)]


class Report:
    """Counts checks; end() prints the totals and sets the exit code."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('FAIL', text)

    def limit(self, name, value, limit):
        """value <= limit; prints both, so that a run shows how near it was. A NaN fails."""
        good = bool(value <= limit)
        print('%s %s: %.4g (limit %g)' % ('ok  ' if good else 'FAIL', name, value, limit))
        self.passed += good
        self.failed += not good

    def end(self):
        print('%d passed, %d failed' % (self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)
