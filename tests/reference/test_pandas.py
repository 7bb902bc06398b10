# SPDX-License-Identifier: GPL-2.0-or-later
"""describe.py against the original: pandas' describe(), on the rows of every capture."""
import pathlib
import unittest

import rows
from describe import column, describe
from latency import analyse

try:
    import pandas
except ImportError:
    pandas = None

CAPTURES = pathlib.Path(__file__).resolve().parents[2] / 'captures'


def groups(analysis):
    """All lists of times that a table describes."""
    requests = analysis.request_rows()
    for names, name, every in ((('server',), 'first_byte', requests), (('server', 'kind'), 'first_byte', requests),
                               (('client_address', 'server'), 'connect_time', analysis.connect_rows())):
        yield from (column(those, name) for _, those in rows.grouped(every, *names))
    yield from (column(requests, name) for name in ('service', 'server_time', 'last_byte', 'response_bytes'))


@unittest.skipUnless(pandas, 'python3-pandas is not installed')
class Pandas(unittest.TestCase):
    def same(self, values):
        theirs, ours = pandas.Series(values, dtype='float64').describe(percentiles=[.25, .5, .75, .95, .99]), describe(values)
        self.assertEqual(theirs['count'], len(values))
        for name, own in ours.items():
            if own is None:
                self.assertTrue(pandas.isna(theirs[name]), name)
            else:
                # pandas adds up floats: its last digits are not exact
                self.assertAlmostEqual(theirs[name], own, delta=1e-9 * max(1, abs(own)), msg=name)

    def test_captures(self):
        for path in sorted(CAPTURES.rglob('*.pcap')):
            with self.subTest(path.name):
                for values in groups(analyse(path)):
                    self.same(values)

    def test_corners(self):
        for values in ([], [7], [1, 2], [3, 3, 3], list(range(101)), [0, 10**12], [5, 1, 4, 1, 3]):
            with self.subTest(values):
                self.same(values)


if __name__ == '__main__':
    unittest.main()
