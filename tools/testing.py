# Runs the tests: each in a folder of its own, two at a time, with a time limit, and counts the single tests in them.
# SPDX-License-Identifier: ISC
import concurrent.futures
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from waflib import Context, Logs, Options

AT_ONCE = 2
LIMIT = 300  # seconds; the sanitizers take four times as long
SOAK_LIMIT = 6 * 3600


class Test:
    """A name, the command line that runs it, and what else it finds in its environment."""

    def __init__(self, name, command, environment=None):
        self.name, self.command, self.environment = name, command, environment or {}


class Outcome:
    def __init__(self, test, passed, failed, seconds, output, remark=''):
        self.test, self.passed, self.failed, self.seconds, self.output, self.remark = test, passed, failed, seconds, output, remark


def wanted(path):
    """False where --filter leaves the test out. The path has no extension."""
    choice = Options.options.filter
    name = os.path.basename(path)
    return not choice or any(fnmatch.fnmatch(text, choice) for text in (path, name, name.partition('_')[2]))


def count(output):
    """Passed and failed of what a test program printed: cmocka's lines, or lines "N passed, N failed" (the last one counts)."""
    own = re.findall(r'^(\d+) passed, (\d+) failed\s*$', output, re.M)
    if own:
        return int(own[-1][0]), int(own[-1][1])
    passed = sum(map(int, re.findall(r'^\[  PASSED  \] (\d+) test', output, re.M)))
    failed = sum(map(int, re.findall(r'^\[  FAILED  \] (\d+) test', output, re.M)))
    if not passed and not failed:  # it ended before its summary
        passed = len(re.findall(r'^\[       OK \]', output, re.M))
    return passed, failed


def run(test, base, limit):
    folder = tempfile.mkdtemp(prefix='millrace-test-')
    environment = dict(base, TMPDIR=folder, **test.environment)
    began = time.monotonic()
    remark = ''
    with open(os.path.join(folder, '.output'), 'w+b') as sink:
        try:
            process = subprocess.Popen(test.command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=sink,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            try:
                code = process.wait(limit)
            except subprocess.TimeoutExpired:
                code, remark = 1, 'stopped after %d s' % limit
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what it may have left running
            except OSError:
                pass
            process.wait()
        except OSError as error:
            code, remark = 1, str(error)
        sink.seek(0)
        output = sink.read().decode('utf-8', 'replace')
    seconds = time.monotonic() - began
    for path, folders, _ in os.walk(folder):  # tests of unreadable folders leave some
        for name in folders:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(folder, ignore_errors=True)
    passed, failed = count(output)
    if code < 0:
        remark = 'ended by signal %d (%s)' % (-code, signal.strsignal(-code))
    if code != 0 and not failed:
        failed = 1
        remark = remark or 'exit code %d' % code
    if code == 0 and failed:
        remark = 'says failed, but exits with 0'
    if not passed and not failed:
        failed, remark = 1, 'counted no test'
    return Outcome(test, passed, failed, seconds, output, remark)


def find(bld, *patterns):
    paths = [node.path_from(bld.path) for pattern in patterns for node in bld.path.ant_glob(pattern)]
    return [path for path in paths if wanted(os.path.splitext(path)[0])]


def find_fuzzers(bld):
    """Their paths without the extension; those of the plugins, fuzz_plugin*, where there are plugins."""
    paths = [path[:-2] for path in find(bld, 'tests/fuzz/**/fuzz_*.c')]
    return [path for path in paths if bld.env.HAVE_LV2 or not os.path.basename(path).startswith('fuzz_plugin')]


def needs_command(bld):
    """False where --filter leaves nothing but C tests of the library: those need not wait for the command."""
    chosen = find(bld, 'tests/**/test_*.*', 'tests/**/check_*.c', 'tests/**/check_*.cpp')
    return not Options.options.filter or any(not path.startswith('tests/dsp/') or not path.endswith(('.c', '.cpp')) for path in chosen)


def lacks(bld, text):
    """What a script needs and the machine has not. A script says it in lines "# Needs: WORD...": programs, or paths of what the build makes
    where it finds the libraries."""
    build = bld.bldnode.abspath()
    words = [word for line in re.findall(r'^# Needs: (.+)$', text, re.M) for word in line.split()]
    missing = [word for word in words if '/' not in word and not shutil.which(word)]
    unbuilt = [word for word in words if '/' in word and not os.path.exists(os.path.join(build, word))]
    return (['%s is missing' % ', '.join(missing)] if missing else []) + ['%s is not built: a library is missing' % word for word in unbuilt]


def lacks_cxx(bld, full):
    """What a C++ program of the tests needs and the machine has not; an empty string: nothing."""
    if not bld.env.CXX:
        return 'a C++ compiler is missing'
    with open(full, encoding='utf-8') as text:
        tbb = '#include <oneapi/tbb/' in text.read()
    return 'oneTBB is missing' if tbb and not bld.env.HAVE_TBB else ''


def scripts(bld, paths, left_out):
    """Tests from Python and shell scripts; only those that use the packages need a Python that has them."""
    env = bld.env
    packages = re.compile(r'^\s*(?:import|from)\s+(?:numpy|scipy|mpmath)\b', re.M)
    for path in paths:
        full = os.path.join(bld.path.abspath(), path)
        if path.endswith('.sh'):
            yield Test(path, ['bash', full])
            continue
        with open(full, encoding='utf-8') as script:
            text = script.read()
        python = env.TEST_PYTHON or ([] if packages.search(text) else env.PLAIN_PYTHON)
        missing = lacks(bld, text)
        if missing:
            left_out.append('%s: %s' % (path, '; '.join(missing)))
        elif python:
            yield Test(path, list(python) + ['-B', full])
        else:
            left_out.append('%s: no Python with numpy, scipy and mpmath' % path)


def collect(bld):
    """The tests, and a list of what is left out and why."""
    env = bld.env
    build = bld.bldnode.abspath()
    tests, left_out = [], []

    def sources(pattern):
        return find(bld, pattern)

    programs = sources('tests/**/test_*.c')
    if programs and not env.HAVE_CMOCKA:
        left_out.append('%d C test programs: cmocka is missing' % len(programs))
        programs = []
    if not env.COMMAND:
        host = [path for path in programs if path.startswith('tests/host/')]
        if host:
            left_out.append('%d test programs of the command: it is not built' % len(host))
        programs = [path for path in programs if path not in host]
    if not env.JACK_CLIENT:
        client = [path for path in programs if path.startswith('tests/host/jack/')]
        if client:
            left_out.append('%d test programs of millrace jack: it is not built' % len(client))
        programs = [path for path in programs if path not in client]
    if not (env.HAVE_LV2 and env.HAVE_LILV):
        plugin = [path for path in programs if path.startswith('tests/plugin/') or '_lv2' in path]
        if plugin:
            left_out.append('%d test programs of the plugins: LV2 or lilv is missing' % len(plugin))
        programs = [path for path in programs if path not in plugin]
    if not env.HAVE_CAIRO:
        drawing = [path for path in programs if path.startswith('tests/view/cairo/')]
        if drawing:
            left_out.append('%d test programs of pictures: cairo is missing' % len(drawing))
        programs = [path for path in programs if path not in drawing]
    for path in programs:
        tests.append(Test(path[:-2], env.UNSHUFFLED + [os.path.join(build, path[:-2])]))

    for path in sources('tests/**/check_*.c'):
        stem = path[:-2]
        native = os.path.join(build, stem)
        tests.append(Test(stem, env.UNSHUFFLED + [native]))
        if env.SANITIZE or stem.endswith('_emulated'):
            continue
        if env.DEST_CPU == 'x86_64':
            if env.QEMU_X86_64:
                for name, model in (('without AVX', 'Nehalem'), ('with AVX2', 'max')):
                    tests.append(Test('%s, a processor %s' % (stem, name), env.QEMU_X86_64 + ['-cpu', model, native, '--quick']))
            else:
                left_out.append('%s on lesser processors: qemu-x86_64 is missing' % stem)
            if env.CROSS and env.QEMU_AARCH64:
                tests.append(Test('%s, aarch64' % stem, env.QEMU_AARCH64 + [os.path.join(build, 'aarch64', stem), '--quick']))
            else:
                left_out.append('%s on aarch64: the cross compiler or qemu-aarch64 is missing' % stem)

    programs = sources('tests/gpu/**/check_*.cpp') + sources('tests/gpu/**/test_*.cpp')
    if 'thread' in env.SANITIZE:
        programs = []  # nothing is missing here either: ThreadSanitizer knows nothing of the emulator's fibers
    if programs and not env.CXX:
        left_out.append('%d programs of the GPU emulator: a C++ compiler is missing' % len(programs))
        programs = []
    without = [path for path in programs if os.path.basename(path).startswith('test_')]
    if without and not env.HAVE_CMOCKA:
        left_out.append('%d C++ test programs: cmocka is missing' % len(without))
        programs = [path for path in programs if path not in without]
    for path in programs:
        tests.append(Test(path[:-4], [os.path.join(build, path[:-4])]))
    for path in sources('tests/**/check_*.cpp'):
        if path.startswith('tests/gpu/'):
            continue
        missing = lacks_cxx(bld, os.path.join(bld.path.abspath(), path))
        if missing:
            left_out.append('%s: %s' % (path, missing))
        else:
            tests.append(Test(path[:-4], env.UNSHUFFLED + [os.path.join(build, path[:-4])]))

    paths = sources('tests/**/test_*.py') + sources('tests/**/test_*.sh')
    if env.SANITIZE:  # nothing is missing here, so it is no test left out
        unfit = [path for path in paths if path.startswith('tests/hosts/')]
        paths = [path for path in paths if path not in unfit]
        if unfit:
            Logs.info('Not in this build: tests/hosts/, as real hosts cannot load a binary with sanitizers in it.')
    tests.extend(scripts(bld, [path for path in paths if not path.startswith(('tests/bench/', 'tests/fuzz/', 'tests/soak/'))], left_out))
    return tests, left_out


def run_tests(bld):
    tests, left_out = collect(bld)
    run_all(bld, tests, left_out, LIMIT * (4 if bld.env.SANITIZE else 1), {})


def run_soak(bld):
    left_out = []
    tests = [Test(path[:-2], bld.env.UNSHUFFLED + [os.path.join(bld.bldnode.abspath(), path[:-2])])
             for path in find(bld, 'tests/soak/**/soak_*.c')]
    tests.extend(scripts(bld, find(bld, 'tests/soak/**/soak_*.py', 'tests/soak/**/soak_*.sh'), left_out))
    run_all(bld, tests, left_out, SOAK_LIMIT, {'MILLRACE_SOAK': '1'})


def environment(bld):
    """What a test finds in its environment, beside a TMPDIR of its own."""
    env, build = bld.env, bld.bldnode.abspath()
    base = dict(os.environ)
    for name in ('WAFLOCK', 'WAFDIR', 'MILLRACE_CPU', 'CFLAGS', 'LDFLAGS', 'DESTDIR'):
        base.pop(name, None)
    base['LV2_PATH'] = os.path.join(build, 'lv2') + ':/usr/lib/lv2'  # the bundle just built, and LV2's own
    base.update(MILLRACE=os.path.join(build, 'millrace'), MILLRACE_BUILD=build, MILLRACE_SOURCE=bld.path.abspath(),
                MILLRACE_SANITIZE=','.join(env.SANITIZE), MILLRACE_CC=' '.join(env.CC), MILLRACE_WAFDIR=Context.waf_dir,
                MILLRACE_PYTHON=sys.executable,
                PYTHONDONTWRITEBYTECODE='1', UBSAN_OPTIONS='print_stacktrace=1')
    suppressions = bld.path.find_node('tests/tsan.supp')
    if suppressions:
        base['TSAN_OPTIONS'] = 'suppressions=' + suppressions.abspath()
    leaks = bld.path.find_node('tests/lsan.supp')
    if leaks:
        base['LSAN_OPTIONS'] = 'print_suppressions=0:suppressions=' + leaks.abspath()
    return base


def run_all(bld, tests, left_out, limit, more):
    if not tests:
        bld.fatal('There is no such test.')
    base = dict(environment(bld), **more)
    began = time.monotonic()
    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run, test, base, limit) for test in tests]):
            outcome = done.result()
            outcomes.append(outcome)
            print('%-6s %5d passed %3d failed %7.1f s  %s%s' % ('FAILED' if outcome.failed else 'ok', outcome.passed, outcome.failed,
                  outcome.seconds, outcome.test.name, '  (%s)' % outcome.remark if outcome.remark else ''), flush=True)
    for outcome in outcomes:
        if outcome.failed:
            print('\n---- %s%s\n%s' % (outcome.test.name, ': ' + outcome.remark if outcome.remark else '', outcome.output.rstrip()))
    passed = sum(outcome.passed for outcome in outcomes)
    failed = sum(outcome.failed for outcome in outcomes)
    for line in left_out:
        Logs.warn('Left out: ' + line)
    if left_out and Options.options.complete:
        failed += len(left_out)
        print('Counted as failed: the %d left out.' % len(left_out))
    print('\n%d test programs in %.0f s' % (len(outcomes), time.monotonic() - began))
    print('%d passed, %d failed' % (passed, failed), flush=True)
    if failed:
        bld.fatal('Tests failed.')
