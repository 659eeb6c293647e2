# Presets and states: the plugin's samples to the bit, and right ones; what is missing, beyond a port or broken is told.
# SPDX-License-Identifier: ISC
import glob
import json
import os
import shutil
import subprocess
import tempfile

import numpy as np
from scipy import signal

from audio import BUILD, SOURCE, Wave, main, millrace, noise, render, scratch, write_wav
from harness import write

FS = 48000
TOOL = BUILD + '/tests/host/tool_lv2'
BUNDLE = BUILD + '/lv2/millrace.lv2/'
DATA = SOURCE + '/tests/data/presets'
if not os.path.exists(TOOL):
    print('left out: this build has no lilv\n1 passed, 0 failed')
    raise SystemExit(0)

PREFIXES = '''@prefix atom: <http://lv2plug.in/ns/ext/atom#> .
@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix pset: <http://lv2plug.in/ns/ext/presets#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix state: <http://lv2plug.in/ns/ext/state#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
'''


def tool(*words):
    done = subprocess.run([TOOL] + [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout.decode()


def by_hand(folder, plugin, ports, properties='', subject='<>', name='preset.ttl'):
    """A preset as a person would write it."""
    lines = ' , '.join('[ lv2:symbol "%s" ; pset:value %s ]' % (symbol, value) for symbol, value in ports.items())
    text = PREFIXES + '%s a pset:Preset ; lv2:appliesTo <urn:millrace:%s>' % (subject, plugin)
    text += (' ; lv2:port ' + lines if lines else '') + (' ; state:state [ %s ]' % properties if properties else '') + ' .\n'
    write(folder + '/' + name, text)
    return folder + '/' + name


def saved(plugin, words):
    """The path of a state that the plugin itself has saved."""
    path = scratch() + '/state.ttl'
    tool('save', BUNDLE, 'urn:millrace:' + plugin, path, 'A test', *words)
    return path


def samples(path, *words, x=None, encoding='float', rate=FS, ok=0):
    folder = scratch()
    write_wav(folder + '/in.wav', x, encoding, rate)
    done = render('--preset', path, *words, folder + '/in.wav', '-o', folder + '/out.wav', code=ok)
    return (Wave(folder + '/out.wav').samples if ok == 0 else None), done


def same_as_plugin(plugin, words, rate=FS, path=None):
    channels = int(plugin.split('#')[1])
    path = path or saved(plugin, words)
    x = noise(6000, channels, seed=channels).astype('<f4')
    folder = scratch()
    x.tofile(folder + '/in.raw')
    filtered = None
    for blocks in ('64', '1,0,200,63,8192,7'):
        tool('run', BUNDLE, 'urn:millrace:' + plugin, path, rate, blocks, folder + '/in.raw', folder + '/out.raw')
        want = np.fromfile(folder + '/out.raw', '<f4').reshape(-1, channels)
        assert want.shape == x.shape
        assert not (want == x).all(), 'the plugin filters nothing: this would prove nothing'
        for block in (64, 1000):
            got, _ = samples(path, '--realtime-kernels', '--block', block, x=x, rate=rate)
            assert got.tobytes() == want.tobytes(), (plugin, blocks, block, np.abs(got - want).max())
        filtered = want
    wide, _ = samples(path, '--realtime-kernels', x=x, encoding='double', rate=rate)
    assert wide.dtype == np.dtype('<f8') and wide.astype('<f4').tobytes() == filtered.tobytes(), 'float64 rounds to the same float32'
    fast, _ = samples(path, x=x, rate=rate)
    if plugin.startswith('eq'):
        assert fast.tobytes() == filtered.tobytes(), 'an EQ plays on the plugin\'s kernels always'
    else:
        assert np.abs(fast.astype(float) - filtered).max() < 1e-6


BANDS = ['b1_on=1', 'b1_type=1', 'b1_freq=150', 'b1_gain=5', 'b2_on=1', 'b2_type=9', 'b2_freq=40', 'b2_order=7', 'b2_set=1', 'b3_on=1', 'b3_freq=3000',
         'b3_gain=-7', 'b3_q=4', 'b3_set=2', 'b16_on=1', 'b16_type=10', 'b16_order=5', 'b16_freq=15000', 'gain=-3.3']


def test_an_eqs_samples_are_the_plugins():
    same_as_plugin('eq#1', BANDS)
    same_as_plugin('eq#2', BANDS + ['mid_side=1'])
    same_as_plugin('eq#2', BANDS + ['mode=0'], rate=96000)
    same_as_plugin('eq#8', BANDS + ['b4_on=1', 'b4_type=12', 'b4_set=4', 'urn:millrace:eq#set4>1 3-8', 'urn:millrace:eq#set2>2 5'])
    same_as_plugin('eq#64', BANDS + ['b5_on=1', 'b5_gain=9', 'b5_set=3'])


BANK = '''Preamp: -2 dB
Filter: ON PK Fc 9000 Hz Gain 5 dB Q 2
Channel: 2
Filter: ON Butterworth HP Order 4 Fc 80 Hz
Delay: 3 ms
'''


def bank_file(text=BANK, name='room.txt'):
    path = scratch() + '/' + name
    write(path, text)
    return path


def test_a_banks_samples_are_the_plugins():
    for mode in (0, 1, 2):
        same_as_plugin('bank#2', ['preamp=-3.3', 'gain=1.7', 'mode=%d' % mode, 'urn:millrace:bank#file>' + bank_file()])
    wide = BANK + 'Channel: 3 16\nFilter: ON Elliptic BP Order 4 Fc 300 Hz 3400 Hz Ripple 0.1 dB Stop 60 dB\n'
    same_as_plugin('bank#16', ['gain=-6', 'urn:millrace:bank#file>' + bank_file(wide)])
    table = 'b0,b1,b2,a0,a1,a2\n0.5,0.25,0,2,-1,0.5\n'
    same_as_plugin('bank#2', ['urn:millrace:bank#file>' + bank_file(table, 'table.csv')])
    for properties in ('<urn:millrace:bank#content> """%s"""' % BANK, '<urn:millrace:bank#file> <room.txt>', '<urn:millrace:bank#file> "room.txt"',
                       '<urn:millrace:bank#file> "room.txt"^^atom:Path'):
        folder = scratch()
        write(folder + '/room.txt', BANK)
        same_as_plugin('bank#2', [], path=by_hand(folder, 'bank#2', {'gain': '-3.1'}, properties))


def rbj_bell(fc, gain_db, q):
    """The bell of the Audio EQ Cookbook."""
    a, w = 10 ** (gain_db / 40), 2 * np.pi * fc / FS
    alpha = np.sin(w) / (2 * q)
    return [1 + alpha * a, -2 * np.cos(w), 1 - alpha * a], [1 + alpha / a, -2 * np.cos(w), 1 - alpha / a]


def test_an_eqs_samples_are_right_with_any_number_of_channels():
    bell = {'mode': '0', 'b1_on': '1.0', 'b1_freq': '1000.0', 'b1_gain': '6.0', 'b1_q': '2', 'b1_set': '1', 'gain': '-3.0'}
    b, a = rbj_bell(1000, 6, 2)
    cases = [(3, '', [0]), (5, '', [0]), (64, '', [0]), (6, '', [0, 1]), (9, '<urn:millrace:eq#set1> "2 5-7,9"', [1, 4, 5, 6, 8]),
             (2, '<urn:millrace:eq#set1> ""', [])]
    for channels, properties, which in cases:
        path = by_hand(scratch(), 'eq#8', bell, properties)
        x = noise(4000, channels)
        want = x.copy()
        want[:, which] = signal.lfilter(b, a, x[:, which], axis=0)
        got, _ = samples(path, x=x, encoding='double')
        assert np.abs(got - want * 10 ** (-3 / 20)).max() < 1e-12, channels
    path = by_hand(scratch(), 'eq#2', dict(bell, mid_side='1', b1_set='2', gain='0'))
    x = noise(4000, 2)
    side = signal.lfilter(b, a, (x[:, 0] - x[:, 1]) / 2)
    mid = (x[:, 0] + x[:, 1]) / 2
    got, _ = samples(path, x=x, encoding='double')
    assert np.abs(got - np.stack([mid + side, mid - side], 1)).max() < 1e-12


def test_more_channels_than_sets_hold_are_refused():
    path = by_hand(scratch(), 'eq#64', {'b1_on': '1', 'b1_gain': '3'})
    _, done = samples(path, x=noise(100, 65), ok=3)
    assert '64' in done.err and '65' in done.err
    bank = by_hand(scratch(), 'bank#2', {'gain': '-6.0'}, '<urn:millrace:bank#content> "Preamp: -14 dB"')
    got, _ = samples(bank, x=np.ones((100, 70)))
    assert np.abs(got - 0.1).max() < 1e-7, 'a Bank has no such bound'


def test_a_bank_plays_what_b_plays():
    text = 'Filter: ON PK Fc 9000 Hz Gain 5 dB Q 2\nFilter: ON LSC Fc 100 Hz Gain -2 dB Q 0.7\nCopy: 2=0.5*1+0.5*2\n'
    folder = scratch()
    write(folder + '/room.txt', text)
    x = noise(5000, 2)
    write_wav(folder + '/in.wav', x, 'double')
    for mode, line in ((0, ''), (1, 'Mode: RBJ\n'), (2, 'Mode: Matched\n')):
        write(folder + '/bank.txt', line + text)
        preset = by_hand(folder, 'bank#2', {'mode': mode, 'preamp': '-1.5', 'gain': '2.75'}, '<urn:millrace:bank#file> "room.txt"^^atom:Path')
        render('--preset', preset, folder + '/in.wav', '-o', folder + '/a.wav')
        render('-b', folder + '/bank.txt', folder + '/in.wav', '-o', folder + '/b.wav')
        want = Wave(folder + '/b.wav').samples * 10 ** (1.25 / 20)
        assert np.abs(Wave(folder + '/a.wav').samples - want).max() < 1e-12, mode


def test_the_content_counts_and_not_the_file():
    folder = scratch() + '/bank'
    shutil.copytree(DATA + '/bank.preset.lv2', folder)
    x = noise(3000, 2)
    want, _ = samples(DATA + '/bank.preset.lv2', x=x)
    write(folder + '/room.txt', 'Preamp: -40 dB\n')
    assert (samples(folder, x=x)[0] == want).all()
    os.remove(folder + '/room.txt')
    assert (samples(folder, x=x)[0] == want).all()
    assert np.abs(want).max() > 0.1


def test_disabled_passes_to_the_bit():
    x = (noise(3000, 3) * 2 ** 31).astype('i4')
    eq = by_hand(scratch(), 'eq#2', {'enabled': '0', 'gain': '12', 'b1_on': '1', 'b1_gain': '9'})
    bank = by_hand(scratch(), 'bank#2', {'enabled': '0', 'gain': '12'}, '<urn:millrace:bank#content> "Filter: ON PK Fc 100 Hz Gain 9 dB Q 1"')
    for path in (eq, bank):
        for words in ([], ['--realtime-kernels']):
            folder = scratch()
            write_wav(folder + '/in.wav', x, 's32')
            report = json.loads(render('--preset', path, *words, '--tail', 'auto', '--json', folder + '/in.wav', '-o', folder + '/out.wav').out)
            assert (Wave(folder + '/out.wav').samples == x).all()
            assert report['tail_frames'] == 0


def test_the_tail_rings_out():
    q = {'mode': '0', 'b1_on': '1', 'b1_freq': '100', 'b1_gain': '12', 'b1_q': '10', 'b1_set': '2'}
    folder = scratch()
    x = np.zeros((10, 2))
    x[0] = 1
    write_wav(folder + '/in.wav', x, 'double')
    report = json.loads(render('--preset', by_hand(folder, 'eq#2', q), '--tail', 'auto', '--json', folder + '/in.wav', '-o', folder + '/out.wav').out)
    impulse = np.zeros(400000)
    impulse[0] = 1
    h = np.abs(signal.lfilter(*rbj_bell(100, 12, 10), impulse))
    rest = np.cumsum(h[::-1])[::-1]
    ring = int(np.argmax(rest < 1e-6 * rest[0]))
    assert abs(report['tail_frames'] - ring) <= 2, (report['tail_frames'], ring)
    assert len(Wave(folder + '/out.wav').samples) == 10 + report['tail_frames']


def test_what_is_odd_is_told():
    x = noise(500, 2).astype('f4')

    def told(plugin, ports, properties, *words):
        got, done = samples(by_hand(scratch(), plugin, ports, properties), x=x)
        for word in words:
            assert word in done.err, (word, done.err)
        return got, done

    got, done = told('eq#2', {'gain': '99.0', 'wet': '1.0'}, '', 'gain cannot be 99', 'no port wet')
    assert np.abs(got - x * 10 ** 1.5).max() < 1e-5, 'clamped to 30 dB'
    got, done = told('eq#2', {'gain': '"loud"'}, '', 'gain is no number')
    assert (got == x).all()
    told('eq#2', {'gain': '0'}, '<urn:millrace:eq#set2> "1 and 2"', 'set2 is no list')
    told('eq#2', {'gain': '0'}, '<urn:millrace:version> "2"^^xsd:int', 'later version')
    told('eq#2', {'mode': '0', 'b1_on': '1', 'b1_freq': '39000'}, '', 'lies above')
    got, done = told('bank#2', {'gain': '-6.0'}, '', 'no bank')
    assert np.abs(got - x * 10 ** (-6 / 20)).max() < 1e-6
    got, done = told('eq#2', {'gain': '-20', 'latency': '0'}, '<urn:millrace:version> "1"^^xsd:int ; <urn:millrace:later> "new 1" ; <urn:x:y> 3 ; '
                     '<urn:millrace:eq#set9> "1"')
    assert done.err == '' and np.abs(got - x * 0.1).max() < 1e-7, done.err
    _, done = samples(by_hand(scratch(), 'eq#2', {'mid_side': '1'}), x=noise(100, 3))
    assert 'mid/side' in done.err


def test_presets_are_found_by_their_uri():
    path = scratch()
    bundle = path + '/mine.preset.lv2'
    by_hand(bundle, 'eq#2', {'gain': '-20'}, subject='<urn:test:quiet>', name='quiet.ttl')
    by_hand(bundle, 'eq#8', {'gain': '-40'}, subject='<urn:test:quieter>', name='quieter.ttl')
    write(bundle + '/reverb.ttl', PREFIXES + '<urn:test:hall> a pset:Preset ; lv2:appliesTo <urn:test:reverb> ; '
          'lv2:port [ lv2:symbol "gain" ; pset:value 1.0 ] .\n')
    write(bundle + '/manifest.ttl', PREFIXES + '<urn:test:quiet> a pset:Preset ; lv2:appliesTo <urn:millrace:eq#2> ; rdfs:seeAlso <quiet.ttl> .\n'
          '<urn:test:quieter> a pset:Preset ; lv2:appliesTo <urn:millrace:eq#8> ; rdfs:seeAlso <quieter.ttl> .\n'
          '<urn:test:hall> a pset:Preset ; lv2:appliesTo <urn:test:reverb> ; rdfs:seeAlso <reverb.ttl> .\n')
    os.symlink(BUNDLE, path + '/millrace.lv2')
    environment = dict(os.environ, LV2_PATH=path)
    x = np.ones((50, 2), 'f4')
    write_wav(path + '/in.wav', x)

    def play(option, name, code=0):
        return millrace('render', option, name, path + '/in.wav', '-o', path + '/out.wav', code=code, env=environment).err

    assert 'preset urn:test:quiet of urn:millrace:eq#2' in play('--preset', 'urn:test:quiet'), 'the summary names it'
    assert np.abs(Wave(path + '/out.wav').samples - 0.1).max() < 1e-7
    play('--preset', 'urn:test:quieter')
    assert np.abs(Wave(path + '/out.wav').samples - 0.01).max() < 1e-8
    assert 'is for urn:test:reverb' in play('--preset', 'urn:test:hall', 3)
    assert 'no such preset' in play('--preset', 'urn:test:nothing', 3)
    assert 'is a plugin' in play('--preset', 'urn:millrace:eq#2', 3)
    assert 'No such file' in play('--state', 'urn:test:quiet', 3), 'a state is a file'
    several = play('--preset', bundle, 3)
    assert 'holds 3 presets' in several and 'urn:test:quieter' in several
    play('--preset', 'file://' + bundle + '/quiet.ttl')
    assert np.abs(Wave(path + '/out.wav').samples - 0.1).max() < 1e-7
    two = DATA + '/bad/two-presets.ttl'
    play('--preset', 'file://' + two + '#a')
    assert np.abs(Wave(path + '/out.wav').samples - 10 ** (3 / 20)).max() < 1e-6
    assert 'no such preset' in play('--preset', 'file://' + two + '#c', 3)


BAD = {'bank-text.ttl': 'bank-text.ttl:1: is not valid Turtle', 'broken-bank.ttl': ':2: expected a frequency',
       'empty.ttl': 'holds no preset', 'folder-without-manifest': 'without manifest.ttl', 'json-bank.ttl': 'is JSON',
       'manifest-to-broken-file': 'state.ttl:10: is not valid Turtle', 'missing-bank-file.ttl': 'not-there.txt: No such file', 'refused-bank.ttl': 'was refused in the host',
       'bank-no-text.ttl': 'is no text', 'bank-no-path.ttl': 'is no path',
       'no-full-stop.ttl': ':10: is not valid Turtle', 'no-plugin.ttl': 'holds no preset', 'no-port-values.ttl': 'save a preset in the host',
       'no-prefix.ttl': 'no @prefix for nothere:port', 'other-plugin.ttl': 'is for http://example.org/reverb',
       'plugin-without-count.ttl': 'is for urn:millrace:eq,', 'two-presets.ttl': 'holds 2 presets'}


def test_defects_are_named():
    assert sorted(os.path.basename(path) for path in glob.glob(DATA + '/bad/*')) == sorted(BAD)
    folder = scratch()
    write_wav(folder + '/in.wav', noise(10, 2))
    for name, words in BAD.items():
        for option in ('--preset', '--state'):
            done = render(option, DATA + '/bad/' + name, folder + '/in.wav', '-o', folder + '/out.wav', code=3)
            assert words in done.err and name.split('.')[0] in done.err, done.err
            assert not os.path.exists(folder + '/out.wav')


def test_usage():
    folder = scratch()
    write_wav(folder + '/in.wav', noise(10, 2))
    preset = by_hand(folder, 'eq#2', {'gain': '0'})
    files = [folder + '/in.wav', '-o', folder + '/out.wav']
    assert 'exclude -b and -f' in render('--preset', preset, '-f', 'Preamp: 0 dB', *files, code=2).err
    assert 'exclude -b and -f' in render('-b', DATA + '/bank.state/room.txt', '--state', preset, *files, code=2).err
    assert 'precision fast' in render('--preset', preset, '--precision', 'fast', *files, code=2).err
    assert 'one preset' in render('--preset', preset, '--state', preset, *files, code=2).err
    assert 'is the preset' in render('--preset', preset, folder + '/in.wav', '-o', preset, code=2).err
    report = json.loads(render('--state', DATA + '/eq.preset.lv2', '--json', *files).out)
    assert report['preset'] == {'name': DATA + '/eq.preset.lv2', 'plugin': 'urn:millrace:eq#8', 'label': 'Stage'}, report


def test_a_locale_with_a_comma_changes_nothing():
    with tempfile.TemporaryDirectory() as locales:
        if not shutil.which('localedef'):
            print('left out: there is no localedef')
            return
        made = subprocess.run(['localedef', '-c', '-i', 'de_DE', '-f', 'UTF-8', locales + '/de_DE.UTF-8'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        if made.returncode > 1 or not os.path.isdir(locales + '/de_DE.UTF-8'):
            print('left out: no German locale can be made here')
            return
        environment = dict(os.environ, LOCPATH=locales, LC_ALL='de_DE.UTF-8', MILLRACE_TEST_LOCALE='de_DE.UTF-8')
        program = BUILD + '/tests/host/test_preset_lv2'
        if os.path.exists(program):  # another --filter may have left it out
            done = subprocess.run([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            assert done.returncode == 0 and b'[  SKIPPED ]' not in done.stdout, done.stdout.decode()
        folder = scratch()
        write_wav(folder + '/in.wav', noise(500, 8))
        render('--preset', DATA + '/eq.state', folder + '/in.wav', '-o', folder + '/a.wav')
        render('--preset', DATA + '/eq.state', folder + '/in.wav', '-o', folder + '/b.wav', env=environment)
        with open(folder + '/a.wav', 'rb') as a, open(folder + '/b.wav', 'rb') as b:
            assert a.read() == b.read()


if __name__ == '__main__':
    main(dict(globals()))
