# Rendering needs the same memory for any length.
# SPDX-License-Identifier: ISC
import os
import struct
import subprocess
import time

from audio import MILLRACE, main, scratch

SANITIZED = bool(os.environ.get('MILLRACE_SANITIZE'))


def long_file(path, channels, frames):
    """A float file of silence, its samples a hole."""
    size = channels * frames * 4
    form = struct.pack('<HHIIHH', 3, channels, 48000, 48000 * channels * 4, channels * 4, 32)
    ds64 = struct.pack('<QQQI', size + 80, size, frames, 0)
    with open(path, 'wb') as out:
        out.write(b'RF64\xff\xff\xff\xffWAVEds64' + struct.pack('<I', 28) + ds64 + b'fmt ' + struct.pack('<I', 16) + form + b'data\xff\xff\xff\xff')
        out.truncate(out.tell() + size)


def peak_memory(channels, frames, *more):
    """MB that a rendering holds at most."""
    path = scratch() + '/long.rf64'
    long_file(path, channels, frames)
    process = subprocess.Popen([MILLRACE, 'render', '-q', '-f', 'Butterworth HP Order 16 Fc 20 Hz'] + list(more) + [path, '-o', '/dev/null', '--format', 'wav'])
    most = 0.0
    while process.poll() is None:  # of the process alone: what getrusage() says begins with the memory of its parent
        with open('/proc/%d/status' % process.pid) as file:
            lines = [line.split() for line in file if line.startswith('VmHWM')]
        most = max([most] + [float(line[1]) / 1024 for line in lines])
        time.sleep(0.002)
    assert process.returncode == 0 and most > 1
    os.unlink(path)
    return most


def test_64_channels_of_any_length():
    short, long = peak_memory(64, 10000), peak_memory(64, 700000)
    print('64 channels: %.1f MB, 70 times as long: %.1f MB' % (short, long))
    if not SANITIZED:
        assert long < 100 and long < short + 2


def test_64_channels_in_double_to_integers():
    most = peak_memory(64, 200000, '--encoding', 's32')
    print('float64 streams to integers: %.1f MB' % most)
    assert SANITIZED or most < 100


def test_1024_channels():
    most = peak_memory(1024, 20000)
    print('1024 channels: %.1f MB' % most)
    assert SANITIZED or most < 100


if __name__ == '__main__':
    main(globals())
