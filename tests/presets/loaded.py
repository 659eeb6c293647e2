# What the tests of the factory presets share: presets as `millrace render --preset` plays them, and what came out.
# SPDX-License-Identifier: ISC
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for place in ('host', 'project'):
    sys.path.insert(0, os.path.join(HERE, '..', place))
from audio import BUILD, SOURCE, Wave, main, render, scratch, write_wav  # noqa: E402,F401

sys.path.insert(0, os.path.join(SOURCE, 'ttl'))
import presets as factory  # noqa: E402

BUNDLE = os.path.join(BUILD, 'lv2', 'millrace.lv2')
RATES = (44100, 48000, 96000, 192000)
PRESETS = {preset.name: preset for preset in factory.read()}


def path_of(name):
    return os.path.join(BUNDLE, 'presets', name + '.ttl')


def impulse_responses(name, seconds, channels=1, into=0):
    """By the rate: the answer to a one in channel `into`, frames by channels, as the preset's own file makes `render` give it."""
    folder = scratch()
    out = os.path.join(folder, 'out')
    os.mkdir(out)
    files = []
    for rate in RATES:
        x = np.zeros((int(seconds * rate), channels))
        x[0, into] = 1
        files.append(write_wav(os.path.join(folder, '%d.wav' % rate), x, 'double', rate))
    render('--preset', path_of(name), '-j', '1', *files, '-o', out)
    found = {rate: Wave(os.path.join(out, '%d.wav' % rate)).samples for rate in RATES}
    for path in files:
        os.remove(path)
        os.remove(os.path.join(out, os.path.basename(path)))
    return found


def response(h, frequencies, rate):
    """Of one channel's impulse response, at any frequencies; complex. What is left of it below 1e-15 of its peak does not count."""
    h = h[:np.flatnonzero(np.abs(h) >= 1e-15 * np.abs(h).max())[-1] + 1]
    return np.array([np.dot(h, np.exp(-2j * np.pi * f / rate * np.arange(len(h)))) for f in np.atleast_1d(frequencies)])


def levels(h, frequencies, rate):
    """The same in dB."""
    return 20 * np.log10(np.abs(response(h, frequencies, rate)) + 1e-300)


def spectrum(h, rate):
    """Frequencies and levels in dB of all bins of a transform that holds the whole response."""
    size = 1 << (len(h) - 1).bit_length()
    return np.fft.rfftfreq(size, 1 / rate)[1:], 20 * np.log10(np.abs(np.fft.rfft(h, size)[1:]) + 1e-300)


def within(name, rate, frequencies, found, least, most):
    """Fails where a level lies outside its limits. What lies above half the rate is left out."""
    frequencies, found = np.asarray(frequencies), np.asarray(found)
    heard = frequencies < rate / 2
    assert heard.any()
    bad = heard & ~((found >= least) & (found <= most))
    assert not bad.any(), '%s at %d Hz: %s' % (name, rate, ', '.join(
        '%g Hz %.3f dB, not %.3f to %.3f' % (f, level, low, high) for f, level, low, high in
        zip(frequencies[bad][:4], found[bad], np.broadcast_to(least, found.shape)[bad], np.broadcast_to(most, found.shape)[bad])))
