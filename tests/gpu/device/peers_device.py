#!/usr/bin/env python3
"""Other programs that filter by cascades or recurrences on the same card: CuPy's sosfilt and torchaudio's lfilter, where they are installed.

SPDX-License-Identifier: ISC
"""
import argparse
import json
import sys
import time


def butterworth(order):
    from scipy import signal
    return signal.butter(order, 0.2, output='sos'), signal.butter(order, 0.2)


def best(run, finish, rounds):
    times = []
    run()
    finish()
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        finish()
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 5]


def cupy_rows(sizes, rounds):
    import cupy
    from cupyx.scipy import signal
    for size in sizes:
        x = cupy.random.uniform(-1, 1, 1 << size, dtype=cupy.float32)
        for order in (2, 4, 8, 16):
            sos = cupy.asarray(butterworth(order)[0], dtype=cupy.float32)
            seconds = best(lambda: signal.sosfilt(sos, x), cupy.cuda.runtime.deviceSynchronize, rounds)
            yield {'program': 'cupyx sosfilt', 'order': order, 'log2_samples': size, 'gigasamples_per_s': (1 << size) / seconds * 1e-9}


def torch_rows(sizes, rounds):
    import torch
    import torchaudio
    for size in sizes:
        x = torch.rand(1, 1 << size, device='cuda') * 2 - 1
        for order in (2, 4):
            b, a = (torch.tensor(v, dtype=torch.float32, device='cuda') for v in butterworth(order)[1])
            seconds = best(lambda: torchaudio.functional.lfilter(x, a, b, clamp=False), torch.cuda.synchronize, rounds)
            yield {'program': 'torchaudio lfilter', 'order': order, 'log2_samples': size, 'gigasamples_per_s': (1 << size) / seconds * 1e-9}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--json', required=True)
    parser.add_argument('--quick', action='store_true')
    options = parser.parse_args()
    rows, left_out = [], []
    for name, make in (('CuPy', cupy_rows), ('torchaudio', torch_rows)):
        try:
            for row in make((16,) if options.quick else (20, 24), 3 if options.quick else 10):
                print('%(program)-20s order %(order)2d, 2^%(log2_samples)d: %(gigasamples_per_s).4f 10^9 samples/s' % row)
                rows.append(row)
        except Exception as error:  # not installed, no card for it, or too slow a version: all the same here
            left_out.append('%s: %s' % (name, str(error).split('\n')[0]))
            print('left out: ' + left_out[-1])
    with open(options.json, 'w') as file:
        json.dump({'rows': rows, 'left_out': left_out}, file, indent=1)
    return 0


sys.exit(main())
