# jalv loads the factory presets: the Bank's in its console while sound runs, the EQ's in its window, since the console takes no port values while it runs.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp jalv jalv.gtk3 Xvfb stdbuf tests/hosts/tool_lv2run tests/hosts/tool_jackfeed
#
# With the argument 1 each preset is heard and looked at; else one of each group is, and the others are loaded.
import glob
import os
import re
import sys
import time

import numpy as np

from jack import Server
from lv2 import equal, factory, folder_of_bundles, main, noise, ports, run_plugin, stop

PERIOD = 512
FRAMES = 3000
ALL = sys.argv[1:] == ['1']
PRESETS = factory.read()


def some(presets):
    """All of them, or one of each group."""
    return presets if ALL else list({preset.group: preset for preset in presets}.values())


def values(text):
    return {symbol: float(value) for symbol, value in re.findall(r'^(?:> )*(\w+) = (\S+)$', text, re.M)}


def check_sound(server, preset, count, bundles):
    """To the bit what a fresh instance with the preset gives, as the filters have come to rest."""
    uri = 'urn:millrace:bank#%d' % count
    x = noise(FRAMES, count)
    expected = run_plugin(uri, x, bundles, preset=preset.uri)
    assert np.abs(expected - x).max() > 1e-5, preset.name
    heard, _ = server.feed(x, 4 * PERIOD, freewheel=True)
    places = [at for at in range(0, 2 * PERIOD + 1, PERIOD) if np.array_equal(heard[at:at + 1000], expected[:1000])]
    assert places, '%s: what is heard is not what the preset makes' % preset.name
    equal(heard[places[0]:places[0] + FRAMES], expected, preset.name)


def check_banks(count, presets):
    bundles = folder_of_bundles()
    with Server(PERIOD) as server:
        jalv = server.console('urn:millrace:bank#%d' % count, bundles, count)
        listed = dict(re.findall(r'^(?:> )*(\S+) \((.+)\)$', server.command(jalv, 'presets'), re.M))
        assert listed == {preset.uri: preset.title for preset in PRESETS if preset.values is None and count in preset.counts}, listed
        heard = some(presets) if ALL or count == 2 else presets[-1:]
        for preset in presets:
            server.command(jalv, 'preset ' + preset.uri)
            time.sleep(2 * PERIOD / 48000)
            said = values(server.command(jalv, 'monitors'))
            assert said['status'] == 0 and said['muted'] == 0, (preset.name, said)
            if preset in heard:
                time.sleep(0.1)  # the swap of banks
                check_sound(server, preset, count, bundles)
        assert jalv.poll() is None, server.said('jalv.log')
        if count > 8:  # JACK does not come to an end with a client of so many ports, whatever plugin it has
            jalv.kill()
            stop(server.processes[0], patience=1)
            for left in glob.glob('/dev/shm/jack_sem.*_%s_*' % server.name):
                os.remove(left)
        else:
            jalv.stdin.close()
            assert jalv.wait(30) == 0, server.said('jalv.log')


def test_the_console_takes_the_banks_presets():
    banks = [preset for preset in PRESETS if preset.values is None]
    loaded = set()
    for count in (2, 6, 32):
        fitting = [preset for preset in banks if count in preset.counts and preset not in loaded]
        check_banks(count, fitting)
        loaded.update(fitting)
    assert loaded == set(banks)


def start_screen(server):
    """An X display of the server's own."""
    screen = server.start(['sh', '-c', 'exec Xvfb -displayfd 1 -screen 0 1024x768x24 -nolisten tcp 2>/dev/null'], 'xvfb.log')
    server.wait('Xvfb', lambda: server.said('xvfb.log').endswith('\n'), screen, 'xvfb.log')
    return ':' + server.said('xvfb.log').strip()


def test_the_window_takes_the_eqs_presets():
    bundles = folder_of_bundles()
    with Server(PERIOD) as server:
        display = start_screen(server)
        chosen = some([preset for preset in PRESETS if preset.values])
        assert len(chosen) >= 4
        for preset in chosen:
            log = preset.name + '.log'
            jalv = server.start(['stdbuf', '-oL', 'jalv.gtk3', '-g', '-p', preset.uri, 'urn:millrace:eq#2'], log, LV2_PATH=bundles, DISPLAY=display)
            server.wait('jalv', lambda: 'mid_side = ' in server.said(log), jalv, log)
            said = values(server.said(log))
            wanted = {port.symbol: port.default for port in ports.ports(ports.EQ, 2) if port.kind == ports.CONTROL_IN}
            wanted.update(preset.values)
            del wanted['freewheel']  # jalv keeps that one to itself
            got = {symbol: said.get(symbol) for symbol in wanted}
            assert all(got[symbol] is not None and abs(got[symbol] - value) < 1e-3 for symbol, value in wanted.items()), (preset.name, got)
            stop(jalv)


main(globals())
