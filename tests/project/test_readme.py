# What the README shows works: its banks load, its commands run, and the words it names exist.
# SPDX-License-Identifier: ISC
import os
import re
import shlex
import struct
import wave

from harness import BUILD, CC, MILLRACE, SANITIZE, SOURCE, main, read, run, scratch, waf, write

TEXT = read(SOURCE, 'README.md')
COMMANDS = re.findall(r'^  ([a-z]+) ', run([MILLRACE, 'help']).stdout.partition('Commands:')[2].partition('help [')[0], re.M)
HELP = ''.join(run([MILLRACE, name, '--help']).stdout for name in COMMANDS)


def blocks(kind):
    return re.findall(r'^```%s\n(.*?)^```$' % kind, TEXT, re.M | re.S)


def lines():
    return [line for block in blocks('sh') for line in block.splitlines()]


def recording(path, channels, frames=4800):
    with wave.open(path, 'wb') as out:
        out.setnchannels(channels)
        out.setsampwidth(2)
        out.setframerate(48000)
        out.writeframes(b''.join(struct.pack('<h', (k * 7919) % 20000 - 10000) for k in range(channels * frames)))


def size(path):
    with wave.open(path, 'rb') as file:
        return file.getnchannels(), file.getnframes(), file.getframerate()


def place():
    """A folder with the files that the README's commands name."""
    folder = scratch()
    write(os.path.join(folder, 'bank.txt'), blocks('bank')[0])
    for name in ('input.wav', 'second.wav'):
        recording(os.path.join(folder, name), 6)
    return folder


def test_every_block_is_of_a_kind_that_is_tested():
    kinds = set(re.findall(r'^```(\S*)$', TEXT, re.M)) - {''}
    assert kinds == {'sh', 'bank'}, kinds
    for line in lines():
        assert line.split()[0] in ('./waf', 'millrace', 'cc', 'mkdir', 'jalv'), line


def test_plugins_named_exist():
    known = re.findall(r'^(urn:\S+): ', read(SOURCE, 'tests', 'plugin', 'ports.golden'), re.M)
    named = re.findall(r"^jalv '(.*)'$", TEXT, re.M)
    assert named and set(named) <= set(known), named


def pages():
    folder = os.path.join(SOURCE, 'docs')
    return [read(folder, name) for name in sorted(os.listdir(folder)) if name.endswith('.md')]


def test_banks_load():
    folder = place()
    banks = blocks('bank') + [bank for page in pages() for bank in re.findall(r'^```bank\n(.*?)^```$', page, re.M | re.S)]
    assert len(blocks('bank')) >= 2 and len(banks) >= 4
    for number, text in enumerate(banks):
        path = os.path.join(folder, 'bank%d.txt' % number)
        write(path, text)
        target = os.path.join(folder, 'out%d.wav' % number)
        done = run([MILLRACE, 'render', '--quiet', '-b', path, os.path.join(folder, 'input.wav'), '-o', target])
        assert 'warning' not in done.stdout, done.stdout
        assert size(target) == (6, 4800, 48000)


def test_millrace_lines_run():
    folder = place()
    tried = 0
    for line in lines():
        words = shlex.split(line)
        if words[0] == 'mkdir':
            os.mkdir(os.path.join(folder, words[1]))
        if words[:2] == ['millrace', 'jack']:  # plays until it is ended, and has tests of its own
            assert all(word in HELP for word in words if word.startswith('-')), line
        elif words[0] == 'millrace':
            run([MILLRACE] + words[1:], cwd=folder)
            tried += 1
    assert tried >= 5
    assert os.path.exists(os.path.join(folder, 'output.wav'))
    assert {'input.wav', 'second.wav'} <= set(os.listdir(os.path.join(folder, 'filtered')))


def test_options_named_in_the_text_exist():
    waf_help = waf(SOURCE, '--help').stdout
    shown = set(re.findall(r'(?<![\w-])--[a-z][a-z-]*', TEXT))
    missing = {word for word in shown if word not in HELP and word not in waf_help and word not in ('--cflags', '--libs')}
    assert shown and not missing, missing


def test_waf_commands_exist():
    named = set()
    for words in re.findall(r'\./waf ([^`\n|]*)', TEXT):
        named |= {word for word in words.split() if re.fullmatch(r'[a-z]+', word)}
    listed = set(re.findall(r'^  (\w+) *:', waf(SOURCE, '--help').stdout, re.M))
    assert {'setup', 'demo', 'test', 'install'} <= named <= listed, named - listed


def test_commands_of_the_pages_exist():
    listed = set(re.findall(r'^  (\w+) *:', waf(SOURCE, '--help').stdout, re.M))
    for page in pages():
        for block in re.findall(r'^```sh\n(.*?)^```$', page, re.M | re.S):
            for line in block.splitlines():
                words = line.split()
                if words[0] == 'millrace':
                    text = run([MILLRACE, words[1], '--help']).stdout
                    assert all(word in text for word in words if word.startswith('--')), line
                else:
                    assert words[0] == './waf' and set(words[1:]) <= listed, line
        assert set(re.findall(r'^```(\S*)$', page, re.M)) - {''} <= {'sh', 'bank'}


def test_links_lead_somewhere():
    headings = {re.sub(r'[^a-z0-9 -]', '', line.lower()).replace(' ', '-') for line in re.findall(r'^#+ (.*)$', TEXT, re.M)}
    for target in re.findall(r'\]\(([^)]+)\)', TEXT):
        if target.startswith('#'):
            assert target[1:] in headings, target
        elif '://' not in target:
            assert os.path.exists(os.path.join(SOURCE, target.partition('#')[0])), target


def test_the_library_line_compiles():
    folder, root = scratch(), scratch()
    waf(SOURCE, '-o', BUILD, 'install', '--destdir=' + root)
    config = [path for path, _, names in os.walk(root) if 'millrace.pc' in names][0]
    write(os.path.join(folder, 'player.c'), '#include <millrace.h>\nint main(void) { return mr_version()[0] == 0; }\n')
    line = [line for line in lines() if line.startswith('cc ')][0]
    compiler = ' '.join(CC + (['-fsanitize=' + SANITIZE] if SANITIZE else []))
    run(['sh', '-c', compiler + line[2:]], cwd=folder, PKG_CONFIG_LIBDIR=config, PKG_CONFIG_SYSROOT_DIR=root)
    run([os.path.join(folder, 'player')], LD_LIBRARY_PATH=os.path.dirname(config))


main(globals())
