# The two GPU modules of the build: millrace-cuda.so by nvcc, and millrace-emulator.so, the same sources for the CPU, by the C++ compiler.
# SPDX-License-Identifier: ISC
import os
import shutil
import subprocess

from waflib import Logs, Task
from waflib.Tools import c_preproc
from waflib.TaskGen import extension, feature

from tools import cuda

EXACT = ['-fno-fast-math', '-ffp-contract=off']
EMULATED = ['-std=c++20', '-O2'] + EXACT
KERNELS = ['-std=c++20', '-O1', '-g0'] + EXACT  # emulated: compiled in half the time, and hardly slower


def configure(conf):
    """env.NVCC, a list, and env.NVCC_VERSION; env.FMA_CXXFLAGS, what makes the emulator's fused operations one instruction here."""
    env = conf.env
    env.NVCC, env.NVCC_VERSION = [], ''
    path = cuda.find()
    found = cuda.version(path) if path else ''
    if found and int(found.split('.')[0]) >= cuda.RELEASE and not env.SANITIZE:
        env.NVCC, env.NVCC_VERSION = [path], found
    conf.msg('Checking for CUDA', '%s (%s)' % (path, found) if env.NVCC else False)
    if conf.path.ant_glob('gpu/*.cu') and not env.NVCC and not env.SANITIZE:
        Logs.warn('The CUDA backend is left out: it needs nvcc of CUDA %d (the environment\'s NVCC, the PATH or %s)%s.' %
                  (cuda.RELEASE, cuda.PLACES[0], ', and %s is version %s' % (path, found) if found else ''))
    env.FMA_CXXFLAGS = []
    if env.CXX and env.DEST_CPU == 'x86_64':
        fragment = 'int main() { __builtin_cpu_init(); return __builtin_cpu_supports("fma") ? 0 : 1; }\n'
        if conf.check_cxx(fragment=fragment, execute=True, mandatory=False, msg='Checking for fused operations in this processor'):
            env.FMA_CXXFLAGS = ['-mfma']


class nvcc(Task.Task):
    """Compiles for all architectures, and keeps what the assembler says beside the object."""
    color = 'GREEN'
    vars = ['NVCC', 'NVCC_VERSION', 'NVCCFLAGS', 'DEFINES', 'INCPATHS']
    ext_in = ['.h']
    scan = c_preproc.scan

    def run(self):
        env = self.env
        command = env.NVCC + env.NVCCFLAGS + ['-I' + path for path in env.INCPATHS] + ['-D' + word for word in env.DEFINES]
        kept = self.outputs[0].abspath() + '.kept'
        os.makedirs(kept, exist_ok=True)
        command += ['--keep', '--keep-dir', kept, '-c', self.inputs[0].abspath(), '-o', self.outputs[0].abspath()]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.outputs[1].write(''.join('bounds %s %d\n' % pair for pair in cuda.launch_bounds(kept)) + done.stdout)
        shutil.rmtree(kept)
        plain = [line for line in done.stdout.splitlines() if not line.startswith(('ptxas info', '    ')) and line.strip()]
        if done.returncode or plain:
            Logs.error('\n'.join(plain) or done.stdout)
        return done.returncode


class nvcc_link(Task.Task):
    """A shared module with the runtime inside it, which needs no driver to be loaded."""
    color = 'YELLOW'
    vars = ['NVCC', 'NVCC_VERSION']
    run_str = '${NVCC} -shared -cudart static -Xlinker --exclude-libs=ALL,-z,now -o ${TGT} ${SRC}'


@extension('.cu')
def compile_cuda(self, node):
    if 'cxx' in self.features:  # for the emulator
        self.create_compiled_task('cxx', node)
        return
    self.cuda_objects = getattr(self, 'cuda_objects', [])
    task = self.create_task('nvcc', node, [node.change_ext('.cuda.o'), node.change_ext('.ptxas')])
    self.cuda_objects.append(task.outputs[0])


def exists(bld, name):
    try:
        return bool(bld.get_tgen_by_name(name))
    except Exception:  # waf's own error class differs between its versions
        return False


@feature('cuda_link')
def link_cuda(self):
    """Of the objects of the task generators that it names."""
    inputs = []
    for name in self.parts:
        part = self.bld.get_tgen_by_name(name)
        part.post()
        inputs += getattr(part, 'cuda_objects', []) + [task.outputs[0] for task in getattr(part, 'compiled_tasks', [])]
    self.create_task('nvcc_link', inputs, self.bld.path.find_or_declare(self.target))


def host_objects(bld):
    """What both modules have in plain C: its name in a list, made once. What finds modules and reads programs is not theirs."""
    source = bld.path.ant_glob('gpu/**/*.c', excl=['gpu/job.c', 'gpu/library.c'])
    if source and not exists(bld, 'gpu-host'):
        bld(features='c', source=source, name='gpu-host', target='gpu-host', includes='. dsp gpu', cflags=['-std=c17'] + EXACT,
            env=bld.env.derive())
    return ['gpu-host'] * bool(source)


def cuda_module(bld):
    """build/gpu/millrace-cuda.so, installed into LIBDIR/millrace: opened at run time, if at all."""
    source = bld.path.ant_glob('gpu/*.cu')
    if not source or not bld.env.NVCC:
        return
    env = bld.env.derive()
    env.NVCCFLAGS = cuda.FLAGS + cuda.architecture_flags()
    bld(features='c', source=source, name='cuda-objects', target='cuda-objects', includes='. dsp gpu', env=env)
    bld(features='cuda_link', name='cuda', target='gpu/millrace-cuda.so', parts=['cuda-objects'] + host_objects(bld), env=env)
    bld.install_files('${LIBDIR}/millrace', bld.path.find_or_declare('gpu/millrace-cuda.so'), chmod=0o755)


def emulator(bld):
    """The emulator as a library, and the module made of it and the sources in gpu/. Neither is installed."""
    if not bld.env.CXX or 'thread' in bld.env.SANITIZE:  # whose tables know nothing of fibers
        return
    source = bld.path.ant_glob(['tests/gpu/emulator/*.cpp', 'tests/gpu/emulator/fiber.c'])
    if not source:
        return
    flags = EMULATED + bld.env.FMA_CXXFLAGS
    bld(features='c cxx cxxstlib', source=source, name='emulator', target='gpu/emulator', includes='. gpu tests/gpu/emulator',
        cflags=['-std=c17'] + EXACT, cxxflags=flags, use='THREAD', env=bld.env.derive(), install_path=None)
    source = bld.path.ant_glob('gpu/*.cu')
    if not source:
        return
    module = bld(features='cxx cxxshlib', source=source, name='emulator-module', target='gpu/millrace-emulator', includes='. dsp gpu tests/gpu/emulator',
                 cxxflags=KERNELS + bld.env.FMA_CXXFLAGS + ['-x', 'c++'], use=host_objects(bld) + ['emulator', 'THREAD'], env=bld.env.derive(), install_path=None)
    module.env.cxxshlib_PATTERN = '%s.so'


def programs(bld, wanted):
    """tests/gpu/**/test_*.cpp with cmocka, check_*.cpp without."""
    if not exists(bld, 'emulator'):
        return
    patterns = ['tests/gpu/**/check_*.cpp'] + ['tests/gpu/**/test_*.cpp'] * bool(bld.env.HAVE_CMOCKA)
    for node in bld.path.ant_glob(patterns):
        path = node.path_from(bld.path)[:-4]
        if not wanted(path):
            continue
        bld(features='cxx cxxprogram', source=[node], target=path, includes='. dsp gpu tests tests/gpu/emulator', cxxflags=KERNELS + bld.env.FMA_CXXFLAGS,
            use=host_objects(bld) + ['emulator', 'internal', 'THREAD', 'M'] + ['CMOCKA'] * node.name.startswith('test_'), env=bld.env.derive(),
            install_path=None)
