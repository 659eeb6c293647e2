# What `millrace jack` makes of sound: the samples of `render`, whatever the blocks; banks that change without a click; silence where a bank is refused.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp tests/host/jack/tool_jackprobe
import os
import signal
import time

import numpy as np
import scipy.signal

from graph import RATE, Graph, bank_file, equal, main, noise, rendered, replace, until, write

BANK = '''Filter: ON PK Fc 900 Hz Gain 7 dB Q 2
Filter: ON Butterworth HP Order 8 Fc 80 Hz
Channel: 2 5
Filter: ON HSC Fc 5000 Hz Gain -4 dB Q 0.7
Delay: 1.5 ms
Channel: 3
Copy: 3=0.5*3+0.5*4
'''
PERIOD = 1024
CROSSOVER = 'Crossover: LinkwitzRiley Order 4 Fc 300 Hz In 1 Out 1 2\n'


def residual(y):
    """What is above 5 kHz, in dB of full scale, at its highest: a click is, and the sines played here are not."""
    high = scipy.signal.sosfilt(scipy.signal.butter(8, 5000, 'high', fs=RATE, output='sos'), np.asarray(y, float), axis=0)
    return 20 * np.log10(np.abs(high).max() + 1e-30)


def sine(frames, channels=2, fc=100.0, peak=0.5):
    """Under a rise of its own, so that its start is no click."""
    x = peak * np.sin(2 * np.pi * fc * np.arange(frames) / RATE)
    rise = np.minimum(np.arange(frames) / 9600, 1)
    return np.repeat((x * np.sin(np.pi / 2 * rise) ** 4)[:, None], channels, axis=1).astype('<f4')


def test_real_time_and_freewheel_give_the_samples_of_render():
    x, bank = noise(RATE, 8), bank_file(BANK)
    expected = rendered(x, bank)
    assert np.abs(expected - x).max() > 0.01
    for words in ((), ('freewheel',)):
        with Graph(PERIOD) as graph:
            client = graph.client('-c', 8, '-b', bank)
            got, facts = graph.play(x, *words)
            equal(got, expected, words or 'real time')
            assert words or not facts['xruns'], facts
            assert client.stop() == 0, client.said()
            assert client.reports()[-1]['troubles'] == 0


def test_blocks_may_change_at_any_time():
    sizes = [16, 8192, 64, 1024, 32, 4096, 128, 2048, 256, 16, 512]
    x, bank = noise(3 * RATE, 2), bank_file('Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nFilter: ON Butterworth HP Order 8 Fc 80 Hz\n')
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank)
        got, facts = graph.play(x, 'sizes=100:' + ','.join(map(str, sizes)))
        assert facts['blocks'] >= 10, facts
        equal(got, rendered(x, bank), 'through %d changes' % facts['blocks'])
        seen = {report['block'] for report in client.reports()}
        assert len(seen & set(sizes)) > 3, seen
        assert client.stop() == 0, client.said()


def test_sixty_four_channels_without_an_xrun():
    """The minute of it is among the long checks."""
    seconds = float(os.environ.get('MILLRACE_JACK_SECONDS') or 6)
    bank = bank_file('Filter: ON Butterworth HP Order 16 Fc 80 Hz\n')
    x = noise(int(seconds * RATE), 64)
    with Graph(PERIOD, sync=False) as graph:
        client = graph.client('-c', 64, '-b', bank)
        before = []
        got, facts = graph.play(x, in_step=False, meanwhile=lambda: before.append(client.reports()[-1]['xruns']))
        assert not facts['xruns'] and not facts['slips'], facts
        assert client.reports()[-1]['xruns'] == before[0], 'an xrun in the midst of the sound'  # others come and go at its ends
        assert 0 < max(report['load'] for report in client.reports()) < 0.5
        equal(got, rendered(x, bank), 'all of it')


def test_xruns_are_counted():
    with Graph(256, sync=False) as graph:
        client = graph.client('-c', 1, '-f', 'Preamp: 0 dB')
        _, facts = graph.play(noise(RATE // 2, 1), 'stall=300', in_step=False)
        assert facts['xruns'] > 0, facts
        until(client.reports, lambda: client.reports()[-1]['xruns'] > 0)


def test_a_bank_changes_under_sound_without_a_click():
    old, new = 'Filter: ON PK Fc 1000 Hz Gain 0.01 dB Q 1\n', 'Filter: ON PK Fc 1000 Hz Gain -12 dB Q 1\n'
    bank, x = bank_file(old), sine(3 * RATE)
    before = rendered(x, bank)

    def change():
        for text in (new, old, new, old, new):
            time.sleep(0.2)
            write(bank, text)
            client.until_reported('reload', client.reports()[-1]['reloads'] + 1)

    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank)
        got, _ = graph.play(x, meanwhile=change)
        assert client.stop() == 0, client.said()
    after = rendered(x, bank)
    assert residual(x) < -120 and residual(before) < -120, (residual(x), residual(before))
    assert residual(got) < -100, residual(got)
    equal(got[:4800], before[:4800], 'before the change')
    assert np.abs(got[-4800:].astype(float) - after[-4800:]).max() < 1e-6, 'after the change'
    assert np.abs(before - after)[-4800:].max() > 1e-3, 'the banks differ too little for this test'
    step = np.diff(got[:, 0].astype(float))
    assert np.abs(step).max() < 1.1 * np.abs(np.diff(before[:, 0].astype(float))).max()


def test_a_broken_bank_leaves_the_old_one():
    bank, x = bank_file(BANK), noise(2 * RATE, 8)
    expected = rendered(x, bank)

    def harm():
        replace(bank, 'Filter: ON PK Fc nine Hz\n')
        client.until_reported('refused')
        os.unlink(bank)
        client.kick(signal.SIGHUP)
        client.until_reported('refused', 2)

    with Graph(PERIOD) as graph:
        client = graph.client('-c', 8, '-b', bank)
        got, _ = graph.play(x, meanwhile=harm)
        assert client.stop() == 0, client.said()
    equal(got, expected, 'the bank as it was')
    said = client.said()
    assert '%s:1: expected a frequency' % bank in said and '%s: No such file' % bank in said, said
    assert said.count('plays on') == 2 and {report['state'] for report in client.reports()} == {'playing'}, said


def quiet_until_mended(first, reason):
    """A client whose bank is refused is silent, and when it is mended, nothing but the bank is heard: one that attenuates by 60 dB."""
    x = noise(2 * RATE, 2, peak=0.5)
    bank = bank_file('')
    if first is None:
        os.unlink(bank)
    else:
        write(bank, first)
    mended = CROSSOVER + 'Preamp: -60 dB\n'

    def mend():
        time.sleep(0.5)
        replace(bank, mended)
        client.until_reported('reload')

    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank)
        start = client.reports('start')[0]
        assert start['state'] == 'muted' and start['refusals'] == 1, start
        assert reason in client.said(), client.said()
        got, _ = graph.play(x, meanwhile=mend)
        assert client.stop() == 0, client.said()
    assert not got[:RATE // 3].any(), 'sound from a client that is muted'
    assert np.abs(got).max() < 2e-3, 'more than the bank lets through: %g' % np.abs(got).max()
    assert np.abs(got[-4800:].astype(float) - rendered(x, bank)[-4800:]).max() < 1e-7
    assert np.abs(got[-4800:]).max() > 1e-4


def test_a_refused_bank_that_protects_is_silent():
    quiet_until_mended(CROSSOVER + 'Filter: ON PK Fc nine Hz\n', 'may protect loudspeakers: muted')


def test_a_bank_that_is_missing_is_silent():
    quiet_until_mended(None, 'may protect loudspeakers: muted')


def test_on_error_pass_passes_what_protects_nothing():
    x = noise(RATE, 2)
    for text, state in (('Filter: ON PK Fc nine Hz\n', 'passing'), (CROSSOVER + 'Filter: ON PK Fc nine Hz\n', 'muted')):
        for on_error in ('pass', 'mute'):
            wanted = state if on_error == 'pass' else 'muted'
            with Graph(PERIOD) as graph:
                client = graph.client('-c', 2, '-b', bank_file(text), '--on-error', on_error)
                got, _ = graph.play(x, 'freewheel')
                assert client.reports()[-1]['state'] == wanted, client.reports()[-1]
            equal(got, x if wanted == 'passing' else np.zeros_like(x), '%s, %s' % (text, on_error))


def test_the_end_is_no_click():
    x = sine(2 * RATE)
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-f', 'Preamp: 0 dB')

        def end():
            time.sleep(0.8)
            assert client.stop() == 0, client.said()

        got, _ = graph.play(x, meanwhile=end)
    assert np.abs(got[RATE // 2:RATE * 3 // 5]).max() > 0.49 and not got[-RATE // 4:].any()
    assert residual(got) < -90, residual(got)


def test_peaks_and_clips_are_told():
    x = np.zeros((RATE, 4), '<f4')
    x[RATE // 2, 1] = 0.5
    x[RATE // 2:RATE // 2 + 10, 2] = -0.25
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 4, '-f', 'Preamp: 12 dB')
        graph.play(x)
        client.stop()
    levels = [report for report in client.reports() if report['peak_in_db'] is not None]
    most = max(levels, key=lambda report: report['peak_in_db'])
    assert abs(most['peak_in_db'] + 6.02) < 0.006 and most['peak_in_channel'] == 2, most
    assert abs(most['peak_out_db'] - 5.98) < 0.006 and most['peak_out_channel'] == 2, most
    assert most['clipping_channels'] == 1 and client.reports()[-1]['clips'] == 1, client.reports()[-1]


def test_one_channel_and_a_thousand():
    for channels in (1, 1024):
        bank = bank_file('Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: %d\nPreamp: -3 dB\n' % channels)
        x = noise(RATE // 8, channels)
        with Graph(PERIOD, words=['-p', '4096' if channels > 1 else '512']) as graph:
            client = graph.client('-c', channels, '-b', bank)
            if channels == 1:
                equal(graph.play(x, 'freewheel')[0], rendered(x, bank), '1 channel')
            ports = [port for port in graph.ports() if port.startswith('millrace:')]
            assert ports.count('millrace:in_%d' % channels) == 1 and len(ports) == 2 * channels
            assert client.reports()[-1]['state'] == 'playing' and client.stop() == 0, client.said()


main(globals())
