# ./waf finds its library in the order that it promises, and says so clearly if there is none.
# SPDX-License-Identifier: ISC
import glob
import os
import re
import shutil
import sys

from harness import SOURCE, main, run, scratch, write

IN_PACKAGE = 'usr/lib/python3/dist-packages/xpdeint/waf'


def library(folder, tag):
    """A waflib that only tells where it is and how it was called."""
    write(os.path.join(folder, 'waflib', '__init__.py'), '')
    write(os.path.join(folder, 'waflib', 'Context.py'), 'WAFVERSION = "1"\n')
    write(os.path.join(folder, 'waflib', 'Scripting.py'), 'import imp, os, sys\n'
          'def waf_entry_point(folder, version, library):\n'
          '    print("%s", type(imp.new_module("x")).__name__, os.environ.get("WAFLOCK"), *sys.argv[1:])\n' % tag)


class Place:
    """A folder with the launcher alone, and a PATH with nothing but what a test puts there."""

    def __init__(self):
        self.folder = scratch()
        self.bin = os.path.join(self.folder, 'bin')
        os.mkdir(self.bin)
        shutil.copy(os.path.join(SOURCE, 'waf'), self.folder)

    def program(self, name, text):
        write(os.path.join(self.bin, name), '#!/bin/sh\n' + text, 0o755)

    def apt(self, lists):
        """An apt-get whose download works only once its lists are there, and a dpkg-deb to unpack what it brings."""
        library(os.path.join(self.folder, 'content', IN_PACKAGE), 'package')
        state = os.path.join(self.folder, 'lists')
        if lists:
            write(state, '')
        self.program('apt-get', 'echo "$*" >>%s/calls\ncase "$*" in *update*) : >%s;; *download*) [ -e %s ] && : >xmds2_1_all.deb;; esac\n'
                     % (self.folder, state, state))
        self.program('dpkg-deb', '/bin/mkdir -p "$3" && /bin/cp -R %s/content/. "$3"\n' % self.folder)

    def run(self, *words, ok=True, python=sys.executable, **more):
        more.setdefault('WAFDIR', '')
        return run([python, '-S', os.path.join(self.folder, 'waf')] + list(words), cwd=self.folder, ok=ok, PATH=self.bin, PYTHONPATH=
                   more.pop('PYTHONPATH', ''), **more).stdout


def all_places():
    place = Place()
    named, importable = os.path.join(place.folder, 'named'), os.path.join(place.folder, 'importable')
    library(named, 'named')
    library(os.path.join(place.folder, '.waf3'), 'cache')
    library(importable, 'importable')
    place.program('waf', 'echo program "$@"\n')
    place.apt(True)
    return place, named, importable


def test_order():
    place, named, importable = all_places()
    assert place.run('build', WAFDIR=named, PYTHONPATH=importable).startswith('named module')
    assert place.run('build', PYTHONPATH=importable).startswith('cache module')
    shutil.rmtree(os.path.join(place.folder, '.waf3'))
    assert place.run('build', PYTHONPATH=importable).startswith('importable module')
    assert place.run('build', '-v') == 'program build -v\n'
    assert not os.path.exists(os.path.join(place.folder, 'calls')), 'apt was asked, although a waf was there'
    os.remove(os.path.join(place.bin, 'waf'))
    if not os.path.exists('/' + IN_PACKAGE):
        assert 'package module' in place.run('build')
        os.remove(os.path.join(place.folder, 'calls'))
        assert place.run('build').startswith('package module'), 'what was unpacked is kept'
        assert not os.path.exists(os.path.join(place.folder, 'calls'))
        assert not glob.glob(os.path.join(place.folder, '.waf3.*'))


def test_a_folder_without_waf_is_passed_over():
    place, _, importable = all_places()
    assert place.run('build', WAFDIR=place.bin, PYTHONPATH=importable).startswith('cache')


def test_the_launcher_on_path_is_not_taken_for_waf():
    place = Place()
    os.symlink(os.path.join(place.folder, 'waf'), os.path.join(place.bin, 'waf'))
    assert 'found no waf' in place.run('build', ok=False) or os.path.exists('/' + IN_PACKAGE)


def test_package_lists_are_fetched_where_they_are_missing():
    if os.path.exists('/' + IN_PACKAGE):
        return
    place = Place()
    place.apt(False)
    assert 'package module' in place.run('build')
    with open(os.path.join(place.folder, 'calls')) as calls:
        words = calls.read()
    assert re.search(r'update\n.*download xmds2\n', words), words
    assert 'install' not in words
    if os.getuid() != 0:
        assert 'Dir::State::lists=' in words


def test_nothing_works():
    if os.path.exists('/' + IN_PACKAGE):
        return
    text = Place().run('build', ok=False)
    assert text.startswith('./waf: found no waf') and 'WAFDIR' in text and text.count('\n') == 1, text
    place = Place()
    place.program('apt-get', 'exit 100\n')
    place.program('dpkg-deb', 'exit 1\n')
    assert 'found no waf' in place.run('build', ok=False)


def test_no_python():
    place = Place()
    done = run(['/bin/sh', os.path.join(place.folder, 'waf'), 'build'], ok=False, PATH=place.bin)
    assert done.stdout == './waf: needs python3 (3.9 or newer): please install it\n', done.stdout


def test_python_is_installed_by_setup():
    place = Place()
    place.program('id', 'echo 0\n')
    place.program('apt-get', 'echo "$*" >>%s/calls\n' % place.folder)
    run(['/bin/sh', os.path.join(place.folder, 'waf'), 'setup', 'test'], ok=False, PATH=place.bin)
    with open(os.path.join(place.folder, 'calls')) as calls:
        assert re.search(r'update\n.*install python3\n', calls.read())


def test_every_python():
    """Those of this machine, 3.9 to 3.13, and none older."""
    found = set()
    for folder in os.environ['PATH'].split(os.pathsep) + glob.glob(os.path.expanduser('~/.pyenv/versions/*/bin')):
        found.update(glob.glob(os.path.join(folder, 'python3.[0-9]*')))
    tried = 0
    for python in sorted(found):
        version = re.fullmatch(r'python3\.(\d+)', os.path.basename(python))
        if not version or run([python, '-c', ''], ok=None, PATH='/nowhere').returncode:
            continue
        place, named, _ = all_places()
        if int(version.group(1)) >= 9:
            assert place.run('build', python=python, WAFDIR=named).startswith('named module'), python
        else:
            assert '3.9' in place.run('build', python=python, WAFDIR=named, ok=False), python
        tried += 1
    assert tried or sys.version_info >= (3, 9)


def test_a_lock_file_for_each_build_folder():
    place, named, _ = all_places()

    def lock(*words):
        return place.run(*words, WAFDIR=named).split()[2]

    assert lock('build') == lock('-o', 'build', 'build') == lock('--out=%s/build' % place.folder) == 'None'
    assert lock('-o', 'a', 'build') == lock('-oa') == lock('--out=a') == lock('--out', os.path.join(place.folder, 'a'))
    assert lock('-o', 'a') != lock('-o', 'b')
    assert place.run('test', '--sanitize=undefined,address', WAFDIR=named).endswith('--out=build/sanitize-address-undefined\n')
    assert '--out' not in place.run('test', '--sanitize=thread', '-o', 'a', WAFDIR=named)


main(globals())
