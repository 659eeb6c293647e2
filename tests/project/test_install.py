# What ./waf install brings is all that another program needs, and no more.
# SPDX-License-Identifier: ISC
import os
import re
import subprocess

from harness import BUILD, CC, MILLRACE, SANITIZE, SOURCE, main, read, run, scratch, small_project, waf, write

USER = '''#include <millrace.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  const double b[3] = {1.0, 0.5, 0.25}, a[3] = {2.0, 0.0, 0.5};
  MrSection section;
  if (mr_section_from_coefficients(b, a, &section) != MR_OK) return 1;
  const MrBiquad biquad = mr_section_to_biquad(&section);
  if (biquad.b0 != 0.5 || biquad.b1 != 0.25 || biquad.b2 != 0.125 || biquad.a1 != 0.0 || biquad.a2 != 0.25) return 2;
  return strcmp(mr_version(), VERSION) != 0;
}
'''
FLAGS = ['-fsanitize=' + SANITIZE] if SANITIZE else []
root = None


def installed():
    """The tree of an installation of the build under test, made once."""
    global root
    if root is None:
        root = scratch()
        waf(SOURCE, '-o', BUILD, 'install', '--destdir=' + root)
    return root


def find(name):
    for folder, _, names in os.walk(installed()):
        if name in names:
            return os.path.join(folder, name)
    raise AssertionError('%s is not installed' % name)


def version():
    return re.search(r"^VERSION = '(.*)'$", read(SOURCE, 'wscript'), re.M).group(1)


def declared():
    """The functions of the public header."""
    text = re.sub(r'/\*.*?\*/', '', read(SOURCE, 'dsp', 'millrace.h'), flags=re.S)
    return set(re.findall(r'^MR_API [^;({]*?\b(mr_\w+)\(', text, re.M))


def test_all_is_there():
    names = {name for _, _, found in os.walk(installed()) for name in found}
    wanted = {'millrace.h', 'millrace.pc', 'libmillrace.so.' + version()}
    if os.path.exists(MILLRACE):
        wanted |= {'millrace', 'millrace.1'}
    if os.path.exists(os.path.join(BUILD, 'lv2', 'millrace.lv2')):
        bundle = set(os.listdir(os.path.dirname(find('manifest.ttl'))))
        pictures = os.path.exists(os.path.join(BUILD, 'lv2', 'millrace.lv2', 'millrace-view.so'))
        assert {'millrace.so', 'manifest.ttl', 'eq-2.ttl', 'bank-64.ttl', 'presets'} <= bundle and len(bundle) == 33 + pictures, bundle
        assert ('millrace-view.so' in bundle) == pictures
        assert os.path.dirname(find('manifest.ttl')).endswith('/lib/lv2/millrace.lv2')
        wanted |= bundle - {'presets'} | set(os.listdir(os.path.join(os.path.dirname(find('manifest.ttl')), 'presets')))
        assert {'weighting-a.ttl', 'octave-31.5.ttl'} <= wanted, wanted
    banks = set(os.listdir(os.path.dirname(find('weighting-a.txt'))))
    assert os.path.dirname(find('weighting-a.txt')).endswith('/share/millrace/banks') and {'octave-31.5.txt', 'mix-vocal-air.txt'} <= banks
    wanted |= banks
    if os.path.exists(os.path.join(BUILD, 'gpu', 'millrace-cuda.so')):
        wanted.add('millrace-cuda.so')
        assert os.path.dirname(find('millrace-cuda.so')).endswith('/lib/millrace')
    assert wanted <= names, wanted - names
    stray = {name for name in names - wanted if not re.fullmatch(r'libmillrace\.so(\.\d+)?|millrace-\w+\.1', name)}
    assert not stray, stray


def test_soname():
    lines = run(['objdump', '-p', find('libmillrace.so.' + version())]).stdout
    assert 'SONAME               libmillrace.so.%s\n' % version().split('.')[0] in lines


def test_the_library_needs_libc_libm_and_what_threads_are_made_of():
    if SANITIZE:
        return
    lines = run(['objdump', '-p', find('libmillrace.so.' + version())]).stdout
    needed = set(re.findall(r'NEEDED\s+(\S+)', lines))
    threads = {'libtbb.so.12', 'libstdc++.so.6', 'libgcc_s.so.1'}
    assert needed - threads <= {'libc.so.6', 'libm.so.6', 'ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'}, needed
    assert 'libtbb.so.12' in needed or not needed & threads, needed


def test_exports_are_the_header():
    lines = run(['nm', '-D', '--defined-only', find('libmillrace.so.' + version())]).stdout
    exported = {line.split()[-1] for line in lines.splitlines()}
    exported = {name for name in exported if not name.startswith(('__asan', '__odr_asan', '__ubsan', '__tsan'))}
    assert declared() and exported == declared(), 'missing %s, too many %s' % (declared() - exported, exported - declared())


def test_another_program_compiles_links_and_runs():
    folder = scratch()
    source, program = os.path.join(folder, 'user.c'), os.path.join(folder, 'user')
    write(source, USER)
    settings = {'PKG_CONFIG_LIBDIR': os.path.dirname(find('millrace.pc')), 'PKG_CONFIG_SYSROOT_DIR': installed()}
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'millrace'], env=dict(os.environ, **settings), stdout=subprocess.PIPE,
                           check=True, universal_newlines=True).stdout.split()
    assert run(['pkg-config', '--modversion', 'millrace'], **settings).stdout.strip() == version()
    run(CC + FLAGS + ['-DVERSION="%s"' % version(), source, '-o', program] + flags)
    run([program], LD_LIBRARY_PATH=os.path.dirname(find('libmillrace.so.' + version())))


def test_the_header_compiles_alone():
    folder = scratch()
    for compiler, name, standards in ((CC, 'user.c', ('c99', 'c11', 'c17')), (['g++'], 'user.cc', ('c++11', 'c++17', 'c++20'))):
        write(os.path.join(folder, name), '#include "millrace.h"\n')
        for standard in standards:
            run(compiler + ['-std=' + standard, '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-I', os.path.dirname(find('millrace.h')),
                            '-fsyntax-only', name], cwd=folder)


def test_folders_are_as_asked():
    folder, target = small_project(), scratch()
    waf(folder, 'configure', 'build', 'install', '--prefix=/opt/m', '--libdir=/opt/m/lib/x', '--static', '--destdir=' + target)
    names = {os.path.relpath(os.path.join(path, name), target) for path, _, found in os.walk(target) for name in found}
    assert {'opt/m/include/millrace.h', 'opt/m/lib/x/libmillrace.so', 'opt/m/lib/x/libmillrace.a', 'opt/m/lib/x/pkgconfig/millrace.pc',
            'opt/m/bin/millrace'} <= names, names
    assert 'libdir=/opt/m/lib/x\n' in read(target, 'opt/m/lib/x/pkgconfig/millrace.pc')
    write(os.path.join(folder, 'dsp', 'more.c'), 'int mr_more(void);\nint mr_more(void) { return 1; }\n')
    waf(folder, 'build', 'uninstall', '--destdir=' + target)
    assert not [name for _, _, found in os.walk(target) for name in found]


def test_without_the_optional_packages_it_says_what_is_left_out():
    folder, target = small_project(), scratch()
    text = waf(folder, 'configure', 'build', 'install', '--destdir=' + target, PKG_CONFIG_LIBDIR=target, PKG_CONFIG_PATH='').stdout
    assert 'The command millrace is left out' in text and 'sndfile' in text, text
    names = {name for _, _, found in os.walk(target) for name in found}
    assert 'libmillrace.so' in names and 'millrace' not in names


main(globals())
