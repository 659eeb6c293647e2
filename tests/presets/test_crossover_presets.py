# The presets of crossovers: Linkwitz and Riley's own conditions, through the preset.
# SPDX-License-Identifier: ISC
# Needs: tests/presets/tool_lv2presets
import re

import numpy as np

from loaded import PRESETS, impulse_responses, main, response

NAMES = [name for name, preset in PRESETS.items() if preset.group == 'Crossovers' and 'way' in name]


def split_of(name):
    """Ways, frequencies and order, from the name alone."""
    ways, numbers, order = re.fullmatch(r'crossover-(\d)-way-([\d-]+)-lr(\d)-(?:mono|stereo)', name).groups()
    frequencies = [int(word) for word in numbers.split('-')]
    assert len(frequencies) == int(ways) - 1
    return int(ways), frequencies, int(order)


def decibels(h):
    return 20 * np.log10(np.abs(h) + 1e-300)


def check(name, ways, frequencies, order, rate, h):
    """h: a response a way. The sum is flat; at each split the ways beside it have 6.02 dB less, each (but for the hundredths that other splits
    take away); and a way falls by its order."""
    size = 1 << 18
    whole = np.fft.rfft(h.sum(axis=1), size)
    assert np.abs(decibels(whole)).max() < 1e-11, '%s at %d Hz: the sum is off by %g dB' % (name, rate, np.abs(decibels(whole)).max())
    for k, f in enumerate(frequencies):
        for way in (k, k + 1):
            part = decibels(response(h[:, way], [f], rate)[0])
            assert abs(part + 20 * np.log10(2)) < (1e-9 if ways == 2 else 0.02), '%s at %d Hz: %g dB at %d Hz' % (name, rate, part, f)
    low, first = h[:, 0], frequencies[0]
    fall = decibels(response(low, [8 * first], rate)) - decibels(response(low, [4 * first], rate))
    if 8 * first < rate / 50:
        assert abs(fall[0] + 20 * order * np.log10(2)) < 0.5, (name, rate, fall)
    for k in range(ways):  # in its own band a way is heard, and the others are not
        inside = [np.sqrt(a * b) for a, b in zip([frequencies[0] / 9] + frequencies, frequencies + [frequencies[-1] * 9])][k]
        levels = [decibels(response(h[:, way], [inside], rate))[0] for way in range(ways)]
        assert levels[k] > -1 and max(levels[:k] + levels[k + 1:]) < -19, (name, k, levels)


def test_every_crossover_adds_up():
    assert {split_of(name)[0] for name in NAMES} == {2, 3, 4}
    for name in NAMES:
        ways, frequencies, order = split_of(name)
        sides = 2 if name.endswith('stereo') else 1
        channels = next(count for count in PRESETS[name].counts)
        assert channels >= sides * ways
        for side in range(sides):
            for rate, h in impulse_responses(name, 60 / frequencies[0] / order ** 0.5 + 0.02, channels, side).items():
                mine = list(range(side, sides * ways, sides))
                check(name, ways, frequencies, order, rate, h[:, mine])
                assert not np.delete(h, mine, axis=1).any(), '%s: side %d is heard elsewhere' % (name, side)


def test_channel_counts_fit():
    for name in NAMES:
        outs = split_of(name)[0] * (2 if name.endswith('stereo') else 1)
        counts = PRESETS[name].counts
        assert min(counts) >= outs and 64 in counts, (name, counts)


def test_lfe():
    assert PRESETS['crossover-lfe-120'].counts == (6, 8, 10, 12)
    for into in (3, 0):
        for rate, h in impulse_responses('crossover-lfe-120', 0.3, 6, into).items():
            assert not np.delete(h, into, axis=1).any()
            if into == 0:
                assert h[0, 0] == 1 and not h[1:, 0].any()
                continue
            found = decibels(response(h[:, 3], [12, 120, 480], rate))
            assert abs(found[0]) < 0.01 and abs(found[1] + 6.0206) < 1e-3 and abs(found[2] + 48.2) < 0.5, found


if __name__ == '__main__':
    main(globals())
