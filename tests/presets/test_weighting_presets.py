# The presets of weightings and of playback curves, against the tables and limits of their standards.
# SPDX-License-Identifier: ISC
# Needs: tests/presets/tool_lv2presets
import numpy as np
from scipy import signal

from loaded import RATES, impulse_responses, levels, main, within

INF = np.inf
# Thirds of an octave from 10 Hz to 20 kHz, at their exact frequencies. A and C with the acceptance limits of class 1: IEC 61672-1:2013, table 3. B, with
# the tolerances of type 1: IEC 60651:1979, tables IV and V.
THIRDS = 10 ** (np.arange(10, 44) / 10)
A = [-70.4, -63.4, -56.7, -50.5, -44.7, -39.4, -34.6, -30.2, -26.2, -22.5, -19.1, -16.1, -13.4, -10.9, -8.6, -6.6, -4.8, -3.2, -1.9, -0.8, 0.0, 0.6, 1.0,
     1.2, 1.3, 1.2, 1.0, 0.5, -0.1, -1.1, -2.5, -4.3, -6.6, -9.3]
B = [-38.2, -33.2, -28.5, -24.2, -20.4, -17.1, -14.2, -11.6, -9.3, -7.4, -5.6, -4.2, -3.0, -2.0, -1.3, -0.8, -0.5, -0.3, -0.1, 0.0, 0.0, 0.0, 0.0, -0.1,
     -0.2, -0.4, -0.7, -1.2, -1.9, -2.9, -4.3, -6.1, -8.4, -11.1]
C = [-14.3, -11.2, -8.5, -6.2, -4.4, -3.0, -2.0, -1.3, -0.8, -0.5, -0.3, -0.2, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1, -0.2, -0.3, -0.5,
     -0.8, -1.3, -2.0, -3.0, -4.4, -6.2, -8.5, -11.2]
CLASS_1 = ([-INF, -INF, -4.0, -2.0, -1.5, -1.5] + [-1.0] * 14 + [-0.7] + [-1.0] * 6 + [-1.5, -2.0, -2.5, -3.0, -5.0, -16.0, -INF],
           [3.0, 2.5, 2.0, 2.0, 2.0, 1.5] + [1.0] * 14 + [0.7] + [1.0] * 6 + [1.5, 1.5, 1.5, 2.0, 2.0, 2.5, 3.0])
TYPE_1 = ([-INF] * 3 + [-3.0, -2.0] + [-1.5] * 5 + [-1.0] * 17 + [-1.5, -2.0, -3.0, -4.0, -6.0, -INF, -INF],
          [3.0] * 4 + [2.0] + [1.5] * 5 + [1.0] * 17 + [1.5, 1.5, 1.5, 2.0, 3.0, 3.0, 3.0])
# ITU-R BS.468-4, table 1: Hz, dB, tolerance. At 6.3 kHz it is 0: levels are taken relative to that one.
TABLE_468 = [(31.5, -29.9, 2.0), (63, -23.9, 1.4), (100, -19.8, 1.0), (200, -13.8, 0.85), (400, -7.8, 0.7), (800, -1.9, 0.55), (1000, 0.0, 0.5),
             (2000, 5.6, 0.5), (3150, 9.0, 0.5), (4000, 10.5, 0.5), (5000, 11.7, 0.5), (6300, 12.2, 0.0), (7100, 12.0, 0.2), (8000, 11.4, 0.4),
             (9000, 10.1, 0.6), (10000, 8.1, 0.8), (12500, 0.0, 1.2), (14000, -5.3, 1.4), (16000, -11.7, 1.6), (20000, -22.2, 2.0)]
# IEC 60098: playback, Hz and dB.
RIAA = [(20, 19.3), (30, 18.6), (40, 17.8), (50, 16.9), (60, 16.1), (80, 14.5), (100, 13.1), (200, 8.2), (300, 5.5), (400, 3.8), (500, 2.6), (800, 0.8),
        (1000, 0.0), (2000, -2.6), (3000, -4.7), (4000, -6.6), (5000, -8.2), (6000, -9.6), (8000, -11.9), (10000, -13.7), (12000, -15.3), (14000, -16.6),
        (15000, -17.2), (16000, -17.7), (18000, -18.7), (20000, -19.6)]


def constants(frequencies, zeros=(), poles=(), origin=0):
    """Level of a curve by its time constants in microseconds."""
    s = 2j * np.pi * np.asarray(frequencies, float)
    h = s ** origin
    for t in zeros:
        h = h * (1 + 1e-6 * t * s)
    for t in poles:
        h = h / (1 + 1e-6 * t * s)
    return 20 * np.log10(np.abs(h))


def test_a_b_and_c():
    for name, table, (least, most) in (('weighting-a', A, CLASS_1), ('weighting-b', B, TYPE_1), ('weighting-c', C, CLASS_1)):
        table = np.array(table)
        assert len(table) == len(least) == len(most) == len(THIRDS)
        for rate, h in impulse_responses(name, 0.5).items():
            found = levels(h[:, 0], THIRDS, rate)
            within(name, rate, THIRDS, found, table + least, table + most)
            within(name, rate, THIRDS[:32], found[:32], table[:32] - 0.1, table[:32] + 0.1)  # the limits are those of a whole instrument: a filter has no use for them


def test_468():
    frequencies, table, tolerance = np.array(TABLE_468).T
    for rate, h in impulse_responses('weighting-468', 0.2).items():
        found = levels(h[:, 0], frequencies, rate)
        shift = found[table == 12.2] - 12.2
        assert abs(shift) < 0.1, shift  # 0.05 is the printed value's
        within('weighting-468', rate, frequencies, found - shift, table - tolerance - 1e-9, table + tolerance + 1e-9)
        within('weighting-468', rate, frequencies[:-1], found[:-1], table[:-1] - 0.15, table[:-1] + 0.15)  # 0.05 is the printed values'
        if rate > 63000:
            within('weighting-468', rate, [31500], levels(h[:, 0], [31500], rate), -INF, -42.7 + 2.8)


def test_k():
    """BS.1770-4, tables 1 and 2: the coefficients at 48 kHz, and the same response at every other rate."""
    shelf = [1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585]
    highpass = [1, -2, 1], [1, -1.99004745483398, 0.99007225036621]
    found = impulse_responses('weighting-k', 0.4)
    x = np.zeros(19200)
    x[0] = 1
    wanted = signal.lfilter(*highpass, signal.lfilter(*shelf, x))
    assert np.abs(found[48000][:, 0] - wanted).max() < 1e-11
    frequencies = np.geomspace(10, 16000, 200)
    table = sum(20 * np.log10(np.abs(signal.freqz(b, a, frequencies, fs=48000)[1])) for b, a in (shelf, highpass))
    for rate in RATES:
        within('weighting-k', rate, frequencies, levels(found[rate][:, 0], frequencies, rate), table - 0.05, table + 0.05)


def test_riaa():
    frequencies, table = np.array(RIAA).T
    formula = constants(frequencies, [318], [3180, 75]) - constants([1000], [318], [3180, 75])
    assert np.abs(formula - table).max() < 0.0501, 'the table is the time constants\''
    for rate, h in impulse_responses('playback-riaa', 0.5).items():
        within('playback-riaa', rate, frequencies, levels(h[:, 0], frequencies, rate), formula - 0.05, formula + 0.05)
    table = constants(frequencies, [318], [7950, 3180, 75], 1) - constants([1000], [318], [7950, 3180, 75], 1)
    for rate, h in impulse_responses('playback-riaa-rumble', 0.5).items():
        within('playback-riaa-rumble', rate, frequencies, levels(h[:, 0], frequencies, rate), table - 0.05, table + 0.05)


def test_nab_and_de_emphasis():
    frequencies = np.geomspace(20, 20000, 100)
    nab = constants(frequencies, [50], [3180]) - constants([1000], [50], [3180])
    for name, wanted in (('playback-nab', nab), ('de-emphasis-50', constants(frequencies, [], [50])), ('de-emphasis-75', constants(frequencies, [], [75]))):
        for rate, h in impulse_responses(name, 0.5).items():
            within(name, rate, frequencies, levels(h[:, 0], frequencies, rate), wanted - 0.05, wanted + 0.05)


if __name__ == '__main__':
    main(globals())
