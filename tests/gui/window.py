#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The profile and the tables in Wireshark's window. The packet list is exported and the tables are saved as CSV, by Wireshark's own menu and
buttons, and must say what tshark says.

window.py PLUGIN.so FOLDER CAPTURE FRAME takes the documents' pictures of the capture and of a frame in it, into that folder, with a list of the
columns that they show (docs/pictures.sh).
"""
import argparse
import collections
import contextlib
import csv
import functools
import itertools
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path[1:1] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ('cases', 'lua')]
from outline import Group, Skipped  # noqa: E402

from desktop import CURSOR, HEIGHT, PROFILE, PROFILES, PROGRAMS, ROOT, WIDTH, Desktop, LiveWireshark, Wireshark, difference, output, wait_for
from script import LUA
from window_tables import OF_CALLS, OF_PROTOCOLS, OF_PVACCESS, OF_QUIC, OF_STAGES, TABLES, decimals, mixed_capture, parse, start_of

CAPTURES = ROOT / 'captures/tcp'
REQUESTS, SERVERS, OPERATIONS, CONNECTS, CALLS = (next(table for table in TABLES if table.tap == f'latency,{name}') for name in ('requests', 'servers', 'operations', 'connects', 'calls'))
QUIC = CAPTURES.parent / 'quic/handshakes.pcapng'
SHOP, SLOW_FRAME = CAPTURES / 'shop.pcap', '47'
WHOLE_WIDTH = 1800  # of a table with all its columns
LARGE = 300  # seconds to load the pictures' capture, on a busy machine
RED = 'No response or connection, or broken off'
FORMATTED = REQUESTS  # as XML and YAML too

# What each filter of the profiles finds a frame in, one of them at least; and two made of ca/basic.
FOUND_IN = ('tcp/shop.pcap', 'tcp/http_delays.pcap', 'tcp/http_2m_offload_on_dropped.pcap', 'tcp/connect_refused_unanswered.pcap', 'tcp/tls.pcap', 'framing/http.pcap',
            'generated/rst_unanswered.pcap', 'generated/icmp_unreachable.pcap', 'generated/reordering.pcap', 'ca/unanswered.pcap', 'ca/basic.pcap',
            'ca/multi.pcap', 'pva/basic.pcap', 'pva/cpp.pcap', 'pva/pipeline.pcap', 'kernel/stages-lo.pcapng', 'kernel/memcached-6.12.pcapng')
LEAST_WIDTHS = {profile: {'%m': 80, '%Cus:latency.flags': 110, '%Cus:latency.frame.operation': 220} for profile in ('Latency', 'Latency in the host')}
LEAST_WIDTHS['Latency in the host'] |= {'%Cus:latency.stage': 174, '%Cus:latency.frame.first_byte_ms': 96}  # app:copy→app:recv-ret
LEAST_WIDTHS['EPICS'] = {'%m': 80, '%Cus:ca.frame.status || pva.frame.status': 130,  # CREATE_CH_FAIL
                         **{f'%Cus:ca.frame.{name}_ms || pva.frame.{name}_ms': width for name, width in (('first_value', 110), ('response', 106))}}  # their headings
# What a column needs in the list's font; texts that can be of any length have no widest value.
CHARACTER, MARGIN, LONG = 7, 10, ('Operation', 'PV', 'Flags', 'Info')
# (profile, file, what a line of it begins with)
NAMED = ([(profile, 'dfilter_buttons', f'"TRUE","{name}//> {time}"') for profile in ('Latency', 'Latency in the host') for name in ('duration', 'TTFB') for time in ('1 ms', '10 ms', '100 ms', '1 s')] +
         [(profile, 'dfilter_buttons', f'"TRUE","{name}"') for profile in ('Latency', 'Latency in the host') for name in ('slow', 'errors', 'connects', 'not connected')] +
         [('Latency', file, line) for file, lines in {'io_graphs': ('"Enabled","Duration, average (s)"', '"Enabled","Duration, maximum (s)"', '"Enabled","TTFB, average (s)"', '"Disabled","Errors"', '"Disabled","Connect, maximum (s)"'),
                                                      'plots': ('"TRUE","1","Duration (s)","latency.last_byte', '"TRUE","2","TTFB (s)","latency.first_byte')}.items() for line in lines] +
         [('Latency', 'colorfilters', '@Error response@')] +
         [(profile, 'colorfilters', '@Search for a channel@') for profile in ('Latency', 'EPICS')])


class Tests:
    def __init__(self, desktop):
        self.desktop, self.results = desktop, []

    def check(self, name, problems):
        self.results.append((name, list(problems)))

    def columns(self, profile=PROFILE):
        """Each one's title and fields; Wireshark's own columns have none."""
        text = (profile / 'preferences').read_text()
        columns = re.findall(r'^\t"(.*)", "(?:%Cus:(.+):[01]:R|%\w+)"', text, re.M)
        return [(title, re.findall(r'[\w.]+', fields)) for title, fields in columns]

    def colours(self, profile=PROFILE):
        """By rule: the filter, and the background as pixels() has it."""
        lines = re.findall(r'^@(.*?)@(.*)@\[(\d+),(\d+),(\d+)\]\[', (profile / 'colorfilters').read_text(), re.M)
        return {name: (text, bytes(int(value) >> 8 for value in rgb)) for name, text, *rgb in lines}

    def filters(self, profile):
        """Those of colours, columns, buttons and graphs."""
        found = [text for text, _ in self.colours(profile).values()] + [field for _, fields in self.columns(profile) for field in fields]
        for file, place in ('dfilter_buttons', 2), ('io_graphs', 2), ('io_graphs', 6), ('plots', 3), ('plots', 6):
            lines = [line for line in (profile / file).read_text().splitlines() if not line.startswith('#')]
            found += filter(None, (row[place].replace('\\x22', '"') for row in csv.reader(lines)))
        return found

    def profile(self):
        by_profile = {profile: self.filters(profile) for profile in sorted(PROFILES.iterdir())}
        found = self.found([text for filters in by_profile.values() for text in filters])
        for profile, filters in by_profile.items():
            run = subprocess.run([*self.desktop.user, 'tshark', '-2', '-C', profile.name, '-r', CAPTURES / 'http_delays.pcap', '-Y',
                                  ' || '.join(f'({text})' for text in filters)], capture_output=True, text=True)
            self.check(f'{profile.name}: every filter compiles', [run.stderr] if run.returncode or 'latency' in run.stderr else [])
            widths = re.findall(r'^\t"(?:%Cus:(.+)|%\w+)", \d+', (profile / 'recent').read_text(), re.M)
            columns = [' || '.join(fields) for _, fields in self.columns(profile)]
            self.check(f'{profile.name}: every column has a width', [] if widths == columns else [f'{widths} is not {columns}'])
            wide = {column: int(width) for column, width in re.findall(r'^\t"(%.+)", (\d+)', (profile / 'recent').read_text(), re.M)}
            self.check(f'{profile.name}: widths', [f'{column}: {wide[column]}' for column, least in LEAST_WIDTHS[profile.name].items() if wide.get(column, least) < least])
            widest = self.widest(profile)
            self.check(f'{profile.name}: room for the widest values', [f'{title} ({column}) has {wide[column]} pixels for {len(text)} characters: {text}' for (title, _), column, text
                                                                       in zip(self.columns(profile), wide, widest) if title not in LONG and wide[column] < MARGIN + CHARACTER * len(text)])
            several = re.findall(r'^\t"(.*)", "%Cus:(?:[^"]*_[mu]s):0:R"', (profile / 'preferences').read_text(), re.M)
            self.check(f'{profile.name}: times are those of the first in a frame', several)
            graphs = [row for row in csv.reader((profile / 'io_graphs').read_text().splitlines()) if not row[0].startswith('#')]
            self.check(f'{profile.name}: graphs are lines or dots, of times in seconds', [str(row) for row in graphs if row[4] not in ('Line', 'Dot') or
                                                                                         row[1].endswith(' (s)') != row[5].startswith(('AVG', 'MAX'))])
            self.check(f'{profile.name}: every filter finds something', [text for text in filters if not found[text]])
        for profile, file, begins in NAMED:
            lines = (PROFILES / profile / file).read_text().splitlines()
            self.check(f'{profile}: {file}: {begins}', [] if any(line.startswith(begins) for line in lines) else ['is not there'])

    def widest(self, profile):
        """Of each column what is longest in the captures, the first where there are several; tshark has an arrow of its own between source and destination."""
        found = [''] * len(self.columns(profile))
        for name in FOUND_IN:
            for line in output(*self.desktop.user, 'tshark', '-2', '-n', '-C', profile.name, '-T', 'tabs', '-Y', 'ip', '-r', CAPTURES.parent / name).splitlines():
                found = [max(longest, cell.strip(), key=len) for longest, cell in zip(found, [cell.split(',')[0] for cell in line.split('\t') if cell != '→'])]
        return found

    def found(self, filters):
        """How many frames each finds, in all."""
        basic, no_create, twice = CAPTURES.parent / 'ca/basic.pcap', self.desktop.base / 'no_create.pcap', self.desktop.base / 'twice.pcap'
        output('editcap', basic, no_create, '15', '33')  # frames with CREATE_CHAN
        output('mergecap', '-w', twice, basic, basic)
        filters, found = list(dict.fromkeys(filters)), collections.Counter()
        for capture in (*(CAPTURES.parent / name for name in FOUND_IN), no_create, twice):
            capture.chmod(0o644)
            text = self.desktop.tshark('-n', '-2', '-q', '-r', capture, '-z', ','.join(['io,stat,0', *filters]))
            row = [line for line in text.splitlines() if re.search(r'\d <> +\d', line)][-1]
            found.update(dict(zip(filters, map(int, row.split('|')[2:-1:2]))))
        return found

    def common(self, wireshark, name, titles):
        """What holds in every run: the windows, the silence, the end."""
        extra = [title for title in wireshark.windows().values() if not any(known in title for known in titles)]
        self.check(f'{name}: no other window', extra)
        code = wireshark.leave()
        self.check(f'{name}: leaves', [f'exit code {code}'] if code else [])
        self.check(f'{name}: no complaints', wireshark.complaints())

    def expected_list(self, capture):
        """Frame number and our columns, by tshark's fields; those in milliseconds have three decimals."""
        fields = [field for _, fields in self.columns() for field in fields]
        arguments = [word for field in fields for word in ('-e', field)]
        for line in self.desktop.tshark('-2', '-r', capture, '-T', 'fields', '-e', 'frame.number', *arguments).splitlines():
            number, *values = line.split('\t')
            values = {field: f'{float(value):11.3f}' if value and field.endswith('_ms') else value for field, value in zip(fields, values)}
            yield [number, *(','.join(filter(None, map(values.get, each))) for _, each in self.columns() if each)]

    def packet_list(self):
        capture = CAPTURES / 'http_delays.pcap'
        with Wireshark(self.desktop, capture, '-g', '14') as wireshark:
            # The wheel over the list until the slow response is in it; then the Latency tree, which is the last one.
            output('xdotool', 'mousemove', '500', '250', 'click', '--repeat', '4', '--delay', '100', '5')
            self.open_tree(wireshark)
            picture = self.desktop.pixels()
            seen = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))
            for name in 'Slow, or waiting for a second and more', 'Request', 'Response':
                count = seen[tuple(self.colours()[name][1])]
                self.check(f'packet list: {name} is coloured', [f'only {count} pixels'] if count < 8000 else [])
            rows = wireshark.export_list(self.desktop.home / 'list')
            self.check('packet list: columns', [rows[0]] if rows[0] != [title for title, _ in self.columns()] else [])
            numbers = [number for number, (_, fields) in enumerate(self.columns()) if fields]
            got = [[row[0], *(row[number] for number in numbers)] for row in rows[1:]]
            expected = self.expected_list(capture)
            self.check('packet list: as tshark has it', [f'{a} is not {b}' for a, b in itertools.zip_longest(got, expected) if a != b])
            empty = [rows[0][number] for number in numbers if not any(row[number] for row in rows[1:])]
            # each frame has one message, and its segments are as usual
            self.check('packet list: filled', [] if empty == ['Flags', 'Requests'] else empty)
            self.common(wireshark, 'packet list', [capture.name])

    def unfolding(self):
        """Of the seven lines of frame 326 one is unfolded, and so it is when the frame is looked at again; of another message it is not known."""
        capture = self.desktop.base / 'dns_tcp.pcap'
        shutil.copy(CAPTURES.parent / 'framing/dns_tcp.pcap', capture)
        capture.chmod(0o644)
        with Wireshark(self.desktop, capture, '-g', '326') as wireshark:
            pictures = []
            for keys in ('End', 'Home'), ('End', 'Right', 'Home'), ('ctrl+Up', 'ctrl+Down', 'Home'):
                wireshark.click(wireshark.main, WIDTH - 300, HEIGHT - 450)
                wireshark.keys(*keys)
                wireshark.settle()
                pictures.append(self.desktop.picture()[4 * WIDTH * (HEIGHT - 335):])  # below the list, which scrolls, and the first line, which is selected
            unfolded, again = (difference(*pair) for pair in itertools.pairwise(pictures))
            self.check('unfolding: one', [] if unfolded > 10 * CURSOR else [f'{unfolded} bytes of the picture'])
            self.check('unfolding: the others stay', [] if again <= CURSOR else [f'{again} bytes of the picture'])
            self.common(wireshark, 'unfolding', [capture.name])

    def script(self):
        """latency.lua in the plugin folder, as Wireshark 4.0 loads it, then by `require`, as it does since 4.4, loaded anew and at the start: the
        window has the capture with our fields, and no box with an error, which would take the keys.
        """
        capture, in_folder = CAPTURES / 'http_delays.pcap', self.desktop.lua_plugins / LUA.name
        shutil.copy(LUA, self.desktop.base)
        requires = f'package.path = "{self.desktop.base}/?.lua"\nrequire("{LUA.stem}")\n'

        def check(name):
            rows = wireshark.export_list(self.desktop.home / 'list')
            column = rows[0].index('TTFB (ms)')
            self.check(f'{name}: fields', [] if any(row[column] for row in rows[1:]) else ['no fields'])

        with Wireshark(self.desktop, capture) as wireshark:
            check('in the plugin folder')
            in_folder.write_text(requires)
            wireshark.focus(wireshark.main)
            wireshark.keys('ctrl+shift+l')  # Analyze > Reload Lua Plugins
            wireshark.settle()
            check('loaded anew')
            self.common(wireshark, 'loaded anew', [capture.name])
        with Wireshark(self.desktop, capture) as wireshark:
            check('by require')
            self.common(wireshark, 'by require', [capture.name])

    # --- the tables ------------------------------------------------------------------------------------------------

    def expected(self, table, capture, text=''):
        """tshark's rows, of the frames that pass a filter."""
        passes = ['-2'] if table.tap == OF_PROTOCOLS else []  # Wireshark's NTP of 4.0 pairs when it comes by again
        text = self.desktop.tshark(*passes, '-q', '-o', 'latency.format:csv', '-r', capture, '-z', ','.join(filter(None, [table.tap, text])))
        return table.rows(text, start_of(capture))

    def saved(self, wireshark, window, suffix='.csv'):
        return parse(wireshark.save_table(window, self.desktop.home / 'table', suffix), suffix)

    def sorted(self, wireshark, window, table, column, name):
        wireshark.sort(window, column)
        rows = self.saved(wireshark, window)
        self.check(f'{table.tap}: {name}, sorted by {table.heads[column]}', table.unordered(rows, column))
        return rows

    def table(self, table, capture):
        """Two windows at once, sorted, one filtered, closed in the one order or the other, a third after a reload."""
        everything, some = self.expected(table, capture), self.expected(table, capture, table.filter)

        def check(name, rows, expected=everything):
            self.check(f'{table.tap}: {name}', table.compare(rows, expected))

        with Wireshark(self.desktop, capture, '-z', table.tap) as wireshark:
            first = wireshark.window(table.window)
            wireshark.place(first, 0, 330)
            wireshark.settle(0.5)
            rows = self.saved(wireshark, first)
            check('as tshark has it', rows)
            if '(ms)' in str(rows[0]):
                self.check(f'{table.tap}: three decimals', [f'{decimals(rows)}'] if decimals(rows) != {3} else [])
            if table is FORMATTED:
                self.check(f'{table.tap}: XML', [] if self.saved(wireshark, first, '.xml') == rows else ['is not CSV'])
                self.check(f'{table.tap}: YAML', [] if self.saved(wireshark, first, '.yaml') == rows else ['is not CSV'])
            second = wireshark.menu(table.window, table.entry, known=[first])
            wireshark.place(second, 340, 330)
            wireshark.settle(0.5)
            check('first of two windows', self.sorted(wireshark, first, table, table.sorts[0], 'first of two windows'))
            check('second of two windows', self.sorted(wireshark, second, table, table.sorts[1], 'second of two windows'))
            gone, left = (first, second) if table.entry[1] % 2 else (second, first)
            wireshark.close(gone)
            wireshark.filter(left, table.filter)
            check(f'filtered by {table.filter}', self.sorted(wireshark, left, table, table.sorts[0], 'filtered'), some)
            wireshark.focus(wireshark.main)
            wireshark.keys('ctrl+r')
            wireshark.settle(0.5)
            wireshark.apply(left)  # in vain: the window's file is closed
            wireshark.sort(left, table.sorts[1])
            check('as it was before a reload', self.saved(wireshark, left), some)
            third = wireshark.menu(table.window, table.entry, known=[left])
            wireshark.place(third, 340 if left == first else 0, 330)
            wireshark.close(left)
            wireshark.settle(0.5)
            check('after a reload', self.saved(wireshark, third))
            self.common(wireshark, table.tap, [capture.name])

    def empty(self):
        """Of a capture that has not what the table is of the only row says why, as tshark does below the title."""
        with Wireshark(self.desktop, SHOP) as wireshark:
            for table in TABLES:
                if table.tap not in (*OF_STAGES, 'pva,monitors', 'ca,servers'):
                    continue
                window = wireshark.menu(table.window, table.entry)
                heads, *rows = self.saved(wireshark, window)
                said = [cell for row in rows for cell in row if cell]
                below = ' '.join(self.desktop.tshark('-q', '-r', SHOP, '-z', table.tap).split())
                self.check(f'empty: {table.tap}', [] if heads == table.heads and len(said) == 1 and len(said[0]) > 30 and ' '.join(said[0].split()) in below else [f'{rows} is not in {below}'])
                wireshark.close(window)
            self.common(wireshark, 'empty', [SHOP.name])

    def growing(self, table, capture, cuts):
        """During a capture from a pipe: what tshark says of the frames that were written when the window was opened, or *Apply* was pressed last."""
        data, prefix, window = capture.read_bytes(), self.desktop.base / 'prefix.pcap', None
        ends = [24]  # nanosecond pcap, little-endian
        while ends[-1] < len(data):
            ends.append(ends[-1] + 16 + int.from_bytes(data[ends[-1] + 8:ends[-1] + 12], 'little'))
        wireshark = LiveWireshark(self.desktop)
        wireshark.write(data[:ends[cuts[0]]])
        with wireshark:
            for begin, end in zip([0, *cuts], cuts):
                if begin:
                    wireshark.write(data[ends[begin]:ends[end]])
                    time.sleep(3)  # Wireshark looks twice a second
                    self.check(f'{table.tap}: live, {cuts[cuts.index(end) - 1]} frames until Apply',
                               table.compare(self.saved(wireshark, window), self.expected(table, prefix)))
                prefix.write_bytes(data[:ends[end]])
                prefix.chmod(0o644)
                if window:
                    wireshark.apply(window)
                else:
                    window = wireshark.menu(table.window, table.entry)
                    wireshark.place(window, 340, 330)
                wireshark.settle(0.5)
                self.check(f'{table.tap}: live, {end} frames', table.compare(self.saved(wireshark, window), self.expected(table, prefix)))
            self.common(wireshark, f'{table.tap}: live', ['/pipe', 'Capturing from'])

    def in_flight(self):
        """During a capture, what may still be answered is not red: a SYN, a request; nor is it when it has been answered."""
        data = (CAPTURES / 'http_delays.pcap').read_bytes()
        ends = [24]
        while ends[-1] < len(data):
            ends.append(ends[-1] + 16 + int.from_bytes(data[ends[-1] + 8:ends[-1] + 12], 'little'))
        wireshark = LiveWireshark(self.desktop)
        wireshark.write(data[:ends[1]])
        with wireshark:
            for begin, end, name, colour in (1, 1, 'SYN', 'TCP'), (1, 4, 'request', 'Request'), (4, len(ends) - 1, 'response', 'Response'):
                wireshark.write(data[ends[begin]:ends[end]])
                time.sleep(3)  # Wireshark looks twice a second
                wireshark.settle(0.5)
                picture = self.desktop.pixels()
                seen = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))
                counts = [seen[tuple(self.colours()[rule][1])] for rule in (RED, colour)]
                self.check(f'in flight: {name}', [] if counts[0] == 0 and counts[1] > 2000 else [f'{counts[0]} red pixels, {counts[1]} of {colour}'])
            self.common(wireshark, 'in flight', ['/pipe', 'Capturing from'])

    def remembered(self):
        """A window is as wide as it was made the last time: at first no table fits into one."""
        for name in 'made wide', 'and again':
            with Wireshark(self.desktop, SHOP, '-z', OPERATIONS.tap) as wireshark:
                window = wireshark.window(OPERATIONS.window)
                if name == 'made wide':
                    wireshark.place(window, 20, 330)
                wireshark.settle()
                size = wireshark.size(window)
                self.check(f'size of a window: {name}', [] if abs(size[0] - WIDTH) < 10 else [f'{size}'])
                wireshark.close(window)
                self.common(wireshark, f'size of a window: {name}', [SHOP.name])

    # --- Wireshark's own, around a response that was slow ----------------------------------------------------------

    def frames(self, text):
        return self.desktop.tshark('-r', SHOP, '-Y', text, '-T', 'fields', '-e', 'frame.number').split()

    def listed(self, wireshark):
        return [row[0] for row in wireshark.export_list(self.desktop.home / 'list')[1:]]

    def request_filter(self):
        """Analyze > Conversation Filter > Latency: request, the last but one: the request's frames and its response's are left; with its calls, the last: theirs, too."""
        number = self.desktop.tshark('-r', SHOP, '-Y', f'frame.number == {SLOW_FRAME}', '-T', 'fields', '-e', 'latency.request').strip()
        want = self.frames(f'latency.request == {number}')
        with Wireshark(self.desktop, SHOP, '-g', SLOW_FRAME) as wireshark:
            wireshark.menu_keys(['alt+a'], ['Down'] * 5, ['Right'], ['Up'] * 2, ['Return'])
            wireshark.settle()
            got = self.listed(wireshark)
            self.check('conversation filter: its frames', [] if got == want and len(want) > 1 else [f'{got} is not {want}'])
            self.common(wireshark, 'conversation filter', [SHOP.name])
        called = self.desktop.tshark('-2', '-r', SHOP, '-Y', f'latency.caused_by == {want[0]}', '-T', 'fields', '-e', 'latency.request').split()
        want = self.frames(f'latency.request in {{{", ".join({number, *called})}}}')
        with Wireshark(self.desktop, SHOP, '-g', SLOW_FRAME) as wireshark:
            wireshark.menu_keys(['alt+a'], ['Down'] * 5, ['Right'], ['Up'], ['Return'])
            wireshark.settle()
            got = self.listed(wireshark)
            self.check('conversation filter: with its calls', [] if got == want and called else [f'{got} is not {want}'])
            self.common(wireshark, 'conversation filter, calls', [SHOP.name])

    def operations_filter(self):
        """The context menu of Wireshark's own table of operations, Apply as Filter > Selected: the frames of the first operation by name are left."""
        rows = re.findall(r'^ +(\d+) +(.*?) +\d+ +\d+\.\d+ ', self.desktop.tshark('-q', '-r', SHOP, '-z', 'latency,srt'), re.M)
        number, _ = min(rows, key=lambda row: row[1])
        want = self.frames(f'latency.operation.number == {number}')
        with Wireshark(self.desktop, SHOP, '-z', 'latency,srt') as wireshark:
            window = wireshark.window('Latency Service Response Time')
            wireshark.place(window, 0, 330)
            wireshark.settle()
            wireshark.focus(window)
            for button in '1', '3':
                wireshark.point(window, 60, 41, button)
            wireshark.keys('Down', 'Right', 'Return')
            wireshark.settle()
            got = self.listed(wireshark)
            self.check('filter of an operation: its frames', [] if got == want and len(want) > 1 else [f'{got} is not {want}'])
            self.common(wireshark, 'filter of an operation', [SHOP.name])

    def processes(self):
        """Where the capture names processes, PID and command stand where tshark has them, in the next window."""
        capture, table = self.desktop.base / 'stages.pcapng', CONNECTS.with_processes()
        with Wireshark(self.desktop, capture) as wireshark:
            window = wireshark.menu(table.window, table.entry)
            wireshark.place(window, 0, 330)
            wireshark.settle(0.5)
            rows = self.saved(wireshark, window)
            self.check('connects, with processes', table.compare(rows, self.expected(table, capture)) + ([] if all(row[2] for row in rows[1:]) else [f'no commands: {rows}']))
            self.common(wireshark, 'connects, with processes', [capture.name])

    def follow(self):
        """Follow TCP Stream, with two tables open, and then all is loaded again: the list has the stream's frames, the tables what they had."""
        stream = self.desktop.tshark('-r', SHOP, '-Y', f'frame.number == {SLOW_FRAME}', '-T', 'fields', '-e', 'tcp.stream').strip()
        want, expected = self.frames(f'tcp.stream == {stream}'), self.expected(SERVERS, SHOP)
        with Wireshark(self.desktop, SHOP, '-g', SLOW_FRAME, '-z', SERVERS.tap, '-z', REQUESTS.tap) as wireshark:
            tables = [wireshark.window(table.window) for table in (SERVERS, REQUESTS)]
            wireshark.settle()
            wireshark.focus(wireshark.main)
            followed = wireshark.opened('Follow TCP Stream', lambda: wireshark.keys('ctrl+alt+shift+t'))
            wireshark.settle()
            for name in 'Follow TCP Stream', 'and loaded again':
                self.check(f'{name}: its frames', [] if (got := self.listed(wireshark)) == want else [f'{got} is not {want}'])
                wireshark.focus(wireshark.main)
                wireshark.keys('ctrl+r')
                wireshark.settle()
            wireshark.place(tables[0], 0, 330)
            self.check('Follow TCP Stream: the table of servers', SERVERS.compare(self.saved(wireshark, tables[0]), expected))
            self.common(wireshark, 'Follow TCP Stream', [SHOP.name, *(wireshark.windows()[window] for window in (followed, *tables))])

    def sorting(self):
        """Two clicks on a heading: of more packets than Wireshark 4.4 sorts without a preference of the profile (10 000) the slow come first."""
        capture = self.desktop.base / 'many.pcap'
        output('mergecap', '-a', '-F', 'nsecpcap', '-w', capture, *[SHOP] * 25)
        capture.chmod(0o644)
        with Wireshark(self.desktop, capture) as wireshark:
            for _ in 'up', 'down':
                wireshark.point(wireshark.main, 540, 104 if self.desktop.version == '4.0' else 97)
                wireshark.settle(3)  # where /proc is not, it does not say that it is busy
            wireshark.point(wireshark.main, 540, 200)
            wireshark.keys('Home')
            wireshark.settle()
            picture = self.desktop.pixels()
            seen = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))
            slow, others = (seen[tuple(self.colours()[name][1])] for name in ('Slow, or waiting for a second and more', 'Request'))
            self.check('sorted by duration', [] if slow > 100000 and others < 20000 else [f'{slow} pixels of slow responses, {others} of requests'])
            self.common(wireshark, 'sorted', [capture.name])

    def plots(self):
        """Statistics > Plots, which 4.6 has: the responses of the profile's plot, a dot each."""
        if self.desktop.version in ('4.0', '4.2', '4.4'):
            self.results.append(('Plots', without_plots))
            return
        with Wireshark(self.desktop, SHOP) as wireshark:
            plots = wireshark.opened('Plots', lambda: wireshark.menu_keys(['alt+s'], ['Down'] * 7, ['Return']))
            wireshark.place(plots, 0, 700)
            wireshark.settle()
            picture = self.desktop.pixels()
            dots = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))[0x4c, 0x78, 0xa8]
            self.check('Plots: a dot a response', [] if 200 < dots < 20000 else [f'{dots} pixels'])
            self.common(wireshark, 'Plots', [SHOP.name])

    def graphs(self):
        """Statistics > I/O Graphs: those that the profile enables."""
        with Wireshark(self.desktop, SHOP) as wireshark:
            graphs = wireshark.opened('I/O Graphs', lambda: wireshark.menu_keys(['alt+s'], ['Down'] * 6, ['Return']))
            wireshark.place(graphs, 0, 700)
            wireshark.settle()
            picture = self.desktop.pixels()
            seen = collections.Counter(zip(picture[::3], picture[1::3], picture[2::3]))
            for name, colour in ('average', (0x4c, 0x78, 0xa8)), ('maximum', (0xd5, 0x5e, 0x00)):
                self.check(f'I/O Graphs: {name}', [] if seen[colour] > 20 else [f'{seen[colour]} pixels'])
            self.common(wireshark, 'I/O Graphs', [SHOP.name])

    # --- the documents' pictures -----------------------------------------------------------------------------------

    def take_pictures(self, folder, capture, frame):
        """A slow response's packet and its tree; the operations, the slowest first. What columns they show is what the window says."""
        shown = {}
        with open(self.desktop.home / '.config/wireshark/profiles/Latency/recent', 'a') as recent:
            recent.write('gui.byte_view_show: FALSE\n')
        with Wireshark(self.desktop, capture, '-g', frame, patience=LARGE) as wireshark:
            output('xdotool', 'mousemove', '500', '250', 'click', '--repeat', '3', '--delay', '100', '5')  # it stands at the list's edge, and its response's last frame below
            self.open_tree(wireshark)
            self.picture(wireshark.main, folder / 'screenshot.png')
            shown['screenshot.png'] = [title for title, _ in self.columns()]
        with Wireshark(self.desktop, capture, '-z', OPERATIONS.tap, patience=LARGE) as wireshark:
            window = wireshark.window(OPERATIONS.window)
            wireshark.place(window, 100, 270, WHOLE_WIDTH)
            wait_for('ranks, which the capture\'s end brings', lambda: any(row[0] for row in self.saved(wireshark, window)[1:]), LARGE)
            wireshark.settle(0.5)
            output('xdotool', 'mousemove', '1200', '700')
            wireshark.settle(0.5)
            self.picture(window, folder / 'operations.png')
            shown['operations.png'] = self.saved(wireshark, window)[0]
        (folder / 'pictures.txt').write_text(''.join(f'{name}: {", ".join(heads)}\n' for name, heads in shown.items()))

    def open_tree(self, wireshark):
        """The Latency tree, which is the last one."""
        wireshark.click(wireshark.main, WIDTH - 300, HEIGHT - 450)
        wireshark.keys('End', 'Right', 'Left', 'Right')
        output('xdotool', 'mousemove', '1200', '700')
        wireshark.settle()

    def picture(self, window, file):
        shot = self.desktop.base / 'shot.png'
        output('import', '-window', window, shot)
        output('convert', shot, '-strip', '+dither', '-colors', '255', f'png8:{file}')

    def pictures(self):
        """They show the columns that there are."""
        shown = dict(line.split(': ', 1) for line in (ROOT / 'docs/pictures.txt').read_text().splitlines())
        for name, heads in ('screenshot.png', [title for title, _ in self.columns()]), ('operations.png', OPERATIONS.heads):
            got = shown.get(name, '').split(', ')
            found = [] if got == heads else [f'docs/pictures.sh has not been run since the columns changed: {got} is not {heads}']
            self.check(f'pictures: columns of {name}', found + ([] if (ROOT / 'docs' / name).exists() else [f'there is no docs/{name}']))


def parts(tests):
    """What can run by itself."""
    def capture_of(table):
        own = {**dict.fromkeys(OF_STAGES, 'stages.pcapng'), **dict.fromkeys(OF_PVACCESS, 'pvaccess.pcap'), OF_PROTOCOLS: 'protocols.pcap', OF_CALLS: SHOP, OF_QUIC: QUIC}.get(table.tap)
        return tests.desktop.base / own if own else mixed_capture(tests.desktop.base)

    found = {'profile': tests.profile, 'pictures': tests.pictures, 'packet list': tests.packet_list, 'unfolding': tests.unfolding, 'Lua': tests.script}
    for table in TABLES:
        found[table.tap] = lambda table=table: tests.table(table, capture_of(table))
    found['window sizes'], found['request filter'], found['operations filter'], found['follow'], found['in flight'] = tests.remembered, tests.request_filter, tests.operations_filter, tests.follow, tests.in_flight
    found['empty'] = tests.empty
    found['sorting'], found['plots'], found['graphs'], found['processes'] = tests.sorting, tests.plots, tests.graphs, tests.processes
    found['live calls'] = lambda: tests.growing(CALLS, SHOP, [60, 200, 514])
    found['live'] = lambda: tests.growing(SERVERS, mixed_capture(tests.desktop.base), [58, 129, 300])
    return found


@contextlib.contextmanager
def made_tests(plugin, width=WIDTH):
    desktop = Desktop(plugin, width)
    try:
        desktop.base.chmod(0o755)
        shutil.copy(ROOT / 'captures/kernel/stages-lo.pcapng', desktop.base / 'stages.pcapng')
        shutil.copy(ROOT / 'captures/protocols/all.pcap', desktop.base / 'protocols.pcap')
        output('mergecap', '-w', desktop.base / 'pvaccess.pcap', *(ROOT / f'captures/pva/{name}.pcap' for name in ('nobody', 'pipeline', 'restart', 'two')))
        (desktop.base / 'pvaccess.pcap').chmod(0o644)
        yield Tests(desktop)
    finally:
        desktop.close()


def without_plots():
    raise Skipped('Wireshark before 4.6 has no Statistics > Plots')


def missing_programs():
    raise Skipped(f'no {", ".join(program for program in PROGRAMS if not shutil.which(program))}')


def cases(plugin, name):
    if not all(map(shutil.which, PROGRAMS)):
        yield '', missing_programs
        return
    with made_tests(plugin) as tests:
        parts(tests)[name]()
        yield from ((case, found if callable(found) else lambda found=found: found) for case, found in tests.results)


def groups(context):
    names = ['packet list', 'unfolding', REQUESTS.tap, 'window sizes', 'request filter', 'operations filter', 'follow', 'in flight', 'live', 'live calls', 'empty', 'sorting', 'plots', 'graphs', 'processes']
    if not context.is_elsewhere:
        names = ['profile', 'pictures', *(table.tap for table in TABLES), *(name for name in names if name != REQUESTS.tap)]
    for name in names:
        yield Group(name, functools.partial(cases, context.plugin, name), whole=True)
    if not context.is_elsewhere:
        yield Group('Lua', functools.partial(cases, LUA, 'Lua'), whole=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('plugin')
    parser.add_argument('folder', type=pathlib.Path)
    parser.add_argument('capture', type=pathlib.Path)
    parser.add_argument('frame')
    options = parser.parse_args()
    with made_tests(options.plugin, WHOLE_WIDTH) as tests:
        tests.take_pictures(options.folder, options.capture, options.frame)


if __name__ == '__main__':
    main()
