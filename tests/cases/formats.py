# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for programs, as CSV, TSV and JSON lines, and on narrow terminals: against the aligned text, and against each other."""
import csv
import fcntl
import functools
import io
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios

from oddities import PUSH_ACK, pcap, request_and_response, tcp
from outline import Skipped
from reading import TABLES, split
from tools import ROOT

CAPTURES = ROOT / 'captures'
PRINTED = [name for name in TABLES if name != 'ca,srt']  # which is Wireshark's own
OF = {name: f'{name[:-len(name.partition(",")[2]) - 1]}/basic.pcap' if name.startswith(('ca', 'pva')) else 'kernel/stages-lo.pcapng' if name in ('latency,stages', 'latency,paths', 'latency,kernel')
      else 'tcp/connect_refused_unanswered.pcap' if name.startswith('latency,connect') else 'framing/redis_odd.pcap' for name in PRINTED}
KEPT = (('latency,requests', 'tcp/shop.pcap', 'Time|Server|Duration|TTFB|Bytes|Outcome|Status|Operation'),
        ('latency,hosts', 'tcp/shop.pcap', 'Not|Share|TCP|TLS|TLS|Requests|No|p50|p99|Host'),
        ('latency,connections', 'ca/multi.pcap', 'Client|Server|Attempts|OK|RST|No|Share|Mean|p50|p99'),
        ('ca,channels', 'ca/multi.pcap', 'Time|Server|Waited|Connect|Outcome|Reason|Channel'),
        ('latency,kernel', 'kernel/memcached-6.12.pcapng', 'Time|Server|tcpip_rx|epoll|wait|read|application|tx|Total'))
NAME = re.compile(r'[a-z][a-z0-9_]*')
UNITS = {'ms': '_ms', 'µs': '_us'}
STATISTICS = 'mean', 'std', 'min', 'p25', 'p50', 'p75', 'p95', 'p99', 'max'


def aligned(text):
    """Rows of cells of the one table."""
    lines = next(iter(split(text).values()))
    first = next(at for at, line in enumerate(lines) if line.startswith('Filter: ')) + 3
    columns = len(lines[first - 1].split('|'))
    return [[cell.strip() for cell in line.split('|', columns - 1)] for line in lines[first:]]


def unit_lacks(text, heads):
    """The heads without the unit that stands below the aligned one's name."""
    lines = next(iter(split(text).values()))
    first = next(at for at, line in enumerate(lines) if line.startswith('Filter: ')) + 1
    below = [cell.split() for cell in lines[first + 1].split('|')]
    units = [UNITS.get(words[-1], '') if words and words != ['µs'] else '' for words in below]  # a text that has its unit says so in its heading alone
    return [f'{head} has no {unit}' for head, unit in zip(heads, units) if not head.endswith(unit)]


def same(head, exact, shown):
    """What is shown is the exact one, rounded; what there is not is - there."""
    if shown == '-':
        return exact == ''
    if exact == shown or not re.fullmatch(r'-?\d+(\.\d+)?', shown):
        return exact == shown
    return abs(float(exact) - float(shown)) <= 0.50001 * 10 ** -len(shown.partition('.')[2])


def equals_text(wireshark, name):
    """The same rows in the same order, with all digits; heads once, with units."""
    arguments = ('-q', '-r', CAPTURES / OF[name], '-t', 'e', '-z', name)
    text = wireshark.tshark(*arguments)
    rows = aligned(text)
    heads, *exact = csv.reader(io.StringIO(wireshark.tshark('-o', 'latency.format:csv', *arguments)))
    found = unit_lacks(text, heads)
    found += [] if len(exact) == len(rows) and rows else [f'{len(exact)} rows of {len(rows)}']
    found += [f'{mine} is not {theirs}' for mine, theirs in zip(exact, rows) if len(mine) != len(theirs) or not all(map(same, heads, mine, theirs))]
    found += [f'head {head}' for head in heads if not NAME.fullmatch(head) or heads.count(head) > 1]
    return found[:4]


def same_in_all(wireshark, name):
    """TSV and JSON have what CSV has; JSON has numbers as numbers, and no member for what there is not."""
    def get(kind):
        return wireshark.tshark('-o', f'latency.format:{kind}', '-q', '-r', CAPTURES / OF[name], '-z', name)
    rows = list(csv.reader(io.StringIO(get('csv'))))
    tabs = [line.split('\t') for line in get('tsv').splitlines()]
    objects = [json.loads(line, parse_float=str, parse_int=str) for line in get('json').splitlines()]
    want = [{'table': name, **{head: cell for head, cell in zip(rows[0], row) if cell}} for row in rows[1:]]
    texts = [head for line in get('json').splitlines() for head, value in json.loads(line).items() if isinstance(value, str) and re.fullmatch(r'-?[\d.]+', value) and head.endswith(('_ms', '_us', '_s'))]
    return [f'{what} is not as CSV' for what, equal in (('TSV', tabs == rows), ('JSON', objects == want != []), ('a number in JSON', not texts)) if not equal]


def listed():
    """By table the names of columns that docs/json.md has."""
    rows = re.findall(r'^\| (`[a-z]+,.*?) \| (.*) \|$', (ROOT / 'docs/json.md').read_text(), re.M)
    return {name: [word for words in re.findall(r'`([^`]+)`|\*statistics in (ms|µs)\*', columns) for word in ([words[0]] if words[0] else [each + UNITS[words[1]] for each in STATISTICS])]
            for names, columns in rows for name in re.findall(r'`([^`]+)`', names)}


def documented(context):
    """Those that are printed, of latency-merge's own tables, too, and no others."""
    wireshark, path = context.wireshark, context.wireshark.base / 'listed.jsonl'
    lists = {name: ','.join(columns) for name, columns in listed().items()}
    of = {**OF, 'latency,protocols': 'tcp/shop.pcap'}
    now = {name: wireshark.tshark('-o', 'latency.format:csv', '-q', '-r', CAPTURES / of[name], '-z', name).partition('\n')[0] for name in of}
    wireshark.tshark('-q', '-r', CAPTURES / 'ca/basic.pcap', '-z', f'latency,json,{path}')
    merged = subprocess.run([context.merge, '--format', 'csv', path], capture_output=True, text=True, check=True).stdout
    now['ca,srt'] = now['pva,srt'] = next(line for line in merged.splitlines() if line.startswith('command,'))
    return [f'{name}: {lists.get(name)} is not {now.get(name)}' for name in sorted({*lists, *now}) if lists.get(name) != now.get(name)]


def as_in_json_lines(wireshark):
    """What is named as a member of JSON lines is that: requests, by their numbers."""
    path, capture = wireshark.base / 'members.jsonl', CAPTURES / 'framing/redis_odd.pcap'
    text = wireshark.tshark('-o', 'latency.format:json', '-q', '-r', capture, '-z', 'latency,requests', '-z', f'latency,json,{path}')
    lines = {line['number']: line for line in map(json.loads, path.read_text().splitlines()) if line['type'] == 'request'}
    found, compared = [], 0
    for row in map(json.loads, text.splitlines()):
        line = lines[row['number']]
        for name, value in row.items():
            member, unit = re.fullmatch(r'(.*?)(_ms|_s)?', name).groups()
            wanted = line.get(member, line.get('error') if name == 'status' else None)
            if name in ('client', 'server'):
                wanted = f'{wanted}:{line[name + "_port"]}'
            elif name in ('table', 'flags'):  # a sum, which lines have by packet
                continue
            compared += 1
            scale = {'_ms': 1e6, '_s': 1e9}.get(unit, 1)
            found += [] if wanted == value or unit and abs(wanted - value * scale) <= 1e-15 * wanted + 0.5 else [f'{row["number"]}: {name} {value} is not {wanted}']
    return found[:4] + ([] if compared > 100 else [f'{compared} values'])


def quoted(wireshark):
    """Commas and quotes in an operation."""
    asked = b'GET /a,"b"\tc HTTP/1.1\r\nHost: x\r\n\r\n'
    packets = request_and_response()[:3] + [(10**9 + 30, tcp((1, 40000), (2, 7777), 1, 1, PUSH_ACK, asked))]
    path = pcap(wireshark.base / 'quoted.pcap', packets)
    rows = list(csv.reader(io.StringIO(wireshark.tshark('-o', 'latency.format:csv', '-q', '-r', path, '-z', 'latency,requests'))))
    tabs = wireshark.tshark('-o', 'latency.format:tsv', '-q', '-r', path, '-z', 'latency,requests').splitlines()
    found = [] if rows[1][-1].startswith('GET /a,"b"') and len(rows[1]) == len(rows[0]) else [f'CSV: {rows[1]}']
    return found + ([] if len({line.count('\t') for line in tabs}) == 1 else [f'TSV: {tabs}'])


def several(wireshark):
    """An empty line between two tables, and none before the first."""
    text = wireshark.tshark('-o', 'latency.format:csv', '-q', '-r', CAPTURES / 'tcp/shop.pcap', '-z', 'latency,servers', '-z', 'latency,requests')
    parts = text.split('\n\n')
    return [] if [part.partition(',')[0] for part in parts] == ['request_frame', 'server'] else [part[:80] for part in parts]


def scan_equals(context, kind):
    """latency-scan prints byte for byte what tshark prints."""
    found = []
    for name in PRINTED:
        arguments = ('-o', f'latency.format:{kind}', '-z', name)
        scanned = subprocess.run([context.scan, *arguments, CAPTURES / OF[name]], capture_output=True, text=True, check=True).stdout
        if scanned != context.wireshark.tshark('-q', '-r', CAPTURES / OF[name], *arguments) or not scanned:
            found.append(f'{name}: {scanned[:200]}')
    return found


def merge_equals(context, kind):
    """latency-merge prints of one file what tshark prints of its capture."""
    wireshark, capture = context.wireshark, CAPTURES / 'framing/redis_odd.pcap'
    path = wireshark.base / 'formats.jsonl'
    wireshark.tshark('-q', '-r', capture, '-z', f'latency,json,{path}')
    merged = subprocess.run([context.merge, '--format', kind, path], capture_output=True, text=True, check=True).stdout
    want = wireshark.tshark('-o', f'latency.format:{kind}', '-q', '-r', capture,
                            *(word for name in ('hosts', 'connections', 'operations', 'servers') for word in ('-z', f'latency,{name}')))
    return [] if merged == want != '' else [merged[:300], want[:300]]


def in_terminal(command, columns):
    """What a program prints on a terminal so wide."""
    try:
        leader, follower = pty.openpty()
    except OSError as reason:  # in a chroot without /dev/pts
        raise Skipped(str(reason)) from None
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    text = b''
    with subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL) as process:
        ended = False
        while not ended:  # the follower stays open here: closed by its last writer, it may take away what nobody has read yet
            ended = process.poll() is not None
            while select.select([leader], [], [], 0.02)[0]:
                text += os.read(leader, 65536)
    os.close(follower)
    os.close(leader)
    return text.decode().replace('\r\n', '\n')


def headings(text):
    """Of a table, each in one line, less its unit."""
    above, below = ([cell.strip() for cell in line.split('|')] for line in [line for line in text.splitlines() if '|' in line][:2])
    return [re.sub(r' (ms|µs)$', '', ' '.join(filter(None, words))) if words[1] not in ('ms', 'µs') else words[0] for words in zip(above, below)]


def fits(context, name, columns):
    """No line of the table is wider, what is left out is said, and nothing else is; the first text stays."""
    command = [str(context.scan), '-z', name, str(CAPTURES / OF[name])]
    text, whole = in_terminal(command, columns), subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if '|' in line]
    said = [line for line in text.splitlines() if line.startswith('Not shown on')]
    wide = max(len(line) for line in whole.splitlines() if '|' in line) > columns
    found = [f'{len(line)}: {line}' for line in lines if len(line) > columns]
    left_out = said[0].count(',') + 1 if said else 0
    named = said[0].partition(': ')[2].rstrip('.').split(', ') if said else []
    there, shown = headings(whole), headings(text)
    found += [] if sorted(named + shown) == sorted(there) else [f'{named} and {shown} are not {there}']
    counts = {len(line.split('|')) for line in lines[:2]}
    heads = len(next(line for line in whole.splitlines() if '|' in line).split('|'))
    found += [] if counts == {heads - left_out} else [f'{counts} columns of {heads}, {said}']
    found += [] if wide or text == whole else ['it fits, and is another']
    return found[:3]


def tshark_fits(wireshark):
    command = wireshark.command('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/shop.pcap', '-z', 'latency,operations')
    text = in_terminal(command, 80)
    lines = [line for line in text.splitlines() if '|' in line]
    return [] if lines and max(map(len, lines)) <= 80 and 'Not shown on 80 columns: Std, Min, p25, p75' in text and 'GET /report' in text else [text]


def keeps(context, argument, capture, heads):
    """What the table is for stays on 80 columns, and so does what there is room for then."""
    text = in_terminal([str(context.scan), '-z', argument, str(CAPTURES / capture)], 80)
    first = next((line for line in text.splitlines() if '|' in line), '')
    return [] if [cell.strip() for cell in first.split('|')] == heads.split('|') else [text[:600]]


def refused(context):
    """A format that there is not, and a choice of columns."""
    if not os.path.exists('/proc/self/cmdline'):
        raise Skipped('Wireshark hides which word was wrong, and /proc, which has it, is not mounted')
    said = [subprocess.run([*command, CAPTURES / 'tcp/shop.pcap'], capture_output=True, text=True)
            for command in ([context.scan, '-o', 'latency.format:xml'], [context.merge, '--format', 'xml'], [context.scan, '-o', 'latency.columns:all'], [context.merge, '--columns', 'all'])]
    found = [f'{run.returncode}: {run.stderr}' for run, wanted in zip(said, ['text, csv, tsv or json'] * 2 + ['default or wide'] * 2) if run.returncode != 2 or wanted not in run.stderr]
    for option, wanted in (['-o', 'latency.format:xml'], 'text, csv, tsv or json'), (['-olatency.json:some'], 'all, rows or summary'), (['-o', 'latency.columns:all'], 'default or wide'):
        for table in 'latency,servers', 'latency,json', 'ca,servers':
            run = context.wireshark.start('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/shop.pcap', *option, '-z', table)
            found += [f'{run.returncode}: {run.stderr}'] if run.returncode != 1 or wanted not in run.stderr or run.stdout else []
    for option in 'latency.format: CSV', 'latency.json:Rows', 'latency.columns:Wide':
        run = context.wireshark.start('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/shop.pcap', '-o', option, '-z', 'latency,json')
        found += [f'{option}: {run.stderr}'] if run.returncode or run.stderr else []
    return found


def cases(context):
    for name in PRINTED:
        yield f'{name} as CSV', functools.partial(equals_text, context.wireshark, name)
        yield f'{name} as TSV and JSON', functools.partial(same_in_all, context.wireshark, name)
    if not context.is_elsewhere:  # documents are the same there, and not copied
        yield 'documents: names of columns', lambda: documented(context)
    yield 'names of columns and of members', lambda: as_in_json_lines(context.wireshark)
    yield 'quotes', lambda: quoted(context.wireshark)
    yield 'several tables', lambda: several(context.wireshark)
    if not os.path.exists('/dev/pts/ptmx'):  # inside another Debian, where nothing can be mounted, there are no terminals
        return
    for name in PRINTED:
        for columns in 60, 80, 250:
            yield f'{name} on {columns} columns', functools.partial(fits, context, name, columns)
    for argument, capture, heads in KEPT:
        yield f'{argument}: what stays on 80 columns', functools.partial(keeps, context, argument, capture, heads)
    for kind in 'csv', 'tsv', 'json':
        yield f'latency-scan, {kind}', functools.partial(scan_equals, context, kind)
        yield f'latency-merge, {kind}', functools.partial(merge_equals, context, kind)
    yield 'tshark on 80 columns', lambda: tshark_fits(context.wireshark)
    yield 'a format that there is not', lambda: refused(context)
