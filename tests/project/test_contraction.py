# A product and a sum stay two operations, whatever the processor could fuse: with the flags of every file of the library.
# SPDX-License-Identifier: ISC
import json
import os
import re
import shutil

from harness import BUILD, main, run, scratch, small_project, waf, write

FUSED = re.compile(r'\b(vfn?m(add|sub)\w*|vfmaddsub\w*|vfmsubadd\w*|fn?m(add|sub)|fml[as])\b')
PLAIN = '''double one(double a, double b, double c) { return a * b + c; }
float two(float a, float b, float c) { return a - b * c; }
void many(double* __restrict y, const double* a, const double* b) { for (int k = 0; k < 64; k++) y[k] += a[k] * b[k]; }
'''
WRITTEN = 'double one(double a, double b, double c) { return __builtin_fma(a, b, c); }\n'


def entries():
    with open(os.path.join(BUILD, 'compile_commands.json'), encoding='utf-8') as text:
        return [entry for entry in json.load(text) if '/dsp/' in entry['file']]


def fused(entry, text, more=()):
    """Fused instructions in the text compiled with an entry's flags."""
    folder = scratch()
    source, target = os.path.join(folder, 'probe.c'), os.path.join(folder, 'probe.o')
    write(source, text)
    words = entry['arguments']
    compiler = words[0]
    flags = [word for word in words[1:words.index('-c')] if not word.startswith(('-W', '-I', '-fsanitize'))]
    run([compiler] + flags + list(more) + ['-c', source, '-o', target], cwd=folder)
    objdump = re.sub(r'(gcc|g\+\+)$', 'objdump', compiler)
    lines = run([objdump if os.path.exists(objdump) else 'objdump', '-d', '--no-show-raw-insn', target]).stdout
    assert 'one' in lines and 'ret' in lines, lines
    shutil.rmtree(folder)
    return len(FUSED.findall(lines))


def kinds():
    """One entry for each compiler and set of flags."""
    return {tuple(entry['arguments'][:entry['arguments'].index('-c')]): entry for entry in entries()}.values()


def can_fuse(entry):
    return '-mfma' in entry['arguments'] or '-mavx512f' in entry['arguments'] or 'aarch64' in entry['arguments'][0]


def test_nothing_is_fused_by_itself():
    assert len(entries()) > 3
    for entry in kinds():
        assert fused(entry, PLAIN) == 0, ' '.join(entry['arguments'])


def test_what_is_written_fused_is():
    chosen = [entry for entry in kinds() if can_fuse(entry)]
    assert chosen
    for entry in chosen:
        assert fused(entry, WRITTEN) == 1, ' '.join(entry['arguments'])


def test_this_test_can_see():
    for entry in kinds():
        if can_fuse(entry):
            assert fused(entry, PLAIN, ['-O2', '-ffp-contract=fast']) >= 3, ' '.join(entry['arguments'])


def test_every_level_is_there():
    """AVX2, AVX-512 and SSE2 on x86-64, and NEON where the cross compiler is."""
    names = {os.path.basename(entry['file']) for entry in entries()}
    if any('-mavx2' in entry['arguments'] for entry in entries()):
        assert {'isa_sse2.c', 'isa_avx2.c', 'isa_avx512.c'} <= names
    if any('aarch64' in entry['arguments'][0] for entry in entries()):
        assert 'isa_neon.c' in names


def test_flags_of_the_user_change_no_sample():
    folder = small_project()
    waf(folder, 'configure', 'build', CFLAGS='-O3 -ffast-math -ffp-contract=fast -march=native')
    with open(os.path.join(folder, 'build', 'compile_commands.json'), encoding='utf-8') as text:
        entry = [entry for entry in json.load(text) if entry['file'].endswith('dsp/version.c')][0]
    assert '-O3' in entry['arguments'] and '-ffast-math' in entry['arguments']
    assert fused(entry, PLAIN) == 0
    probe = dict(entry, arguments=entry['arguments'])
    assert fused(probe, '#if defined __FAST_MATH__ || __FINITE_MATH_ONLY__\n#error fast\n#endif\n' + PLAIN) == 0


main(globals())
