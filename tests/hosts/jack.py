# A JACK server of our own without a sound card, and clients in it.
# SPDX-License-Identifier: ISC
import os
import subprocess
import time

from lv2 import RATE, TOOLS, read_floats, run, scratch, stop, write_floats


class Server:
    """jackd with the dummy driver under a name of its own; for a with statement. Ends its clients too."""

    def __init__(self, period):
        self.folder = scratch()
        self.name = 'millrace-%d-%s' % (os.getpid(), os.path.basename(self.folder))
        self.environment = dict(os.environ, JACK_DEFAULT_SERVER=self.name, JACK_NO_AUDIO_RESERVATION='1', HOME=self.folder)
        self.period, self.processes = period, []

    def start(self, words, log, stdin=subprocess.DEVNULL, **more):
        with open(os.path.join(self.folder, log), 'wb') as sink:
            process = subprocess.Popen(words, env=dict(self.environment, **more), stdin=stdin, stdout=sink, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def said(self, log):
        with open(os.path.join(self.folder, log), errors='replace') as text:
            return text.read()

    def wait(self, what, ready, process, log, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            assert process.poll() is None, '%s ended:\n%s' % (what, self.said(log))
            assert time.monotonic() < end, '%s is not there after %d s:\n%s' % (what, seconds, self.said(log))
            time.sleep(0.02)

    def ports(self):
        return run(['jack_lsp'], ok=None, **self.environment).stdout.split()

    def __enter__(self):
        server = self.start(['jackd', '-r', '-d', 'dummy', '-r', str(RATE), '-p', str(self.period), '-C', '2', '-P', '2'], 'jackd.log')
        try:
            self.wait('jackd', lambda: 'system:playback_2' in self.ports(), server, 'jackd.log')
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)

    def jalv(self, uri, bundles, values, channels):
        """The plugin as the client `dut`."""
        words = ['jalv', '-i', '-x', '-n', 'dut'] + [word for symbol, value in values.items() for word in ('-c', '%s=%.9g' % (symbol, value))]
        process = self.start(words + [uri], 'jalv.log', LV2_PATH=bundles)
        self.wait('jalv', lambda: 'dut:out_%d' % channels in self.ports(), process, 'jalv.log')

    def console(self, uri, bundles, channels):
        """The plugin as the client `dut`, in a jalv that takes commands: see command()."""
        words = ['stdbuf', '-oL', 'jalv', '-x', '-n', 'dut', uri]
        process = self.start(words, 'jalv.log', stdin=subprocess.PIPE, LV2_PATH=bundles)
        self.wait('jalv', lambda: 'dut:out_%d' % channels in self.ports(), process, 'jalv.log')
        return process

    def command(self, jalv, *lines):
        """What jalv's console says to some lines. A line behind them that it does not know shows when they are done."""
        def unknown():
            return self.said('jalv.log').count('invalid command')
        before, said = unknown(), len(self.said('jalv.log'))
        jalv.stdin.write(('\n'.join(lines) + '\nend\n').encode())
        jalv.stdin.flush()
        self.wait('an answer of jalv', lambda: unknown() > before, jalv, 'jalv.log')
        return self.said('jalv.log')[said:]

    def feed(self, x, tail, freewheel=False):
        """What comes back from the client `dut` for x, frames by channels, from the cycle on in which x begins; and the xruns meanwhile."""
        folder = scratch()
        source, sink = write_floats(os.path.join(folder, 'in'), x), os.path.join(folder, 'out')
        words = [os.path.join(TOOLS, 'tool_jackfeed'), 'dut', x.shape[1], source, sink, tail] + (['freewheel'] if freewheel else [])
        said = run(words, **self.environment).stdout
        facts = dict(line.split() for line in said.splitlines() if line.startswith(('xruns ', 'period ')))
        assert int(facts['period']) == self.period, said
        return read_floats(sink, x.shape[1]), int(facts['xruns'])
