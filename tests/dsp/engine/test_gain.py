"""The output gain by its definition: targets read at a cell's start, a Hann window over cells, a cubic B-spline inside; and what it acts on.
SPDX-License-Identifier: ISC"""
import os
import subprocess
import sys

import numpy as np

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_engine')
CELL = 64
passed = failed = 0


def check(name, good, detail):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED %s: %s' % (name, detail))


def play(script, channels=1):
    run = subprocess.run([TOOL], input=('\n'.join(script) + '\n').encode(), capture_output=True)
    if run.returncode:
        raise SystemExit('tool_engine: ' + run.stderr.decode())
    return np.frombuffer(run.stdout).reshape(-1, channels)


def curve(db, fs):
    """The gain of every frame, from the dB of every cell."""
    target = 10 ** (np.clip(np.array(db, float), -200, 60) / 20)
    m = max(1, round(.0213 * fs / CELL))
    hann = np.sin(np.pi * (np.arange(m) + .5) / m) ** 2
    hann /= hann.sum()
    held = np.concatenate([np.full(m + 3, target[0]), target])
    point = np.array([np.dot(hann[::-1], held[i - m + 1:i + 1]) for i in range(m, len(held))])  # the first is three cells before the first cell
    t = np.arange(CELL) / CELL
    basis = np.array([(1 - t) ** 3, 3 * t ** 3 - 6 * t ** 2 + 4, -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1, t ** 3]) / 6
    return np.concatenate([point[i:i + 4] @ basis for i in range(len(target))])


BELL = 'band 0 0 1 0 0 2 1000 6 1'


def glides(fs, name, start, rng):
    cells, db, script = 400, [], start + ['dc 1']
    level = -4.0
    script += ['gain %.17g' % level, 'apply']
    while len(db) < cells:
        n = int(rng.integers(1, 40)) if len(db) < 250 else cells - len(db)
        script.append('run %d %d' % (n * CELL, rng.integers(1, 500)))
        db += [level] * n
        level = float(rng.choice([0, -6, 3, -70, 12.5, -300, 100, -1.25]))
        script += ['gain %.17g' % level, 'apply']
    y, right = play(script)[:, 0], curve(db, fs)
    worst = np.max(np.abs(y / right - 1)[right > 1e-6])
    check('the curve of %s at %d Hz' % (name, fs), worst < 1e-9 and np.max(np.abs(y - right)) < 1e-12 * np.max(right), worst)


def ends(fs):
    """Exactly, a window and four cells after the change; at once before the first frame and after a reset."""
    after = (max(1, round(.0213 * fs / CELL)) + 4) * CELL
    for name, start in (('bands', ['engine 1 %d 1 -' % fs, BELL, 'apply']), ('a bank', ['engine 1 %d 0 -' % fs, 'bank Preamp: 0 dB'])):
        y = play(start + ['dc 0.75', 'gain -20', 'apply', 'run 1000 64', 'gain 6', 'apply', 'run 20000 999', 'gain 0', 'apply', 'run 20000 64'])[:, 0]
        check('holds at once, %s' % name, np.all(y[:1000] == y[0]) and abs(y[0] / .075 - 1) < 1e-15, y[0])
        at = -(-1000 // CELL) * CELL
        check('the end is exact, %s at %d Hz' % (name, fs), np.all(y[at + after:21000] == y[20999]) and abs(y[20999] / .75 / 10 ** .3 - 1) < 1e-15, y[20999])
        rise = np.diff(y[at:21000])
        check('no step back, %s at %d Hz' % (name, fs), np.all(rise > -1e-14), rise.min())
        check('unity again, %s at %d Hz' % (name, fs), np.all(y[-10000:] == .75), y[-1])
        y = play(start + ['dc 1', 'skip 1000 64', 'gain -20', 'apply', 'skip 100 64', 'reset', 'run 100 10'])[:, 0]
        check('a reset holds at once, %s' % name, np.all(y == y[0]) and abs(y[0] / .1 - 1) < 1e-15, y[0])


def acts_on():
    """Whatever plays, after delays, routes and gains of channels; not bypass, nor an engine that was given nothing."""
    text = 'bank Copy: 1=0.5*2|Channel: 2|Preamp: -6 dB|Delay: 1 ms|Filter: ON PK Fc 500 Hz Gain 6 dB Q 1'
    plain = play(['engine 2 48000 0 -', text, 'noise 0.5', 'run 5000 100'], 2)
    loud = play(['engine 2 48000 0 -', text, 'gain 5', 'apply', 'noise 0.5', 'run 5000 100'], 2)
    worst = np.max(np.abs(loud - plain * 10 ** .25))
    check('a gain of 5 dB', worst < 1e-15 and np.any(plain[:, 1]), worst)
    noise = play(['engine 2 48000 0 -', 'noise 0.5', 'run 5000 100'], 2)
    check('nothing given', np.array_equal(play(['engine 2 48000 0 -', 'gain 5', 'apply', 'noise 0.5', 'run 5000 100'], 2), noise), 'differs')
    check('bypass', np.array_equal(play(['engine 2 48000 0 -', text, 'gain 5', 'apply', 'bypass 1', 'noise 0.5', 'run 5000 100'], 2), noise), 'differs')


random = np.random.default_rng(1)
for rate in (8000, 44100, 48000, 192000):
    glides(rate, 'bands', ['engine 1 %d 1 -' % rate, BELL], random)
    glides(rate, 'a bank', ['engine 1 %d 0 -' % rate, 'bank Preamp: 0 dB'], random)
    ends(rate)
acts_on()
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
