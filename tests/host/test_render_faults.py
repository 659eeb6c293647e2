# What goes wrong: one line that a person understands, an exit code, nothing lost and nothing left behind.
# SPDX-License-Identifier: ISC
import os
import resource
import signal
import stat
import struct
import subprocess
import threading
import time

from audio import MILLRACE, UNITY, Wave, main, millrace, noise, render, scratch, write_wav

SLOW = ['-f', 'Butterworth HP Order 32 Fc 80 Hz']


class Place:
    """A folder with an input; after each failure nothing in it may have changed."""

    def __init__(self, **more):
        self.folder = scratch()
        self.input = write_wav(self.folder + '/in.wav', noise(2000, 3), **more)
        self.output = self.folder + '/out.wav'

    def content(self):
        return {name: os.lstat(self.folder + '/' + name)[:-3] for name in os.listdir(self.folder)}

    def fails(self, *words, code=1, says=None, **more):
        before = self.content()
        done = render(*words, code=code, **more)
        assert self.content() == before, (words, self.content().keys())
        lines = done.err.splitlines()
        assert len(lines) == 1 and lines[0].startswith('millrace: '), done.err
        for text in [says] if isinstance(says, str) else says or []:
            assert text in lines[0], (text, lines[0])
        return lines[0]


def test_inputs_that_are_not_there_or_are_none():
    p = Place()
    p.fails(*UNITY, p.folder + '/nothing.wav', '-o', p.output, says=['nothing.wav', 'No such file'])
    p.fails(*UNITY, p.folder, '-o', p.output, says='is a folder')
    with open(p.folder + '/text.wav', 'w') as file:
        file.write('This is no audio file, but it has some length.\n' * 10)
    p.fails(*UNITY, p.folder + '/text.wav', '-o', p.output, says=['text.wav', 'is no audio file'])
    open(p.folder + '/empty.wav', 'w').close()
    p.fails(*UNITY, p.folder + '/empty.wav', '-o', p.output, says='is empty')
    p.fails(*UNITY, '-', '-o', p.output, says='standard input', stdin=b'')
    p.fails(*UNITY, '/proc/self/mem', '-o', p.output, says='/proc/self/mem')
    if os.geteuid() != 0:
        os.chmod(p.input, 0)
        p.fails(*UNITY, p.input, '-o', p.output, says='Permission denied')


def test_channels_that_cannot_be():
    p = Place()
    for channels in (0, 1025, 65535):
        with open(p.folder + '/odd.wav', 'wb') as file:
            form = struct.pack('<HHIIHH', 3, channels, 48000, 0, channels * 4 & 0xffff, 32)
            file.write(b'RIFF' + struct.pack('<I', 36 + 100000) + b'WAVEfmt ' + struct.pack('<I', 16) + form + b'data' + struct.pack('<I', 100000) +
                       bytes(100000))
        p.fails(*UNITY, p.folder + '/odd.wav', '-o', p.output, says='has %d channels; 1 to 1024' % channels)
    for raw in ('48000:0:s16', '48000:1025:s16', '48000:2', '48000:2:s17', 'x:2:s16', '48000:2.5:s16', '0:2:s16'):
        p.fails(*UNITY, '--raw', raw, p.input, '-o', p.output, code=2, says='--raw')


def test_inputs_that_end_early():
    p = Place(frames=3000)
    p.fails(*UNITY, p.input, '-o', p.output, says=['ends early', '3000 frames', '2000 are there'])
    p.fails(*UNITY, '-', '-o', p.output, stdin=open(p.input, 'rb').read(), says=['ends early', '2000 of 3000'])
    whole = Place()
    for ending, keep in (('w64', 9000), ('caf', 9000), ('aiff', 9000), ('au', 9000), ('flac', 5000), ('rf64', 9000), ('ogg', 5000)):
        path = '%s/short.%s' % (whole.folder, ending)
        encoding = ['--encoding', 's16'] if ending == 'flac' else []
        render(*UNITY, *encoding, whole.input, '-o', path, '--format', ending)
        with open(path, 'r+b') as file:
            assert os.path.getsize(path) > keep, ending
            file.truncate(keep)
        for out in (whole.output, whole.folder + '/out.flac'):
            whole.fails(*UNITY, path, '-o', out, says=['short.' + ending])
        # from a pipe the end comes as a surprise; Ogg has no length to miss
        if ending != 'ogg':
            with open(path, 'rb') as file:
                whole.fails(*UNITY, '-', '--format', 'wav', '-o', whole.output, stdin=file.read(), says='standard input')
    with open(whole.folder + '/bare', 'wb') as file:
        file.write(bytes(1001))
    whole.fails(*UNITY, '--raw', '48000:3:s16', whole.folder + '/bare', '-o', whole.output, says='no whole number of frames')
    whole.fails(*UNITY, '--raw', '48000:3:s16', '-', '-o', whole.output, stdin=bytes(1001), says='ends inside a frame')
    for channels in (1, 5, 64, 1000):  # a pipe has no length, whatever the size of a frame
        data = bytes(range(250)) * 2 * 2 * channels
        done = millrace('render', '-q', *UNITY, '--raw', '48000:%d:s16' % channels, '-', '-o', '-', stdin=data)
        assert done.out.endswith(data), channels


def test_a_damaged_flac():
    p = Place()
    render(*UNITY, '--encoding', 's16', p.input, '-o', p.folder + '/x.flac')
    with open(p.folder + '/x.flac', 'r+b') as file:
        file.seek(4000)
        file.write(bytes(3000))
    p.fails(*UNITY, p.folder + '/x.flac', '-o', p.output, says=['x.flac', 'damaged'])


def test_banks_that_are_refused():
    p = Place()
    p.fails('-f', 'Wobble Fc 100 Hz', p.input, '-o', p.output, code=3, says=['-f:1', 'Wobble'])
    p.fails('-f', 'Copy: 1=0.5*9', p.input, '-o', p.output, code=3, says=['-f:1', '3 channels'])
    p.fails('-b', p.folder + '/none.txt', p.input, '-o', p.output, code=3, says=['none.txt', 'No such file'])
    p.fails('-b', p.folder, p.input, '-o', p.output, code=3, says='is a folder')
    with open(p.folder + '/bad.txt', 'w') as file:
        file.write('Preamp: -3 dB\n\nFilter: ON PK Fc x Hz Gain 3 dB Q 1\n')
    p.fails('-b', p.folder + '/bad.txt', p.input, '-o', p.output, code=3, says='bad.txt:3: ')
    p.fails('-f', 'Filter: ON IIR Order 1 Coefficients 1 0 1 -1.5', p.input, '-o', p.output, code=3)
    p.fails('-f', 'Rate: 44100 Hz', '-f', 'Filter: ON IIR Order 1 Coefficients 1 0 1 -0.5', p.input, '-o', p.output, code=3, says='44100')
    done = render('--convert-rate', '-f', 'Rate: 44100 Hz', '-f', 'Filter: ON IIR Order 1 Coefficients 1 0 1 -0.5', p.input, '-o', p.output)
    assert 'warning' in done.err


def test_banks_with_other_channels_than_the_file():
    p = Place()
    done = render('-f', 'Channel: 1-5', '-f', 'Preamp: -6 dB', p.input, '-o', p.output)
    assert 'warning' in done.err and '3 channels' in done.err
    x, y = Wave(p.input).samples, Wave(p.output).samples
    assert abs(y / x - 10 ** (-6 / 20)).max() < 1e-6
    done = render('-f', 'Unlisted: mute', '-f', 'Channel: 2', '-f', 'Preamp: -6 dB', p.input, '-o', p.output)
    y = Wave(p.output).samples
    assert not y[:, 0].any() and not y[:, 2].any() and y[:, 1].any()


def test_each_kind_of_file_has_its_warnings():
    p = Place()
    target = p.folder + '/many'
    os.mkdir(target)
    x = noise(100, 3)
    names = [write_wav('%s/%s.wav' % (p.folder, name), x[:, :channels], rate=rate)
             for name, channels, rate in (('a', 3, 48000), ('b', 3, 48000), ('slow', 3, 8000), ('narrow', 2, 48000))]
    bank = ['-f', 'Channel: 3', '-f', 'PK Fc 10000 Hz Gain 1 dB Q 1', '-f', 'IIR Order 1 Coefficients 1 0 1 -0.5']
    said = [line for line in render('-q', *bank, *names, '-o', target).err.splitlines() if 'warning' in line]
    assert sum('without a rate' in line for line in said) == 3, said
    assert sum('off, for its frequency is above' in line for line in said) == 1, said
    assert sum('2 channels' in line for line in said) == 1, said


def test_a_terminal_gets_no_samples():
    p = Place()
    terminal, its_end = os.openpty()
    done = subprocess.run([MILLRACE, 'render', *UNITY, p.input, '-o', '-'], stdout=its_end, stderr=subprocess.PIPE, text=True, timeout=10)
    os.close(its_end)
    os.close(terminal)
    assert done.returncode == 2 and 'is a terminal' in done.stderr, done


def test_usage():
    p = Place()
    p.fails(p.input, '-o', p.output, code=2, says='no bank')
    p.fails(*UNITY, p.input, code=2, says='no output')
    p.fails(*UNITY, '-o', p.output, code=2, says='no input')
    p.fails(*UNITY, '--wobble', p.input, '-o', p.output, code=2, says='--wobble')
    p.fails(*UNITY, '--encoding', 's17', p.input, '-o', p.output, code=2, says='s16')
    p.fails(*UNITY, '--format', 'mp9', p.input, '-o', p.output, code=2, says='flac')
    p.fails(*UNITY, '--block', '0', p.input, '-o', p.output, code=2)
    p.fails(*UNITY, p.input, '-o', code=2)
    assert 'there is no command' in millrace('wobble', code=2).err


def test_outputs_that_would_lose_something():
    p = Place()
    os.link(p.input, p.folder + '/hard.wav')
    os.symlink('in.wav', p.folder + '/soft.wav')
    os.mkdir(p.folder + '/sub')
    for output in ('in.wav', 'hard.wav', 'soft.wav', 'sub/../in.wav'):
        p.fails(*UNITY, p.input, '-o', p.folder + '/' + output, code=2, says='is an input too')
    p.fails(*UNITY, p.input, '-o', p.folder, code=2, says='is an input too')
    with open(p.folder + '/bank.wav', 'w') as file:
        file.write('Preamp: -3 dB\n')
    p.fails('-b', p.folder + '/bank.wav', p.input, '-o', p.folder + '/bank.wav', code=2, says='is the bank')


def test_outputs_that_cannot_be_written():
    p = Place()
    p.fails(*UNITY, p.input, '-o', p.folder + '/no/out.wav', says=['no/out.wav', 'No such file'])
    p.fails(*UNITY, p.input, '-o', p.input + '/out.wav', says='Not a directory')
    p.fails(*UNITY, p.input, '-o', '/dev/full', '--format', 'wav', says=['/dev/full', 'No space left'])
    p.fails(*UNITY, p.input, '-o', '/proc/out.wav', says='/proc/out.wav')
    p.fails(*UNITY, p.input, '-o', p.folder + '/out.flac', '--encoding', 'double', says='flac files cannot hold 3 channels of double')
    p.fails(*UNITY, p.input, '-o', '-', '--format', 'aiff', says='cannot be written to a pipe')
    if os.geteuid() != 0:
        os.chmod(p.folder, 0o500)
        p.fails(*UNITY, p.input, '-o', p.output, says='Permission denied')
        os.chmod(p.folder, 0o700)


def limit_files(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def test_a_disk_that_fills():
    if 'thread' in os.environ.get('MILLRACE_SANITIZE', ''):
        return  # that sanitizer needs files of its own; the small file system below does
    p = Place()
    with open(p.output, 'w') as file:
        file.write('what was there before')
    for size in (0, 10, 100, 1000, 20000):
        p.fails(*UNITY, p.input, '-o', p.output, preexec_fn=limit_files(size), says=['out.wav', 'File too large'])
        p.fails(*UNITY, p.input, '-o', p.folder + '/new.wav', preexec_fn=limit_files(size), says='File too large')
        for ending in ('flac', 'w64', 'caf', 'aiff', 'ogg'):
            if ending == 'ogg' and os.environ.get('MILLRACE_SANITIZE'):
                continue  # libsndfile loses some memory where it cannot begin an Ogg file
            if size < 20000 or ending in ('w64', 'caf'):
                p.fails(*UNITY, p.input, '-o', p.folder + '/new.' + ending, '--format', ending, preexec_fn=limit_files(size), says='File too large')
    with open(p.output) as file:
        assert file.read() == 'what was there before'


def test_a_small_file_system():
    """The real thing, where a file system may be mounted."""
    folder = scratch()
    if subprocess.call(['mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], stderr=subprocess.DEVNULL):
        return
    try:
        p = Place()
        write_wav(p.input, noise(50000, 3))
        done = render(*UNITY, p.input, '-o', folder + '/out.wav', code=1)
        assert 'No space left on device' in done.err and len(done.err.splitlines()) == 1
        assert os.listdir(folder) == []
    finally:
        subprocess.check_call(['umount', folder])


def test_an_output_keeps_its_place():
    p = Place()
    with open(p.folder + '/real.wav', 'w') as file:
        file.write('old')
    os.chmod(p.folder + '/real.wav', 0o640)
    os.symlink('real.wav', p.output)
    render(*UNITY, p.input, '-o', p.output)
    assert os.path.islink(p.output) and Wave(p.folder + '/real.wav').channels == 3
    assert stat.S_IMODE(os.stat(p.output).st_mode) == 0o640
    old = os.umask(0o027)
    try:
        render(*UNITY, p.input, '-o', p.folder + '/new.wav')
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(p.folder + '/new.wav').st_mode) == 0o640


def endless_input(process, seconds):
    """Feeds the process with a stream that does not end by itself."""
    form = struct.pack('<HHIIHH', 3, 8, 48000, 48000 * 32, 32, 32)
    try:
        process.stdin.write(b'RIFF\xff\xff\xff\xffWAVEfmt ' + struct.pack('<I', 16) + form + b'data\xff\xff\xff\xff')
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            process.stdin.write(bytes(65536))
    except (BrokenPipeError, ValueError):
        pass


def heed_signals():
    """What whoever runs the tests ignores (nohup: SIGHUP; a shell's background: SIGINT) would be ignored by the command too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def test_signals():
    p = Place()
    with open(p.output, 'w') as file:
        file.write('what was there before')
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for fed in (True, False):  # busy, or waiting for its input
            before = p.content()
            process = subprocess.Popen([MILLRACE, 'render', '-q'] + SLOW + ['-', '-o', p.output], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                       preexec_fn=heed_signals)
            feeder = threading.Thread(target=endless_input, args=(process, 20 if fed else 0.2))
            feeder.start()
            deadline = time.monotonic() + 10
            while not any(name.startswith('.millrace') for name in os.listdir(p.folder)) and time.monotonic() < deadline:
                time.sleep(0.01)
            assert p.content() != before, 'it has begun'
            time.sleep(0.1)
            process.send_signal(number)
            assert process.wait(timeout=10) == 128 + number
            feeder.join()
            process.stdin.close() if fed else None
            assert b'signal' in process.stderr.read()
            assert p.content() == before
    with open(p.output) as file:
        assert file.read() == 'what was there before'


def test_a_hangup_that_is_ignored():
    p = Place()
    process = subprocess.Popen(['nohup', MILLRACE, 'render', '-q'] + SLOW + ['-', '-o', p.output], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    feeder = threading.Thread(target=endless_input, args=(process, 0.6))
    feeder.start()
    time.sleep(0.3)
    process.send_signal(signal.SIGHUP)
    feeder.join()
    process.stdin.close()
    assert process.wait(timeout=20) == 0
    assert Wave(p.output).channels == 8


def test_a_pipe_that_closes():
    p = Place()
    write_wav(p.input, noise(200000, 4))
    process = subprocess.Popen([MILLRACE, 'render', '-q'] + UNITY + [p.input, '-o', '-'], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1000)
    process.stdout.close()
    assert process.wait(timeout=10) == 1
    text = process.stderr.read().decode()
    assert text == 'millrace: standard output: the pipe was closed before the end\n', text


def test_a_named_pipe():
    p = Place()
    os.mkfifo(p.folder + '/fifo')
    process = subprocess.Popen([MILLRACE, 'render', '-q'] + UNITY + [p.input, '-o', p.folder + '/fifo', '--format', 'wav'])
    with open(p.folder + '/fifo', 'rb') as file:
        data = file.read()
    assert process.wait(timeout=10) == 0
    assert (Wave(data).samples == Wave(p.input).samples).all()


if __name__ == '__main__':
    main(globals())
