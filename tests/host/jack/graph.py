# A JACK graph of our own: a server without a sound card, `millrace jack` in it, and what plays into it and records.
# SPDX-License-Identifier: ISC
import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for place in ('..', '../../project', '../../hosts'):
    sys.path.insert(0, os.path.normpath(os.path.join(HERE, place)))
from audio import Wave, millrace, write_wav  # noqa: E402,F401
from harness import BUILD, MILLRACE, SANITIZE, main, run, scratch, write  # noqa: E402,F401

RATE = 48000
PROBE = os.path.join(BUILD, 'tests', 'host', 'jack', 'tool_jackprobe')
PATIENCE = 60 if SANITIZE else 20


def until(what, ready, seconds=PATIENCE):
    """Waits until ready() is something, and returns it."""
    end = time.monotonic() + seconds
    while True:
        got = ready()
        if got:
            return got
        assert time.monotonic() < end, '%s: not within %d s' % (what() if callable(what) else what, seconds)
        time.sleep(0.02)


def end(processes):
    """Ends processes of ours, at first kindly."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def grants_realtime():
    words = [sys.executable, '-c', 'import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))']
    return subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0


class Client:
    """`millrace jack`, with its standard error in .said() and its reports in .reports()."""

    def __init__(self, environment, words, folder, wrapper=()):
        self.folder = folder
        with open(os.path.join(folder, 'out'), 'wb') as out, open(os.path.join(folder, 'err'), 'wb') as err:
            self.process = subprocess.Popen(list(wrapper) + [MILLRACE, 'jack'] + [str(word) for word in words], env=environment, cwd=folder,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    def said(self):
        with open(os.path.join(self.folder, 'err'), errors='replace') as text:
            return text.read()

    def reports(self, event=None):
        with open(os.path.join(self.folder, 'out')) as text:
            lines = text.read().split('\n')
        reports = [json.loads(line) for line in lines[:-1]]
        return [report for report in reports if event in (None, report['event'])]

    def until_said(self, text, times=1):
        until(lambda: '%r in %r' % (text, self.said()), lambda: self.said().count(text) >= times)

    def until_reported(self, event, times=1):
        return until(lambda: '%s in %s %s' % (event, self.reports(), self.said()), lambda: self.reports(event)[times - 1:])[0]

    def kick(self, number):
        self.process.send_signal(number)

    def end(self, seconds=PATIENCE):
        return self.process.wait(seconds)

    def stop(self, number=signal.SIGTERM):
        self.kick(number)
        return self.end()


class Graph:
    """jackd with the dummy driver under a name of its own; for a with statement. Ends its clients too. In sync mode the server waits for its
    clients, so that a busy machine makes the sound late and not wrong; else it is of the real-time class where the system grants that, as such
    servers are."""

    def __init__(self, period=1024, ports=2, words=(), sync=True):
        self.folder = scratch()
        self.name = 'millrace-%d-%s' % (os.getpid(), os.path.basename(self.folder))
        self.environment = dict(os.environ, JACK_DEFAULT_SERVER=self.name, JACK_NO_AUDIO_RESERVATION='1', HOME=self.folder)
        driver = ['-d', 'dummy', '-r', str(RATE), '-p', str(period), '-C', str(ports), '-P', str(ports)]
        realtime = not sync and grants_realtime()
        self.words = ['jackd'] + (['-R', '-P', '10'] if realtime else ['-r']) + ['-t', '2000'] + (['-S'] if sync else []) + list(words) + driver
        self.clients, self.others, self.server = [], [], None

    def __enter__(self):
        self.start()
        return self

    def start(self):
        with open(os.path.join(self.folder, 'server.log'), 'ab') as log:
            self.server = subprocess.Popen(self.words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            until(self.words[0], self.is_up)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        end([client.process for client in self.clients] + self.others)
        if self.server:
            end([self.server])
            if self.server.returncode == -signal.SIGKILL and self.words[0] == 'jackd':
                self.tidy()
        for path in glob.glob('/dev/shm/jack_sem.*_%s_*' % self.name):  # of a client that was killed, or had to go while the server hung
            os.unlink(path)

    def tidy(self):
        """A server that was killed keeps one of the eight places that the machine has for servers, until one of its name ends well."""
        with open(os.path.join(self.folder, 'server.log'), 'ab') as log:
            again = subprocess.Popen(self.words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            until('jackd again', self.is_up)
        finally:
            end([again])

    def is_up(self):
        return any(port.startswith('system:') for port in self.ports())

    def ports(self):
        return run(['jack_lsp'], ok=None, **self.environment).stdout.split()

    def listing(self):
        """jack_lsp's. On a busy machine it may find the server too slow to take it as a client: then it tries again."""
        for _ in range(4):
            listed = run(['jack_lsp', '-c'], ok=None, **self.environment)
            if listed.returncode == 0 or 'Cannot open lsp client' not in listed.stdout:
                break
            time.sleep(0.5)
        assert listed.returncode == 0, listed.stdout
        return listed.stdout

    def connections(self):
        """Pairs of ports, from and to."""
        pairs, port = set(), ''
        for line in self.listing().splitlines():
            if not line.startswith(' '):
                port = line
            elif ':out_' in port or ':capture_' in port or ':send_' in port:
                pairs.add((port, line.strip()))
        return pairs

    def client(self, *words, wait=True, name='millrace', folder=None, wrapper=()):
        client = Client(self.environment, list(words) + ['--json', '--every', '0.1'], folder or scratch(), wrapper)
        self.clients.append(client)
        if wait:
            until(lambda: 'the client: ' + client.said(), lambda: client.process.poll() is not None or client.reports('start'))
            assert client.process.poll() is None, client.said()
        return client

    def other(self, *words):
        process = subprocess.Popen([str(word) for word in words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.others.append(process)
        return process

    def play(self, x, *words, meanwhile=None, name='millrace', in_step=True):
        """What the client makes of x, frames by channels, in step with it; and the tool's facts. `meanwhile` is called when the sound has begun."""
        folder = scratch()
        source, sink = os.path.join(folder, 'in'), os.path.join(folder, 'out')
        np.ascontiguousarray(x, '<f4').tofile(source)
        process = subprocess.Popen([PROBE, name, str(x.shape[1]), source, sink] + list(words), env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.others.append(process)
        first = process.stdout.readline()
        trouble = []

        def act():
            try:
                meanwhile()
            except Exception as error:  # is raised again below
                trouble.append(error)

        thread = threading.Thread(target=act)
        if meanwhile:
            thread.start()
        said, errors = process.communicate()
        if meanwhile:
            thread.join()
        if trouble:
            raise trouble[0]
        assert process.returncode == 0 and first == 'begins\n', (first, said, errors)
        facts = {word: int(number) for word, number in (line.split() for line in said.splitlines())}
        assert not in_step or not facts['slips'], facts
        return np.fromfile(sink, '<f4').reshape(-1, x.shape[1]), facts


def without_xruns(graph, x, *words):
    """As graph.play(), of a try without an xrun: a machine that others use stops for some milliseconds now and then, so there are three."""
    seen = []
    for _ in range(3):
        got, facts = graph.play(x, *words, in_step=False)
        if not facts['xruns'] and not facts['slips']:
            return got
        seen.append(facts)
    raise AssertionError('xruns in each of three tries: %s' % seen)


def rendered(x, bank, rate=RATE):
    """What `millrace render` makes of x with the kernels of real-time programs."""
    folder = scratch()
    source, sink = os.path.join(folder, 'in.wav'), os.path.join(folder, 'out.wav')
    write_wav(source, x, 'float', rate)
    run([MILLRACE, 'render', '--quiet', '--realtime-kernels', '-b', bank, source, '-o', sink])
    return np.asarray(Wave(sink).samples, '<f4')


def bank_file(text, name='bank.txt'):
    path = os.path.join(scratch(), name)
    write(path, text)
    return path


def replace(path, text):
    """As editors do it: another file takes the name."""
    write(path + '~', text)
    os.rename(path + '~', path)


def noise(frames, channels, peak=0.25, seed=1):
    return np.random.default_rng(seed).uniform(-peak, peak, (frames, channels)).astype('<f4')


def equal(got, expected, what):
    """Bit for bit."""
    assert got.shape == expected.shape, '%s: %s, not %s' % (what, got.shape, expected.shape)
    differs = np.ascontiguousarray(got).view('<u4') != np.ascontiguousarray(expected).view('<u4')
    if differs.any():
        frame, channel = np.argwhere(differs)[0]
        raise AssertionError('%s: %d of %d samples differ; the first is frame %d of channel %d: %r, not %r' % (
            what, differs.sum(), differs.size, frame, channel + 1, got[frame, channel], expected[frame, channel]))
