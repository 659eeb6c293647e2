# Millrace beside scipy, liquid-dsp, SoX, ffmpeg and a plain copy: the same filter, the same samples, in the same run, in turn.
# SPDX-License-Identifier: ISC
#
# Usage: bench_peers.py [--rounds N] [--seconds S] [--json]. A Butterworth low-pass of order 16. First one channel in memory (SoX and ffmpeg:
# the time of their command less that of the same command without filters), then Millrace's ways of running it and one of order 2, then a file of
# 64 float channels from end to end, in the page cache. Medians of the rounds, with the 10th and 90th percentile in brackets. Ratios are taken round
# by round: scipy's sosfilt of the same order (of files, millrace render) is measured directly before and directly after everything else, and the mean
# of the two counts. Outputs that differ from scipy's by more than a peer's own arithmetic explains end it with exit code 1.
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy import signal

from outside import BUILD, FS, SOS, ffmpeg, ffmpeg_aiir, ffmpeg_filters, helper, seconds, sox, sox_filters, write_wav
from spread import Beside, Figures, spread, text

MILLRACE = os.environ.get('MILLRACE', os.path.join(BUILD, 'millrace'))
BENCH_BLOCK = os.path.join(BUILD, 'tests', 'bench', 'bench_block')  # built by ./waf bench
SLOW_ROUNDS = 3  # of programs that take many seconds

# Arithmetic, order, way, channels.
ENGINE = [('double', 16, 'planar', channels) for channels in (1, 2, 16, 64)]
FEW = [('double', order, 'rendered', channels) for order in (16, 2) for channels in (1, 2)]
FAST = [('fast', order, layout, channels) for order in (16, 2) for layout in ('interleaved', 'planar') for channels in (8, 16, 64)]
FAST_FEW = [('fast', order, 'rendered', channels) for order in (16, 2) for channels in (1, 2, 4)]
BLOCKS = [('fast', 16, 'PH in states, in memory', 1), ('fast', 16, 'dense, blocks of 64', 1)]
TITLES = [('The engine in real time, planar blocks of 1024', ENGINE), ('Whole streams of few channels, as `render` runs them', FEW),
          ('The same in float32 arithmetic, --precision fast', FAST_FEW), ('More channels in float32 arithmetic', FAST),
          ('The kernels alone in float32, the way of the samples included', BLOCKS)]


def bench_case(case):
    """Nanoseconds per sample and channel."""
    precision, order, way, channels = case
    command = [MILLRACE, 'bench', '--json', '--cascades-only', '--precision', precision, '--channels', str(channels), '--orders', str(order), '--blocks', '1024',
               '--rounds', '3'] + (['--renderer'] if way == 'rendered' else ['--layout', way])
    records = json.loads(subprocess.check_output(command))['records']
    assert len(records) == 1
    return records[0]['ns_per_sample_and_channel']


def bench_blocks():
    """The same of BLOCKS."""
    out = json.loads(subprocess.check_output([BENCH_BLOCK, '--json']))
    cycles = {(k['family'], k['unit_b0'], k['lanes'], k['blocks']): k['with'][1] for k in out['kernels']}  # 8 samples and a section; of 8 sections: a sample
    return [out['cycle_ns'] * cycles[key] for key in (('ph-states', False, 16, 64), ('dense', False, 16, 1))]


class Peers:
    def __init__(self, folder, rounds):
        self.folder, self.rounds, self.wrong = folder, rounds, []
        self.x = np.random.default_rng(1).uniform(-0.25, 0.25, 1 << 20).astype('f4')
        self.sos = {16: SOS, 2: signal.butter(2, 0.2, output='sos')}

    def path(self, name):
        return os.path.join(self.folder, name)

    def sosfilt(self, order, samples=1 << 20):
        """Nanoseconds a sample of scipy's sosfilt on one long array."""
        start = time.perf_counter()
        signal.sosfilt(self.sos[order], self.x[:samples])
        return 1e9 * (time.perf_counter() - start) / samples

    def sosfilt_short(self, order):
        """The same as `millrace bench --rounds 3` measures: the median of three runs of a few milliseconds, so that what else the machine does
        in between disturbs both alike."""
        return statistics.median(self.sosfilt(order, {16: 1 << 17, 2: 1 << 19}[order]) for _ in range(3))

    def check(self, name, path, want, tolerance):
        got = np.fromfile(path, '<f4', offset=max(0, os.path.getsize(path) - want.nbytes // (want.itemsize // 4)))
        error = np.abs(got[:want.size].astype(float) - want.ravel()).max() / np.abs(want).max() if got.size >= want.size else np.inf
        if not error <= tolerance:
            self.wrong.append('%s differs from scipy by %.1e of the peak (at most %.0e)' % (name, error, tolerance))

    def one_channel(self):
        """Nanoseconds a sample of other programs; and times scipy."""
        n = 1 << 21
        x = np.random.default_rng(1).uniform(-0.25, 0.25, n).astype('f4')
        write_wav(self.path('one.wav'), x[:, None])
        x.tofile(self.path('one.raw'))
        np.savetxt(self.path('sections'), SOS, '%.9g')
        with open(self.path('bank.json'), 'w') as file:
            json.dump({'fs': FS, 'sos': SOS.tolist()}, file)
        want, out, figures = signal.sosfilt(SOS, x.astype(float)), self.path('one.out'), Figures()
        liquid = helper('liquid', self.folder, '-lliquid')

        def added(command, filters):
            plain = seconds(command(self.path('one.wav'), out, []), out)
            return 1e9 * (seconds(command(self.path('one.wav'), out, filters), out) - plain) / n

        peers = [('scipy sosfilt', lambda: self.sosfilt(16), None)]
        if liquid:
            peers.append(('liquid-dsp iirfilt', lambda: float(subprocess.check_output([liquid, self.path('sections'), self.path('one.raw'), out])), 1e-3))
        for name, command, filters in (('SoX biquad x 8', sox, sox_filters()), ('ffmpeg biquad x 8', ffmpeg, ffmpeg_filters())):
            if shutil.which(name.split()[0].lower()):
                peers.append((name, lambda command=command, filters=filters: added(command, filters), 1e-4))
        beside = Beside(lambda: self.sosfilt(16))
        for i in range(self.rounds):
            beside.pause()
            for name, measure, tolerance in peers:
                ns, base = beside.run(measure)
                figures.note(name, ns, base / ns)
                self.check(name, out, want, tolerance) if i == 0 and tolerance else None
        subprocess.check_call([MILLRACE, 'render', '-q', '-b', self.path('bank.json'), self.path('one.wav'), '-o', self.path('ours.wav')])
        self.check('millrace', self.path('ours.wav'), want, 1e-6)
        return figures

    def millrace(self):
        """Nanoseconds per sample and channel by case; and times scipy of the same order on one long array."""
        figures = Figures()
        for _ in range(self.rounds):
            for order in self.sos:
                beside = Beside(lambda order=order: self.sosfilt_short(order))
                for case in [case for case in ENGINE + FEW + FAST_FEW + FAST if case[1] == order]:
                    ns, base = beside.run(lambda case=case: bench_case(case))
                    figures.note(case, ns, base / ns)
            if os.path.exists(BENCH_BLOCK):
                both, base = Beside(lambda: self.sosfilt_short(16)).run(bench_blocks)
                for case, ns in zip(BLOCKS, both):
                    figures.note(case, ns, base / ns)
        return figures

    def whole_files(self, length):
        """Seconds; and times millrace render, which is measured around each of the others."""
        channels, frames = 64, int(length * FS)
        part = np.random.default_rng(2).uniform(-0.25, 0.25, (FS, channels)).astype('f4')
        x = np.tile(part, (-(-frames // FS), 1))[:frames]
        source, out, figures = self.path('many.wav'), self.path('many-out.wav'), Figures()
        write_wav(source, x)
        want = signal.sosfilt(SOS, x[:FS].astype(float), axis=0)
        del x
        copy = helper('copy', self.folder, '-lsndfile')
        render = [MILLRACE, 'render', '-q', '-b', self.path('bank.json'), source, '-o', out]
        commands = [('plain libsndfile copy', [copy, source, out], self.rounds), ('millrace render', render, self.rounds),
                    ('SoX biquad x 8', ['sox', '-D', '-V1', source, out] + sox_filters(), SLOW_ROUNDS),
                    ('ffmpeg aiir x 8', ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-i', source] + ffmpeg_aiir() + ['-c:a', 'pcm_f32le', '-rf64', 'auto', out], SLOW_ROUNDS)]
        beside = Beside(lambda: seconds(render, out))

        def measure(name, command, first):
            taken = seconds(command, out)
            if first and name != 'plain libsndfile copy':
                self.check_file(name, out, want, frames)
            return taken

        for i in range(self.rounds):
            for name, command, rounds in commands:
                if i < rounds and command[0] and shutil.which(command[0]):
                    taken, base = beside.run(lambda name=name, command=command, i=i: measure(name, command, i == 0))
                    figures.note(name, taken, taken / base)
        os.unlink(out)
        return figures

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


def line(name, time_text, ratio, rounds, unit=''):
    fewer = '' if ratio['rounds'] == rounds else '   (%d rounds)' % ratio['rounds']
    print('  %-32s %22s%s   %20s x%s' % (name, time_text, unit, text(ratio), fewer))


def records(figures, unit, ratio, name):
    """Each case: what it is, the spread of its times and of its ratios."""
    out = []
    for case in figures.cases():
        times, ratios = figures.of(case)
        out.append(dict(name(case), **{unit: times, ratio: ratios}))
    return out


def print_all(one, millrace, files, rounds, length):
    print('Median [10th..90th percentile] of %d rounds: ns per sample and channel, float32 samples; multiples of scipy sosfilt of the same order' % rounds)
    print('Order 16, one channel')
    for name in one.cases():
        line(name, text(one.of(name)[0]), one.of(name)[1], rounds)
    for title, cases in TITLES:
        print('Millrace. ' + title) if set(cases) & set(millrace.cases()) else None
        for case in [case for case in cases if case in millrace.cases()]:
            times, ratios = millrace.of(case)
            line('order %d, %d %s' % (case[1], case[3], case[2]), text(times), ratios, rounds)
    print('A file of 64 float channels, %g s at 48 kHz, order 16, from file to file; multiples of the time of millrace render' % length)
    for name in files.cases():
        line(name, text(files.of(name)[0], 3), files.of(name)[1], rounds, ' s')
    if 'plain libsndfile copy' in files.cases():
        print('  millrace render takes %s times as long as the copy' % text(spread([1 / ratio for ratio in files.ratios['plain libsndfile copy']])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--rounds', type=int, default=11)
    parser.add_argument('--seconds', type=float, default=30, help='length of the file of 64 channels')
    parser.add_argument('--json', action='store_true')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(folder, options.rounds)
        one, millrace, files = peers.one_channel(), peers.millrace(), peers.whole_files(options.seconds)
    if options.json:
        print(json.dumps({'rounds': options.rounds, 'one_channel': records(one, 'ns', 'times_scipy', lambda name: {'name': name}),
                          'millrace': records(millrace, 'ns', 'times_scipy', lambda case: dict(zip(('precision', 'order', 'way', 'channels'), case))),
                          'files': records(files, 's', 'times_render', lambda name: {'name': name}), 'wrong': peers.wrong}))
    else:
        print_all(one, millrace, files, options.rounds, options.seconds)
    for wrong in peers.wrong:
        print('WRONG: ' + wrong, file=sys.stderr)
    sys.exit(1 if peers.wrong else 0)


if __name__ == '__main__':
    main()
