# `millrace jack` as a client of a server: names, connections, reports, signals, terminals, and servers that go.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp jack_connect jack_disconnect tests/host/jack/tool_jackprobe
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import time

from graph import MILLRACE, Graph, bank_file, main, millrace, run, scratch, until

PERIOD = 1024
BANK = 'Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\n'
F_SETPIPE_SZ = 1031  # fcntl has its name from Python 3.10 on


def no_server():
    return dict(os.environ, JACK_DEFAULT_SERVER='millrace-none-%d' % os.getpid(), HOME=scratch())


def test_wrong_arguments_are_refused():
    bank = bank_file(BANK)
    good = ['-c', 2, '-b', bank]
    for words, text in (
            ([], 'no number of channels'), (['-c', 2], 'no bank is given'), (['-c', 0, '-b', bank], '1 to 1024'),
            (['-c', 1025, '-b', bank], '1 to 1024'), (['-c', '2x', '-b', bank], '1 to 1024'), (good + ['extra'], 'extra: no such argument'),
            (good + ['--threads', '0'], 'auto or a number'), (good + ['--threads', 'many'], 'auto or a number'),
            (good + ['--connect', 'hither'], 'physical, in=PORTS'), (good + ['--connect', 'in='], 'physical, in=PORTS'),
            (good + ['--connect', 'in1-1-1=x'], 'physical, in=PORTS'), (good + ['--connect', 'in3=x'], 'channel 3, and there are 2'),
            (good + ['--name', 'a:b'], 'without a colon'), (good + ['--name', ''], 'without a colon'), (good + ['--name', 'x' * 300], 'without a colon'),
            (good + ['--on-error', 'panic'], 'mute or pass'), (good + ['--every', '0'], 'seconds from'), (good + ['--loud'], 'unknown option')):
        done = millrace('jack', *words, code=2, env=no_server())
        assert text in done.err and 'millrace jack --help' in done.err, (words, done.err)


def test_help_and_man_page_have_it():
    text = run([MILLRACE, 'jack', '--help']).stdout
    assert '--connect [in|out][LIST=]PORTS' in text and 'jack' in run([MILLRACE, 'help']).stdout
    assert 'MILLRACE jack' in run([MILLRACE, 'man']).stdout


def test_without_a_server():
    done = millrace('jack', '-c', 2, '-b', bank_file(BANK), code=4, env=no_server())
    assert done.err.startswith('millrace: there is no JACK server') and done.err.count('\n') == 1, done.err


def test_names():
    with Graph(PERIOD) as graph:
        first = graph.client('-c', 6, '-b', bank_file(BANK, 'living room.v2.txt'), '--name', 'room')
        second = graph.client('-c', 3, '-b', bank_file(BANK), '--name', 'room')
        names = first.reports('start')[0]['client'], second.reports('start')[0]['client']
        assert names[0] == 'room' and names[1] not in ('', 'room'), names
        assert 'the name room is taken: this client is ' + names[1] in second.said() and first.said() == ''
        text = run(['jack_lsp', '-A', '-p'], **graph.environment).stdout
        assert 'room:in_4\n   room:living room.v2 in 4 LFE\n' in text, text
        assert names[1] + ':out_3\n   ' + names[1] + ':bank out 3\n' in text, text
        assert first.stop(signal.SIGINT) == 0 and second.stop() == 0


def test_connections_are_made_and_made_again():
    with Graph(PERIOD, ports=4) as graph:
        graph.client('-c', 4, '-b', bank_file(BANK), '--connect', 'physical', '--name', 'all')
        for k in range(1, 5):
            assert {('system:capture_%d' % k, 'all:in_%d' % k), ('all:out_%d' % k, 'system:playback_%d' % k)} <= graph.connections()
        late = graph.client('-c', 3, '-f', 'Preamp: -3 dB', '--name', 'late', '--connect', 'in3,1=early', '--connect', 'out=system:playback_[34]')
        assert {('late:out_1', 'system:playback_3'), ('late:out_2', 'system:playback_4')} <= graph.connections()
        late.until_said('--connect in3,1=early: there is no such port yet')
        wanted = {('early:out_1', 'late:in_3'), ('early:out_2', 'late:in_1')}
        for _ in range(2):  # it comes, goes and comes again
            early = graph.client('-c', 2, '-f', 'Preamp: 0 dB', '--name', 'early')
            until(lambda: 'not %s in %s' % (wanted, graph.connections()), lambda: wanted <= graph.connections())
            assert not {pair for pair in graph.connections() if pair[1] == 'late:in_2'}
            run(['jack_disconnect', 'early:out_1', 'late:in_3'], **graph.environment)
            graph.client('-c', 1, '-f', 'Preamp: 0 dB', '--name', 'stranger').stop()
            time.sleep(0.4)
            assert ('early:out_1', 'late:in_3') not in graph.connections(), 'what a person disconnects stays so'
            assert early.stop() == 0
        assert late.said().count('no such port') == 1, late.said()


def test_reports_are_json_of_numbers_that_are_so():
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank_file(BANK))
        client.until_reported('status', 3)
        assert client.stop() == 0 and client.said() == '', client.said()
        reports = client.reports()
        assert [report['event'] for report in reports][::len(reports) - 1] == ['start', 'end']
        keys = {tuple(sorted(report)) for report in reports}
        assert len(keys) == 1, keys
        for report in reports:
            assert (report['client'], report['bank'], report['channels'], report['rate'], report['block'], report['state']) == (
                'millrace', 'bank', 2, 48000, PERIOD, 'playing'), report
            assert report['peak_in_db'] is None and 0 <= report['load'] <= report['load_worst'] < 1, report
        times = [report['seconds'] for report in reports]
        assert times == sorted(times) and times[-1] > 0.2


def test_a_reader_of_reports_that_goes_or_sleeps_stops_nothing():
    with Graph(PERIOD) as graph:
        words = [MILLRACE, 'jack', '-c', '2', '-b', bank_file(BANK), '--json', '--every', '0.1']
        for closes in (True, False):
            process = subprocess.Popen(words, env=graph.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            graph.others.append(process)
            json.loads(process.stdout.readline())
            if closes:
                process.stdout.close()
            else:
                fcntl.fcntl(process.stdout, F_SETPIPE_SZ, 4096)  # full at once
            time.sleep(0.5 if closes else 2)
            assert process.poll() is None
            process.terminate()
            assert process.wait(10) == 0
            assert (b'no more reports' in process.stderr.read()) == closes


def test_a_server_that_goes_ends_it():
    for number in (signal.SIGKILL, signal.SIGTERM):
        with Graph(PERIOD) as graph:
            client = graph.client('-c', 2, '-b', bank_file(BANK))
            graph.server.send_signal(number)
            began = time.monotonic()
            assert client.end() == 4 and time.monotonic() - began < 8, client.said()
            assert 'the JACK server has ended' in client.said() and client.reports('end'), client.said()


def test_a_server_that_hangs_does_not_hold_it():
    with Graph(PERIOD, sync=False) as graph:
        client = graph.client('-c', 2, '-b', bank_file(BANK))
        graph.server.send_signal(signal.SIGSTOP)
        client.kick(signal.SIGTERM)
        assert client.end(10) in (0, 4)  # 4 where the server was needed and gave no answer


def test_more_channels_than_the_server_has_room_for():
    with Graph(PERIOD, words=['-p', '128']) as graph:
        client = graph.client('-c', 100, '-b', bank_file(BANK), wait=False)
        assert client.end() == 4 and 'has no room for 100 inputs and outputs' in client.said(), client.said()


def on_terminal(graph, words, seconds, act):
    """The command with a terminal of its own; what stood on it, and the exit code."""
    child, terminal = pty.fork()
    if not child:
        os.execvpe(MILLRACE, [MILLRACE] + words, graph.environment)
    text, end = b'', time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    act(child, terminal)
    end = time.monotonic() + 15
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return text.decode(), os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            end += 1000
        time.sleep(0.05)


def test_a_terminal_has_a_line_and_its_end_is_the_clients():
    words = ['jack', '-c', '2', '-b', bank_file(BANK)]
    with Graph(PERIOD) as graph:
        text, code = on_terminal(graph, words, 2, lambda child, terminal: os.write(terminal, b'\x03'))
        assert code == 0 and '2 channels through bank as the JACK client millrace, 48000 Hz' in text, (code, text)
        assert '\rbank playing, 48000 Hz/1024 | load 0 %' in text and 'xruns 0' in text and 'clips 0' in text, text
        assert on_terminal(graph, words, 1.5, lambda child, terminal: os.close(terminal))[1] == 129
        text, code = on_terminal(graph, words + ['--quiet'], 1.5, lambda child, terminal: os.write(terminal, b'\x03'))
        assert code == 0 and text == '', text


main(globals())
