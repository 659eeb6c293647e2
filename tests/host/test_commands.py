# help, man, sos, info and bench.
# SPDX-License-Identifier: ISC
import json
import os
import re
import subprocess
import xml.etree.ElementTree

import numpy as np
from scipy import signal

from audio import MILLRACE, SOURCE, main, millrace, scratch

COMMANDS = ('render', 'sos', 'info', 'bench')
FS = 48000


def text(*words, **more):
    return millrace(*words, **more).out.decode()


def option_tables():
    """The options in the sources' tables, by command."""
    found = {}
    for name in COMMANDS:
        with open(os.path.join(SOURCE, 'host', name + '.c'), encoding='utf-8') as file:
            source = file.read()
        if 'MR_BANK_OPTION_TABLE' in source:
            with open(os.path.join(SOURCE, 'host', 'bank_command.h'), encoding='utf-8') as file:
                source += file.read()
        if 'MR_PRECISION_OPTION' in source:
            with open(os.path.join(SOURCE, 'host', 'command.h'), encoding='utf-8') as file:
                source += file.read()
        source = source.replace('\\\n', '')  # tables in macros
        found[name] = set(re.findall(r'\{\s*"([a-z-]+)",\s*\'(?:.|\\0)\',\s*POPT', source))
    return found


def test_help_and_man_page_have_every_option():
    page = text('man').replace('\\-', '-')
    tables = option_tables()
    assert sum(map(len, tables.values())) > 25 and 'channel-count' in tables['sos'] and 'tail' in tables['render']
    assert all('precision' in tables[name] for name in ('render', 'info', 'bench'))
    for command, names in tables.items():
        section = page[page.index('.SH MILLRACE ' + command):]
        section = section[:section.index('\n.SH ', 5)]
        shown = text(command, '--help')
        assert shown == text('help', command) == text(command, '-h')
        for name in names:
            assert re.search(r'--%s\b' % name, shown), (command, name)
            assert re.search(r'^\.B .*--%s\b' % name, section, re.M), (command, name)
        assert max(map(len, shown.split('\nExamples:')[0].splitlines())) <= 80


def test_help_says_the_exit_codes_and_commands():
    shown = text('help')
    assert shown == text('--help') == text('-h')
    for command in COMMANDS:
        assert re.search(r'^  %s ' % command, shown, re.M), command
    for code in ('0', '1', '2', '3', '4', '128 + N'):
        assert re.search(r'^  %s +\w' % re.escape(code), shown, re.M), code
        assert '.B ' + code + '\n' in text('man')
    assert 'Usage' in millrace(code=2).err
    millrace('help', 'wobble', code=2)
    assert re.match(r'millrace \d+\.\d+\.\d+\n$', text('--version'))


def test_output_that_cannot_be_written():
    with open('/dev/full', 'w') as full:
        for words in (['help'], ['man'], ['info'], ['sos', '-f', 'PK Fc 100 Gain 3 Q 1']):
            assert 'standard output' in millrace(*words, code=1, stdout=full).err, words


def test_sos_json_is_for_scipy():
    out = json.loads(text('sos', '-f', 'Preamp: -6 dB', '-f', 'Channel: 2', '-f', 'Elliptic BP Order 8 Fc 300 Hz 3400 Hz Ripple 0.1 dB Stop 60 dB', '-f',
                          'Polarity: inverted', '-n', '2', '--format', 'json'))
    assert out['fs'] == FS and len(out['channels']) == 2
    one, two = out['channels']
    assert one['sos'] == [] and abs(one['gain'] - 10 ** (-6 / 20)) < 1e-15
    sos = np.array(two['sos'])
    assert sos.shape == (8, 6) and (sos[:, 3] == 1).all() and two['gain'] < 0
    w, got = signal.sosfreqz(sos, 2048, fs=FS)
    _, want = signal.sosfreqz(signal.ellip(8, 0.1, 60, [300, 3400], 'bandpass', fs=FS, output='sos'), 2048, fs=FS)
    assert np.abs(got * two['gain'] + want * 10 ** (-6 / 20)).max() < 1e-9


def test_sos_text_and_csv_hold_the_same_numbers():
    words = ['sos', '-f', 'Butterworth HP Order 7 Fc 20 Hz', '-f', 'Preamp: -3 dB', '--rate', '96000', '-n', '3']
    channel = json.loads(text(*words, '--format', 'json'))['channels'][2]
    rows = np.array(channel['sos'])
    shown = text(*words)
    assert 'Channel 1-3: 4 sections, gain %.17g\n' % channel['gain'] in shown
    assert (np.array([[float(v) for v in line.split()] for line in shown.splitlines()[2:]]) == rows).all()
    folder = scratch()
    impulse = np.r_[1, np.zeros(9999)]
    want = signal.sosfilt(rows, impulse) * channel['gain']
    for form in ('csv', 'json'):
        with open(folder + '/table.' + form, 'w') as file:
            file.write(text(*words, '--format', form))
        again = json.loads(text('sos', '-b', folder + '/table.' + form, '--rate', '96000', '-n', '3', '--format', 'json'))['channels'][1]
        assert np.abs(signal.sosfilt(np.array(again['sos']), impulse) * again['gain'] - want).max() < 1e-11, form


def test_sos_and_info_refuse():
    millrace('sos', code=2)
    millrace('sos', '-f', 'Wobble', code=3)
    millrace('info', '-b', '/no/such/bank', code=3)
    for command in ('sos', 'info'):
        millrace(command, '--rate', '0', '-f', 'Preamp: 0 dB', code=2)
        millrace(command, '-n', '1025', '-f', 'Preamp: 0 dB', code=2)
        millrace(command, 'stray', code=2)
    millrace('sos', '--format', 'xml', '-f', 'Preamp: 0 dB', code=2)


def test_info():
    bare = json.loads(text('info', '--json'))
    assert 'reference' in bare['cpu_levels'] and 'bank' not in bare
    assert 'CPU levels: ' in text('info')
    bank = ['-f', 'Mode: Matched', '-f', 'PK Fc 1000 Gain 3 Q 1', '-f', 'Channel: 2', '-f', 'Elliptic LP Order 5 Fc 1000 Hz Ripple 0.1 dB Stop 60 dB', '-f',
            'Delay: 10 ms', '-n', '64']
    info = json.loads(text('info', *bank, '--json'))
    first, second = info['bank']['channels']
    assert (first['channels'], second['channels']) == ('1, 3-64', '2')
    assert (first['sections'], second['sections'], second['delay_frames']) == (1, 4, 480)
    assert not first['notes'] and second['notes'][0]['filter'] == 2 and 'matched' in second['notes'][0]['note']
    assert info['plan']['schedule']['sections'] == 4 and info['plan']['numeric']['segments'] == 1
    # ring time: where the rest of the sum of |h| is 1e-6 of the whole
    sos = np.array(json.loads(text('sos', *bank, '--format', 'json'))['channels'][0]['sos'])
    h = np.abs(signal.sosfilt(sos, np.r_[1, np.zeros(99999)]))
    rest = np.cumsum(h[::-1])[::-1] / h.sum()
    assert abs(first['ring_frames'] - np.argmax(rest < 1e-6)) <= 1
    shown = text('info', *bank)
    assert 'numeric plan: form delta DF2' in shown and 'filter 2 (elliptic): bilinear' in shown
    masked = json.loads(subprocess.check_output([MILLRACE, 'info', '--json', '-f', 'PK Fc 1000 Gain 3 Q 1'], env=dict(os.environ, MILLRACE_CPU='reference')))
    assert masked['plan']['schedule']['level'] == 'reference', masked
    for wrong, told in (('avx3', 'avx3'), ('reference,sse', 'sse'), ('neon' if os.uname().machine == 'x86_64' else 'avx2', 'this machine has')):
        refused = subprocess.run([MILLRACE, 'info'], env=dict(os.environ, MILLRACE_CPU=wrong), capture_output=True, text=True)
        assert refused.returncode == 2 and told in refused.stderr and len(refused.stderr.splitlines()) == 1, (wrong, refused)


def test_info_predicts_a_block():
    words = ('info', '-f', 'Butterworth LP Order 16 Fc 1000 Hz', '--json', '--channels', '1', '--block')
    few, many = (json.loads(text(*words, n))['plan'] for n in ('32', '3200'))
    assert few['prediction']['block'] == 32 and many['prediction']['predicted_us'] > 20 * few['prediction']['predicted_us'] > 0
    assert abs(many['prediction']['percent_of_its_period'] - 100 * many['prediction']['predicted_us'] / (1e6 * 3200 / 48000)) < 1e-9
    if few['schedule']['level'] in ('avx2', 'avx512'):
        assert few['schedule']['chains'] == 1 and many['prediction']['channels_side_by_side_only_us'] > many['prediction']['predicted_us']
    full = json.loads(text('info', '-f', 'PK Fc 1000 Gain 3 Q 1', '--json', '--channels', '8'))['plan']
    assert full['schedule']['chains'] == 0 and 'channels_side_by_side_only_us' not in full['prediction'], 'eight channels leave no choice'
    millrace('info', '--block', '0', code=2)
    millrace('info', '--block', '1,2', code=2)


def test_calibrate():
    folder = scratch()
    costs = folder + '/deep/down/costs.json'

    def run(*words, place=costs):
        return subprocess.run([MILLRACE, *words], env=dict(os.environ, MILLRACE_COSTS=place), capture_output=True, text=True)

    bank = ('info', '-f', 'PK Fc 1000 Gain 3 Q 1', '--json', '--channels', '8')  # a whole tile: its cells are what costs
    estimated = json.loads(run(*bank).stdout)['plan']['prediction']['predicted_us']
    said = run('bench', '--calibrate')
    assert said.returncode == 0 and costs in said.stdout, said
    with open(costs) as file:
        kept = json.load(file)
    assert kept['level'] == json.loads(run(*bank).stdout)['plan']['schedule']['level'] and kept['planar'] > 0
    kept.update({name: 0 for name, value in kept.items() if isinstance(value, float)})
    for factor in (1, 1000):  # what is kept is what counts
        kept['cell'] = 1e6 * factor
        with open(costs, 'w') as file:
            json.dump(kept, file)
        assert abs(json.loads(run(*bank).stdout)['plan']['prediction']['predicted_us'] / (1e3 * factor) - 1) < 0.01
    kept['level'] = 'another'
    with open(costs, 'w') as file:
        json.dump(kept, file)
    assert json.loads(run(*bank).stdout)['plan']['prediction']['predicted_us'] == estimated
    kept['level'], kept['cell'] = json.loads(run(*bank).stdout)['plan']['schedule']['level'], -1
    with open(costs, 'w') as file:
        json.dump(kept, file)
    assert costs in run(*bank).stderr, 'nothing costs less than nothing'
    with open(costs, 'w') as file:
        file.write('{"level": 3}')
    broken = run(*bank)
    assert broken.returncode == 0 and json.loads(broken.stdout)['plan']['prediction']['predicted_us'] == estimated
    assert costs in broken.stderr and len(broken.stderr.splitlines()) == 1, broken.stderr
    assert run('bench', '--calibrate', place='/proc/no/costs.json').returncode == 1


def test_bench_compares_what_was_planned():
    records = json.loads(text('bench', '--plan', '--quick', '--json'))['records']
    assert records and all(r['side_by_side_ns'] > 0 and r['chains_ns'] > 0 and r['over_the_best'] >= 1 for r in records)
    assert {r['chains'] for r in records} == {False, True}


def test_bench_of_the_renderer():
    words = ['bench', '--quick', '--renderer', '--channels', '1,2,3', '--orders', '16', '--precision', 'both', '--json']
    records = json.loads(text(*words))['records']
    assert len(records) == 6 and all(r['kind'] == 'rendered cascade' and r['layout'] == 'interleaved' and 0 < r['ns_per_sample_and_channel'] < 1e4 for r in records)
    families = {(r['channels'], 'float32 arith' in r['precision']): r['family'] for r in records}
    blocks = {key for key, family in families.items() if family == 'multi-block, PH in states'}
    assert blocks == {(1, False), (2, False), (1, True), (2, True), (3, True)} and families[3, False] == 'channels in lanes'


def test_bench():
    words = ['bench', '--quick', '--channels', '2,16', '--orders', '16', '--blocks', '64', '--streams', 'both']
    out = json.loads(text(*words, '--json'))
    cascades = [r for r in out['records'] if r['kind'] == 'cascade']
    assert len(cascades) == 8 and {(r['channels'], r['layout']) for r in cascades} == {(c, l) for c in (2, 16) for l in ('planar', 'interleaved')}
    for r in cascades:
        assert (r['order'], r['block']) == (16, 64) and r['kernel'] and r['precision'].startswith('float64 arithmetic, float')
        assert 0 < r['ns_per_sample_and_channel'] < 1e4
        assert 0.3 < r['ratio_to_reference'] * r['ns_per_sample_and_channel'] / r['reference_ns_per_sample_and_channel'] < 3
    kinds = [r['kind'] for r in out['records'] if r['kind'] != 'cascade']
    assert set(kinds) == {'eq at rest', 'eq moving'} and len(kinds) == 12
    assert 'ns/sample' in text('bench', '--quick', '--channels', '8', '--orders', '2', '--blocks', '64', '--layout', 'planar')
    millrace('bench', '--orders', '129', code=2)
    millrace('bench', '--layout', 'diagonal', code=2)


def test_bench_of_threads():
    words = ['bench', '--quick', '-j', '1,2', '--channels', '1,16', '--orders', '16', '--json']
    both = json.loads(text(*words))['records']
    records = [r for r in both if r['kind'] == 'threads']
    assert [r['channels'] for r in records] == [1, 16] * 2
    for model in (r for r in both if r['kind'] == 'model'):
        gains = [(g['cores'], g['times_one_thread']) for g in model['gains']]
        assert [cores for cores, _ in gains] == [2, 4, 6, 8, 16] and all(0 < gain <= cores for cores, gain in gains), gains
    for r in records:
        assert 0 < r['ns_per_sample_and_channel'] <= r['p99_ns_per_sample_and_channel'] <= r['worst_ns_per_sample_and_channel']
        assert 0 < r['times_one_thread_10th'] <= r['times_one_thread'] <= r['times_one_thread_90th']
        assert (r['node_ns'] > 0) == (r['percent_of_time_in_nodes'] > 0) == (r['threads'] > 1)
    if records[2]['threads'] > 1:
        forced = [r for r in json.loads(text(*words, '--stages', '3', '--grains', '4096,8192', '--blocks', '100000'))['records'] if r['kind'] == 'threads']
        assert [r['grain'] for r in forced if r['threads'] == 2] == [4096, 8192] * 2 and all(r['block'] >= 100000 for r in forced)
        assert [r['stages'] for r in forced if r['threads'] == 2] == [3] * 4
    assert 'times one thread' in text('bench', '--quick', '-j', '2', '--channels', '1', '--orders', '2')
    for wrong in (['-j', '0'], ['-j', '257'], ['-j', '2', '--stages', '65'], ['-j', '2', '--grains', '0']):
        millrace(*['bench', '--quick'] + wrong, code=2)


def test_bench_of_a_callback():
    words = ['bench', '--quick', '--callback', '--channels', '2,64', '--orders', '16', '--blocks', '32']
    records = json.loads(text(*words, '--json'))['records']
    assert [(r['kind'], r['channels']) for r in records] == [('callback', 2)] * 8 + [('callback', 64)] * 8
    for r in records:
        assert 0 < r['median_us'] <= r['p99_us'] <= r['worst_us'] and 0 < r['one_median_us'] <= r['one_p99_us'] <= r['one_worst_us']
        assert r['times_one_thread'] > 0 and 0 <= r['blocks_shared'] <= 1 and r['stalls'] >= 0
    assert {(r['workers'], r['clock'], r['processors']) for r in records} == {
        (w, c, p) for w in ('asleep', 'awake') for c in ('back to back', 'by the clock') for p in ('idle', 'loaded')}
    assert 'times one thread' in text(*words)


def test_bench_draws_what_threads_did():
    words = [MILLRACE, 'bench', '--quick', '-j', '2', '--channels', '1', '--orders', '16', '--blocks', '400000', '--trace']
    folder = scratch()
    drawn = subprocess.run(words + [folder + '/t.svg'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if drawn.returncode:  # a build without cairo or threads says so
        assert 'cairo was missing' in drawn.stderr or 'one thread' in drawn.stderr, drawn.stderr
        return
    picture = xml.etree.ElementTree.parse(folder + '/t.svg').getroot()
    assert picture.tag.endswith('svg') and len(list(picture.iter())) > 20
    lost = subprocess.run(words + [folder + '/none/t.svg'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert lost.returncode == 1 and '/none/t.svg' in lost.stderr, lost.stderr


def test_bench_of_both_precisions():
    words = ['bench', '--quick', '--channels', '16', '--blocks', '64', '--layout', 'interleaved', '--precision']
    out = json.loads(text(*words, 'both', '--orders', '2', '--json'))
    first, second = [r for r in out['records'] if r['kind'] == 'cascade']
    assert [r['precision'] for r in (first, second)] == ['float64 arithmetic, float32 streams', 'float32 arithmetic, float32 streams']
    assert 'fast_rule' not in first and second['fast_rule']['holds'] and 0 < second['fast_rule']['error'] < 1e-4
    assert second['ratio_to_reference'] > 0 and second['kernel'] == first['kernel']
    alone = json.loads(text(*words, 'fast', '--orders', '2', '--json'))
    assert [r['kind'] for r in alone['records']] == ['cascade'], 'what moves has float64 alone'
    assert 'exclude' in millrace(*words, 'fast', '--eq-only', code=2).err
    for wrong in (['single'], []):
        assert 'precision' in millrace(*words, *wrong, code=2).err


def test_info_says_what_float32_would_do():
    bank = ['-f', 'PK Fc 1000 Gain 3 Q 1', '-f', 'Channel: 3', '-f', 'HP Fc 100 Q 0.7', '-f', 'LP Fc 23000 Q 40', '-n', '3']
    double, fast = (json.loads(text('info', *bank, '--json', '--precision', word)) for word in ('double', 'fast'))
    assert double['plan']['numeric']['arithmetic'].startswith('float64') and fast['plan']['numeric']['arithmetic'].startswith('float32')
    assert double == json.loads(text('info', *bank, '--json')) and double['fast_rule'] == fast['fast_rule']
    rule = fast['fast_rule']
    assert (rule['holds'], rule['channel'], rule['section']) == (False, 3, 3) and 1e-4 < rule['error'] < 1e-2
    shown = text('info', *bank, '--precision', 'fast')
    assert 'arithmetic float32' in shown and re.search(r'does not hold, errors .* channel 3, section 3', shown)
    good = json.loads(text('info', '-f', 'PK Fc 1000 Gain 3 Q 1', '-n', '2', '--json'))['fast_rule']
    assert good['holds'] and (good['channel'], good['section']) == (1, 1)
    assert json.loads(text('info', '-f', 'Preamp: -3 dB', '--json'))['fast_rule'] == {'holds': True, 'error': 0}
    assert '--precision wide: double or fast' in millrace('info', *bank, '--precision', 'wide', code=2).err


if __name__ == '__main__':
    main(globals())
