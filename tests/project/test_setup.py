# ./waf setup: installs what is missing and no more, fetches package lists where it must, and has things configured anew.
# SPDX-License-Identifier: ISC
import os

from harness import main, small_project, waf, write


class Machine:
    """A project on a machine whose packages are a list in a file."""

    def __init__(self, lists=True, works=True, root=True):
        self.project = small_project()
        self.bin = os.path.join(self.project, 'bin')
        self.packages = os.path.join(self.project, 'packages')
        self.log = os.path.join(self.project, 'log')
        write(self.packages, 'gcc\nlibc6-dev\n')
        write(self.log, '')
        self.program('dpkg-query', 'shift 3; for p; do grep -qx "$p" %s && echo "$p installed"; done; exit 1' % self.packages)
        self.program('apt-get', 'echo "$*" >>%s\nt=; for w; do case $w in -*) ;; update) touch %s.lists; exit 0;; install) t=1;; *) '
                     '[ -n "$t" ] && new="$new $w";; esac; done\n[ -e %s.lists ] && %s || exit 100\nfor p in $new; do echo $p >>%s; done'
                     % (self.log, self.log, self.log, 'true' if works else 'false', self.packages))
        self.program('sudo', 'echo sudo >>%s; exec "$@"' % self.log)
        if lists:
            write(self.log + '.lists', '')

    def program(self, name, text):
        write(os.path.join(self.bin, name), '#!/bin/sh\n' + text + '\n', 0o755)

    def waf(self, *words, ok=True):
        return waf(self.project, *words, ok=ok, PATH=self.bin + ':' + os.environ['PATH']).stdout

    def calls(self):
        with open(self.log) as log:
            return log.read()


def test_installs_what_is_missing():
    machine = Machine()
    machine.waf('setup', 'demo', ok=None)
    calls = machine.calls()
    line = [line for line in calls.splitlines() if ' install ' in line][-1]
    words = line.split(' install ')[1].split()
    assert 'alsa-utils' in words and 'libsndfile1-dev' in words, calls
    assert 'gcc' not in words and 'python3-scipy' not in words, calls
    assert '-y' in line.split() and '--no-install-recommends' in line
    assert calls.startswith('sudo\n') == (os.getuid() != 0)


def test_nothing_to_do_is_quick():
    machine = Machine()
    machine.waf('setup')
    before = machine.calls()
    assert 'All ' in machine.waf('setup') and machine.calls() == before != ''


def test_lists_are_fetched_where_they_are_missing():
    machine = Machine(lists=False)
    machine.waf('setup')
    calls = machine.calls()
    assert ' update' in calls and calls.rindex(' install ') > calls.rindex(' update')
    with open(machine.packages) as packages:
        assert 'libcmocka-dev\n' in packages.read()


def test_a_failure_is_said():
    text = Machine(works=False).waf('setup', ok=False)
    assert 'Could not install: ' in text and 'libsndfile1-dev' in text, text


def test_configures_anew_with_the_same_options():
    machine = Machine()
    machine.waf('configure', '--no-cross', '--prefix=/opt/millrace', 'build')
    assert 'Checking for' not in machine.waf('build')
    machine.waf('setup')
    assert 'Checking for' in machine.waf('build')
    with open(os.path.join(machine.project, 'build', 'millrace.pc')) as text:
        assert 'prefix=/opt/millrace\n' in text.read()


main(globals())
