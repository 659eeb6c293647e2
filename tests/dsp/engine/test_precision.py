"""Promise 2 on the filters that break other equalisers: the error of the engine against an extended-precision reference.
SPDX-License-Identifier: ISC

The reference knows nothing of the library: Butterworth poles and RBJ's peaking formula in numpy's long double (64 bits of
mantissa), kept as distances from z = 1 and run in that form, so that it is good to about 1e-17 of the peak."""
import os
import subprocess
import sys

import numpy as np

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_engine')
LD = np.longdouble
PI = LD('3.14159265358979323846264338327950288')
FRAMES = 24000
assert np.finfo(LD).nmant >= 63, 'this test needs an 80-bit long double'

CASES = [  # kind, order or Q, corner in Hz, rate in Hz
    ('LP', 16, 20, 48000), ('HP', 16, 20, 48000), ('HP', 16, 20, 192000), ('HP', 16, 200, 48000), ('HP', 16, 1000, 48000),
    ('LP', 16, 4800, 48000), ('PK', 30, 30, 48000), ('PK', 30, 30, 192000), ('PK', 30, 1000, 48000), ('LP', 16, 1, 768000),
    ('HP', 16, 10, 192000), ('PK', 1, 20, 48000),
]
SECTIONS = 8


def sections(kind, number, fc, fs):
    """(1 + a1 + a2, 1 - a2, b0, b0 + b1 + b2, b0 - b2) of each section; distances, not differences."""
    g = np.tan(PI * LD(fc) / LD(fs))
    if kind == 'PK':
        A, k = LD(10) ** (LD(12) / 40), 1 / (LD(number))
        scale = 1 / (1 + g * k / A + g * g)
        return [(4 * g * g * scale, 2 * g * k / A * scale, (1 + g * k * A + g * g) * scale, 4 * g * g * scale, 2 * g * k * A * scale)]
    result = []
    for i in range(number // 2):
        k = 2 * np.sin(PI * (2 * i + 1) / (2 * number))
        scale = 1 / (1 + g * k + g * g)
        s, p = 4 * g * g * scale, 2 * g * k * scale
        result.append((s, p, g * g * scale, s, LD(0)) if kind == 'LP' else (s, p, scale, LD(0), LD(0)))
    return result


def reference(x):
    """All cases at once, a sample at a time: x [cases][frames]."""
    table = np.zeros((SECTIONS, 5, len(CASES)), LD)
    table[:, 2] = 1  # what is not a section passes: b0 = 1
    table[:, :2] = 1
    table[:, 3], table[:, 4] = 1, 1
    for j, case in enumerate(CASES):
        for k, row in enumerate(sections(*case)):
            table[k, :, j] = row
    # y = b0 x + (sum_b - b0 s) w + (b0 - b2 - b0 P) d with w' = w + d', d' = x - P d + d - s w
    c1, c2 = table[:, 3] - table[:, 2] * table[:, 0], table[:, 4] - table[:, 2] * table[:, 1]
    w, d = np.zeros((SECTIONS, len(CASES)), LD), np.zeros((SECTIONS, len(CASES)), LD)
    y = np.empty(x.shape, LD)
    for n in range(x.shape[1]):
        u = x[:, n].astype(LD)
        for k in range(SECTIONS):
            step = (u - table[k, 1] * d[k]) + (d[k] - table[k, 0] * w[k])
            u = table[k, 2] * u + (c1[k] * w[k] + c2[k] * d[k])
            w[k] += step
            d[k] = step
        y[:, n] = u
    return y


def line_of(case):
    kind, number, fc, _ = case
    return 'PK Fc %g Hz Gain 12 dB Q %g' % (fc, number) if kind == 'PK' else 'Butterworth %s Order %d Fc %g Hz' % (kind, number, fc)


def engine(case, level):
    script = 'engine 1 %d 0 %s\nbank Filter: ON %s\nnoise 0.5\nrun %d 1000\n' % (case[3], level, line_of(case), FRAMES)
    run = subprocess.run([TOOL], input=script.encode(), capture_output=True)
    if run.returncode:
        raise SystemExit(run.stderr.decode())
    return np.frombuffer(run.stdout)


def rendered(case, x):
    """The same through the command, as float32 samples."""
    command = [os.environ['MILLRACE'], 'render', '--quiet', '-f', line_of(case), '--raw', '%d:1:float' % case[3], '-', '-o', '-']
    run = subprocess.run(command, input=x.astype('<f4').tobytes(), capture_output=True)
    if run.returncode:
        raise SystemExit(run.stderr.decode())
    return np.frombuffer(run.stdout, '<f4')


def levels():
    found = ['reference', 'reference-nofma', 'sse2', 'avx2', 'avx512', 'neon']
    return [name for name in found if not subprocess.run([TOOL], input=('engine 1 48000 0 %s\n' % name).encode(), capture_output=True).returncode]


def noise():
    """The samples that tool_engine's noise makes."""
    state, out = 0, np.empty(FRAMES)
    for i in range(FRAMES):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        out[i] = .5 * ((state >> 11) * 2.0 ** -52 - 1)
    return out


passed = failed = 0


def judge(case, how, out, right, limit):
    global passed, failed
    error = float(np.max(np.abs(out - right)) / np.max(np.abs(right)))
    good = out.shape == right.shape and error < limit
    passed, failed = passed + good, failed + (not good)
    if not good or '-v' in sys.argv:
        print('%s %s of %g at %g Hz / %d Hz, %s: %.2g' % (('FAILED', 'ok')[good], *case, how, error))


x = noise()
right = reference(np.tile(x, (len(CASES), 1)))
for level in levels():
    for case, wanted in zip(CASES, right):
        judge(case, level, engine(case, level), wanted, 1e-12)
if os.path.exists(os.environ.get('MILLRACE', '')):
    single = x.astype(np.float32)
    right = reference(np.tile(single, (len(CASES), 1)))
    for case, wanted in zip(CASES, right):
        judge(case, 'rendered', rendered(case, single), wanted, 1e-6)  # -120 dB
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
