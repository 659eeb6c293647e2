# What Millrace is built from and how: read by ./waf.
# SPDX-License-Identifier: ISC
#
# Sources are found by their place and name, so a new file needs no line here:
#   dsp/**/*.c            libmillrace; dsp/kernel/isa_LEVEL.c with the flags of that level, where the processor's family has it
#   host/**/*.c           the command millrace, if libsndfile, popt and jansson are there
#   tests/**/test_*.c     a cmocka program each (tests/host/: with the command's objects but main.c)
#   tests/**/check_*.c    a program that needs no cmocka and no file, and so also runs under an emulator
#   tests/**/tool_*.c     a program that other tests use
#   tests/bench, fuzz, soak: what ./waf bench, fuzz and soak build and run
#   other *.c in tests/   joined to every test program
import os
import sys

from waflib import Build, Configure, Context, Logs, Options, Utils

from tools import commands, probes, testing

APPNAME = 'millrace'
VERSION = '0.1.0'
ABI = '0.1.0'  # of libmillrace: the soname is its first number
top = '.'
out = 'build'

Configure.autoconfig = 'clobber'  # commands configure by themselves, with the options of the last time

WARNINGS = ['-Wall', '-Wextra', '-Wshadow', '-Wstrict-prototypes', '-Wmissing-prototypes', '-Wvla', '-Wundef']
# The last words, after the user's CFLAGS: a bank sounds the same whatever they are.
EXACT = ['-fno-fast-math', '-ffp-contract=off']
# Flags of the sources that hold one instruction set each, by processor family.
LEVELS = {
    'x86_64': {
        'sse2': ['-msse2'],
        'fma': ['-mfma'],
        'avx2': ['-mavx2', '-mfma'],
        'avx512': ['-mavx512f', '-mavx512dq', '-mavx512vl', '-mavx512bw', '-mfma', '-mprefer-vector-width=512'],
    },
    'aarch64': {'neon': []},
}
NAMES = sorted({name for family in LEVELS.values() for name in family})


def options(opt):
    opt.load('compiler_c gnu_dirs')
    group = opt.add_option_group('Millrace: configuration')
    group.add_option('--static', action='store_true', default=False, help='install libmillrace.a too')
    group.add_option('--sanitize', metavar='LIST', default='',
                     help='address,undefined or thread; in the folder build/sanitize-LIST unless -o names another')
    group.add_option('--werror', action='store_true', default=False, help='warnings of the compiler are errors')
    group.add_option('--no-cross', action='store_true', default=False, help='no aarch64 build in ./waf test')
    group = opt.add_option_group('Millrace: tests')
    group.add_option('--filter', metavar='GLOB', default='', help='only the tests whose path or name matches')
    group.add_option('--complete', action='store_true', default=False,
                     help='a test that had to be left out is a failure (as after ./waf setup)')
    group.add_option('--seconds', type=int, default=30, help='fuzz: seconds for each target [30]')


def configure(conf):
    conf.load('compiler_c gnu_dirs')
    commands.watch(conf)
    env = conf.env
    env.prepend_value('CFLAGS', ['-O2', '-g', '-fPIC', '-fvisibility=hidden'] + WARNINGS)
    env.append_value('CFLAGS', EXACT + (['-Werror'] if conf.options.werror else []))
    env.append_value('LINKFLAGS', ['-Wl,-z,now', '-Wl,--as-needed'])
    env.KERNEL_CFLAGS = ['-std=gnu17', '-O3'] + EXACT
    env.STATIC_TOO = conf.options.static
    env.LEVELS = LEVELS.get(env.DEST_CPU, {})
    conf.msg('Instruction sets', ' '.join(sorted(env.LEVELS)) or 'none beyond plain C')

    plain = env.derive()
    env.SANITIZE = sorted(filter(None, conf.options.sanitize.split(',')))
    if env.SANITIZE:
        flags = ['-fsanitize=' + ','.join(env.SANITIZE), '-fno-omit-frame-pointer', '-fno-sanitize-recover=all']
        env.append_value('CFLAGS', flags)
        env.append_value('LINKFLAGS', flags)

    conf.check_cc(lib='m', uselib_store='M', mandatory=False)
    conf.check_cc(header_name='pthread.h', cflags=['-pthread'], linkflags=['-pthread'], uselib_store='THREAD', msg='Checking for threads')
    conf.find_program('pkg-config', var='PKGCONFIG', mandatory=False)
    for package, store in (('sndfile', 'SNDFILE'), ('popt', 'POPT'), ('jansson', 'JANSSON'), ('cmocka', 'CMOCKA')):
        if env.PKGCONFIG:
            conf.check_cfg(package=package, uselib_store=store, args='--cflags --libs', mandatory=False)
    conf.check_cc(header_name='stddef.h liquid/liquid.h', lib='liquid', uselib_store='LIQUID', define_name='HAVE_LIQUID', mandatory=False,
                  msg='Checking for liquid-dsp')
    env.DEFINES = ['_XOPEN_SOURCE=700', 'MILLRACE_VERSION="%s"' % VERSION]  # and none of those that the checks made
    wanted = [name for name in ('SNDFILE', 'POPT', 'JANSSON') if not env['HAVE_' + name]]
    env.COMMAND = not wanted
    if wanted:
        Logs.warn('The command millrace is left out: it needs libsndfile, popt and jansson, and of these %s is missing. '
                  'On Debian ./waf setup installs them.' % ', '.join(sorted(wanted)).lower())
    probes.find_test_tools(conf)
    env.CROSS = False
    if env.DEST_CPU == 'x86_64' and not env.SANITIZE and not conf.options.no_cross:
        env.CROSS = probes.configure_aarch64(conf, plain.derive(), LEVELS['aarch64'])
    env.FUZZ = probes.configure_fuzz(conf, plain.derive())


def build(bld):
    library(bld, bld.env, '')
    if bld.env.COMMAND and bld.path.find_node('host/main.c'):
        command(bld)
    if bld.cmd in ('test', 'soak', 'lint'):
        helpers(bld, bld.env, '')
        programs(bld, 'tests/**/tool_*.c', [])
    if bld.cmd in ('test', 'lint'):
        tests(bld)
    if bld.cmd in ('soak', 'lint'):
        programs(bld, 'tests/soak/**/soak_*.c', ['CMOCKA'])
    if bld.cmd in ('bench', 'lint'):
        programs(bld, 'tests/bench/**/*.c', ['LIQUID', 'SNDFILE'])
    if bld.cmd == 'fuzz' and bld.env.FUZZ:
        fuzzers(bld)
    bld.add_post_fun(commands.record_compilation)
    if hasattr(commands, bld.cmd):
        bld.add_post_fun(getattr(commands, bld.cmd))


def library(bld, env, prefix):
    """libmillrace from env: objects, archive and, for the machine itself, the shared library with all that is installed."""
    kernel = bld.path.ant_glob('dsp/kernel/**/*.c')
    objects = []

    def compile_objects(name, source, cflags):
        if source:
            bld(features='c', source=source, name=prefix + name, target=prefix + name, includes='dsp', cflags=cflags, env=env.derive(),
                use='THREAD')
            objects.append(prefix + name)

    level_of = {node: node.name[4:-2] for node in kernel if node.name.startswith('isa_')}
    unknown = sorted(set(level_of.values()) - set(NAMES))
    if unknown:
        bld.fatal('dsp/kernel/isa_%s.c: wscript has no flags for this instruction set' % unknown[0])
    compile_objects('dsp', bld.path.ant_glob('dsp/**/*.c', excl='dsp/kernel/**'), ['-std=c17'] + EXACT)
    compile_objects('kernel', [node for node in kernel if node not in level_of], env.KERNEL_CFLAGS)
    for node, level in level_of.items():
        if level in env.LEVELS:
            compile_objects(level, [node], env.KERNEL_CFLAGS + env.LEVELS[level] + EXACT)

    bld(features='c cstlib', source=[], target=prefix + 'millrace-internal', name=prefix + 'internal', use=objects + ['M', 'THREAD'],
        env=env.derive(), install_path=None)
    if prefix or not objects:
        return
    bld(features='c cshlib', source=[], target='millrace', name='shared', use=objects + ['M', 'THREAD'], vnum=ABI)
    if env.STATIC_TOO:
        bld(features='c cstlib', source=[], target='millrace', name='static', use=objects, install_path='${LIBDIR}')
    bld.install_files('${INCLUDEDIR}', 'dsp/millrace.h')
    bld(features='subst', source='tools/millrace.pc.in', target='millrace.pc', install_path='${LIBDIR}/pkgconfig', VERSION=VERSION,
        PREFIX=env.PREFIX, LIBDIR=env.LIBDIR, INCLUDEDIR=env.INCLUDEDIR)


def command(bld):
    """millrace and its man page, which it writes itself from its option tables."""
    host_objects(bld, bld.env, '')
    bld(features='c cprogram', source='host/main.c', target='millrace', name='command', includes='dsp host', cflags=['-std=c17'] + EXACT,
        use='host internal SNDFILE POPT JANSSON M THREAD', install_path='${BINDIR}')
    if commands.writes_man_pages(bld):
        bld(rule='${SRC[0].abspath()} man > ${TGT}', shell=True, source=bld.path.find_or_declare('millrace'), target='millrace.1',
            name='man', install_path='${MANDIR}/man1')


def host_objects(bld, env, prefix):
    sources = bld.path.ant_glob('host/**/*.c', excl='host/main.c')
    bld(features='c', source=sources, name=prefix + 'host', target=prefix + 'host', includes='dsp host', cflags=['-std=c17'] + EXACT,
        use='SNDFILE POPT JANSSON THREAD', env=env.derive())


def programs(bld, pattern, libraries, env=None, prefix=''):
    """Each source that matches becomes build/[prefix]PATH/STEM."""
    for node in bld.path.ant_glob(pattern):
        path = node.path_from(bld.path)[:-2]
        if not ('/tool_' in path or testing.wanted(path)) or ('liquid' in node.name and not bld.env.HAVE_LIQUID):
            continue
        use = [prefix + 'internal'] + libraries
        includes = '. dsp tests'
        if path.startswith('tests/host/'):
            if not bld.env.COMMAND:
                continue
            use = [prefix + 'host'] + use + ['SNDFILE', 'POPT', 'JANSSON']
            includes += ' host'
        if bld.get_tgen_by_name_or_none(prefix + 'support'):
            use = [prefix + 'support'] + use
        bld(features='c cprogram', source=[node], target=prefix + path, includes=includes, cflags=['-std=c17'] + EXACT,
            use=use + ['M', 'THREAD'], env=(env or bld.env).derive(), install_path=None)


def helpers(bld, env, prefix):
    """What test programs share, if there is any; under an emulator without what needs a library that is not there."""
    beside = ['tests/**/%s_*.c' % word for word in ('test', 'check', 'tool')]
    source = bld.path.ant_glob('tests/**/*.c', excl=beside + ['tests/%s/**' % folder for folder in ('bench', 'fuzz', 'soak', 'data')])
    if prefix or not env.HAVE_CMOCKA:
        source = [node for node in source if '<cmocka.h>' not in node.read() and '<sndfile.h>' not in node.read()]
    if source:
        bld(features='c cstlib', source=source, target=prefix + 'support', includes='. dsp tests', cflags=['-std=c17'] + EXACT,
            use='' if prefix else 'CMOCKA', env=env.derive(), install_path=None)


def tests(bld):
    if bld.env.HAVE_CMOCKA:
        programs(bld, 'tests/**/test_*.c', ['CMOCKA'])
    programs(bld, 'tests/**/check_*.c', [])
    if bld.env.CROSS and bld.cmd == 'test':
        aarch64 = bld.all_envs['aarch64']
        library(bld, aarch64, 'aarch64/')
        helpers(bld, aarch64, 'aarch64/')
        programs(bld, 'tests/**/check_*.c', [], aarch64, 'aarch64/')


def fuzzers(bld):
    env = bld.all_envs['fuzz']
    library(bld, env, 'fuzz/')
    if bld.env.COMMAND:
        host_objects(bld, env, 'fuzz/')
    for node in bld.path.ant_glob('tests/fuzz/**/fuzz_*.c'):
        path = node.path_from(bld.path)[:-2]
        if testing.wanted(path):
            bld(features='c cprogram', source=[node], target='fuzz/' + path, includes='. dsp host tests', cflags=['-std=c17'] + EXACT,
                linkflags=['-fsanitize=fuzzer'], env=env.derive(), install_path=None,
                use=(['fuzz/host'] if bld.env.COMMAND else []) + ['fuzz/internal', 'SNDFILE', 'POPT', 'JANSSON', 'M', 'THREAD'])


@Configure.conf
def get_tgen_by_name_or_none(bld, name):
    try:
        return bld.get_tgen_by_name(name)
    except Exception:  # waf's own error class differs between its versions
        return None


def builds_then(name, text):
    """A command that builds what it needs, and configures before that if nothing did."""
    return type(name.title() + 'Context', (Build.BuildContext,), {'cmd': name, 'fun': 'build', '__doc__': text})


TestContext = builds_then('test', 'builds and runs the tests')
BenchContext = builds_then('bench', 'builds and runs the benchmarks')
SoakContext = builds_then('soak', 'builds and runs the long checks')
FuzzContext = builds_then('fuzz', 'builds and runs the fuzzers, --seconds each')
LintContext = builds_then('lint', 'checks formatting and runs the static analysers')
DemoContext = builds_then('demo', 'filters a 7.1 recording made of voices, and says how it went')


def setup(ctx):
    """installs, on Debian and its kin, what the commands after it need"""
    commands.setup(ctx)


def dist(ctx):
    """packs the sources that git tracks"""
    commands.dist(ctx, APPNAME + '-' + VERSION)
