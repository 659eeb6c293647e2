# LV2's own tools: every plugin runs in lv2bench and lv2file, lv2info knows it, and the Turtle is valid.
# SPDX-License-Identifier: ISC
# Needs: lv2bench lv2file lv2info lv2_validate sord_validate sordi tests/hosts/tool_lv2run tests/hosts/clean_stack.so
import concurrent.futures
import glob
import os
import re

import numpy as np

from lv2 import BUNDLE, RATE, TOOLS, URIS, equal, factory, folder_of_bundles, main, noise, plugin_of, ports, run, run_plugin, scratch, write_floats

bundles = None


def shown(*command, ok=True):
    return run(command, ok=ok, LV2_PATH=bundles).stdout


def test_lv2bench_runs_every_plugin():
    lines = shown('lv2bench', '-n', '4096', '-b', '512').splitlines()
    times = dict(reversed(line.split()) for line in lines)
    assert sorted(times) == sorted(URIS) and all(float(time) > 0 for time in times.values()), lines


def run_lv2file(uri):
    """A band that is heard, against a run of our own: lv2file processes blocks of the length given, out of place."""
    plugin, count = plugin_of(uri)
    folder = scratch()
    x = noise(3000, count, seed=count)
    source, sink = write_floats(os.path.join(folder, 'in.raw'), x), os.path.join(folder, 'out.raw')
    values = {'b8_on': 1, 'b8_gain': 6} if plugin is ports.EQ else {'gain': -6}
    words = [word for symbol, value in values.items() for word in ('-p', '%s:%g' % (symbol, value))]
    said = run(['lv2file', '-i', source, '-r', str(RATE), '-n', str(count), '-o', sink, '-b', '256', *words,
                 *[word for k in range(count) for word in ('-c', '%d:in_%d' % (k + 1, k + 1))], uri], LV2_PATH=bundles,
               LD_PRELOAD=os.path.join(TOOLS, 'clean_stack.so')).stdout  # see there
    assert 'rror' not in said, said
    heard = np.fromfile(sink, '<f4')
    return x, values, heard, said


def test_lv2file_runs_every_plugin():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for uri, (x, values, heard, said) in zip(URIS, pool.map(run_lv2file, URIS)):
            expected = run_plugin(uri, x, bundles, values)
            assert np.abs(expected - x).max() > 0.01, uri
            equal(heard.reshape(-1, x.shape[1]), expected, uri)


def test_lv2info_knows_every_plugin():
    for uri in URIS:
        plugin, count = plugin_of(uri)
        text = shown('lv2info', uri)
        facts = dict(re.findall(r'^\t(\w[\w ]*): +(.+)$', text, re.M))
        assert facts['Name'] == '%s %d' % (plugin.name, count), facts
        assert facts['Author'] == 'The Millrace developers' and facts['Author Email'].startswith('mailto:'), facts
        assert facts['Class'] == ('Parametric EQ Plugin' if plugin is ports.EQ else 'Filter Plugin'), facts
        assert facts['Has latency'].startswith('yes, reported by port'), facts
        assert facts['Required Features'] == 'http://lv2plug.in/ns/ext/urid#map', facts
        expected = [port.symbol for port in ports.ports(plugin, count)]
        assert re.findall(r'^\t\tSymbol: +(\S+)$', text, re.M) == expected, uri
        assert [int(n) for n in re.findall(r'^\tPort (\d+):$', text, re.M)] == list(range(len(expected))), uri
        assert 'rror' not in re.sub(r'.*(on_error|On error|Errors?:).*', '', text), text


def turtle():
    """All of the bundle, the factory presets too."""
    found = sorted(glob.glob(os.path.join(BUNDLE, '*.ttl')))
    assert len(found) == 1 + len(URIS), found
    presets = [os.path.join(BUNDLE, factory.file_name(preset)) for preset in factory.read()]
    assert len(presets) > 100 and all(map(os.path.exists, presets)), presets
    return found + presets


def test_the_bundle_is_valid():
    """lv2_validate ends with 0 whatever it finds."""
    said = run(['lv2_validate'] + turtle()).stdout
    assert re.search(r'^Found 0 errors among \d+ files', said, re.M), said[-3000:]


def test_every_turtle_file_is_read():
    """Relative names are against the file's own URI."""
    for path in turtle():
        lines = run(['sordi', path, 'file://' + path]).stdout.splitlines()
        assert len(lines) > 15 and all(re.match(r'(<[^>]+>|_:\w+) <[^>]+> .+ \.$', line) for line in lines), path
        assert not any(re.search(r'<(?![a-z][a-z0-9+.-]*:)', line) for line in lines), path


def test_a_fault_would_be_seen():
    """In Turtle of a syntax that is none, and in a plugin without a name."""
    folder = scratch()
    with open(os.path.join(BUNDLE, 'eq-2.ttl'), encoding='utf-8') as text:
        good = text.read()
    for name, bad in (('cut.ttl', good[:len(good) // 2]), ('nameless.ttl', re.sub(r'doap:name "[^"]*"', 'doap:name 7', good))):
        assert bad != good
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as out:
            out.write(bad)
    run(['sordi', os.path.join(folder, 'cut.ttl'), 'file:///cut.ttl'], ok=False)
    said = run(['lv2_validate', os.path.join(folder, 'nameless.ttl')], ok=None).stdout
    assert not re.search(r'^Found 0 errors', said, re.M), said


if __name__ == '__main__':
    bundles = folder_of_bundles()
    main(globals())
