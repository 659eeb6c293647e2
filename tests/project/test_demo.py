# The demo's result is the filters that its bank names, as SciPy and the formulas of RBJ's cookbook have them.
# SPDX-License-Identifier: ISC
import os
import re
import sys

import numpy as np
from scipy import signal

from harness import MILLRACE, SOURCE, main, run, scratch

FS = 48000.0
STEP = 0.501  # of 16 bit: nothing but the rounding of the output



def wave_data(path):
    """Samples of a WAVE file of any header, 16 bit, 8 channels: Python's wave refuses extensible ones before 3.12."""
    with open(path, 'rb') as file:
        data = file.read()
    at = 12
    while data[at:at + 4] != b'data':
        at += 8 + int.from_bytes(data[at + 4:at + 8], 'little')
    length = int.from_bytes(data[at + 4:at + 8], 'little')
    return data[20:22], np.frombuffer(data[at + 8:at + 8 + length], dtype='<i2').reshape(-1, 8).astype(float)


def bell(f, gain, q):
    a, w = 10 ** (gain / 40), 2 * np.pi * f / FS
    alpha = np.sin(w) / (2 * q)
    rows = [1 + alpha * a, -2 * np.cos(w), 1 - alpha * a, 1 + alpha / a, -2 * np.cos(w), 1 - alpha / a]
    return np.array([rows]) / rows[3]


def expected(x):
    y = np.empty_like(x)
    voices = np.vstack([signal.butter(8, 80, 'highpass', fs=FS, output='sos'), bell(250, -3, 1.41), bell(3000, 2.5, 1), bell(7500, -2, 2)])
    low = np.vstack([signal.butter(2, 120, fs=FS, output='sos')] * 2)
    for channel in range(8):
        y[:, channel] = signal.sosfilt(low if channel == 3 else voices, x[:, channel])
    return y * 10 ** (-3 / 20)


def test_the_demo():
    folder = os.path.join(scratch(), 'demo')
    text = run([sys.executable, os.path.join(SOURCE, 'tools', 'demo.py'), MILLRACE, folder]).stdout
    form, x = wave_data(os.path.join(folder, 'input.wav'))
    form_out, y = wave_data(os.path.join(folder, 'output.wav'))
    assert form == form_out == b'\xfe\xff', 'the loudspeaker mask is kept'
    assert x.shape == y.shape and x.shape[0] > 8 * 48000
    # each voice alone, in turn
    starts = [np.flatnonzero(x[:, channel])[0] for channel in range(8)]
    assert starts == sorted(starts) and (np.count_nonzero(x, axis=1) <= 1).all()
    want = expected(x)
    assert np.abs(want).max() > 3000
    clipped = (want > 32767) | (want < -32768)
    assert np.abs(np.clip(want, -32768, 32767) - y).max() <= STEP, np.abs(np.clip(want, -32768, 32767) - y).max()
    for pattern in (r'^input .*L R C LFE BL BR SL SR$', r'^bank ', r'^ +Filter 1: ON Butterworth HP Order 8 Fc 80 Hz$',
                    r'^size +8 channels x %d frames, ' % x.shape[0], r'^time +[\d.]+ s, \d+ times real time$',
                    r'^clips +%d samples$' % clipped.sum(), r'^result .*output\.wav$',
                    r'^picture +(.*before-and-after\.png|left out: millrace was built without .*)$'):
        assert re.search(pattern, text, re.M), (pattern, text)
    picture = os.path.join(folder, 'before-and-after.png')
    assert os.path.exists(picture) != ('left out' in text)
    if os.path.exists(picture):
        with open(picture, 'rb') as file:
            head = file.read(24)
        assert head[:4] == b'\x89PNG' and head[16:24] == (1200).to_bytes(4, 'big') + (600).to_bytes(4, 'big')


main(globals())
