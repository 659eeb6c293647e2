"""What is written reads back as the same: for each file of tests/data/banks/good, the text written is the same after another reading,
and every kind of line end, a BOM and a decimal comma change nothing.
SPDX-License-Identifier: ISC
"""
import os
import re
import subprocess
import sys
import tempfile

source, build = os.environ['MILLRACE_SOURCE'], os.environ['MILLRACE_BUILD']
folder = os.path.join(source, 'tests/data/banks/good')
tool = os.path.join(build, 'tests/dsp/bank/tool_bank')
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED:', what)


def read(data, *options):
    with tempfile.NamedTemporaryFile(suffix='.txt') as file:
        file.write(data)
        file.flush()
        ran = subprocess.run([tool, '--channels', '8', *options, file.name], capture_output=True)
    return ran.returncode, ran.stdout, ran.stderr.decode()


for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name), 'rb') as file:
        data = file.read()
    status, text, said = read(data)
    check(status == 0 and text, '%s reads: %s' % (name, said))
    status, again, said = read(text)
    check(status == 0 and again == text and said == '', '%s: the written text reads back as the same, without a word: %s' % (name, said))
    plain = data.replace(b'\r\n', b'\n').removeprefix(b'\xef\xbb\xbf')
    for what, other in (('LF', plain), ('CRLF', plain.replace(b'\n', b'\r\n')), ('BOM', b'\xef\xbb\xbf' + plain),
                        ('no last newline', plain.rstrip(b'\n')), ('tabs', plain.replace(b' ', b'\t')),
                        ('double spaces', plain.replace(b' ', b'  ')),
                        ('decimal commas', re.sub(rb'(?<![0-9V.])([0-9]+)\.([0-9]+)(?![0-9.])', rb'\1,\2', plain))):
        status, variant, said = read(other)
        check(status == 0 and variant == text, '%s with %s reads as the same: %s' % (name, what, said))

status, text, said = read(open(os.path.join(folder, 'rew.txt'), 'rb').read())
check([line for line in text.decode().splitlines() if line.startswith('Filter')] == [
    'Filter: ON PK Fc 63 Hz Gain -5 dB Q 4', 'Filter: ON PK Fc 105.5 Hz Gain 2.5 dB Q 7.25', 'Filter: ON LS Fc 120 Hz Gain 3 dB S 0.9',
    'Filter: ON HS 12 dB Fc 8000 Hz Gain -2 dB', 'Filter: ON LSC 6 dB Fc 150 Hz Gain 3 dB', 'Filter: ON PK Fc 41 Hz Gain -7.4 dB Q 8',
    'Filter: ON NO Fc 50 Hz Q 30'], 'the filters of rew.txt')
check(said.count('not a statement') == 6 and 'T60' in said, 'what rew.txt has beside statements is said: ' + said)

print('%d passed, %d failed' % (passed, failed))
sys.exit(failed != 0)
