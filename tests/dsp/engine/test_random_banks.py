"""Promise 2 on 2000 random banks: the engine's float64 samples, and a renderer's of one channel (multi-block kernels), within 1e-12 of an extended-precision run of the same sections, and a
float32 output within -120 dB, re full scale. A channel of an engine is a bank; its designs are drawn by seed.
SPDX-License-Identifier: ISC"""
import os
import random
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'design'))
from design_tool import *  # noqa: E402,F403
from design_tool import LD, Report, design  # noqa: E402

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_engine')
FRAMES, BANKS = 1500, 400  # banks of each rate
RATES = (8000, 44100, 48000, 96000, 192000)


def random_filter(rng, fs):
    """A filter as a request for tool_design and as a line of bank text."""
    fc, q, gain = np.exp(rng.uniform(np.log(20), np.log(.45 * fs))), np.exp(rng.uniform(np.log(.3), np.log(30))), rng.uniform(-18, 18)
    kind = rng.randrange(10)
    if kind < 4:
        return dict(type=PEAK, fc=fc, width=q, gain=gain), 'PK Fc %r Hz Gain %r dB Q %r' % (fc, gain, q)
    if kind < 6:
        name, number = rng.choice((('LPQ', LOWPASS), ('HPQ', HIGHPASS), ('BP', BANDPASS), ('AP', ALLPASS)))
        return dict(type=number, fc=fc, width=q), '%s Fc %r Hz Q %r' % (name, fc, q)
    order, low = rng.randint(2, 12), rng.random() < .5
    word, response = ('LP', LP) if low else ('HP', HP)
    if kind < 8:
        return dict(type=BUTTERWORTH, response=response, order=order, fc=fc), 'Butterworth %s Order %d Fc %r Hz' % (word, order, fc)
    if kind == 8:
        return (dict(type=CHEBYSHEV1, response=response, order=order, fc=fc, ripple=.5), 'Chebyshev1 %s Order %d Fc %r Hz Ripple 0.5 dB' % (word, order, fc))
    return (dict(type=ELLIPTIC, response=response, order=order, fc=fc, ripple=.5, stop=60.0),
            'Elliptic %s Order %d Fc %r Hz Ripple 0.5 dB Stop 60 dB' % (word, order, fc))


def reference(cascades, x):
    """Each cascade over its channel of x [frames][channels], all at once, in 64-bit mantissas; short ones end with sections that pass."""
    depth = max(len(c) for c in cascades)
    table = np.zeros((depth, 5, len(cascades)), LD)
    table[:, :3] = 1
    for j, c in enumerate(cascades):
        table[:len(c), :, j] = c
    w, d = np.zeros((depth, len(cascades)), LD), np.zeros((depth, len(cascades)), LD)
    y = np.empty(x.shape, LD)
    for n, u in enumerate(x.astype(LD)):
        for k in range(depth):
            s, p, b0, e1, e2 = table[k]
            step = (u - p * d[k]) + (d[k] - s * w[k])
            u = b0 * u + (e1 * w[k] + e2 * d[k])
            w[k] += step
            d[k] = step
        y[n] = u
    return y


def noise():
    """The samples that tool_engine's noise makes."""
    state, out = 0, np.empty(FRAMES * BANKS)
    for i in range(len(out)):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        out[i] = .5 * ((state >> 11) * 2.0 ** -52 - 1)
    return out.reshape(FRAMES, BANKS)


def tool(script):
    run = subprocess.run([TOOL], input=script.encode(), capture_output=True)
    if run.returncode:
        raise SystemExit(run.stderr.decode())
    return np.frombuffer(run.stdout)


def judge(how, got, want, banks, fs):
    scale = np.maximum(1, np.max(np.abs(want), 0))  # full scale, or the peak of what goes beyond it
    error = np.max(np.abs(got - want), 0) / scale
    single = np.max(np.abs(got.astype(np.float32) - want), 0) / scale
    for k, bank in enumerate(banks):
        report.check(error[k] < 1e-12 and single[k] < 1e-6, '%s, %d Hz: %.2g, as float32 %.2g: %s' % (how, fs, error[k], single[k], '; '.join(line for _, line in bank)))
    print('%s, %6d Hz: at worst %.2g, as float32 %.2g' % (how, fs, error.max(), single.max()))


report, rng, x = Report(), random.Random(5), noise()
for fs in RATES:
    banks = [[random_filter(rng, fs) for _ in range(rng.randint(1, 3))] for _ in range(BANKS)]
    requests = [dict(request, fs=float(fs)) for bank in banks for request, _ in bank]
    designs = iter(design(requests))
    cascades, gains, text = [], [], []
    for k, bank in enumerate(banks):
        parts = [next(designs) for _ in bank]
        assert not any(part.status for part in parts)
        cascades.append(np.concatenate([part.sections for part in parts]))
        gains.append(np.prod([LD(part.gain) for part in parts]))
        text += ['Channel: %d' % (k + 1)] + ['Filter: ON ' + line for _, line in bank]
    got = tool('engine %d %d 0 -\nbank %s\nnoise 0.5\nrun %d 1000\n' % (BANKS, fs, '|'.join(text), FRAMES)).reshape(FRAMES, BANKS)
    judge('engine', got, reference(cascades, x) * np.array(gains), banks, fs)
    streams = ''.join('stream %d %s\n' % (FRAMES, '|'.join('Filter: ON ' + line for _, line in bank)) for bank in banks)
    got = tool('engine 1 %d 0 -\nnoise 0.5\n%s' % (fs, streams)).reshape(BANKS, FRAMES).T
    judge('renderer', got, reference(cascades, x.reshape(BANKS, FRAMES).T) * np.array(gains), banks, fs)
report.end()
