"""What the multi-block kernels lose in float32: on the filters that break direct forms, and whether the rule of when to use which holds.
SPDX-License-Identifier: ISC

The reference knows nothing of the library: Butterworth poles and RBJ's peaking formula in numpy's long double (64 bits of
mantissa), kept as distances from z = 1 and run in that form, so that it is good to about 1e-17 of the peak."""
import os
import subprocess
import sys

import numpy as np

TOOL = os.path.join(os.environ['MILLRACE_BUILD'], 'tests/dsp/kernel/tool_block')
LD = np.longdouble
PI = LD('3.14159265358979323846264338327950288')
FAMILIES = ['ph', 'ph-states', 'mcr', 'cr', 'dtcr', 'ssph', 'dense']
SINGULAR = 11
GATE = 1e-4
passed = failed = 0


def check(name, condition, remark):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    if not condition:
        print('FAILED %s: %s' % (name, remark))


class Tool:
    def __init__(self):
        self.process = subprocess.Popen([TOOL], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, family, sections, x, single=True, blocks=32, lanes=8):
        """The output, or None where the filter is refused as singular. sections: rows s P D e1 e2."""
        rows = np.ascontiguousarray(sections, np.float64)
        head = np.array([FAMILIES.index(family), single, blocks, lanes, len(rows), len(x)], np.uint32)
        self.process.stdin.write(head.tobytes() + rows.tobytes() + np.asarray(x, np.float64).tobytes())
        self.process.stdin.flush()
        status = np.frombuffer(self.process.stdout.read(4), np.uint32)[0]
        if status == SINGULAR:
            return None
        assert status == 0, status
        return np.frombuffer(self.process.stdout.read(8 * len(x)))

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def wide_section(s, p, b0, total, difference):
    """From 1 + a1 + a2, 1 - a2, b0, b0 + b1 + b2, b0 - b2: s P D e1 e2."""
    return [s, p, b0, total - b0 * s, difference - b0 * p]


def butterworth(kind, order, fc, fs):
    g = np.tan(PI * LD(fc) / LD(fs))
    rows = []
    for i in range(order // 2):
        k = 2 * np.sin(PI * (2 * i + 1) / (2 * order))
        scale = 1 / (1 + g * k + g * g)
        s, p = 4 * g * g * scale, 2 * g * k * scale
        rows.append(wide_section(s, p, g * g * scale, s, LD(0)) if kind == 'LP' else wide_section(s, p, scale, LD(0), LD(0)))
    return rows


def peak(q, fc, fs):
    g = np.tan(PI * LD(fc) / LD(fs))
    A, k = LD(10) ** (LD(12) / 40), 1 / LD(q)
    scale = 1 / (1 + g * k / A + g * g)
    s = 4 * g * g * scale
    return [wide_section(s, 2 * g * k / A * scale, (1 + g * k * A + g * g) * scale, s, 2 * g * k * A * scale)]


def balanced(rows):
    """Every section's largest gain is the same, and sections of low Q come first: as a design for float32 has to be."""
    w = np.concatenate([np.geomspace(1e-5, 0.05, 4096), np.linspace(0.05, np.pi, 4096)])
    z = np.exp(-1j * w)
    total, out = LD(1), []
    for s, p, d, e1, e2 in reversed(rows):
        b2 = d - (d * p + e2)
        b1 = (d * s + e1) - d - b2
        a = 1 + np.float64(s + (p - 2)) * z + np.float64(1 - p) * z * z
        gain = np.max(np.abs((np.float64(d) + np.float64(b1) * z + np.float64(b2) * z * z) / a))
        total *= gain
        out.append((s, p, d / gain, e1 / gain, e2 / gain))
    share = total ** (LD(1) / len(rows))
    return np.array([(s, p, d * share, e1 * share, e2 * share) for s, p, d, e1, e2 in out], np.float64)


def reference(cascades, x):
    """All cascades at once, a sample at a time: the sections as rounded to double, in long double. x [frames]."""
    K, n = max(map(len, cascades)), len(cascades)
    t = np.zeros((K, 5, n), LD)
    t[:, 0] = t[:, 1] = t[:, 2] = 1
    for j, rows in enumerate(cascades):
        t[:len(rows), :, j] = rows
    s, P, D, e1, e2 = [t[:, i] for i in range(5)]
    w, d = np.zeros((K, n), LD), np.zeros((K, n), LD)
    y = np.empty((len(x), n), LD)
    for i, value in enumerate(x):
        u = np.full(n, value, LD)
        for k in range(K):
            step = (u - P[k] * d[k]) + (d[k] - s[k] * w[k])
            u = D[k] * u + (e1[k] * w[k] + e2[k] * d[k])
            w[k] += step
            d[k] = step
        y[i] = u
    return y


TABLE = [  # name, sections, then the error of ph, mcr, dtcr, ssph at N = 32, L = 8 that a prototype in numpy had
    ('low-pass 16, 20 Hz at 48 kHz', butterworth('LP', 16, 20, 48000), (3e-2, 3e-2, 4e-2, 8e-7)),
    ('high-pass 16, 20 Hz at 48 kHz', butterworth('HP', 16, 20, 48000), (2, 3, 2e-1, 5e-5)),
    ('high-pass 16, 20 Hz at 192 kHz', butterworth('HP', 16, 20, 192000), (10, 10, 6, 7e-5)),
    ('high-pass 16, 200 Hz at 48 kHz', butterworth('HP', 16, 200, 48000), (1e-2, 1e-2, 1e-3, 3e-5)),
    ('high-pass 16, 1 kHz at 48 kHz', butterworth('HP', 16, 1000, 48000), (8e-5, 8e-5, 1e-5, 8e-6)),
    ('low-pass 16, 0.2 pi', butterworth('LP', 16, 4800, 48000), (2e-6, 1e-6, 1e-6, 1e-6)),
    ('peaking Q 30, 30 Hz at 48 kHz', peak(30, 30, 48000), (8e-1, 1, 2e-1, 3e-5)),
    ('peaking Q 30, 30 Hz at 192 kHz', peak(30, 30, 192000), (10, 6, 2, 3e-5)),
    ('peaking Q 30, 1 kHz at 48 kHz', peak(30, 1000, 48000), (4e-4, 3e-4, 8e-5, 7e-6)),
]


def error(y, truth):
    return float(np.max(np.abs(y - truth)) / np.max(np.abs(truth)))


def test_table(tool):
    x = np.random.default_rng(5).uniform(-1, 1, 24000).astype(np.float32).astype(np.float64)
    cascades = [balanced(rows) for _, rows, _ in TABLE]
    truth = reference(cascades, x)
    print('%-32s %s' % ('', ' '.join('%8s' % f for f in ('ph', 'mcr', 'dtcr', 'ssph', 'states', 'double', 'dense'))))
    for j, (name, _, expected) in enumerate(TABLE):
        got = [error(tool.run(family, cascades[j], x), truth[:, j]) for family in ('ph', 'mcr', 'dtcr', 'ssph')]
        states, double = [error(tool.run('ph-states', cascades[j], x, single=single), truth[:, j]) for single in (True, False)]
        dense = error(tool.run('dense', cascades[j], x), truth[:, j])
        print('%-32s %s' % (name, ' '.join('%8.1e' % e for e in got + [states, double, dense])))
        for family, e, usual in zip(('ph', 'mcr', 'dtcr', 'ssph'), got, expected):
            least = usual / 5 if family != 'ssph' else 0  # nobody minds if this one is better
            check('%s, %s' % (name, family), least <= e <= 3 * usual, '%.1e, and %.0e is usual' % (e, usual))
        check('%s, ph-states' % name, states < 3e-6, states)
        check('%s, ph-states in double' % name, double < 1e-13, double)
        check('%s, dense' % name, dense < 3e-5, dense)


def random_sections(rng, n):
    """Of all that a state-variable filter makes: corners from 10 Hz to nearly the Nyquist frequency, Q from 0.3 to 30."""
    fs = rng.choice([44100, 48000, 96000, 192000], n)
    g = np.tan(np.pi * np.minimum(np.exp(rng.uniform(np.log(10), np.log(23000), n)), 0.49 * fs) / fs).astype(LD)
    k = np.exp(rng.uniform(np.log(1 / 30), np.log(1 / 0.3), n)).astype(LD)
    high, low = [rng.choice([0, 1, -1, 0.25, 4], n).astype(LD) for _ in range(2)]
    band = rng.choice([0, 1, -1, 0.25, 4], n).astype(LD)
    band[(high == 0) & (low == 0) & (band == 0)] = 1
    scale = 1 / (1 + g * k + g * g)
    s, p, d = 4 * g * g * scale, 2 * g * k * scale, 4 * scale
    total, alternating, difference = low * s, high * d, band * p
    rows = wide_section(s, p, (total + alternating) / 4 + difference / 2, total, difference)
    return np.stack(rows, 1).astype(np.float64)


# family, N, the least distance of the poles from z = 1 and from z = -1 (times Q / 5 if Q is above 5); 0: any
RULE = [('ph', 32, 0.02, 0.02), ('mcr', 32, 0.02, 0.02), ('cr', 32, 0.005, 0.005), ('dtcr', 32, 0.005, 0.005), ('ssph', 8, 0, 0),
        ('ssph', 16, 0, 0), ('ph-states', 32, 0, 0.005), ('ph-states', 128, 0, 0.005), ('dense', 16, 0, 0)]


def test_rule(tool, count=2000, frames=3000, at_once=500):
    """Peak error below 1e-4 wherever the rule says that float32 may be used."""
    rng = np.random.default_rng(11)
    worst = {line[:2]: (0.0, None) for line in RULE}
    used = {line[:2]: 0 for line in RULE}
    for _ in range(count // at_once):
        rows = random_sections(rng, at_once)
        x = rng.uniform(-1, 1, frames).astype(np.float32).astype(np.float64)
        truth = reference([row[None] for row in rows], x)
        s, p = rows[:, 0], rows[:, 1]
        d = 4 - s - 2 * p
        sharp = np.maximum(1, np.sqrt(s * d) / (2 * p) / 5)
        for family, blocks, right, left in RULE:
            for j in np.nonzero((s >= right * sharp) & (d >= left * sharp))[0]:
                y = tool.run(family, rows[j:j + 1], x, blocks=blocks)
                if y is None:
                    continue
                used[family, blocks] += 1
                e = error(y, truth[:, j])
                if not e <= worst[family, blocks][0]:
                    worst[family, blocks] = (e, rows[j])
    for key, (e, row) in worst.items():
        print('%-10s N=%-3d worst of %4d sections that the rule allows: %.1e' % (*key, used[key], e))
        check('rule, %s, N=%d' % key, e < GATE, '%.1e for s P D e1 e2 = %s' % (e, row))
        check('rule, %s, N=%d: sections' % key, used[key] > count / 5, used[key])


def test_refusal(tool):
    """Cyclic reduction at a quarter of the rate divides by 0; its divide-and-conquer form does so at an eighth."""
    x = np.random.default_rng(1).uniform(-1, 1, 1000)
    for single in (True, False):
        for angle, families in ((PI / 2, ('cr',)), (PI / 4, ('cr', 'dtcr'))):
            pole = LD(15) / 16 * np.exp(1j * angle)
            rows = [wide_section(abs(1 - pole) ** 2, 1 - abs(pole) ** 2, LD(1), LD(1), LD(1))]
            truth = reference([np.array(rows, np.float64)], x.astype(np.float32) if single else x)[:, 0]
            for family in FAMILIES:
                y = tool.run(family, rows, x, single=single)
                name = '%s, pole at %.4f, %s' % (family, angle, 'float32' if single else 'float64')
                check(name, (y is None) == (family in families), 'refused' if y is None else 'not refused')
                if y is not None:
                    check(name, error(y, truth) < (1e-5 if single else 1e-12), error(y, truth))


def main():
    tool = Tool()
    test_table(tool)
    test_rule(tool)
    test_refusal(tool)
    check('the tool ends well', tool.end() == 0, 'it did not')
    print('%d passed, %d failed' % (passed, failed))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
