# SPDX-License-Identifier: GPL-2.0-or-later
"""The summary: that it fits a terminal whatever the capture is, that the plugin and latency-scan say the same, and that its figures are those of
the requests in the JSON lines, computed here in another way."""
import csv
import functools
import json
import random
import re

from calls_truth import Truth
from context import every_capture
from oddities import ACK, PUSH_ACK, RST_ACK, SYN, SYN_ACK, pcap, tcp
from outline import Group
from pcaps import read_records, write_frames
from scan import ADDED, EXCEPTED, differences, run
from tools import ROOT

CAPTURES = ROOT / 'captures'
LINES, COLUMNS = 20, 80
SHOP = CAPTURES / 'tcp/shop.pcap'
COMMANDS = 'latency-scan FILE -z ', 'tshark -q -r FILE -z '
KEYS, REPORT = ('10.77.0.3:6379', 'KEYS'), ('10.77.0.2:80', 'GET /report')
# A server of one thread, and of four, whose clients ask at random times.
CLIENTS, REQUESTS = 6, 120


def text_of(context, path, *arguments):
    """Of latency-scan, without what it does not do; all in one line, too."""
    return ADDED.sub('', run(context.scan, *arguments, path).stdout.decode())


def joined(text):
    return re.sub(r'\s+', ' ', text)


def fits(context, path):
    """At most 20 lines of 80 columns, of both, who say the same."""
    options, _ = EXCEPTED.get(path, ([], ''))
    scanned = run(context.scan, CAPTURES / path)
    whole = scanned.stdout.decode()
    printed = context.wireshark.tshark('-q', '-r', CAPTURES / path, *options, '-z', 'latency,summary')
    found = [f'{scanned.returncode}: {scanned.stderr}'] if scanned.returncode or scanned.stderr else []
    for text in whole, printed:
        lines = text.splitlines()
        found += [f'{len(lines)} lines'] if len(lines) > LINES else []
        found += [f'{len(line)} columns: {line}' for line in lines if len(line) > COLUMNS or not line.isprintable() or line != line.rstrip()]
        found += [] if re.match(r'\nSummary: [\d,]+ packets? in ', text) else [text]
    cut = ADDED.sub('', whole)
    # Where latency-scan needs a line for what it has not read it has less room.
    if cut == whole or len(printed.splitlines()) + len(ADDED.findall(whole)) <= LINES:
        found += differences(cut.replace(*COMMANDS), printed)
    return found


def commands_work(context):
    """What stands at the right prints a table of that capture."""
    path = CAPTURES / 'ca/unanswered.pcap'
    found, tables = [], set(re.findall(r'latency-scan FILE -z (\S+)$', text_of(context, path), re.M)) | set(re.findall(r'latency-scan FILE -z (\S+)$', text_of(context, SHOP), re.M))
    for table in tables:
        result = run(context.scan, path, '-z', table)
        found += [f'{table}: {result}'] if result.returncode or result.stdout.count(b'|') < 3 else []
    return found + ([] if len(tables) > 3 else [f'{tables}'])


# --- the shop: what /report waits for ---------------------------------------------------------------------------------

def kind(row):
    return row['operation'].split('?')[0] if row['operation'].startswith('GET /') else row['operation'].split(' ')[0]


def requests(context, path):
    """(begin, first byte, end) of each request by (server, operation), in nanoseconds."""
    found = {}
    for row in context.wireshark.requests(path):
        begin = row['request_time']
        key = f'{row["server"]}:{row["server_port"]}', kind(row)
        found.setdefault(key, []).append((begin, begin + row['first_byte'], begin + row['last_byte']))
    return found


def number(text, unit):
    return float(text.replace(',', '')) * {'s': 1e9, 'ms': 1e6, 'µs': 1e3}[unit]


def near(text, unit, value):
    """Whether three digits are those of the value."""
    return abs(number(text, unit) - value) <= 0.0051 * value


def shop_cause(context):
    """KEYS is the first, with its share of what the clients of the web server waited, and is what /report waits for."""
    text, rows = joined(text_of(context, SHOP)), requests(context, SHOP)
    own = sum(end - begin for begin, _, end in rows[KEYS])
    all_of_web = sum(end - begin for (server, _), times in rows.items() if server == REPORT[0] for begin, _, end in times)
    calls = sum(end - begin for begin, _, end in rows[KEYS] if any(before <= begin and end <= after for before, _, after in rows[REPORT]))
    share, waits = 100 * own / all_of_web, 100 * calls / sum(end - begin for begin, _, end in rows[REPORT])
    said = re.search(r'1\. KEYS on 10\.77\.0\.3:6379: (\d+) % of the waiting \(([\d.]+) (\w+) of ([\d.]+) (\w+)\), 7 times 12[78] ms\. '
                     r'GET /report on 10\.77\.0\.2:80 waits for it >?(\d+) % of its time\.', text)
    if not said:
        return [text]
    found = [] if near(said[2], said[3], own) else [f'{said[2]} {said[3]} instead of {own}']
    if 'have no known cause' in text:  # then some of the web server's own time is that of calls
        found += [] if number(said[4], said[5]) > all_of_web else [f'{said[4]} {said[5]} of {all_of_web}']
    else:
        found += [] if near(said[4], said[5], all_of_web) and abs(share - int(said[1])) <= 1 else [f'{said[0]}: {share} % of {all_of_web}']
    return found + ([] if waits > 98.5 and abs(waits - int(said[6])) <= 0.6 else [f'{said[6]} %, not {waits}'])


def served(rows, server):
    """Of a server that serves one at a time: [(since when each was served, answer, operation, begin)] in the order of answers."""
    found, before = [], 0
    for begin, answer, _, operation in sorted(((*times, key[1]) for key, each in rows.items() if key[0] == server for times in each), key=lambda times: times[1]):
        found.append((max(begin, before), answer, operation, begin))
        before = answer
    return found


def shop_queue(context):
    """Redis serves one at a time, and so long others waited while it served KEYS: second by second, for each request alone."""
    text, rows = joined(text_of(context, SHOP)), requests(context, SHOP)
    visits = served(rows, KEYS[0])
    busy = [(since, answer) for since, answer, operation, _ in visits if operation == 'KEYS']
    found = [] if '10.77.0.3:6379 serves one request at a time: of ' in text and ' none was answered before that one.' in text else [text]
    for operation in 'GET', 'HGETALL':
        waited = sum(max(0, min(answer, end) - max(begin, since)) for _, answer, each, begin in visits if each == operation for since, end in busy)
        said = re.search(rf"[, ]{operation} waited ([\d.]+) (\w+) of its ([\d.]+) (\w+)", text)
        whole = sum(end - begin for begin, _, end in rows[KEYS[0], operation])
        found += [] if said and near(said[1], said[2], waited) and near(said[3], said[4], whole) and waited > 0.9 * whole else [f'{operation}: {said and said[0]}, not {waited} of {whole}']
    return found


# --- services of several tiers, whose programs logged which request made which call ------------------------------------

CAUSE = re.compile(r'(\d)\. (.*?)(…?) on ([\d.]+:\d+): [<>]?(\d+) % of the waiting \(([\d.]+) (\w+)')


def true_own(context, path):
    """By operation, how long its requests took without the calls that they are logged to have made, and with them, in nanoseconds."""
    rows = context.wireshark.requests(path)
    causes, calls, own, whole = Truth(path, rows).causes, {}, {}, {}
    for row in rows:
        if causes.get(row['number']):
            calls.setdefault(causes[row['number']], []).append((row['request_time'], row['request_time'] + row['last_byte']))
    for row in rows:
        operation = re.sub(r'/\d+(?=/|$)', '/{n}', row['operation'].partition('?')[0]) if row['operation'].startswith(('GET /', 'POST /')) else row['operation']
        operation = operation.partition(' ')[0] if row['framing'] in ('redis', 'memcached') else operation
        key, until, called = (f'{row["server"]}:{row["server_port"]}', operation), row['request_time'], 0
        for begin, end in sorted(calls.get(row['number'], ())):
            called += max(0, end - max(begin, until))
            until = max(until, end)
        own[key] = own.get(key, 0) + max(0, row['last_byte'] - called)
        whole[key] = whole.get(key, 0) + row['last_byte']
    return own, whole


def tiers(context, name, is_told):
    """The operations that are named took at least as long themselves as the logs say, for what is not told adds to it; where nearly all is told,
    the first is the logs' first, with its share."""
    path = CAPTURES / f'tcp/{name}.pcap'
    own, whole = true_own(context, path)
    text, found = joined(text_of(context, path)), []
    said = CAUSE.findall(text)
    for _, operation, _, server, share, time, unit in said:
        key = next((key for key in own if key[0] == server and key[1].startswith(operation)), None)
        found += [] if key and 0.99 * own[key] <= number(time, unit) <= 1.01 * whole[key] else [f'{operation} on {server}: {time} {unit}, not {own.get(key)} of {whole.get(key)}']
    first = max(own, key=own.get)
    if is_told:
        found += [] if first[0] == said[0][3] and first[1].startswith(said[0][1]) and abs(int(said[0][4]) - 100 * own[first] / sum(own.values())) <= 2 else [f'{first}: {own[first]} of {sum(own.values())}']
    return found + ([] if len(said) == 3 else [text])


# --- the rule one at a time -------------------------------------------------------------------------------------------

def conversation(threads, lasting, one_connection=False, free=0, pairs=False, pipelined=False, n=REQUESTS):
    """Clients that ask at random, or two that ask one shortly after the other; each request takes lasting(operation) µs of one of the server's
    threads, but for a share that waits for none (`free`). `pipelined`: all come over one connection, without awaiting answers. Returns the requests
    as (begin, since when it was served, answer, path, connection), in µs."""
    generator, arrivals, visits = random.Random(7), [], []
    for _ in range(n):
        arrivals.append((generator.randrange(2 * 10**6, 2 * 10**6 + n * 10**6 // 60), '/free' if generator.random() < free else '/long' if generator.random() < 0.15 else '/short'))
    if pairs:
        arrivals = [(2 * 10**6 + 50000 * at + later, '/short') for at in range(n // 2) for later in (0, 4000)]
    idle_at, answered_at = [0] * threads, [0] * (1 if one_connection else CLIENTS)
    for time, path in sorted(arrivals):
        connection = 0 if pipelined else min(range(len(answered_at)), key=lambda i: answered_at[i])
        time = time if pipelined else max(time, answered_at[connection] + 50)
        at = min(range(threads), key=lambda i: idle_at[i])
        since = time if path == '/free' else max(idle_at[at], time + 20)
        done = since + (1000 if path == '/free' else lasting(path))
        idle_at[at] = idle_at[at] if path == '/free' else done
        answered_at[connection] = done
        visits.append((time, since, done, path, connection))
    return visits


def packets_of(visits):
    """What is sent for these, after a handshake of each connection."""
    packets, sent = [], [[1, 1] for _ in range(CLIENTS)]
    for client in range(CLIENTS):
        end, time = (1, 40000 + client), 10**6 + 100 * client
        packets += [(time, tcp(end, (2, 80), 0, 0, SYN)), (time + 10, tcp((2, 80), end, 0, 1, SYN_ACK)), (time + 20, tcp(end, (2, 80), 1, 1, ACK))]
    events = [(begin, 0, connection, f'GET {path} HTTP/1.1\r\nHost: a\r\n\r\n'.encode()) for begin, _, _, path, connection in visits]
    events += [(done, 1, connection, b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n') for _, _, done, _, connection in visits]
    for time, side, connection, data in sorted(events):
        ends, numbers = [(1, 40000 + connection), (2, 80)], sent[connection]
        packets.append((time, tcp(ends[side], ends[1 - side], numbers[side], numbers[1 - side], PUSH_ACK, data)))
        numbers[side] += len(data)
    return sorted(packets, key=lambda packet: packet[0])


def behind(visits):
    """Of each request that came while one of another connection was certainly served, which that was: the one that was the only one outstanding before,
    and has not been answered since."""
    def outstanding(moment):
        return [visit for visit in visits if visit[0] <= moment < visit[2]]
    for visit in visits:
        for other in visits:
            moments = [other[0], *(each[2] for each in visits if other[0] < each[2] <= visit[0])]
            if other[0] < visit[0] <= other[2] and other[4] != visit[4] and any(outstanding(moment) == [other] for moment in moments):
                yield visit, other


def passed(visits):
    """How long requests of /short took, and how long of that others of /long were served, in nanoseconds."""
    short, long = ([visit for visit in visits if visit[3] == path] for path in ('/short', '/long'))
    waited = sum(max(0, min(done, visit[2]) - max(since, visit[0])) for visit in short for _, since, done, *_ in long)
    return 1000 * sum(visit[2] - visit[0] for visit in short), 1000 * waited


def one_at_a_time(context, name, is_said, *arguments, **options):
    visits = conversation(*arguments, **options)
    path = pcap(context.wireshark.base / f'serving-{name}.pcap', packets_of(visits))
    text = joined(text_of(context, path))
    said = re.search(r"10\.0\.0\.2:80 serves one request at a time: of (\d+) requests that came while it served another, (none|\d+) (?:was|were) answered before that one\. "
                     r"While it served GET /long, GET /short waited ([\d.]+) (m?s) of its ([\d.]+) (m?s)", text)
    if not said or not is_said:
        return [] if bool(said) == is_said and ('serves one' in text) == is_said else [text]
    came, (whole, waited) = list(behind(visits)), passed(visits)
    first = sum(visit[2] < other[2] for visit, other in came)
    return [] if (said[1], said[2]) == (str(len(came)), str(first or 'none')) and near(said[3], said[4], waited) and near(said[5], said[6], whole) else [
        f'{said[0]}: {len(came)} came, {first} were first, {waited} of {whole}']


def lasting(long, short):
    return lambda path: long if path == '/long' else short


# --- captures of other kinds ------------------------------------------------------------------------------------------

def says(context, path, *words, absent=()):
    text = joined(text_of(context, path))
    return [f'{word!r} is not in {text}' for word in words if not re.search(word, text)] + [f'{word!r} is in {text}' for word in absent if word in text]


def empty(context):
    path = write_frames(context.wireshark.base / 'summary-empty.pcap', [])
    return differences(text_of(context, path), '\nThe capture has no packets.\n')


def only_failures(context):
    """A refused connection, one without answer, and a request whose connection is reset."""
    client, other, server = (1, 40000), (1, 40001), (2, 80)
    packets = [(0, tcp(client, (2, 81), 0, 0, SYN)), (10, tcp((2, 81), client, 0, 1, RST_ACK)), (20, tcp(client, (3, 80), 0, 0, SYN)), (1000020, tcp(client, (3, 80), 0, 0, SYN)),
               (1000030, tcp(other, server, 0, 0, SYN)), (1000040, tcp(server, other, 0, 1, SYN_ACK)), (1000050, tcp(other, server, 1, 1, ACK)),
               (1000060, tcp(other, server, 1, 1, PUSH_ACK, b'GET /x HTTP/1.1\r\nHost: a\r\n\r\n')), (3000000, tcp(server, other, 1, 30, RST_ACK))]
    path = pcap(context.wireshark.base / 'summary-failures.pcap', packets)
    return says(context, path, r'Unanswered: 1 of 1 request: 1 of GET /x on 10\.0\.0\.2:80\.', r'Not connected: 2 of 3 attempts: 1 between 10\.0\.0\.1 and 10\.0\.0\.2:81 \(refused\), '
                r'1 between 10\.0\.0\.1 and 10\.0\.0\.3:80 \(unanswered\)\.', absent=['Clients waited', 'No errors', '1. '])


def only_connections(context):
    """Nobody asks for anything."""
    client, server = (1, 40000), (2, 80)
    path = pcap(context.wireshark.base / 'summary-idle.pcap', [(0, tcp(client, server, 0, 0, SYN)), (400, tcp(server, client, 0, 1, SYN_ACK)), (1000, tcp(client, server, 1, 1, ACK))])
    return says(context, path, '3 packets in 1.00 ms, 1 connection, 0 requests. No packet carries data; -z latency,connects says what became of the connections. All connections accepted. Network: the longest mean round trip is 1.00 ms, between 10.0.0.1 and 10.0.0.2:80',
                absent=['waited', '1. ', 'No errors'])


def channels(context):
    """Those that connected, and searches that nobody answered, are those of the recording's truth."""
    truth = json.loads((CAPTURES / 'ca/unanswered.truth.json').read_text())
    rows = [json.loads(line) for line in run(context.scan, '-o', 'latency.format:json', '-z', 'ca,channels', CAPTURES / 'ca/unanswered.pcap').stdout.splitlines()]
    connected = sum(row['outcome'] == 'ok' for row in rows)
    return ([] if truth else ['no truth']) + says(context, CAPTURES / 'ca/unanswered.pcap', rf'Channel Access: {connected} of {len(rows)} channels connected', r'\d+ of \d+ searches for names found no server\.')


def no_tcp(context):
    return says(context, CAPTURES / 'protocols/radius.pcap', r'0 requests\. The capture has no TCP\.')


def gaps(context):
    """As many as the table has, of a capture that lacks packets."""
    path = CAPTURES / 'tcp/http_2m_offload_on_dropped.pcap'
    found = sum(json.loads(line)['gaps'] for line in run(context.scan, '-o', 'latency.format:json', '-z', 'packets', path).stdout.splitlines())
    return says(context, path, f'IP IDs have {found} gaps, where packets may be missing\\.') + says(context, CAPTURES / 'tcp/http_2m_offload_on.pcap', absent=['may be missing']) + \
        ([] if found > 1 else [f'{found} gaps'])


def missing(context):
    """A capture without some packets: which requests have no answer because of it."""
    head, records = read_records(CAPTURES / 'framing/http.pcap')
    path = context.wireshark.base / 'summary-missing.pcap'
    path.write_bytes(head + b''.join(record for at, record in enumerate(records) if at % 40 != 20))
    path.chmod(0o644)
    lost = sum(row['outcome'] == 'lost' for row in context.wireshark.requests(path))
    return says(context, path, rf'Of these, {lost} may have an answer where bytes are missing\.') + says(context, CAPTURES / 'framing/http.pcap', absent=['are missing']) + \
        ([] if lost > 1 else ['none is lost'])


def names(context):
    """Of DNS alone: the table of operations has the same sum, and the same errors."""
    path = CAPTURES / 'framing/dns_udp.pcap'
    rows = [json.loads(line) for line in run(context.scan, '-o', 'latency.format:json', '-z', 'operations', path).stdout.splitlines()]
    errors, waited = sum(row['errors'] for row in rows), sum(row.get('total_ms', 0) for row in rows) * 1e6
    text = joined(text_of(context, path))
    said = re.search(r'Clients waited ([\d.]+) (\w+) for \d+ answers', text)
    return ([] if said and near(said[1], said[2], waited) else [f'{waited}: {text}']) + says(context, path, f'Errors: {errors} of ', 'all dns')


def errors(context):
    """By status, and by operation."""
    path = CAPTURES / 'ca/unanswered.pcap'
    rows = [row for row in context.wireshark.requests(path) if row.get('failed')]
    said = says(context, path, rf'Errors: {len(rows)} of ') if rows else says(context, path, r'Errors: \d+ of \d+ answers')
    return said + says(context, CAPTURES / 'tcp/reset_in_response.pcap', r'status truncated \(1\)', absent=['status 200'])


# --- options ----------------------------------------------------------------------------------------------------------

def formats(context):
    """A row is a paragraph: the same words as in the text."""
    whole = joined(text_of(context, SHOP))
    objects = [json.loads(line) for line in run(context.scan, '-o', 'latency.format:json', SHOP).stdout.splitlines()]
    cells = list(csv.reader(run(context.scan, '-o', 'latency.format:csv', SHOP).stdout.decode().splitlines()))
    found = [] if cells[0] == ['summary', 'more'] and cells[1:] == [[each['summary'], each.get('more', '')] for each in objects] else [f'{cells[:2]}']
    found += [each['summary'] for each in objects if joined(each['summary']) not in whole or each['table'] != 'latency,summary']
    return found + ([] if len(objects) > 5 and any('more' in each for each in objects) else [f'{len(objects)} paragraphs'])


def filtered(context):
    """A display filter counts as in the tables."""
    text = joined(context.wireshark.tshark('-q', '-r', SHOP, '-z', 'latency,summary,tcp.port == 80'))
    return [] if '70 requests: all http.' in text and 'Filter: tcp.port == 80' in text and 'KEYS' not in text.partition('Filter')[0].partition('1. ')[0] else [text]


def every(context):
    """--every has the servers, and no summary."""
    blocks = run(context.scan, '--every', '1', SHOP).stdout.decode()
    refused = run(context.scan, '--every', '1', '-z', 'summary', SHOP)
    return ([] if 'Servers, by' in blocks and 'Summary' not in blocks else [blocks]) + \
        ([] if refused.returncode == 2 and b'needs the whole capture' in refused.stderr and not refused.stdout else [f'{refused}'])


def another_capture(context):
    """Of a session that tshark has begun anew, each 100 packets, it is of the last."""
    text = context.wireshark.tshark('-q', '-M', '100', '-r', SHOP, '-z', 'latency,summary')
    rows = [json.loads(line) for line in run(context.scan, '-o', 'latency.format:json', '-z', 'requests', SHOP).stdout.splitlines()]
    most = sum(row['request_frame'] > 500 for row in rows)
    said = re.search(r'Summary: (\d+) packets in .*?, (\d+) requests?: ', text)
    return [] if said and int(said[1]) <= 100 and 0 < int(said[2]) <= most + 1 < len(rows) else [text]


def with_others(context):
    """In the order of -z."""
    text = run(context.scan, '-z', 'servers', '-z', 'summary', '-z', 'operations', SHOP).stdout.decode()
    begins = re.findall(r'^\n?(Servers|Summary|Operations)[,:]', text, re.M)
    return [] if begins == ['Servers', 'Summary', 'Operations'] else [text]


def cases(context):
    for name, check in (('commands that show more', commands_work), ('shop: the cause', shop_cause), ('shop: what waits in the queue', shop_queue), ('empty capture', empty), ('failures alone', only_failures),
                        ('connections alone', only_connections), ('channels', channels), ('names alone', names), ('no TCP', no_tcp), ('gaps', gaps), ('missing bytes', missing), ('errors', errors), ('formats', formats), ('display filter', filtered), ('every', every),
                        ('another capture', another_capture), ('with other tables', with_others)):
        yield name, functools.partial(check, context)
    for name, is_told in ('tiers_1', True), ('tiers_8', False), ('tiers_64', False):
        yield f'causes: {name}', functools.partial(tiers, context, name, is_told)
    for name, is_said, arguments, options in (('one-thread', True, (1, lasting(40000, 1000)), {}), ('four-threads', False, (4, lasting(40000, 1000)), {}),
                                              ('alike-in-four', False, (4, lasting(20000, 20000)), {}), ('one-connection', False, (1, lasting(40000, 1000)), {'one_connection': True}),
                                              ('pipelined', False, (1, lasting(40000, 1000)), {'pipelined': True}), ('some-at-once', False, (1, lasting(40000, 1000)), {'free': 0.2}),
                                              ('few-at-once', False, (1, lasting(40000, 1000)), {'free': 0.04}), ('one-at-once', True, (1, lasting(40000, 1000)), {'free': 0.004, 'n': 500}),
                                              ('pairs-in-four', False, (4, lasting(20000, 20000)), {'pairs': True})):
        yield f'serving: {name}', functools.partial(one_at_a_time, context, name, is_said, *arguments, **options)


def fitting(context):
    for path in filter(context.wants, every_capture()):
        yield path, functools.partial(fits, context, path)


def groups(context):
    yield Group('said', functools.partial(cases, context))
    yield Group('lines', functools.partial(fitting, context))
