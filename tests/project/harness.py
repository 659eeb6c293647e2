# What the project's own tests share: running functions named test_*, and copies of the project to try things on.
# SPDX-License-Identifier: ISC
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('MILLRACE_SOURCE') or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('MILLRACE_BUILD') or os.path.join(SOURCE, 'build')
MILLRACE = os.environ.get('MILLRACE') or os.path.join(BUILD, 'millrace')
SANITIZE = os.environ.get('MILLRACE_SANITIZE', '')
CC = (os.environ.get('MILLRACE_CC') or 'gcc').split()


def scratch():
    """A new folder that goes away with the test's own TMPDIR."""
    return tempfile.mkdtemp()


def run(command, cwd=None, ok=True, **more):
    """Runs a command; its output, both streams together, in .stdout. Fails if the exit status is not what `ok` says (None: any)."""
    environment = dict(os.environ, **more)
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    if ok is not None and (done.returncode == 0) != ok:
        raise AssertionError('%s: exit status %d\n%s' % (' '.join(map(str, command)), done.returncode, done.stdout))
    return done


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)
    os.chmod(path, mode)


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as text:
        return text.read()


def waf(folder, *arguments, ok=True, **more):
    """./waf in the project or a copy of it, with the interpreter and the waf library that run these tests: another one would compile all
    anew. One at a time in the build that is tested, for tests run side by side."""
    library = os.environ.get('MILLRACE_WAFDIR')
    if library:
        more.setdefault('WAFDIR', library)
    command = [os.environ.get('MILLRACE_PYTHON') or sys.executable, os.path.join(folder, 'waf')] + list(arguments)
    if os.path.realpath(folder) != os.path.realpath(SOURCE):
        return run(command, cwd=folder, ok=ok, **more)
    with open(os.path.join(BUILD, '.tests-lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return run(command, cwd=folder, ok=ok, **more)


def small_project():
    """A copy of the build's own files around a library of one function: enough to see how things are built."""
    folder = scratch()
    for name in ('waf', 'wscript'):
        shutil.copy(os.path.join(SOURCE, name), folder)
    shutil.copytree(os.path.join(SOURCE, 'tools'), os.path.join(folder, 'tools'), ignore=shutil.ignore_patterns('__pycache__'))
    write(os.path.join(folder, 'dsp', 'millrace.h'), read(SOURCE, 'dsp', 'millrace.h'))
    write(os.path.join(folder, 'dsp', 'version.c'), '#include "millrace.h"\nconst char* mr_version(void) { return MILLRACE_VERSION; }\n')
    write(os.path.join(folder, 'host', 'main.c'), '#include "millrace.h"\n#include <stdio.h>\nint main(void) { puts(mr_version()); }\n')
    write(os.path.join(folder, 'host', 'help.c'), 'int help_lines = 1;\n')
    return folder


def main(names):
    """Runs the functions test_* among the names, prints what failed and the count."""
    tests = [(name, thing) for name, thing in names.items() if name.startswith('test_') and callable(thing)]
    failed = 0
    for name, test in tests:
        began = time.monotonic()
        try:
            test()
            print('ok      %s, %.1f s' % (name, time.monotonic() - began), flush=True)
        except Exception:  # a test may fail in any way
            failed += 1
            print('FAILED  %s' % name)
            traceback.print_exc(file=sys.stdout)
    print('%d passed, %d failed' % (len(tests) - failed, failed))
    sys.exit(1 if failed or not tests else 0)
