"""Where the rule for float32 arithmetic lets filters pass, the error is below 1e-4 of the peak; and it says no for a reason.
SPDX-License-Identifier: ISC

Thousands of random sections of every kind, with corners from 5 Hz at 192 kHz to a ten-thousandth of the rate below Nyquist, and random
banks of them. The reference is the same recursion written here in float64, 29 bits more than what is tested, with sums of the coefficients
in long double."""
import os
import subprocess
import sys

import numpy as np
from scipy import signal

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_fast')
CHANNELS, FRAMES, GATE = 1024, 6000, 1e-4
LD = np.longdouble


def poles(rng, n, low, high, q_low, q_high, near_nyquist):
    """Corners as a part of the rate; Q; of which a share lies close below Nyquist."""
    f = 10 ** rng.uniform(np.log10(low), np.log10(high), n)
    close = rng.random(n) < near_nyquist
    f[close] = .5 - 10 ** rng.uniform(-4, np.log10(.499), close.sum())
    return f, 10 ** rng.uniform(np.log10(q_low), np.log10(q_high), n)


def sections(rng, n, kinds, *more):
    """b0 b1 b2 a1 a2 of n sections, by the bilinear transform of w/(1/Q) resonators. Kinds: low-pass, high-pass, band-pass, notch, all-pass,
    bell, first-order low-pass and high-pass, and poles with any zeros."""
    f, q = poles(rng, n, *more)
    g = np.tan(np.pi * f)
    k, A = 1 / q, 10 ** (rng.uniform(-24, 24, n) / 40)
    kind = rng.choice(kinds, n)
    a = np.stack([1 + g * k + g * g, 2 * (g * g - 1), 1 - g * k + g * g])
    one, nul = np.ones(n), np.zeros(n)
    table = {
        'lp': (g * g, 2 * g * g, g * g), 'hp': (one, -2 * one, one), 'bp': (g * k, nul, -g * k), 'notch': (1 + g * g, a[1], 1 + g * g),
        'ap': (a[2], a[1], a[0]), 'bell': (1 + g * k * A + g * g, a[1], 1 - g * k * A + g * g), 'lp1': (g, g, nul), 'hp1': (one, -one, nul),
        'any': tuple(rng.uniform(-1, 1, (3, n))),
    }
    b = np.zeros((3, n))
    for name, rows in table.items():
        b[:, kind == name] = np.array(rows)[:, kind == name]
    bell = kind == 'bell'
    a[:, bell] = np.stack([1 + g * k / A + g * g, a[1], 1 - g * k / A + g * g])[:, bell]
    first = (kind == 'lp1') | (kind == 'hp1')
    a[:, first] = np.stack([1 + g, g - 1, nul])[:, first]
    return np.vstack([b, a[1:]]) / a[0], kind


def distances(rows):
    """s, P and n = 4 - s - 2 P of coefficients [5][...], as exact as they hold them."""
    a1, a2 = rows[3].astype(LD), rows[4].astype(LD)
    return (1 + a1 + a2).astype(float), (1 - a2).astype(float), (1 - a1 + a2).astype(float)


def estimate(rows):
    s, P, n = distances(rows)
    return 2.0 ** -24 * (1 + 4 * (1 + np.sqrt(s * n) / (2 * P)) / n + np.sqrt(2 / P + P / s))


def reference(rows, x):
    """rows [5][sections][channels], x [frames] -> y [frames][channels], float64."""
    s, P, _ = distances(rows)
    D, total = rows[0], (rows[0].astype(LD) + rows[1] + rows[2]).astype(float)
    e1 = (total.astype(LD) - D.astype(LD) * s).astype(float)
    e2 = (D.astype(LD) * rows[4] - rows[2]).astype(float)
    w, d, y = np.zeros(s.shape), np.zeros(s.shape), np.empty((len(x), s.shape[1]))
    for i, sample in enumerate(x):
        u = np.full(s.shape[1], sample)
        for k in range(s.shape[0]):
            step = (u - P[k] * d[k]) + (d[k] - s[k] * w[k])
            u = D[k] * u + (e1[k] * w[k] + e2[k] * d[k])
            w[k] += step
            d[k] = step
        y[i] = u
    return y


def fast(rows, x, level):
    """The library: the errors it expects, its rule, its output."""
    _, k, c = rows.shape
    data = np.array([c, k, len(x)], '<u4').tobytes() + rows.transpose(2, 1, 0).astype('<f8').tobytes() + x.astype('<f8').tobytes()
    run = subprocess.run([TOOL, level], input=data, capture_output=True)
    if run.returncode:
        raise SystemExit(run.stderr.decode())
    numbers = np.frombuffer(run.stdout[:8 * (c * k + 4)])
    return numbers[:c * k].reshape(c, k).T, numbers[c * k:], np.frombuffer(run.stdout[8 * (c * k + 4):], '<f4').reshape(-1, c)


def levels():
    """One level of each class of rounding, the fastest."""
    found = []
    for name in ('avx512', 'avx2', 'neon', 'reference'):
        head = np.array([1, 0, 0], '<u4').tobytes()
        if not found and not subprocess.run([TOOL, name], input=head, capture_output=True).returncode:
            found.append(name)
    return found + ['reference-nofma']


passed = failed = 0


def judge(good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good or '-v' in sys.argv:
        print('%s %s' % ('ok    ' if good else 'FAILED', text))


def measure(rows, x, level):
    """Errors over the peak, the library's estimates [sections][channels], its rule."""
    expected, rule, out = fast(rows, x, level)
    right = reference(rows, x)
    return np.abs(out - right).max(axis=0) / np.abs(right).max(axis=0), expected, rule


EVERY = ['lp', 'hp', 'bp', 'notch', 'ap', 'bell', 'lp1', 'hp1', 'any']
all_errors, all_expected = [], []
for batch in range(3):
    rng = np.random.default_rng(batch)
    rows, kind = sections(rng, CHANNELS, EVERY, 5 / 192000, .4999, .01, 200, .4)
    rows = rows[:, None, :]
    x = rng.uniform(-.5, .5, FRAMES).astype(np.float32).astype(float) + (.25 if batch == 2 else 0)
    for level in levels() if batch == 0 else levels()[:1]:
        errors, expected, rule = measure(rows, x, level)
        expected = expected[0]
        name = 'batch %d, %s' % (batch, level)
        judge(np.abs(expected / estimate(rows)[0] - 1).max() < 1e-3, '%s: the estimate is what its comment says' % name)
        bears = expected < GATE
        worst = np.argmax(np.where(bears, errors, 0))
        judge(errors[bears].max() < GATE, '%s: where it lets pass, %.2g at most (%s)' % (name, errors[worst], kind[worst]))
        judge((errors / expected).max() < 1.2, '%s: no error is far above its estimate: %.2f times' % (name, (errors / expected).max()))
        judge(not rule[0] and int(rule[1]) == np.argmax(~bears) and rule[3] == expected[int(rule[1])], '%s: the first that fails is named' % name)
        all_errors.append(errors)
        all_expected.append(expected)
errors, expected = np.concatenate(all_errors), np.concatenate(all_expected)
bears = expected < GATE
judge(len(errors) >= 2000 and bears.mean() > .6, '%d sections measured, %.0f %% let pass' % (len(errors), 100 * bears.mean()))
judge((errors[~bears] > GATE).mean() > .3 and errors.max() > 1e-2, 'of the others %.0f %% fail, the worst with %.2g'
      % (100 * (errors[~bears] > GATE).mean(), errors.max()))
judge((errors > GATE).sum() > 100, '%d failures in all' % (errors > GATE).sum())
judge(np.median(expected / errors) < 30, 'estimates are %.1f times the errors in the middle' % np.median(expected / errors))

# banks: what an equaliser has, eight sections a channel, of which the last ones may be anything
rng = np.random.default_rng(11)
bank = np.stack([sections(rng, CHANNELS, EVERY[5:6] if k < 5 else ['bell', 'ap', 'notch', 'lp1'], 20 / 192000, .49, .1, 20, .2)[0] for k in range(8)], axis=1)
x = rng.uniform(-.5, .5, FRAMES).astype(np.float32).astype(float)
errors, expected, rule = measure(bank, x, levels()[0])
total = expected.sum(axis=0)
bears = total < GATE
judge(bears.sum() > 200 and errors[bears].max() < GATE, 'banks: %d let pass, with %.2g at most' % (bears.sum(), errors[bears].max()))
judge((errors[~bears] > GATE).sum() > 20, 'banks: %d of the %d others fail' % ((errors[~bears] > GATE).sum(), (~bears).sum()))
first = int(np.argmax(~bears))
judge(not rule[0] and rule[1] == first and rule[2] == np.argmax(expected[:, first]), 'banks: the first channel that fails is named, and its worst section')
whole = np.flatnonzero(bears)
_, rule, _ = fast(bank[:, :, whole], x[:0], levels()[0])
judge(rule[0] == 1 and rule[1] == np.argmax(total[whole]) and abs(rule[3] / total[whole].max() - 1) < 1e-12, 'banks: a program that passes, passes')
# tables as scipy has them, the whole gain in the first section: levels between sections are far outside of float32
CASES = [('butter', (16, 20), 'lowpass'), ('butter', (16, 100), 'lowpass'), ('butter', (16, 1000), 'highpass'), ('cheby1', (12, 1, 50), 'lowpass'),
         ('ellip', (10, .1, 80, 8000), 'highpass'), ('butter', (16, 19000), 'highpass')]
tables = []
for name, arguments, kind in CASES:
    table = np.tile([1., 0, 0, 0, 0], (8, 1))
    sos = getattr(signal, name)(*arguments, btype=kind, fs=48000, output='sos')
    table[:len(sos)] = np.delete(sos, 3, axis=1)
    tables += [table, table[::-1]]
errors, _, rule = measure(np.array(tables).transpose(2, 1, 0), x, levels()[0])
for i, error in enumerate(errors):
    judge(rule[0] == 1 and error < GATE, '%s %s %s: %.2g' % (*CASES[i // 2], error))
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
