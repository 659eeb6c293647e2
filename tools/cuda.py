# How CUDA is compiled: where nvcc is, for which processors, with which flags. Plain Python, for the build and for the tests.
# SPDX-License-Identifier: ISC
import glob
import os
import re
import shutil
import subprocess

RELEASE = 13  # of CUDA; earlier ones know fewer processors
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)  # compute capabilities, without the dot
PLACES = ('/usr/local/cuda/bin/nvcc',)
# No product and sum is fused by itself, on either side; what does not fit into registers is an error, and so is any other warning of the assembler.
FLAGS = ['-std=c++17', '-O3', '-fmad=false', '-Xptxas', '-v,-warn-spills,-Werror', '-Xcompiler',
         '-fPIC,-fvisibility=hidden,-fno-fast-math,-ffp-contract=off', '-t', '2']


def architecture_flags():
    """Machine code for each, and what later processors translate themselves."""
    words = []
    for number in ARCHITECTURES:
        words += ['-gencode', 'arch=compute_%d,code=sm_%d' % (number, number)]
    newest = ARCHITECTURES[-1]
    return words + ['-gencode', 'arch=compute_%d,code=compute_%d' % (newest, newest)]


def find():
    """The path of nvcc, from the environment's NVCC, the PATH or its usual place; None if there is none."""
    named = os.environ.get('NVCC')
    if named:
        return shutil.which(named)
    return shutil.which('nvcc') or next((path for path in PLACES if os.path.exists(path)), None)


def version(nvcc):
    """Its version in three numbers, as text; '' if it cannot say."""
    try:
        text = subprocess.run([nvcc, '--version'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, universal_newlines=True).stdout
    except OSError:
        return ''
    found = re.search(r'\bV(\d+\.\d+\.\d+)', text)
    return found.group(1) if found else ''


def launch_bounds(folder):
    """Pairs of a kernel's name and the threads of its blocks, which only the intermediate code in such a folder says."""
    for path in sorted(glob.glob(os.path.join(folder, '*.ptx')))[:1]:
        with open(path, encoding='utf-8') as text:
            for name, rest in re.findall(r'^(?:\.visible |\.weak )?\.entry (\w+)\(.*?^\)(.*?)^\{', text.read(), re.M | re.S):
                bound = re.search(r'\.maxntid (\d+)', rest)
                if bound:
                    yield name, int(bound.group(1))
