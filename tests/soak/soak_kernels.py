#!/usr/bin/env python3
"""The GPU kernels' checks over fifty schedules each; the tests take three.
SPDX-License-Identifier: ISC"""
import glob
import os
import re
import subprocess
import sys

build = os.environ['MILLRACE_BUILD']
programs = sorted(path for path in glob.glob(os.path.join(build, 'tests', 'gpu', 'check_*')) if os.access(path, os.X_OK) and os.path.isfile(path))
passed = failed = 0
for program in programs:
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          env=dict(os.environ, MILLRACE_SEEDS='50'))
    found = re.search(r'^(\d+) passed, (\d+) failed$', done.stdout, re.M)
    if done.returncode or not found:
        print(program + '\n' + done.stdout)
    passed += int(found.group(1)) if found else 0
    failed += int(found.group(2)) if found else 1
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not programs)
