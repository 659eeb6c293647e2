# The presets that no standard's table describes: against analogue formulas, and what their texts promise. And the EQ's against their bank files.
# SPDX-License-Identifier: ISC
# Needs: tests/presets/tool_lv2presets
import os
import re

import numpy as np

from loaded import BUILD, PRESETS, Wave, impulse_responses, levels, main, path_of, render, scratch, spectrum, within, write_wav

EQ = [name for name, preset in PRESETS.items() if preset.plugin.symbol == 'eq']


def butterworth(frequencies, corner, order):
    return -10 * np.log10(1 + (corner / frequencies) ** (2 * order))


def test_high_passes():
    """Of Butterworth: 3.01 dB at the corner, and the formula's fall."""
    orders = {}
    for name, corner in ((name, 20 if name.startswith('subsonic') else 40) for name in PRESETS if PRESETS[name].group == 'High-passes'):
        order = int(name[-2:])
        orders.setdefault(corner, set()).add(order)
        frequencies = corner * np.array([0.25, 0.5, 0.8, 1, 1.25, 2, 4, 50])
        wanted = butterworth(frequencies, corner, order)
        frequencies, wanted = frequencies[wanted > -100], wanted[wanted > -100]
        for rate, h in impulse_responses(name, 30 / corner).items():
            within(name, rate, frequencies, levels(h[:, 0], frequencies, rate), wanted - 0.02, wanted + 0.02)
    assert all(min(found) == 2 and max(found) == 16 for found in orders.values()) and set(orders) == {20, 40}, orders


def test_dc_blocker():
    frequencies = np.array([0.2, 2, 20, 1000])
    for rate, h in impulse_responses('dc-blocker', 3).items():
        assert abs(h.sum()) < 1e-12, 'a constant goes'
        wanted = butterworth(frequencies, 2, 1)
        within('dc-blocker', rate, frequencies, levels(h[:, 0], frequencies, rate), wanted - 0.01, wanted + 0.01)


def test_hum():
    for mains in (50, 60):
        harmonics = mains * np.arange(1, 11)
        for rate, h in impulse_responses('hum-%d' % mains, 1.5).items():
            within('hum-%d' % mains, rate, harmonics, levels(h[:, 0], harmonics, rate), -np.inf, -60)
            between = np.concatenate([harmonics + mains / 2, [20, 5000]])
            within('hum-%d' % mains, rate, between, levels(h[:, 0], between, rate), -1, 0.1)


# Name: band that passes with its limits in dB; frequencies with the most that is left there.
COMMS = {'comms-telephone': ((300, 3400, -0.3, 0.01), [(50, -39.9), (200, -39.9), (4000, -39.9), (4600, -39.9), (8000, -39.9)]),
         'comms-wideband': ((50, 7000, -0.3, 0.01), [(10, -39.9), (20, -39.9), (8000, -39.9), (12000, -39.9)]),
         'comms-ssb': ((300, 2700, -0.6, 0.01), [(200, -59.9), (3100, -59.9), (6000, -59.9)]),
         'comms-two-way-radio': ((340, 2900, -6.5, 0.1), [(100, -40), (6000, -30), (10000, -60)]),
         'comms-am-broadcast': ((60, 4200, -2, 0.1), [(10, -25), (9000, -45)])}


def test_comms():
    assert set(COMMS) == {name for name, preset in PRESETS.items() if preset.group == 'Comms'}
    for name, ((low, high, least, most), stops) in COMMS.items():
        for rate, h in impulse_responses(name, 0.3).items():
            frequencies, found = spectrum(h[:, 0], rate)
            inside = (frequencies >= low) & (frequencies <= high)
            within(name, rate, frequencies[inside], found[inside], least, most)
            stop, left = np.array(stops).T
            within(name, rate, stop, levels(h[:, 0], stop, rate), -np.inf, left)
            beyond = frequencies > stop[-1]
            within(name, rate, frequencies[beyond], found[beyond], -np.inf, left[-1] + 0.1)


# ----------------------------------------------------------------- analogue


def analogue(line, s):
    """The model of a line of bank text, with s in Hz: bells and shelves of the Audio EQ Cookbook, Butterworth's passes, notches."""
    shape = re.fullmatch(r'Filter: ON (PK|LSC|HSC|NO) Fc (\S+) Hz(?: Gain (\S+) dB)? Q (\S+)', line)
    if shape:
        kind, fc, gain, q = shape.group(1), float(shape.group(2)), float(shape.group(3) or 0), float(shape.group(4))
        a, z = 10 ** (gain / 40), s / fc
        if kind == 'PK':
            return (z * z + z * a / q + 1) / (z * z + z / (a * q) + 1)
        if kind == 'NO':
            return (z * z + 1) / (z * z + z / q + 1)
        if kind == 'HSC':
            z = 1 / z
        return a * (z * z + z * np.sqrt(a) / q + a) / (a * z * z + z * np.sqrt(a) / q + 1)
    kind, order, fc = re.fullmatch(r'Filter: ON Butterworth (LP|HP) Order (\d+) Fc (\S+) Hz', line).groups()
    z = s / float(fc) if kind == 'LP' else float(fc) / s
    poles = np.exp(1j * np.pi * (2 * np.arange(int(order)) + 1 + int(order)) / (2 * int(order)))
    return 1 / np.prod([z - pole for pole in poles], axis=0)


def model(text, frequencies):
    level = np.zeros(len(frequencies))
    for line in filter(None, (line.partition('#')[0].strip() for line in text.splitlines())):
        if line.startswith('Preamp:'):
            level += float(line.split()[1])
        elif line != 'Mode: Matched':
            level += 20 * np.log10(np.abs(analogue(line, 1j * frequencies)))
    return level


def test_mixing_follows_the_analogue_models():
    """At 192 kHz closely, and at 44.1 kHz within what a person hears as the same."""
    names = [name for name, preset in PRESETS.items() if preset.group == 'Mixing']
    assert len(names) >= 20 and set(names) < set(EQ)
    for name in names:
        for (rate, h), bound in zip(impulse_responses(name, 0.25).items(), (0.6, 0.6, 0.3, 0.1)):
            frequencies, found = spectrum(h[:, 0], rate)
            wanted = model(PRESETS[name].text, frequencies)
            heard = (frequencies > 20) & (frequencies < 20000) & (wanted > -60)
            within(name, rate, frequencies[heard], found[heard], wanted[heard] - bound, wanted[heard] + bound)
            assert wanted.max() < 6.5, '%s makes it %.1f dB louder somewhere' % (name, wanted.max())


def test_an_eqs_preset_is_its_bank_file():
    """As different ways through the program: port values, and the text."""
    assert len(EQ) > 30
    for name in EQ:
        folder = scratch()
        x = np.zeros((2000, 2))
        x[0] = 1, -0.5
        write_wav(folder + '/in.wav', x, 'double', 48000)
        render('--preset', path_of(name), folder + '/in.wav', '-o', folder + '/a.wav')
        render('-b', os.path.join(BUILD, 'banks', name + '.txt'), folder + '/in.wav', '-o', folder + '/b.wav')
        a, b = (Wave(folder + '/%s.wav' % word).samples for word in 'ab')
        assert np.abs(b).max() > 0.1 and np.abs(a - b).max() < 1e-5, (name, np.abs(a - b).max())  # a port is a float32


if __name__ == '__main__':
    main(globals())
