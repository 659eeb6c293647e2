# Every factory preset in the plugin itself, as a host loads it, and in `millrace render`: the same samples, and the ports that its bank file says.
# SPDX-License-Identifier: ISC
# Needs: tests/presets/tool_lv2presets
import json
import os
import re
import shutil

import numpy as np

from loaded import BUILD, BUNDLE, PRESETS, Wave, factory, main, path_of, render, scratch, write_wav
from audio import millrace, noise
from harness import read, run

TOOL = os.path.join(BUILD, 'tests', 'presets', 'tool_lv2presets')
table = factory.table
OUTPUTS = {'latency', 'status', 'peak_in', 'peak_out', 'clips', 'muted'}


def path_with(bundle=BUNDLE):
    folder = scratch()
    os.symlink(bundle, os.path.join(folder, 'millrace.lv2'))
    return folder


def play_all(uri, channels):
    """What the presets of a plugin make of noise: ports and samples by the preset's name."""
    folder = scratch()
    x = noise(600, channels, seed=channels).astype('<f4')
    x.tofile(folder + '/in')
    said = run([TOOL, 'play', uri, folder + '/in', folder], LV2_PATH=path_with()).stdout
    found = {}
    for number, part in enumerate(said.split('preset ')[1:]):
        lines = part.splitlines()
        assert not re.search(r'^lost', part, re.M), part
        ports = dict((symbol, float(value)) for symbol, value in (line.split() for line in lines[1:]))
        found[lines[0][len(factory.URI):]] = ports, np.fromfile('%s/%d' % (folder, number), '<f4').reshape(-1, channels)
    return x, found


def check_ports(preset, ports, count):
    wanted = {port.symbol: port.default for port in table.ports(preset.plugin, count) if port.kind == table.CONTROL_IN}
    assert wanted['enabled'] == 1 and wanted['freewheel'] == 0
    wanted.update(preset.values or {})
    got = {symbol: value for symbol, value in ports.items() if symbol not in OUTPUTS}
    assert set(got) == set(wanted), set(got) ^ set(wanted)
    for symbol, value in wanted.items():
        assert np.float32(got[symbol]) == np.float32(value), (preset.name, symbol, got[symbol], value)
    assert ports['status'] == 0 and not ports.get('muted'), (preset.name, ports['status'])


def rendered(name, x):
    folder = scratch()
    write_wav(folder + '/in.wav', x)
    render('--preset', name, '--realtime-kernels', folder + '/in.wav', '-o', folder + '/out.wav', env=dict(os.environ, LV2_PATH=path_with()))
    samples = Wave(folder + '/out.wav').samples
    shutil.rmtree(folder)
    return samples


def test_the_plugins_play_what_render_plays():
    """Each preset where its plugin has the fewest channels that it fits, but for one, and most of them again where it has the most."""
    compared = set()
    for symbol, counts in (('eq', (2, 1, 64)), ('bank', (2, 1, 4, 6, 8, 10, 32, 64))):
        for count in counts:
            x, found = play_all('urn:millrace:%s#%d' % (symbol, count), count)
            fitting = {name for name, preset in PRESETS.items() if preset.plugin.symbol == symbol and count in preset.counts}
            assert set(found) == fitting, (count, set(found) ^ fitting)
            for name, (ports, samples) in found.items():
                check_ports(PRESETS[name], ports, count)
                assert samples.shape == x.shape and not (samples == x).all(), name
                if name in compared:
                    continue
                compared.add(name)
                got = rendered(path_of(name), x)
                assert got.tobytes() == samples.tobytes(), (name, count, np.abs(got - samples).max())
    assert compared == set(PRESETS)


def test_names_and_titles_find_them():
    x = noise(200, 2).astype('<f4')
    one_of_each_group = {preset.group: preset for preset in PRESETS.values() if 2 in preset.counts}.values()
    assert len(one_of_each_group) == len({preset.group for preset in PRESETS.values()})
    for preset in one_of_each_group:
        name = preset.name
        wanted = rendered(path_of(name), x)
        assert not (wanted == x).all()
        for word in (name, name.upper(), preset.title, preset.uri):
            assert (rendered(word, x) == wanted).all(), word
    folder = path_with()
    write_wav(folder + '/in.wav', x)
    environment = dict(os.environ, LV2_PATH=folder)
    for option, word, said in (('--preset', 'weighting-q', 'no preset of that name'), ('--state', 'weighting-a', 'No such file'),
                               ('--preset', './weighting-a', 'No such file'), ('--preset', 'weighting-a.ttl', 'No such file')):
        assert said in render(option, word, folder + '/in.wav', '-o', folder + '/out.wav', code=3, env=environment).err, word
    copy = os.path.join(folder, 'mine.lv2')
    os.mkdir(copy)
    text = read(path_of('weighting-a')).replace('<%sweighting-a>' % factory.URI, '<urn:mine:a>')
    for name, content in (('a.ttl', text), ('manifest.ttl', re.sub(r'lv2:port \[.*\] \.', 'rdfs:seeAlso <a.ttl> .', text, flags=re.S))):
        with open(os.path.join(copy, name), 'w', encoding='utf-8') as out:
            out.write(content)
    said = render('--preset', 'Weighting A', folder + '/in.wav', '-o', folder + '/out.wav', code=3, env=environment).err
    assert '2 presets have that name' in said and 'urn:mine:a' in said and 'urn:millrace:preset#weighting-a' in said, said


def test_info_lists_them():
    environment = dict(os.environ, LV2_PATH=path_with())
    found = json.loads(millrace('info', '--presets', '--json', env=environment).out)['presets']
    assert [one['name'] for one in found] == [preset.name for preset in factory.read()]
    for one in found:
        preset = PRESETS[one['name']]
        assert one == {'name': preset.name, 'uri': preset.uri, 'title': preset.title, 'comment': preset.comment, 'group': preset.group,
                       'plugin': preset.plugin.symbol, 'channels': list(preset.counts)}, one
    text = millrace('info', '--presets', env=environment).out.decode()
    for preset in PRESETS.values():
        assert re.search(r'^  %s +%s \(%s ' % (re.escape(preset.name), re.escape(preset.title), 'EQ' if preset.values else 'Bank'), text, re.M), preset.name
        assert preset.comment in text and ('\n%s\n' % preset.group in text or text.startswith(preset.group + '\n'))
    nothing = millrace('info', '--presets', env=dict(os.environ, LV2_PATH=scratch()))
    assert nothing.out == b'' and 'LV2_PATH' in nothing.err


def test_one_resource_serves_all_channel_counts():
    manifest = read(BUNDLE, 'manifest.ttl')
    for preset in PRESETS.values():
        for text in (manifest, read(path_of(preset.name))):
            block = re.search(r'^<%s>\n(?:\t.*\n)+' % re.escape(preset.uri), text, re.M).group()
            applies = re.findall(r'<urn:millrace:(\w+)#(\d+)>', re.search(r'lv2:appliesTo (.+) ;', block).group(1))
            assert applies == [(preset.plugin.symbol, str(count)) for count in preset.counts], preset.name
        assert 'enabled' not in block and 'freewheel' not in block and 'label' not in re.search(r'^<%s>\n(?:\t.*\n)+' % re.escape(preset.uri), manifest, re.M).group()
        assert all(part in block for part in ('rdfs:label "', 'rdfs:comment "', 'pset:bank <')), preset.name
    assert len(re.findall(r'a pset:Bank', manifest)) == len({preset.group for preset in PRESETS.values()})


def test_what_the_eq_can_hold_is_the_eqs():
    """And the rules by which a bank's text becomes port values."""
    values = factory.eq_values('# A\nMode: Matched\nPreamp: -2.5 dB\nFilter: ON PK Fc 100 Hz Gain 3 dB Q 2 # b\nFilter: ON LSC Fc 50 Hz Gain -1 dB Q 0.7\n'
                               'Filter: ON LinkwitzRiley LP Order 4 Fc 9000 Hz\n')
    assert {key: value for key, value in values.items() if value != {port.symbol: port.default for port in table.EQ.ports}[key]} == {
        'gain': -2.5, 'b1_on': 1, 'b1_freq': 100, 'b1_gain': 3, 'b1_q': 2, 'b2_on': 1, 'b2_type': 1, 'b2_freq': 50, 'b2_gain': -1, 'b2_q': 0.7, 'b3_on': 1,
        'b3_type': 10, 'b3_order': 4, 'b3_freq': 9000}
    assert factory.eq_values('Filter: ON NO Fc 50 Hz Q 30\n')['mode'] == 0
    for text in ('Filter: ON Weighting A\n', 'Filter: ON HP1 Fc 2 Hz\n', 'Filter: ON PK Fc 100 Hz Gain 3 dB Q 2\nMode: Matched\n', 'Preamp: 0 dB\n',
                 'Channel: 1\nFilter: ON NO Fc 50 Hz Q 30\n', 'Filter: ON NO Fc 50 Hz Q 30\n' * 17, 'Filter: ON NO Fc 4 Hz Q 30\n',
                 'Filter: ON Butterworth HP Order 24 Fc 50 Hz\n', 'Filter: ON PK Fc 100 Hz Gain 40 dB Q 2\n', 'Delay: 2 ms\n'):
        assert factory.eq_values(text) is None, text


if __name__ == '__main__':
    main(globals())
