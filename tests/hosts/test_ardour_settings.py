# Ardour: settings survive saving and loading by another process, and an export faster than real time is what the plugin gives in a process
# of our own and what `millrace render` gives, bit for bit.
# SPDX-License-Identifier: ISC
# Needs: ardour7-lua tests/hosts/tool_lv2run
import os
import shutil

import numpy as np

from ardour import Session, Track
from lv2 import (MILLRACE, RATE, equal, folder_of_bundles, main, noise, plugin_of, port_indices, ports, read_floats, run, run_plugin, scratch,
                 write, write_floats, write_preset)

FRAMES = 30000

# Bands of several types, on all channels and on sets of them; one that is off.
EQ = {
    'gain': -4.5, 'mode': 1,
    'b1_on': 1, 'b1_type': 9, 'b1_freq': 35.0, 'b1_order': 5,
    'b2_on': 1, 'b2_type': 0, 'b2_freq': 440.0, 'b2_gain': 7.25, 'b2_q': 3.5, 'b2_set': 1,
    'b3_on': 1, 'b3_type': 1, 'b3_freq': 180.0, 'b3_gain': -5.5, 'b3_q': 0.8, 'b3_set': 2,
    'b4_on': 0, 'b4_type': 6, 'b4_freq': 1000.0,
    'b5_on': 1, 'b5_type': 2, 'b5_freq': 6300.0, 'b5_gain': 4.0, 'b5_q': 0.6,
    'b6_on': 1, 'b6_type': 6, 'b6_freq': 3000.0, 'b6_q': 8.0, 'b6_set': 4,
    'b9_on': 1, 'b9_type': 10, 'b9_freq': 14000.0, 'b9_order': 4,
    'b16_on': 1, 'b16_type': 7, 'b16_freq': 700.0, 'b16_q': 1.5}
EQ_RBJ = dict(EQ, mode=0, gain=2.0, b2_type=5, b9_type=12, b9_order=3)
BANK = {'preamp': -6.0, 'gain': 3.5, 'mode': 0}
BANK_TEXT = '''Preamp: -3 dB
Channel: 1-8
Filter: ON PK Fc 250 Hz Gain -4.5 dB Q 2
Filter: ON HSC Fc 8000 Hz Gain 3 dB Q 0.7
Channel: 5 9-16
Filter: ON LPQ Fc 9000 Hz Q 0.9
Filter: ON PK Fc 1500 Hz Gain 5 dB Q 1.1
'''


def by_index(uri, values):
    indices = port_indices(uri)
    return {indices[symbol]: float(value) for symbol, value in values.items()}


def all_inputs(uri, values):
    """What each control input must hold: what was set, and initial values otherwise."""
    plugin, count = plugin_of(uri)
    return {index: np.float32(values.get(port.symbol, port.default)) for index, port in enumerate(ports.ports(plugin, count))
            if port.kind == ports.CONTROL_IN}


def check_read_back(session, track, values):
    got = session.values(track)
    for index, expected in all_inputs(track.uri, values).items():
        if index == port_indices(track.uri)['freewheel']:
            continue  # the host's own
        assert index in got and np.float32(got[index]) == expected, 'port %d: %s, not %r' % (index, got.get(index), expected)


def check_render(preset, bundles, x, expected, what):
    """The same preset by the command."""
    folder = scratch()
    source, sink = write_floats(os.path.join(folder, 'in.raw'), x), os.path.join(folder, 'out.raw')
    run([MILLRACE, 'render', '-q', '--realtime-kernels', '--preset', preset, '--tail', '0', '--raw', '%d:%d:float' % (RATE, x.shape[1]), source, '-o', sink],
        LV2_PATH=bundles)
    equal(expected, read_floats(sink, x.shape[1]), what + ', against millrace render')


def check_eq(count, values):
    uri = 'urn:millrace:eq#%d' % count
    bundles = folder_of_bundles()
    x = noise(FRAMES, count, seed=count)
    track = Track('multi', uri, x, values=by_index(uri, values))
    session = Session(bundles, [track], FRAMES)
    heard = session.play()
    check_read_back(session, track, values)
    expected = run_plugin(uri, x, bundles, values, blocks='64,1,1023,512,17')
    assert np.abs(expected - x).max() > 0.01, 'the settings are not heard'
    equal(heard, expected, uri)
    preset, _ = write_preset(bundles, uri, 'settings%d' % count, values)
    equal(run_plugin(uri, x, bundles, preset=preset, apart=True), expected, uri + ' by a preset')
    check_render(preset, bundles, x, heard, uri)


def test_eq_of_8_channels():
    check_eq(8, EQ)


def test_eq_of_64_channels():
    check_eq(64, EQ_RBJ)


def test_bank_of_16_channels():
    uri = 'urn:millrace:bank#16'
    bundles = folder_of_bundles()
    x = noise(FRAMES, 16, seed=16)
    preset, bundle = write_preset(bundles, uri, 'banked', BANK, '<urn:millrace:bank#file> <bank.txt>')
    write(os.path.join(bundle, 'bank.txt'), BANK_TEXT)
    expected = run_plugin(uri, x, bundles, preset=preset, blocks='1024,63,1')
    assert np.abs(expected - x * 10 ** (-5.5 / 20)).max(axis=0).min() > 0.01, 'the bank is not heard in all channels'
    track = Track('multi', uri, x, preset='banked')
    session = Session(bundles, [track], FRAMES)
    check = [preset, folder_of_bundles()]
    kept = shutil.copytree(bundle, os.path.join(check[1], 'banked.lv2'))
    shutil.rmtree(bundle)  # the session holds the bank itself
    heard = session.play()
    check_read_back(session, track, BANK)
    equal(heard, expected, uri)
    assert os.path.exists(os.path.join(kept, 'bank.txt'))
    check_render(*check, x, heard, uri)


main(globals())
