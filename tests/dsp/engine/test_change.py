"""Promise 12: glides and swaps make no click, stay bounded, and end on the steady filter. Measured with scipy.
SPDX-License-Identifier: ISC"""
import os
import subprocess
import sys

import numpy as np
from scipy import signal

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/engine/tool_engine')
RATES = (44100, 48000, 192000)
PEAK, LOWPASS, HIGHPASS, LOWSHELF, HIGHSHELF, BUTTERWORTH = 1, 2, 3, 7, 8, 14
RBJ, MATCHED = 0, 1
GLIDE_DB, SWAP_DB, PEAK_DB = -140, -110, 8  # residual above 5 kHz re full scale; peak over the larger steady gain
PHASES = 16
passed = failed = 0


def check(name, good, detail):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print('FAILED %s: %s' % (name, detail))


def play(script, channels):
    run = subprocess.run([TOOL], input=('\n'.join(script) + '\n').encode(), capture_output=True)
    if run.returncode:
        raise SystemExit('tool_engine: ' + run.stderr.decode())
    return np.frombuffer(run.stdout).reshape(-1, channels)


def band(i, on, kind, fc, gain=0.0, q=1.0, order=2, mode=RBJ, response=0):
    return 'band %d %d %d %d %d %d %.17g %.17g %.17g' % (i, on, kind, mode, response, order, fc, gain, q)


def residual_db(y, fs):
    """Largest sample above 5 kHz of any channel, re full scale; what was before the change has settled long before."""
    sos = signal.butter(8, 5000, 'high', fs=fs, output='sos')
    return 20 * np.log10(np.max(np.abs(signal.sosfilt(sos, y, axis=0)[len(y) // 4:])) + 1e-30)


def steady_gain(y, part):
    return np.max(np.abs(y[part]))


def change(name, fs, before, after, source, limit, bands=2, channels=PHASES, peak=True):
    """Plays `before` for a while, then `after`; the whole is judged, its peak only where an end is heard."""
    lead, tail = int(.4 * fs), int(.8 * fs)
    script = ['engine %d %d %d -' % (channels, fs, bands)] + before + [source, 'skip %d 1000' % fs, 'run %d 1024' % lead]
    y = play(script + after + ['run %d 333' % tail], channels)
    residual = residual_db(y, fs)
    check(name, np.isfinite(y).all() and residual < limit, 'residual %.1f dB, limit %g' % (residual, limit))
    ends = max(steady_gain(y, slice(0, lead)), steady_gain(y, slice(-int(.2 * fs), None)))
    if peak and ends > 1e-6:
        over = 20 * np.log10(np.max(np.abs(y)) / ends)
        check(name + ', peak', over <= PEAK_DB, '%.2f dB over the larger steady peak' % over)
    return y


def parametric(fs):
    at = ' at %d Hz' % fs
    sine, low, dc = 'sine 100 0.5', 'sine 50 0.5', 'dc 0.5'
    flat = [band(0, 1, PEAK, 1000), 'apply']
    for mode in (RBJ, MATCHED):
        m = (' matched', '')[mode == RBJ]
        change('bell 0 to -12 dB' + m + at, fs, [band(0, 1, PEAK, 1000, mode=mode), 'apply'],
               [band(0, 1, PEAK, 1000, -12, mode=mode), 'apply'], sine, GLIDE_DB)
        change('high shelf -9 to 9 dB' + m + at, fs, [band(0, 1, HIGHSHELF, 8000, -9, mode=mode), 'apply'],
               [band(0, 1, HIGHSHELF, 8000, 9, mode=mode), 'apply'], sine, GLIDE_DB)
    change('bell 40 Hz Q 4 to +12 dB' + at, fs, [band(0, 1, PEAK, 40, 0, 4), 'apply'], [band(0, 1, PEAK, 40, 12, 4), 'apply'], low, -100)
    change('bell 40 Hz Q 4 +12 dB switched on' + at, fs, flat, [band(1, 1, PEAK, 40, 12, 4), 'apply'], low, SWAP_DB)
    change('high-pass 16 at 20 Hz switched on' + at, fs, flat,
           [band(1, 1, BUTTERWORTH, 20, order=16, response=1), 'apply'], low, SWAP_DB)
    change('high-pass 16 at 20 Hz switched off' + at, fs, [band(1, 1, BUTTERWORTH, 20, order=16, response=1), 'apply'],
           [band(1, 0, BUTTERWORTH, 20, order=16, response=1), 'apply'], low, SWAP_DB)
    change('high-pass 16 moved, 20 to 60 Hz' + at, fs, [band(1, 1, BUTTERWORTH, 20, order=16, response=1), 'apply'],
           [band(1, 1, BUTTERWORTH, 60, order=16, response=1), 'apply'], low, -100)
    change('low shelf on DC' + at, fs, [band(0, 1, LOWSHELF, 100, 0), 'apply'], [band(0, 1, LOWSHELF, 100, 12), 'apply'], dc, -100)
    change('high-pass on DC' + at, fs, flat, [band(1, 1, HIGHPASS, 80, q=.7), 'apply'], dc, SWAP_DB)
    change('far move of a bell, a swap' + at, fs, [band(0, 1, PEAK, 100, 9), 'apply'], [band(0, 1, PEAK, 6000, 9), 'apply'], sine, SWAP_DB)
    change('low-pass 3 to 11 kHz' + at, fs, [band(0, 1, LOWPASS, 3000, q=.7), 'apply'], [band(0, 1, LOWPASS, 11000, q=.7), 'apply'], sine, GLIDE_DB)
    change('type and order change' + at, fs, [band(0, 1, PEAK, 300, 6), 'apply'], [band(0, 1, LOWSHELF, 300, 6), 'apply'], sine, SWAP_DB)
    change('output gain 0 to -20 dB' + at, fs, flat, ['gain -20', 'apply'], sine, GLIDE_DB)
    change('output gain of an engine that does nothing' + at, fs, [band(0, 0, PEAK, 1000), 'apply'], ['gain -20', 'apply'], sine, GLIDE_DB)
    change('mid/side' + at, fs, [band(0, 1, PEAK, 300, 9), 'apply'], ['mid_side 1', 'apply'], low, SWAP_DB, channels=2)
    change('a preset: five things at once' + at, fs, [band(0, 1, PEAK, 200, 6), band(1, 1, HIGHSHELF, 5000, 3), 'apply'],
           [band(0, 1, LOWSHELF, 90, -4), band(1, 1, LOWPASS, 9000, q=.7), 'gain -3', 'apply'], sine, SWAP_DB)
    change('bypass on' + at, fs, [band(0, 1, PEAK, 40, 12, 4), 'apply'], ['bypass 1'], low, SWAP_DB)
    change('bypass off' + at, fs, [band(0, 1, PEAK, 40, 12, 4), 'apply', 'bypass 1'], ['bypass 0'], low, SWAP_DB)


def sweep(fs):
    """A host's automation: a new target every 64 frames for a second."""
    script = ['engine 4 %d 1 -' % fs, band(0, 1, PEAK, 200, 12, 2), 'apply', 'sine 100 0.5', 'skip %d 1000' % fs, 'run %d 1000' % (fs // 4)]
    for i in range(400):
        script += [band(0, 1, PEAK, 200 * 40 ** (i / 400), 12 * np.cos(i / 30), 2), 'apply', 'run %d 64' % (fs // 400)]
    residual = residual_db(play(script, 4), fs)
    check('automated sweep at %d Hz' % fs, residual < -100, '%.1f dB' % residual)


def banks(fs):
    at = ' at %d Hz' % fs
    a = 'bank Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1'
    b = 'bank Preamp: -3 dB|Filter: ON Butterworth HP Order 16 Fc 20 Hz|Filter: ON PK Fc 40 Hz Gain 12 dB Q 4|Delay: 2 ms'
    c = 'bank Copy: 1=0.5*2+0.5*1|Channel: 2|Polarity: inverted'
    for one, two, what in ((a, b, 'a bank swapped'), (b, a, 'a bank swapped back'), (a, c, 'routes and polarity')):
        for source in ('sine 50 0.5', 'dc 0.5'):
            change('%s, %s%s' % (what, source, at), fs, [one], [two], source, SWAP_DB, bands=0)


def gain_steps(fs):
    """One second: a gain that glides while sides swap, in every order."""
    at = ' at %d Hz' % fs
    first, second = int(.004 * fs), int(.012 * fs)  # into the glide or the fade
    swaps = {'a band on': [band(1, 1, PEAK, 40, 12, 4), 'apply'], 'bypass': ['bypass 1'], 'mute': ['mute 1'], 'mid/side': ['mid_side 1', 'apply'],
             'mute and back': ['mute 1', 'RUN', 'mute 0']}
    flat = [band(0, 1, PEAK, 1000, 3), band(1, 0, PEAK, 40, 12, 4), 'apply']
    for name, swap in swaps.items():
        for order in ([swap, ['gain -12', 'apply']], [['gain -12', 'apply'], swap], [['gain 6', 'apply'], swap, ['gain -6', 'apply']]):
            events = []
            for i, event in enumerate(order):
                events += event + ['RUN']
            script = ['engine 2 %d 2 -' % fs] + flat + ['sine 50 0.5', 'skip %d 1000' % fs, 'run %d 1000' % (fs // 4)]
            for i, line in enumerate(events):
                script.append('run %d 250' % (first, second)[i % 2] if line == 'RUN' else line)
            residual = residual_db(play(script + ['run %d 1024' % (fs // 2)], 2), fs)
            check('gain (%d) with %s%s' % (len(order), name, at), residual < -100, '%.1f dB' % residual)


def mutes(fs):
    at = ' at %d Hz' % fs
    bell, quarter, moment = [band(0, 1, PEAK, 40, 12, 4), 'apply'], 'run %d 1000' % (fs // 4), 'run %d 64' % (fs // 100)
    bank = ['bank Filter: ON Butterworth HP Order 16 Fc 20 Hz|Filter: ON PK Fc 40 Hz Gain 12 dB Q 4|Delay: 2 ms']
    for source in ('sine 50 0.5', 'dc 0.5'):
        for before, bands, what in ((bell, 2, 'bands'), (bank, 0, 'a bank')):
            name, peak = ', %s, %s%s' % (what, source, at), bands or 'sine' in source  # the bank lets no DC through
            muted = before + [source, 'skip 1000 1000', 'mute 1']
            y = change('mute' + name, fs, before, ['mute 1'], source, SWAP_DB, bands, 4, peak)
            check('muted is zero' + name, not np.any(y[-fs // 2:]), 'not all zeros')
            change('unmute' + name, fs, muted, ['mute 0'], source, SWAP_DB, bands, 4, peak)
            change('mute to bypass' + name, fs, muted, ['bypass 1'], source, SWAP_DB, bands, 4, peak)
            change('mute within fades' + name, fs, before, ['bypass 1', moment, 'bypass 0', 'mute 1', quarter, 'mute 0', moment, 'mute 1'],
                   source, SWAP_DB, bands, 4, peak)


def variants(fs):
    at = ' at %d Hz' % fs
    banks_ = ['banks Filter: ON PK Fc 1000 Hz Gain 6 dB Q 1/Preamp: -3 dB|Filter: ON Butterworth HP Order 16 Fc 20 Hz|Delay: 2 ms/'
              'Copy: 1=0.5*2+0.5*1|Channel: 2|Polarity: inverted']
    for one in range(3):
        for other in range(3):
            if one != other:
                change('variant %d to %d%s' % (one, other, at), fs, banks_ + ['choose %d' % one], ['choose %d' % other, 'gain -3', 'apply'],
                       'sine 50 0.5', SWAP_DB, 0, 4)
    rng, script = np.random.default_rng(3), ['engine 4 %d 0 -' % fs] + banks_ + ['sine 50 0.5', 'skip %d 1000' % fs, 'run %d 1000' % (fs // 4)]
    for _ in range(200):
        script += ['choose %d' % rng.integers(0, 4), 'run %d 300' % rng.integers(1, fs // 50)]
    residual = residual_db(play(script, 4), fs)
    check('choices at any time' + at, residual < SWAP_DB, '%.1f dB' % residual)


def through_nyquist():
    """A band that passes 0.49 fs under automation fades out, and the others go on (promise 13)."""
    fs = 48000
    lead = [band(0, 1, PEAK, 15000, 9), band(1, 1, PEAK, 100, 6), 'apply']
    y = change('a band passes Nyquist', fs, lead, [band(0, 1, PEAK, 30000, 9), band(1, 1, PEAK, 100, 6), 'apply'], 'sine 100 0.5', SWAP_DB)
    tail = np.max(np.abs(y[-fs // 5:]))
    check('the other band goes on', abs(20 * np.log10(tail / .5) - 6) < .01, tail)


def steady_after_motion():
    """After glides the band is the same filter as one set at once: compared with scipy's RBJ bell on noise."""
    fs, n = 48000, 48000
    script = ['engine 1 %d 1 -' % fs, band(0, 1, PEAK, 400, -6, 2), 'apply', 'noise 0.5', 'skip 5000 512']
    for fc, gain in ((800, 3), (1000, -12), (1000, 6)):
        script += [band(0, 1, PEAK, fc, gain, 1), 'apply', 'skip 4000 100']
    moved = play(script + ['impulse 0', 'skip 40000 1024', 'impulse 1', 'run %d 1024' % n], 1)[:, 0]
    w, A, q = 2 * np.pi * 1000 / fs, 10 ** (6 / 40), 1.0
    alpha = np.sin(w) / (2 * q)
    b, a = [1 + alpha * A, -2 * np.cos(w), 1 - alpha * A], [1 + alpha / A, -2 * np.cos(w), 1 - alpha / A]
    right = signal.lfilter(np.array(b) / a[0], np.array(a) / a[0], np.eye(1, n)[0])
    worst = np.max(np.abs(moved - right))
    check('after motion the bell is RBJ', worst < 1e-12, worst)


def bounded():
    """Anything may change every cell: the output stays finite and near the gains."""
    rng = np.random.default_rng(5)
    script = ['engine 3 48000 4 -', 'noise 0.5']
    for _ in range(600):
        for i in range(4):
            script.append(band(i, int(rng.random() < .9), int(rng.choice([PEAK, PEAK, LOWSHELF, HIGHSHELF, LOWPASS])),
                               20 * 1000 ** rng.random(), rng.uniform(-12, 12), 10 ** rng.uniform(-1, 1), mode=int(rng.random() < .5)))
        script += ['apply', 'run %d 97' % rng.integers(1, 700)]
    y = play(script, 3)
    check('random motion is bounded', np.isfinite(y).all() and np.max(np.abs(y)) < .5 * 10 ** (4 * 12 / 20) * 2.6, np.max(np.abs(y)))


def exact_bypass():
    fs = 48000
    script = ['engine 2 %d 1 -' % fs, 'noise 0.5', band(0, 1, PEAK, 1000, 6), 'apply', 'skip 3000 64', 'bypass 1', 'skip 4000 64']
    y = play(script + ['run 5000 77'], 2)
    x = play(['engine 2 %d 1 -' % fs, 'noise 0.5', 'skip 7000 64', 'run 5000 77'], 2)
    check('bypass is bit-exact', np.array_equal(x, y), 'differs')


def same_value_changes_nothing():
    base = ['engine 2 48000 1 -', 'noise 0.5', band(0, 1, LOWPASS, 1000, 6, .7), 'apply', 'run 3000 64']
    once = play(base + ['run 5000 64'], 2)
    again = play(base + [band(0, 1, LOWPASS, 1000, -3, .7), 'apply', 'run 5000 64'], 2)  # a low-pass ignores gain
    check('the same value changes no bit', np.array_equal(once, again), 'differs')


for rate in RATES:
    parametric(rate)
    banks(rate)
    sweep(rate)
gain_steps(48000)
mutes(48000)
variants(48000)
through_nyquist()
steady_after_motion()
bounded()
exact_bypass()
same_value_changes_nothing()
print('%d passed, %d failed' % (passed, failed))
sys.exit(failed > 0 or not passed)
