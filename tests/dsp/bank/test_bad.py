"""Each file of tests/data/banks/bad has one defect: its status, its line and its message.
SPDX-License-Identifier: ISC
"""
import os
import subprocess
import sys

source, build = os.environ['MILLRACE_SOURCE'], os.environ['MILLRACE_BUILD']
folder = os.path.join(source, 'tests/data/banks/bad')
tool = os.path.join(build, 'tests/dsp/bank/tool_bank')
passed = failed = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED:', what)


expected = {}
with open(os.path.join(folder, 'expected.tsv'), encoding='utf-8') as table:
    for row in table:
        if not row.startswith('#'):
            name, channels, status, line, text = row.rstrip('\n').split('\t')
            expected[name] = (channels, int(status), line, text)
files = {name[:-4] for name in os.listdir(folder) if name.endswith('.txt')}
check(files == set(expected), 'every file has its line and every line its file: %s' % (files ^ set(expected)))

for name, (channels, status, line, text) in sorted(expected.items()):
    path = os.path.join(folder, name + '.txt')
    ran = subprocess.run([tool, '--channels', channels, path], capture_output=True)
    errors = [m for m in ran.stderr.decode().splitlines() if m.startswith('error ')]
    check(ran.returncode == status and ran.stdout == b'' and len(errors) == 1
          and errors[0].startswith('error %s:%s: ' % (path, line)) and text in errors[0],
          '%s: status %d, %r' % (name, ran.returncode, errors or ran.stderr))

print('%d passed, %d failed' % (passed, failed))
sys.exit(failed != 0)
