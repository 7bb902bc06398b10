# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares one capture's fields with the independent reference (tests/reference)."""
import functools
import sys
import xml.etree.ElementTree

import json_lines
import vocabulary
from context import quick
from reading import Reading
from tables import Tables
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import latency as reference  # noqa: E402
from pcapfile import read_frames  # noqa: E402

RESULTS, TLS_RESULTS, OUTCOMES = (vocabulary.words(f'{name}_LIST') for name in ('CONNECT_RESULT', 'TLS_RESULT', 'OUTCOME'))
TIMES = ['first_byte', 'service', 'request_spread', 'server_time', 'elapsed', 'last_byte', 'transfer', 'spacing', 'waited',
         'connect.time', 'network.server', 'network.client', 'tls.hello', 'tls.handshake']
NUMBERS = ['request', 'response_in', 'request_in', 'request_bytes', 'response_bytes', 'byte_offset', 'ipid.delta',
           'connect.syn_retries', 'connect.syn_in', 'tls.hello_in']
FLAGS = ['reordered', 'flags.ipid_gap', 'flags.out_of_order', 'flags.retransmission', 'flags.short', 'flags.after_short',
         'flags.chunk_boundary', 'tls.resumed', 'tls.retried']
TEXTS = ['tls.sni', 'tls.alpn', 'tls.alpn.chosen', 'tls.version', 'tls.alert']
FIELDS = [f'latency.{name}' for name in TIMES + NUMBERS + FLAGS + TEXTS + ['operation', 'outcome', 'connect.result', 'tls.result']]


def nanoseconds(text):
    seconds, _, fraction = text.partition('.')
    return int(seconds) * 10**9 + int(fraction.ljust(9, '0'))


def value_of(field, text):
    name = field.removeprefix('latency.')
    if name in TIMES:
        return nanoseconds(text)
    if name in NUMBERS:
        return int(text)
    if name in FLAGS:
        return True
    if name == 'outcome':
        return OUTCOMES[int(text)]
    if name == 'connect.result':
        return RESULTS[int(text)]
    if name == 'tls.result':
        return TLS_RESULTS[int(text)]
    return text


def actual_frames(frames):
    return {number: {field: [value_of(field, text) for text in texts] for field, texts in fields.items()}
            for number, fields in frames.items() if fields}


def expected_frames(items_by_frame):
    """False flags and empty operations stand nowhere."""
    frames = {}
    for number, items in items_by_frame.items():
        fields = {}
        for item in items:
            for field in FIELDS:
                value = item.get(field)
                if value is not None and value is not False and value != '':
                    fields.setdefault(field, []).append(value)
        if fields:
            frames[int(number)] = fields
    return frames


def differences(expected, actual, most=6):
    found = []
    for number in sorted(number for number in {*expected, *actual} if expected.get(number) != actual.get(number)):
        for field in FIELDS:
            want, got = expected.get(number, {}).get(field), actual.get(number, {}).get(field)
            if want != got:
                found.append(f'frame {number} {field}: expected {want}, got {got}')
    return found[:most] + ([f'… and {len(found) - most} more'] if len(found) > most else [])


class Case:
    """One line of captures.list."""

    def __init__(self, wireshark, path, options, known_ports):
        self.wireshark, self.path, self.options, self.known_ports = wireshark, ROOT / 'captures' / path, options, known_ports
        self.preferences = [word for name in ('full_sizes', 'server_ports', 'chunk_size', 'timeout', 'messages') if name in options
                            for word in ('-o', f'latency.{name}:{options[name]}')]
        self.reading = Reading(wireshark, self.path, *self.preferences, fields=FIELDS)
        self.tables = Tables(wireshark, self.path, self.preferences, self.reading)

    @functools.cached_property
    def settings(self):
        lists = {name: [int(word) for word in self.options[name].split(',')] for name in ('full_sizes', 'server_ports') if name in self.options}
        return reference.Options(known_ports=self.known_ports(), chunk_size=int(self.options.get('chunk_size', 9000)),
                                 timeout=float(self.options.get('timeout', 0)), **lists)

    @functools.cached_property
    def analysis(self):
        return reference.analyse(self.path, self.settings, one_pass=True)

    @functools.cached_property
    def one_pass(self):
        return expected_frames(self.analysis.frames(True))

    @functools.cached_property
    def two_passes(self):
        return expected_frames(self.analysis.frames())

    @functools.cached_property
    def times(self):
        return [frame.time for frame in read_frames(self.path)]

    def fields(self, *arguments):
        if not arguments:
            return actual_frames(self.reading.frames)
        return actual_frames(self.wireshark.fields(self.path, FIELDS, *self.preferences, *arguments))

    @quick
    def check_one_pass(self):
        return differences(self.one_pass, self.fields())

    @quick
    def check_json(self):
        """The JSON lines, member by member."""
        return json_lines.check(self, self.reading.lines)

    def check_fields_alone(self):
        """The same without tables and JSON beside them."""
        alone = self.wireshark.fields(self.path, FIELDS, *self.preferences)
        return [] if alone == self.reading.frames else differences(self.fields(), actual_frames(alone)) or ['an empty field']

    def check_two_passes(self):
        return differences(self.two_passes, self.fields('-2'))

    def check_display_filter(self):
        """The frames a filter passes carry what they carry without it; a filter on our field passes the right ones."""
        expected = {number: fields for number, fields in self.two_passes.items() if 'latency.request' in fields}
        found = differences(expected, self.fields('-2', '-Y', 'latency.request'))
        return found + differences(self.one_pass, self.fields('-Y', 'tcp or icmp or icmpv6'))

    def check_columns(self):
        """Custom columns, without anything else that would build a protocol tree."""
        columns = ['latency.first_byte', 'latency.elapsed', 'latency.request', 'latency.operation', 'latency.byte_offset']
        layout = ['"No.","%m"'] + [f'"{name}","%Cus:{name}:0:R"' for name in columns]
        text = self.wireshark.tshark('-r', self.path, *self.preferences, '-T', 'psml',
                                     '-o', 'gui.column.format:' + ','.join(layout))
        found = []
        for packet in xml.etree.ElementTree.fromstring(text).findall('packet'):
            number, *cells = [section.text or '' for section in packet.findall('section')]
            for name, cell in zip(columns, cells):
                want = self.one_pass.get(int(number), {}).get(name, [])
                if name == 'latency.operation':
                    want, got = ','.join(want), cell
                else:
                    got = [value_of(name, part) for part in cell.split(',')] if cell else []
                if want != got:
                    found.append(f'frame {number} column {name}: expected {want}, got {got}')
        return found[:6]

    def check_nothing_else_changed(self):
        """tshark -V with the plugin, less our part, is tshark -V without it; Channel Access is all ours."""
        found = []
        for arguments in (['-V'], ['-V', '-2'], ['-T', 'fields', '-e', 'frame.protocols', '-e', 'tcp.stream', '-e', '_ws.col.Info'], []):
            without = self.wireshark.plain(self.path, *arguments).splitlines()
            with_plugin = without_latency(self.wireshark.tshark('-r', self.path, '--disable-protocol', 'ca', *arguments).splitlines())
            if without != with_plugin:
                pair = next((a, b) for a, b in zip(without + [''], with_plugin + ['']) if a != b)
                found.append(f'tshark {" ".join(arguments)}: {pair[0]!r} became {pair[1]!r}')
        return found

    def check_connects_against_plain_tshark(self):
        """SYN to the first SYN-ACK or RST from the other side, stream by stream, as tshark without the plugin has them."""
        names = ['tcp.stream', 'tcp.flags', 'frame.time_epoch', 'tcp.srcport', 'tcp.seq_raw']
        streams = {}
        for fields in self.wireshark.fields(self.path, names, '-Y', 'tcp and not icmp and not icmpv6', plugin=False).values():
            stream, flags, time, port, seq = (fields[name][0] for name in names)
            flags, time = int(flags, 16), nanoseconds(time)
            if flags & SYN_ACK == SYN and stream not in streams:
                streams[stream] = {'port': port, 'begun': time, 'time': None}
            attempt = streams.get(stream)
            if attempt and attempt['time'] is None and port != attempt['port'] and (flags & SYN or flags & RST):
                attempt['time'] = max(time - attempt['begun'], 0)
        expected = [stream['time'] for stream in streams.values()]
        rows = self.analysis.connect_rows()
        actual = [row['connect_time'] if row['result'] != 'unreachable' else None for row in rows]
        shown = self.fields()
        times = sorted(fields['latency.connect.time'][0] for fields in shown.values()
                       if fields.get('latency.connect.result') in (['accepted'], ['refused']))
        found = [] if sorted(time for time in expected if time is not None) == times else [f'{expected} became {times}']
        return found + ([] if len(expected) == len(actual) else [f'{len(expected)} streams with a SYN, {len(actual)} attempts'])

    def check_any_order(self, chosen=lambda numbers: sorted(numbers, reverse=True)[-200:]):
        """Frames visited backwards, or as chosen, by sharkd, read as in the second pass of tshark."""
        text = self.wireshark.tshark('-2', '-r', self.path, *self.preferences, '-V')
        expected, number = {}, 0
        for line in text.splitlines():
            if line.startswith('Frame '):
                number = int(line.split()[1].rstrip(':'))
                ours = expected[number] = []
                inside = False
            elif not line.startswith(' '):
                inside = line.startswith('[Latency')
            if inside:
                ours.append(line.strip().strip('[]'))
        numbers = chosen(list(expected))
        found = []
        for number, labels in zip(numbers, self.wireshark.sharkd_labels(self.path, numbers, self.preferences)):
            labels = [label.strip().strip('[]') for label in labels]
            if labels != expected[number]:
                found.append(f'frame {number}: sharkd {labels}, tshark -2 {expected[number]}')
        return found[:3] if numbers else ['no frames']


SYN, RST, SYN_ACK = 0x02, 0x04, 0x12


def without_latency(lines):
    """Drops our tree: a line that begins with [Latency and what is indented below it."""
    kept, ours = [], False
    for line in lines:
        if line.startswith('[Latency'):
            ours = True
        elif not (ours and line.startswith(' ')):
            ours = False
            kept.append(line)
    return kept
