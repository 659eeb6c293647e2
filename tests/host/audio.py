# What the command's tests share: WAVE files written and read without libsndfile, and running the command.
# SPDX-License-Identifier: ISC
import os
import struct
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'project'))
from harness import BUILD, MILLRACE, SOURCE, main, scratch  # noqa: E402,F401

UNITY = ['-f', 'Preamp: 0 dB']
GUID_TAIL = bytes.fromhex('000000001000800000aa00389b71')
AMBISONIC_TAIL = bytes.fromhex('00002107d3118644c8c1ca000000')


def pack(x, encoding):
    """Interleaved sample bytes; integers as they are, reals for float and double."""
    x = np.asarray(x)
    if encoding == 'float':
        return x.astype('<f4').tobytes()
    if encoding == 'double':
        return x.astype('<f8').tobytes()
    if encoding == 'u8':
        return (x + 128).astype('u1').tobytes()
    if encoding == 's24':
        return x.astype('<i4').reshape(-1, 1).view('u1')[:, :3].tobytes()
    return x.astype({'s16': '<i2', 's32': '<i4'}[encoding]).tobytes()


def unpack(data, encoding, channels):
    if encoding == 's24':
        b = np.frombuffer(data, 'u1').reshape(-1, 3)
        wide = np.zeros((len(b), 4), 'u1')
        wide[:, 1:] = b
        x = wide.view('<i4')[:, 0] >> 8
    elif encoding == 'u8':
        x = np.frombuffer(data, 'u1').astype(int) - 128
    else:
        x = np.frombuffer(data, {'float': '<f4', 'double': '<f8', 's16': '<i2', 's32': '<i4'}[encoding])
    return x.reshape(-1, channels)


BITS = {'u8': 8, 's16': 16, 's24': 24, 's32': 32, 'float': 32, 'double': 64}


def write_wav(path, x, encoding='float', rate=48000, mask=None, ambisonic=False, frames=None, extra=b''):
    """A plain WAVE file, or an extensible one if there is a mask. `frames`: what the header promises, if not what is there."""
    x = np.asarray(x)
    channels = x.shape[1]
    data = pack(x, encoding)
    bits = BITS[encoding]
    tag = 3 if encoding in ('float', 'double') else 1
    frame = channels * bits // 8
    size = len(data) if frames is None else frames * frame
    form = struct.pack('<HIIHH', channels, rate, rate * frame, frame, bits)
    if mask is None:
        form = struct.pack('<H', tag) + form
    else:
        form = struct.pack('<H', 0xfffe) + form + struct.pack('<HHI', 22, bits, mask) + struct.pack('<H', tag)
        form += AMBISONIC_TAIL if ambisonic else GUID_TAIL
    chunks = b'fmt ' + struct.pack('<I', len(form)) + form + extra + b'data' + struct.pack('<I', size)
    with open(path, 'wb') as out:
        out.write(b'RIFF' + struct.pack('<I', (4 + len(chunks) + size) & 0xffffffff) + b'WAVE' + chunks + data)
    return path


class Wave:
    """A WAVE or RF64 file as it stands."""

    def __init__(self, source):
        data = source
        if not isinstance(source, bytes):
            with open(source, 'rb') as file:
                data = file.read()
        self.kind = data[:4]
        assert data[8:12] == b'WAVE', data[:12]
        self.chunks = {}
        at = 12
        while at + 8 <= len(data):
            name, size = data[at:at + 4], struct.unpack('<I', data[at + 4:at + 8])[0]
            if size == 0xffffffff and name == b'data':
                size = struct.unpack('<Q', self.chunks[b'ds64'][8:16])[0] if b'ds64' in self.chunks else len(data) - at - 8
                self.open_end = b'ds64' not in self.chunks
            self.chunks.setdefault(name, data[at + 8:at + 8 + size])
            if name == b'data':
                assert len(self.chunks[name]) == size, 'the header promises more than there is'
            at += 8 + size + (size & 1)
        form = self.chunks[b'fmt ']
        self.tag, self.channels, self.rate, _, self.frame, self.bits = struct.unpack('<HHIIHH', form[:16])
        self.extensible = self.tag == 0xfffe
        self.mask = struct.unpack('<I', form[20:24])[0] if self.extensible else None
        self.guid = form[24:40] if self.extensible else None
        real = (struct.unpack('<H', form[24:26])[0] if self.extensible else self.tag) == 3
        self.encoding = {(True, 32): 'float', (True, 64): 'double', (False, 8): 'u8', (False, 16): 's16', (False, 24): 's24',
                         (False, 32): 's32'}[real, self.bits]
        self.samples = unpack(self.chunks[b'data'], self.encoding, self.channels)


def millrace(*words, code=0, stdin=None, stdout=None, **more):
    """Runs the command; fails if the exit code is another. The result has .out (bytes) and .err (text)."""
    done = subprocess.run([MILLRACE] + [str(word) for word in words], input=stdin if isinstance(stdin, bytes) else None,
                          stdin=None if isinstance(stdin, bytes) else stdin or subprocess.DEVNULL,
                          stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, **more)
    done.err = done.stderr.decode()
    done.out = done.stdout
    assert done.returncode == code, 'millrace %s: exit code %d\n%s' % (' '.join(map(str, words)), done.returncode, done.err)
    return done


def render(*words, **more):
    return millrace('render', '-q', *words, **more)


def noise(frames, channels, seed=1, peak=0.5):
    return np.random.default_rng(seed).uniform(-peak, peak, (frames, channels))
