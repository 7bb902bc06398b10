# SPDX-License-Identifier: GPL-2.0-or-later
"""The page's map of who calls whom, and its trees: against what the JSON lines have of each request, and against -z latency,calls and latency,trees; drawn without overlaps."""
import collections
import csv
import functools
import html
import io
import json
import pathlib
import re
import tempfile

import call_views
import json_lines
import report_page
from outline import Group
from tools import ROOT

CAPTURES = ROOT / 'captures'
NAMES = 'tcp/shop.pcap', 'tcp/joined.pcap', 'tcp/tiers_1.pcap', 'tcp/tiers_4.pcap', 'tcp/tiers_8.pcap', 'tcp/calls_loop_8.pcap', 'tcp/calls_loop_32.pcap'
EDGES, ROWS, WHOLES, JOINS, NEAR = 40, 30, 5, 10, 100  # bounds of the page; stretches with less than a hundredth of the whole between them are one
LINE = re.compile(r' *(\d+)\| *(\S+)\| *(\S+)\| *(\S+)\|([ *])( *)(?:(\d+) × )?(.*)')  # of -z latency,trees


class Page:
    """A page of lines, or of a capture with its calls, and what the lines tell."""

    def __init__(self, context, folder, capture=None, lines=None):
        self.file, self.page = folder / 'a.jsonl', folder / 'a.html'
        if capture:
            report_page.run(context.scan, '--calls', '-o', 'latency.json:rows', '--json', self.file, '-z', 'latency,servers', capture)
        else:
            self.file.write_text('\n'.join(json_lines.sealed([json.dumps(line, separators=(',', ':')) for line in lines])) + '\n')
        report_page.run(context.report, self.file, '-o', self.page)
        self.figures, self.head = figures_of(self.page), json.loads(self.file.read_text().partition('\n')[0])
        self.told = call_views.Told(lambda *_: self.file.read_text(), None)


def figures_of(page):
    return json.loads(report_page.FIGURES.search(page.read_text())[1])


def server(told, number):
    return told.operation(number)[0]


def unanswered(request):
    return request['outcome'] in ('reset', 'closed', 'timed out', 'lost', 'refused')


def edges_of(told):
    """The map's lines, by the lines: of each pair of servers, None for clients that are none, its calls, those that failed, and its time."""
    serving, edges, times = {request['server'] for request in told.requests.values()}, collections.defaultdict(collections.Counter), collections.Counter()
    children = told.children()
    for number, request in told.requests.items():
        line = told.calls.get(number, {})
        pair = None
        if 'caused_by' in line:
            pair = server(told, line['caused_by']), server(told, number)
        elif 'cause' not in line and request['client'] not in serving:
            pair = None, server(told, number)
            times[pair] += told.end(number) - told.begin(number)
        if pair:
            edges[pair].update(calls=1, errors='error' in request or request['outcome'] == 'truncated', unanswered=unanswered(request), byWorker=line.get('cause') == 'worker')
        below = collections.defaultdict(list)
        for call in children[number]:
            below[server(told, call)].append((told.begin(call), told.end(call)))
        for called, intervals in below.items():
            times[server(told, number), called] += call_views.union(intervals, told.begin(number), told.end(number))
    return {pair: {**{name: counts[name] for name in ('calls', 'errors', 'unanswered', 'byWorker')}, 'time': times[pair]} for pair, counts in edges.items()}


def shown_edges(calls):
    names = [node.get('server') for node in calls['nodes']]
    return {(names[edge['from']], names[edge['to']]): {name: value for name, value in edge.items() if name not in ('from', 'to')} for edge in calls['edges']}


def of_table(scan, capture):
    """What the rows of latency,calls come to, by the two servers."""
    sums = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(io.StringIO(scan('-o', 'latency.format:csv', '-z', 'latency,calls', capture))):
        sums[row['server'], row['called_server']].update({'calls': int(row['calls']), 'errors': int(row['errors']), 'unanswered': int(row['unanswered']), 'byWorker': int(row['by_worker'])})
    return {pair: dict(counts) for pair, counts in sums.items()}


def map_equal(context, name):
    scan, capture = functools.partial(call_views.output, context.scan), CAPTURES / name
    with tempfile.TemporaryDirectory() as folder:
        page = Page(context, pathlib.Path(folder), capture)
    calls, want = page.figures['calls'], edges_of(page.told)
    got, rules = shown_edges(calls), collections.Counter(line['cause'] for line in page.told.calls.values() if 'caused_by' in line)
    table = {pair: {name: value for name, value in edge.items() if name != 'time'} for pair, edge in got.items() if pair[0]}
    untold = re.search(r'(\d+) of (\d+) calls have no row', scan('-z', 'latency,calls', capture))
    known = sum(rules.values())
    checks = {'edges': (got, want), 'as latency,calls has them': (table, of_table(scan, capture)), 'by rule': (calls['told'], dict(rules)), 'more': (calls['moreEdges'], 0),
              'joined': ((calls['joined'], calls['moreJoined'], len(calls['joined'])), (page.head.get('joined', []), 0, 2 if 'joined' in name else 0)), 'order': ([edge['time'] for edge in calls['edges']], sorted((edge['time'] for edge in want.values()), reverse=True)),
              'several': (calls['several'], sum(line.get('cause') == 'several' for line in page.told.calls.values())),
              'not told': ((calls['several'] + calls['none'], known + calls['several'] + calls['none']), tuple(map(int, untold.groups())) if untold else (0, known))}
    return [f'{what}: {mine} is not {theirs}' for what, (mine, theirs) in checks.items() if mine != theirs] + ([] if known else ['no call is told'])


def milliseconds(row, name):
    return f'{row[name] / report_page.MS:.3f}' if name in row else '-'


def trees_equal(context, name):
    """The rows are those of latency,trees, and begin, end and are dark where the lines of the requests say."""
    scan, capture = functools.partial(call_views.output, context.scan), CAPTURES / name
    with tempfile.TemporaryDirectory() as folder:
        page = Page(context, pathlib.Path(folder), capture)
    blocks = scan('-z', f'latency,trees,{WHOLES}', capture).partition('| Request\n')[2].rstrip().split('\n\n')
    wholes = page.figures['waterfalls']
    found = [] if len(blocks) == len(wholes) else [f'{len(wholes)} trees, not {len(blocks)}']
    for block, whole in zip(blocks, wholes):
        lines = [LINE.match(line).groups() for line in block.splitlines() if '… ' not in line.partition('|')[0] and LINE.match(line)]
        want = [(int(frame), time, own, from_, mark == '*', len(indent) // 2, int(count or 1)) for frame, time, own, from_, mark, indent, count, _ in lines]
        got = [(row['frame'], milliseconds(row, 'time'), milliseconds(row, 'own'), milliseconds(row, 'from'), row.get('critical', False), row['depth'], row['count'])
               for row in whole['rows'] if 'more' not in row]
        found += [] if got == want[:ROWS] else [f'{got} is not {want}']
        found += bars_equal(page.told, whole)
    return found


def joined(stretches, near):
    """Those that are near are one."""
    whole = []
    for first, last in stretches:
        if whole and first - whole[-1][1] < near:
            whole[-1][1] = max(whole[-1][1], last)
        elif last > first:
            whole.append([first, last])
    return whole


def bars_equal(told, whole):
    """Dark is what no call of the request takes; of several of one operation, what each of them takes."""
    found, children, rows = [], told.children(), [row for row in whole['rows'] if 'more' not in row]
    start, near = told.begin(rows[0]['number']), whole['took'] // NEAR
    for row in rows:
        number = row['number']
        begin, end = told.begin(number) - start, told.end(number) - start
        taken = sorted((told.begin(call) - start, told.end(call) - start) for call in children[number])
        own, at = [], begin
        for first, last in taken:
            own.append((at, min(first, end)))
            at = max(at, last)
        own.append((at, end))
        if row['count'] > 1:
            cause, operation = told.calls[number]['caused_by'], told.operation(number)
            alike = [call for call in children[cause] if told.operation(call) == operation and not children[call]]
            own = sorted((told.begin(call) - start, told.end(call) - start) for call in alike)
            found += [] if len(alike) == row['count'] else [f'{number}: {row["count"]} alike, not {len(alike)}']
        want = [[first, last - first] for first, last in joined([each for each in own if each[1] > each[0]], near)]
        found += [] if (row['from'], row['took'], row['bars']) == (begin, end - begin, want) else [f'{number}: {row["from"]}, {row["took"]}, {row["bars"]}, not {begin}, {end - begin}, {want}']
    return found


def asked_for(context):
    """latency-scan --html has the calls without being asked; of lines without calls there is neither map nor tree."""
    capture = CAPTURES / 'tcp/shop.pcap'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        asked, plain = Page(context, folder, capture), folder / 'plain.html'
        report_page.run(context.scan, '--html', plain, '-z', 'latency,servers', capture)
        given = figures_of(plain)
        found = [name for name in ('calls', 'waterfalls') if given.get(name) != asked.figures[name]]
        without = Page(context, folder, lines=[json.loads(line) for line in asked.file.read_text().splitlines() if json_lines.kind_of(line) != 'call'])
        return found + [f'{name} without calls' for name in ('calls', 'waterfalls') if name in without.figures]


def made(context, folder, calls, **of_head):
    """A page of requests (number, client, server, begin, took) in microseconds, and which caused which: `calls` gives both."""
    template = Page(context, folder, CAPTURES / 'tcp/shop.pcap')
    lines = [json.loads(line) for line in template.file.read_text().splitlines()]
    example = next(line for line in lines if line['type'] == 'request')
    requests, causes = calls
    out = []
    for number, client, called, begin, took in requests:
        times = {'request_time': lines[0]['first_time'] + begin * 1000, 'response_time': lines[0]['first_time'] + (begin + took) * 1000}
        out.append({**example, 'number': number, 'client': client, 'server': called, **times, 'request_end_time': times['request_time'], 'response_end_time': times['response_time'],
                    'first_byte': took * 1000, 'last_byte': took * 1000, 'service': took * 1000, 'kind': f'GET {number % 7}'})
    told = [{'type': 'call', 'request': number, 'request_frame': number, **({'caused_by': by, 'caused_by_frame': by, 'cause': 'only'} if by else {})} for number, by in causes.items()]
    head = {**lines[0], 'requests': len(out), 'answered': len(out), 'attempts': 0, **of_head}
    return Page(context, folder, lines=[head, *out, *told])


def wide():
    """A client asks one of 60 servers, each of which asks another; one of them, of many calls that call in turn."""
    requests, causes = [], {}
    for i in range(60):
        requests += [(2 * i + 1, '10.1.0.1', f'10.2.0.{i + 1}', 1000 * i, 900), (2 * i + 2, f'10.2.0.{i + 1}', f'10.3.0.{i + 1}', 1000 * i + 10, 800 - i)]
        causes[2 * i + 2] = 2 * i + 1
    requests.append((200, '10.1.0.1', '10.4.0.1', 0, 50_000))
    for i in range(50):
        requests += [(300 + 2 * i, '10.4.0.1', '10.4.0.2', 10 + 100 * i, 90), (301 + 2 * i, '10.4.0.2', '10.4.0.3', 20 + 100 * i, 50)]
        causes |= {300 + 2 * i: 200, 301 + 2 * i: 300 + 2 * i}
    return requests, causes


def alike():
    """A request with calls of one operation: some behind each other, some apart, some at the same time; and one of the same that calls another."""
    begins = 100, 300, 400, 5000, 5100, 5600, 8000, 8000, 9500
    requests = [(1, '10.1.0.1', '10.2.0.1', 0, 10_000), *((3 + 7 * i, '10.2.0.1', '10.2.0.2', begin, 200) for i, begin in enumerate(begins)), (101, '10.2.0.1', '10.2.0.2', 7000, 300),
                (102, '10.2.0.2', '10.2.0.3', 7100, 100)]
    return requests, {**{3 + 7 * i: 1 for i in range(len(begins))}, 101: 1, 102: 101}


def circles():
    """Two servers that ask each other, one that asks itself, one that asks over two columns; and lines that say that two requests caused each other, and one itself."""
    requests = [(1, '10.1.0.1', '10.2.0.1', 0, 9000), (2, '10.2.0.1', '10.2.0.2', 10, 8000), (3, '10.2.0.2', '10.2.0.1', 20, 7000), (4, '10.2.0.1', '10.2.0.1', 30, 6000),
                (5, '10.2.0.1', '10.2.0.3', 40, 5000), (6, '10.2.0.2', '10.2.0.3', 50, 10), (7, '10.2.0.3', '10.2.0.2', 10_000, 10), (8, '10.2.0.2', '10.2.0.3', 10_000, 10)]
    return requests, {2: 1, 3: 2, 4: 3, 5: 4, 6: 2, 7: 8, 8: 8, 1: 0}


def bounded(context):
    """Of more lines, branches and rows than are drawn, as many as are left out are counted."""
    with tempfile.TemporaryDirectory() as folder:
        page = made(context, pathlib.Path(folder), wide(), joined=[str(i) for i in range(JOINS + 3)])
    calls, want, first = page.figures['calls'], edges_of(page.told), page.figures['waterfalls'][0]
    got = shown_edges(calls)
    found = [] if len(got) == EDGES and calls['moreEdges'] == len(want) - EDGES and all(want[pair] == edge for pair, edge in got.items()) else [f'{len(got)} and {calls["moreEdges"]} of {len(want)}']
    found += [] if min(edge['time'] for edge in got.values()) >= sorted((edge['time'] for edge in want.values()), reverse=True)[EDGES] else ['not those with most time']
    found += [] if (calls['joined'], calls['moreJoined']) == ([str(i) for i in range(JOINS)], 3) else [f'{calls["joined"]} joined']
    told = sum(row.get('count', 0) + row.get('more', 0) for row in first['rows'])
    return found + ([] if told == 101 and len(first['rows']) <= ROWS and first['rows'][0]['number'] == 200 else [f'{told} requests in {len(first["rows"])} rows'])


def folded(context):
    """Calls of one operation that call nobody are one row, with a bar for each that stands apart."""
    with tempfile.TemporaryDirectory() as folder:
        page = made(context, pathlib.Path(folder), alike())
    whole = page.figures['waterfalls'][0]
    counts = [(row['number'], row['count'], len(row['bars']), row['time']) for row in whole['rows']]
    want = [(1, 1, 7, 10_000_000), (3, 9, 5, 1_800_000), (101, 1, 2, 300_000), (102, 1, 1, 100_000)]
    return bars_equal(page.told, whole) + ([] if counts == want else [f'{counts}, not {want}'])


def in_circles(context):
    """None that leads back to itself is told; servers that call each other are."""
    with tempfile.TemporaryDirectory() as folder:
        page = made(context, pathlib.Path(folder), circles())
    names = {f'10.2.0.{i}:6379': i for i in (1, 2, 3)}
    got = {(names.get(caller, 0), names[called]): edge['calls'] for (caller, called), edge in shown_edges(page.figures['calls']).items()}
    return [] if got == {(0, 1): 1, (1, 2): 1, (2, 1): 1, (1, 1): 1, (1, 3): 1, (2, 3): 1} else [str(got)]


# Where the map's parts are.
LOOKER = """<script>
addEventListener('load', () => setTimeout(() => {
    const box = element => { const { left, right, top, bottom } = element.getBoundingClientRect(); return [left, right, top, bottom]; };
    document.body.append(Object.assign(document.createElement('pre'), { id: 'looked', textContent: JSON.stringify({
        nodes: [...document.querySelectorAll('#calls .map rect')].map(box), names: [...document.querySelectorAll('#calls .map .name')].map(box),
        labels: [...document.querySelectorAll('#calls .map .label')].map(box), edges: document.querySelectorAll('#calls .map .edge').length,
        rows: document.querySelectorAll('#calls tbody tr').length, trees: [...document.querySelectorAll('.waterfall')].map(table => table.tBodies[0].rows.length),
        told: document.querySelector('#calls .told').textContent, hidden: [document.getElementById('calls').hidden, document.getElementById('waterfalls').hidden],
        bars: [...document.querySelectorAll('.bars')].filter(bars => [...bars.children].some(bar => bar.getBoundingClientRect().width < 2)).length,
        widest: document.documentElement.scrollWidth }) }));
}, 100));
</script>"""


def overlapping(boxes):
    return [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a[0] < b[1] - 1 and b[0] < a[1] - 1 and a[2] < b[3] - 1 and b[2] < a[3] - 1]


def drawn(context, make, width):
    """As many nodes, lines and rows as there are figures; no node lies on another, no name or label either, and each bar is seen."""
    with tempfile.TemporaryDirectory() as folder:
        page = make(pathlib.Path(folder))
        page.page.write_text(page.page.read_text().replace('</body>', LOOKER + '</body>'))
        text = report_page.run(report_page.browser(), '--no-sandbox', '--disable-gpu', f'--window-size={width},1000', f'--user-data-dir={folder}/profile', '--virtual-time-budget=5000',
                               '--dump-dom', page.page.as_uri()).stdout
    seen, calls = json.loads(html.unescape(text.rpartition('<pre id="looked">')[2].partition('</pre>')[0])), page.figures.get('calls')
    if not calls:
        return [] if seen['hidden'] == [True, True] else ['a map of nothing']
    checks = {'nodes': (len(seen['nodes']), len(calls['nodes'])), 'lines': (seen['edges'], len(calls['edges'])), 'rows': (seen['rows'], len(calls['edges'])),
              'rows of trees': (seen['trees'], [len(whole['rows']) for whole in page.figures['waterfalls']]), 'hidden': (seen['hidden'], [False, False]), 'bars': (seen['bars'], 0),
              'not told': (bool(re.search(f'{calls["several"] + calls["none"]} of [^a-z]+ calls have no line', seen['told'])), calls['several'] + calls['none'] > 0),
              'more': (f'And {calls["moreEdges"]} line' in seen['told'], calls['moreEdges'] > 0),
              'joined': ('; '.join(calls['joined']) in seen['told'] and ('Joined' in seen['told']) == (len(calls['joined']) > 0), True), 'overlapping': ([overlapping(seen[name]) for name in ('nodes', 'names', 'labels')], [[], [], []]),
              'wide': (seen['widest'] <= width, True)}
    return [f'{what}: {mine}, not {want}' for what, (mine, want) in checks.items() if mine != want]


def cases(context):
    for name in NAMES:
        yield f'map: {name}', functools.partial(map_equal, context, name)
        yield f'trees: {name}', functools.partial(trees_equal, context, name)
    yield 'who asks for calls', functools.partial(asked_for, context)
    yield 'bounds of the map and of trees', functools.partial(bounded, context)
    yield 'calls alike', functools.partial(folded, context)
    yield 'calls in circles', functools.partial(in_circles, context)
    if context.is_elsewhere:  # the same page
        return
    for name in 'tcp/tiers_8.pcap', 'tcp/calls_loop_8.pcap', 'tcp/joined.pcap', 'tcp/redis.pcap':
        yield f'map drawn: {name}', functools.partial(drawn, context, lambda folder, name=name: Page(context, folder, CAPTURES / name), 1400)
    for name, calls in ('wide', wide), ('in circles', circles):
        yield f'map drawn: {name}', functools.partial(drawn, context, lambda folder, calls=calls: made(context, folder, calls()), 700)


def groups(context):
    return [Group('calls', functools.partial(cases, context))]
