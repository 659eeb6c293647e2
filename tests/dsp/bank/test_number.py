"""Numbers read as Python's float() reads them, to the bit, and what is printed reads back, under C and under a locale with a comma.
SPDX-License-Identifier: ISC
"""
import math
import os
import random
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction

tool = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/bank/tool_bank')
passed = failed = 0
random.seed(20)


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good and failed < 20:
        print('FAILED:', what)


def bits(x):
    return struct.unpack('Q', struct.pack('d', x))[0]


def any_double():
    x = float('inf')
    while not math.isfinite(x):
        x = struct.unpack('d', struct.pack('Q', random.getrandbits(64)))[0]
    return x


def between(x):
    """Exactly between x and the next double, perhaps with a 1 far behind."""
    middle = (Fraction(x) + Fraction(math.nextafter(x, math.inf))) / 2
    twos = middle.denominator.bit_length() - 1
    digits = str(middle.numerator * 5 ** twos)
    far = random.randrange(3)
    return digits + ('' if far == 0 else '0' * 900 + '1' if far == 1 else '0' * 30) + 'e%d' % (-twos - (0, 901, 30)[far])


def any_text():
    kind = random.randrange(8)
    if kind == 0:
        return repr(any_double())
    if kind == 1:
        return '%d%s%d' % (random.randrange(10 ** random.randrange(1, 25)), random.choice(['e', 'E', 'e+', 'e-']), random.randrange(345))
    if kind == 2:
        return '%.*f' % (random.randrange(20), random.uniform(-1e5, 1e5))
    if kind == 3 and random.random() < 0.1:
        return between(abs(any_double()))
    if kind == 4:
        return repr(random.randrange(2 ** 53) * 2.0 ** -1074)
    if kind == 5:
        return '%s.%s%d' % (random.choice(['', '0', '00', '+0', '-0']), '0' * random.randrange(340), random.randrange(10 ** 17))
    if kind == 6:
        return '%.*g' % (random.randrange(1, 18), any_double())
    return random.choice(['1.', '.5', '-.5e1', '0', '-0', '+0.0', '1e400', '-1e400', '1e-400', '-1e-400', '0e999999999999', '1e999999999999',
                          '1e-999999999999', '0' * 500 + '1', '1' + '0' * 309, '1' + '0' * 308, '9007199254740993', '4.9e-324',
                          '2.4703282292062327e-324', '2.4703282292062328e-324', '1.7976931348623157e308', '1.7976931348623159e308'])


def run(texts, *options):
    env = dict(os.environ)
    if options:
        env['LOCPATH'] = locales
    with tempfile.NamedTemporaryFile('w', encoding='ascii') as file:
        file.write('\n'.join(texts) + '\n')
        file.flush()
        ran = subprocess.run([tool, *options, '--to', 'numbers', file.name], capture_output=True, text=True, env=env, check=True)
    return [line.split(' ') for line in ran.stdout.splitlines()]


def compare(texts, answers, plain, where):
    check(len(answers) == len(texts), 'an answer each, %s' % where)
    for text, (read, word, printed), value in zip(texts, answers, map(float, plain)):
        good = int(read) == len(text) and int(word, 16) == bits(value)
        if math.isfinite(value):
            good = good and printed and bits(float(printed)) == bits(value) and len(printed) <= max(len(repr(value)), 24)
        check(good, '%s %r: %s %s %s, not %016x' % (where, text[:60], read, word, printed, bits(value)))


texts = [any_text() for _ in range(100000)]
compare(texts, run(texts), texts, 'C locale')

commas = [text.replace('.', ',') for text in texts[:20000] if not text.endswith('.')]
plain = [text for text in texts[:20000] if not text.endswith('.')]
compare(commas, run(commas), plain, 'decimal comma')

with tempfile.TemporaryDirectory() as locales:  # a locale whose mark is a comma, made here if the machine has the sources
    made = False
    try:
        made = subprocess.run(['localedef', '-c', '-i', 'de_DE', '-f', 'UTF-8', os.path.join(locales, 'de_DE.UTF-8')],
                              capture_output=True).returncode == 0
    except OSError:
        pass
    if made:
        compare(texts[:10000], run(texts[:10000], '--locale', 'de_DE.UTF-8'), texts[:10000], 'comma locale')
    else:
        print('left out: no German locale can be made here')

partly = {'1.5.2': 3, '1,234.5': 5, '1e': 1, '1e+': 1, '0x10': 1, '1,': 1, '1, 2': 1, '1..2': 2, '--1': 0, 'nan': 0, 'inf': 0, '': 0, '.': 0,
          ',': 0, '-': 0, '.e1': 0, '1 2': 1, '1_000': 1, '3dB': 1}
for (text, expected), (read, *_) in zip(partly.items(), run(list(partly))):
    check(int(read) == expected, '%r: %s characters read, not %d' % (text, read, expected))

print('%d passed, %d failed' % (passed, failed))
sys.exit(failed != 0)
