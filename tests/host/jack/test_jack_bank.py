# The bank of `millrace jack` under sound: it changes without a click, a broken one leaves the old one, and where none plays yet there is silence.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp tests/host/jack/tool_jackprobe
import os
import signal
import time

import numpy as np
import scipy.signal

from graph import RATE, Graph, bank_file, equal, main, noise, rendered, replace, write

BANK = 'Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nFilter: ON HSC Fc 5000 Hz Gain -4 dB Q 0.7\nDelay: 1.5 ms\n'
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


main(globals())
