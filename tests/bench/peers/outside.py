# The other programs beside Millrace: their commands, and the files that they read.
# SPDX-License-Identifier: ISC
import os
import struct
import subprocess
import time

from scipy import signal

FS = 48000
BUILD = os.environ.get('MILLRACE_BUILD', 'build')
HERE = os.path.dirname(os.path.abspath(__file__))


def sections():
    """A Butterworth low-pass of order 16, each section with a gain of 1 at DC: SoX rounds to 32-bit integers between its effects."""
    sos = signal.butter(16, 0.2, output='sos')
    sos[:, :3] *= (sos[:, 3:].sum(axis=1) / sos[:, :3].sum(axis=1))[:, None]
    return sos


SOS = sections()


def helper(name, folder, *libraries):
    """The program of NAME.c: the build's, or one compiled here; None where that fails."""
    built = os.path.join(BUILD, 'tests', 'bench', 'peers', name)
    if os.path.exists(built):
        return built
    program = os.path.join(folder, name)
    command = ['cc', '-std=gnu17', '-O2', os.path.join(HERE, name + '.c'), '-o', program] + list(libraries) + ['-lm']
    return program if subprocess.call(command, stderr=subprocess.DEVNULL) == 0 else None


def write_wav(path, x):
    channels, data = x.shape[1], x.astype('<f4')
    form = struct.pack('<HHIIHH', 3, channels, FS, FS * channels * 4, channels * 4, 32)
    with open(path, 'wb') as out:
        out.write(b'RIFF' + struct.pack('<I', 36 + data.nbytes) + b'WAVEfmt ' + struct.pack('<I', 16) + form + b'data' + struct.pack('<I', data.nbytes))
        data.tofile(out)


def seconds(command, output=None):
    """How long a command takes; its output file is new each time."""
    if output and os.path.exists(output):
        os.unlink(output)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def sox_filters():
    return [word for row in SOS for word in ['biquad'] + ['%.17g' % value for value in row]]


def ffmpeg_filters():
    return ['-af', ','.join('biquad=b0=%.17g:b1=%.17g:b2=%.17g:a0=%.17g:a1=%.17g:a2=%.17g' % tuple(row) for row in SOS)]


def ffmpeg_aiir():
    """For many channels: ffmpeg's biquad passes files of more channels than it has a layout for without a change."""
    return ['-af', ','.join('aiir=k=1:z=%.17g %.17g %.17g:p=%.17g %.17g %.17g:f=tf:r=d:n=0:e=dbl' % tuple(row) for row in SOS)]


def sox(source, target, filters):
    return ['sox', '-D', '-V1', source, '-t', 'f32', target] + filters


def ffmpeg(source, target, filters):
    return ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-i', source] + filters + ['-f', 'f32le', '-c:a', 'pcm_f32le', target]
