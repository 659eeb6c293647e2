# What Millrace is built from and how: read by ./waf.
# SPDX-License-Identifier: ISC
#
# Sources are found by their place and name, so a new file needs no line here:
#   dsp/**/*.c            libmillrace; dsp/threads/*.cpp where oneTBB is there, else dsp/threads/none/*.c; dsp/kernel/isa_LEVEL.c and isa_LEVEL_*.c with the flags of that level, where the processor's family has it
#   host/**/*.c           the command millrace, if libsndfile, popt and jansson are there; host/jack/ if JACK is, too
#   view/*.c              the numbers of pictures, for the command and the plugins; view/cairo/: their drawing, if cairo is there
#   plugin/*.c, ttl/      the LV2 bundle millrace.lv2, if LV2's headers are there
#   gpu/*.cu, gpu/**/*.c  millrace-cuda.so, if nvcc is there; and for the tests millrace-emulator.so, the same compiled for the CPU
#   tests/gpu/**/*.cpp    the emulator, and programs test_*.cpp with cmocka and check_*.cpp without
#   presets/              the factory presets: in the bundle, and as bank files
#   gpu/*.cu, gpu/**/*.c  millrace-cuda.so, if nvcc is there; and for the tests millrace-emulator.so, the same compiled for the CPU
#   tests/gpu/**/*.cpp    the emulator, and programs test_*.cpp with cmocka and check_*.cpp without
#   tests/**/test_*.c     a cmocka program each (tests/host/: with the command's objects but main.c)
#   tests/**/check_*.c    a program that needs no cmocka and no file, and so also runs under an emulator
#   tests/**/check_*.cpp  the same in C++
#   tests/**/tool_*.c     a program that other tests use
#   tests/hosts/plugin_*.c, preload_*.c  libraries that tests have real hosts load
#   tests/bench, fuzz, soak: what ./waf bench, fuzz and soak build and run
#   other *.c in tests/   joined to every test program
import os
import sys

from waflib import Build, Configure, Context, Logs, Options, Utils

from tools import commands, nvcc, probes, targets, testing

APPNAME = 'millrace'
VERSION = '0.1.0'
MAINTAINER, EMAIL, HOMEPAGE = 'The Millrace developers', 'millrace@example.org', 'https://millrace.example/'
top = '.'
out = 'build'

Configure.autoconfig = 'clobber'  # commands configure by themselves, with the options of the last time

WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wstrict-prototypes', '-Wmissing-prototypes', '-Wvla', '-Wundef']


def options(opt):
    opt.load('compiler_c compiler_cxx gnu_dirs')
    group = opt.add_option_group('Millrace: configuration')
    group.add_option('--static', action='store_true', default=False, help='install libmillrace.a too')
    group.add_option('--sanitize', metavar='LIST', default='',
                     help='address,undefined or thread; in the folder build/sanitize-LIST unless -o names another')
    group.add_option('--lv2dir', metavar='DIR', default='', help='where install puts millrace.lv2 [PREFIX/lib/lv2]')
    group.add_option('--lv2-user', action='store_true', default=False, help='install millrace.lv2 into ~/.lv2')
    group.add_option('--werror', action='store_true', default=False, help='warnings of the compiler are errors')
    group.add_option('--no-cross', action='store_true', default=False, help='no aarch64 build in ./waf test')
    group = opt.add_option_group('Millrace: tests')
    group.add_option('--filter', metavar='GLOB', default='', help='only the tests whose path or name matches')
    group.add_option('--complete', action='store_true', default=False,
                     help='a test that had to be left out is a failure (as after ./waf setup)')
    group.add_option('--seconds', type=int, default=30, help='fuzz: seconds for each target [30]')


def configure(conf):
    conf.load('compiler_c gnu_dirs')
    probes.find_cxx(conf)
    commands.watch(conf)
    env = conf.env
    env.prepend_value('CFLAGS', ['-O2', '-g', '-fPIC', '-fvisibility=hidden'] + WARNINGS)
    env.append_value('CFLAGS', targets.EXACT + (['-Werror'] if conf.options.werror else []))
    env.CXXFLAGS = [flag for flag in env.CFLAGS if flag not in targets.C_ONLY]
    env.append_value('LINKFLAGS', ['-Wl,-z,now', '-Wl,--as-needed'])
    env.KERNEL_CFLAGS = ['-std=gnu17', '-O1' if conf.options.sanitize else '-O3'] + targets.EXACT  # unrolled and checked, they take minutes
    env.STATIC_TOO = conf.options.static
    env.LEVELS = targets.LEVELS.get(env.DEST_CPU, {})
    conf.msg('Instruction sets', ' '.join(sorted(env.LEVELS)) or 'none beyond plain C')

    env.SANITIZE = sorted(filter(None, conf.options.sanitize.split(',')))
    if env.SANITIZE:
        flags = ['-fsanitize=' + ','.join(env.SANITIZE), '-fno-omit-frame-pointer', '-fno-sanitize-recover=all']
        env.append_value('CFLAGS', flags)
        env.append_value('CXXFLAGS', flags)
        env.append_value('LINKFLAGS', flags)

    conf.check_cc(lib='m', uselib_store='M', mandatory=False)
    conf.check_cc(lib='dl', uselib_store='DL', mandatory=False)
    conf.check_cc(header_name='pthread.h', cflags=['-pthread'], linkflags=['-pthread'], uselib_store='THREAD', msg='Checking for threads')
    conf.find_program('pkg-config', var='PKGCONFIG', mandatory=False)
    for package, store in (('sndfile', 'SNDFILE'), ('popt', 'POPT'), ('jansson', 'JANSSON'), ('cmocka', 'CMOCKA'), ('lv2', 'LV2'), ('lilv-0', 'LILV'),
                           ('jack', 'JACK'), ('cairo', 'CAIRO'), ('kissfft-float', 'KISSFFT')):
        if env.PKGCONFIG:
            conf.check_cfg(package=package, uselib_store=store, args='--cflags --libs', mandatory=False)
    conf.check_cc(header_name='stddef.h liquid/liquid.h', lib='liquid', uselib_store='LIQUID', define_name='HAVE_LIQUID', mandatory=False,
                  msg='Checking for liquid-dsp')
    probes.find_tbb(conf)
    nvcc.configure(conf)
    conf.check_cc(fragment='#include <sys/inotify.h>\n#include <sys/signalfd.h>\nint main(void) { return inotify_init1(0) + signalfd(-1, 0, 0); }\n',
                  uselib_store='LINUX', define_name='HAVE_LINUX', mandatory=False, msg='Checking for inotify and signalfd')
    env.DEFINES = ['_XOPEN_SOURCE=700', 'MILLRACE_VERSION="%s"' % VERSION]  # and none of those that the checks made
    wanted = [name for name in ('SNDFILE', 'POPT', 'JANSSON') if not env['HAVE_' + name]]
    env.COMMAND = not wanted
    if wanted:
        Logs.warn('The command millrace is left out: it needs libsndfile, popt and jansson, and of these %s is missing. '
                  'On Debian ./waf setup installs them.' % ', '.join(sorted(wanted)).lower())
    if not env.HAVE_TBB:
        Logs.warn('Threads are left out: they need oneTBB (libtbb-dev) and a C++ compiler. On Debian ./waf setup installs both.')
    env.JACK_CLIENT = bool(env.HAVE_JACK and env.HAVE_LINUX)
    if not env.JACK_CLIENT:
        Logs.warn('millrace jack is left out: %s' % ('JACK is missing. On Debian ./waf setup installs it.' if not env.HAVE_JACK else
                                                     'it needs inotify and signalfd, which Linux has.'))
    if not env.HAVE_CAIRO:
        Logs.warn('Pictures are left out: cairo is missing. On Debian ./waf setup installs it.')
    if not env.HAVE_KISSFFT:
        Logs.warn('Spectra are left out of millrace plot: kissfft is missing. On Debian ./waf setup installs it.')
    if not env.HAVE_LV2:
        Logs.warn('The LV2 plugins are left out: LV2 is missing. On Debian ./waf setup installs it.')
    env.LV2DIR = os.path.expanduser('~/.lv2') if conf.options.lv2_user else os.path.abspath(conf.options.lv2dir) if conf.options.lv2dir else env.PREFIX + '/lib/lv2'
    probes.find_test_tools(conf)
    env.CROSS = env.FUZZ = False
    if not env.SANITIZE:
        if env.DEST_CPU == 'x86_64' and not conf.options.no_cross:
            env.CROSS = probes.configure_aarch64(conf, env.derive(), targets.LEVELS['aarch64'])
        env.FUZZ = probes.configure_fuzz(conf, env.derive())


def build(bld):
    targets.library(bld, bld.env, '', VERSION)
    targets.gpu_objects(bld, bld.env, '')
    if bld.path.find_node('view'):
        targets.view(bld, bld.env, '')
    if bld.path.find_node('ttl'):
        targets.ports(bld)
        targets.settings(bld, bld.env, '')
        targets.banks(bld)
        if bld.env.HAVE_LV2:
            targets.bundle(bld, [VERSION, MAINTAINER, EMAIL, HOMEPAGE])
    nvcc.cuda_module(bld)
    if bld.env.COMMAND and (bld.cmd != 'test' or testing.needs_command(bld)):
        targets.command(bld)
    if bld.cmd in ('test', 'soak', 'lint'):
        targets.helpers(bld, bld.env, '')
        targets.programs(bld, 'tests/**/tool_*.c', [])
        targets.host_libraries(bld)
    if bld.cmd in ('test', 'lint', 'soak'):
        nvcc.emulator(bld)
        nvcc.programs(bld, testing.wanted if bld.cmd != 'soak' else lambda path: '/check_' in path)
    if bld.cmd in ('test', 'lint'):
        targets.tests(bld)
    if bld.cmd in ('soak', 'lint'):
        targets.programs(bld, 'tests/soak/**/soak_*.c', ['CMOCKA'])
    if bld.cmd in ('bench', 'lint'):
        targets.programs(bld, 'tests/bench/**/*.c', ['LIQUID', 'SNDFILE'])
    if bld.cmd == 'fuzz' and bld.env.FUZZ:
        targets.fuzzers(bld)
    bld.add_post_fun(commands.record_compilation)
    if hasattr(commands, bld.cmd):
        bld.add_post_fun(getattr(commands, bld.cmd))


# A command that builds what it needs, and configures before that if nothing did.
def builds_then(name, text):
    return type(name.title() + 'Context', (Build.BuildContext,), {'cmd': name, 'fun': 'build', '__doc__': text})


TestContext = builds_then('test', 'builds and runs the tests')
BenchContext = builds_then('bench', 'builds and runs the benchmarks')
SoakContext = builds_then('soak', 'builds and runs the long checks')
FuzzContext = builds_then('fuzz', 'builds and runs the fuzzers, --seconds each')
LintContext = builds_then('lint', 'checks formatting and runs the static analysers')
DemoContext = builds_then('demo', 'filters a 7.1 recording made of voices, draws it before and after, and says how it went')


def setup(ctx):
    """installs, on Debian and its kin, what the commands after it need"""
    commands.setup(ctx)


def dist(ctx):
    """packs the sources that git tracks"""
    commands.dist(ctx, APPNAME + '-' + VERSION)
