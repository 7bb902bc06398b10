# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the reference against what tests/unit/scenarios says of each frame, worked out by hand: the lines that the core is held against."""
import collections
import re
import subprocess
import tempfile

import latency
from pcapfile import read_frames
from request import FLAGS
from segments import ACK, SYN

OF_FRAME = re.compile(r'\+?\d[\d.]* +[<>]|dup\b|icmp\b')
# Of these the core reads messages, or an IP fragment by itself. The reference knows turns alone, and puts fragments together.
OTHERWISE = {'continuity-fragment', 'opening-half-closed', 'opening-missing', 'opening-recognised', 'request-after-reset', 'request-fast-open-http', 'request-mid-stream-preceded', 'request-role-by-message',
             'request-role-by-status', 'request-upgrade-greeted', 'request-waits'}
# Of these the core waits for what tells messages apart, and does not show yet what a turn is.
HELD_BY_MESSAGES = {'opening-turn', 'request-farewell', 'request-keep-alive-first', 'request-one-byte'}
FIRST = {name: name for name in ('first_byte', 'service', 'request_spread', 'server_time', 'request_bytes')}
ANSWER = {'connect_time': 'connect.time', 'connect_result': 'connect.result', 'syn_retries': 'connect.syn_retries', 'network_server': 'network.server'}
SHOWN = {'request': 'request', 'operation': 'operation', 'spacing': 'spacing', 'byte_offset': 'byte_offset', 'ipid_delta': 'ipid.delta', 'flags': 'flags'}
OF_REQUEST = {*FIRST, 'last_byte', 'transfer', 'wait', 'response_bytes', 'retransmissions', 'reordered', 'outcome'}
COUNTS = {'attempts': 'attempts', 'duplicates': 'duplicate_frames', 'unsolicited': 'unsolicited_frames'}
SETTINGS = {'server_ports': latency.numbers, 'known_ports': latency.numbers, 'full_sizes': latency.numbers, 'chunk_size': int, 'timeout': float}


def words(line):
    """{key: value}; an operation is the rest of its line."""
    line, found, operation = line.partition('operation=')
    return {**dict(word.split('=') for word in line.split()), **({'operation': operation} if found else {})}


def read(path):
    """Settings, and by frame the lines about it: (`held`, `later` or nothing, {key: value})."""
    settings, lines, frame = {}, collections.defaultdict(list), 0
    for line in path.read_text().splitlines():
        kind, rest = line[:2], line[2:]
        if kind == '! ':
            name, value = rest.replace('registered_ports', 'known_ports').split()
            settings[name] = SETTINGS[name](value)
        elif kind == '? ':
            mark = next((mark for mark in ('held', 'later') if rest.split(' ')[0] == mark), '')
            lines[frame].append((mark, words(rest[len(mark):])))
        elif OF_FRAME.match(line):
            frame += 1
    return latency.Options(**settings), lines


class Analysis(latency.Analysis):
    """Remembers of each frame its connection and segment, and whether it is a duplicate, or a SYN sent again."""

    def __init__(self, options):
        super().__init__(options, True)
        self.taken, self.copies, self.again = {}, set(), set()

    @staticmethod
    def _syns_again(connection):
        return connection.attempt and connection.attempt.retries + connection.attempt.refused

    def _taken(self, connection, segment, item, attempt):
        copies, again = self.duplicates, self._syns_again(connection)
        super()._taken(connection, segment, item, attempt)
        self.taken[segment.frame] = connection, segment
        self.copies.update([segment.frame] if self.duplicates > copies else [])
        self.again.update([segment.frame] if segment.flags & (SYN | ACK) == SYN and again not in (None, self._syns_again(connection)) else [])

    def _quoted(self, segment, item):
        super()._quoted(segment, item)
        self.taken[segment.frame] = self.connections.get(self._key(segment)), segment


class Frame:
    """What the reference has of a frame at the end of the capture."""

    def __init__(self, analysis, number, fields):
        self.analysis, self.number, self.fields = analysis, number, fields
        self.connection, self.segment = analysis.taken.get(number, (None, None))
        self.payload = next((item.payload for item in analysis.items if item.frame == number), None)

    @property
    def kinds(self):
        """Of its items, as lines call them."""
        if self.number in self.analysis.copies:
            return ['duplicate']
        found = ['syn'] * any(attempt.segment.frame == self.number for attempt in self.analysis.attempts) + ['syn_again'] * (self.number in self.analysis.again)
        found += ['answer'] * ('connect.syn_in' in self.fields) + ['ack'] * ('network.client' in self.fields)
        if 'request' in self.fields:
            found.append('response' if 'request_in' in self.fields else 'request')
        elif self.payload:
            found.append('unsolicited' if self.payload.is_unsolicited else 'stray')
        return found or ['none']

    def value(self, key):
        if key in OF_REQUEST:
            return next((row['last_byte' if key == 'wait' else key] for row in self.analysis.request_rows() if row['request'] == self.fields.get('request')), 'no request')
        if key in COUNTS:
            return latency.rows.sums(self.analysis)[COUNTS[key]]
        if key == 'behaviour':
            steps = self.connection.senders[self.segment.src, self.segment.sport].steps
            return steps.behaviour() if steps.total else 'unknown'
        if key in ('network_server', 'network_client'):
            return getattr(self.connection, key)
        if key in ANSWER:
            name = {'connect_result': 'result'}.get(key, key)
            return next((row[name] for row in self.analysis.connect_rows() if row['connection'] == self.connection.number), 'no attempt')
        return ('no' if 'spacing' in self.fields else 'yes') if key == 'first' else shown(self.fields, SHOWN[key])


def shown(fields, name):
    if name == 'flags':
        return {flag for flag in FLAGS if fields.get(f'flags.{flag}')} | ({'reordered'} if fields.get('reordered') else set())
    return fields.get(name)


def is_said(text, value):
    """Whether a line's text is the value: times there are seconds, and there is no other number with a point."""
    if isinstance(value, set):
        return value == (set() if text == 'none' else set(text.split(',')))
    if isinstance(value, bool):
        return text == ('yes' if value else 'no')
    if value is None:
        return text == 'none'
    if isinstance(value, str):
        return value.replace(' ', '_') == text.replace(' ', '_')
    return text not in ('none', 'yes', 'no') and (text == str(value) or round(float(text) * 10**9) == value)


def wrong_early(fields, line, mark, by_messages):
    """Of what can be known when the frame is taken."""
    names = dict(SHOWN)
    if 'request_in' in fields and 'spacing' not in fields:
        names.update(FIRST)
    if 'connect.syn_in' in fields:
        names.update(ANSWER)
    if mark == 'held' and 'request' in fields and not by_messages:
        yield f'belongs to request {fields["request"]}, and is to be held'
    for key, text in line.items():
        if key in names and not is_said(text, shown(fields, names[key])):
            yield f'{key} is {shown(fields, names[key])} at once, not {text}'


def wrong(frame, lines):
    """Of what is known in the end."""
    items = [line['item'] for line in lines if 'item' in line]
    if len(items) == len(lines) and sorted(items) != sorted(frame.kinds):
        yield f'is {", ".join(frame.kinds)}, not {", ".join(items)}'
    for line in lines:
        for key, text in line.items():
            if key != 'item' and not is_said(text, frame.value(key)):
                yield f'{key} is {frame.value(key)}, not {text}'


def named(frames, number):
    """A frame's fields without the protocol's name."""
    return {name.removeprefix('latency.'): value for items in frames.get(number, []) for name, value in items.items()}


def differences(program, path):
    options, lines = read(path)
    with tempfile.NamedTemporaryFile(suffix='.pcap') as capture:
        subprocess.run([program, path, capture.name], check=True, capture_output=True)
        analysis = Analysis(options)
        for frame in read_frames(capture.name):
            analysis.add(frame)
    for connection in analysis.all_connections:
        analysis.finish(connection)
    early, late = analysis.frames(True), analysis.frames()
    for number, said in lines.items():
        last = [line for mark, line in said if mark != 'held']
        yield from (f'frame {number}: {each}' for each in wrong(Frame(analysis, number, named(late, number)), last))
        first = [(mark, line) for mark, line in said if mark != 'later' and (mark == 'held' or said[0][0] != 'held')]
        if len(first) == 1:  # what several items share a frame for is in the fields of one
            yield from (f'frame {number}: {each}' for mark, line in first for each in wrong_early(named(early, number), line, mark, path.stem in HELD_BY_MESSAGES))


def problems(program, path):
    """One of OTHERWISE that says the same does not belong there."""
    found = list(differences(program, path))
    return found if path.stem not in OTHERWISE else [] if found else ['the reference says the same: it does not belong to OTHERWISE']
