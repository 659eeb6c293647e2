# The man page: whole, without faults of form, and from the same source as --help.
# SPDX-License-Identifier: ISC
import os
import re
import shutil

from harness import BUILD, MILLRACE, main, read, run

COMMANDS = re.findall(r'^  ([a-z]+) ', run([MILLRACE, 'help']).stdout.partition('Commands:')[2].partition('help [')[0], re.M)
assert {'render', 'sos', 'info', 'bench'} <= set(COMMANDS)


def page():
    return read(BUILD, 'millrace.1')


def test_groff_finds_nothing_wrong():
    assert shutil.which('groff'), 'groff is missing: ./waf setup test installs it'
    done = run(['groff', '-man', '-ww', '-z', os.path.join(BUILD, 'millrace.1')])
    assert done.stdout == '', done.stdout


def test_it_is_what_the_command_writes():
    assert page() == run([MILLRACE, 'man']).stdout
    for heading in ('NAME', 'SYNOPSIS'):
        assert re.search(r'^\.SH "?%s' % heading, page(), re.M), heading


def test_every_option_of_help_stands_in_it():
    text = run(['groff', '-man', '-Tascii', '-P-cbou', os.path.join(BUILD, 'millrace.1')]).stdout
    text = re.sub(r'[\u2010\u2212]', '-', text)
    seen = 0
    for command in COMMANDS:
        options = re.findall(r'(?<![\w-])--[a-z][a-z-]+', run([MILLRACE, command, '--help']).stdout)
        assert options, command
        for option in set(options) - {'--help'}:
            assert option in text, '%s of millrace %s' % (option, command)
            seen += 1
    assert seen > 10


main(globals())
