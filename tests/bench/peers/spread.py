# Figures with their spread, and ratios of things that were measured side by side.
# SPDX-License-Identifier: ISC
import numpy as np


def spread(values):
    """Median, 10th and 90th percentile, and of how many values."""
    low, middle, high = (float(v) for v in np.percentile(values, (10, 50, 90)))
    return {'median': middle, 'p10': low, 'p90': high, 'rounds': len(values)}


def text(figure, digits=2):
    """Median, and the two percentiles in brackets."""
    return '%.*f [%.*f..%.*f]' % (digits, figure['median'], digits, figure['p10'], digits, figure['p90'])


class Beside:
    """Measures things in turn, each with the same other thing directly before and directly after it: a machine whose speed drifts from second to
    second drifts for both. `base` runs that other thing and returns its time."""

    def __init__(self, base):
        self.base, self.before = base, None

    def run(self, measure):
        """What `measure` returns, and the mean of the base's times around it."""
        before = self.base() if self.before is None else self.before
        value = measure()
        self.before = self.base()
        return value, (before + self.before) / 2

    def pause(self):
        """Something else comes in between: the next run measures the base anew."""
        self.before = None


class Figures:
    """Times by case, and what they are beside a base, one of each a round."""

    def __init__(self):
        self.times, self.ratios = {}, {}

    def note(self, case, time, ratio):
        self.times.setdefault(case, []).append(time)
        self.ratios.setdefault(case, []).append(ratio)

    def cases(self):
        return list(self.times)

    def of(self, case):
        """Spread of the times and of the ratios. The ratio of a round is taken in that round: this is not the ratio of the medians."""
        return spread(self.times[case]), spread(self.ratios[case])
