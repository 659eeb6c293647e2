# What the commands of ./waf beyond building do; wscript calls these.
# SPDX-License-Identifier: ISC
import fnmatch
import json
import os
import subprocess
import sys
import tarfile

from waflib import ConfigSet, Options, Utils

from tools import linting, measuring, packages, testing


def here(ctx):
    return ctx.path.abspath()


def watch(conf):
    """Configures again when one of these modules changed, as waf does for wscript."""
    for node in conf.path.ant_glob('tools/*.py'):
        conf.hash = Utils.h_list((conf.hash, node.read('rb')))
        conf.files.append(node.abspath())


def setup(ctx):
    packages.install(ctx.fatal, Options.commands)
    # What was configured before may lack what is there now: configure again, with the same options.
    lock = os.path.join(here(ctx), Options.lockfile)
    if os.path.exists(lock):
        env = ConfigSet.ConfigSet(lock)
        env.hash = 0
        env.store(lock)
    Options.options.complete = True


def test(bld):
    testing.run_tests(bld)


def soak(bld):
    testing.run_soak(bld)


def bench(bld):
    measuring.run_bench(bld)


def fuzz(bld):
    measuring.run_fuzzers(bld)


def lint(bld):
    linting.run_lint(bld)


def demo(bld):
    """tools/demo.py with the command that was just built."""
    program = bld.bldnode.find_node('millrace')
    if not program:
        bld.fatal('The demo needs the command millrace, which is not built: ./waf setup demo installs what it needs.')
    folder = bld.bldnode.make_node('demo')
    folder.mkdir()
    script = bld.path.find_node('tools/demo.py').abspath()
    if subprocess.call([sys.executable, script, program.abspath(), folder.path_from(bld.path)], cwd=here(bld)):
        bld.fatal('The demo failed.')


def record_compilation(bld):
    """Writes compile_commands.json into the build folder: for editors, for clang-tidy, and for the test of the flags."""
    entries = []
    for group in bld.groups:
        for generator in group:
            for task in getattr(generator, 'compiled_tasks', []):
                env = task.env
                compiler = env.CXX + env.CXXFLAGS if task.inputs[0].name.endswith(('.cpp', '.cu')) else env.CC + env.CFLAGS
                command = compiler + ['-I' + path for path in env.INCPATHS] + ['-D' + word for word in env.DEFINES]
                source, target = task.inputs[0].abspath(), task.outputs[0].abspath()
                entries.append({'directory': bld.bldnode.abspath(), 'file': source, 'output': target,
                                'arguments': command + ['-c', source, '-o', target]})
    bld.bldnode.make_node('compile_commands.json').write(json.dumps(entries, indent=1))


def dist(ctx, name):
    """NAME.tar.xz of the files that git tracks, as they are now, in a folder NAME; always the same bytes for the same files."""
    listing = subprocess.run(['git', 'ls-files', '-z'], cwd=here(ctx), stdout=subprocess.PIPE)
    if listing.returncode or not listing.stdout:
        ctx.fatal('dist packs what git tracks, and this is no git checkout.')
    target = os.path.join(here(ctx), name + '.tar.xz')
    with tarfile.open(target, 'w:xz') as archive:
        for path in sorted(listing.stdout.decode().split('\0')[:-1]):
            full = os.path.join(here(ctx), path)
            if not os.path.lexists(full):
                ctx.fatal('%s is tracked but missing.' % path)
            entry = archive.gettarinfo(full, '%s/%s' % (name, path))
            entry.uid = entry.gid = entry.mtime = 0
            entry.uname = entry.gname = 'root'
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            if entry.isfile():
                with open(full, 'rb') as data:
                    archive.addfile(entry, data)
            else:
                archive.addfile(entry)
    print('%s, %d kB' % (target, os.path.getsize(target) // 1000))
