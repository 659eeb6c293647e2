# What the tests of real hosts share: a folder of bundles for a host to see, presets, and the plugin run in a process of our own.
# SPDX-License-Identifier: ISC
import glob
import os
import shutil
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'project'))
from harness import BUILD, MILLRACE, SOURCE, main, run, scratch, write  # noqa: E402,F401

sys.path.insert(0, os.path.join(SOURCE, 'ttl'))
import ports  # noqa: E402
import presets as factory  # noqa: E402,F401

RATE = 48000
BUNDLE = os.path.join(BUILD, 'lv2', 'millrace.lv2')
TOOLS = os.path.join(BUILD, 'tests', 'hosts')
URIS = ['urn:millrace:%s#%d' % (plugin.symbol, count) for plugin in ports.PLUGINS for count in ports.COUNTS]


def folder_of_bundles(bundle=BUNDLE):
    """A new folder for LV2_PATH that holds this bundle and LV2's own specifications, and none of the machine's other plugins: those take
    hosts seconds to read."""
    folder = scratch()
    os.symlink(bundle, os.path.join(folder, 'millrace.lv2'))
    for manifest in glob.glob('/usr/lib/lv2/*/manifest.ttl'):
        with open(manifest, encoding='utf-8') as text:
            if 'lv2:Specification' in text.read():
                place = os.path.dirname(manifest)
                os.symlink(place, os.path.join(folder, os.path.basename(place)))
    return folder


def recording_bundle():
    """The bundle with plugin_recorder.c in the place of its binary; the recorder's log, and what a host's environment needs for it."""
    folder = scratch()
    bundle, log = os.path.join(folder, 'millrace.lv2'), os.path.join(folder, 'log')
    shutil.copytree(BUNDLE, bundle)
    shutil.copy(os.path.join(TOOLS, 'recorder.so'), os.path.join(bundle, 'millrace.so'))
    return bundle, log, dict(MILLRACE_RECORDED=os.path.join(BUNDLE, 'millrace.so'), MILLRACE_RECORD=log)


def plugin_of(uri):
    symbol, count = uri.rsplit(':', 1)[1].split('#')
    return next(plugin for plugin in ports.PLUGINS if plugin.symbol == symbol), int(count)


def port_indices(uri):
    """Of each symbol."""
    return {port.symbol: index for index, port in enumerate(ports.ports(*plugin_of(uri)))}


def write_preset(folder, uri, label, values, state=''):
    """A bundle in a folder of bundles with one preset of a plugin: values by symbol, and Turtle of its state. Returns the preset's URI and
    the bundle."""
    bundle = os.path.join(folder, label + '.lv2')
    name = 'urn:millrace:test:' + label
    prefixes = ('@prefix lv2: <http://lv2plug.in/ns/lv2core#> .\n@prefix pset: <http://lv2plug.in/ns/ext/presets#> .\n'
                '@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix state: <http://lv2plug.in/ns/ext/state#> .\n\n')
    head = '%s<%s> a pset:Preset ;\n\tlv2:appliesTo <%s> ;\n\trdfs:label "%s" ' % (prefixes, name, uri, label)
    settings = ''.join(';\n\tlv2:port [ lv2:symbol "%s" ; pset:value %r ] ' % (symbol, float(value)) for symbol, value in values.items())
    write(os.path.join(bundle, 'manifest.ttl'), head + ';\n\trdfs:seeAlso <preset.ttl> .\n')
    write(os.path.join(bundle, 'preset.ttl'), head + settings + (';\n\tstate:state [ %s ] ' % state if state else '') + '.\n')
    return name, bundle


def read_floats(path, channels):
    return np.fromfile(path, '<f4').reshape(-1, channels)


def write_floats(path, x):
    np.ascontiguousarray(x, '<f4').tofile(path)
    return path


def run_plugin(uri, x, bundles, values=None, preset=None, blocks=None, apart=False, log=None):
    """The plugin's output in a process of our own. x: frames, channels. See tool_lv2run.c."""
    folder = scratch()
    source, sink = write_floats(os.path.join(folder, 'in'), x), os.path.join(folder, 'out')
    words = [os.path.join(TOOLS, 'tool_lv2run'), uri, source, sink]
    words += [word for symbol, value in (values or {}).items() for word in ('-s', '%s=%.9g' % (symbol, value))]
    words += (['-p', preset] if preset else []) + (['-b', blocks] if blocks else []) + (['-o'] if apart else []) + (['-l', log] if log else [])
    run(words, LV2_PATH=bundles)
    return read_floats(sink, x.shape[1])


def equal(got, expected, what):
    """Bit for bit."""
    assert got.shape == expected.shape, '%s: %s frames and channels, not %s' % (what, got.shape, expected.shape)
    got, expected = np.ascontiguousarray(got, '<f4'), np.ascontiguousarray(expected, '<f4')
    differs = got.view('<u4') != expected.view('<u4')
    if differs.any():
        frame, channel = np.argwhere(differs)[0]
        raise AssertionError('%s: %d of %d samples differ, by %g at most; the first is frame %d of channel %d: %r, not %r' % (
            what, differs.sum(), differs.size, np.abs(got.astype(float) - expected).max(), frame, channel + 1, got[frame, channel],
            expected[frame, channel]))


def noise(frames, channels, seed=1, peak=0.125):
    """Each channel's own; the first sample of all is sound."""
    x = np.random.default_rng(seed).uniform(-peak, peak, (frames, channels)).astype('<f4')
    assert np.all(x[0] != 0)
    return x


def tones(frames, channels):
    """A tone of its own frequency on each channel."""
    frequency = 100.0 * 1.05 ** np.arange(channels)
    return (0.1 * np.cos(2 * np.pi * np.outer(np.arange(frames), frequency) / RATE)).astype('<f4')


def stop(process, patience=10):
    """Ends a process of ours, at first kindly."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
