# Runs the benchmarks and the fuzzers.
# SPDX-License-Identifier: ISC
import os
import subprocess

from waflib import Logs, Options

from tools import testing


def run_bench(bld):
    """millrace bench, then every tests/bench/**/bench_*.py, bench_*.sh and peers*.py: each prints its own figures."""
    environment = testing.environment(bld)
    jobs = []
    if os.path.exists(environment['MILLRACE']):
        jobs.append(testing.Test('millrace bench', [environment['MILLRACE'], 'bench']))
    left_out = []
    patterns = ['tests/bench/**/' + name for name in ('bench_*.py', 'bench_*.sh', 'peers*.py')]
    jobs.extend(testing.scripts(bld, testing.find(bld, *patterns), left_out))
    for line in left_out:
        Logs.warn('Left out: ' + line)
    failed = []
    for job in jobs:  # one after the other: they measure time
        print('---- ' + job.name, flush=True)
        if subprocess.call(job.command, env=environment, cwd=bld.bldnode.abspath(), stdin=subprocess.DEVNULL):
            failed.append(job.name)
    if failed or not jobs:
        bld.fatal('Failed: ' + ', '.join(failed) if failed else 'There is nothing to measure.')


def run_fuzzers(bld):
    """Each fuzzer for --seconds, from the corpus beside it and the one that grows in the build folder."""
    if not bld.env.FUZZ:
        bld.fatal('The fuzzers need clang with libFuzzer: ./waf setup fuzz installs it.')
    failed = []
    paths = testing.find_fuzzers(bld)
    for path in paths:
        name = os.path.basename(path)
        grown = bld.bldnode.make_node('fuzz/corpus/' + name)
        grown.mkdir()
        found = bld.bldnode.make_node('fuzz/found')
        found.mkdir()
        command = [os.path.join(bld.bldnode.abspath(), 'fuzz', path), '-max_total_time=%d' % Options.options.seconds, '-timeout=20',
                   '-print_final_stats=1', '-artifact_prefix=%s/%s-' % (found.abspath(), name)]
        words = bld.path.find_node(path + '.dict')
        command += ['-dict=' + words.abspath()] if words else []
        command.append(grown.abspath())
        seeds = bld.path.find_dir('tests/fuzz/corpus/' + name)
        command += [seeds.abspath()] if seeds else []
        print('---- %s, %d s' % (path, Options.options.seconds), flush=True)
        with open(os.path.join(found.abspath(), name + '.log'), 'w+') as log:
            code = subprocess.call(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=found.abspath())
            log.seek(0)
            lines = log.read().splitlines()
        print('\n'.join([line for line in lines if line.startswith('stat::')] if code == 0 else lines[-60:]), flush=True)
        if code:
            failed.append(path)
    print('%d passed, %d failed' % (len(paths) - len(failed), len(failed)), flush=True)
    if failed or not paths:
        bld.fatal('Fuzzing found something.' if failed else 'There is no such fuzzer.')
