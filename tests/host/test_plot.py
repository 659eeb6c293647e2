# millrace plot: its numbers are those of the engine's impulse response, its spectra Welch's, its files what their names say, its errors told.
# SPDX-License-Identifier: ISC
import csv
import json
import os
import re
import resource
import shlex
import struct
import subprocess

import numpy as np
from scipy import signal

from audio import BUILD, MILLRACE, SOURCE, Wave, main, noise, scratch, write_wav
from harness import read, write

BANK = '''Preamp: -2 dB
Filter: ON Butterworth HP Order 4 Fc 60 Hz
Filter: ON PK Fc 250 Hz Gain -12 dB Q 3
Filter: ON PK Fc 3000 Hz Gain 9 dB Q 8
Filter: ON HSC Fc 9000 Hz Gain 4 dB Q 0.7
Filter: ON Elliptic LP Order 6 Fc 15000 Hz Ripple 0.1 dB Stop 60 dB
'''
PICTURES = 'built without cairo' not in subprocess.run([MILLRACE, 'plot', '-f', 'Preamp: 0 dB', '-o', scratch() + '/a.png'], stderr=subprocess.PIPE,
                                                       universal_newlines=True).stderr
SPECTRA = 'built without kissfft' not in subprocess.run([MILLRACE, 'plot', '-f', 'Preamp: 0 dB', '/dev/null', '-o', scratch() + '/a.csv'],
                                                        stderr=subprocess.PIPE, universal_newlines=True).stderr


def plot(*words, code=0, folder=None, **more):
    done = subprocess.run([MILLRACE, 'plot'] + [str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, **more)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def table(*words, **more):
    """The CSV that plot writes: frequencies, and columns by name."""
    path = scratch() + '/numbers.csv'
    plot(*words, '-o', path, **more)
    with open(path, newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))
    numbers = np.array([[float(cell) if cell else np.nan for cell in row] for row in rows[1:]])
    assert (np.diff(numbers[:, 0]) > 0).all()
    return numbers[:, 0], dict(zip(rows[0][1:], numbers[:, 1:].T))


def impulse(words, rate, channels=1, length=1 << 17):
    """The engine's response to an impulse in each channel, from the file that render writes."""
    folder = scratch()
    x = np.zeros((length, channels))
    x[0] = 1
    write_wav(folder + '/in.wav', x, 'double', rate)
    subprocess.run([MILLRACE, 'render', '-q'] + words + [folder + '/in.wav', '-o', folder + '/out.wav'], check=True)
    return Wave(folder + '/out.wav').samples


def test_the_table_is_an_fft_of_the_engines_impulse_response():
    folder = scratch()
    write(folder + '/bank.txt', BANK)
    for rate in (44100, 48000, 192000):
        h = impulse(['-b', folder + '/bank.txt'], rate)[:, 0]
        spectrum = np.fft.rfft(h)
        f = np.fft.rfftfreq(len(h), 1 / rate)
        at, columns = table('-b', folder + '/bank.txt', '--rate', rate, '--phase', '--group-delay')
        known = at <= rate / 2
        assert np.isnan(columns['magnitude_db'][~known]).all() and not np.isnan(columns['magnitude_db'][known]).any()
        assert at[known][-1] == rate / 2 or rate == 192000
        seen = (f >= at[0]) & (f <= at[known][-1])
        db = 20 * np.log10(np.abs(spectrum[seen]))
        got = np.interp(np.log(f[seen]), np.log(at[known]), columns['magnitude_db'][known])
        loud = db > -110
        assert loud.sum() > 1000
        assert np.abs(got - db)[loud].max() < 0.05, (rate, np.abs(got - db)[loud].max())
        turn = np.interp(np.log(f[seen]), np.log(at[known]), np.unwrap(columns['phase_deg'][known] * np.pi / 180))
        off = np.angle(np.exp(1j * turn) / (spectrum[seen] / np.abs(spectrum[seen])))
        assert np.abs(off)[loud].max() < 0.05, np.abs(off)[loud].max()
        n = np.arange(len(h))
        delay = np.real(np.fft.rfft(n * h)[seen] / spectrum[seen]) / rate * 1000
        gd = np.interp(np.log(f[seen]), np.log(at[known]), columns['group_delay_ms'][known])
        assert np.abs(gd - delay)[db > -60].max() < 0.02 * np.abs(delay).max()


def test_bands_and_channels_have_columns_of_their_own():
    folder = scratch()
    write(folder + '/bank.txt', 'Channel: 1 3\nFilter: ON PK Fc 1000 Hz Gain 6 dB Q 1\nFilter: ON HS Fc 5000 Hz Gain -3 dB\nChannel: 2\nPreamp: -4 dB\n')
    at, columns = table('-b', folder + '/bank.txt', '-n', 3)
    assert set(columns) == {'Channels 1, 3 magnitude_db', 'Channel 2 magnitude_db'}, list(columns)
    assert np.allclose(columns['Channel 2 magnitude_db'][at <= 24000], -4)
    _, columns = table('-b', folder + '/bank.txt', '-n', 3, '--channels', '3')
    assert set(columns) == {'Channel 3 magnitude_db', '1 PK 1 kHz, +6 dB magnitude_db', '2 HS 5 kHz, \u22123 dB magnitude_db'}, list(columns)
    total = columns['1 PK 1 kHz, +6 dB magnitude_db'] + columns['2 HS 5 kHz, \u22123 dB magnitude_db']
    assert np.nanmax(np.abs(total - columns['Channel 3 magnitude_db'])) < 1e-6
    _, columns = table('-b', folder + '/bank.txt', '-n', 3, '--channels', '3', '--no-bands')
    assert set(columns) == {'Channel 3 magnitude_db'}
    _, columns = table('-b', folder + '/bank.txt', '-n', 3, '--bands')
    assert len(columns) == 4
    h = impulse(['-b', folder + '/bank.txt'], 48000, 3, 1 << 14)
    db = 20 * np.log10(np.abs(np.fft.rfft(h[:, 2])[1 << 9]))  # 1500 Hz
    at, columns = table('-b', folder + '/bank.txt', '-n', 3)
    assert abs(np.interp(np.log(1500), np.log(at), columns['Channels 1, 3 magnitude_db']) - db) < 0.02


def test_banks_are_compared():
    at, columns = table('-f', 'PK Fc 1000 Hz Gain 6 dB Q 1', '--name', 'six', '--compare', '-f', 'PK Fc 1000 Hz Gain 3 dB Q 1', '--frequencies', '100:10000')
    assert set(columns) == {'six magnitude_db', 'PK Fc 1000 Hz Gain 3 dB Q 1 magnitude_db'}, list(columns)
    assert at[0] == 100 and at[-1] == 10000
    assert abs(np.max(columns['six magnitude_db']) - 6) < 0.01
    assert abs(np.max(columns['PK Fc 1000 Hz Gain 3 dB Q 1 magnitude_db']) - 3) < 0.01


def test_a_plugins_state_is_drawn_as_it_is_rendered():
    if not os.path.exists(os.path.join(BUILD, 'tests/host/tool_lv2')):
        return
    for name in ('eq', 'bank'):
        state = os.path.join(SOURCE, 'tests/data/presets', name + '.state')
        h = impulse(['--state', state], 48000, 2, 1 << 16)
        at, columns = table('--state', state, '-n', 2)
        assert columns
        f = np.fft.rfftfreq(len(h), 1 / 48000)
        seen = (f > 20) & (f < 23000)
        for channel in range(2):
            own = [c for n, c in columns.items() if re.match(r'(Channel %d |Channels 1.2 |magnitude)' % (channel + 1), n) or
                   re.match(('Mid ', 'Side ')[channel], n)]
            assert len(own) == 1, list(columns)
            db = 20 * np.log10(np.abs(np.fft.rfft(h[:, channel])[seen]) + 1e-12)
            got = np.interp(np.log(f[seen]), np.log(at), np.nan_to_num(own[0], nan=0))
            assert np.abs(got - db)[db > -60].max() < 0.05, (name, channel, np.abs(got - db)[db > -60].max())


# ---------------------------------------------------------------- spectra


def welch(x, rate, f):
    """Levels of twelfths of an octave, by SciPy."""
    n = 1 << int(np.ceil(np.log2(rate / 3)))
    if len(x) < n:
        bins, power = signal.periodogram(x, rate, window=np.sin(np.pi * (np.arange(len(x)) + 0.5) / len(x)) ** 2, detrend=False, nfft=n)
    else:
        bins, power = signal.welch(x, rate, window=np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 2, nperseg=n, noverlap=n // 2, detrend=False)
    step = bins[1]
    edges = np.concatenate([[0], (bins[:-1] + bins[1:]) / 2, [bins[-1] + step / 2]])
    below = np.concatenate([[0], np.cumsum(power * step)])
    lower, upper = (np.interp(f * 2 ** (sign / 24), edges, below) for sign in (-1, 1))
    return 10 * np.log10((upper - lower) / 0.5)


def test_spectra_are_welchs():
    if not SPECTRA:
        return
    folder = scratch()
    for rate, length in ((48000, 150000), (44100, 3000)):
        rng = np.random.default_rng(5)
        x = 0.1 * rng.standard_normal((length, 3))
        x[:, 0] += 0.5 * np.sin(2 * np.pi * 1000 * np.arange(length) / rate)
        x = x.astype(np.float32)
        write_wav(folder + '/in.wav', x, 'float', rate)
        write(folder + '/bank.txt', 'Filter: ON PK Fc 500 Hz Gain 9 dB Q 1\nFilter: ON LP Fc 8000 Hz\n')
        at, columns = table('-b', folder + '/bank.txt', folder + '/in.wav', '--channels', '1,3')
        assert set(columns) == {'Channels 1, 3 magnitude_db', 'Before level_db', 'After level_db'}, list(columns)
        subprocess.run([MILLRACE, 'render', '-q', '-b', folder + '/bank.txt', folder + '/in.wav', '-o', folder + '/out.wav'], check=True)
        y = Wave(folder + '/out.wav').samples
        inside = at < rate / 2 / 2 ** (1 / 24)
        for name, sound in (('Before level_db', x), ('After level_db', y)):
            want = 10 * np.log10(sum(10 ** (welch(sound[:, c].astype(float), rate, at[inside]) / 10) for c in (0, 2)) / 2)
            assert np.abs(columns[name][inside] - want).max() < 0.01, (rate, name, np.abs(columns[name][inside] - want).max())
        if length > 100000:  # a sine of -6 dB in one channel of two
            assert abs(np.interp(np.log(1000), np.log(at), columns['Before level_db']) + 6.02 + 3.01) < 0.3


def test_the_filter_stands_between_the_spectra():
    if not SPECTRA:
        return
    folder = scratch()
    write_wav(folder + '/in.wav', 0.1 * np.random.default_rng(6).standard_normal((480000, 1)), 'float')
    at, columns = table('-f', 'PK Fc 2000 Hz Gain 12 dB Q 0.7', folder + '/in.wav')
    between = columns['After level_db'] - columns['Before level_db']
    inside = (at > 100) & (at < 20000)
    assert np.abs(between - columns['magnitude_db'])[inside].max() < 0.3


# ------------------------------------------------------------------ files


def png_size(path):
    with open(path, 'rb') as file:
        data = file.read(24)
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    return struct.unpack('>II', data[16:24])


def test_names_say_what_is_written():
    folder = scratch()
    words = ['-f', 'PK Fc 1000 Hz Gain 3 dB Q 1']
    for name in ('a', 'a.jpg', 'a.png.txt', 'folder.png/a', '.', '-'):
        done = plot(*words, '-o', name, code=2, folder=folder)
        assert '.png, .svg, .pdf or .csv' in done.stderr
    plot(*words, '-o', 'A.CSV', folder=folder)
    assert os.listdir(folder) == ['A.CSV']
    if not PICTURES:
        assert 'cairo' in plot(*words, '-o', 'a.png', code=2, folder=folder).stderr
        return
    heads = {'png': b'\x89PNG', 'svg': b'<?xml', 'pdf': b'%PDF'}
    for ending, head in heads.items():
        plot(*words, '-o', 'a.' + ending, folder=folder)
        with open(folder + '/a.' + ending, 'rb') as file:
            assert file.read(len(head)) == head
    assert png_size(folder + '/a.png') == (1200, 600)
    plot(*words, '--phase', '--size', '317x211', '-o', 'b.png', folder=folder)
    assert png_size(folder + '/b.png') == (317, 211)
    plot(*words, '--size', '317x211', '-o', 'c.svg', folder=folder)
    assert re.search(r'<svg[^>]* width="317(pt)?" height="211(pt)?"', read(folder, 'c.svg'))


def test_the_report():
    folder = scratch()
    done = plot('-f', 'PK Fc 1000 Hz Gain 3 dB Q 1', '--compare', '-f', 'Mute: on', '--name', 'odd \udcff name', '--json', '-o', folder + '/a.csv')
    report = json.loads(done.stdout)
    assert report['format'] == 'csv' and report['rate'] == 48000 and len(report['curves']) == 2
    first, second = report['curves']
    assert abs(first['most_db'] - 3) < 0.001 and abs(first['at_hz'] - 1000) < 15 and first['role'] == 'whole' and first['off'] is False
    assert second['name'] == 'odd ? name (silent)' and second['least_db'] is None and second['most_db'] is None, second
    assert report['range'][1] >= 6 and report['frequencies'][0] == 20


def test_faults_are_told_and_nothing_is_left():
    folder = scratch()
    write(folder + '/bad.txt', 'Filter: ON PK Fc 1000\n')
    write(folder + '/old.csv', 'old')
    write_wav(folder + '/in.wav', np.zeros((100, 2)), 'float')
    write_wav(folder + '/short.wav', np.zeros((100, 2)), 'float', frames=1000)
    write(folder + '/text.wav', 'no sound')
    one = ['-f', 'PK Fc 1000 Hz Gain 3 dB Q 1']
    out = ['-o', 'old.csv']
    cases = [(['-b', 'bad.txt'] + out, 3, 'bad.txt:1'), (['-b', 'none.txt'] + out, 3, 'none.txt'), (one, 2, 'no output'), (out, 2, 'no bank'),
             (one + ['--compare'] + out, 2, 'behind --compare'), (['--compare'] + one + out, 2, '--compare'), (one + out + ['--size', '5x5'], 2, '--size'),
             (one + out + ['--size', '100'], 2, '--size'), (one + out + ['--range', '3:3'], 2, '--range'), (one + out + ['--range', 'a:3'], 2, '--range'),
             (one + out + ['--frequencies', '0:10'], 2, '--frequencies'), (one + out + ['--channels', '2'], 2, '--channels'),
             (one + out + ['--bands', '--no-bands'], 2, '--no-bands'), (one + out + ['--state', 'x'], 2, 'exclude'),
             (one + ['-o', 'none/a.csv'], 1, 'none/a.csv'), (one + out + ['--rate', '0'], 2, '--rate'), (['--state', 'none'] + out, 1, 'none')]
    if SPECTRA:
        cases += [(one + out + ['none.wav'], 1, 'none.wav'), (one + out + ['text.wav'], 1, 'text.wav'), (one + out + ['short.wav'], 1, 'short.wav'),
                  (one + out + ['in.wav', 'in.wav'], 2, 'one recording'), (one + out + ['in.wav', '--rate', '48000'], 2, '--rate'),
                  (one + out + ['in.wav', '-n', '2'], 2, '--channel-count')]
    for words, code, said in cases:
        if '--state' in words and code == 1 and not os.path.exists(os.path.join(BUILD, 'tests/host/tool_lv2')):
            continue
        done = subprocess.run([MILLRACE, 'plot'] + words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True)
        if '--state' in words and said == 'none':
            assert done.returncode in (1, 3), done
        else:
            assert done.returncode == code, (words, done.returncode, done.stderr)
        assert said in done.stderr, (words, done.stderr)
    assert read(folder, 'old.csv') == 'old' and len(os.listdir(folder)) == 5, os.listdir(folder)


def test_a_disk_that_is_full_leaves_nothing():
    endings = ('csv', 'png', 'svg', 'pdf') if PICTURES else ('csv',)
    for ending in endings:
        folder = scratch()
        write(folder + '/a.' + ending, 'old')
        done = plot('-f', 'PK Fc 1000 Hz Gain 3 dB Q 1', '-o', 'a.' + ending, code=1, folder=folder,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        assert 'a.' + ending in done.stderr
        assert read(folder, 'a.' + ending) == 'old' and os.listdir(folder) == ['a.' + ending]


def test_the_guide():
    """Its commands run, and its picture is of the size that they make."""
    if not (PICTURES and SPECTRA):
        return
    page = read(SOURCE, 'docs', 'plot.md')
    folder = scratch()
    write(folder + '/room.txt', re.search(r'^```bank\n(.*?)^```$', page, re.M | re.S).group(1))
    write_wav(folder + '/recording.wav', noise(48000, 2, 1), 'float')
    lines = [line for block in re.findall(r'^```sh\n(.*?)^```$', page, re.M | re.S) for line in block.splitlines()]
    assert len(lines) == 5
    for line in lines:
        words = shlex.split(line)
        assert words[:2] == ['millrace', 'plot']
        plot(*words[2:], folder=folder)
        assert os.path.getsize(os.path.join(folder, words[words.index('-o') + 1])) > 1000
    assert png_size(folder + '/plot.png') == png_size(os.path.join(SOURCE, 'docs', 'plot.png'))
    for option in set(re.findall(r'(?<![\w-])--[a-z][a-z-]*', page)):
        assert option in plot('--help').stdout, option


main(globals())
