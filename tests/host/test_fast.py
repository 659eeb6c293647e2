# render --precision fast: float32 arithmetic, what it warns of, and what it reports.
# SPDX-License-Identifier: ISC
import json

import numpy as np
from scipy import signal

from audio import Wave, main, millrace, noise, render, scratch, write_wav

FS = 48000
GOOD = ['-f', 'Butterworth LP Order 8 Fc 3000 Hz']
# a resonance close below Nyquist, on the second channel: float32 cannot hold its poles
BAD = ['-f', 'PK Fc 1000 Hz Gain 3 dB Q 1', '-f', 'Channel: 2', '-f', 'LP Fc 23500 Hz Q 60']


def input_of(folder, channels=3, frames=20000, encoding='float', seed=1):
    x = noise(frames, channels, seed)
    return write_wav(folder + '/in.wav', x.astype('f4') if encoding == 'float' else x, encoding), x


def fast(*words, **more):
    return render('--precision', 'fast', *words, **more)


def test_samples_are_scipys_to_the_gate():
    folder = scratch()
    for channels, encoding in ((1, 'float'), (3, 'double'), (16, 'float'), (17, 'double'), (67, 'float')):
        path, x = input_of(folder, channels, 5000, encoding)
        want = signal.sosfilt(signal.butter(8, 3000, fs=FS, output='sos'), x, axis=0)
        done = fast(*GOOD, path, '-o', folder + '/out.wav')
        out = Wave(folder + '/out.wav')
        assert done.err == '' and out.encoding == encoding and out.samples.shape == x.shape
        error = np.abs(out.samples - want).max() / np.abs(want).max()
        assert 1e-9 < error < 1e-5, error  # above what float64 leaves, below the gate
        if encoding == 'double':
            assert (out.samples == out.samples.astype('f4')).all(), 'this is not float32 arithmetic'


def test_blocks_change_no_bit():
    folder = scratch()
    path, _ = input_of(folder, 5)
    fast(*BAD, path, '-o', folder + '/whole.wav')
    for block in (1, 63, 64, 1000):
        fast(*BAD, '--block', block, path, '-o', folder + '/parts.wav')
        assert (Wave(folder + '/parts.wav').samples == Wave(folder + '/whole.wav').samples).all(), block


def test_double_is_the_default():
    folder = scratch()
    path, _ = input_of(folder)
    render(*BAD, path, '-o', folder + '/default.wav')
    assert render('--precision', 'double', *BAD, path, '-o', folder + '/double.wav').err == '', 'float64 holds everything'
    fast(*BAD, path, '-o', folder + '/fast.wav')
    default, double, single = (Wave(folder + '/%s.wav' % name).samples for name in ('default', 'double', 'fast'))
    assert (default == double).all() and not (default == single).all()


def test_warning_names_what_fails_and_how_much():
    folder = scratch()
    path, _ = input_of(folder, 5)  # fewer are run by kernels that hold more than is promised
    done = fast(*BAD, path, '-o', folder + '/out.wav')
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith('millrace: warning: channel 2, section 2 ') and 'about 3e-03 of the peak' in done.err, done.err
    render(*BAD, path, '-o', folder + '/right.wav')
    got, right = Wave(folder + '/out.wav').samples, Wave(folder + '/right.wav').samples
    errors = np.abs(got - right).max(axis=0) / np.abs(right).max(axis=0)
    assert errors[1] > 1e-4 and max(errors[0], *errors[2:]) < 1e-5, 'the warning is true: %s' % errors
    report = json.loads(fast(*BAD, '--json', path, '-o', folder + '/out.wav').out)
    assert report['precision'] == 'fast' and report['plan']['numeric']['arithmetic'].startswith('float32')
    rule = report['fast_rule']
    assert (rule['holds'], rule['channel'], rule['section']) == (False, 2, 2) and errors[1] < 2 * rule['error'] < 1e-2


def test_one_warning_for_files_of_one_kind():
    folder = scratch()
    for name in 'ab':
        write_wav(folder + '/%s.wav' % name, noise(100, 2).astype('f4'))
    write_wav(folder + '/c.wav', noise(100, 1).astype('f4'))
    inputs = [folder + '/%s.wav' % name for name in 'abc']
    folder_out = scratch()
    done = fast('-f', 'LP Fc 23500 Hz Q 60', *inputs, '-o', folder_out)
    assert [line.split(' ')[2] for line in done.err.splitlines()] == ['channel', 'channel'], done.err


def test_no_warning_where_it_holds():
    folder = scratch()
    path, _ = input_of(folder)
    done = fast(*GOOD, '-f', 'Butterworth HP Order 16 Fc 20 Hz', '--json', path, '-o', folder + '/out.wav')
    report = json.loads(done.out)
    assert done.err == '' and report['fast_rule']['holds'] and 1e-6 < report['fast_rule']['error'] < 1e-4
    plain = json.loads(render(*GOOD, '--json', path, '-o', folder + '/out.wav').out)
    assert plain['precision'] == 'double' and 'fast_rule' not in plain
    nothing = json.loads(fast('-f', 'Preamp: 0 dB', '--json', path, '-o', folder + '/out.wav').out)
    assert nothing['fast_rule'] == {'holds': True, 'error': 0}


def test_what_is_refused():
    folder = scratch()
    path, _ = input_of(folder)
    for word in ('single', 'Fast', 'fast ', ''):
        done = millrace('render', '--precision', word, *GOOD, path, '-o', folder + '/out.wav', code=2)
        assert 'double or fast is expected' in done.err and len(done.err.splitlines()) == 1
    assert '--precision' in millrace('render', *GOOD, path, '-o', folder + '/out.wav', '--precision', code=2).err
    assert 'exclude' in millrace('render', '--precision', 'fast', '--realtime-kernels', *GOOD, path, '-o', folder + '/out.wav', code=2).err
    render('--precision', 'double', '--realtime-kernels', *GOOD, path, '-o', folder + '/out.wav')


def test_trouble_is_counted():
    folder = scratch()
    x = noise(1000, 18).astype('f4')
    x[300, 17] = np.nan
    write_wav(folder + '/in.wav', x)
    done = fast(*GOOD, '--json', folder + '/in.wav', '-o', folder + '/out.wav')
    out = Wave(folder + '/out.wav').samples
    assert json.loads(done.out)['troubles'] == 1 and 'no numbers' in done.err
    assert np.isfinite(out[:, :17]).all() and np.isfinite(out[320:]).all()


if __name__ == '__main__':
    main(globals())
