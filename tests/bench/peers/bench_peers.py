# Millrace beside scipy, liquid-dsp, SoX, ffmpeg and a plain copy: the same filter, the same samples, in the same run, in turn.
# SPDX-License-Identifier: ISC
#
# Usage: bench_peers.py [--rounds N] [--seconds S] [--json]. A Butterworth low-pass of order 16. First one channel in memory (SoX and ffmpeg:
# the time of their command less that of the same command without filters), then a file of 64 float channels from end to end, in the page
# cache. Medians of the rounds. Outputs that differ from scipy's by more than a peer's own arithmetic explains end it with exit code 1.
import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import signal

FS = 48000
BUILD = os.environ.get('MILLRACE_BUILD', 'build')
MILLRACE = os.environ.get('MILLRACE', os.path.join(BUILD, 'millrace'))
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


def bench_engine(rounds):
    """Nanoseconds per sample and channel of the engine, by channels."""
    out = subprocess.check_output([MILLRACE, 'bench', '--json', '--cascades-only', '--channels', '1,2,16,64', '--orders', '16', '--blocks', '1024', '--layout',
                                   'planar', '--rounds', str(rounds)])
    return {r['channels']: r['ns_per_sample_and_channel'] for r in json.loads(out)['records']}


FEW = [('double', order, 'rendered', channels) for order in (16, 2) for channels in (1, 2)]
FAST = [('fast', order, layout, channels) for order in (16, 2) for layout in ('interleaved', 'planar') for channels in (8, 16, 64)]
FAST_FEW = [('fast', order, 'rendered', channels) for order in (16, 2) for channels in (1, 2, 4)]
BLOCKS = [('fast', 16, 'PH in states, in memory', 1), ('fast', 16, 'dense, blocks of 64', 1)]
BENCH_BLOCK = os.path.join(BUILD, 'tests', 'bench', 'bench_block')  # built by ./waf bench
CASES = FEW + FAST_FEW + FAST + (BLOCKS if os.path.exists(BENCH_BLOCK) else [])


def bench_cases():
    """Nanoseconds per sample and channel, by arithmetic, order, layout and channels."""
    times = {}
    for precision, channels, more in (('double', '1,2', ['--renderer']), ('fast', '1,2,4', ['--renderer']), ('fast', '8,16,64', [])):
        out = subprocess.check_output([MILLRACE, 'bench', '--json', '--cascades-only', '--precision', precision, '--channels', channels, '--orders', '2,16', '--blocks',
                                       '1024', '--rounds', '3'] + more)
        for r in json.loads(out)['records']:
            times[precision, r['order'], 'rendered' if more else r['layout'], r['channels']] = r['ns_per_sample_and_channel']
    if not os.path.exists(BENCH_BLOCK):
        return times
    out = json.loads(subprocess.check_output([BENCH_BLOCK, '--json']))
    cycles = {(k['family'], k['unit_b0'], k['lanes'], k['blocks']): k['with'][1] for k in out['kernels']}  # 8 samples and a section; of 8 sections: a sample
    times[BLOCKS[0]] = out['cycle_ns'] * cycles['ph-states', False, 16, 64]
    times[BLOCKS[1]] = out['cycle_ns'] * cycles['dense', False, 16, 1]
    return times


class Peers:
    def __init__(self, folder, rounds):
        self.folder, self.rounds, self.wrong = folder, rounds, []

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, name, path, want, tolerance):
        got = np.fromfile(path, '<f4', offset=max(0, os.path.getsize(path) - want.nbytes // (want.itemsize // 4)))
        error = np.abs(got[:want.size].astype(float) - want.ravel()).max() / np.abs(want).max() if got.size >= want.size else np.inf
        if not error <= tolerance:
            self.wrong.append('%s differs from scipy by %.1e of the peak (at most %.0e)' % (name, error, tolerance))

    def one_channel(self):
        """Nanoseconds a sample."""
        n = 1 << 21
        x = np.random.default_rng(1).uniform(-0.25, 0.25, n).astype('f4')
        write_wav(self.path('one.wav'), x[:, None])
        x.tofile(self.path('one.raw'))
        np.savetxt(self.path('sections'), SOS, '%.9g')
        with open(self.path('bank.json'), 'w') as file:
            json.dump({'fs': FS, 'sos': SOS.tolist()}, file)
        want = signal.sosfilt(SOS, x.astype(float))
        liquid = helper('liquid', self.folder, '-lliquid')
        times, engine = {}, {}
        out = self.path('one.out')

        def note(name, value):
            times.setdefault(name, []).append(value)

        for i in range(self.rounds):
            start = time.perf_counter()
            signal.sosfilt(SOS, x)
            note('scipy sosfilt', 1e9 * (time.perf_counter() - start) / n)
            for channels, ns in bench_engine(3).items():
                engine.setdefault(channels, []).append(ns)
            if liquid:
                note('liquid-dsp iirfilt', float(subprocess.check_output([liquid, self.path('sections'), self.path('one.raw'), out])))
                self.check('liquid-dsp', out, want, 1e-3) if i == 0 else None
            for name, command, filters in (('SoX biquad x 8', sox, sox_filters()), ('ffmpeg biquad x 8', ffmpeg, ffmpeg_filters())):
                if not shutil.which(name.split()[0].lower()):
                    continue
                plain = seconds(command(self.path('one.wav'), out, []), out)
                note(name, 1e9 * (seconds(command(self.path('one.wav'), out, filters), out) - plain) / n)
                self.check(name, out, want, 1e-4) if i == 0 else None
        subprocess.check_call([MILLRACE, 'render', '-q', '-b', self.path('bank.json'), self.path('one.wav'), '-o', self.path('ours.wav')])
        self.check('millrace', self.path('ours.wav'), want, 1e-6)
        return {name: statistics.median(t) for name, t in times.items()}, {c: statistics.median(t) for c, t in engine.items()}

    def kernels(self):
        """Times scipy's sosfilt on one long array, round by round; and ns per sample and channel. The same order for both."""
        n = 1 << 20
        x = np.random.default_rng(1).uniform(-0.25, 0.25, n).astype('f4')
        sos = {16: SOS, 2: signal.butter(2, 0.2, output='sos')}
        ratios, times = {case: [] for case in CASES}, {case: [] for case in CASES}
        for _ in range(self.rounds):
            base = {}
            for order, rows in sos.items():
                start = time.perf_counter()
                signal.sosfilt(rows, x)
                base[order] = 1e9 * (time.perf_counter() - start) / n
            for case, ns in bench_cases().items():
                ratios[case].append(base[case[1]] / ns)
                times[case].append(ns)
        return {case: (statistics.median(times[case]), statistics.median(ratios[case])) for case in CASES}

    def whole_files(self, length, slow_rounds):
        """Seconds."""
        channels, frames = 64, int(length * FS)
        part = np.random.default_rng(2).uniform(-0.25, 0.25, (FS, channels)).astype('f4')
        x = np.tile(part, (-(-frames // FS), 1))[:frames]
        source = self.path('many.wav')
        write_wav(source, x)
        want = signal.sosfilt(SOS, x[:FS].astype(float), axis=0)
        del x
        copy = helper('copy', self.folder, '-lsndfile')
        out = self.path('many-out.wav')
        commands = [('plain libsndfile copy', [copy, source, out], 1000), ('millrace render', [MILLRACE, 'render', '-q', '-b', self.path('bank.json'), source, '-o', out], 1000),
                    ('SoX biquad x 8', ['sox', '-D', '-V1', source, out] + sox_filters(), slow_rounds),
                    ('ffmpeg aiir x 8', ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-i', source] + ffmpeg_aiir() + ['-c:a', 'pcm_f32le', '-rf64', 'auto', out], slow_rounds)]
        times = {}
        for i in range(self.rounds):
            for name, command, most in commands:
                if i >= most or not command[0] or not shutil.which(command[0]):
                    continue
                times.setdefault(name, []).append(seconds(command, out))
                if i == 0 and name != 'plain libsndfile copy':
                    self.check_file(name, out, want, frames)
        os.unlink(out)
        return {name: statistics.median(t) for name, t in times.items()}

    def check_file(self, name, path, want, frames):
        """The first second, wherever the header ends."""
        size = frames * want.shape[1] * 4
        start = os.path.getsize(path) - size
        with open(path, 'rb') as file:
            head = file.read(65536)
        at = head.index(b'data') + 8
        if start < at:
            self.wrong.append('%s wrote too little' % name)
            return
        got = np.fromfile(path, '<f4', count=want.size, offset=at)
        error = np.abs(got.astype(float) - want.ravel()).max() / np.abs(want).max()
        if not error <= (1e-6 if name.startswith('millrace') else 1e-4):
            self.wrong.append('%s differs from scipy by %.1e of the peak' % (name, error))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--seconds', type=float, default=30, help='length of the file of 64 channels')
    parser.add_argument('--json', action='store_true')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(folder, options.rounds)
        single, engine = peers.one_channel()
        kernels = peers.kernels()
        files = peers.whole_files(options.seconds, min(2, options.rounds))
    if options.json:
        print(json.dumps({'one_channel_ns': single, 'engine_ns': engine, 'files_s': files,
                          'kernels': [{'precision': p, 'order': o, 'layout': l, 'channels': c, 'ns': ns, 'times_scipy': x} for (p, o, l, c), (ns, x) in kernels.items()],
                          'wrong': peers.wrong}))
    else:
        print('Order 16, float32 samples, ns per sample and channel; multiples of scipy sosfilt on one long array')
        base = single['scipy sosfilt']
        for name, ns in single.items():
            print('  %-28s %8.2f   %6.2f x' % (name + ', 1 channel', ns, base / ns))
        for channels, ns in engine.items():
            print('  %-28s %8.2f   %6.2f x' % ('millrace, %d channel%s' % (channels, 's' if channels > 1 else ''), ns, base / ns))
        for title, cases in (('Whole streams of few channels, as `render` runs them; multiples of sosfilt of the same order', FEW),
                             ('The same in float32 arithmetic, --precision fast', FAST_FEW), ('More channels in float32 arithmetic', FAST),
                             ('The kernels alone in float32, the way of the samples included', BLOCKS)):
            print(title)
            for case in filter(kernels.get, cases):
                print('  %-28s %8.2f   %6.2f x' % ('order %d, %d %s' % (case[1], case[3], case[2]), *kernels[case]))
        print('A file of 64 float channels, %g s at 48 kHz, order 16, from file to file' % options.seconds)
        ours, plain = files['millrace render'], files.get('plain libsndfile copy')
        for name, taken in files.items():
            print('  %-28s %8.3f s   %6.2f x the time of millrace render' % (name, taken, taken / ours))
        if plain:
            print('  millrace render takes %.2f times as long as the copy' % (ours / plain))
    for line in peers.wrong:
        print('WRONG: ' + line)
    sys.exit(1 if peers.wrong else 0)


if __name__ == '__main__':
    main()
