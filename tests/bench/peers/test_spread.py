"""The figures of bench_peers.py: percentiles, and ratios that a drifting machine does not disturb."""
# SPDX-License-Identifier: ISC
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'project')]
from harness import main  # noqa: E402
from spread import Beside, Figures, spread, text  # noqa: E402


def test_percentiles_are_the_tenth_and_the_ninetieth():
    assert spread([float(v) for v in range(10, -1, -1)]) == {'median': 5, 'p10': 1, 'p90': 9, 'rounds': 11}
    assert spread([3.0]) == {'median': 3, 'p10': 3, 'p90': 3, 'rounds': 1}
    assert spread([1.0, 2.0])['p90'] == 1.9
    assert text({'median': 2, 'p10': 1.004, 'p90': 3.456}) == '2.00 [1.00..3.46]' and text(spread([0.5]), 1) == '0.5 [0.5..0.5]'


def test_a_base_lies_on_both_sides():
    log, speed = [], iter([10.0, 20.0, 30.0, 7.0, 9.0])

    def base():
        log.append('base')
        return next(speed)

    def one():
        log.append('one')
        return 1.5

    beside = Beside(base)
    assert beside.run(one) == (1.5, 15.0) and beside.run(one) == (1.5, 25.0)
    assert log == ['base', 'one', 'base', 'one', 'base'], 'the base after one run is the base before the next'
    beside.pause()
    assert beside.run(one) == (1.5, 8.0) and log[5:] == ['base', 'one', 'base']


def test_ratios_are_those_of_the_rounds():
    """Twice as fast in every round of a machine that slows down fourfold: the ratio has no spread, though the times have."""
    figures = Figures()
    for slow in (1.0, 4.0, 1.0, 2.0, 4.0):
        figures.note('a', 3 * slow, 6 * slow / (3 * slow))
    times, ratios = figures.of('a')
    assert figures.cases() == ['a'] and ratios == {'median': 2, 'p10': 2, 'p90': 2, 'rounds': 5}
    assert (times['median'], times['p10'], times['p90']) == (6, 3, 12)


main(globals())
