# Rendering beyond 4 GiB, and in random blocks: what takes too long or too much disk for the tests.
# SPDX-License-Identifier: ISC
import os
import random
import shutil
import struct
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'host'))
from audio import Wave, main, noise, render, scratch, write_wav  # noqa: E402

CHANNELS, FRAMES = 64, 48000 * 350  # 4.3 GB
BANK = ['-f', 'Preamp: -6 dB']


def long_wave(path, kind):
    """Float samples, all silent but the last frames, in a file with holes."""
    size = CHANNELS * FRAMES * 4
    form = struct.pack('<HHIIHH', 3, CHANNELS, 48000, 48000 * CHANNELS * 4, CHANNELS * 4, 32)
    last = noise(100, CHANNELS).astype('<f4')
    with open(path, 'wb') as out:
        if kind == 'rf64':
            out.write(b'RF64\xff\xff\xff\xffWAVEds64' + struct.pack('<IQQQI', 28, size + 80, size, FRAMES, 0))
        else:
            out.write(b'RIFF\xff\xff\xff\xffWAVE')
        out.write(b'fmt ' + struct.pack('<I', 16) + form + b'data\xff\xff\xff\xff')
        end = out.tell() + size
        out.seek(end - last.nbytes)
        out.write(last.tobytes())
    return last


def check_end(path, last):
    with open(path, 'rb') as file:
        head = file.read(65536)
        at = head.index(b'data') + 8
        size = struct.unpack('<Q', head[28:36])[0]  # of ds64: after its size and the file's
        assert head[:4] == b'RF64' and head[12:16] == b'ds64' and size == CHANNELS * FRAMES * 4, head[:48]
        assert os.path.getsize(path) >= at + size
        file.seek(at + size - last.nbytes)
        got = np.frombuffer(file.read(last.nbytes), '<f4').reshape(-1, CHANNELS)
    assert np.abs(got - last * 10 ** (-6 / 20)).max() < 1e-6


def test_beyond_4_gib():
    folder = scratch()
    try:
        for kind in ('rf64', 'endless'):
            last = long_wave(folder + '/in.wav', kind)
            render(*BANK, folder + '/in.wav', '-o', folder + '/out.wav')
            check_end(folder + '/out.wav', last)
            os.unlink(folder + '/out.wav')
            with open(folder + '/in.wav', 'rb') as file:
                read, write = os.pipe()
                if os.fork() == 0:
                    os.close(read)
                    with os.fdopen(write, 'wb') as pipe:
                        shutil.copyfileobj(file, pipe, 1 << 20)
                    os._exit(0)
                os.close(write)
                with os.fdopen(read, 'rb') as pipe:
                    render(*BANK, '-', '-o', folder + '/out.wav', stdin=pipe)
            os.wait()
            check_end(folder + '/out.wav', last)
            os.unlink(folder + '/out.wav')
    finally:
        shutil.rmtree(folder)


def test_an_unknown_length_below_4_gib_becomes_a_wave_file():
    folder = scratch()
    x = noise(1000, 3)
    write_wav(folder + '/in.wav', x)
    with open(folder + '/in.wav', 'rb') as file:
        data = file.read()
    render(*BANK, '-', '-o', folder + '/out.wav', stdin=data[:40] + b'\xff\xff\xff\xff' + data[44:])
    out = Wave(folder + '/out.wav')
    assert out.kind == b'RIFF' and np.abs(out.samples - x * 10 ** (-6 / 20)).max() < 1e-6


def test_random_blocks():
    folder = scratch()
    pick = random.Random(5)
    for channels in list(range(1, 20)) + [31, 33, 64, 67, 1024]:
        write_wav(folder + '/in.wav', noise(3000, channels, seed=channels))
        bank = ['-f', 'Butterworth HP Order %d Fc 80 Hz' % pick.randint(1, 32), '-f', 'Channel: 1', '-f', 'PK Fc 1000 Hz Gain 3 dB Q 2', '-f', 'Delay: 1 ms']
        render(*bank, folder + '/in.wav', '-o', folder + '/whole.wav')
        want = Wave(folder + '/whole.wav').samples.tobytes()
        for _ in range(10):
            block = pick.choice([1, 2, 63, 64, 65, 127, 128, pick.randint(1, 5000)])
            render(*bank, '--block', block, folder + '/in.wav', '-o', folder + '/part.wav')
            assert Wave(folder + '/part.wav').samples.tobytes() == want, (channels, block)


if __name__ == '__main__':
    main(globals())
