# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures at several points: every capture in captures/kernel/ through every check of Case, against tests/reference/sightings.py, which
reads the bytes.
"""
import collections
import functools
import json
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile

import json_lines
from context import every_capture, quick
from outline import Group
from reading import WIDE, Reading, figure, rows, split
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import latency as reference  # noqa: E402
import sightings  # noqa: E402
from compare import actual_frames, differences, expected_frames, nanoseconds  # noqa: E402

FIELDS = ['latency.stage', 'latency.stage.time', 'latency.path.time', 'latency.path.first_in', 'latency.path.prev_in',
          'latency.process.pid', 'latency.process.tid', 'latency.process.name']
REQUEST_FIELDS = ['latency.request', 'latency.response_in', 'latency.request_in', 'latency.first_byte', 'latency.service',
                  'latency.elapsed', 'latency.last_byte', 'latency.request_bytes', 'latency.response_bytes', 'latency.outcome',
                  'latency.connect.time', 'latency.connect.result', 'latency.network.client', 'latency.network.server']
FRAMES = ['latency.response_in', 'latency.request_in', 'latency.connect.syn_in']
TABLES = ['stages', 'paths', 'kernel']
AT_ONCE = {'threads'}  # captures of which several connections begin at once
EVERYTHING = 2**32


class Case:
    def __init__(self, wireshark, path, ports):
        self.wireshark, self.path, self.ports = wireshark, path, ports
        self.reading = Reading(wireshark, path, fields=FIELDS)

    @functools.cached_property
    def sightings(self):
        return sightings.read_sightings(self.path, option_8=tuple(map(int, self.wireshark.version.split('.'))) >= (4, 6))

    @functools.cached_property
    def by_number(self):
        return {each.number: each for each in self.sightings}

    def expected(self, two_passes):
        processes = sightings.spread_processes(self.sightings, 'all' if two_passes else None)
        active = len({each.point for each in self.sightings}) > 1 or any(
            each.process or each.tracking or each.record.packet_id is not None for each in self.sightings)
        frames = {}
        for each in self.sightings if active else []:
            known = EVERYTHING if two_passes else each.number
            before, first, process = each.path.before(each, known), each.path.first(known), processes[each.number]
            fields = frames[each.number] = {}
            if before:
                fields.update({'latency.stage': f'{before.point}→{each.point}', 'latency.stage.time': each.time - before.time,
                               'latency.path.time': each.time - first.time, 'latency.path.first_in': first.number,
                               'latency.path.prev_in': before.number})
            if process:
                fields.update({f'latency.process.{name}': value for name, value in process._asdict().items() if value is not None})
        return {number: fields for number, fields in frames.items() if fields}

    def compare(self, two_passes, *arguments):
        shown = self.wireshark.fields(self.path, FIELDS, '-2', *arguments) if two_passes else self.reading.frames
        actual = {number: {name: texts[0] for name, texts in fields.items()} for number, fields in shown.items() if fields}
        found, expected = [], self.expected(two_passes)
        for number in sorted(set(expected) | set(actual)):
            for name in FIELDS:
                want, got = expected.get(number, {}).get(name), actual.get(number, {}).get(name)
                if got is not None and 'time' in name:
                    got = nanoseconds(got)
                elif got is not None and isinstance(want, int):
                    got = int(got)
                if want != got:
                    found.append(f'frame {number} {name}: expected {want}, got {got}')
        return found[:6]

    @quick
    def check_one_pass(self):
        return self.compare(False)

    @quick
    def check_json(self):
        return json_lines.check_schema(self.reading.lines)

    def check_two_passes(self):
        return self.compare(True)

    def check_whatever_wireshark_takes_for_a_stream(self):
        found = []
        for preference in ('tcp.analyze_sequence_numbers:FALSE', 'conversation.deinterlacing:TRUE', 'ip.defragment:FALSE',
                           'tcp.desegment_tcp_streams:FALSE', 'protocols.conversation_deinterlacing_key:.MI'):
            if self.wireshark.run('tshark', '-o', preference, '-r', self.path, '-c', 1).returncode == 0:  # else it has none such
                found += self.compare(True, '-o', preference)
        return found

    def check_no_path_mixes_packets(self):
        """As the plugin has it: all that a path has lies within its largest sighting, goes one way, and no time is negative."""
        shown = self.wireshark.fields(self.path, FIELDS, '-2')
        members = collections.defaultdict(list)
        for number, fields in shown.items():
            if number in self.by_number:
                members[int(fields.get('latency.path.first_in', [number])[0])].append(self.by_number[number])
        found = [f'frame {number}: {text}' for number, fields in shown.items() for texts in fields.values() for text in texts
                 if text.startswith('-')]
        for first, path in members.items():
            if any(each.start is None for each in path):
                continue
            widest = max(path, key=lambda each: each.end - each.start)
            found += [f'frames {first} and {each.number} are not one packet' for each in path
                      if not widest.contains(each) or each.way != widest.way]
        return found[:6] if members else ['no packets']

    @functools.cached_property
    def chosen(self):
        """The one frame of each packet that counts; none of a datagram."""
        sightings.choose_traffic(self.sightings)
        return [each.number for each in self.sightings if each.traffic]

    def check_requests(self):
        """They are those of the chosen frames, as if the capture had no other."""
        chosen = self.chosen
        with tempfile.TemporaryDirectory() as folder:
            less = pathlib.Path(folder) / 'less.pcapng'
            subprocess.run(['editcap', '-r', self.path, less, *map(str, chosen)], check=True, capture_output=True)
            less.chmod(0o644)
            pathlib.Path(folder).chmod(0o755)
            times = [self.by_number[number].time for number in chosen]
            if times == sorted(times) and self.path.stem not in AT_ONCE:
                analysis = reference.analyse(less, reference.Options(known_ports=self.ports()))
                frames = expected_frames(analysis.frames())
            else:  # a SYN after its connection's payload begins no attempt in the reference, which numbers requests before it is known what a connection speaks
                frames = actual_frames(self.wireshark.fields(less, REQUEST_FIELDS, '-2'))
        expected = {chosen[number - 1]: {name: [chosen[value - 1] for value in values] if name in FRAMES else values
                                         for name, values in fields.items() if name in REQUEST_FIELDS}
                    for number, fields in frames.items()}
        expected = {number: fields for number, fields in expected.items() if fields}
        return differences(expected, actual_frames(self.wireshark.fields(self.path, REQUEST_FIELDS, '-2')))

    @functools.cached_property
    def in_two_passes(self):
        taps = (word for name in TABLES for word in ('-z', f'latency,{name}'))
        return split(self.wireshark.tshark('-q', '-2', '-t', 'e', *WIDE, '-r', self.path, *taps))

    def rows(self, name):
        """Cells of a table as text, by row."""
        return rows(self.reading.tables[f'latency,{name}'])

    def check_tables_in_two_passes(self):
        return [f'{name}: one pass and two differ' for name in TABLES
                if self.reading.tables[f'latency,{name}'] != self.in_two_passes[f'latency,{name}']]

    @quick
    def check_stages_table(self):
        times = collections.defaultdict(list)
        for number, fields in self.expected(True).items():
            if 'latency.stage' in fields:
                direction = self.by_number[number].direction or '-'
                times[fields['latency.stage'], direction].append(fields['latency.stage.time'] / 1000)
        found, actual = [], {(row[0], row[1]): row for row in self.rows('stages')}
        if set(actual) != set(times):
            return [f'rows {set(actual) ^ set(times)}']
        for key, values in times.items():
            row = actual[key]
            want = {2: len(values), 3: statistics.mean(values), 5: min(values), 11: max(values)}
            if len(values) > 1:
                want[4] = statistics.stdev(values)
                want[7] = statistics.median(values)
            found += [f'{key} column {column}: expected {value}, got {row[column]}' for column, value in want.items()
                      if abs(figure(row[column]) - value) > 0.0006]
        return found

    @quick
    def check_kernel_table(self):
        """Parts add up to the total, and none is negative."""
        found = []
        for row in self.rows('kernel'):
            if row[2] == '0':
                continue
            *parts, total = map(figure, row[5:])
            if min(parts) < 0 or abs(sum(parts) - total) > 0.0006 * (len(parts) + 1):
                found.append(f'{row}: {sum(parts)}')
        return found

    @quick
    def check_paths_table(self):
        """A row for each packet and direction; what it names a process of is one that the frames name."""
        expected = collections.Counter((each.direction or '-') for each in
                                       {(id(each.path), each.direction): each for each in self.sightings}.values())
        paths = self.rows('paths')
        found = [] if not self.expected(True) or collections.Counter(row[4] for row in paths) == expected else [f'{len(paths)} rows, expected {expected}']
        found += [f'negative: {row}' for row in paths if re.search(r'(^|\|| )-\d', '|'.join(row[1:]))]
        for row in paths:
            path = self.by_number[int(row[1])].path
            named = {str(each.process.pid) for each in path.sightings if each.process and (each.direction or '-') == row[4]}
            if named and row[3] not in named:
                found.append(f'{row}: expected one of {named}')
        return found

    def check_any_order(self):
        numbers = [each.number for each in self.sightings][-100:][::-1]
        text = self.wireshark.tshark('-2', '-r', self.path, '-V')
        shown, number = collections.defaultdict(list), 0
        for line in text.splitlines():
            if line.startswith('Frame ') or line.startswith('PCAPNG Custom Block'):
                number += 1
                inside = False
            elif not line.startswith(' '):
                inside = line.startswith('[Latency')
            if number and inside:
                shown[number].append(line.strip().strip('[]'))
        found = []
        for number, labels in zip(numbers, self.wireshark.sharkd_labels(self.path, numbers)):
            labels = [label.strip().strip('[]') for label in labels]
            if labels != shown[number]:
                found.append(f'frame {number}: sharkd {labels}, tshark -2 {shown[number]}')
        return found[:3] if shown or not self.expected(True) else ['nothing is shown']


LOSSES = {0: 5, 1: 40, 2: 7}  # by seconds since the begin


def with_losses(source, path):
    """The recording eight times as slow, as if the recorder had lost sightings before some of its records, and then recorded one connection in four.
    All records of the last second but its first are gone, too."""
    data, out, at, begin, done = source.read_bytes(), bytearray(), 0, None, set()
    while at < len(data):
        kind, size = struct.unpack_from('<II', data, at)
        block, at = data[at:at + size], at + size
        if kind != 6:
            out += block
            continue
        high, low, captured = struct.unpack_from('<III', block, 12)
        begin = begin or high << 32 | low
        time = begin + 8 * ((high << 32 | low) - begin)
        second = (time - begin) // 10**9
        block = block[:12] + struct.pack('<II', time >> 32, time & 0xffffffff) + block[20:]
        if second in done and second == max(LOSSES):
            continue
        if second in LOSSES and second not in done:
            done.add(second)
            note = b'Sample: 1/4' if second else b'Lost: 5 at rx:ip'
            options = struct.pack('<HHQ', 4, 8, LOSSES[second]) + struct.pack('<HH', 1, len(note)) + note + bytes(-len(note) % 4)
            head = 28 + (captured + 3 & ~3)
            block = block[:head] + options + block[head:-4]
            block = block[:4] + struct.pack('<I', len(block) + 4) + block[8:] + struct.pack('<I', len(block) + 4)
        out += block
    path.write_bytes(out)
    path.chmod(0o644)
    return done


def check_losses(wireshark, merge):
    """The tables say what is lacking, second by second; so do the JSON lines, and latency-merge of them."""
    source = ROOT / 'captures/kernel/memcached-6.12.pcapng'
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder).chmod(0o755)
        path = pathlib.Path(folder) / 'lossy.pcapng'
        done = with_losses(source, path)
        lost = sum(LOSSES[second] for second in done)
        tables = split(wireshark.tshark('-q', '-t', 'e', *WIDE, '-r', path, *(word for name in TABLES for word in ('-z', f'latency,{name}'))))
        seen = len(sightings.read_sightings(path))
        share = f'{seen} sightings, {lost} lost by the recorder ({100 * lost / (seen + lost):.2g} %), of 1 connection in 1 to 4.'
        found = [f'{name}: no "{share}"' for name in TABLES if share not in tables[f'latency,{name}']]
        seconds = rows(tables['latency,kernel'])
        if [figure(row[4]) for row in seconds] != [LOSSES[second] for second in sorted(done)]:
            found.append(f'seconds: {seconds}')
        if seconds[-1][1:4] != ['-', '0', '0']:
            found.append(f'a second without requests: {seconds[-1]}')
        lines = wireshark.tshark('-q', '-r', path, '-z', 'latency,json,-')
        head = json.loads(lines.splitlines()[0])
        if [head.get(name) for name in ('sightings', 'sightings_lost', 'sample_least', 'sample_most')] != [seen, lost, 1, 4]:
            found.append(f'JSON: {head}')
        (pathlib.Path(folder) / 'lossy.json').write_text(lines)
        merged = subprocess.run([merge, pathlib.Path(folder) / 'lossy.json'], capture_output=True, text=True)
        return found + ([] if share in merged.stdout else [merged])


def cases(context, path):
    case = Case(context.wireshark, ROOT / 'captures' / path, lambda: context.known_ports)
    for name, check in context.checks(case):
        if name != 'requests' or case.chosen:
            yield name, check


def groups(context):
    yield Group('losses', lambda: [('are told', lambda: check_losses(context.wireshark, context.merge))])
    for path in every_capture('kernel'):
        if context.wants(path):
            yield Group(path, functools.partial(cases, context, path))
