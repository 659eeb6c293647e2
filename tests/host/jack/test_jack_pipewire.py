# `millrace jack` in PipeWire, through its JACK library: the samples of `render`, another sample rate while it runs, and the end.
# SPDX-License-Identifier: ISC
# Needs: pipewire pw-jack pw-metadata jack_lsp tests/host/jack/tool_jackprobe
import os
import signal

from graph import Graph, bank_file, equal, main, noise, rendered, run, until

BANK = 'Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\nChannel: 2\nFilter: ON Butterworth HP Order 8 Fc 80 Hz\n'


class PipeWire(Graph):
    """The daemon without a session manager and without any device, in a folder of its own."""

    def __init__(self):
        super().__init__()
        library = run(['pw-jack', 'printenv', 'LD_LIBRARY_PATH']).stdout.strip()
        for name in ('DBUS_SESSION_BUS_ADDRESS', 'PIPEWIRE_REMOTE', 'PIPEWIRE_LATENCY'):
            self.environment.pop(name, None)
        self.environment.update(XDG_RUNTIME_DIR=self.folder, PIPEWIRE_RUNTIME_DIR=self.folder, LD_LIBRARY_PATH=library)
        self.words = ['pipewire']

    def is_up(self):
        return os.path.exists(os.path.join(self.folder, 'pipewire-0')) and run(['jack_lsp'], ok=None, **self.environment).returncode == 0

    def settings(self, key, value):
        run(['pw-metadata', '-n', 'settings', '0', key, str(value)], **self.environment)


def test_the_samples_of_render_at_one_rate_and_another():
    bank, x = bank_file(BANK), noise(48000, 2)
    with PipeWire() as graph:
        client = graph.client('-c', 2, '-b', bank)
        second = graph.client('-c', 1, '-f', 'Preamp: 0 dB')
        assert client.reports()[0]['rate'] == 48000 and second.reports()[0]['client'] not in ('', 'millrace')
        assert second.stop() == 0
        equal(graph.play(x)[0], rendered(x, bank), '48 kHz')
        graph.settings('clock.force-rate', 96000)
        until(lambda: 'another rate: %s' % client.reports()[-1], lambda: client.reports('rate'))
        assert client.reports()[-1]['rate'] == 96000 and client.reports()[-1]['state'] == 'playing'
        assert 'the sample rate is 96000 Hz now' in client.said()
        equal(graph.play(x)[0], rendered(x, bank, 96000), '96 kHz')
        graph.settings('clock.force-quantum', 64)
        until(lambda: 'another block: %s' % client.reports()[-1], lambda: client.reports()[-1]['block'] == 64)
        assert client.stop() == 0, client.said()


def test_a_bank_of_another_rate_is_silence():
    bank = bank_file('Rate: 48000 Hz\nFilter: ON IIR Order 2 Coefficients 1.0 -1.9 0.95 1.0 -1.8 0.85\nCopy: 1=0.5*1\n')
    x = noise(24000, 2)
    with PipeWire() as graph:
        client = graph.client('-c', 2, '-b', bank)
        assert client.reports()[0]['state'] == 'playing'
        graph.settings('clock.force-rate', 96000)
        client.until_reported('refused')
        assert client.reports()[-1]['state'] == 'muted' and 'may protect loudspeakers: muted' in client.said(), client.said()
        assert not graph.play(x)[0].any()
        graph.settings('clock.force-rate', 48000)
        client.until_reported('rate')
        equal(graph.play(x)[0], rendered(x, bank), '48 kHz again')


def test_its_end_is_the_clients():
    with PipeWire() as graph:
        client = graph.client('-c', 2, '-b', bank_file(BANK))
        graph.server.send_signal(signal.SIGKILL)
        assert client.end() == 4 and 'the JACK server has ended' in client.said(), client.said()


main(globals())
