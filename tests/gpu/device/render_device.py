#!/usr/bin/env python3
"""`millrace render` of a long file on the card and on the CPU, in turn: the time of each, and whether they agree within -120 dB.

SPDX-License-Identifier: ISC
"""
import argparse
import array
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

BANK = ['-f', 'Filter: ON Butterworth LP Order 16 Fc 4800 Hz']


def write_raw(path, frames, channels):
    """White noise as raw float32: nothing but the system is needed to write it."""
    state = 88172645463325252
    block = array.array('f')
    for _ in range(65536):
        state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
        block.append((state >> 11) / 2.0 ** 53 - 0.5)
    data = block.tobytes()
    left = frames * channels * 4
    with open(path, 'wb') as file:
        while left > 0:
            file.write(data[:left])
            left -= len(data)


def differ(a, b):
    """The largest difference of two files of float32."""
    worst = 0.0
    with open(a, 'rb') as x, open(b, 'rb') as y:
        while True:
            p, q = x.read(1 << 16), y.read(1 << 16)
            if len(p) != len(q):
                return float('inf')
            if not p:
                return worst
            if p != q:
                n = len(p) // 4
                worst = max(worst, max(abs(u - v) for u, v in zip(struct.unpack('%df' % n, p), struct.unpack('%df' % n, q))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('millrace')
    parser.add_argument('--json', required=True)
    parser.add_argument('--quick', action='store_true')
    options = parser.parse_args()
    rows, agree = [], True
    for channels, frames in (((2, 50000),) if options.quick else ((1, 1 << 27), (16, 1 << 23), (64, 1 << 21))):
        with tempfile.TemporaryDirectory(prefix='millrace-device-') as folder:
            source = os.path.join(folder, 'in.raw')
            write_raw(source, frames, channels)
            seconds = {'cpu': [], 'cuda': []}
            for _ in range(1 if options.quick else 3):
                for device in seconds:
                    begin = time.perf_counter()
                    code = subprocess.call([options.millrace, 'render', '--quiet', '--device', device, '--raw', '48000:%d:float' % channels] + BANK +
                                           [source, '-o', os.path.join(folder, device + '.raw')])
                    seconds[device].append(time.perf_counter() - begin)
                    if code:
                        return code
            worst = differ(os.path.join(folder, 'cpu.raw'), os.path.join(folder, 'cuda.raw')) if frames * channels <= 1 << 24 or options.quick else None
            agree = agree and (worst is None or worst < 1e-6)
            row = {'channels': channels, 'frames': frames, 'largest_difference': worst}
            for device in seconds:
                row[device + '_s'] = sorted(seconds[device])[len(seconds[device]) // 2]
            rows.append(row)
            print('%d channels of %d frames: CPU %.3f s, card %.3f s' % (channels, frames, row['cpu_s'], row['cuda_s']))
    with open(options.json, 'w') as file:
        json.dump(rows, file, indent=1)
    return 0 if agree else 1


sys.exit(main())
