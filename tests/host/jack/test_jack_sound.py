# What `millrace jack` makes of sound: the samples of `render`, whatever the blocks and the number of channels; and what it tells of them.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp tests/host/jack/tool_jackprobe
import numpy as np

from graph import RATE, SANITIZE, Graph, bank_file, equal, main, noise, rendered, until, without_xruns

BANK = '''Filter: ON PK Fc 900 Hz Gain 7 dB Q 2
Filter: ON Butterworth HP Order 8 Fc 80 Hz
Channel: 2 5
Filter: ON HSC Fc 5000 Hz Gain -4 dB Q 0.7
Delay: 1.5 ms
Channel: 3
Copy: 3=0.5*3+0.5*4
'''
PERIOD = 1024


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
    """A minute of it is among the long checks."""
    bank = bank_file('Filter: ON Butterworth HP Order 16 Fc 80 Hz\n')
    x = noise(6 * RATE, 64)
    with Graph(PERIOD, sync=bool(SANITIZE)) as graph:
        client = graph.client('-c', 64, '-b', bank)
        got = graph.play(x)[0] if SANITIZE else without_xruns(graph, x)
        assert 0 < max(report['load'] for report in client.reports()) < 0.5
        expected = rendered(np.concatenate([x, x]), bank)[len(x):]  # as in a second try; what rang of an earlier one is less than a float shows
        assert np.abs(got[RATE:].astype(float) - expected[RATE:]).max() < 1e-7


def test_xruns_are_counted():
    with Graph(256, sync=False) as graph:
        client = graph.client('-c', 1, '-f', 'Preamp: 0 dB')
        _, facts = graph.play(noise(RATE // 2, 1), 'stall=300', in_step=False)
        assert facts['xruns'] > 0, facts
        until(client.reports, lambda: client.reports()[-1]['xruns'] > 0)


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
