# ./waf dist packs what git tracks, and what it packs can be built.
# SPDX-License-Identifier: ISC
import os
import tarfile

from harness import SOURCE, main, read, run, scratch, small_project, waf, write

GIT = ['git', '-c', 'safe.directory=*', '-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'init.defaultBranch=main']


def checkout():
    folder = small_project()
    write(os.path.join(folder, '.gitignore'), read(SOURCE, '.gitignore'))
    run(GIT + ['init', '-q', '.'], cwd=folder)
    run(GIT + ['add', '.'], cwd=folder)
    run(GIT + ['commit', '-q', '-m', 'All'], cwd=folder)
    write(os.path.join(folder, 'stray.txt'), 'not tracked\n')
    return folder


def packed(folder):
    waf(folder, 'dist')
    archives = [name for name in os.listdir(folder) if name.endswith('.tar.xz')]
    assert len(archives) == 1, archives
    return os.path.join(folder, archives[0])


def test_what_git_tracks_and_no_more():
    folder = checkout()
    waf(folder, 'configure', 'build')
    path = packed(folder)
    name = os.path.basename(path)[:-len('.tar.xz')]
    with tarfile.open(path) as archive:
        entries = {entry.name: entry for entry in archive.getmembers()}
    tracked = run(GIT + ['ls-files'], cwd=folder).stdout.splitlines()
    assert set(entries) == {'%s/%s' % (name, file) for file in tracked}, entries.keys()
    assert entries[name + '/waf'].mode == 0o755 and entries[name + '/wscript'].mode == 0o644
    first = open(path, 'rb').read()
    assert open(packed(folder), 'rb').read() == first, 'the same files give the same archive'


def test_it_builds_from_the_archive():
    path, folder = packed(checkout()), scratch()
    with tarfile.open(path) as archive:
        archive.extractall(folder)
    tree = os.path.join(folder, os.listdir(folder)[0])
    waf(tree, 'configure', 'build')
    assert run([os.path.join(tree, 'build', 'millrace')]).stdout.strip() == tree.rpartition('-')[2]


def test_without_git_it_refuses():
    assert 'no git checkout' in waf(small_project(), 'dist', ok=False, GIT_CEILING_DIRECTORIES='/').stdout


def test_the_project_tracks_what_a_release_needs():
    if run(GIT + ['rev-parse', '--is-inside-work-tree'], cwd=SOURCE, ok=None).returncode:
        return  # built from a release, which has no history
    tracked = set(run(GIT + ['ls-files'], cwd=SOURCE).stdout.splitlines())
    wanted = {'waf', 'wscript', 'README.md', 'LICENSE', 'CHANGELOG.md', '.ci/run', '.clang-format', '.clang-tidy', 'dsp/millrace.h',
              'host/main.c', 'tools/demo.py', 'tools/millrace.pc.in'}
    assert wanted <= tracked, wanted - tracked
    products = [name for name in tracked if name.endswith(('.o', '.so', '.a', '.pyc')) or name.startswith(('build/', '.waf3/'))]
    assert not products, products


main(globals())
