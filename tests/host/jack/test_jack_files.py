# The files of a bank that `millrace jack` plays: every way to write them is seen, none too early.
# SPDX-License-Identifier: ISC
# Needs: jackd jack_lsp
import os
import signal
import time

from graph import Client, Graph, bank_file, main, replace, scratch, until, write

PERIOD = 1024
BANK = 'Filter: ON PK Fc 900 Hz Gain 7 dB Q 2\n'
OTHER = 'Filter: ON PK Fc 900 Hz Gain -7 dB Q 2\n'


def test_lines_that_are_refused_end_it_and_a_pipe_is_read_once():
    with Graph(PERIOD) as graph:
        bad = graph.client('-c', 2, '-f', 'PK Fc nine', wait=False)
        assert bad.end() == 3 and 'expected a frequency' in bad.said(), bad.said()
        client = Client(graph.environment, [], scratch(), ['bash', '-c', 'exec "$0" jack -c 2 -b <(echo "Preamp: -6 dB") --json'])
        graph.clients.append(client)
        client.until_reported('start')
        client.kick(signal.SIGHUP)
        client.until_said('has not changed')
        assert client.reports()[0]['state'] == 'playing' and client.stop() == 0, client.said()


def test_every_way_to_write_a_file_is_seen():
    folder = scratch()
    real, link = os.path.join(folder, 'real', 'a.txt'), os.path.join(folder, 'link.txt')
    write(real, BANK)
    os.symlink('real/a.txt', link)
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', link)
        count = 0

        def changes(what, ways):
            nonlocal count
            ways()
            count += 1
            until('%s: %s' % (what, client.said()), lambda: client.reports()[-1]['reloads'] == count, 5)

        changes('written in place', lambda: write(real, OTHER))
        changes('renamed over', lambda: replace(real, BANK))
        write(os.path.join(folder, 'other', 'b.txt'), OTHER)
        os.symlink('other/b.txt', link + '~')
        changes('another link', lambda: os.rename(link + '~', link))
        changes('where the new link leads', lambda: write(os.path.join(folder, 'other', 'b.txt'), BANK))
        write(real, 'Preamp: -1 dB\n')
        os.unlink(link)
        changes('a hard link', lambda: os.link(real, link))
        os.unlink(link)
        changes('written anew', lambda: write(link, OTHER))
        time.sleep(0.4)
        os.utime(link)
        write(link, OTHER)  # the same words
        time.sleep(0.6)
        assert client.reports()[-1]['reloads'] == count and client.stop() == 0, client.said()


def test_what_is_just_being_written_is_left_alone():
    bank = bank_file(BANK)
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank)
        with open(bank, 'w') as file:
            for part in ('Preamp: -3 dB\n', 'Filter: ON PK Fc nine', ' Hz\n'):
                file.write(part)
                file.flush()
                time.sleep(0.5)
                last = client.reports()[-1]
                assert (last['reloads'], last['refusals']) == (0, 0), last
        client.until_reported('refused')
        for _ in range(20):
            write(bank, OTHER)
            time.sleep(0.01)
        client.until_reported('reload')
        time.sleep(0.5)
        assert client.reports()[-1]['reloads'] == 1 and client.stop() == 0, client.said()


def test_a_folder_that_comes_later():
    folder = os.path.join(scratch(), 'later')
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', os.path.join(folder, 'bank.txt'))
        assert client.reports()[0]['state'] == 'muted', client.said()
        write(os.path.join(folder, 'bank.txt'), BANK)
        client.until_reported('reload')
        assert client.reports()[-1]['state'] == 'playing'
        os.rename(folder, folder + '-old')
        write(os.path.join(folder, 'bank.txt'), OTHER)
        client.until_reported('reload', 2)
        assert client.stop() == 0, client.said()


def test_sighup_reads_again():
    bank = bank_file(BANK)
    with Graph(PERIOD) as graph:
        client = graph.client('-c', 2, '-b', bank)
        client.kick(signal.SIGHUP)
        client.until_said('the bank bank has not changed')
        write(bank, OTHER)
        client.kick(signal.SIGHUP)
        client.until_reported('reload')
        client.kick(signal.SIGHUP)
        client.until_said('the bank bank has not changed', 2)
        assert client.said().count('plays as it is now') == 1 and client.stop() == 0, client.said()


main(globals())
