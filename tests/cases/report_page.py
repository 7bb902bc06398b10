# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-report's pages: their figures are the tables' of the same captures, and a browser without a network draws all of them."""
import collections
import csv
import functools
import hashlib
import html
import io
import json
import math
import os
import random
import re
import shutil
import subprocess
import tempfile

import json_lines
import merge_files
from outline import Group, Skipped
from tools import ROOT, SANITIZED
from vocabulary import STAGES

CAPTURES = ROOT / 'captures'
# HTTP, slow bodies, requests in flight, Redis with pipelines, errors, TLS without keys, requests of every fate, IPv6, losses, no requests, handshakes of TLS; Channel Access and
# pvAccess, also channels that never connect; the kernel's stages.
NAMES = ['tcp/shop.pcap', 'tcp/slow_bodies.pcap', 'framing/dns_udp.pcap', 'framing/redis_odd.pcap', 'framing/http.pcap', 'tcp/tls.pcap', 'generated/rst_unanswered.pcap', 'generated/ipv6.pcap',
         'tcp/http_2m_offload_on_dropped.pcap', 'tcp/connect_refused_unanswered.pcap', 'tls/handshakes.pcap', 'ca/basic.pcap', 'ca/unanswered.pcap',
         'ca/nameserver.pcap', 'pva/many.pcap', 'pva/cpp.pcap', 'kernel/stages-lo.pcapng', 'kernel/memcached-6.12.pcapng']
MUTATIONS = 60
BROWSERS = 'chromium-headless-shell', 'chromium'
FIGURES = re.compile(r'<script type="application/json" id="figures">\n(.*?)</script>', re.S)
MS = 10**6


def run(*command, code=0):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != code:
        raise RuntimeError(f'{command[0]}: exit code {result.returncode}: {result.stderr}')
    return result


class Report:
    def __init__(self, context, folder, *captures, content='rows'):
        self.context, self.captures = context, captures
        self.page, files = folder / 'page.html', []
        for number, capture in enumerate(captures):
            files.append(folder / f'{number}.jsonl')
            run(context.scan, '-o', f'latency.json:{content}', '--json', files[-1], '-z', 'latency,servers', capture)
        run(context.report, *files, '-o', self.page)
        self.lines = [json.loads(line) for line in files[0].read_text().splitlines()]
        self.requests = [line for line in self.lines if line['type'] == 'request']
        self.text = self.page.read_text()
        self.figures = json.loads(FIGURES.search(self.text)[1])

    def table(self, name, tap='latency'):
        """latency-scan's, of the first capture, as objects of texts."""
        text = run(self.context.scan, '-o', 'latency.format:csv', '-z', f'{tap},{name}', self.captures[0]).stdout
        return list(csv.DictReader(io.StringIO(text)))


def same_time(exact, cell):
    return exact is None and cell == '' or cell != '' and abs(exact - float(cell) * MS) <= 1e-9 * abs(exact) + 0.001


def same_share(exact, cell):
    return cell == '' and exact == 0 or cell != '' and abs(100 * exact - float(cell)) < 1e-6


COUNTS = {'requests': 'requests', 'unanswered': 'unanswered', 'errors': 'errors', 'bytes': 'response_bytes', 'serverTimes': 'server_times'}
TIMES = {'waited': 'total_ms', 'mean': 'mean_ms', 'p50': 'p50_ms', 'p95': 'p95_ms', 'p99': 'p99_ms', 'max': 'max_ms', 'firstByte': 'ttfb_mean_ms', 'serverTime': 'server_time_ms'}


def wait(line):
    """How long the client of a request waited for the server, by its line: for all of its response, of a stream for the first byte, not for an event; None if nothing came."""
    if line['outcome'] not in ('answered', 'truncated', 'cancelled'):
        return None
    return 0 if 'long_poll' in line else line['first_byte' if 'streaming' in line else 'last_byte']


def duration(line):
    """How long its response took in all; None of one that is none, a stream, or awaited an event."""
    return None if 'long_poll' in line or 'streaming' in line else wait(line)


def percentile(values, share):
    at = share * (len(values) - 1)
    below, above = values[math.floor(at)], values[math.ceil(at)]
    return below + (above - below) * (at - math.floor(at))


def described(lines):
    """What a row says of how long its clients waited, by its requests' lines."""
    values = sorted(duration(line) for line in lines if duration(line) is not None)
    sums = {'waited': sum(wait(line) or 0 for line in lines), 'durations': len(values), 'streams': sum('streaming' in line and 'long_poll' not in line for line in lines),
            'longPolls': sum('long_poll' in line and wait(line) is not None for line in lines)}
    if not values:
        return {**sums, 'mean': None, 'p50': None, 'p95': None, 'p99': None, 'max': None}
    return {**sums, 'mean': sum(values) / len(values), 'max': values[-1],
            **{f'p{share}': percentile(values, share / 100) for share in (50, 95, 99)}}


def endpoint(line):
    return ('[%s]:%d' if ':' in line['server'] else '%s:%d') % (line['server'], line['server_port'])


def alike(mine, exact):
    return mine is exact is None or None not in (mine, exact) and abs(mine - exact) <= 1e-9 * abs(exact) + 0.001


def heat_equal(report, key, heat):
    """An operation's map has each of its responses at the time at which its request began, and in the bucket of its duration."""
    want, got = collections.Counter(), collections.Counter()
    for line in report.requests:
        if (endpoint(line), line.get('kind', '')) == key and duration(line) is not None:
            bucket = math.floor(math.log10(duration(line)) * 10) if duration(line) > 0 else 0
            want[(line['request_time'] - int(report.figures['first'])) // report.figures['moment'], bucket] += 1
    for moment, first, *counts in heat:
        got.update({(moment, first + i): n for i, n in enumerate(counts) if n})
    return [] if got == want else [f'heat of {key}: {got - want}, not {want - got}']


def rows_equal(report, name):
    """The rows of a table, in its order, those that have waited longest."""
    mine, theirs = report.figures[name], report.table(name)
    found = [] if len(mine) == min(len(theirs), {'servers': 12, 'operations': 200}[name]) and report.figures['inAll'][name] == len(theirs) else [
        f'{name}: {len(mine)} of {report.figures["inAll"][name]} rows, {len(theirs)} in the table']
    rows = {(row['server'], row.get('kind')): row for row in theirs}
    lines = {key: [] for key in rows}
    for line in report.requests:
        lines[endpoint(line), line.get('kind', '') if name == 'operations' else None].append(line)
    all_waited = sum(wait(line) or 0 for line in report.requests)
    shares = [each['share'] for each in mine]
    found += [] if shares == sorted(shares, reverse=True) else [f'{name}: shares {shares}']
    totals = [row['total_ms'] for row in theirs]
    found += [f'{name}: {each["server"]} is row {i}' for i, each in enumerate(mine) if rows[each['server'], each.get('operation')]['total_ms'] != totals[i]]
    for each in mine:
        key = each['server'], each.get('operation')
        row, want = rows[key], described(lines[key])
        found += [] if abs(each['share'] * all_waited - want['waited']) <= 1e-6 * all_waited else [f'{name}: {key} share: {each["share"]}']
        found += [] if same_share(each['share'], row['share_percent']) else [f'{name}: {key} share: {each["share"]} is not {row["share_percent"]} %']
        found += [f'{name}: {key} {member}: {each[member]} is not {value}' for member, value in want.items() if not alike(each[member], value)]
        found += [] if bool(each.get('curve')) == (want['durations'] > 0) or name == 'operations' and mine.index(each) >= 20 else [f'{name}: {key}: curve {each.get("curve")}']
        if name == 'operations' and 'heat' in each:
            found += heat_equal(report, key, each['heat'])
        found += [f'{name}: {each["server"]} {member}: {each[member]} is not {row[head]}' for member, head in COUNTS.items() if each[member] != int(row[head])]
        found += [f'{name}: {each["server"]} {member}: {each[member]} is not {row[head]}' for member, head in TIMES.items() if not same_time(each[member], row[head])]
    return found


def milliseconds(cell):
    return round(float(cell) * MS) if cell else 0


def setups(report):
    """How long a connection's first request waited before it, by the lines: of the slowest what the page should say."""
    first, took = {}, {}
    for line in report.lines:
        key = line.get('connection')
        if line['type'] == 'request':
            first[key] = min(first.get(key, line['number']), line['number'])
        if line['type'] == 'attempt' and line['result'] == 'accepted' or line['type'] == 'handshake' and line['result'] == 'complete':
            took.setdefault(key, {}).update({name: line[name] for name in ('connect', 'handshake') if name in line})
    return {line['number']: took.get(line['connection'], {}) for line in report.lines if line['type'] == 'request' and first[line['connection']] == line['number']}


def setups_equal(report):
    want = setups(report)
    return [f'request {row["number"]}: {mine}, not {want.get(row["number"], {})}' for row in report.figures['slowest']
            if (mine := {name: row[name] for name in ('connect', 'handshake') if name in row}) != want.get(row['number'], {})]


WAITS = 'search', 'beforeConnect', 'tcpConnect', 'hello', 'beforeCreate', 'create'


def channels_equal(report):
    """Those of both protocols are those of ca,channels and pva,channels; the phases of a channel add up to its time."""
    figures = report.figures
    rows = [row for tap in ('ca', 'pva') for row in report.table('channels', tap)]
    connected = sorted((milliseconds(row['connect_ms'] or row['create_ms']) for row in rows if row['outcome'] == 'ok'), reverse=True)
    never = [row for row in rows if row['outcome'] != 'ok']
    waited = sorted((milliseconds(row['waited_ms'] or row['connect_ms'] or row['create_ms']) for row in never), reverse=True)
    reasons = collections.Counter((row['outcome'], row['reason']) for row in rows)
    attempts = collections.Counter()
    for row in (row for tap in ('ca', 'pva') for row in report.table('searches', tap)):
        attempts[row['name']] += int(row['attempts'])
    checks = {
        'slowest channels': ([row['took'] for row in figures['channels']], connected[:100]),
        'never connected': ([row['took'] for row in figures['neverConnected']], waited[:100]),
        'outcomes': ({(row['outcome'], row['reason']): row['channels'] for row in figures['outcomes']}, dict(reasons)),
        'searches': ([row['attempts'] for row in figures['searches']], sorted(attempts.values(), reverse=True)[:100]),
        'names': ([row['name'] for row in figures['searches'] if row['attempts'] != attempts[row['name']]], []),
        'phases': ([row['pv'] for row in figures['channels'] + figures['neverConnected'] if sum(row[name] for name in WAITS) != row['took']], []),
        'names of channels': ({row['pv'] for row in figures['channels']} - {row['pv'] for row in rows}, set()),
    }
    return [f'{what}: {mine} is not {theirs}' for what, (mine, theirs) in checks.items() if mine != theirs]


def stages_equal(report):
    """Added up over time, those of each server are those of latency,kernel."""
    want, got = collections.Counter(), collections.Counter()
    for row in report.table('kernel'):
        want[row['server'], 'requests'] += int(row['whole'])
        for name in STAGES:
            want[row['server'], name] += int(row['whole']) * float(row[f'{name}_us'] or 0) * 1000
    for server in report.figures['servers']:
        for _, requests, *sums in server.get('stages', []):
            got[server['server'], 'requests'] += requests
            for name, value in zip(STAGES, sums):
                got[server['server'], name] += value
    return [f'stages of {key}: {got[key]} is not {want[key]}' for key in {*want, *got} if abs(got[key] - want[key]) > 1e-6 * abs(want[key])]


def in_all(requests):
    """What the page's first sentences say of all requests."""
    outcomes = collections.Counter(line['outcome'] for line in requests)
    servers = {line['server'] for line in requests}
    return {'requests': len(requests), 'unanswered': sum(outcomes[name] for name in ('reset', 'closed', 'timed out', 'lost', 'refused')), 'inFlight': outcomes['waiting'],
            'streams': sum('streaming' in line and 'long_poll' not in line for line in requests), 'longPolls': sum('long_poll' in line and wait(line) is not None for line in requests),
            'errors': sum('error' in line or line['outcome'] == 'truncated' for line in requests if wait(line) is not None), 'waited': sum(wait(line) or 0 for line in requests),
            'outermost': sum(wait(line) or 0 for line in requests if line['client'] not in servers)}


def figures_equal(context, capture):
    """Servers, operations, sums over time, the slowest, and attempts are those of the tables."""
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / capture)
        figures, requests = report.figures, report.table('requests')
        found = rows_equal(report, 'servers') + rows_equal(report, 'operations')
        answered = [line for line in report.requests if duration(line) is not None]
        slowest = sorted((wait(line) for line in report.requests if wait(line) is not None and 'long_poll' not in line), reverse=True)[:100]
        first_bytes = {line['number']: line.get('first_byte') for line in report.requests}
        names = {(row['number'], row['request_frame'], row['client'], row['server'], row['first_byte_ms']) for row in requests}
        listed = [(str(row['number']), str(row['frame']), row['client'], row['server']) for row in figures['slowest']]
        checks = {
            'heat map': (sum(sum(counts) for _, _, *counts in figures['heat']), len(answered)),
            'histograms': (sum(count for server in figures['servers'] for _, count in server.get('histogram', [])), len(answered)),
            'requests over time': (sum(moment[0] for moment in figures['moments']), len(requests)),
            'errors over time': (sum(moment[1] for moment in figures['moments']), sum(server['errors'] for server in figures['servers'])),
            'unanswered over time': (sum(moment[2] for moment in figures['moments']), sum(int(row['unanswered']) for row in report.table('servers'))),
            'bytes over time': (sum(moment[3] for moment in figures['moments']), sum(int(row['response_bytes']) for row in requests)),
            'slowest': ([row['duration'] for row in figures['slowest']], slowest),
            'slowest, TTFB': ([row['firstByte'] for row in figures['slowest']], [first_bytes[row['number']] for row in figures['slowest']]),
            'in all': (figures['all'], in_all(report.requests)),
            'slowest, which': (set(listed) - {name[:4] for name in names}, set()),
            'attempts': (sum(row['attempts'] for row in figures['attempts']), len(report.table('connects'))),
            'sent again': (sum(row['retransmitted'] for row in figures['paths']), sum(int(row['retransmitted']) for row in report.table('packets'))),
        }
        for server in figures['servers']:
            curve = dict(server.get('curve', []))
            if 10 in curve and abs(curve[0] - min(curve.values())) > 0 or list(curve.values()) != sorted(curve.values()):
                found.append(f'curve of {server["server"]}: {curve}')
        found += [] if shown_waiting(figures) == waiting_for(report.requests) else [f'waiting: {shown_waiting(figures)}, not {waiting_for(report.requests)}']
        found += setups_equal(report) + channels_equal(report) + stages_equal(report)
        return found + [f'{what}: {mine} is not {theirs}' for what, (mine, theirs) in checks.items() if mine != theirs]


def named(line):
    return endpoint(line), line.get('kind', '')


def waiting_for(requests):
    """Which operation waits for which, by all requests: those of the second that the first's host sends lie each within one request to it, at least three within its own;
    those of the first of which one of the second takes half or more are at least half of its time."""
    spans = [(line['request_time'], math.inf if wait(line) is None else line['request_time'] + line['last_byte'], line) for line in requests]
    within, unsure, lasted = collections.defaultdict(list), set(), collections.Counter()
    for begin, end, line in spans:
        lasted[named(line)] += duration(line) or 0
        if duration(line) is None:
            continue
        around = [other for start, stop, other in spans if other is not line and other['server'] == line['client'] and start <= begin and end <= stop]
        if len(around) != 1 or duration(around[0]) is None:
            unsure.add((line['client'], named(line)))
        else:
            within[named(around[0]), named(line)].append((around[0], line))
    found = {}
    for (outer, inner), pairs in within.items():
        halves = [wait(around) for around, line in pairs if 2 * wait(line) >= wait(around)]
        if (pairs[0][0]['server'], inner) not in unsure and len(halves) >= 3 and 2 * sum(halves) >= lasted[outer] and lasted[inner] > lasted[found.get(outer)]:
            found[outer] = inner
    return found


def shown_waiting(figures):
    rows = [(row['server'], row['operation']) for row in figures['operations']]
    return {rows[i]: rows[row['waitsFor']] for i, row in enumerate(figures['operations']) if 'waitsFor' in row}


def nested(context):
    """That an operation waits for another is said where all its requests show it; not if one of the other is outside, within two, or within one that has no response. The
    1000 longest requests are looked at."""
    report, keys = ('10.77.0.2:80', 'GET /report'), ('10.77.0.3:6379', 'KEYS')
    with tempfile.TemporaryDirectory() as folder:
        original = Report(context, ROOT / folder, CAPTURES / 'tcp/shop.pcap')
        first = min((line for line in original.requests if named(line) == keys), key=lambda line: line['request_time'])
        other = next(line for line in original.requests if line.get('kind') == 'GET /')
        long = {**other, 'number': 1000, 'request_time': first['request_time'] - 1000, 'last_byte': first['last_byte'] + 2000}
        unanswered = {name: value for name, value in long.items() if name not in ('last_byte', 'first_byte', 'service', 'server_time')} | {'outcome': 'lost'}
        few = sorted(line['request_time'] for line in original.requests if named(line) == report)[2]
        def many(duration):
            return [{**other, 'client': '10.77.0.9', 'number': 1000 + i, 'last_byte': duration} for i in range(1200)]
        changed = {
            'as it is': (original.lines, {report: keys}),
            'outside': ([{**line, 'request_time': line['request_time'] - 10 * MS} if line is first else line for line in original.lines], {}),
            'in two': ([original.lines[0], long, *original.lines[1:]], {}),
            'in one without response': ([original.lines[0], unanswered, *original.lines[1:]], {}),
            'of another host': ([{**line, 'client': '10.77.0.9'} if line.get('client') == '10.77.0.2' else line for line in original.lines], {}),
            'among many shorter ones': ([original.lines[0], *many(1000), *original.lines[1:]], {report: keys}),
            'among many longer ones': ([original.lines[0], *many(10 ** 9), *original.lines[1:]], {}),
            'of two': ([line for line in original.lines if line['type'] != 'request' or named(line) not in (report, keys) or line['request_time'] < few], {}),
        }
        found = []
        for name, (lines, want) in changed.items():
            file, page = ROOT / folder / 'changed.jsonl', ROOT / folder / 'changed.html'
            file.write_text('\n'.join(json_lines.sealed([json.dumps(line, separators=(',', ':')) for line in lines])) + '\n')
            run(context.report, file, '-o', page)
            said = shown_waiting(json.loads(FIGURES.search(page.read_text())[1]))
            found += [] if said.get(report) == want.get(report) else [f'{name}: {said}']
            found += [] if 'many' in name or said == waiting_for([line for line in lines if line['type'] == 'request']) else [f'{name}: {said}, not as by all requests']
        return found


def added_up(context):
    """Of two captures, the requests of both."""
    with tempfile.TemporaryDirectory() as folder:
        captures = [CAPTURES / 'tcp/shop.pcap', CAPTURES / 'framing/http.pcap']
        both = Report(context, ROOT / folder, *captures).figures
        alone = [Report(context, ROOT / folder, capture).figures for capture in captures]
        def requests(figures):
            return sum(server['requests'] for server in figures['servers'])
        found = [] if requests(both) == sum(map(requests, alone)) else [f'{requests(both)} requests']
        return found + ([] if len(both['files']) == 2 and {row['file'] for row in both['slowest']} == {0, 1} else [str(both['files'])])


def alone(context):
    """One file, that loads nothing; a hostile operation is text."""
    with tempfile.TemporaryDirectory() as folder:
        file, page = ROOT / folder / 'a.jsonl', ROOT / folder / 'a.html'
        run(context.scan, '--json', file, '-z', 'latency,servers', CAPTURES / 'tcp/shop.pcap')
        lines = file.read_text().replace('GET /report', '</script><img src=x onerror=alert(1)>').splitlines(keepends=True)[:-1]
        counts = {}
        for line in lines:
            counts[json.loads(line)['type']] = counts.get(json.loads(line)['type'], 0) + 1
        digest = hashlib.sha256(''.join(lines).encode()).hexdigest()
        file.write_text(''.join(lines) + json.dumps({'type': 'end', 'lines': counts, 'sha256': digest}, separators=(',', ':')) + '\n')
        run(context.report, file, '-o', page)
        text = page.read_text()
        figures = json.loads(FIGURES.search(text)[1])
        found = [] if any('</script>' in row['operation'] for row in figures['operations']) else ['the operation is gone']
        found += [] if '<img' not in text else ['markup of a capture']
        outside = re.findall(r'<(?:link|img|iframe)\b|<script[^>]*\bsrc|@import|url\(', text)
        return found + outside + ([] if len(text) < 400_000 else [f'{len(text)} bytes'])


def refused(context):
    """A file that was cut or changed, one of sums, none: a sentence, and no page."""
    with tempfile.TemporaryDirectory() as folder:
        folder = ROOT / folder
        whole, sums, cut, changed, page = (folder / name for name in ('whole.jsonl', 'sums.jsonl', 'cut.jsonl', 'changed.jsonl', 'page.html'))
        for content, path in ('all', whole), ('summary', sums):
            run(context.scan, '-o', f'latency.json:{content}', '--json', path, '-z', 'latency,servers', CAPTURES / 'tcp/shop.pcap')
        data = whole.read_bytes()
        cut.write_bytes(data[:len(data) // 2])
        changed.write_bytes(data.replace(b'"first_byte":1', b'"first_byte":2', 1))
        found = []
        lines = whole.read_text().splitlines()
        wrong = {}
        for name, change, says in (('json', lambda line: line[:-1], 'not JSON'), ('member', lambda line: line.replace('"request_frame"', '"frame"'), '"request_frame" of this object "request"'),
                                   ('address', lambda line: line.replace('"client":"', '"client":"x'), '"client" of this object "request"')):
            at = next(number for number, line in enumerate(lines) if line.startswith('{"type":"request"'))
            wrong[folder / name] = f'line {at + 1}: ', says
            (folder / name).write_text('\n'.join(json_lines.sealed([*lines[:at], change(lines[at]), *lines[at + 1:]])) + '\n')
        for path, says in *((path, says) for path, both in wrong.items() for says in both), (sums, 'sums only'), (cut, 'the file ends in the middle'), (changed, 'a line was changed'), (folder / 'none', 'could not be opened'):
            result = run(context.report, path, '-o', page, code=1)
            found += [] if says in result.stderr and not page.exists() and not list(folder.glob('*.part')) else [f'{path.name}: {result.stderr}']
        return found + [result.stderr for result in (run(context.report, whole, code=2), run(context.report, code=2)) if '--help' not in result.stderr]


def rewritten(line, chance):
    """The line with one of its values changed to another of its kind."""
    value = json.loads(line)
    places, within = [], [value]
    for each in within:
        for key, inner in each.items() if isinstance(each, dict) else enumerate(each):
            if isinstance(inner, (dict, list)):
                within.append(inner)
            elif not isinstance(inner, bool) and key != 'type':
                places.append((each, key))
    each, key = chance.choice(places)
    each[key] = chance.choice([0, 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1]) if isinstance(each[key], int) else chance.choice(['', '</script>', '\x00', 'ä\U0001f600', 'x' * 300, 'turns'])
    return json.dumps(value, separators=(',', ':'), ensure_ascii=chance.random() < .5)


def mutilated(context):
    """Whatever a file says whose last line agrees: the sanitizers find nothing; there is a sentence, or a page with figures. Some of it is no JSON, some is JSON with
    another value, which most pages are made of."""
    program = context.builds / 'asan/bin/latency-report'
    if not program.exists():
        raise Skipped('there is no sanitized latency-report')
    chance, found, made = random.Random(18), [], 0
    with tempfile.TemporaryDirectory() as folder:
        file, page, originals = ROOT / folder / 'a.jsonl', ROOT / folder / 'a.html', []
        for capture in 'tcp/shop.pcap', 'tls/handshakes.pcap', 'ca/unanswered.pcap', 'pva/cpp.pcap', 'kernel/stages-lo.pcapng':
            run(context.scan, '--calls', '-o', 'latency.json:rows', '--json', file, '-z', 'latency,servers', CAPTURES / capture)
            originals.append(file.read_text().splitlines())
        for number in range(MUTATIONS):
            lines = list(originals[number % len(originals)])
            for _ in range(chance.randrange(1, 6 if number % 2 else 3)):
                if number % 2:
                    lines = merge_files.mutilated(lines, chance)
                else:
                    at = chance.randrange(1, len(lines))
                    lines[at] = rewritten(lines[at], chance)
            file.write_text('\n'.join(json_lines.sealed(lines)) + '\n', errors='surrogateescape')
            page.unlink(missing_ok=True)
            result = subprocess.run([program, file, '-o', page], capture_output=True, text=True, errors='replace', env={**os.environ, **SANITIZED})
            if result.returncode not in (0, 1) or 'Sanitizer' in result.stderr or 'runtime error' in result.stderr or bool(result.returncode) == page.exists() \
                    or result.stderr.count('\n') != result.returncode:
                found.append(f'{number}: exit code {result.returncode}: {result.stderr[:1500]}')
            elif page.exists():
                made += 1
                json.loads(FIGURES.search(page.read_text())[1])
    return found + ([] if made > MUTATIONS // 4 else [f'only {made} pages'])


def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not found:
        raise Skipped(f'no {" or ".join(BROWSERS)}')
    return found


def drawn(context, capture, pictures):
    """The page's program runs to its end, and has drawn as many pictures; tables have as many rows as there are figures."""
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / capture)
        page = run(program, '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000', '--dump-dom',
                   report.page.as_uri()).stdout
        sections = {name: page.partition(f'<section id="{name}"')[2].partition('</section>')[0] for name in ('servers', 'operations', 'slowest', 'channels', 'searches')}
        rows = {name: len(re.findall('<tr', text)) - len(re.findall('<thead', text)) for name, text in sections.items()}
        want = {name: len(report.figures[name]) for name in rows}
        want['channels'] += len(report.figures['neverConnected']) + len(report.figures['outcomes'])
        charts = re.search(r'data-charts="(\d+)"', page)
        found = [] if charts and int(charts[1]) == pictures else [f'{charts and charts[1]} pictures']
        return found + ([] if rows == want else [f'{rows}, not {want}']) + empty_places(page, has_durations=bool(report.figures['heat']))


def empty_places(page, has_durations):
    """Each picture has something to show, or is left out; of durations it is said why."""
    found = []
    for name in 'percentiles', 'distribution', 'heat', 'slowest', 'rates', 'attempts', 'paths':
        section = page.partition(f'<section id="{name}"')[2].partition('</section>')[0]
        found += [f'{name} is empty' for hidden, canvas in re.findall(r'<div class="chart[^"]*"([^>]*)><canvas([^>]*)>', section) if 'hidden' not in hidden and 'role="img"' not in canvas]
        says_why = 'There is no chart: ' in section
        found += [f'{name}: {section[:400]}'] if says_why != (not has_durations and name in ('percentiles', 'distribution', 'heat')) else []
    return found


# A page's reader: sorts by each heading, once and again, and copies each filter. What came of it is the page's last text.
READER = """<script>
addEventListener('load', () => setTimeout(() => {
    const copied = [], sorted = [], named = () => [...document.querySelectorAll('#operations tbody tr')].map(row => [row.cells[1].textContent, row.cells[0].textContent]);
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { copied.push([text, String(getSelection())]); } } });
    for (const heading of document.querySelectorAll('#operations th'))
        for (let click = 0; click < 2; click++) {
            heading.firstChild.focus();
            document.activeElement.click();
            sorted.push([heading.textContent, heading.ariaSort, named()]);
        }
    const shown = [...document.querySelectorAll('#operations .pick')].map(button => {
        button.click();
        const pressed = [...document.querySelectorAll('#operations .pick[aria-pressed=true]')].map(each => each.textContent);
        const [curve, heat] = ['percentiles', 'heat'].map(name => Chart.getChart(`operation-${name}`).data.datasets);
        return [button.textContent, pressed, document.querySelector('#operation h3').textContent, curve.map(set => set.data.length),
            heat.flatMap(set => set.counts).reduce((sum, n) => sum + n, 0)];
    });
    document.querySelector('#slowest details').open = true;
    document.querySelectorAll('#slowest td button').forEach(button => button.click());
    setTimeout(() => document.body.append(Object.assign(document.createElement('pre'), { id: 'used', textContent: JSON.stringify(
        { copied, sorted, shown, said: [...document.querySelectorAll('#slowest td button')].map(button => button.textContent), page: getComputedStyle(document.body).backgroundColor }) })), 100);
}, 100));
</script>"""
SORTED_BY = {'Operation': 'operation', 'Server': 'server', 'Share': 'share', 'Total': 'waited', 'Requests': 'requests', 'Errors': 'errors', 'Unanswered': 'unanswered', 'Mean': 'mean',
             'p50': 'p50', 'p95': 'p95', 'p99': 'p99', 'Max': 'max', 'TTFB': 'firstByte', 'Server time': 'serverTime', 'n': 'serverTimes', 'Bytes': 'bytes'}
OF_AT_LEAST = {'p95': 20, 'p99': 100}  # durations: of fewer it is not shown
SCHEMES = {'light': ('1', 'rgb(255, 255, 255)'), 'dark': ('0', 'rgb(22, 24, 27)')}  # a number of Blink's, and the page's colour


def used(context, scheme):
    """A heading that has the focus sorts, by its column's figures, down or up as it says; an operation that is chosen shows its pictures, and is the one that is; a filter is
    copied as it stands; light or dark as the system is."""
    program, (number, colour) = browser(), SCHEMES[scheme]
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / 'tcp/shop.pcap')
        report.page.write_text(report.text.replace('</body>', READER + '</body>'))
        page = run(program, '--no-sandbox', '--disable-gpu', f'--blink-settings=preferredColorScheme={number}', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000',
                   '--dump-dom', report.page.as_uri()).stdout
        came = json.loads(html.unescape(page.rpartition('<pre id="used">')[2].partition('</pre>')[0]))
        rows = {(row['server'], row['operation'] or '(unknown)'): row for row in report.figures['operations']}
        found = [] if [head for head, _, _ in came['sorted'][::2]] == list(SORTED_BY) else [f'headings {[head for head, _, _ in came["sorted"]]}']
        for (head, says, names), (_, says_then, _) in zip(came['sorted'][::2], came['sorted'][1::2]):
            found += [] if {says, says_then} == {'ascending', 'descending'} else [f'{head}: {says}, then {says_then}']
        for head, says, names in came['sorted']:
            values = [-1 if rows[tuple(name)]['durations'] < OF_AT_LEAST.get(head, 0) else rows[tuple(name)][SORTED_BY[head]] for name in names]
            found += [] if len(names) == len(rows) and values == sorted(values, reverse=says == 'descending') else [f'{head}, {says}: {values}']
        for name, pressed, title, curve, responses in came['shown']:
            row = rows.get(tuple(reversed(title.split(' on '))))
            found += [] if pressed == [name] and row and [len(row['curve'])] == curve and row['durations'] == responses else [f'chosen: {name}: {pressed}, {title}, {curve}, {responses}']
        found += [] if len(came['shown']) == len(rows) else [f'{len(came["shown"])} to choose from']
        filters = [f'latency.request == {row["number"]}' for row in report.figures['slowest']]
        found += [] if came['copied'] == [[text, text] for text in filters] and came['said'] == ['Copied'] * len(filters) else [f'copied: {came["copied"][:3]}, {came["said"][:3]}']
        return found + ([] if came['page'] == colour else [f'the page is {came["page"]}'])


def as_time(ns):
    """As the page writes a time: four digits, and the unit that leaves one to three of them before the point."""
    if ns == 0:
        return '0 s'
    unit, name = next((unit, name) for unit, name in ((1e9, 's'), (1e6, 'ms'), (1e3, 'µs'), (1, 'ns')) if ns >= unit or unit == 1)
    return f'{float(f"{ns / unit:.4g}"):.10g} {name}'


def sentence(report):
    """What the page should say first, by the lines of the requests alone."""
    requests, waited, rows = report.requests, collections.Counter(), collections.defaultdict(list)
    for line in requests:
        rows[named(line)].append(line)
        waited[named(line)] += wait(line) or 0
    head, total = report.lines[0], sum(waited.values())
    captured = f'{len(requests)} request{"s" * (len(requests) != 1)} in {as_time(head["last_time"] - head["first_time"])}'
    if total == 0:
        return f'{captured}; no client is known to have waited for any of them.'
    waits_for, first = waiting_for(requests), max(waited, key=waited.get)
    callers = sorted((name for name, inner in waits_for.items() if inner == first), key=waited.get, reverse=True)
    told = [waits_for[first], first] if first in waits_for else [first, *callers[:1]]
    words = ' and '.join(f'{kind} on {server}' for server, kind in told)
    share = sum(waited[name] for name in told) / total
    said = f'{captured}; their clients waited {as_time(total)} in total. {words}{", which waits for it, make up" if len(told) > 1 else " makes up"} {100 * share:.1f} % of that.'
    for name in told:
        sums = in_all(rows[name])
        for what, number in ('failed', sums['errors']), ('had no answer', sums['unanswered']):
            said += f' {number} of {sums["requests"]} {name[1]} {what}.' if number else ''
    return said


def said_first(context, capture):
    """The page's first sentence, and how many requests failed in all, or were still in flight, are those of the lines; what is in flight is no failure over time."""
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / capture)
        page = run(program, '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000', '--dump-dom', report.page.as_uri()).stdout
        finding, about = (html.unescape(re.sub('<[^>]*>', '', re.search(f'<p id="{name}">(.*?)</p>', page, re.S)[1])).strip() for name in ('finding', 'about'))
        sums = in_all(report.requests)
        number = {'failed': re.search(r'In all, (\d+) requests? failed', about), 'unanswered': re.search(r'and (\d+) had no answer', about),
                  'flying': re.search(r'(\d+) requests? (?:was|were) still in flight', about), 'streams': re.search(r'(\d+) responses? (?:is a stream|are streams)', about),
                  'polls': re.search(r'(\d+) requests? awaits? an event', about)}
        numbers = {name: int(found[1]) if found else 0 for name, found in number.items()}
        outermost = re.search(r'Of this waiting, (.*?) are those', about)
        checks = {'first': (finding, sentence(report)), 'in all': (numbers, {'failed': sums['errors'], 'unanswered': sums['unanswered'], 'flying': sums['inFlight'], 'streams': sums['streams'],
                                                 'polls': sums['longPolls']}),
                  'outermost': (outermost and outermost[1], as_time(sums['outermost']) if 0 < sums['outermost'] < sums['waited'] else None),
                  'over time': (sum(moment[1] + moment[2] for moment in report.figures['moments']), sums['errors'] + sums['unanswered'])}
        return [f'{what}: {mine!r}, not {want!r}' for what, (mine, want) in checks.items() if mine != want]


def slow_bodies(context):
    """What trickled in for 1.8 s is first, and among the slowest; a stream of 2 s costs its first byte, and what awaits an event for 1.5 s nothing. In the capture GET /poll does
    not say that it does."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [json.dumps({**line, 'long_poll': True} if line['type'] == 'request' and named(line)[1] == 'GET /poll' else line, separators=(',', ':'))
                 for line in Report(context, ROOT / folder, CAPTURES / 'tcp/slow_bodies.pcap').lines]
        file, page = ROOT / folder / 'polls.jsonl', ROOT / folder / 'polls.html'
        file.write_text('\n'.join(json_lines.sealed(lines)) + '\n')
        run(context.report, file, '-o', page)
        figures = json.loads(FIGURES.search(page.read_text())[1])
        rows = {row['operation']: row for row in figures['operations']}
        checks = {'first': (figures['operations'][0]['operation'], 'GET /trickle'), 'slowest': ([row['operation'] for row in figures['slowest'][:2]], ['GET /trickle?2', 'GET /trickle?1']),
                  'a stream': (rows['GET /events']['waited'] < MS and rows['GET /events']['streams'], 1),
                  'a long poll': ((rows['GET /poll']['waited'], rows['GET /poll']['longPolls']), (0, 1)),
                  'polls among the slowest': ([row['operation'] for row in figures['slowest'] if row['operation'] == 'GET /poll'], [])}
        return [f'{what}: {mine}, not {want}' for what, (mine, want) in checks.items() if mine != want]


def documented(context):
    """What is said of the documents' picture is the report's of that capture."""
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / 'tcp/shop.pcap')
        kinds = {row['operation']: row for row in report.figures['operations']}
        share = 100 * (kinds['KEYS']['share'] + kinds['GET /report']['share'])
        said = f'![The report of a web shop: KEYS and GET /report, which waits for it, are {share:.0f} % of all waiting;'
        shown = [document for document in (ROOT / 'README.md', *(ROOT / 'docs').glob('*.md')) if 'report.png)' in document.read_text()]
        wrong = [document.name for document in shown if said not in document.read_text()] or ([] if shown else ['no document shows it'])
        return wrong + ([] if kinds['GET /report'].get('waitsFor') == report.figures['operations'].index(kinds['KEYS']) else ['which waits for it'])


def luminance(colour):
    """WCAG 2's relative luminance."""
    parts = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
    return sum(weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4) for weight, part in zip((0.2126, 0.7152, 0.0722), parts))


def contrasts(context):
    """On the page of each scheme text has WCAG 2's contrast of 4.5, what is drawn that of 3, also the palest of a map's colours."""
    style, program = ((ROOT / 'latency-report' / name).read_text() for name in ('report.css', 'report.js'))
    schemes = [dict(re.findall(r'--(\w+): (#\w+)', block)) for block in re.findall(r':root \{([^}]*)\}', style)[:2]]
    found = []
    for number, colours in enumerate({**schemes[0], **each} for each in schemes):
        page = luminance(re.sub(r'^#(.)(.)(.)$', r'#\1\1\2\2\3\3', colours['page']))
        inks = {name: both[number] for name, *both in re.findall(r"(\w+): \['(#\w+)', '(#\w+)'\]", program)}
        pales = re.search(r'dark.matches \? \[\[([\d, ]+)\].*?: \[\[([\d, ]+)\]', program)
        inks['the palest'] = '#' + ''.join(f'{int(part):02x}' for part in pales[2 - number].split(','))
        for least, wanted in (4.5, {name: colours[name] for name in ('text', 'quiet', 'problem', 'link')}), (3, inks):
            for name, colour in wanted.items():
                light, dark = sorted((luminance(colour), page), reverse=True)
                found += [] if (light + 0.05) / (dark + 0.05) >= least else [f'{name}: {colour} on {colours["page"]}']
    return found if len(inks) > 8 else [f'{len(inks)} colours']


# What the pictures say of themselves.
LOOKER = """<script>
addEventListener('load', () => setTimeout(() => document.body.append(Object.assign(document.createElement('pre'), { id: 'looked', textContent: JSON.stringify({
    charts: Object.values(Chart.instances).map(chart => ({ id: chart.canvas.id, sets: chart.data.datasets.length, legend: chart.legend.options.display,
        ticks: Object.values(chart.scales).map(scale => [scale.id, scale.ticks.map(tick => [].concat(tick.label ?? '').join(' '))]) })),
    scales: [...document.querySelectorAll('.scale')].map(scale => [...scale.children].map(part => [part.textContent, part.firstChild.style.background])),
    widest: document.documentElement.scrollWidth, folded: document.querySelectorAll('#slowest details tbody tr').length,
    bars: document.querySelectorAll('#slowest .scroll:not(details *) tbody tr').length }) })), 100));
</script>"""


def looked_at(context, width):
    """No legend for one series, round times, a map whose colours are told, no page wider than the window, twenty of the slowest requests and the others folded."""
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / 'tcp/shop.pcap')
        report.page.write_text(report.text.replace('</body>', LOOKER + '</body>'))
        page = run(program, '--no-sandbox', '--disable-gpu', f'--window-size={width},1000', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000', '--dump-dom',
                   report.page.as_uri()).stdout
        seen = json.loads(html.unescape(page.rpartition('<pre id="looked">')[2].partition('</pre>')[0]))
        found = [f'{chart["id"]}: a legend of {chart["sets"]}' for chart in seen['charts'] if chart['legend'] and chart['sets'] < 2]
        for chart in seen['charts']:
            for axis, ticks in chart['ticks']:
                times = [tick for tick in ticks if re.search(' (s|ms|µs)$', tick)]
                found += [f'{chart["id"]}: {axis} {tick}' for tick in times if not re.fullmatch(r'[\d.]+', number := tick.split()[0]) or len(number.strip('0').replace('.', '').strip('0')) > 2]
                found += [f'{chart["id"]}: {axis} {ticks}'] if len(times) == 1 and axis == 'x' else []
        most = [max((n for _, _, *counts in heat for n in counts)) for heat in (report.figures['operations'][0]['heat'], report.figures['heat'])]
        for scale, darkest in zip(seen['scales'], most):
            counts = [int(text) for text, _ in scale]
            found += [] if counts == sorted(set(counts)) and counts[0] == 1 and counts[-1] == darkest and len({colour for _, colour in scale}) == len(scale) else [f'scale: {scale}']
        found += [] if seen['widest'] <= width else [f'{seen["widest"]} wide']
        return found + ([] if (seen['bars'], seen['folded']) == (20, len(report.figures['slowest']) - 20) else [f'{seen["bars"]} and {seen["folded"]} requests'])


def printed(context, capture, most):
    """On at most `most` pages of A4: a picture is as wide as its page, whole, and below its heading."""
    program = browser()
    with tempfile.TemporaryDirectory() as folder:
        report, paper = Report(context, ROOT / folder, CAPTURES / capture), ROOT / folder / 'page.pdf'
        run(program, '--no-sandbox', '--disable-gpu', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000', f'--print-to-pdf={paper}', report.page.as_uri())
        pages = len(re.findall(rb'/Type /Page\b', paper.read_bytes()))
        return [] if 2 < pages <= most else [f'{pages} pages']


def cases(context):
    if not context.report.exists():
        def missing():
            raise Skipped('latency-report was not built')
        yield '', missing
        return
    for capture in NAMES:
        yield f'figures of {capture}', functools.partial(figures_equal, context, capture)
    yield 'slow bodies', lambda: slow_bodies(context)
    yield 'which waits for which', lambda: nested(context)
    yield 'several captures', lambda: added_up(context)
    yield 'alone', lambda: alone(context)
    yield 'what is refused', lambda: refused(context)
    if context.is_elsewhere:  # the same page
        return
    yield 'mutilated lines, sanitized', lambda: mutilated(context)
    for capture, pictures in (('tcp/shop.pcap', 9), ('tcp/http_2m_offload_on_dropped.pcap', 10), ('tcp/connect_refused_unanswered.pcap', 9), ('generated/quoted_last.pcap', 3), ('waits/websocket.pcap', 4),
                              ('ca/unanswered.pcap', 11), ('pva/many.pcap', 10), ('kernel/stages-lo.pcapng', 10)):
        yield f'drawn: {capture}', functools.partial(drawn, context, capture, pictures)
    for scheme in SCHEMES:
        yield f'used, {scheme}', functools.partial(used, context, scheme)
    for capture in ('tcp/shop.pcap', 'tcp/slow_bodies.pcap', 'framing/http.pcap', 'framing/dns_udp.pcap', 'ca/unanswered.pcap', 'generated/quoted_last.pcap',
                    'tcp/reset_in_response.pcap'):
        yield f'said first: {capture}', functools.partial(said_first, context, capture)
    for width in 400, 1400:
        yield f'looked at, {width} pixels wide', functools.partial(looked_at, context, width)
    yield 'contrasts', functools.partial(contrasts, context)
    yield 'documented', functools.partial(documented, context)
    yield 'printed: pva/many.pcap', functools.partial(printed, context, 'pva/many.pcap', 12)


def groups(context):
    return [Group('pages', functools.partial(cases, context))]
