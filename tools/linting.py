# ./waf lint: formatting, static analysers, and the house's own rules of style. Any finding is a failure.
# SPDX-License-Identifier: ISC
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

AT_ONCE = 2
CPPCHECK = ['--enable=warning,style,performance,portability', '--inline-suppr', '--error-exitcode=1', '--quiet', '--std=c11',
            '--library=posix', '--suppress=missingIncludeSystem', '--suppress=unusedStructMember', '--suppress=variableScope',
            '--suppress=unmatchedSuppression', '--suppress=invalidFunctionArg',  # its idea of mmap is wrong
            '--suppress=constParameter', '--suppress=constParameterCallback']
TIDY_DROPS = ('-mprefer-vector-width', '-fsanitize')


def program(ctx, *names):
    for name in names:
        if shutil.which(name):
            return name
    ctx.fatal('lint needs %s: ./waf setup lint installs it.' % names[0])


def instruction_sets(compiler, flags):
    """The compiler's own macros about the processor, which cppcheck does not know."""
    text = subprocess.run([compiler] + [word for word in flags if word.startswith('-m')] + ['-dM', '-E', '-xc', os.devnull],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    return ['-D' + name + '=1' for name in re.findall(r'^#define (__(?:SSE|AVX|FMA|x86_64|aarch64|ARM)\w*) ', text, re.M)]


def run_lint(bld):
    root = bld.path.abspath()
    formatter = program(bld, 'clang-format-14')
    tidy = program(bld, 'clang-tidy-14')
    cppcheck = program(bld, 'cppcheck')
    texts = [node.abspath() for folder in ('dsp', 'host', 'view', 'plugin', 'tests') for node in bld.path.ant_glob([folder + '/**/*' + ending for ending in ('.c', '.h', '.cpp')])]
    database = {}
    for entry in json.loads(bld.bldnode.find_node('compile_commands.json').read()):
        database.setdefault(entry['file'], entry)
    jobs = [('python', [sys.executable, '-c', 'import ast, sys\nfor p in sys.argv[1:]: ast.parse(open(p).read(), p)',
                        'wscript', 'waf'] + [node.path_from(bld.path) for node in bld.path.ant_glob(['tools/**/*.py', 'ttl/*.py', 'tests/**/*.py'])])]
    if texts:
        jobs.append(('clang-format', [formatter, '--dry-run', '-Werror'] + texts))
    for path, entry in sorted(database.items()):
        flags = [word for word in entry['arguments'][1:] if not word.startswith(TIDY_DROPS)]
        flags = flags[:flags.index('-c')]
        here = os.path.relpath(path, root)
        jobs.append(('clang-tidy ' + here, [tidy, '--quiet', '--warnings-as-errors=*', path, '--'] + flags +
                     ['-I' + os.path.join(bld.bldnode.abspath(), word[2:]) for word in flags if word.startswith('-I')]))
        defines = [word for word in flags if word.startswith('-D')] + instruction_sets(entry['arguments'][0], flags)
        jobs.append(('cppcheck ' + here, [cppcheck] + CPPCHECK + defines + ['-I' + os.path.join(root, 'dsp'),
                                                                           '-I' + os.path.join(bld.bldnode.abspath(), 'plugin'), path]))
    findings = 0

    def run(job):
        return job[0], subprocess.run(job[1], cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      universal_newlines=True)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for name, done in pool.map(run, jobs):
            if done.returncode:
                findings += 1
                print('---- %s\n%s' % (name, done.stdout.rstrip()), flush=True)
    print('lint: %d checks, %d with findings' % (len(jobs), findings), flush=True)
    if findings:
        bld.fatal('lint found something.')
