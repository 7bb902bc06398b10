# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-report's pages: their figures are the tables' of the same captures, and a browser without a network draws all of them."""
import collections
import csv
import functools
import hashlib
import html
import io
import json
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
# HTTP, Redis with pipelines, errors, TLS without keys, requests of every fate, IPv6, losses, no requests, handshakes of TLS; Channel Access and
# pvAccess, also channels that never connect; the kernel's stages.
NAMES = ['tcp/shop.pcap', 'framing/redis_odd.pcap', 'framing/http.pcap', 'tcp/tls.pcap', 'generated/rst_unanswered.pcap', 'generated/ipv6.pcap',
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
        self.text = self.page.read_text()
        self.figures = json.loads(FIGURES.search(self.text)[1])

    def table(self, name, tap='latency'):
        """latency-scan's, of the first capture, as objects of texts."""
        text = run(self.context.scan, '-o', 'latency.format:csv', '-z', f'{tap},{name}', self.captures[0]).stdout
        return list(csv.DictReader(io.StringIO(text)))


def same_time(exact, cell):
    return exact is None and cell == '' or cell != '' and abs(exact - float(cell) * MS) <= 1e-9 * abs(exact) + 0.001


COUNTS = {'requests': 'requests', 'unanswered': 'unanswered', 'errors': 'errors', 'bytes': 'response_bytes', 'serverTimes': 'server_times'}
TIMES = {'mean': 'mean_ms', 'p50': 'p50_ms', 'p95': 'p95_ms', 'p99': 'p99_ms', 'max': 'max_ms', 'serverTime': 'server_time_ms'}


def endpoint(line):
    return ('[%s]:%d' if ':' in line['server'] else '%s:%d') % (line['server'], line['server_port'])


def rows_equal(report, name):
    """The rows of a table, in its order, those that have waited longest."""
    mine, theirs = report.figures[name], report.table(name)
    found = [] if len(mine) == min(len(theirs), {'servers': 12, 'operations': 200}[name]) and report.figures['inAll'][name] == len(theirs) else [
        f'{name}: {len(mine)} of {report.figures["inAll"][name]} rows, {len(theirs)} in the table']
    rows = {(row['server'], row.get('kind')): row for row in theirs}
    waited = dict.fromkeys(rows, 0)
    for line in report.lines:
        if 'first_byte' in line and line['type'] == 'request':
            waited[endpoint(line), line.get('kind', '') if name == 'operations' else None] += line['first_byte']
    all_waited = sum(waited.values())
    for each in mine:
        key = each['server'], each.get('operation')
        row = rows[key]
        found += [] if abs(each['share'] * all_waited - waited[key]) <= 1e-6 * all_waited else [f'{name}: {key} share: {each["share"]}']
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


def figures_equal(context, capture):
    """Servers, operations, sums over time, the slowest, and attempts are those of the tables."""
    with tempfile.TemporaryDirectory() as folder:
        report = Report(context, ROOT / folder, CAPTURES / capture)
        figures, requests = report.figures, report.table('requests')
        found = rows_equal(report, 'servers') + rows_equal(report, 'operations')
        answered = [row for row in requests if row['first_byte_ms']]
        slowest = sorted((float(row['first_byte_ms']) for row in answered), reverse=True)[:100]
        names = {(row['number'], row['request_frame'], row['client'], row['server'], row['first_byte_ms']) for row in requests}
        listed = [(str(row['number']), str(row['frame']), row['client'], row['server']) for row in figures['slowest']]
        checks = {
            'heat map': (sum(count for _, _, count in figures['heat']), len(answered)),
            'histograms': (sum(count for server in figures['servers'] for _, count in server.get('histogram', [])), len(answered)),
            'requests over time': (sum(moment[0] for moment in figures['moments']), len(requests)),
            'errors over time': (sum(moment[1] for moment in figures['moments']), sum(server['errors'] for server in figures['servers'])),
            'unanswered over time': (sum(moment[2] for moment in figures['moments']), sum(int(row['unanswered']) for row in report.table('servers'))),
            'bytes over time': (sum(moment[3] for moment in figures['moments']), sum(int(row['response_bytes']) for row in requests)),
            'slowest': ([row['firstByte'] for row in figures['slowest']], [round(time * MS) for time in slowest]),
            'slowest, which': (set(listed) - {name[:4] for name in names}, set()),
            'attempts': (sum(row['attempts'] for row in figures['attempts']), len(report.table('connects'))),
            'sent again': (sum(row['retransmitted'] for row in figures['paths']), sum(int(row['retransmitted']) for row in report.table('packets'))),
        }
        for server in figures['servers']:
            curve = dict(server.get('curve', []))
            if 10 in curve and abs(curve[0] - min(curve.values())) > 0 or list(curve.values()) != sorted(curve.values()):
                found.append(f'curve of {server["server"]}: {curve}')
        found += setups_equal(report) + channels_equal(report) + stages_equal(report)
        return found + [f'{what}: {mine} is not {theirs}' for what, (mine, theirs) in checks.items() if mine != theirs]


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
            run(context.scan, '-o', 'latency.json:rows', '--json', file, '-z', 'latency,servers', CAPTURES / capture)
            originals.append(file.read_text().splitlines())
        for number in range(MUTATIONS):
            lines = list(originals[number % len(originals)])
            for _ in range(chance.randrange(1, 6)):
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
        return ([] if charts and int(charts[1]) == pictures else [f'{charts and charts[1]} pictures']) + ([] if rows == want else [f'{rows}, not {want}'])


# A page's reader: sorts by each heading, once and again, and copies each filter. What came of it is the page's last text.
READER = """<script>
addEventListener('load', () => setTimeout(() => {
    const copied = [], sorted = [], named = () => [...document.querySelectorAll('#operations tbody tr')].map(row => [row.cells[0].textContent, row.cells[1].textContent]);
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { copied.push([text, String(getSelection())]); } } });
    for (const heading of document.querySelectorAll('#operations th'))
        for (let click = 0; click < 2; click++) {
            heading.firstChild.focus();
            document.activeElement.click();
            sorted.push([heading.textContent, heading.ariaSort, named()]);
        }
    document.querySelectorAll('#slowest td button').forEach(button => button.click());
    setTimeout(() => document.body.append(Object.assign(document.createElement('pre'), { id: 'used', textContent: JSON.stringify(
        { copied, sorted, said: [...document.querySelectorAll('#slowest td button')].map(button => button.textContent), page: getComputedStyle(document.body).backgroundColor }) })), 100);
}, 100));
</script>"""
SORTED_BY = {'Server': 'server', 'Operation': 'operation', 'Requests': 'requests', 'No answer': 'unanswered', 'Errors': 'errors', 'Share': 'share', 'Mean': 'mean', 'p50': 'p50',
             'p95': 'p95', 'p99': 'p99', 'Max': 'max', 'Server time': 'serverTime', 'Of': 'serverTimes', 'Bytes': 'bytes'}
SCHEMES = {'light': ('1', 'rgb(255, 255, 255)'), 'dark': ('0', 'rgb(22, 24, 27)')}  # a number of Blink's, and the page's colour


def used(context, scheme):
    """A heading that has the focus sorts, by its column's figures, down or up as it says; a filter is copied as it stands; light or dark as the system is."""
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
            values = [rows[tuple(name)][SORTED_BY[head]] for name in names]
            found += [] if len(names) == len(rows) and values == sorted(values, reverse=says == 'descending') else [f'{head}, {says}: {values}']
        filters = [f'latency.request == {row["number"]}' for row in report.figures['slowest']]
        found += [] if came['copied'] == [[text, text] for text in filters] and came['said'] == ['Copied'] * len(filters) else [f'copied: {came["copied"][:3]}, {came["said"][:3]}']
        return found + ([] if came['page'] == colour else [f'the page is {came["page"]}'])


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
    yield 'several captures', lambda: added_up(context)
    yield 'alone', lambda: alone(context)
    yield 'what is refused', lambda: refused(context)
    if context.is_elsewhere:  # the same page
        return
    yield 'mutilated lines, sanitized', lambda: mutilated(context)
    for capture, pictures in (('tcp/shop.pcap', 8), ('tcp/http_2m_offload_on_dropped.pcap', 9), ('tcp/connect_refused_unanswered.pcap', 8), ('generated/quoted_last.pcap', 3),
                              ('ca/unanswered.pcap', 9), ('pva/many.pcap', 9), ('kernel/stages-lo.pcapng', 9)):
        yield f'drawn: {capture}', functools.partial(drawn, context, capture, pictures)
    for scheme in SCHEMES:
        yield f'used, {scheme}', functools.partial(used, context, scheme)
    yield 'printed: pva/many.pcap', functools.partial(printed, context, 'pva/many.pcap', 12)


def groups(context):
    return [Group('pages', functools.partial(cases, context))]
