# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-merge and files: what it says of wrong ones, what it makes of mutilated ones; and of captures that last."""
import functools
import json
import os
import random
import re
import shutil
import subprocess

import json_lines
from reading import split
from tools import ROOT

CAPTURES = ROOT / 'captures'
MUTATIONS = int(os.environ.get('LATENCY_TEST_MUTATIONS', 300))
S = 10**9


def run(merge, *paths):
    return subprocess.run([merge, *map(str, paths)], capture_output=True, text=True, errors='replace', timeout=300)


class Files:
    """Files of one capture, and copies of them with something wrong."""

    def __init__(self, wireshark, merge):
        self.wireshark, self.merge = wireshark, merge

    @functools.cached_property
    def written(self):
        return self.write('tcp/memcached.pcap', 'memcached.jsonl')

    @property
    def path(self):
        return self.written[0]

    @property
    def lines(self):
        return self.written[1]

    def write(self, capture, name, *arguments, filter=None):
        return json_lines.write(self.wireshark, CAPTURES / capture, *arguments, name=name + (f',{filter}' if filter else ''))

    def copy(self, lines, name='copy.jsonl', end='\n'):
        path = self.wireshark.base / name
        path.write_text('\n'.join(lines) + end)
        return path

    def changed(self, number, **members):
        """The lines, with members of one changed; None removes. The last line agrees."""
        lines = list(self.lines)
        each = {**json.loads(lines[number]), **members}
        lines[number] = json.dumps({name: value for name, value in each.items() if value is not None}, separators=(',', ':'))
        return json_lines.sealed(lines)

    def added(self, line):
        """The lines, and before the last another."""
        return [*self.lines[:-1], line, self.lines[-1]]

    def line_of(self, kind):
        return next(number for number, line in enumerate(self.lines) if json.loads(line)['type'] == kind)


def refusals(files):
    """(name, the arguments, words of the sentence)"""
    request = files.line_of('request')
    server = files.line_of('server')
    segments = files.line_of('segments')
    yield 'no file', ['/nonexistent.jsonl'], ['nonexistent.jsonl', 'No such file']
    yield 'a folder', ['/'], ['could not be read']
    yield 'empty', [files.copy([], 'empty.jsonl', end='')], ['empty.jsonl": the file is empty']
    yield 'a capture', [ROOT / 'captures/tcp/shop.pcap'], ['latency-scan --json']
    yield 'no capture', [files.copy(files.lines[1:])], ['does not begin']
    yield 'format', [files.copy(files.changed(0, format=2))], ['format 2', 'format 5']
    yield 'no content', [files.copy(files.changed(0, content=None))], ['"content"']
    yield 'another histogram', [files.copy(files.changed(0, histogram={'rule': 'linear', 'bits': 7}))], ['"histogram"']
    yield 'not JSON', [files.copy(files.added('{"type": '))], ['not JSON', f'line {len(files.lines)}']
    yield 'an array', [files.copy(files.added('[]'))], ['not a JSON object']
    yield 'a number', [files.copy(files.added('7'))], ['not a JSON object']
    yield 'two objects', [files.copy([files.lines[0] + ' ' + files.lines[1], *files.lines[2:]])], ['more than one', 'line 1']
    yield 'an assignment', [files.copy(files.added('var x = {"type":"sender"}'))], ['not a JSON object']
    yield 'deep', [files.copy(files.added('[' * 10**6))], ['nested']
    yield 'no member', [files.copy(files.changed(request, first_byte=None))], ['"first_byte"', f'line {request + 1}']
    yield 'negative', [files.copy(files.changed(request, last_byte=-1))], ['"last_byte"']
    for member in 'request_frame', 'response_bytes':
        yield f'text for number, {member}', [files.copy(files.changed(request, **{member: '7'}))], [f'"{member}"']
    yield 'address', [files.copy(files.changed(request, server='example.org'))], ['"server"']
    yield 'segments', [files.copy(files.changed(segments, segments=[[1, 2, 3]]))], ['"segments"']
    row = json.loads(files.lines[segments])['segments'][0][:10]
    for name, text in ('long', 'x' * 204), ('that a terminal obeys', 'GET \x9b31m'):
        for what, columns in ('an operation', [text]), ("a message's operation", ['', [[1, 2, 5, 5, 0, row[3], text]]]):
            yield f'{what}, {name}', [files.copy(files.changed(segments, segments=[[*row, *columns]]))], ['"segments"', f'line {segments + 1}']
    for name in 'kind', 'host':
        yield f'a {name} that a terminal obeys', [files.copy(files.changed(request, **{name: 'a\x1b[31m'}))], [f'"{name}"']
    yield 'statistic', [files.copy(files.changed(server, first_byte={'count': 1}))], ['"first_byte"']
    yield 'another type', [files.copy(files.added('{"type":"chanel"}'))], ['"chanel"']
    yield 'no last line', [files.copy(files.lines[:-1])], ['not whole', '"end"']
    yield 'two last lines', [files.copy([*files.lines, files.lines[-1]])], ['follows', f'line {len(files.lines) + 1}']
    yield 'no counts', [files.copy([*files.lines[:-1], '{"type":"end","sha256":""}'])], ['"lines"']
    yield 'no checksum', [files.copy([*files.lines[:-1], '{"type":"end","lines":' + json.dumps(json.loads(files.lines[-1])['lines']) + '}'])], ['"sha256"']
    yield 'a sender less', [files.copy([line for number, line in enumerate(files.lines) if number != files.line_of('sender')])], \
        ['not whole', '"sender"']
    yield 'a changed number', [files.copy([line.replace('"payload_frames":', '"payload_frames":1') for line in files.lines])], ['changed']
    yield 'cut in a line', [files.copy(files.lines[:-1] + [files.lines[-1][:20]], end='')], ['middle']
    yield 'cut after a line', [files.copy(files.lines[:request + 1])], ['not whole']
    yield 'cut before the tables', [files.copy(files.lines[:server])], ['not whole']
    for name, kind, words in (('requests', 'request', ['not whole', 'requests']), ('servers', 'server', ['not whole', 'requests to servers'])):
        less = [line for number, line in enumerate(files.lines) if number != files.line_of(kind)]
        yield f'fewer {name} than its first line says', [files.copy(json_lines.sealed(less))], words


def check_refusals(files):
    found = []
    for name, arguments, words in refusals(files):
        result = run(files.merge, *arguments)
        if result.returncode != 1 or result.stdout or result.stderr.count('\n') != 1 \
                or not all(word in result.stderr for word in words):
            found.append(f'{name}: exit code {result.returncode}: {result.stderr[:300]}{result.stdout[:100]}')
    return found


def check_usage(files):
    found = []
    for arguments, code, text in (([], 2, 'no file'), (['--nonsense'], 2, 'nonsense'), (['--help'], 0, 'Exit codes'),
                                  (['--version'], 0, 'latency-merge '),
                                  (['-z', 'latency,server', files.path], 2, 'There is no table latency,server. Did you mean latency,servers?'),
                                  (['-z', 'requests', files.path], 2, 'There is no table latency,requests of many captures'),
                                  (['-z', 'servers,ip', files.path], 2, 'latency-merge has no filters'), (['-f', 'cvs', files.path], 2, 'Did you mean csv?')):
        result = run(files.merge, *arguments)
        if result.returncode != code or text not in result.stdout + result.stderr:
            found.append(f'{arguments}: exit code {result.returncode}: {result.stdout}{result.stderr}')
    return found


def check_tables(files):
    """Those that -z names, by whole names or short ones, in the order in which they are without."""
    every = run(files.merge, files.path).stdout
    some = run(files.merge, '-z', 'operations', '-z', 'latency,servers', files.path)
    none = run(files.merge, '-z', 'ca,servers', files.path)
    found = [] if some.returncode == 0 and some.stdout and every.startswith(some.stdout + '\n') and list(split(some.stdout)) == ['latency,servers', 'latency,operations'] else [some.stdout, some.stderr]
    return found + ([] if none.returncode == 0 and list(split(none.stdout)) == ['ca,servers'] else [none.stdout, none.stderr])


def tshark(files, *arguments):
    return files.wireshark.start('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/memcached.pcap', *arguments)


def check_outputs(files):
    """Standard output gets what a file gets; what cannot be written is said, and nothing is left behind."""
    found, folder = [], files.wireshark.base / 'outputs'
    folder.mkdir()
    folder.chmod(0o777)
    for argument in ('latency,json', 'latency,json,', 'latency,json,-'):
        result = tshark(files, '-z', argument)
        if result.returncode or result.stdout.splitlines() != files.lines:
            found.append(f'{argument}: exit code {result.returncode}: {result.stderr}')
    two = tshark(files, '-z', f'latency,json,{folder}/a', '-z', f'latency,json,{folder}/b', '-z', 'latency,servers')
    if two.returncode or any((folder / name).read_text().splitlines() != files.lines for name in 'ab'):
        found.append(f'two at once: exit code {two.returncode}: {two.stderr}')
    kept = folder / 'kept'
    kept.write_bytes(files.path.read_bytes())
    kept.chmod(0o666)
    (folder / 'locked').mkdir()
    for argument, words in (('latency,json,/dev/full', ['No space left']), (f'latency,json,{folder}', ['Is a directory']),
                            ('latency,json,/nonexistent/file', ['/nonexistent/file', 'No such file']),
                            (f'latency,json,{folder}/locked/file', ['Permission denied']),
                            ('latency,jsonlines', ['Invalid -z argument', 'latency,json[,file[,filter]]']),
                            (f'latency,json,{kept},no.such.field', ['Invalid filter', 'no.such.field'])):
        result = tshark(files, '-z', argument, '-z', 'latency,servers')
        if result.returncode != 1 or not all(word in result.stderr for word in words) or result.stderr.count('\n') != 1:
            found.append(f'{argument}: exit code {result.returncode}: {result.stderr}')
    left = sorted(path.name for path in folder.iterdir())
    if left != ['a', 'b', 'kept', 'locked'] or kept.read_bytes() != files.path.read_bytes():
        found.append(f'left behind: {left}')
    return found


def check_sessions(files):
    """tshark -M forgets all it knows every so many frames; in the file, nothing is lost. A request whose session ends before its answer is one of a turn."""
    def figures(text):
        return re.sub(r'; [0-9]+ by (messages|turns)\b[^.]*\.', '', text)
    whole, found = run(files.merge, files.path).stdout, []
    for frames in (1, 7, 100, 1000):
        path, lines = files.write('tcp/memcached.pcap', 'sessions.jsonl', '-M', frames)
        result = run(files.merge, path)
        found += [f'every {frames}: {problem}' for problem in json_lines.check_schema(lines)]
        if result.returncode or figures(result.stdout) != figures(whole) or whole == figures(whole):
            found += [f'every {frames}: exit code {result.returncode}: {result.stderr}', *result.stdout.splitlines()]
    return found


def check_warnings(files):
    """What is doubtful is said, and the tables come."""
    filtered, _ = files.write('tcp/memcached.pcap', 'filtered.jsonl', filter='tcp.port == 11211')
    settings, _ = files.write('tcp/redis.pcap', 'settings.jsonl', '-o', 'latency.timeout:5')
    other, _ = files.write('tcp/redis.pcap', 'other.jsonl')
    found = []
    for paths, words in (([files.path, files.path], ['counts twice']), ([filtered], ['tcp.port == 11211', 'not joined']),
                         ([files.path, settings], ['timeout 5000000000 ns', 'timeout 0 ns']), ([files.path, other], [])):
        result = run(files.merge, *paths)
        if result.returncode or 'Connections, by ' not in result.stdout or bool(words) != bool(result.stderr) \
                or not all(word in result.stderr for word in words):
            found.append(f'{paths}: exit code {result.returncode}: {result.stderr}')
    return found


def check_touching(files):
    """Captures of which one begins with the time that the other ends with have nothing in common; a nanosecond less, and they may have."""
    head = json.loads(files.lines[0])
    last = head['last_time']
    before = files.copy(json_lines.reduced(files.lines, 'summary'), 'before.jsonl')
    found = []
    for begin, warned in ((last, False), (last - 1, True)):
        after = files.copy(json_lines.reduced(files.changed(0, first_time=begin, last_time=last + S), 'summary'), 'after.jsonl')
        result = run(files.merge, before, after)
        if result.returncode or ('counts twice' in result.stderr) != warned:
            found.append(f'{last - begin} ns: exit code {result.returncode}: {result.stderr}')
    return found


def mutilated(lines, chance):
    """One thing wrong somewhere, mostly in a line's numbers, sometimes in its bytes, sometimes in the order of lines."""
    lines = list(lines)
    at = chance.randrange(len(lines))
    how = chance.randrange(6)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(chance.randrange(len(lines)), lines[at])
    elif how == 2:
        lines[at] = lines[at][:chance.randrange(len(lines[at]))]
    elif how == 3:
        place = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + chr(chance.randrange(1, 256)) + lines[at][place + 1:]
    else:
        numbers = [place for place, byte in enumerate(lines[at]) if byte.isdigit()]
        place = chance.choice(numbers) if numbers else 0
        new = chance.choice(['-1', '0', '9' * 19, '-' + '9' * 18, '4294967295', '1e300', 'null', '""', '[]', '{}', 'true', '0.5'])
        lines[at] = lines[at][:place] + new + lines[at][place + 1:]
    return lines


def check_mutilated(files):
    """No crash, whatever is in a file."""
    found, chance = [], random.Random(4)
    names = ['generated/reordering.pcap', 'generated/icmp_unreachable.pcap', 'generated/midstream.pcap', 'generated/ipv6.pcap',
             'tcp/http_small_offload_off.pcap', 'ca/any_sll2.pcap']
    originals = [files.write(name, 'original.jsonl', '-o', f'latency.json:{content}')[1]
                 for name in names for content in ('all', 'rows', 'summary')]
    originals += [files.write('tcp/shop.pcap', 'original.jsonl', '-o', f'latency.json:{content}', '-o', 'latency.json_calls:TRUE')[1] for content in ('all', 'rows')]
    for number in range(MUTATIONS):
        lines = chance.choice(originals)
        for _ in range(chance.randrange(1, 4)):
            lines = mutilated(lines, chance) if lines else lines
        lines = json_lines.sealed(lines) if chance.random() < .8 else lines
        result = run(files.merge, files.copy(lines), files.path)
        if result.returncode not in (0, 1) or 'Sanitizer' in result.stderr or 'runtime error' in result.stderr:
            kept = shutil.copy(files.wireshark.base / 'copy.jsonl', f'/tmp/mutilated-{number}.jsonl')
            found.append(f'{kept}: exit code {result.returncode}: {result.stderr[:1500]}')
    return found


EDITED = ['generated/reordering.pcap', 'generated/icmp_unreachable.pcap', 'generated/midstream.pcap', 'tcp/http_small_offload_off.pcap',
          'tcp/tls.pcap', 'ca/any_sll2.pcap']


def edits(lines):
    """(what was done, the lines): whatever a line can be made to lack, have twice, or stand before."""
    count = range(len(lines))
    yield from ((f'without line {at + 1}', lines[:at] + lines[at + 1:]) for at in count)
    yield from ((f'line {at + 1} twice', lines[:at] + [lines[at]] + lines[at:]) for at in count)
    yield from ((f'cut before line {at + 1}', lines[:at]) for at in count)
    yield from ((f'from line {at + 1}', lines[at:]) for at in count[1:])
    yield from ((f'lines {at + 1} and {at + 2} on one', [*lines[:at], lines[at] + lines[at + 1], *lines[at + 2:]]) for at in count[:-1])
    for one, other in ((one, other) for one in count for other in (one + 1, (one * 7 + 3) % len(lines)) if one < other < len(lines)):
        swapped = list(lines)
        swapped[one], swapped[other] = lines[other], lines[one]
        if swapped != lines:
            yield f'lines {one + 1} and {other + 1} swapped', swapped


def check_edits(files):
    """A file of which a line is missing, comes twice, or stands elsewhere is refused, whatever its line is; with one sentence."""
    found, tried = [], 0
    for name in EDITED:
        for content in ('all', 'rows', 'summary'):
            lines = files.write(name, 'whole.jsonl', '-o', f'latency.json:{content}')[1]
            for what, edited in edits(lines):
                tried += 1
                result = run(files.merge, files.copy(edited))
                if result.returncode != 1 or result.stdout or result.stderr.count('\n') != 1:
                    found.append(f'{name} {content} {what}: exit code {result.returncode}: {result.stderr}{result.stdout[:100]}')
    return found if tried > 1000 else found + [f'{tried} edits']


def check_no_output(files):
    """A closed standard output, or a full one, is an error; and what would have been printed is in no file."""
    found, before = [], files.path.read_bytes()
    for redirected, words in (('>&-', 'closed'), ('>/dev/full', 'could not be written')):
        result = subprocess.run(['sh', '-c', f'"$0" "$1" {redirected}', files.merge, files.path], capture_output=True, text=True)
        if result.returncode != 1 or words not in result.stderr or result.stderr.count('\n') != 1:
            found.append(f'latency-merge {redirected}: exit code {result.returncode}: {result.stderr}')
        command = files.wireshark.command('tshark', '-n', '-q', '-r', CAPTURES / 'tcp/memcached.pcap', '-z', 'latency,json')
        result = subprocess.run(['sh', '-c', f'"$@" {redirected}', 'sh', *command], capture_output=True, text=True)
        if result.returncode != 1 or 'could not be written to standard output' not in result.stderr:
            found.append(f'tshark {redirected}: exit code {result.returncode}: {result.stderr}')
    return found if files.path.read_bytes() == before else [*found, 'the file has changed']


def lasting(files):
    """A capture of some minutes: others, one after the other."""
    parts, begin = [], 1700000000
    for number, name in enumerate(('http_delays', 'redis', 'server_stops', 'memcached', 'tls', 'midstream')):
        part = files.wireshark.base / f'{name}.pcap'
        capture = CAPTURES / f'tcp/{name}.pcap'
        first = json.loads(files.write(capture, 'part.jsonl')[1][0])['first_time']
        shift = f'{(begin + 200 * number) * S - first:+}'
        subprocess.run(['editcap', '-t', f'{shift[:-9].lstrip("+")}.{shift[-9:]}', capture, part], check=True, capture_output=True)
        parts.append(part)
    whole = files.wireshark.base / 'lasting.pcap'
    subprocess.run(['mergecap', '-w', whole, *parts], check=True, capture_output=True)
    whole.chmod(0o644)
    return whole


def check_lasting(files):
    """Connections that are over leave no segments, and are counted from rows; pieces merge all the same."""
    whole, found, chance = lasting(files), [], random.Random(9)
    taps = [word for name in ('servers', 'operations', 'connections', 'hosts') for word in ('-z', f'latency,{name}')]
    want = tables(files.wireshark.tshark('-q', '-r', whole, *taps))
    _, lines = files.write(whole, 'lasting.jsonl')
    objects = json_lines.read(lines)
    connections = {each['connection'] for each in objects['request'] + objects['attempt']}
    kept = {each['connection'] for each in objects['segments']}
    if not 0 < len(kept) < len(connections) / 2:
        found.append(f'{len(kept)} of {len(connections)} connections have segments')
    frames = objects['capture'][0]['frames']
    for cuts in ([], *(sorted(chance.sample(range(1, frames), k)) for k in (1, 3, 6, 9))):
        result = run(files.merge, *pieces(files, whole, [*cuts, frames]))
        if result.returncode or tables(result.stdout) != want:
            found += [f'cut after {cuts}: exit code {result.returncode}: {result.stderr}', *result.stdout.splitlines()]
    return found


def check_folded_numbers(files):
    """latency.fold_numbers holds in the pieces of a capture, cut within its connection: also for requests that are replayed."""
    capture, fold, found = CAPTURES / 'generated/forgotten_request.pcap', ('-o', 'latency.fold_numbers:TRUE'), []
    taps = [word for name in ('servers', 'operations', 'connections', 'hosts') for word in ('-z', f'latency,{name}')]
    want = tables(files.wireshark.tshark('-q', '-r', capture, *fold, *taps))
    if not any(row.endswith('|GET /{n}') for row in want):
        found.append(f'nothing to fold: {want}')
    paths = pieces(files, capture, [2, 5, 8], *fold)
    result = run(files.merge, *paths)
    if result.returncode or result.stderr or tables(result.stdout) != want:
        found += [f'exit code {result.returncode}: {result.stderr}', *result.stdout.splitlines()]
    plain, _ = files.write('tcp/redis.pcap', 'plain.jsonl')
    if 'folded numbers' not in run(files.merge, plain, paths[0]).stderr:
        found.append('no warning where only one file was written with it')
    return found


def check_quoted(files):
    """A file's last message stands behind what an ICMP error quotes; the next file has other connections alone, whose frames have the same numbers."""
    found, capture = [], CAPTURES / 'generated/quoted_last.pcap'
    for cut in range(1, 6):
        result = run(files.merge, '--in-order', *pieces(files, capture, [cut, 6]))
        if result.returncode:
            found.append(f'cut after {cut}: exit code {result.returncode}: {result.stderr}')
    return found


def pieces(files, capture, ends, *arguments):
    """The JSON lines of the capture's pieces, each of which ends with one of these frames."""
    paths = []
    for first, last in zip([0, *ends], ends):
        piece = files.wireshark.base / 'piece.pcap'
        subprocess.run(['editcap', '-r', capture, piece, f'{first + 1}-{last}'], check=True, capture_output=True)
        piece.chmod(0o644)
        paths.append(files.write(piece, f'piece-{first}.jsonl', *arguments)[0])
    return paths


def tables(text):
    """The rows of all tables printed, by number of columns."""
    return sorted(line.rstrip() for line in text.splitlines() if '|' in line)


def check_mixed(files):
    """Of a first file with sums alone, and two with rows: a host that is a server's address has the server's percentiles, exact ones too."""
    frames, paths = 206, []
    for number, content in enumerate(('summary', 'all', 'rows')):
        piece = files.wireshark.base / f'mixed-{number}.pcap'
        first, last = number * frames // 3 + 1, (number + 1) * frames // 3
        subprocess.run(['editcap', '-r', CAPTURES / 'ca/caproto.pcap', piece, f'{first}-{last}'], check=True, capture_output=True)
        piece.chmod(0o644)
        paths.append(files.copy(json_lines.reduced(files.write(piece, f'mixed-{number}.jsonl')[1], content), f'mixed-{number}.{content}'))
    rows = [json.loads(line) for line in run(files.merge, '--in-order', '--format', 'json', *paths).stdout.splitlines()]
    hosts = {each['host']: [each[f'{kind}{name}_ms'] for kind in ('', 'ttfb_') for name in ('p50', 'p95', 'p99')] for each in rows if each['table'] == 'latency,hosts' and each['requests']}
    servers = {each['server']: [each[f'{kind}{name}_ms'] for kind in ('', 'ttfb_') for name in ('p50', 'p95', 'p99')] for each in rows if each['table'] == 'latency,servers'}
    return [f'hosts {hosts}, servers {servers}'] if hosts != servers or not hosts else []


def cases(context):
    files = Files(context.wireshark, context.merge)
    for check in check_usage, check_tables, check_refusals, check_outputs, check_sessions, check_warnings, check_touching, check_edits, check_no_output, \
            check_mutilated, check_lasting, check_folded_numbers, check_quoted, check_mixed:
        yield check.__name__.removeprefix('check_'), functools.partial(check, files)
