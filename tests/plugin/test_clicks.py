"""Promise 12 through the plugins: no change that a person or a host makes clicks, at 44.1 and 192 kHz. Measured with scipy.

A click is what a change puts above 5 kHz (a high-pass of order 8) where the signal has nothing: it must stay below -100 dB of full scale. Each
change is also played in other blocks, to the same bits; and its peak is at most 8 dB over the larger of the gains before and after.
SPDX-License-Identifier: ISC"""
import os
import subprocess
import sys

import numpy as np
from scipy import signal

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/plugin/tool_plugin')
FOLDER = os.environ.get('TMPDIR', '/tmp')
BELL, LOWSHELF, HIGHSHELF, LOWPASS, HIGHPASS, BANDPASS, NOTCH, ALLPASS, BUTTERWORTH_LP, BUTTERWORTH_HP, LR_LP, LR_HP = range(12)
LIMIT_DB, PEAK_DB, PHASES = -100, 8, 16
SINE, LOW, DC = 'sine 100 0.5', 'sine 50 0.5', 'dc 0.5'
passed = failed = 0
worst = [-400.0, '']


def check(name, good, detail):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED %s: %s' % (name, detail))


def play(script, channels):
    run = subprocess.run([TOOL], input=('\n'.join(script) + '\n').encode(), capture_output=True)
    if run.returncode:
        raise SystemExit('tool_plugin: %s\n%s' % (run.stderr.decode(), '\n'.join(script)))
    return np.frombuffer(run.stdout, '<f4').reshape(-1, channels)


def band(number, kind=BELL, freq=1000.0, gain=0.0, q=1.0, order=2, group=0, on=1):
    values = (('on', on), ('type', kind), ('freq', freq), ('gain', gain), ('q', q), ('order', order), ('set', group))
    return ['set b%d_%s %.9g' % (number, name, value) for name, value in values]


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)
    return 'file ' + path


def residual_db(y, fs, skip):
    sos = signal.butter(8, 5000, 'high', fs=fs, output='sos')
    high = signal.sosfilt(sos, y.T.astype(float), axis=1)[:, skip:]  # the start of the measuring filter itself is left out
    return 20 * np.log10(np.max(np.abs(high)) + 1e-20)


def change(name, fs, before, after, source, kind='eq', channels=2, tail=0.3, settle=0.5):
    """Plays `before` until it has settled, then `after`. Lines of `after` that are lists come one each 10 ms."""
    name = '%s, %s at %d Hz' % (name, source, fs)
    lead, step = int(.1 * fs), int(.01 * fs)
    outputs = []
    for first, second in ((4096, 1000), (1024, 77 if fs < 50000 else 331)):
        script = ['plugin %s %d %d' % (kind, channels, fs)] + before + [source, 'skip %d 4096' % int(settle * fs), 'run %d %d' % (lead, first)]
        for line in after:
            script += line + ['run %d %d' % (step, second)] if isinstance(line, list) else [line]
        outputs.append(play(script + ['run %d %d' % (int(tail * fs), second)], channels))
    y = outputs[0]
    check(name + ', other blocks', y.tobytes() == outputs[1].tobytes(), 'bits differ')
    residual = residual_db(y, fs, lead // 2)
    if residual > worst[0]:
        worst[:] = [residual, name]
    check(name, np.isfinite(y).all() and residual < LIMIT_DB, 'residual %.1f dB' % residual)
    ends = max(np.max(np.abs(y[:lead])), np.max(np.abs(y[-int(.1 * fs):])))
    over = 20 * np.log10(np.max(np.abs(y)) / ends)
    check(name + ', peak', over <= PEAK_DB, '%.2f dB over the larger steady peak' % over)
    check(name + ', it is a change', not np.array_equal(y[:lead][-64:], y[-64:]) or source != SINE, 'nothing has changed')
    return y


def eq(fs):
    bell = band(1, BELL, 1000, 0)
    moved = ['set b1_gain -12']
    for mode in (0, 1):
        for source in (SINE, DC):
            change('bell 0 to -12 dB, mode %d' % mode, fs, bell + ['set mode %d' % mode], moved, source)
    change('bell at 40 Hz to +12 dB', fs, band(1, BELL, 40, 0, 4), ['set b1_gain 12'], LOW, channels=PHASES, tail=.8)
    ring, steep = band(2, BELL, 40, 12, 4), band(2, BUTTERWORTH_HP, 20, order=16)
    for what, lines in (('bell of 40 Hz', ring), ('high-pass of order 16', steep)):
        change(what + ' on', fs, bell, lines, LOW, channels=PHASES, tail=.8)
        change(what + ' off', fs, lines, ['set b2_on 0'], LOW, channels=PHASES, settle=1.5)
        change(what + ' on, at rest', fs, bell, lines, DC, tail=.8)
    change('high-pass of order 16 to 60 Hz', fs, steep, ['set b2_freq 60'], LOW, channels=PHASES, tail=.8, settle=1.5)
    change('type', fs, band(1, BELL, 300, 6), ['set b1_type %d' % LOWSHELF], SINE)
    change('type, to a low-pass', fs, band(1, BELL, 300, 6), ['set b1_type %d' % LR_LP], SINE)
    change('order', fs, band(1, BUTTERWORTH_HP, 60, order=2), ['set b1_order 15'], SINE)
    change('Q', fs, band(1, BELL, 110, 9, .5), ['set b1_q 20'], SINE)
    change('frequency, near', fs, band(1, BELL, 100, 9), ['set b1_freq 180'], SINE)
    change('frequency, far', fs, band(1, BELL, 100, 9), ['set b1_freq 6000'], SINE)
    change('channel set of a band', fs, band(1, BELL, 100, 9, group=1), ['set b1_set 2'], SINE)
    change('channels of a set', fs, band(1, BELL, 100, 9, group=1), ['text eq#set1 2'], SINE)
    change('channels of a set, none', fs, band(1, BELL, 100, 9, group=1), ['text eq#set1  '], SINE)
    change('mode', fs, band(1, LOWSHELF, 200, 9) + band(2, BELL, 9000, -9), ['set mode 0'], SINE)
    change('mid/side', fs, band(1, BELL, 100, 9, group=1), ['set mid_side 1'], SINE)
    change('solo', fs, band(1, BELL, 100, 9) + band(3, LOWSHELF, 300, -6), ['number eq#solo 3'], SINE)
    for source in (SINE, DC):
        change('output gain', fs, bell, ['set gain -20'], source)
        change('enabled off', fs, band(1, LOWSHELF, 300, 6), ['set enabled 0'], source)
        change('enabled on', fs, band(1, LOWSHELF, 300, 6) + ['set enabled 0'], ['set enabled 1'], source)
        change('a preset', fs, band(1, LOWSHELF, 200, 6) + band(2, HIGHSHELF, 5000, 3),
               band(1, LOWSHELF, 90, -4) + band(2, LOWPASS, 9000, q=.7) + band(4, BUTTERWORTH_HP, 30, order=5, group=2) + ['set gain -3', 'state eq#set2 1 2'], source)
    change('a state', fs, band(1, BELL, 100, 9, group=3), ['state eq#set3 1'], SINE)
    change('freewheel', fs, band(1, BELL, 100, 9), ['set freewheel 1', 'set b1_gain 3'], SINE)
    sweep = [band(1, BELL, 200 * 40 ** (i / 60), 12 * np.cos(i / 9), 2) for i in range(60)]
    change('an automated sweep', fs, band(1, BELL, 200, 12, 2), sweep, SINE)
    change('an automated high-pass', fs, steep, [['set b2_freq %g' % (20 + 3 * i)] for i in range(30)], SINE)
    change('hurried switching', fs, band(1, LOWSHELF, 200, 6), [['set b1_on %d' % (i % 2), 'set b1_gain %d' % (i % 7)] for i in range(30)], SINE)


def bank(fs):
    one = write('one.txt', 'Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1\nFilter: ON LSC Fc 200 Hz Gain 4 dB\n')
    two = write('two.txt', 'Preamp: -3 dB\nFilter: ON Butterworth HP Order 16 Fc 20 Hz\nFilter: ON PK Fc 40 Hz Gain 12 dB Q 4\nDelay: 2 ms\n')
    three = write('three.txt', 'Copy: 1=0.5*2+0.5*1\nChannel: 2\nPreamp: -6 dB\n')
    broken = write('broken.txt', 'Copy: 1=0.5*2\nFilter: ON PK Fc\n')
    for source in (LOW, DC):
        change('a bank file', fs, [one], [two], source, 'bank', tail=.8)
        change('a bank file, back', fs, [two], [one], source, 'bank', settle=1.5)
        change('the first bank file', fs, [], [one], source, 'bank')
        change('routes', fs, [one], [three], source, 'bank')
        change('a bank by state', fs, [one], ['state bank#content Filter: ON HSC Fc 120 Hz Gain -9 dB|Delay: 1 ms'], source, 'bank')
        change('mute', fs, [], [broken], source, 'bank')
        change('mute ends', fs, [broken], [one], source, 'bank')
        change('a file refused while one plays', fs, [one], [broken, 'set gain -1'], source, 'bank')
        change('preamp and gain', fs, [one], ['set preamp -9', 'set gain 3'], source, 'bank')
        change('enabled off', fs, [one], ['set enabled 0'], source, 'bank')
        change('enabled on', fs, [one, 'set enabled 0'], ['set enabled 1'], source, 'bank')
    shelves = write('shelves.txt', 'Filter: ON PK Fc 9000 Hz Gain 9 dB Q 1\nFilter: ON LSC Fc 200 Hz Gain 6 dB\n')
    change('mode of a bank', fs, [shelves], ['set mode 2'], SINE, 'bank')
    change('files in a hurry', fs, [one], [[two], [three], [one], [two]], SINE, 'bank', tail=.8)


def bypass_is_exact():
    for kind, lines in (('eq', band(1, LOWSHELF, 300, 6)), ('bank', [write('exact.txt', 'Filter: ON LSC Fc 300 Hz Gain 6 dB\n')])):
        start = ['plugin %s 2 44100' % kind, 'noise 0.5'] + lines
        out = play(start + ['skip 3001 64', 'set enabled 0', 'skip 3000 64', 'run 5000 77'], 2)
        dry = play(['plugin %s 2 44100' % kind, 'noise 0.5', 'skip 6001 64', 'dry 5000'], 2)
        check('after bypass has faded %s passes its input to the bit' % kind, out.tobytes() == dry.tobytes(), 'differs')


def the_same_value_changes_no_bit():
    lines = band(1, LOWPASS, 1000, 6, .7) + band(2, BELL, 300, 5, group=1) + ['text eq#set1 1']
    base = ['plugin eq 2 44100', 'noise 0.5'] + lines + ['run 3000 64']
    once = play(base + ['run 5000 64'], 2)
    again = play(base + lines + ['set b1_gain -3', 'number eq#solo 0', 'text eq#set1 1,', 'state eq#set1 1', 'run 2500 64'] + lines + ['run 2500 64'], 2)
    check('the same value changes no bit', once.tobytes() == again.tobytes(), 'differs')  # a low-pass ignores the gain
    file = write('same.txt', 'Filter: ON LSC Fc 300 Hz Gain 6 dB\n')
    base = ['plugin bank 2 44100', 'noise 0.5', file, 'set gain 1', 'run 3000 64']
    once = play(base + ['run 5000 64'], 2)
    again = play(base + ['set gain 1', 'set mode 0', 'set on_error 1', 'run 5000 64'], 2)
    check('the same value changes no bit of a bank', once.tobytes() == again.tobytes(), 'differs')


def the_measure_measures():
    """A change without any smoothing is far above the limit: so the limit says something."""
    y = np.tile(.5 * np.sin(2 * np.pi * 100 * np.arange(20000) / 44100)[:, None], 2)
    y[10000:] *= 10 ** (-.1 / 20)
    check('a step of 0.1 dB is seen', residual_db(y, 44100, 2000) > LIMIT_DB + 20, 'it is not')


for rate in (44100, 192000):
    eq(rate)
    bank(rate)
bypass_is_exact()
the_same_value_changes_no_bit()
the_measure_measures()
print('worst residual: %.1f dB, %s' % tuple(worst))
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
