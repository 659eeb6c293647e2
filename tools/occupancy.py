# What the GPU kernels take of each processor, from the reports that the build keeps: registers, shared memory, spills, resident blocks and warps.
#   python3 tools/occupancy.py BUILD          prints the table
#   python3 tools/occupancy.py BUILD --write  writes it to docs/gpu-kernels.md
# SPDX-License-Identifier: ISC
import glob
import os
import re
import subprocess
import sys

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tools import cuda

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join('docs', 'gpu-kernels.md')
BEGIN, END = '<!-- kernels: written by tools/occupancy.py -->', '<!-- end of kernels -->'

# Of a multiprocessor, from the table of technical specifications in the CUDA C++ Programming Guide: threads, blocks, shared memory in kB, and what
# each block takes of that beside its own.
LIMITS = {75: (1024, 16, 64, 0), 80: (2048, 32, 164, 1024), 86: (1536, 16, 100, 1024), 89: (1536, 24, 100, 1024), 90: (2048, 32, 228, 1024),
          100: (2048, 32, 228, 1024), 120: (1536, 24, 100, 1024)}
REGISTERS, REGISTER_UNIT, PARTITIONS = 65536, 256, 4  # the unit is a warp's; each partition has its own share of registers
SHARED_UNIT = {75: 256}  # bytes, else 128


class Kernel:
    """One kernel on one architecture."""

    def __init__(self, name, architecture, threads):
        self.name, self.architecture, self.threads = name, architecture, threads
        self.registers = self.shared = self.spilled = 0

    def blocks(self):
        return resident_blocks(self.architecture, self.threads, self.registers, self.shared)

    def warps(self):
        return self.blocks() * ((self.threads + 31) // 32)


def round_up(value, unit):
    return (value + unit - 1) // unit * unit


def resident_blocks(architecture, threads, registers, shared):
    """Blocks of that many threads, with that many registers a thread and bytes of shared memory, that a multiprocessor holds at a time."""
    most_threads, most_blocks, shared_kb, reserved = LIMITS[architecture]
    warps = (threads + 31) // 32
    of_warp = round_up(max(registers, 1) * 32, REGISTER_UNIT)
    by_registers = REGISTERS // PARTITIONS // of_warp * PARTITIONS // warps
    if of_warp * round_up(warps, PARTITIONS) > REGISTERS:
        by_registers = 0
    of_block = round_up(shared + reserved, SHARED_UNIT.get(architecture, 128))
    by_shared = shared_kb * 1024 // of_block if of_block else most_blocks
    return min(most_blocks, most_threads // 32 // warps, by_registers, by_shared)


def demangle(names):
    """As they stand in the source, without parameters."""
    if not names:
        return {}
    text = subprocess.run(['c++filt', '-p'], input='\n'.join(names), stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    plain = [re.sub(r'^(?:void|\(anonymous namespace\)::) ?', '', line) for line in text.splitlines()]
    return dict(zip(names, plain))


def constant(name, *path):
    """A number that the sources give a name."""
    with open(os.path.join(ROOT, *path), encoding='utf-8') as source:
        return int(re.search(r'\b%s = (\d+)' % name, source.read()).group(1))


def threads_of(kernel):
    """Of a block of a kernel that is bound by registers alone, by its name: groups have their lanes in it."""
    if kernel.startswith('mr_segments_kernel<'):
        return 32 * constant('MR_SEGMENTS_WARPS', 'gpu', 'segments.cuh')
    if kernel.startswith('mr_plr_kernel<'):
        return constant('MR_PLR_LANES', 'gpu', 'tables.h')
    found = re.search(r', (\d+), \d+>$', kernel)
    return int(found.group(1)) if found else None


def read_report(text):
    """Kernels in what ptxas said, and the build's own lines about launch bounds."""
    bounds = {name: int(threads) for name, threads in re.findall(r'^bounds (\S+) (\d+)$', text, re.M)}
    kernels = []
    for part in re.split(r'^ptxas info +: Compiling entry function ', text, flags=re.M)[1:]:
        head = re.match(r"'(\S+)' for 'sm_(\d+)'", part)
        kernel = Kernel(head.group(1), int(head.group(2)), bounds.get(head.group(1), 1024))
        kernel.registers = int(re.search(r'Used (\d+) registers', part).group(1))
        found = re.search(r'(\d+) bytes smem', part)
        kernel.shared = int(found.group(1)) if found else 0
        kernel.spilled = sum(map(int, re.search(r'(\d+) bytes spill stores, (\d+) bytes spill loads', part).groups()))
        kernels.append(kernel)
    return kernels


def read_build(build):
    """Of all sources in gpu/ that were compiled there."""
    kernels = []
    for source in sorted(glob.glob(os.path.join(ROOT, 'gpu', '*.cu'))):
        path = os.path.join(build, 'gpu', os.path.basename(source)[:-3] + '.ptxas')
        if not os.path.exists(path):
            continue
        with open(path, encoding='utf-8') as report:
            kernels += read_report(report.read())
    plain = demangle(sorted({kernel.name for kernel in kernels}))
    for kernel in kernels:
        kernel.name = plain[kernel.name]
        kernel.threads = threads_of(kernel.name) or kernel.threads
    return sorted(kernels, key=lambda kernel: (kernel.name, kernel.architecture))


def table(kernels, version):
    """Markdown: a kernel a row, an architecture a column."""
    columns = sorted({kernel.architecture for kernel in kernels})
    lines = ['By nvcc %s. Each cell: registers of a thread, and blocks / warps that a multiprocessor holds. Shared memory is that of the kernel\'s own'
             % version, 'arrays, in bytes of a block; nothing spills unless a cell says so.', '']
    lines += ['| kernel | threads | shared | ' + ' | '.join('sm_%d' % column for column in columns) + ' |', '|---|---|---|' + '---|' * len(columns)]
    for name in sorted({kernel.name for kernel in kernels}):
        mine = {kernel.architecture: kernel for kernel in kernels if kernel.name == name}
        first = next(iter(mine.values()))
        cells = []
        for column in columns:
            kernel = mine.get(column)
            spilled = ', %d bytes spilled' % kernel.spilled if kernel and kernel.spilled else ''
            cells.append('%d, %d / %d%s' % (kernel.registers, kernel.blocks(), kernel.warps(), spilled) if kernel else '')
        lines.append('| `%s` | %d | %d | %s |' % (name, first.threads, first.shared, ' | '.join(cells)))
    return '\n'.join(lines) + '\n'


def in_page(text):
    """The table in the page, and the version of nvcc that it names."""
    found = re.search(re.escape(BEGIN) + r'\n(.*?)' + re.escape(END), text, re.S)
    version = re.search(r'By nvcc (\S+)\.', found.group(1)) if found else None
    return (found.group(1), version.group(1)) if version else ('', '')


def main(words):
    if not words:
        sys.exit('usage: python3 tools/occupancy.py BUILD [--write]')
    kernels = read_build(words[0])
    if not kernels:
        sys.exit('%s holds no reports of kernels: was nvcc there?' % words[0])
    text = table(kernels, cuda.version(cuda.find()))
    if '--write' not in words:
        print(text, end='')
        return
    page = os.path.join(ROOT, PAGE)
    with open(page, encoding='utf-8') as old:
        before, _, rest = old.read().partition(BEGIN + '\n')
    with open(page, 'w', encoding='utf-8') as new:
        new.write(before + BEGIN + '\n' + text + END + rest.partition(END)[2])


if __name__ == '__main__':
    main(sys.argv[1:])
