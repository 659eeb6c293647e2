# `millrace render --device`: files through an emulated card are those of the CPU, whatever goes wrong on the way.
# SPDX-License-Identifier: ISC
# Needs: gpu/millrace-emulator.so
import json
import os
import signal
import subprocess
import time

import numpy as np

from audio import BUILD, MILLRACE, SOURCE, UNITY, Wave, main, millrace, noise, render, scratch, write_wav

MODULE = os.environ.get('MILLRACE_GPU_MODULE') or BUILD + '/gpu/millrace-emulator.so'
# Streams of the card in a random order: what does not wait for what it needs is seen.
ENV = dict({'MILLRACE_EMULATOR_SEED': '1'}, **dict(os.environ, MILLRACE_GPU_MODULE=MODULE))
AGREES = 1e-6  # of full scale: -120 dB
BELL = ['-f', 'PK Fc 1000 Hz Gain -3 dB Q 1.4', '-f', 'Butterworth HP Order 5 Fc 4000 Hz']
CUDA = ['--device', 'cuda']


def on_card(*words, faults=None, **more):
    environment = dict(ENV, **{'MILLRACE_EMULATOR_' + name: str(value) for name, value in (faults or {}).items()})
    return render(*CUDA, *words, env=environment, **more)


def reported(done):
    return json.loads(done.out)


class Place:
    def __init__(self, x=None, **more):
        self.folder = scratch()
        self.input = write_wav(self.folder + '/in.wav', noise(20000, 3) if x is None else x, **more)
        self.cpu, self.card = self.folder + '/cpu.wav', self.folder + '/card.wav'

    def agree(self, *words, bound=AGREES, faults=None, card=()):
        """Both render; returns the report of the card."""
        render('--device', 'cpu', *words, self.input, '-o', self.cpu)
        done = on_card('--json', *words, *card, self.input, '-o', self.card, faults=faults)
        a, b = Wave(self.cpu), Wave(self.card)
        assert a.encoding == b.encoding and a.mask == b.mask and a.samples.shape == b.samples.shape
        scale = {'s16': 32768, 's24': 1 << 23}.get(a.encoding, 1)
        worst = np.max(np.abs(a.samples.astype(float) - b.samples.astype(float))) / scale if a.samples.size else 0
        assert worst < bound + (1.01 / scale if scale > 1 else 0), (words, worst)
        return done


def demo_recording():
    """A second of what the demo filters: eight channels of 16 bit, each with its voice, or noise where the voices are not installed."""
    import sys
    sys.path.insert(0, SOURCE)
    from tools import demo
    voices = os.path.isdir(demo.VOICES)
    parts = []
    for channel, (_, name) in enumerate(demo.CHANNELS):
        part = np.zeros((6000, len(demo.CHANNELS)), int)
        part[:, channel] = np.frombuffer(demo.read_voice(name), '<i2')[6000:12000] if voices else 32767 * noise(6000, 1, channel)[:, 0]
        parts.append(part)
    return demo.BANK, demo.MASK, np.concatenate(parts)


def test_the_demo():
    bank, mask, x = demo_recording()
    p = Place(x, encoding='s16', mask=mask)
    with open(p.folder + '/bank.txt', 'w') as out:
        out.write(bank)
    for more in ([], ['--encoding', 'float'], ['--encoding', 'float', '--block', '4096']):
        report = reported(p.agree('-b', p.folder + '/bank.txt', *more))
        assert report['device']['kind'] == 'cuda' and report['plan'] is None and 'lost' not in report['device']


def test_orders_and_channels():
    for channels, order in ((1, 32), (2, 16), (3, 8), (5, 1), (8, 3), (17, 2), (31, 4), (33, 2), (67, 2)):
        p = Place(noise(1500 if channels > 16 else 3000, channels))
        words = ['-f', 'Butterworth LP Order %d Fc 9000 Hz' % order, '-f', 'Channel: 1', '-f', 'PK Fc 3000 Gain 4 Q 2']
        p.agree(*words)
        if channels % 2:
            p.agree(*words, card=['--block', '640'])
        else:
            p.agree(*words, '--precision', 'fast', bound=1e-4)
    p = Place(noise(3000, 2), encoding='double')
    p.agree('-f', 'Butterworth LP Order 8 Fc 9000 Hz', bound=1e-9)


def test_filters_that_ring_for_ever():
    p = Place(noise(30000, 2))
    for bound, filters in ((AGREES, 'Butterworth HP Order 8 Fc 20 Hz'), (AGREES, 'PK Fc 50 Hz Gain 6 dB Q 60')):
        report = reported(p.agree('-f', filters, card=['--block', '4096']))
        assert 'look-back' in report['device']['kernel'] or 'channels' in report['device']['kernel'], report['device']


def test_blocks_do_not_show():
    p = Place(noise(5000, 3))
    p.agree(*BELL)
    whole = Wave(p.card).samples
    for block in (64, 128, 1000, 4096, 65536):
        on_card(*BELL, '--block', block, p.input, '-o', p.card)
        assert np.max(np.abs(Wave(p.card).samples - whole)) <= 2.0 ** -23, block


def test_options_are_those_of_the_cpu():
    p = Place(noise(5000, 3, peak=1.5))
    for words in (['--tail', '0.25'], ['--tail', 'auto'], ['--channels', '3,1'], ['--encoding', 's24'], ['--encoding', 's16', '--channels', '2'],
                  ['--format', 'caf', '--tail', '0.01']):
        if '--format' in words:
            render('--device', 'cpu', *BELL, *words, p.input, '-o', p.folder + '/a.caf')
            on_card(*BELL, *words, p.input, '-o', p.folder + '/b.caf')
            assert os.path.getsize(p.folder + '/a.caf') == os.path.getsize(p.folder + '/b.caf')
            continue
        there = json.loads(render('--device', 'cpu', '--json', *BELL, *words, p.input, '-o', p.cpu).out)
        here = reported(p.agree(*BELL, *words, card=['--block', '1024']))
        assert (here['frames'], here['tail_frames'], here['channels']) == (there['frames'], there['tail_frames'], there['channels'])
        assert abs(here['clips']['count'] - there['clips']['count']) <= 1
        assert [c['channel'] for c in here['clips']['channels']] == [c['channel'] for c in there['clips']['channels']]
    assert here['clips']['count'] > 0
    nothing = Place(np.zeros((0, 2)))
    nothing.agree(*BELL)
    nothing.agree(*BELL, '--tail', '0.01')
    p.agree(*UNITY, bound=1e-12)


def test_pipes_have_no_length():
    p = Place()
    p.agree(*BELL)
    with open(p.input, 'rb') as file:
        piped = on_card(*BELL, '--block', '2048', '-', '-o', '-', stdin=file.read())
    assert np.max(np.abs(Wave(piped.out).samples - Wave(p.cpu).samples)) < AGREES


def test_a_file_that_the_card_could_not_hold():
    x = noise(1 << 17, 8)  # 4 MB
    p = Place(x)
    p.agree(*BELL, faults={'MEMORY': 3 << 20}, card=['--block', '4096'])


def test_what_is_not_a_number():
    x = noise(8000, 3)
    p = Place(x)
    p.agree(*BELL)
    clean = Wave(p.card).samples
    x[3000, 1] = np.nan
    p = Place(x)
    done = on_card('--json', *BELL, p.input, '-o', p.card)
    y = Wave(p.card).samples
    assert reported(done)['troubles'] >= 1 and 'are no numbers' in done.err
    assert np.max(np.abs(y[:, [0, 2]] - clean[:, [0, 2]])) <= 2.0 ** -23
    assert np.max(np.abs(y[7000:, 1] - clean[7000:, 1])) < AGREES


def test_a_card_that_is_lost_at_any_launch():
    p = Place(noise(10000, 3))
    words = ['-f', 'Butterworth HP Order 7 Fc 300 Hz', '-f', 'Channel: 2', '-f', 'PK Fc 100 Gain 9 Q 3']
    launches = -(-10000 // 1024)
    for at in range(1, launches + 2):
        for code in (719, 700):
            done = p.agree(*words, '--encoding', 's24' if at % 3 == 0 else 'float', faults={'LOSE_DEVICE': at, 'LOST_ERROR': code},
                           card=['--block', '1024'])
            lost = reported(done)['device'].get('lost')
            assert (lost is not None) == (at <= launches) == ('the card was lost' in done.err), (at, done.err)
            if lost:
                assert lost['frame'] % 1024 == 0 and lost['frame'] <= (at - 1) * 1024, lost
                assert ('%.3f s' % (lost['frame'] / 48000)) in done.err and reported(done)['plan'] is not None
    for seed in range(3):
        p.agree(*words, faults={'LOSE_DEVICE': 5, 'SEED': seed + 1}, card=['--block', '1024'])
    p.agree(*words, '--precision', 'fast', bound=1e-4, faults={'LOSE_DEVICE': 5}, card=['--block', '1024'])


def fails(p, *words, says, code=4, faults=None, env=None):
    before = sorted(os.listdir(p.folder))
    environment = dict(env or ENV, **{'MILLRACE_EMULATOR_' + name: str(value) for name, value in (faults or {}).items()})
    done = render(*words, p.input, '-o', p.folder + '/never.wav', code=code, env=environment)
    assert sorted(os.listdir(p.folder)) == before
    assert len(done.err.splitlines()) == 1 and says in done.err, done.err


def test_no_card():
    p = Place(noise(500, 2))
    absent = dict(os.environ, MILLRACE_GPU_MODULE=p.folder + '/none.so')
    fails(p, *CUDA, *BELL, says='none.so', env=absent)
    fails(p, *CUDA, *BELL, says='no CUDA', faults={'NO_DRIVER': 1})
    fails(p, *CUDA, *BELL, says='no card', faults={'NO_DEVICE': 1})
    fails(p, *CUDA, '-f', 'Copy: L=R', says='routes')
    fails(p, *CUDA, '-f', 'Delay: 3 ms', says='delayed')
    fails(p, *CUDA, '-f', 'Butterworth LP Order 32 Fc 1000', '-f', 'Butterworth LP Order 32 Fc 1000', '-f', 'PK Fc 1000 Gain 3 Q 1', says='33 sections')
    fails(p, *CUDA, '--realtime-kernels', *BELL, says='exclude each other', code=2)
    fails(p, '--device', 'gpu', *BELL, says='auto, cpu or cuda', code=2)


def test_memory_that_is_not_there():
    p = Place(noise(500, 2))
    at = 1
    while at < 100:
        done = subprocess.run([MILLRACE, 'render', '-q', *CUDA, *BELL, p.input, '-o', p.card], env=dict(ENV, MILLRACE_EMULATOR_FAIL_ALLOCATION=str(at)),
                              capture_output=True, text=True)
        if done.returncode == 0:
            break
        assert done.returncode == 4 and 'too little memory' in done.stderr, (at, done.stderr)
        at += 1
    assert 20 < at < 100
    p.agree(*BELL)


def test_auto_stays_where_it_pays():
    p = Place(noise(5000, 2))
    absent = dict(os.environ, MILLRACE_GPU_MODULE=p.folder + '/none.so')
    for words in ([], ['--device', 'auto']):
        done = render('--json', *words, *BELL, p.input, '-o', p.card, env=absent)
        device = reported(done)['device']
        assert device['kind'] == 'cpu' and 'before a card could' in device['reason'] and not done.err
        assert '"plan":null' not in done.out.decode()
    render('--device', 'cpu', *BELL, p.input, '-o', p.cpu)
    assert np.array_equal(Wave(p.cpu).samples, Wave(p.card).samples)


def test_a_signal_leaves_nothing():
    p = Place(noise(1 << 19, 8))
    before = sorted(os.listdir(p.folder))
    run = subprocess.Popen([MILLRACE, 'render', *CUDA, '-f', 'Butterworth LP Order 32 Fc 9000', p.input, '-o', p.card], env=ENV, stderr=subprocess.DEVNULL)
    while len(os.listdir(p.folder)) == len(before) and run.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    run.send_signal(signal.SIGTERM)
    assert run.wait(30) == 128 + signal.SIGTERM
    assert sorted(os.listdir(p.folder)) == before


def test_info_lists_cards():
    def told(*words, faults=None):
        environment = dict(ENV, **(faults or {}))
        return json.loads(millrace('info', '--json', *words, env=environment).out)['cuda']

    card, = told()['cards']
    assert card['name'] and card['multiprocessors'] > 0 and 'plan' not in card
    card, = told('-f', 'Butterworth LP Order 16 Fc 4800 Hz', '-n', '4')['cards']
    plan = card['plan']
    assert plan['kernel'] != 'auto' and plan['chunk_kernel_s'] > 0 and plan['kernel_samples_per_second'] > 0
    assert abs(plan['early_frames'] - 384) < 64 or plan['depth'] > 0, plan
    shown = millrace('info', '-f', 'Butterworth LP Order 16 Fc 4800 Hz', '-n', '4', env=ENV).out.decode()
    assert 'card: ' + card['name'] in shown and 'plan: ' + plan['kernel'] in shown and '(taken)' in shown
    refused, = told('-f', 'Delay: 3 ms')['cards']
    assert 'delayed' in refused['plan']['refused']
    none = told(faults={'MILLRACE_EMULATOR_NO_DRIVER': '1'})
    assert not none['cards'] and 'driver' in none['reason']


if __name__ == '__main__':
    main(globals())
