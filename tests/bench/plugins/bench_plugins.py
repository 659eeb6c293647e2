# The plugins beside other equalisers: see bench_plugins.c.
# SPDX-License-Identifier: ISC
import os
import subprocess
import sys

PROGRAM = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/bench/plugins/bench_plugins')

if not os.path.exists(PROGRAM):
    print('Left out: the plugins or lilv are not there.')
    sys.exit(0)
sys.exit(subprocess.call([PROGRAM] + sys.argv[1:]))
