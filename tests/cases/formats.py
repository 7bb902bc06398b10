# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for programs, as CSV, TSV and JSON lines, and on terminals: against the aligned text, and against each other."""
import csv
import fcntl
import functools
import io
import itertools
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
from pages import page
from reading import TABLES, WIDE, figure, headings, rows, split, unwrapped
from tools import ROOT

CAPTURES = ROOT / 'captures'
PRINTED = [name for name in TABLES if name != 'ca,srt']  # which is Wireshark's own
OF = {name: f'{name[:-len(name.partition(",")[2]) - 1]}/basic.pcap' if name.startswith(('ca', 'pva')) else 'kernel/stages-lo.pcapng' if name in ('latency,stages', 'latency,paths', 'latency,kernel')
      else 'tcp/shop.pcap' if name == 'latency,calls' else 'quic/handshakes.pcapng' if name == 'latency,quic' else 'tcp/connect_refused_unanswered.pcap' if name.startswith('latency,connect') else 'framing/redis_odd.pcap' for name in PRINTED}
# The default columns.
DEFAULT = {'latency,servers': 'Server|Reqs|Err|Unans.|Share|Mean|p50|p95|p99|Max',
           'latency,operations': 'Server|Reqs|Err|Unans.|Share|Mean|p50|p95|p99|Max|Operation',
           'latency,connections': 'Client|Server|OK|RST|Unans.|Share|p50|p99|Max',
           'latency,requests': 'Frame|Time|Server|Duration|TTFB|Outcome|Status|Operation',
           'latency,calls': 'Operation|Calls|Share|Mean|p95|Err|Call',
           'latency,intervals': 'Time|Reqs|Unans.|Share|Mean|p50|p99|Max',
           'latency,hosts': 'Not conn.|Share|Conn. p50|TLS p50|Reqs|Unans.|p50|p99|Host',
           'latency,connects': 'Time|Source|Destination|Port|Over|Latency|Result|TLS|SNI',
           'latency,quic': 'Client|Server|Connect|TLS|Result|Packets|Bytes|Host',
           'latency,packets': 'Sender|Server|Frames|Gaps|Out of order|Retransmitted',
           'latency,stages': 'Stage|Direction|Packets|Mean|p50|p95|p99|Max',
           'latency,paths': 'Frame|Process|PID|drv-ip|ip-tcp|tcp-app|app-tcp|tcp-ip|ip-drv|Rest',
           'latency,kernel': 'Time|Server|rx|tcpip_rx|epoll|wait|read|app|tx|Total',
           'ca,servers': 'Server|Fail|Unans.|OK|Mean|Std|Min|p25|p50|p75|Max',
           'ca,channels': 'Frame|Server|Waited|Connect|Outcome|Reason|Channel',
           'ca,searches': 'Searches|Unans.|Attempts|Mean|Max|Answered by|Name',
           'pva,servers': 'Server|Fail|Unans.|OK|Mean|Std|Min|p25|p50|p75|Max',
           'pva,channels': 'Frame|Server|Waited|Connect|Outcome|Reason|Channel',
           'pva,searches': 'Client|Searches|Unans.|Attempts|Mean|Max|Answered by|Name',
           'pva,monitors': 'Frame|Time|Server|First|Updates|p50|p95|Max|Channel'}
RED, YELLOW, PLAIN = '\x1b[31m', '\x1b[33m', '\x1b[0m'
NAME = re.compile(r'[a-z][a-z0-9_]*')
UNITS = {'ms': '_ms', 'µs': '_us'}
FEW = re.compile(r'(\w+_)?p9[59]_(ms|us)')  # which text does not say of few


def only(text):
    """The lines of the one table."""
    return next(iter(split(text).values()))


def unit_lacks(text, heads):
    """Units of the columns that the title does not say."""
    units = {unit for unit, ending in UNITS.items() for head in heads if head.endswith(ending)}
    return [f'{only(text)[0]} has no {unit}' for unit in units if f'times in {unit}' not in only(text)[0]]


def same(head, exact, shown):
    """What is shown is the exact one, rounded; what there is not is - there."""
    if shown == '-':
        return exact == '' or bool(FEW.fullmatch(head))
    if exact == shown or not re.fullmatch(r'<?-?[\d,]+(\.\d+)?', shown):
        return exact == shown
    if shown.startswith('<'):
        return 0 < float(exact) < 10 ** -len(shown.partition('.')[2]) / 2
    return abs(float(exact) - figure(shown)) <= 0.50001 * 10 ** -len(shown.partition('.')[2])


def equals_text(wireshark, name):
    """The same rows in the same order, with all digits; heads once, with units."""
    arguments = ('-q', '-r', CAPTURES / OF[name], '-t', 'e', *WIDE, '-z', name)
    text = wireshark.tshark(*arguments)
    shown = rows(only(text))
    heads, *exact = csv.reader(io.StringIO(wireshark.tshark('-o', 'latency.format:csv', *arguments)))
    found = unit_lacks(text, heads)
    found += [] if len(exact) == len(shown) and shown else [f'{len(exact)} rows of {len(shown)}']
    found += [f'{mine} is not {theirs}' for mine, theirs in zip(exact, shown) if len(mine) != len(theirs) or not all(map(same, heads, mine, theirs))]
    found += [f'head {head}' for head in heads if not NAME.fullmatch(head) or heads.count(head) > 1]
    return found[:4]


def same_in_all(wireshark, name):
    """TSV and JSON have what CSV has; JSON has numbers as numbers, and no member for what there is not."""
    def get(kind):
        return wireshark.tshark('-o', f'latency.format:{kind}', '-q', '-r', CAPTURES / OF[name], '-z', name)
    cells = list(csv.reader(io.StringIO(get('csv'))))
    tabs = [line.split('\t') for line in get('tsv').splitlines()]
    objects = [json.loads(line, parse_float=str, parse_int=str) for line in get('json').splitlines()]
    want = [{'table': name, **{head: cell for head, cell in zip(cells[0], row) if cell}} for row in cells[1:]]
    texts = [head for line in get('json').splitlines() for head, value in json.loads(line).items() if isinstance(value, str) and re.fullmatch(r'-?[\d.]+', value) and head.endswith(('_ms', '_us', '_s'))]
    return [f'{what} is not as CSV' for what, equal in (('TSV', tabs == cells), ('JSON', objects == want != []), ('a number in JSON', not texts)) if not equal]


def listed():
    """By table the names of columns that latency(7) has."""
    section = page(ROOT / 'plugin/latency.7').partition('.SH COLUMNS FOR PROGRAMS\n')[2].partition('\n.SH ')[0]
    return {name: columns.replace(', ', ',') for name, columns in re.findall(r'^\.B ([a-z]+,[a-z]+)\n(.*)$', section, re.M)}


def documented(context):
    """Those that are printed, of latency-merge's own tables, too, and no others."""
    wireshark, path = context.wireshark, context.wireshark.base / 'listed.jsonl'
    lists = listed()
    of = {**OF, 'latency,protocols': 'tcp/shop.pcap', 'latency,summary': 'tcp/shop.pcap'}
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
    lines = list(csv.reader(io.StringIO(wireshark.tshark('-o', 'latency.format:csv', '-q', '-r', path, '-z', 'latency,requests'))))
    tabs = wireshark.tshark('-o', 'latency.format:tsv', '-q', '-r', path, '-z', 'latency,requests').splitlines()
    found = [] if lines[1][-1].startswith('GET /a,"b"') and len(lines[1]) == len(lines[0]) else [f'CSV: {lines[1]}']
    return found + ([] if len({line.count('\t') for line in tabs}) == 1 else [f'TSV: {tabs}'])


def several(wireshark):
    """An empty line between two tables, and none before the first."""
    text = wireshark.tshark('-o', 'latency.format:csv', '-q', '-r', CAPTURES / 'tcp/shop.pcap', '-z', 'latency,servers', '-z', 'latency,requests')
    parts = text.split('\n\n')
    return [] if [part.partition(',')[0] for part in parts] == ['server', 'request_frame'] else [part[:80] for part in parts]


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
                            *(word for name in ('servers', 'operations', 'connections', 'hosts') for word in ('-z', f'latency,{name}')))
    return [] if merged == want != '' else [merged[:300], want[:300]]


def without(names, name):
    return {key: value for key, value in names.items() if key != name}


def in_terminal(command, columns, **environment):
    """What a program prints on a terminal so wide, which knows no colours unless the environment says so."""
    try:
        leader, follower = pty.openpty()
    except OSError as reason:  # in a chroot without /dev/pts
        raise Skipped(str(reason)) from None
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    text = b''
    with subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, env={**without(os.environ, 'NO_COLOR'), 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8', **environment}) as process:
        ended = False
        while not ended:  # the follower stays open here: closed by its last writer, it may take away what nobody has read yet
            ended = process.poll() is not None
            while select.select([leader], [], [], 0.02)[0]:
                text += os.read(leader, 65536)
    os.close(follower)
    os.close(leader)
    return text.decode().replace('\r\n', '\n')


def printed(context, *arguments):
    return subprocess.run([context.scan, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def without_bars(text):
    return re.sub(r'[█▏▎▍▌▋▊▉]', ' ', text)


def squeezed(text):
    """Without what fills up columns, and what separates a bar from its share."""
    return re.sub(r' *(\||$) *', r'\1', without_bars(text), flags=re.M)


def is_cut_of(line, whole):
    """The same line, but for the end of its last column."""
    return line == whole or (line.endswith('…') and whole.startswith(line[:-1]))


def without_alike(folded, lines):
    """The lines but for those that stand in one with the first that is like them (folded.py): as many fewer as that says."""
    counts = [int(count) for line in folded for count in re.findall(r'\|(\d+) (?:channels|names): .*, …$', line)]
    firsts = {re.sub(r'\|\d+ (?:channels|names): (.*), …$', r'|\1', line) for line in folded}
    left = [line for line in lines if line in firsts]
    return left if len(left) + sum(counts) - len(counts) == len(lines) else lines


def fits(context, name, columns):
    """On a wide terminal all columns stand, as with latency.columns:wide; on a narrow one those of a file, the last one cut."""
    arguments = '-z', name, CAPTURES / OF[name]
    some, every = printed(context, *arguments), printed(context, *WIDE, *arguments)
    needed = max(len(before) + 1 + min(len(last), 24) for before, _, last in (line.rpartition('|') for line in every.splitlines() if '|' in line))
    want = squeezed(every if needed <= columns else some)
    lines, wanted = squeezed(in_terminal([str(context.scan), *map(str, arguments)], columns)).splitlines(), want.splitlines()
    if columns < 80:  # with fewer decimals than a file
        lines, wanted = ([headings(only(text))] for text in (in_terminal([str(context.scan), *map(str, arguments)], columns), some))
        return [] if lines == wanted else [lines, wanted]
    if columns > 80 and any(line.startswith('Alike: ') for line in lines):
        wanted = without_alike(lines, wanted)
        lines = [re.sub(r'\|\d+ (?:channels|names): (.*), …$', r'|\1', line) for line in lines if not line.startswith('Alike: ')]
    found = [f'{line!r} is not {other!r}' for line, other in itertools.zip_longest(lines, wanted, fillvalue='') if not is_cut_of(line, other)]
    return (found + ([] if len(wanted) > 2 and '|' in want else ['no table']))[:3]


def tshark_fits(wireshark):
    text, wide = (in_terminal(wireshark.command('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/shop.pcap', '-z', 'latency,operations'), columns) for columns in (80, 250))
    lines = [line for line in text.splitlines() if '|' in line]
    return [] if lines and max(map(len, lines)) <= 80 and '|p50|' not in text and 'GET /report' in text and 'Bytes' not in text and 'Bytes' in wide else [text, wide]


def wraps_notes(context):
    """What stands below a title is as wide as the terminal at most, 80 columns in a file; but not in a file with all columns. A filter stays a line."""
    command = [str(context.scan), '-z', 'latency,servers', str(CAPTURES / 'framing/dns_udp.pcap')]
    whole, found = printed(context, *WIDE, *command[1:]), []
    notes = [line for line in whole.splitlines() if '|' not in line]
    for columns, text in (80, printed(context, *command[1:])), (60, in_terminal(command, 60)), (110, in_terminal(command, 110)):
        lines = [line for line in text.splitlines() if '|' not in line]
        right = [line for line in unwrapped(text).splitlines() if '|' not in line] == notes and max(map(len, lines[2:])) <= columns < max(map(len, notes))
        found += [] if right else [f'{columns}: {lines}, {notes}']
    expression = ' || '.join(['tcp.port == 80'] * 9)
    text = context.wireshark.tshark('-q', '-r', CAPTURES / 'tcp/shop.pcap', '-z', f'latency,servers,{expression}')
    return found + ([] if f'\nFilter: {expression}\n' in text else [text])


def cuts_the_last(context):
    """A long operation goes as far as the terminal, and ends with an ellipsis, or in a locale without it with ~."""
    command = [str(context.scan), '-z', 'latency,requests', str(CAPTURES / 'tcp/shop.pcap')]
    found = []
    for locale, end in ('C.UTF-8', '…'), ('C', '~'):
        lines = [line for line in in_terminal(command, 80, LC_ALL=locale).splitlines() if '|' in line]
        found += [] if max(map(len, lines)) == 80 and any(line.endswith(end) for line in lines) else [f'{locale}: {lines[:4]}']
    return found


def keeps(context, argument):
    """The default columns."""
    heads = '|'.join(headings(only(printed(context, '-z', argument, CAPTURES / OF[argument]))))
    return [] if heads == DEFAULT[argument] else [heads]


def coloured(text, colour):
    return re.findall(re.escape(colour) + '(.*?)' + re.escape(PLAIN), text)


def colours(context):
    """Errors are red, and what is slow is yellow: on a terminal that has colours, where NO_COLOR is empty or not there, and nowhere else."""
    found = []
    for name, path, red, yellow in (('latency,requests', 'tcp/shop.pcap', set(), {'125.774', '146.772'}), ('latency,requests', 'generated/both_close_unanswered.pcap', {'closed'}, set()),
                                    ('latency,connects', 'tcp/connect_refused_unanswered.pcap', {'refused', 'unanswered', 'unreachable'}, set())):
        command = [str(context.scan), '-z', name, str(CAPTURES / path)]
        text, plain = in_terminal(command, 80, TERM='xterm'), in_terminal(command, 80)
        reds, yellows = ({cell.strip() for cell in coloured(text, colour)} for colour in (RED, YELLOW))
        found += [] if reds == red and yellow <= yellows and bool(yellow) == bool(yellows) else [f'{path}: red {reds}, yellow {yellows}']
        found += [] if re.sub('\x1b\\[\\d+m', '', text) == plain and '\x1b' not in plain else [f'{path}: colours are not all that differs']
        found += [f'{path}: {each}' for each in ({'NO_COLOR': '1'}, {'TERM': ''}) if in_terminal(command, 80, **{'TERM': 'xterm', **each}) != plain]
        found += [] if in_terminal(command, 80, TERM='xterm', NO_COLOR='') == text else ['an empty NO_COLOR is one']
        found += [] if '\x1b' not in subprocess.run(command, capture_output=True, text=True, env={**os.environ, 'TERM': 'xterm'}).stdout else ['colours in a pipe']
    return found


def bars(context):
    """On a terminal with room the share has a bar, in eighths, or where the locale has no such letters of #; elsewhere there is none."""
    command, found = [str(context.scan), '-z', 'latency,operations', str(CAPTURES / 'tcp/shop.pcap')], []
    for locale, letters, parts in ('C.UTF-8', ' ▏▎▍▌▋▊▉█', 8), ('C', ' #', 1):
        lines = [line.split('|') for line in in_terminal(command, 110, LC_ALL=locale).splitlines() if '|' in line]
        at = [cell.strip() for cell in lines[0]].index('Share')
        for share, _, bar in (line[at].strip().partition(' ') for line in lines[1:]):
            eighths = sum(letters.index(letter) for letter in bar)
            found += [] if abs(eighths - float(share) / 100 * 10 * parts) <= 0.51 + 0.005 * parts else [f'{locale}: {share} is {bar!r}']
        found += [] if len(lines) > 5 else [f'{locale}: {lines}']
    shown = subprocess.run(command, capture_output=True, text=True).stdout, in_terminal(command, 80)
    return found + [text for text in shown if re.search('[█▏▎▍▌▋▊▉#]', text)]


def slow_rows(context):
    """What is yellow follows the preference, in tshark, too."""
    path, found = CAPTURES / 'tcp/shop.pcap', []
    for milliseconds, least in ('0', None), ('2', 2), ('140', 140):
        options = '-o', f'latency.slow:{milliseconds}', '-z', 'latency,requests'
        for command in [str(context.scan), *options, str(path)], context.wireshark.command('tshark', '-n', '-q', '-r', path, *options):
            text = in_terminal(command, 80, TERM='xterm')
            yellows = [float(cell) for cell in coloured(text, YELLOW)]
            plain = [float(cell) for cell in re.findall(r'(?<=\|) *(\d+\.\d{1,3})(?=\|)', re.sub(f'{re.escape(YELLOW)}.*?{re.escape(PLAIN)}', '', text))]
            right = not yellows if least is None else yellows and min(yellows) >= least - 0.05 and not [each for each in plain if each >= least + 0.05]
            found += [] if right else [f'{command[0]} {milliseconds}: {yellows}, {max(plain)}']
    return found


def slow_waits(context):
    """What nobody waits for is not yellow, however long it takes: a long poll, a stream behind its first byte."""
    found = []
    for path, operation, other in ('waits/long_poll.pcap', 'GET /news', 'GET /report'), ('tcp/slow_bodies.pcap', 'GET /events', 'GET /trickle'):
        lines = in_terminal([str(context.scan), '-z', 'latency,requests', str(CAPTURES / path)], 80, TERM='xterm').splitlines()
        of = {name: [line for line in lines if name in line] for name in (operation, other)}
        found += [line for line in of[operation] if YELLOW in line] + [line for line in of[other] if YELLOW not in line] + ([] if all(of.values()) else [f'{path}: {lines}'])
    return found


def long_servers(context):
    """A line fits 80 columns where names of servers are as long as most."""
    lines = in_terminal([str(context.scan), '-z', 'latency,operations', str(CAPTURES / 'ca/allcmd.pcap')], 80).splitlines()
    return [line for line in lines if '|' in line and len(line) > 80]


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
    for argument in DEFAULT:
        yield f'{argument}: its default columns', functools.partial(keeps, context, argument)
    yield 'long notes', lambda: wraps_notes(context)
    yield 'a last column that is cut', lambda: cuts_the_last(context)
    yield 'colours', lambda: colours(context)
    yield 'what is slow', lambda: slow_rows(context)
    yield 'what nobody waits for', lambda: slow_waits(context)
    yield 'long names of servers', lambda: long_servers(context)
    yield 'bars of shares', lambda: bars(context)
    for kind in 'csv', 'tsv', 'json':
        yield f'latency-scan, {kind}', functools.partial(scan_equals, context, kind)
        yield f'latency-merge, {kind}', functools.partial(merge_equals, context, kind)
    yield 'tshark on 80 columns', lambda: tshark_fits(context.wireshark)
    yield 'a format that there is not', lambda: refused(context)
