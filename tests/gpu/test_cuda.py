# nvcc's side of the GPU code: what it says to the primitives, to a spill, and to the page about the kernels.
# SPDX-License-Identifier: ISC
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'project'))
sys.path.insert(0, os.environ.get('MILLRACE_SOURCE') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
from harness import BUILD, SOURCE, main, read, run, scratch, write

from tools import cuda, occupancy

NVCC = cuda.find()
HERE = os.path.join(SOURCE, 'tests', 'gpu')
HEADERS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(NVCC))), 'include') if NVCC else ''
HEADERS = next((path for path in (HEADERS, '/usr/local/cuda/include') if os.path.exists(os.path.join(path, 'cuda_occupancy.h'))), '')

REPORT = '''bounds _Z4wideIdLi8EEv10Parameters 128
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4wideIdLi8EEv10Parameters' for 'sm_75'
ptxas info    : Function properties for _Z4wideIdLi8EEv10Parameters
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16384 bytes smem, 392 bytes cmem[0]
ptxas info    : Compiling entry function '_Z6narrow5Other' for 'sm_90'
ptxas info    : Function properties for _Z6narrow5Other
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers
'''


def compile_probe(source, *numbers):
    """What nvcc says beyond its reports, and its exit status, with the build's flags for some architectures."""
    command = [NVCC] + cuda.FLAGS + ['-I' + os.path.join(SOURCE, 'gpu'), '-Xcompiler', '-Wall,-Wextra']
    for number in numbers:
        command += ['-gencode', 'arch=compute_%d,code=sm_%d' % (number, number)]
    done = subprocess.run(command + ['-c', source, '-o', os.path.join(scratch(), 'probe.o')], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    rest = [line for line in done.stdout.splitlines() if not line.startswith(('ptxas info', '    ')) and line.strip()]
    return rest, done.returncode, done.stdout


def test_a_report_is_read():
    wide, narrow = occupancy.read_report(REPORT)
    assert (wide.architecture, wide.threads, wide.registers, wide.shared, wide.spilled) == (75, 128, 40, 16384, 20)
    assert (narrow.architecture, narrow.threads, narrow.registers, narrow.shared, narrow.spilled) == (90, 1024, 255, 0, 0)
    assert wide.blocks() == 4 and wide.warps() == 16  # 64 kB of shared memory hold four times 16
    assert narrow.blocks() == 0  # 1024 threads with that many registers do not fit at all
    names = occupancy.demangle([wide.name, narrow.name])
    assert names == {wide.name: 'wide<double, 8>', narrow.name: 'narrow'}, names


def test_launch_bounds_are_read():
    folder = scratch()
    write(os.path.join(folder, 'one.ptx'), '.version 9.0\n.visible .entry _Z3onei(\n\t.param .u32 _Z3onei_param_0\n)\n.maxntid 96\n.minnctapersm 2\n{\nret;\n}\n'
          '.weak .entry two(\n)\n{\nret;\n}\n.entry three(\n)\n.maxntid 1024, 1, 1\n{\n}\n')
    assert list(cuda.launch_bounds(folder)) == [('_Z3onei', 96), ('three', 1024)]


def test_the_page_has_the_table_of_this_build():
    page = read(SOURCE, occupancy.PAGE)
    assert page.count(occupancy.BEGIN) == 1 and page.count(occupancy.END) == 1
    kernels = occupancy.read_build(BUILD)
    held, version = occupancy.in_page(page)
    if glob.glob(os.path.join(SOURCE, 'gpu', '*.cu')):
        assert version, 'no table: python3 tools/occupancy.py BUILD --write'
    if kernels and version == cuda.version(NVCC):
        assert held == occupancy.table(kernels, version), 'not what this compiler says: python3 tools/occupancy.py BUILD --write'
    if kernels:
        assert all(not kernel.spilled for kernel in kernels)


if HEADERS:
    def test_resident_blocks_are_those_of_nvidias_own_header():
        folder = scratch()
        rows = ''.join('{%d, %d, %d, %d},' % ((number,) + (occupancy.LIMITS[number][:3])) for number in cuda.ARCHITECTURES)
        write(os.path.join(folder, 'oracle.cpp'), '''#include <cstddef>
            #include <cstdio>
            #include "cuda_occupancy.h"
            int main() {
              const int rows[][4] = {%s};
              for (auto& row : rows) for (int threads = 32; threads <= 1024; threads += 32) for (int registers = 16; registers <= 255; registers += 7)
                for (size_t shared = 0; shared <= 49152; shared += 4111) {
                  cudaOccDeviceProp p;
                  p.computeMajor = row[0] / 10; p.computeMinor = row[0] %% 10; p.maxThreadsPerBlock = 1024; p.maxThreadsPerMultiprocessor = row[1];
                  p.regsPerBlock = p.regsPerMultiprocessor = 65536; p.warpSize = 32; p.sharedMemPerBlock = 49152;
                  p.sharedMemPerMultiprocessor = (size_t)row[3] * 1024; p.numSms = 1; p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - 1024;
                  p.reservedSharedMemPerBlock = row[0] >= 80 ? 1024 : 0;
                  cudaOccFuncAttributes a;
                  a.maxThreadsPerBlock = 1024; a.numRegs = registers; a.sharedSizeBytes = shared; a.partitionedGCConfig = PARTITIONED_GC_OFF;
                  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_DEFAULT; a.maxDynamicSharedSizeBytes = 49152;
                  cudaOccDeviceState s;
                  s.carveoutConfig = 100;  // all that shared memory can have
                  cudaOccResult r;
                  const int error = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, threads, 0);
                  std::printf("%%d %%d %%d %%zu %%d\\n", row[0], threads, registers, shared, error ? -1 : r.activeBlocksPerMultiprocessor);
                }
            }''' % rows)
        run(['g++', '-I' + HEADERS, '-O1', '-w', 'oracle.cpp', '-o', 'oracle'], cwd=folder)
        lines = run([os.path.join(folder, 'oracle')]).stdout.splitlines()
        assert len(lines) > 50000
        seen = set()
        for line in lines:
            number, threads, registers, shared, wanted = map(int, line.split())
            found = occupancy.resident_blocks(number, threads, registers, shared)
            assert found == wanted, '%s, not %d' % (line, found)
            seen.add((number, found))
        assert len(seen) > 100

if NVCC:
    def test_primitives_compile_without_a_word():
        rest, code, text = compile_probe(os.path.join(HERE, 'probe.cu'), 75, 80, cuda.ARCHITECTURES[-1])
        assert code == 0 and not rest, '\n'.join(rest)
        kernels = occupancy.read_report(text)
        assert {kernel.architecture for kernel in kernels} == {75, 80, 120} and len(kernels) == 9
        assert all(kernel.registers > 8 and not kernel.spilled for kernel in kernels)

    def test_a_spill_is_an_error():
        source = os.path.join(scratch(), 'spill.cu')
        write(source, '''#include "primitives.cuh"
            struct P { const double* from; double* to; };
            MR_KERNEL(1024, 1) spill(MR_PARAM(P, p)) {
              double all[128];
              MR_UNROLL
              for (int i = 0; i < 128; i++) all[i] = mr_load(p.from + i * 1024 + mr_thread());
              for (int k = 0; k < 9; k++) {
                MR_UNROLL
                for (int i = 0; i < 128; i++) all[i] = mr_fma(all[i], all[(i * 7 + 5) % 128], all[(i * 3 + 1) % 128]);
              }
              MR_UNROLL
              for (int i = 0; i < 128; i++) mr_store(p.to + i * 1024 + mr_thread(), all[i]);
            }
            ''')
        rest, code, _ = compile_probe(source, 80)
        assert code != 0 and any('spill' in line.lower() for line in rest), (code, rest)
else:
    print('Left out: what needs nvcc, which is missing.')

main(globals())
