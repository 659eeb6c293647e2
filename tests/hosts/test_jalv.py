# jalv in a JACK server: eight channels in real time and in freewheel give, bit for bit, what the plugin gives in a process of our own.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp jalv tests/hosts/tool_lv2run tests/hosts/tool_jackfeed
import numpy as np

from jack import Server
from lv2 import equal, folder_of_bundles, main, noise, run_plugin

URI = 'urn:millrace:eq#8'
FRAMES = 48000
PERIOD = 2048  # the machine may be busy: shorter ones would miss a cycle now and then
VALUES = {'gain': -3, 'b1_on': 1, 'b1_type': 9, 'b1_freq': 60, 'b1_order': 4, 'b5_on': 1, 'b5_gain': 8, 'b5_q': 2, 'b5_freq': 900, 'b6_on': 1,
          'b6_type': 2, 'b6_freq': 5000, 'b6_gain': -6, 'b6_set': 1}


def lag_of(heard, expected):
    """At which frame the expected sound begins, found on the first channel by its first thousand frames."""
    start = np.ascontiguousarray(expected[:1000, 0])
    places = [at for at in np.flatnonzero(heard[:, 0] == start[0]) if np.array_equal(heard[at:at + 1000, 0], start)]
    assert places, 'the expected sound is nowhere in what was captured'
    return places[0]


def check(server, x, expected, freewheel):
    heard, xruns = server.feed(x, 4 * PERIOD, freewheel)
    assert freewheel or not xruns, '%d xruns' % xruns
    lag = lag_of(heard, expected)
    assert lag % PERIOD == 0 and lag <= 2 * PERIOD, 'a lag of %d frames' % lag
    equal(heard[lag:lag + FRAMES], expected, 'freewheel' if freewheel else 'real time')
    assert not heard[:lag].any(), 'sound before it was sent'


def test_real_time_and_freewheel_give_the_same():
    x = noise(FRAMES, 8, seed=8)
    bundles = folder_of_bundles()
    expected = run_plugin(URI, x, bundles, VALUES)
    assert np.abs(expected - x).max() > 0.01, 'the settings are not heard'
    with Server(PERIOD) as server:
        server.jalv(URI, bundles, VALUES, 8)
        check(server, x, expected, freewheel=False)
    with Server(PERIOD) as server:  # the filters at rest again
        server.jalv(URI, bundles, VALUES, 8)
        check(server, x, expected, freewheel=True)


main(globals())
