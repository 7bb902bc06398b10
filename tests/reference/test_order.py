#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves the model of what is held (order.py): what each frame is when it is taken, and what it is once it has been read."""
import unittest

from test_reference import MS, Talk, flags, named


def begun(answered=30):
    """Frames 1 to 5: the request is answered with 100 bytes."""
    return Talk().handshake().c(20, payload=100).s(answered, payload=100)


def held(talk):
    """The frames with payload that belong to no request when they are taken, but to one in the end."""
    analysis = talk.analyse(one_pass=True)
    early, final = analysis.frames(True), analysis.frames()
    return [number for number, (item,) in final.items()
            if 'latency.request' in item and 'latency.request' not in early.get(number, [{}])[0]]


def bytes_of(talk):
    return [(row['frame'], row['request_bytes'], row['response_in'], row['response_bytes']) for row in talk.analyse().request_rows()]


class Held(unittest.TestCase):
    def test_acknowledged_before_it_is_known(self):
        """A request is captured before the SYN-ACK: what it acknowledges is known when that has come."""
        talk = Talk().c(0, 'S').c(1, payload=20, seq=29, ack=6).s(2, 'SA').c(3, 'A', seq=1).c(4, payload=28, seq=1)
        talk.s(5, payload=5, ack=29).s(6, payload=19)
        self.assertEqual(bytes_of(talk), [(5, 28, 6, 5), (2, 20, 7, 19)])

    def test_before_what_was_read_first(self):
        """Without a handshake: of a response's three frames the last was captured first."""
        talk = Talk().s(0, payload=700, seq=1400, ack=10).c(1, payload=10, seq=0, ack=0).s(2, payload=700, seq=0).s(3, payload=700, seq=700)
        self.assertEqual(bytes_of(talk), [(2, 10, 3, 1400)])

    def test_what_just_acknowledges(self):
        """When a hole is given up, what is acknowledged only then is waited for on its own."""
        talk = begun().s(31, payload=50, seq=301).c(33, 'A', ack=201).c(400, 'A', ack=351).s(401, payload=200, seq=101)
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 350)])

    def test_what_a_held_frame_shows(self):
        talk = begun().s(31, payload=50, seq=201, ident=510)
        (item,) = talk.analyse(one_pass=True).frames(True)[6]
        self.assertEqual(named(item, 'request', 'elapsed', 'byte_offset', 'spacing', 'ipid.delta'), (None, None, None, MS, 7))
        self.assertEqual(flags(item), ['ipid_gap', 'out_of_order', 'short'])

    def test_filled(self):
        talk = begun().s(31, payload=50, seq=201).s(32, payload=50, seq=251).s(33, payload=100, seq=101).s(34, payload=10)
        self.assertEqual(held(talk), [6, 7])
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 310)])

    def test_first_and_last_frame(self):
        """The first is the first in the capture, the last the latest in time."""
        talk = begun().c(40, payload=100, seq=201).c(41, payload=100, seq=101).s(50, payload=10, seq=111).s(51, payload=10, seq=101)
        (first, second) = talk.analyse().request_rows()
        self.assertEqual((first['last_in'], second['frame'], second['response_in'], second['last_in']), (5, 6, 8, 9))
        self.assertEqual((second['first_byte'], second['service'], second['last_byte']), (10 * MS, 9 * MS, 11 * MS))

    def test_sent_again_while_held(self):
        talk = begun().s(31, payload=50, seq=201).s(32, payload=50, seq=201).s(33, payload=100, seq=101)
        self.assertEqual(held(talk), [6, 7])
        self.assertEqual(talk.analyse().request_rows()[0]['retransmissions'], 1)
        self.assertEqual(named(talk.analyse().frames()[7][0], 'spacing', 'reordered'), (MS, None))

    def test_answer_before_request(self):
        talk = begun().s(40, payload=10, ack=201).c(41, payload=100).s(42, payload=10)
        self.assertEqual(held(talk), [6])
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 100), (7, 100, 6, 20)])

    def test_both_sides(self):
        """The client's second request overtook its first; the answers to both wait."""
        talk = begun().c(40, payload=10, seq=111).s(50, payload=20, ack=111).s(51, payload=30, ack=121).c(60, payload=10, seq=101)
        self.assertEqual(held(talk), [6, 7, 8])
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 100), (6, 20, 7, 50)])

    def test_acknowledgement_before_handshake(self):
        """The capture has one behind the first payload before all else of the server."""
        talk = Talk().c(0, 'S').s(9, 'A', seq=200, ack=101).s(10, 'SA', seq=0, ack=1).c(11, 'A', ack=1).c(12, payload=100, ack=1).s(20, payload=200, seq=1)
        self.assertEqual(bytes_of(talk), [(5, 100, 6, 200)])

    def test_without_handshake(self):
        """The server has acknowledged 100 before the client is seen: what it sends at 150 lies behind a hole."""
        talk = Talk().s(0, 'A', seq=1, ack=100).c(1, payload=10, seq=150, ack=1).c(2, payload=50, seq=100, ack=1).s(3, payload=7, seq=1)
        self.assertEqual(held(talk), [2])
        self.assertEqual(bytes_of(talk), [(2, 60, 4, 7)])

    def test_begins_out_of_order(self):
        """Bytes before the first frame seen count as new (docs/measuring.md, New payload)."""
        talk = Talk().c(0, payload=10, seq=11, ack=1).c(1, payload=10, seq=1, ack=1).s(2, payload=7, seq=1)
        self.assertEqual(held(talk), [])
        self.assertEqual(bytes_of(talk), [(1, 20, 3, 7)])


class Gap(unittest.TestCase):
    def test_time(self):
        """Acknowledged at 72 ms."""
        talk = begun(70).s(71, payload=50, seq=201).c(72, 'A').s(371.999, payload=10).s(372, payload=10)
        self.assertEqual(held(talk), [6, 8])

    def test_segments(self):
        talk = begun().s(31, payload=50, seq=201).c(32, 'A')
        for at in range(64):
            talk.s(33 + at, payload=10)
        self.assertEqual(held(talk), [6, *range(8, 71)])

    def test_not_acknowledged(self):
        talk = begun().s(31, payload=50, seq=201).c(32, 'A', ack=101).s(9000, payload=10).s(9001, payload=100, seq=101)
        self.assertEqual(held(talk), [6, 8])
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 260)])

    def test_only_one_side(self):
        """Of a client that the capture does not have nobody knows what it acknowledged: 300 ms from when the hole was seen."""
        talk = Talk().s(0, payload=10, seq=1, ack=1).s(1, payload=10, seq=21, ack=1).s(301, payload=10, seq=31, ack=1)
        early = talk.analyse(one_pass=True)
        self.assertEqual([bool(item.payload.read) for item in early.items], [True] * 3)
        self.assertEqual([item.early != {} for item in early.items], [False, True, False])

    def test_lost_request(self):
        """What the server says to a request that the capture does not have goes on with the response before."""
        talk = begun().s(40, payload=40, ack=201).c(100, payload=10, seq=201).s(110, payload=20, ack=211)
        self.assertEqual(held(talk), [6, 7, 8])
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 140), (7, 10, 8, 20)])

    def test_late_bytes(self):
        """Of a gap inside a response, and of one between two requests."""
        talk = begun(70).s(71, payload=50, seq=201).c(72, 'A').s(400, payload=10).s(401, payload=100, seq=101)
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 160)])
        self.assertNotIn('latency.request', talk.fields().get(9, {}))
        talk = begun().c(40, payload=10, seq=201).s(50, payload=10).c(400, 'A').s(401, 'A').c(402, payload=100, seq=101)
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 100), (6, 10, 7, 10)])
        self.assertNotIn(10, talk.fields())

    def test_reset(self):
        talk = begun().s(31, payload=50, seq=201).c(32, 'R').s(33, payload=10)
        self.assertEqual(bytes_of(talk), [(4, 100, 5, 150)])


if __name__ == '__main__':
    unittest.main()
