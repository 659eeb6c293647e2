# The multi-block kernels in float and in double, in cycles for 8 samples and a section.
# SPDX-License-Identifier: ISC
import os
import subprocess
import sys

PROGRAM = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/bench/bench_block')

for option in ([], ['--double']):
    if subprocess.call([PROGRAM] + option):
        sys.exit(1)
