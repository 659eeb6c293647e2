# Looks, at configuration, for what the tests use: Python with its packages, emulators, the aarch64 compiler.
# SPDX-License-Identifier: ISC
import os
import subprocess
import sys

PYTHON_PACKAGES = ('numpy', 'scipy', 'mpmath')


def succeeds(command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def find_cxx(conf):
    """C++ is for what oneTBB demands; without a compiler there are no threads."""
    try:
        conf.load('compiler_cxx')
    except conf.errors.ConfigurationError:
        conf.env.CXX = []


def find_tbb(conf):
    """HAVE_TBB, and in the store TBB the C++ runtime too, since C links what is made of it."""
    env = conf.env
    env.HAVE_TBB = 0
    if not env.CXX or not env.PKGCONFIG:
        return
    if conf.check_cfg(package='tbb', uselib_store='TBB', args='tbb >= 2021.5 --cflags --libs', msg='Checking for oneTBB', mandatory=False):
        env.append_unique('LIB_TBB', 'stdc++')
        env.HAVE_TBB = 1


def without_tbb(env):
    env.HAVE_TBB = 0
    env.LIB_TBB = env.INCLUDES_TBB = []


def find_test_tools(conf):
    """env.TEST_PYTHON has all three packages; env.PLAIN_PYTHON runs the tests that need none."""
    env = conf.env
    env.PLAIN_PYTHON = [sys.executable]
    env.TEST_PYTHON = []
    for python in ('/usr/bin/python3', sys.executable):
        if os.path.exists(python) and succeeds([python, '-c', 'import ' + ', '.join(PYTHON_PACKAGES)]):
            env.TEST_PYTHON = [python]
            break
    conf.msg('Checking for Python with ' + ', '.join(PYTHON_PACKAGES), ''.join(env.TEST_PYTHON) or False)
    for name in ('qemu-x86_64', 'qemu-aarch64'):
        conf.find_program(name, var=name.upper().replace('-', '_'), mandatory=False)
    env.UNSHUFFLED = []
    if 'thread' in env.SANITIZE and succeeds(['setarch', '-R', 'true']):
        env.UNSHUFFLED = ['setarch', '-R']  # ThreadSanitizer cannot place its tables under strong address randomisation


def configure_aarch64(conf, env, levels):
    """Makes the environment named aarch64: libmillrace and its kernel checks, linked statically for an emulator."""
    conf.setenv('aarch64', env)
    env = conf.env
    try:
        for tool, name in (('CC', 'gcc'), ('AR', 'ar')):
            env[tool] = []
            conf.find_program('aarch64-linux-gnu-' + name, var=tool, mandatory=False)
        if not env.CC or not env.AR:
            return False
        env.LINK_CC = env.CC
        env.DEST_CPU = 'aarch64'
        without_tbb(env)
        env.LEVELS = levels
        env.append_value('LINKFLAGS', ['-static'])
        env.SHLIB_MARKER = env.STLIB_MARKER  # waf would turn back to shared libraries behind its own
        found = conf.check_cc(fragment='#include <math.h>\nint main(int n, char** v) { (void)v; return fma(n, n, n) > 1e9; }\n', lib='m',
                              uselib_store='M', msg='Checking for static aarch64 programs', mandatory=False)
        env.DEFINES = conf.all_envs[''].DEFINES
        return bool(found)
    finally:
        conf.setenv('')


def configure_fuzz(conf, env):
    """Makes the environment named fuzz: everything compiled by clang for libFuzzer, with the sanitizers."""
    conf.setenv('fuzz', env)
    env = conf.env
    try:
        env.CC = []
        conf.find_program(['clang-14', 'clang'], var='CC', mandatory=False)
        if not env.CC:
            return False
        env.LINK_CC = env.CC
        without_tbb(env)
        env.append_value('CFLAGS', ['-fsanitize=fuzzer-no-link,address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'])
        env.append_value('LINKFLAGS', ['-fsanitize=address,undefined'])
        # Fuzzers look for faults in what reads; clang takes many minutes over the kernels with every check in them.
        env.KERNEL_CFLAGS = [word for word in env.KERNEL_CFLAGS if word != '-O3'] + ['-O1', '-fno-sanitize=all']
        fragment = '''#include <stddef.h>
            int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);
            int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) { return data && size ? 0 : 0; }'''
        found = conf.check_cc(fragment=fragment, linkflags=['-fsanitize=fuzzer'], msg='Checking for libFuzzer', mandatory=False)
        env.DEFINES = conf.all_envs[''].DEFINES
        return bool(found)
    finally:
        conf.setenv('')
