# What is compiled from what, with which flags; the build in wscript calls these.
# SPDX-License-Identifier: ISC
import os
import subprocess
import sys

from tools import testing

ABI = '0.1.0'  # of libmillrace: the soname is its first number
# The last words, after the user's CFLAGS: a bank sounds the same whatever they are.
EXACT = ['-fno-fast-math', '-ffp-contract=off']
C_ONLY = ('-Wstrict-prototypes', '-Wmissing-prototypes')  # flags that C++ has not
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
SETTINGS = ('eq_settings', 'channel_list', 'thread_options')  # of plugin/: what the command needs too
COMMAND_LIBRARIES = ['SNDFILE', 'POPT', 'JANSSON', 'LILV', 'JACK', 'CAIRO', 'KISSFFT']
NAMES = sorted({name for family in LEVELS.values() for name in family})
# Libraries that only helpers of tests/hosts/ use, by the folder of their headers.
HOST_LIBRARIES = {'lilv': 'LILV', 'jack': 'JACK'}


def exists(bld, name):
    try:
        return bool(bld.get_tgen_by_name(name))
    except Exception:  # waf's own error class differs between its versions
        return False


def library(bld, env, prefix, version=''):
    """libmillrace from env: objects, archive and, for the machine itself, the shared library with all that is installed."""
    kernel = bld.path.ant_glob('dsp/kernel/**/*.c')
    objects = []

    def compile_objects(name, source, cflags):
        if source:
            bld(features='c', source=source, name=prefix + name, target=prefix + name, includes='dsp', cflags=cflags, env=env.derive(),
                use='THREAD')
            objects.append(prefix + name)

    level_of = {node: node.name[4:-2].split('_')[0] for node in kernel if node.name.startswith('isa_')}
    unknown = sorted(set(level_of.values()) - set(NAMES))
    if unknown:
        bld.fatal('dsp/kernel/isa_%s.c: wscript has no flags for this instruction set' % unknown[0])
    compile_objects('dsp', bld.path.ant_glob('dsp/**/*.c', excl=['dsp/kernel/**'] + (['dsp/threads/none/**'] if env.HAVE_TBB else [])), ['-std=c17'] + EXACT)
    if env.HAVE_TBB:
        bld(features='cxx', source=bld.path.ant_glob('dsp/threads/*.cpp'), name=prefix + 'threads', target=prefix + 'threads', includes='dsp',
            cxxflags=['-std=c++17'] + EXACT, env=env.derive(), use='THREAD TBB')
        objects.append(prefix + 'threads')
    compile_objects('kernel', [node for node in kernel if node not in level_of], env.KERNEL_CFLAGS)
    for level in sorted(env.LEVELS):
        compile_objects(level, [node for node in level_of if level_of[node] == level], env.KERNEL_CFLAGS + env.LEVELS[level] + EXACT)

    bld(features='c cstlib', source=[], target=prefix + 'millrace-internal', name=prefix + 'internal', use=objects + ['M', 'THREAD', 'TBB'],
        env=env.derive(), install_path=None)
    if prefix or not objects:
        return
    bld(features='c cshlib', source=[], target='millrace', name='shared', use=objects + ['M', 'THREAD', 'TBB'], vnum=ABI)
    if env.STATIC_TOO:
        bld(features='c cstlib', source=[], target='millrace', name='static', use=objects, install_path='${LIBDIR}')
    bld.install_files('${INCLUDEDIR}', 'dsp/millrace.h')
    bld(features='subst', source='tools/millrace.pc.in', target='millrace.pc', install_path='${LIBDIR}/pkgconfig', VERSION=version,
        PREFIX=env.PREFIX, LIBDIR=env.LIBDIR, INCLUDEDIR=env.INCLUDEDIR)


def generator(bld):
    """The command line of ttl/generate.py, and what it depends on."""
    return '"%s" -B "%s"' % (sys.executable, bld.path.find_node('ttl/generate.py').abspath()), bld.path.ant_glob(['ttl/*.py', 'presets/*.txt', 'presets/*.txt.in'])


def ports(bld):
    """C's view of the plugins' ports, from the port table."""
    command, table = generator(bld)
    for kind, target in (('header', 'plugin/ports.h'), ('source', 'plugin/ports.c')):
        bld(rule='%s %s ${TGT}' % (command, kind), source=table, target=target, name=kind, ext_out='.h', before='c')


def settings(bld, env, prefix):
    """What the plugins and the command have in common."""
    sources = [bld.path.find_node('plugin/%s.c' % name) for name in SETTINGS] + [bld.path.find_or_declare('plugin/ports.c')]
    bld(features='c', source=sources, name=prefix + 'settings', target=prefix + 'settings', includes='dsp plugin', cflags=['-std=c17'] + EXACT,
        env=env.derive())


def view(bld, env, prefix):
    """The picture of a response: its numbers and, where cairo is, its drawing."""
    bld(features='c', source=bld.path.ant_glob('view/*.c'), name=prefix + 'view', target=prefix + 'view', includes='dsp', cflags=['-std=c17'] + EXACT,
        env=env.derive())
    if bld.env.HAVE_CAIRO:
        bld(features='c', source=bld.path.ant_glob('view/cairo/*.c', excl=['view/cairo/module.c']), name=prefix + 'drawing', target=prefix + 'drawing',
            includes='dsp', cflags=['-std=c17'] + EXACT, use='CAIRO', env=env.derive())


def drawn(bld, prefix):
    """What uses the view links this."""
    return [name for name in (prefix + 'drawing', prefix + 'view') if exists(bld, name)]


def plugin_objects(bld, env, prefix):
    """What the plugins' binary is made of beside the library and the settings."""
    sources = bld.path.ant_glob('plugin/*.c', excl=['plugin/%s.c' % name for name in SETTINGS])
    bld(features='c', source=sources, name=prefix + 'plugin-objects', target=prefix + 'plugin-objects', includes='dsp plugin',
        cflags=['-std=c17'] + EXACT, use='LV2 THREAD', env=env.derive())


def bundle(bld, about):
    """millrace.lv2: one binary, and Turtle from the port table."""
    plugin_objects(bld, bld.env, '')
    exports = bld.path.find_node('plugin/exports.map')
    binary = bld(features='c cshlib', source=[], target='lv2/millrace.lv2/millrace', name='plugin', use='plugin-objects view gpu settings internal M THREAD DL',
                 linkflags=['-Wl,--version-script=' + exports.abspath()], install_path='${LV2DIR}/millrace.lv2')
    binary.env.cshlib_PATTERN = '%s.so'
    if bld.env.HAVE_CAIRO:
        view_module(bld)
    command, table = generator(bld)
    names = subprocess.check_output('%s names' % command, shell=True, universal_newlines=True).split()
    targets = [bld.path.find_or_declare('lv2/millrace.lv2/' + name) for name in names]
    bld(rule='%s bundle %s' % (command, ' '.join('"%s"' % word for word in [targets[0].parent.abspath()] + about)), source=table, target=targets,
        name='turtle', cls_str=lambda task: 'the bundle\'s Turtle')
    for folder in sorted({target.parent for target in targets}, key=str):
        bld.install_files('${LV2DIR}/millrace.lv2/' + folder.path_from(targets[0].parent), [target for target in targets if target.parent is folder])


def banks(bld):
    """The factory presets' bank files."""
    command = '"%s" -B "%s"' % (sys.executable, bld.path.find_node('ttl/presets.py').abspath())
    names = subprocess.check_output('%s names' % command, shell=True, universal_newlines=True).split()
    targets = [bld.path.find_or_declare('banks/' + name) for name in names]
    bld(rule='%s banks "%s"' % (command, targets[0].parent.abspath()), source=generator(bld)[1], target=targets, name='banks',
        cls_str=lambda task: 'the presets\' bank files')
    bld.install_files('${DATADIR}/millrace/banks', targets)


def view_module(bld):
    """The bundle's drawing, which its binary opens when a host first wants a picture: so cairo and X11 are no one else's burden."""
    exports = bld.path.find_node('view/cairo/module.map')
    module = bld(features='c cshlib', source='view/cairo/module.c', includes='dsp', cflags=['-std=c17'] + EXACT, target='lv2/millrace.lv2/millrace-view',
                 name='view-module', use='drawing view internal CAIRO M THREAD', linkflags=['-Wl,--version-script=' + exports.abspath()],
                 install_path='${LV2DIR}/millrace.lv2')
    module.env.cshlib_PATTERN = '%s.so'


def command(bld):
    """millrace and its man page, which it writes itself from its option tables."""
    host_objects(bld, bld.env, '')
    bld(features='c cprogram', source='host/main.c', target='millrace', name='command', includes='dsp host', cflags=['-std=c17'] + EXACT,
        use=['host', 'gpu'] + drawn(bld, '') + (['settings'] if exists(bld, 'settings') else []) + ['internal'] + COMMAND_LIBRARIES + ['M', 'THREAD'], install_path='${BINDIR}')
    bld(rule='${SRC[0].abspath()} man > ${TGT}', shell=True, source=bld.path.find_or_declare('millrace'), target='millrace.1', name='man',
        install_path='${MANDIR}/man1')


def gpu_objects(bld, env, prefix):
    """What finds a card and plans for it; the modules that talk to one have it too."""
    bld(features='c', source=bld.path.ant_glob('gpu/*.c'), name=prefix + 'gpu', target=prefix + 'gpu', includes='dsp', cflags=['-std=c17'] + EXACT,
        defines=['MILLRACE_LIBDIR="%s"' % bld.env.LIBDIR], use='THREAD', env=env.derive())


def host_objects(bld, env, prefix):
    """What the command is made of; without lilv it reads no presets, without JACK it is no client."""
    lilv = bool(bld.env.HAVE_LILV and bld.env.HAVE_LV2)
    lacking = ([] if lilv else ['host/presets/**']) + ([] if bld.env.JACK_CLIENT else ['host/jack/**'])
    sources = bld.path.ant_glob('host/**/*.c', excl=['host/main.c'] + lacking)
    bld(features='c', source=sources, name=prefix + 'host', target=prefix + 'host', includes='dsp host plugin', cflags=['-std=c17'] + EXACT,
        defines=['MR_HAVE_LILV'] * lilv + ['MR_HAVE_JACK'] * bld.env.JACK_CLIENT + ['MR_HAVE_CAIRO'] * bool(bld.env.HAVE_CAIRO)
        + ['MR_HAVE_KISSFFT'] * bool(bld.env.HAVE_KISSFFT), use=COMMAND_LIBRARIES + ['LV2', 'THREAD'], env=env.derive())


def programs(bld, pattern, libraries, env=None, prefix=''):
    """Each source that matches becomes build/[prefix]PATH/STEM."""
    for node in bld.path.ant_glob(pattern):
        path = node.path_from(bld.path)[:-2]
        if not ('/tool_' in path or testing.wanted(path)) or ('liquid' in node.name and not bld.env.HAVE_LIQUID):
            continue
        if '_lv2' in node.name and not (bld.env.HAVE_LILV and bld.env.HAVE_LV2):
            continue
        use = [prefix + 'internal'] + libraries
        includes = '. dsp tests'
        if path.startswith('tests/host/'):
            if not exists(bld, prefix + 'host'):
                continue
            if path.startswith('tests/host/jack/') and not bld.env.JACK_CLIENT:
                continue
            use = [prefix + 'host', prefix + 'gpu'] + drawn(bld, prefix) + ([prefix + 'settings'] if exists(bld, prefix + 'settings') else []) + use + COMMAND_LIBRARIES + ['LV2']
            includes += ' host plugin'
        if path.startswith('tests/view/'):
            if not exists(bld, prefix + 'view') or ('/cairo/' in path and not exists(bld, prefix + 'drawing')):
                continue
            use = drawn(bld, prefix) + use + ['CAIRO']
        if path.startswith(('tests/bench/plugins/', 'tests/presets/')):
            if not bld.env.HAVE_LV2 or not bld.env.HAVE_LILV:
                continue
            use += ['LV2', 'LILV']
        if path.startswith('tests/plugin/'):
            if not exists(bld, 'plugin') or not bld.env.HAVE_LILV or prefix:
                continue
            use = (['plugin-support'] if exists(bld, 'plugin-support') else []) + ['plugin-objects', 'view', 'gpu', 'settings'] + use + ['LV2', 'LILV', 'DL']
            includes += ' plugin'
        if path.startswith('tests/gpu/'):
            use = [prefix + 'gpu'] + use
        if path.startswith('tests/hosts/'):
            wanted = [store for folder, store in sorted(HOST_LIBRARIES.items()) if '#include <%s/' % folder in node.read()]
            if bld.env.SANITIZE or not all(bld.env['HAVE_' + store] for store in ['LV2'] + wanted):
                continue
            use = use + ['LV2'] + wanted
        if exists(bld, prefix + 'support'):
            use = [prefix + 'support'] + use
        bld(features='c cprogram', source=[node], target=prefix + path, includes=includes, cflags=['-std=c17'] + EXACT,
            use=use + ['M', 'THREAD'], env=(env or bld.env).derive(), install_path=None)


def cxx_programs(bld):
    """tests/**/check_*.cpp, which need no cmocka either; what includes oneTBB is left out without it. Those of tests/gpu/ are built with the emulator."""
    for node in bld.path.ant_glob('tests/**/check_*.cpp', excl=['tests/gpu/**']):
        path = node.path_from(bld.path)[:-4]
        if testing.wanted(path) and not testing.lacks_cxx(bld, node.abspath()):
            bld(features='cxx cxxprogram', source=[node], target=path, includes='. dsp tests', cxxflags=['-std=c++17'] + EXACT,
                use=['internal', 'M', 'THREAD', 'TBB'], env=bld.env.derive(), install_path=None)


def host_libraries(bld):
    """What tests have real hosts load, an LV2 binary or a preloaded library: tests/hosts/plugin_NAME.c and preload_NAME.c become
    build/tests/hosts/NAME.so."""
    for node in bld.path.ant_glob(['tests/hosts/plugin_*.c', 'tests/hosts/preload_*.c']):
        if bld.env.SANITIZE or not exists(bld, 'plugin'):
            continue
        use = 'LV2 settings internal M THREAD' if node.name.startswith('plugin_') else ''
        binary = bld(features='c cshlib', source=[node], target='tests/hosts/' + node.name[:-2].partition('_')[2], includes='.',
                     cflags=['-std=c17'] + EXACT, use=use, install_path=None)
        binary.env.cshlib_PATTERN = '%s.so'


def helpers(bld, env, prefix):
    """What test programs share, if there is any; under an emulator without what needs a library that is not there."""
    beside = ['tests/**/%s_*.c' % word for word in ('test', 'check', 'tool', 'plugin', 'preload')]
    source = bld.path.ant_glob('tests/**/*.c', excl=beside + ['tests/%s/**' % folder for folder in ('bench', 'fuzz', 'soak', 'data', 'plugin')])
    if prefix or not env.HAVE_CMOCKA:
        source = [node for node in source if '<cmocka.h>' not in node.read() and '<sndfile.h>' not in node.read()]
    if source:
        bld(features='c cstlib', source=source, target=prefix + 'support', includes='. dsp tests', cflags=['-std=c17'] + EXACT,
            use='' if prefix else 'CMOCKA', env=env.derive(), install_path=None)
    if prefix or not (env.HAVE_LV2 and env.HAVE_LILV):
        return
    source = bld.path.ant_glob('tests/plugin/*.c', excl=beside)
    if source:  # the test host
        bld(features='c cstlib', source=source, target='plugin-support', includes='. dsp tests plugin', cflags=['-std=c17'] + EXACT,
            use='LV2 LILV THREAD', env=env.derive(), install_path=None)


def tests(bld):
    if bld.env.HAVE_CMOCKA:
        programs(bld, 'tests/**/test_*.c', ['CMOCKA'])
    programs(bld, 'tests/**/check_*.c', [])
    cxx_programs(bld)
    if bld.env.CROSS and bld.cmd == 'test':
        aarch64 = bld.all_envs['aarch64']
        library(bld, aarch64, 'aarch64/')
        helpers(bld, aarch64, 'aarch64/')
        programs(bld, 'tests/**/check_*.c', [], aarch64, 'aarch64/')


def fuzzers(bld):
    env = bld.all_envs['fuzz']
    library(bld, env, 'fuzz/')
    gpu_objects(bld, env, 'fuzz/')
    if bld.env.COMMAND:
        host_objects(bld, env, 'fuzz/')
    if exists(bld, 'settings'):
        settings(bld, env, 'fuzz/')
    if exists(bld, 'plugin-objects'):
        plugin_objects(bld, env, 'fuzz/')
    if exists(bld, 'view'):
        view(bld, env, 'fuzz/')
    own = [name for name in ('fuzz/host', 'fuzz/gpu', 'fuzz/settings') if exists(bld, name)]
    for path in testing.find_fuzzers(bld):
        plugin = ['fuzz/plugin-objects', 'LV2', 'DL'] if os.path.basename(path).startswith('fuzz_plugin') else []
        bld(features='c cprogram', source=[path + '.c'], target='fuzz/' + path, includes='. dsp host plugin tests', cflags=['-std=c17'] + EXACT,
            linkflags=['-fsanitize=fuzzer'], env=env.derive(), install_path=None,
            use=own + plugin + drawn(bld, 'fuzz/') + ['fuzz/internal'] + COMMAND_LIBRARIES + ['M', 'THREAD'])
