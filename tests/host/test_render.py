# Rendering: the right samples, in every encoding and format, whatever the blocks.
# SPDX-License-Identifier: ISC
import json
import os
import struct
import subprocess
import time

import numpy as np
from scipy import signal

from audio import MILLRACE, UNITY, Wave, main, millrace, noise, pack, render, scratch, unpack, write_wav

FS = 48000
HIGH_PASS = 'Butterworth HP Order 8 Fc 80 Hz'


def high_pass(order=8, fc=80):
    return signal.butter(order, fc, 'highpass', fs=FS, output='sos')


def below_120_db(got, want):
    return np.abs(got - want).max() <= 1e-6 * max(1.0, np.abs(want).max())


def test_float_samples_are_scipys():
    folder = scratch()
    for channels in (1, 2, 3, 7, 8, 9, 64, 67):
        x = noise(5000, channels).astype('f4')
        write_wav(folder + '/in.wav', x)
        bank = ['-f', HIGH_PASS]
        want = signal.sosfilt(high_pass(), x.astype(float), axis=0)
        if channels >= 3:
            bank += ['-f', 'Channel: 2-3', '-f', 'Butterworth LP Order 5 Fc 3000 Hz', '-f', 'Preamp: -6 dB']
            low = signal.butter(5, 3000, fs=FS, output='sos')
            want[:, 1:3] = signal.sosfilt(low, want[:, 1:3], axis=0) * 10 ** (-6 / 20)
        render(*bank, folder + '/in.wav', '-o', folder + '/out.wav')
        out = Wave(folder + '/out.wav')
        assert (out.encoding, out.channels, out.rate) == ('float', channels, FS)
        assert out.samples.shape == x.shape, 'the length is the input\'s'
        assert below_120_db(out.samples, want), np.abs(out.samples - want).max()


def test_double_samples_are_scipys_to_1e_12():
    folder = scratch()
    x = noise(20000, 5)
    write_wav(folder + '/in.wav', x, 'double')
    render('-f', 'Butterworth LP Order 4 Fc 2000 Hz', folder + '/in.wav', '-o', folder + '/out.wav')
    out = Wave(folder + '/out.wav')
    want = signal.sosfilt(signal.butter(4, 2000, fs=FS, output='sos'), x, axis=0)
    assert out.encoding == 'double'
    assert np.abs(out.samples - want).max() < 1e-12


def whole_range(encoding, channels=3, frames=4001):
    bits = {'u8': 8, 's16': 16, 's24': 24, 's32': 32}[encoding]
    x = np.random.default_rng(bits).integers(-(1 << bits - 1), 1 << bits - 1, (frames, channels))
    x[0] = -(1 << bits - 1)
    x[1] = (1 << bits - 1) - 1
    x[2] = [-1, 0, 1]
    return x


def test_a_bank_that_changes_nothing_keeps_every_bit():
    folder = scratch()
    for encoding in ('u8', 's16', 's24', 's32'):
        x = whole_range(encoding)
        write_wav(folder + '/in.wav', x, encoding)
        for ending in ('wav', 'w64', 'caf', 'aiff', 'au', 'flac', 'raw'):
            if (encoding, ending) in (('u8', 'caf'), ('u8', 'w64'), ('u8', 'aiff'), ('u8', 'au'), ('u8', 'flac'), ('s32', 'flac'), ('u8', 'raw')):
                continue
            there = folder + '/there.' + ending
            render(*UNITY, folder + '/in.wav', '-o', there)
            if ending == 'raw':
                with open(there, 'rb') as file:
                    assert file.read() == pack(x, encoding), encoding
                raw = ['--raw', '48000:3:' + encoding]
            else:
                raw = []
            render(*UNITY, *raw, there, '-o', folder + '/back.wav')
            back = Wave(folder + '/back.wav')
            assert back.encoding == encoding, (ending, back.encoding)
            assert (back.samples == x).all(), (encoding, ending)


def test_floats_pass_to_the_bit():
    folder = scratch()
    x = np.array([[1.0, -3e38], [1e-30, 0.1], [123.456, -1.0]], 'f4')
    write_wav(folder + '/in.wav', x)
    render(*UNITY, folder + '/in.wav', '-o', folder + '/out.wav')
    assert Wave(folder + '/out.wav').samples.tobytes() == x.tobytes()


def test_blocks_change_no_bit():
    folder = scratch()
    x = noise(3000, 5).astype('f4')
    write_wav(folder + '/in.wav', x)
    bank = ['-f', HIGH_PASS, '-f', 'Channel: 2', '-f', 'PK Fc 300 Hz Gain 6 dB Q 3', '-f', 'Delay: 3.1 ms', '--tail', '0.02']
    render(*bank, folder + '/in.wav', '-o', folder + '/whole.wav')
    for block in (1, 7, 63, 64, 65, 1000, 65536):
        render(*bank, '--block', block, folder + '/in.wav', '-o', folder + '/part.wav')
        assert Wave(folder + '/part.wav').samples.tobytes() == Wave(folder + '/whole.wav').samples.tobytes(), block


def test_integers_saturate_and_are_counted():
    folder = scratch()
    t = np.arange(4800)
    x = np.zeros((4800, 3))
    x[:, 0] = 0.9 * np.sin(2 * np.pi * 100 * t / FS)
    x[:, 2] = 0.3 * np.sin(2 * np.pi * 100 * t / FS)
    write_wav(folder + '/in.wav', x)
    for encoding, bits in (('s16', 16), ('s24', 24), ('s32', 32), ('u8', 8)):
        report = json.loads(render('-f', 'Preamp: 6 dB', '--encoding', encoding, '--json', folder + '/in.wav', '-o', folder + '/out.wav').out)
        full = 2.0 ** (bits - 1)
        want = Wave(folder + '/in.wav').samples.astype(float) * 10 ** (6 / 20) * full
        out = Wave(folder + '/out.wav').samples.astype(float)
        step = 0.5 + 1e-7 * full * 2  # the nearest one, of float32 streams
        assert np.abs(np.clip(want, -full, full - 1) - out).max() <= step, encoding
        assert (out.max(), out.min()) == (full - 1, -full)
        clips = report['clips']
        over = np.flatnonzero((np.rint(want[:, 0]) > full - 1) | (np.rint(want[:, 0]) < -full))
        assert [c['channel'] for c in clips['channels']] == [1]
        assert clips['channels'][0]['count'] == clips['count'] == len(over), (encoding, clips, len(over))
        assert clips['channels'][0]['first_frame'] == over[0]
        assert abs(clips['channels'][0]['peak_db'] - 20 * np.log10(np.abs(want[:, 0]).max() / full)) < 1e-4
        # and the preamp that it names does avoid it, with at most 0.02 dB to spare
        for preamp, clipped in ((clips['preamp_db'], False), (clips['preamp_db'] + 0.12, True)):
            again = json.loads(render('-f', 'Preamp: 6 dB', '-f', 'Preamp: %r dB' % preamp, '--encoding', encoding, '--json', folder + '/in.wav', '-o',
                                      folder + '/out.wav').out)
            assert (again['clips']['count'] > 0) == clipped, (encoding, preamp, again['clips'])
    done = millrace('render', '-f', 'Preamp: 6 dB', '--encoding', 's16', folder + '/in.wav', '-o', folder + '/out.wav')
    assert 'clipped, in channel 1 (' in done.err and 'Preamp: -' in done.err, done.err
    assert 'clip' not in render('-f', 'Preamp: 6 dB', folder + '/in.wav', '-o', folder + '/out.wav').err, 'floats do not clip'


def test_not_a_number_becomes_silence_and_is_said():
    folder = scratch()
    x = noise(1000, 2)
    x[500, 1] = np.nan
    write_wav(folder + '/in.wav', x)
    done = render('-f', HIGH_PASS, '--encoding', 's16', '--json', folder + '/in.wav', '-o', folder + '/out.wav')
    assert json.loads(done.out)['troubles'] >= 1
    assert 'no numbers' in done.err
    out = Wave(folder + '/out.wav').samples
    want = signal.sosfilt(high_pass(), x.astype('f4').astype(float)[:, 0]) * 32768
    assert np.abs(out[:, 0] - want).max() < 0.51


def test_channels_are_chosen_in_order():
    folder = scratch()
    x = noise(1000, 6).astype('f4')
    write_wav(folder + '/in.wav', x, mask=0x3f)
    bank = ['-f', 'Channel: 3', '-f', 'Preamp: -6 dB']
    render(*bank, folder + '/in.wav', '-o', folder + '/all.wav')
    whole = Wave(folder + '/all.wav')
    for text, channels, mask in (('3', [2], 0x4), ('2-4', [1, 2, 3], 0xe), ('6,1', [5, 0], 0), ('1 3,5-6', [0, 2, 4, 5], 0x35)):
        render(*bank, '--channels', text, folder + '/in.wav', '-o', folder + '/some.wav')
        some = Wave(folder + '/some.wav')
        assert (some.samples == whole.samples[:, channels]).all(), text
        assert some.mask == mask, (text, some.mask)
    render(*bank, '--channels', '3', '--encoding', 's16', folder + '/in.wav', '-o', folder + '/some.wav')
    assert np.abs(Wave(folder + '/some.wav').samples[:, 0] / 32768 - whole.samples[:, 2]).max() < 2e-5
    assert 'names channel 7' in render(*bank, '--channels', '7', folder + '/in.wav', '-o', folder + '/no.wav', code=1).err
    for bad in ('0', '1,1', 'x', '3-2', '', '1-', '1025'):
        render(*bank, '--channels', bad, folder + '/in.wav', '-o', folder + '/no.wav', code=2)
    assert not os.path.exists(folder + '/no.wav')


def test_the_mask_is_kept_as_it_is():
    folder = scratch()
    for channels, mask in ((2, 0x3), (2, 0x600), (6, 0x3f), (6, 0x60f), (8, 0x63f), (8, 0), (4, 0x107), (12, 0x2d63f), (16, 0), (3, 0x80000004)):
        write_wav(folder + '/in.wav', noise(100, channels), mask=mask)
        render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
        out = Wave(folder + '/out.wav')
        assert out.extensible and out.mask == mask, (channels, mask, out.mask)
        render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.rf64', '--format', 'rf64')
        out = Wave(folder + '/out.rf64')
        assert out.kind == b'RF64' and out.mask == mask, (channels, mask, out.mask)
        assert Wave(render('-f', HIGH_PASS, folder + '/in.wav', '-o', '-').out).mask == mask
    write_wav(folder + '/plain.wav', noise(100, 8))
    render('-f', HIGH_PASS, folder + '/plain.wav', '-o', folder + '/out.wav')
    assert not Wave(folder + '/out.wav').extensible, 'a plain file stays plain'


def test_b_format_is_kept():
    folder = scratch()
    write_wav(folder + '/in.wav', noise(100, 4), mask=0, ambisonic=True)
    render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
    assert Wave(folder + '/out.wav').guid == Wave(folder + '/in.wav').guid


def test_metadata_is_kept():
    folder = scratch()

    def chunk(name, data):
        return name + struct.pack('<I', len(data)) + data + b'\0' * (len(data) & 1)

    bext = (b'a take'.ljust(256, b'\0') + b'someone'.ljust(32, b'\0') + b'ref'.ljust(32, b'\0') + b'2024-01-02' + b'03:04:05' +
            struct.pack('<QH', 123456789, 1)).ljust(602, b'\0')
    xml = b'<BWFXML><PROJECT>x</PROJECT></BWFXML>'
    info = chunk(b'LIST', b'INFO' + chunk(b'INAM', b'A title\0') + chunk(b'IART', b'An artist\0'))
    write_wav(folder + '/in.wav', noise(100, 2), extra=chunk(b'bext', bext) + chunk(b'iXML', xml) + info)
    render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
    out = Wave(folder + '/out.wav')
    assert out.chunks[b'bext'][:346] == bext[:346]
    assert out.chunks[b'iXML'].startswith(xml)
    with open(folder + '/out.wav', 'rb') as file:
        data = file.read()
    assert b'A title' in data and b'An artist' in data


def test_tails():
    folder = scratch()
    x = np.zeros((1000, 2))
    x[-1] = 0.5
    write_wav(folder + '/in.wav', x)
    bank = ['-f', 'PK Fc 100 Hz Gain 12 dB Q 10', '-f', 'Channel: 2', '-f', 'Delay: 10 ms']
    a = 10 ** (12 / 40)
    w = 2 * np.pi * 100 / FS
    alpha = np.sin(w) / 20
    bell = np.array([[1 + alpha * a, -2 * np.cos(w), 1 - alpha * a, 1 + alpha / a, -2 * np.cos(w), 1 - alpha / a]]) / (1 + alpha / a)
    long = np.zeros((400000, 2))
    long[:1000] = x
    want = signal.sosfilt(bell, long, axis=0)
    want[480:, 1] = want[:-480, 1].copy()
    want[:480, 1] = 0
    render(*bank, '--tail', '0.25', folder + '/in.wav', '-o', folder + '/out.wav')
    out = Wave(folder + '/out.wav').samples
    assert out.shape == (13000, 2) and below_120_db(out, want[:13000])
    report = json.loads(render(*bank, '--tail', 'auto', '--json', folder + '/in.wav', '-o', folder + '/out.wav').out)
    out = Wave(folder + '/out.wav').samples
    assert len(out) == report['frames'] == 1000 + report['tail_frames'] and report['tail_frames'] > 480
    assert below_120_db(out, want[:len(out)])
    assert np.abs(want[len(out):]).max() < 1e-6, 'what is left out is below -120 dB'
    render(*bank, '--tail', '0', folder + '/in.wav', '-o', folder + '/out.wav')
    assert len(Wave(folder + '/out.wav').samples) == 1000
    for bad in ('-1', 'x', 'nan', '1e9', ''):
        render(*bank, '--tail', bad, folder + '/in.wav', '-o', folder + '/no.wav', code=2)


def test_standard_input_and_output():
    folder = scratch()
    x = noise(70000, 3).astype('f4')
    write_wav(folder + '/in.wav', x)
    with open(folder + '/in.wav', 'rb') as file:
        data = file.read()
    render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
    want = Wave(folder + '/out.wav').samples
    out = render('-f', HIGH_PASS, '-', '-o', '-', stdin=data).out
    assert (Wave(out).samples == want).all() and struct.unpack('<I', out[4:8])[0] == len(out) - 8
    with open(folder + '/in.wav', 'rb') as file:
        assert (Wave(render('-f', HIGH_PASS, '-', '-o', '-', stdin=file).out).samples == want).all(), 'a file as standard input'
    # a length that the writer did not know
    for whole, size in ((0xffffffff, 0xffffffff), (0x7ffff024, 0x7ffff000), (0, 0), (8, 0), (0xffffffff, 0)):
        endless = data[:4] + struct.pack('<I', whole) + data[8:40] + struct.pack('<I', size) + data[44:]
        out = render('-f', HIGH_PASS, '-', '-o', '-', stdin=endless).out
        assert (Wave(out).samples == want).all() and Wave(out).open_end, hex(size)
        render('-f', HIGH_PASS, '-', '-o', folder + '/out.wav', stdin=endless)
        assert (Wave(folder + '/out.wav').samples == want).all()
    for ending in ('w64', 'caf', 'au', 'aiff', 'rf64'):
        render(*UNITY, folder + '/in.wav', '-o', folder + '/in.' + ending, '--format', ending)
        with open(folder + '/in.' + ending, 'rb') as file:
            data = file.read()
        assert (Wave(render('-f', HIGH_PASS, '-', '--format', 'wav', '-o', '-', stdin=data).out).samples == want).all(), ending
    report = render('-f', HIGH_PASS, '--json', folder + '/in.wav', '-o', '-')
    assert json.loads(report.err)['output'] == '-', 'the report stays out of the samples'


def test_others_read_what_goes_to_a_pipe():
    folder = scratch()
    x = noise(5000, 2)
    write_wav(folder + '/in.wav', x)
    with open(folder + '/in.wav', 'rb') as file:
        data = file.read()
    endless = data[:40] + b'\xff\xff\xff\xff' + data[44:]
    want = pack(Wave(folder + '/in.wav').samples, 'float')
    for source in (data, endless):
        for form in ('wav', 'au', 'caf', 'flac'):
            out = render(*UNITY, '--format', form, '-', '-o', '-', stdin=source).out
            file = folder + '/out.' + form
            with open(file, 'wb') as copy:
                copy.write(out)
            place = file if form == 'caf' else '-'  # ffmpeg reads a CAF of known length from files alone
            readers = [['ffmpeg', '-nostdin', '-v', 'error', '-i', place, '-f', 'f32le', '-'], ['sox', '-V1', '-t', form, '-', '-t', 'f32', '-']]
            if form in ('caf', 'flac'):
                readers.pop()  # and SoX's libsndfile reads these from files alone
            for reader in readers:
                got = subprocess.run(reader, input=out, stdout=subprocess.PIPE, check=True).stdout
                assert len(got) == len(want), (form, reader, len(got))
                step = 2.0 ** -24 if form == 'flac' or reader[0] == 'sox' else 0  # SoX works in integers
                assert np.abs(unpack(got, 'float', 2).astype(float) - unpack(want, 'float', 2)).max() <= step, (form, reader)


def test_folders_and_several_inputs():
    folder = scratch()
    os.mkdir(folder + '/out')
    os.mkdir(folder + '/other')
    for name in ('a', 'b'):
        write_wav('%s/%s.wav' % (folder, name), noise(500, 2, seed=ord(name)))
    write_wav(folder + '/other/a.wav', noise(500, 2))
    done = render(*UNITY, '--json', folder + '/a.wav', folder + '/b.wav', '-o', folder + '/out')
    assert len([json.loads(line) for line in done.out.splitlines()]) == 2
    for name in ('a', 'b'):
        assert (Wave('%s/out/%s.wav' % (folder, name)).samples == Wave('%s/%s.wav' % (folder, name)).samples).all()
    render(*UNITY, folder + '/a.wav', '-o', folder + '/out/', '--format', 'flac', '--encoding', 's16')
    assert os.path.exists(folder + '/out/a.flac')
    assert 'would both become' in render(*UNITY, folder + '/a.wav', folder + '/other/a.wav', '-o', folder + '/out', code=2).err
    done = render(*UNITY, folder + '/nothing.wav', folder + '/b.wav', '-o', folder + '/out', code=1)
    assert 'nothing.wav' in done.err and os.path.exists(folder + '/out/b.wav'), 'the others are done all the same'
    assert 'not a folder' in render(*UNITY, folder + '/a.wav', folder + '/b.wav', '-o', folder + '/x', code=2).err


def test_banks_are_joined_in_order():
    folder = scratch()
    x = noise(2000, 2)
    write_wav(folder + '/in.wav', x)
    sos = signal.ellip(6, 0.1, 60, 2000, fs=FS, output='sos')
    with open(folder + '/b.json', 'w') as file:
        json.dump({'fs': FS, 'sos': sos.tolist()}, file)
    with open(folder + '/b.csv', 'w') as file:
        file.writelines(','.join('%.17g' % v for v in row) + '\n' for row in high_pass(4))
    with open(folder + '/b.txt', 'w') as file:
        file.write('Preamp: -3 dB\r\nChannel: 1\r\n')
    render('-b', folder + '/b.json', '-f', 'Preamp: 1 dB', '-b', folder + '/b.csv', '-b', folder + '/b.txt', folder + '/in.wav', '-o', folder + '/out.wav')
    want = signal.sosfilt(np.vstack([sos, high_pass(4)]), Wave(folder + '/in.wav').samples.astype(float), axis=0) * 10 ** (-2 / 20)
    assert below_120_db(Wave(folder + '/out.wav').samples, want)


def test_threads_change_no_bit():
    folder = scratch()
    lines = ['-f', 'Butterworth LP Order 9 Fc 2000 Hz', '-f', 'PK Fc 700 Hz Gain 3 dB Q 2']
    for channels, more in ((1, []), (2, []), (2, ['-f', 'Delay: 3 samples']), (19, ['-f', 'Copy: 1=0.5*2+0.5*3']), (1, ['--precision', 'fast'])):
        write_wav(folder + '/in.wav', noise(150000, channels).astype('f4'))
        said = {}
        for threads in ('1', '2', '7', 'auto'):
            done = render(*lines, *more, '-j', threads, '--json', folder + '/in.wav', '-o', '%s/%s.wav' % (folder, threads))
            said[threads] = json.loads(done.stdout)['plan']['schedule']
            assert Wave('%s/%s.wav' % (folder, threads)).samples.tobytes() == Wave(folder + '/1.wav').samples.tobytes(), (channels, threads)
        assert said['1']['threads'] == 1 and said['1']['grain'] == 0
        if said['2']['threads'] > 1:  # the library has threads
            assert said['2']['threads'] == 2 and 2 < said['7']['threads'] <= 7 and said['2']['grain'] > 0, said
    for wrong in ('0', '257', '1.5', 'many', ''):
        render(*lines, '-j', wrong, folder + '/in.wav', '-o', folder + '/out.wav', code=2)


def test_blocks_and_segments_differ_below_the_last_digits_and_real_time_kernels_never():
    folder = scratch()
    write_wav(folder + '/in.wav', noise(60000, 2), 'double')
    for delay in ((), ('-f', 'Delay: 3 samples')):  # without, in blocks of many samples; with it, in segments
        reports = [json.loads(render('-f', 'Filter: ON Butterworth HP Order 8 Fc 1000 Hz', *delay, '--json', *extra, folder + '/in.wav', '-o', folder + out).out)
                   for extra, out in (((), '/a.wav'), (('--realtime-kernels',), '/b.wav'), (('--realtime-kernels', '--block', '777'), '/c.wav'), (('--block', '777'), '/d.wav'))]
        plans = [r['plan']['numeric'] for r in reports]
        assert [p['segments'] for p in plans] == ([4, 1, 1, 4] if delay else [1] * 4) and [p['blocks'] for p in plans] == ([0] * 4 if delay else [64, 0, 0, 64])
        assert not delay or plans[0]['segment_frames'] < 20000
        a, b, c, d = (Wave(folder + name).samples for name in ('/a.wav', '/b.wav', '/c.wav', '/d.wav'))
        assert (b == c).all() and (a == d).all() and a.dtype == np.float64
        assert 0 < np.abs(a - b).max() < 1e-13 * np.abs(b).max()


def test_the_summary_and_quiet():
    folder = scratch()
    write_wav(folder + '/in.wav', noise(4800, 2))
    loud = millrace('render', *UNITY, folder + '/in.wav', '-o', folder + '/out.wav')
    assert '2 channels x 4800 frames (0.100 s at 48000 Hz)' in loud.err and 'times real time' in loud.err and loud.out == b''
    assert '\r' not in loud.err, 'no progress line where there is no terminal'
    assert render(*UNITY, folder + '/in.wav', '-o', folder + '/out.wav').err == ''
    report = json.loads(render(*UNITY, '--json', folder + '/in.wav', '-o', folder + '/out.wav').out)
    assert report['plan']['numeric']['form'] == 'delta DF2' and report['plan']['schedule']['threads'] == 1
    assert (report['frames'], report['channels'], report['rate'], report['format'], report['encoding']) == (4800, 2, 48000, 'wav', 'float')


def test_a_terminal_gets_a_progress_line():
    folder = scratch()
    write_wav(folder + '/in.wav', noise(48000, 2))
    with open(folder + '/in.wav', 'rb') as file:
        data = file.read()
    for quiet in (False, True):
        terminal, its_end = os.openpty()
        words = [MILLRACE, 'render', '--block', '64'] + UNITY + ['-q'] * quiet
        process = subprocess.Popen(words + ['-', '-o', folder + '/out.wav'], stdin=subprocess.PIPE, stderr=its_end)
        os.close(its_end)
        process.stdin.write(data[:200000])
        process.stdin.flush()
        time.sleep(1.2)
        process.stdin.write(data[200000:])
        process.stdin.close()
        seen = b''
        try:
            while True:
                seen += os.read(terminal, 4096)
        except OSError:  # the other end is gone
            pass
        assert process.wait() == 0
        os.close(terminal)
        if quiet:
            assert seen == b'', seen
        else:
            assert b'\rstandard input  ' in seen and b' % ' in seen and b' left\x1b[K' in seen and b'times real time' in seen, seen
            assert b'\r\x1b[K- -> ' in seen, 'the line goes before the summary comes'


def test_zero_frames_and_1024_channels():
    folder = scratch()
    write_wav(folder + '/in.wav', np.zeros((0, 3)))
    render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
    assert Wave(folder + '/out.wav').samples.shape == (0, 3)
    x = noise(300, 1024)
    write_wav(folder + '/in.wav', x)
    render('-f', HIGH_PASS, folder + '/in.wav', '-o', folder + '/out.wav')
    assert below_120_db(Wave(folder + '/out.wav').samples, signal.sosfilt(high_pass(), x.astype('f4').astype(float), axis=0))


if __name__ == '__main__':
    main(globals())
