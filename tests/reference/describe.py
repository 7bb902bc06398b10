# SPDX-License-Identifier: GPL-2.0-or-later
"""The statistics of SPEC section 7: those of pandas' describe(), worked out exactly and rounded once."""
from fractions import Fraction

PERCENTILES = (('min', 0), ('25%', 25), ('50%', 50), ('75%', 75), ('95%', 95), ('99%', 99), ('max', 100))

LEAST = {95: 20, 99: 100}  # of fewer values such a percentile is the greatest of them


class Percentile(float):
    """One that text does not say, if `is_said` is false."""

    def __new__(cls, value, is_said):
        self = super().__new__(cls, value)
        self.is_said = is_said
        return self


def column(rows, name):
    return [row[name] for row in rows if row[name] is not None]


def mean(values):
    return float(Fraction(sum(values), len(values))) if values else None


def describe(values):
    """Sample standard deviation (none for one value), percentiles by linear interpolation."""
    values, count = sorted(values), len(values)
    out = {'mean': mean(values), 'std': None, **{name: None for name, _ in PERCENTILES}}
    if count > 1:
        # the sum of squares about the mean, in integers: n * sum(x^2) - sum(x)^2 over n
        squares = Fraction(count * sum(value * value for value in values) - sum(values) ** 2, count)
        out['std'] = float(squares / (count - 1)) ** 0.5
    for name, percent in PERCENTILES if count else ():
        at, rest = divmod(percent * (count - 1), 100)
        step = values[at + 1] - values[at] if rest else 0
        out[name] = Percentile(values[at] + Fraction(rest * step, 100), count >= LEAST.get(percent, 0))
    return out


def histogram(values):
    """docs/json.md's rule: [bucket, how many values lie in it], ascending. 128 buckets for each power of two."""
    buckets = {}
    for value in values:
        exponent = max(0, value.bit_length() - 8)  # floor(log2 value) - 7
        bucket = 128 * exponent + (value >> exponent)
        buckets[bucket] = buckets.get(bucket, 0) + 1
    return [list(pair) for pair in sorted(buckets.items())]


def statistic(values):
    """What adds up over captures: docs/json.md's statistic."""
    out = {'count': len(values), 'sum': sum(values), 'squares': str(sum(value * value for value in values))}
    if values:
        out.update({'min': min(values), 'max': max(values)})
    return {**out, 'histogram': histogram(values)}
