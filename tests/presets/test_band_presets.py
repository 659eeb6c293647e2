# The presets of octave and third-octave bands, against the limits of IEC 61260-1:2014 for filters of class 1.
# SPDX-License-Identifier: ISC
# Needs: tests/presets/tool_lv2presets
import numpy as np

from loaded import PRESETS, impulse_responses, main, spectrum

G = 10 ** 0.3
# Table 1 of the standard: powers of G that are the normalized frequencies of an octave band, and the least and most relative attenuation in dB
# there. At the edge, 1/2, the limits jump.
POWERS = np.array([0, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 1 / 2, 1, 2, 3, 4])
LEAST = np.array([-0.4, -0.4, -0.4, -0.4, -0.4, 1.6, 16.6, 40.5, 60, 70])
MOST = np.array([0.4, 0.5, 0.7, 1.4, 5.3])
NOMINAL = {'20': 13, '25': 14, '31.5': 15, '40': 16, '50': 17, '63': 18, '80': 19, '100': 20, '125': 21, '160': 22, '200': 23, '250': 24, '315': 25,
           '400': 26, '500': 27, '630': 28, '800': 29, '1000': 30, '1250': 31, '1600': 32, '2000': 33, '2500': 34, '3150': 35, '4000': 36, '5000': 37,
           '6300': 38, '8000': 39, '10000': 40, '12500': 41, '16000': 42, '20000': 43}
OCTAVES = [word for word in NOMINAL if NOMINAL[word] % 3 == 0 and NOMINAL[word] > 13]


def limits(ratio, bandwidth):
    """Least and most attenuation at frequencies relative to the middle of the band: clause 5.10."""
    point = 1 + (G ** (1 / (2 * bandwidth)) - 1) / (G ** 0.5 - 1) * (G ** POWERS - 1)
    at, corner = np.log(np.maximum(ratio, 1 / ratio)), np.log(point)
    inside = at < corner[4]
    least = np.where(inside, -0.4, np.interp(at, corner[5:], LEAST[5:]))
    return least, np.where(inside, np.interp(at, corner[:5], MOST), np.inf)


def check(name, h, rate, middle, bandwidth):
    frequencies, found = spectrum(h, rate)
    near = np.abs(np.log(frequencies / middle)) < np.log(40)
    picked = np.unique(np.searchsorted(frequencies, np.concatenate([middle * np.geomspace(0.4, 2.5, 2500), middle * np.geomspace(1 / 40, 40, 2500)])))
    picked = picked[(picked < len(frequencies))]
    picked = picked[near[picked]]
    reference = np.interp(middle, frequencies, found)
    assert abs(reference) < 0.05, '%s at %d Hz: %.3f dB in the middle' % (name, rate, reference)
    attenuation = reference - found[picked]
    least, most = limits(frequencies[picked] / middle, bandwidth)
    low, high = np.min(attenuation - least), np.min(most - attenuation)
    assert low >= 0 and high >= 0, '%s at %d Hz: %.3f dB too little, %.3f dB too much attenuation at %.1f and %.1f Hz' % (
        name, rate, -low, -high, frequencies[picked][np.argmin(attenuation - least)], frequencies[picked][np.argmin(most - attenuation)])


def check_bands(words, bandwidth, start):
    for word in words:
        middle = 1000 * G ** ((NOMINAL[word] - 30) / 3)
        width = middle * (G ** (0.5 / bandwidth) - G ** (-0.5 / bandwidth))
        for rate, h in impulse_responses(start + word, min(9 / width, 1.9) + 0.02).items():
            check(start + word, h[:, 0], rate, middle, bandwidth)


def test_octaves():
    assert {'octave-' + word for word in OCTAVES} < set(PRESETS) and len(OCTAVES) == 10
    check_bands(OCTAVES, 1, 'octave-')


def test_thirds():
    assert {'third-octave-' + word for word in NOMINAL} < set(PRESETS) and len(NOMINAL) == 31
    check_bands(NOMINAL, 3, 'third-octave-')


def test_banks_of_bands():
    """Every channel is the band that its own preset is, and what no band is on is silent."""
    for name, start, words, channels in (('octave-bank', 'octave-', OCTAVES, 12), ('third-octave-bank', 'third-octave-', NOMINAL, 32)):
        found = impulse_responses(name, 0.05, channels)
        for k, word in enumerate(words):
            for rate, h in impulse_responses(start + word, 0.05).items():
                assert np.abs(h[:, 0]).max() > 1e-6 and np.abs(found[rate][:, k] - h[:, 0]).max() < 1e-12, (name, word, rate)
        assert not any(h[:, len(words):].any() for h in found.values())


def test_the_limits_see_a_fault():
    """A band that is a little too wide, too narrow, or beside its place, and one of too low an order."""
    from scipy import signal
    x = np.zeros(1 << 16)
    x[0] = 1
    good = (707.9458, 1412.5375)
    for edges, order, ok in ((good, 4, True), ((600, 1600), 4, False), ((760, 1316), 4, False), ((1.08 * good[0], 1.08 * good[1]), 4, False), (good, 2, False)):
        h = signal.sosfilt(signal.butter(order, edges, 'bandpass', output='sos', fs=48000), x)
        try:
            check('one', h, 48000, 1000, 1)
            seen = False
        except AssertionError:
            seen = True
        assert seen != ok, (edges, order)


if __name__ == '__main__':
    main(globals())
