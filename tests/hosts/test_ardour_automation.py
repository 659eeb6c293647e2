# Ardour: three bands automated; an export faster than real time gives, bit for bit, what the plugin gives live with the same values at the
# same frames.
# SPDX-License-Identifier: ISC
# Needs: ardour7-lua tests/hosts/tool_lv2run tests/hosts/recorder.so
#
# What Ardour did, block by block, is written down by a binary that stands before the plugins' own (plugin_recorder.c). The live run gets the
# same values at the same frames since activation, in blocks of other lengths, and is told that it is in real time.
import numpy as np

from ardour import Session, Track
from lv2 import equal, folder_of_bundles, main, noise, port_indices, recording_bundle, run_plugin

URI = 'urn:millrace:eq#8'
FRAMES = 48000
PORT = port_indices(URI)
VALUES = {'b1_on': 1, 'b1_freq': 300.0, 'b1_gain': 9.0, 'b1_q': 2.0, 'b2_on': 1, 'b2_type': 1, 'b2_freq': 200.0, 'b3_on': 0, 'b3_type': 6,
          'b3_freq': 2500.0, 'b3_q': 3.0, 'b4_on': 1, 'b4_type': 9, 'b4_freq': 40.0, 'b4_order': 4}
AUTOMATION = {
    'b1_freq': ('play', [(0, 300.0), (20000, 300.0), (40000, 3000.0)]),
    'b2_gain': ('touch', [(0, -6.0), (15000, 12.0), (30000, 0.0)]),
    'b3_on': ('play', [(0, 0.0), (10000, 1.0), (33000, 0.0)])}


class Recorded:
    """What a log holds from the activation before the first sound to the next one: each block's first frame, counted from that sound, its
    length and the values."""

    def __init__(self, path):
        with open(path) as log:
            lines = [line.split() for line in log]
        values, blocks, at, sound = {}, [], 0, None
        for words in lines:
            if words[0] == 'set':
                values[int(words[1])] = float.fromhex(words[2])
            elif words[0] == 'activate':
                if sound is not None:
                    break
                blocks, at = [], 0
            else:
                if sound is None and words[2] != '-1':
                    sound = at + int(words[2])
                blocks.append((at, int(words[1]), dict(values)))
                at += int(words[1])
        assert sound is not None, 'Ardour played no sound'
        self.blocks = [(start - sound, length, values) for start, length, values in blocks]


def live(path):
    """The log as of a host that never runs free; says whether this one did."""
    freewheel = 'set %d ' % PORT['freewheel']
    with open(path) as log:
        lines = log.readlines()
    kept = [line for line in lines if not line.startswith(freewheel)]
    copy = path + '.live'
    with open(copy, 'w') as out:
        out.writelines(['%s0x0p+0\n' % freewheel] + kept)
    return copy, any(line.startswith(freewheel + '0x1') for line in lines)


def check_kept(session, track):
    """States and points as they were set, after saving and loading."""
    for symbol, (state, points) in AUTOMATION.items():
        port = str(PORT[symbol])
        assert ['state', track.name, port, state] in session.facts, symbol
        kept = [(int(words[3]), float(words[4])) for words in session.facts if words[:3] == ['point', track.name, port]]
        assert len(kept) == len(points) and np.allclose(kept, points, rtol=1e-6), '%s: %s' % (symbol, kept)


def check_values(recorded):
    """The plugin saw the lists' values at blocks' begins: in a straight line between the points for decibels, in a straight line of the
    logarithm for frequencies, and a switch at its point or the next block: Ardour splits blocks at points, most of the time."""
    for symbol, (_, points) in AUTOMATION.items():
        when, value = np.array(points).T
        blocks = [(start, values[PORT[symbol]]) for start, _, values in recorded.blocks if 0 <= start < FRAMES]
        starts, seen = np.array(blocks).T
        if symbol == 'b3_on':
            changes = starts[1:][np.diff(seen) != 0]
            assert len(changes) == len(when[1:]) and np.all((changes >= when[1:]) & (changes < when[1:] + 1024)), 'it moved at %s' % changes
            continue
        is_log = symbol == 'b1_freq'  # between points Ardour rounds: to 0.1 %, to 0.01 dB
        expected = np.exp(np.interp(starts, when, np.log(value))) if is_log else np.interp(starts, when, value)
        assert np.allclose(seen, expected, rtol=2e-3 if is_log else 0, atol=0 if is_log else 0.01), '%s: %s, not %s' % (symbol, seen, expected)
        assert len(set(seen)) > 15, '%s took the values %s' % (symbol, seen)


def test_an_automated_export_is_what_a_live_run_gives():
    x = noise(FRAMES, 8, seed=3)
    bundle, log, recording = recording_bundle()
    bundles = folder_of_bundles(bundle)
    track = Track('multi', URI, x, values={PORT[symbol]: float(value) for symbol, value in VALUES.items()},
                  automation=[(PORT[symbol], state, points) for symbol, (state, points) in AUTOMATION.items()])
    session = Session(bundles, [track], FRAMES, **recording)
    heard = session.play()
    check_kept(session, track)
    check_values(Recorded(log))
    played, was_free = live(log)
    assert was_free, 'the export did not set freewheel'
    plain = folder_of_bundles()
    for blocks in ('1024', '61,7,512,1'):
        equal(heard, run_plugin(URI, x, plain, log=played, blocks=blocks), 'the export, against a run in blocks of ' + blocks)
    still = run_plugin(URI, x, plain, VALUES)
    assert np.abs(heard - still)[15000:].max() > 0.01, 'nothing moved'


main(globals())
