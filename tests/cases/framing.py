# SPDX-License-Identifier: GPL-2.0-or-later
"""Many requests in flight: the captures of captures/framing against the log of the client that made them, against Wireshark's http.time, and
against themselves with packets removed and out of order. Those of TLS have their keys in the capture, and beside it for those that have not.
"""
import collections
import functools
import itertools
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import xml.etree.ElementTree

import first_lost
import json_lines
import mistaken
import proxied
from damage import damage
from outline import Group, Skipped
from pcaps import read_frames, read_records, write_frames
from reading import Reading, by_heading, figure, split
from streams import http_exchanges, streams
from tools import ROOT

CAPTURES = ROOT / 'captures/framing'
NAMES = ('http', 'memcached_text', 'memcached_meta', 'memcached_binary', 'redis', 'redis_odd', 'dns_tcp', 'postgresql', 'mysql', 'mongodb',
         'mongodb_made', 'kafka', 'kafka_made', 'zookeeper', 'mqtt', 'amqp', 'nats', 'tds', 'tds_mars', 'fastcgi')
TLS_NAMES = ('http_tls12', 'http_tls13', 'memcached_tls', 'redis_tls', 'dns_tls', 'postgresql_tls', 'mysql_tls', 'mongodb_tls', 'kafka_tls', 'mqtt_tls', 'amqp_tls', 'nats_tls')
# Between a call of a socket and the wire, on a busy machine: of each, and of half of them.
BOUND_NS, MEDIAN_NS = 20_000_000, 500_000
SEEDS = range(8)
# Of the requests, that still have their answer where 2 % of the packets are gone or late.
ANSWERED_LEAST = {'removed': {'http': 0.88, 'memcached_text': 0.68, 'memcached_meta': 0.72, 'memcached_binary': 0.94, 'redis': 0.93,
                              'redis_odd': 0.67, 'redis_benchmark': 0.90, 'dns_tcp': 0.95, 'postgresql': 0.62, 'pgbench': 0.85, 'mysql': 0.7, 'mongodb': 0.9,
                              'mongodb_made': 0.9, 'kafka': 0.9, 'kafka_made': 0.9, 'zookeeper': 0.9, 'mqtt': 0.9,
                              'amqp': 0.4, 'nats': 0.6, 'tds': 0.9, 'tds_mars': 0.7, 'fastcgi': 0.5},
                  'reordered': {'http': 0.96, 'memcached_text': 0.98, 'memcached_meta': 0.96, 'memcached_binary': 0.96, 'redis': 0.97,
                                'redis_odd': 0.82, 'redis_benchmark': 0.99, 'dns_tcp': 0.99, 'postgresql': 0.99, 'pgbench': 0.99, 'mysql': 0.99, 'mongodb': 0.99,
                                'mongodb_made': 0.99, 'kafka': 0.99, 'kafka_made': 0.99, 'zookeeper': 0.99, 'mqtt': 0.99, 'amqp': 0.99, 'nats': 0.95,
                                'tds': 0.99, 'tds_mars': 0.95, 'fastcgi': 0.99}}
# Kinds whose every status is in the client's log.
SAYS_STATUS = 'redis', 'postgresql', 'mysql', 'mongodb', 'kafka', 'zookeeper', 'mqtt', 'amqp', 'nats', 'tds', 'fastcgi'
ANSWERED_LEAST_TLS = 0.1
# The same, of what Wireshark's TCP puts in order: all but connections whose hellos are out of order, which Wireshark does not decrypt.
ANSWERED_LEAST_ORDERED = 0.75
# Of those that Wireshark pairs too in a decrypted capture, so many times at least are there to compare.
HTTP_TIMES_LEAST = {'http_tls12': 15, 'http_tls13': 6}
HTTP_PATHS = ('framing/http.pcap', 'tcp/http_wrk.pcap', 'tcp/http_20k_offload_off.pcap', 'tcp/http_small_offload_off.pcap', 'tcp/http_delays.pcap')
# A capture is cut into this many parts, and read from each but the first on. Of the requests behind it that have an answer.
MIDDLE_PARTS, MIDDLE_PARTS_TLS, MIDDLE_LEAST = 24, 8, 0.95
# What AMQP publishes has no number but by counting from the channel's beginning; where NATS delivers what was pulled the client has said at the beginning.
COUNTED_LEAST = {'amqp': 0.3, 'nats': 0.85}
UNFOUND_MIDDLE_MOST = 0.05  # before the first segment that begins with a request
HAS_IDS = 'mongodb', 'kafka', 'zookeeper', 'mqtt', 'amqp', 'nats', 'fastcgi', 'dns', 'memcached_binary'
# Of those whose packets are all there, that are not found: inline commands of Redis after the rest of another, for one.
UNFOUND_MOST = 0.004


def capture_of(name):
    return CAPTURES / (f'{name}.pcapng' if 'tls' in name else f'{name}.pcap')


def keys_of(name):
    return ('-o', f'tls.keylog_file:{CAPTURES / name}.keys') if name in TLS_NAMES else ()


def by_connection(rows, key):
    found = collections.defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def check_truth(name, rows):
    """Every request of the client's log, in its order, with its operation, latencies and status; and no other."""
    truth = json.loads((CAPTURES / f'{name}.truth.json').read_text())
    wanted = by_connection([entry for entry in truth if entry['first']], 'port')
    ours = by_connection(sorted(rows, key=lambda row: row['number']), 'client_port')
    found, beside = [], ([], [], [])
    if {port: len(rows) for port, rows in ours.items()} != {port: len(rows) for port, rows in wanted.items()}:
        return [f'{ {port: len(rows) for port, rows in ours.items()} } requests instead of { {port: len(rows) for port, rows in wanted.items()} }']
    for port, rows in ours.items():
        for row, entry in zip(rows, wanted[port]):
            where = f'request {row["number"]} ({row.get("operation")})'
            if row.get('operation') != entry['operation']:
                found.append(f'{where}: {entry["operation"]} was sent')
            if row['outcome'] != 'answered':
                found.append(f'{where}: {row["outcome"]}')
                continue
            for i, (ours_ns, theirs_ns) in enumerate(((row['request_time'], entry['sent']), (row['response_time'], entry['first']),
                                       (row['response_end_time'], entry['last']))):
                beside[i].append(abs(ours_ns - theirs_ns))
                if abs(ours_ns - theirs_ns) > BOUND_NS:
                    found.append(f'{where}: {ours_ns - theirs_ns} ns beside the client')
            if row['first_byte'] > row['last_byte'] or row['response_time'] > entry['last'] or row['request_time'] < entry['sent']:
                found.append(f'{where}: seen before it was sent, or after it was read')
            if row['framing'] != name.partition('_')[0]:
                found.append(f'{where}: told from others by {row["framing"]}')
            if name.startswith('dns') and row.get('status', row.get('error')) != entry['status']:
                found.append(f'{where}: status {row.get("status")} instead of {entry["status"]}')
            if not name.startswith((*SAYS_STATUS, 'dns')) and entry['status'] in ('200', '204', '304', '404', 'NOT_FOUND', 'NF', 'EN', 'miss') and row.get('status', row.get('error')) != entry['status']:
                found.append(f'{where}: status {row.get("status")} instead of {entry["status"]}')
            if name.startswith(SAYS_STATUS) and row.get('status', row.get('error', '')) != entry['status']:
                found.append(f'{where}: status {row.get("status")} instead of {entry["status"]}')
    medians = [statistics.median(each) for each in beside]
    return found + ([f'half of the times are {medians} ns beside the client'] if max(medians) > MEDIAN_NS else [])


def check_errors(reading, name, is_error):
    """The table of servers counts as many errors as the client's log, and says that all were found by their messages."""
    wanted = sum(is_error(entry['status'] or '') for entry in json.loads((CAPTURES / f'{name}.truth.json').read_text()))
    lines = reading.tables['latency,servers']
    ours = figure(by_heading(lines)[-1]['Err'])
    apart = re.search(r'(\d+) requests, .*; (\d+) by messages[.;]', '\n'.join(lines))
    return ([] if wanted and ours == wanted else [f'{ours} errors instead of {wanted}']) + ([] if apart and apart[1] == apart[2] else lines[:3])


def read_http(wireshark, capture):
    """By the client's port: what the bytes themselves say of each request, in order."""
    return {client['port']: http_exchanges(client, server) for client, server in streams(wireshark, capture)}


def wireshark_pairs(wireshark, capture):
    """What Wireshark itself pairs: (client's port, frame of the request, frame of the response) and its time in seconds."""
    text = wireshark.tshark('-2', '-r', capture, '-Y', 'http', '-T', 'pdml', '-J', 'http tcp', plugin=False)
    found = []
    for packet in xml.etree.ElementTree.fromstring(text).iter('packet'):
        frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get('show'))
        port = next(field.get('show') for field in packet.iter('field') if field.get('name') == 'tcp.dstport')
        for message in packet.findall("proto[@name='http']"):
            fields = {field.get('name'): field.get('show') for field in message.iter('field')}
            if 'http.request_in' in fields:
                found.append(((int(port), int(fields['http.request_in']), frame), float(fields['http.time'])))
    return found


def check_http_time(wireshark, path):
    """Every request is as the bytes have it, and they as the client's log; and every time of Wireshark's is ours, unless it pairs frames
    of which, by the bytes, none has a request that is answered in the other."""
    capture = ROOT / 'captures' / path
    log, found, times = capture.with_suffix('.truth.json'), [], {}
    right = read_http(wireshark, capture)
    if log.exists():
        logged = by_connection(json.loads(log.read_text()), 'port')
        found += [f'the bytes are read otherwise than by the client of port {port}' for port in {*logged, *right}
                  if [(entry['operation'], entry['status']) for entry in logged[port]]
                  != [(each['operation'], each.get('status')) for each in right.get(port, [])]]
    ours = by_connection(wireshark.requests(capture), 'client_port')
    for port, exchanges in right.items():
        if len(ours[port]) != len(exchanges):
            found.append(f'port {port}: {len(ours[port])} requests instead of {len(exchanges)}')
        for row, each in zip(ours[port], exchanges):
            was = row.get('operation'), row['request_frame'], row.get('response_frame'), row.get('response_end_frame', 0), row.get('status', row.get('error'))
            should = each['operation'], each['asked'], each['answered'], each.get('answered_until', 0), each.get('status')
            if was != should:
                found.append(f'request {row["number"]}: {was} instead of {should}')
            if each['answered']:
                times[port, each['asked_until'], each['answered_until']] = row['response_end_time'] - row['request_end_time']
    pairs = wireshark_pairs(wireshark, capture)
    equal = [pair for pair, seconds in pairs if pair in times and abs(times[pair] / 1e9 - seconds) <= 1e-6]
    found += [f'{pair}: {times[pair]} ns, http.time is {seconds}' for pair, seconds in pairs if pair in times and pair not in equal]
    return found or ([] if equal else ['Wireshark has no times'])


def check_decrypted_http_time(wireshark, name, least):
    """Where Wireshark pairs the frames that we do, its time is ours."""
    ours = {(row['client_port'], row['request_frame'], row['response_end_frame']): row['last_byte']
            for row in wireshark.requests(capture_of(name)) if row['outcome'] == 'answered'}
    pairs = [(pair, seconds) for pair, seconds in wireshark_pairs(wireshark, capture_of(name)) if pair in ours]
    return [f'{pair}: {ours[pair]} ns, http.time is {seconds}' for pair, seconds in pairs if abs(ours[pair] / 1e9 - seconds) > 1e-6] or (
        [] if len(pairs) >= least else [f'only {len(pairs)} pairs of Wireshark are ours too'])


def write_damaged(path, head, packets, seed, how):
    """The packets, but the first of the connections, removed or out of order. The number that each had, 0 for none before the first."""
    numbers = damage(range(1, len(packets) + 1), range(1, 7), seed, how)
    path.write_bytes(head + b''.join(packets[number - 1] for number in numbers))
    path.chmod(0o644)
    return [0, *numbers]


def by_frame(rows, frames=None):
    """The requests that begin in each frame, in their order; `frames`: what each frame was before the damage."""
    found = collections.defaultdict(list)
    for row in sorted(rows, key=lambda row: row['number']):
        found[row['client_port'], frames[row['request_frame']] if frames else row['request_frame']].append(row)
    return found


def says_same(row, right):
    """A statement, or a topic of MQTT, whose text was in a packet that is gone is called by its name; of MongoDB and Kafka what is gone may be the end of what is named:
    the collection, the database, the topic; of FastCGI the parameters."""
    ours, whole = row.get('operation', ''), right.get('operation', '')
    if row['framing'] in ('mongodb', 'kafka') and row['framing'] == right['framing']:
        name, _, subject = whole.rpartition(' ')
        return ours in ('', whole, name, *(f'{name} {part}' for part in subject.split('.', 1)))
    if row['framing'] == 'fastcgi' and not ours:
        return True
    named = row['framing'] in ('postgresql', 'mysql') and re.match(r'EXECUTE|(Close|Describe|Bind|Fetch|Reset stmt) \w+$', ours)
    named = named or row['framing'] == 'mqtt' and re.match(r'PUBLISH alias \d+$', ours)
    return named or ours == whole


def align(rows, rights):
    """Pairs of rows and requests, both in their order, as many as there can be; those of equal size first, and the last of equal ones: a segment may
    begin with the rest of what is gone."""
    best = [[0] * (len(rights) + 1) for _ in range(len(rows) + 1)]

    def score(row, right):
        return (2 + (row['request_bytes'] == right['request_bytes'])) * bool(says_same(row, right))
    for i, row in enumerate(rows, 1):
        for j, right in enumerate(rights, 1):
            fit = score(row, right)
            best[i][j] = max(best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + fit if fit else 0)
    pairs, i, j = [], len(rows), len(rights)
    while i and j:
        fit = score(rows[i - 1], rights[j - 1])
        if fit and best[i][j] == best[i - 1][j - 1] + fit:
            i, j = i - 1, j - 1
            pairs.append((rows[i], rights[j]))
        elif best[i][j] == best[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def first_frames(whole, frames):
    """The requests by their port and the first of their frames that the damaged capture has (`frames`: what each is of the whole one)."""
    place, found = {frame: i for i, frame in enumerate(frames)}, collections.defaultdict(list)
    for (port, _), rows in sorted(whole.items(), key=lambda item: item[1][0]['number']):
        for row in rows:
            there = [packet['frame'] for packet in row['packets'] if packet['side'] == 'request' and packet['frame'] in place]
            if there:
                found[port, min(there, key=place.get)].append(row)
    return found


def identify(whole, damaged, frames):
    """Pairs of a request and what it was before the damage, by the first of its frames and its place among those that begin there; and those that are
    neither one of these nor the rest of a request whose first segment is gone."""
    middles = {(key[0], packet['frame']) for key, rows in whole.items() for row in rows for packet in row['packets']
               if packet['side'] == 'request' and packet['frame'] != row['request_frame']}
    begin, pairs, strangers = first_frames(whole, frames), [], []
    for key, rows in damaged.items():
        right = begin.get(key, [])
        found = align(rows, right)
        if not found and len(rows) == 1 and rows[0]['framing'] == 'turns' and right and rows[0].get('operation') == right[0].get('operation'):
            found = [(rows[0], {**right[0], 'response_end_frame': right[-1]['response_end_frame']})]  # a turn is all that was asked
        pairs += found
        paired = {id(row) for row, _ in found}
        strangers += [row for row in rows if id(row) not in paired and key not in middles]
    return pairs, strangers


def count_unfound(whole, pairs, frames):
    """Of the requests whose packets are all among the frames (None: all are), those that are none of their own any more."""
    seen = collections.Counter(id(right) for row, right in pairs if row['framing'] != 'turns')
    return sum(id(row) not in seen for rows in whole.values() for row in rows
               if frames is None or all(packet['frame'] in frames for packet in row['packets'] if packet['side'] == 'request'))


def wrong_answer(row, right, earliest, first, last, how):
    """What shows that it is not its own; `first`, `last`: the answer's frames before the damage; `earliest`: where it can begin."""
    if not earliest <= first <= right['response_end_frame']:
        return f'is answered in {first} instead of {right["response_frame"]}…{right["response_end_frame"]}'
    if how == 'removed' and last > right['response_end_frame']:
        return f'is answered until {last} instead of {right["response_end_frame"]}'
    if row['framing'] == 'turns':
        return None
    said, right_said = (each.get('status', each.get('error', '')) for each in (row, right))
    if said not in ('', right_said) or row['response_bytes'] > right['response_bytes']:
        return f'has an answer of {row["response_bytes"]} bytes ({said}) instead of {right["response_bytes"]} ({right_said})'
    return None


def fills_hole(row, rows, frames):
    """Whether it is decrypted with a packet that is late: the request's own, behind that, was there before."""
    filled = frames[row['request_frame']]
    return any(right['operation'] == row['operation'] and right['client_port'] == row['client_port'] and
               filled < right['request_frame'] in frames[:row['request_frame']] for right in rows if 'operation' in right)


def check_damaged(wireshark, name, folder, how, *preferences):
    """Every request is one of the whole capture, and no answer goes to another than there."""
    encrypted = name in TLS_NAMES
    head, packets = read_records(without_keys(name, folder) if encrypted else capture_of(name))
    rows = wireshark.requests(capture_of(name))
    whole = by_frame(rows)
    ends = by_connection([row for row in rows if row['outcome'] == 'answered'], 'connection')

    def earliest(right):
        """What is decrypted counts where its records end; by turns it may begin with a record's first packet, after the answer before."""
        if not encrypted:
            return right['response_frame']
        before = [row['response_end_frame'] for row in ends[right['connection']]
                  if row['response_end_frame'] <= right['response_frame'] and row['number'] != right['number']]
        return max(before, default=right['request_frame'])
    found, answered, intact, unfound = [], 0, 0, 0
    for seed in SEEDS:
        path = folder / f'{name}-{how}-{seed}.pcap'
        frame = write_damaged(path, head, packets, seed, how)
        ours = by_frame(wireshark.requests(path, *keys_of(name), *preferences), frame)
        pairs, strangers = identify(whole, ours, frame)
        path.unlink()
        intact += sum(map(len, whole.values()))
        unfound += count_unfound(whole, pairs, set(frame) if how == 'removed' else None)
        # without the order of its records what is encrypted has turns for requests
        found += [f'seed {seed}: what begins in frame {frame[row["request_frame"]]} ({row.get("operation")}) is no request'
                  for row in strangers if not (encrypted and (row['framing'] == 'turns' or fills_hole(row, rows, frame)))]
        for row, right in pairs:
            if row['outcome'] != 'answered' or encrypted and row['framing'] == 'turns':
                continue
            answered += 1
            wrong = wrong_answer(row, right, earliest(right), frame[row['response_frame']], frame[row['response_end_frame']], how)
            if wrong:
                found.append(f'seed {seed}: frame {frame[row["request_frame"]]} ({row.get("operation")}, {row["framing"]}) {wrong}')
    if not intact or answered < (ANSWERED_LEAST_ORDERED if preferences else ANSWERED_LEAST_TLS if encrypted else ANSWERED_LEAST[how][name]) * intact:
        found.append(f'only {answered} of {intact} are answered')
    if not encrypted and unfound > UNFOUND_MOST * intact:
        found.append(f'{unfound} of {intact} are not found')
    return found


def asked_before(rows, cut, ours):
    """Of each connection that had asked and was not answered where the capture begins, or begins there with the rest of something (`ours`: the rows
    that are left, of which the first is by turns): the frame of the first request after that which found nothing outstanding; None if there is none."""
    found, firsts = {}, {port: min(each, key=lambda row: row['number']) for port, each in by_connection(ours, 'client_port').items()}
    for number, each in by_connection([row for row in rows if row['outcome'] == 'answered'], 'connection').items():
        each.sort(key=lambda row: row['number'])
        first = firsts.get(each[0]['client_port'], {'framing': None})
        begin = cut + first['request_frame'] if first['framing'] == 'turns' else cut
        if begin == cut and not any(row['request_frame'] <= cut < row['response_end_frame'] for row in each):
            continue
        ends = itertools.accumulate((row['response_end_frame'] for row in each), max, initial=0)
        found[number] = next((row['request_frame'] for row, end in zip(each, ends) if row['request_frame'] > end > begin), None)
    return found


def check_middle(wireshark, name, folder):
    """From the middle of the connections on every request is one of the whole capture, with its own answer or none; what TLS hides goes by turns, and so
    does what stands before the first request. Without ids a client is taken to wait for nothing when the capture has its first request: of one that
    waits, what is asked until it waits for nothing is not compared."""
    head, packets = read_records(without_keys(name, folder) if name in TLS_NAMES else capture_of(name))
    all_rows, found, intact, answered, unfound = wireshark.requests(capture_of(name)), [], 0, 0, 0
    whole, path = by_frame(all_rows), folder / 'middle.pcap'
    parts = MIDDLE_PARTS_TLS if name in TLS_NAMES else MIDDLE_PARTS
    for part in range(1, parts):
        first = len(packets) * part // parts
        frames = [0, *range(first + 1, len(packets) + 1)]
        path.write_bytes(head + b''.join(packets[first:]))
        path.chmod(0o644)
        rows = wireshark.requests(path, *keys_of(name))
        if name in TLS_NAMES:
            found += [f'{row["framing"]}: {row}' for row in rows if row['framing'] != 'turns'] or ([] if rows else ['no rows'])
            continue
        waits = {} if name.startswith(HAS_IDS) else asked_before(all_rows, first, rows)
        pairs, strangers = identify(whole, by_frame(rows, frames), frames)
        found += [f'from {first + 1}: what begins in frame {frames[row["request_frame"]]} ({row.get("operation")}, {row["framing"]}) is no request'
                  for row in strangers if row['framing'] != 'turns']
        after = {key: [right for right in rights if right['connection'] not in waits] for key, rights in whole.items() if key[1] > first}
        intact += sum(map(len, after.values()))
        unfound += count_unfound(after, pairs, set(frames))
        for row, right in pairs:
            begins = waits.get(right['connection'], 0)
            if row['outcome'] != 'answered' or begins is None or right['request_frame'] < begins:
                continue
            answered += right['connection'] not in waits
            wrong = wrong_answer(row, right, right['response_frame'], frames[row['response_frame']], frames[row['response_end_frame']], 'removed')
            found += [f'from {first + 1}: frame {frames[row["request_frame"]]} ({row.get("operation")}, {row["framing"]}) {wrong}'] if wrong else []
    if answered < COUNTED_LEAST.get(name, MIDDLE_LEAST) * intact:
        found.append(f'only {answered} of {intact} are answered')
    if unfound > UNFOUND_MIDDLE_MOST * intact:
        found.append(f'{unfound} of {intact} are not found')
    return found[:5]


def without_keys(name, folder):
    """The packets alone, as a pcap file."""
    return write_frames(folder / f'{name}.pcap', ((frame.time, frame.data, frame.length) for frame in read_frames(capture_of(name))))


def check_keys(wireshark, name, folder):
    """Without its keys a capture goes by turns, with them in a file as with them inside."""
    plain = without_keys(name, folder)
    found = {row['framing'] for row in wireshark.requests(plain)}
    wanted = {'turns', 'postgresql'} if name == 'postgresql_tls' else {'turns'}  # SSLRequest is in clear
    turns = [] if found == wanted else [f'without keys: {found}']
    return turns + check_truth(name, wireshark.requests(plain, *keys_of(name)))


def check_passes(wireshark, name):
    """One pass and two say the same, and the frames have the field."""
    one, two = (wireshark.requests(capture_of(name), *passes) for passes in ((), ('-2',)))
    if one != two or not one:
        return [f'{a} in one pass, {b} in two' for a, b in zip(one, two) if a != b] or [f'{len(one)} requests in one pass, {len(two)} in two']
    kind = name.partition('_')[0]
    wanted = collections.Counter(frame for row in one if row['framing'] == kind for frame in {row['request_frame'], row['response_frame']})
    frames = wireshark.fields(capture_of(name), ['latency.framing'], '-2')
    return [f'frame {frame}: {frames[frame]} instead of {count} {kind}' for frame, count in wanted.items()
            if frames[frame].get('latency.framing', []).count(kind) < count][:3]


def check_damaged_passes(wireshark, name, folder, how):
    """Of damaged captures, too, one pass and two write the same rows, frames of each included."""
    head, packets = read_records(capture_of(name))
    found = []
    for seed in SEEDS:
        path = folder / f'{name}-{how}-{seed}.pcap'
        write_damaged(path, head, packets, seed, how)
        one, two = ({row['number']: row for row in wireshark.requests(path, *passes)} for passes in ((), ('-2',)))
        path.unlink()
        found += [f'seed {seed}: {one.get(number)} in one pass, {two.get(number)} in two'
                  for number in sorted({*one, *two}) if one.get(number) != two.get(number)] + ([] if one else [f'seed {seed}: no requests'])
    return found[:3]


def benchmark_problems(wireshark, capture, requests):
    """So many SET and GET as redis-benchmark was told to send, and what it asks of the server's settings first; none unanswered."""
    text = wireshark.tshark('-q', '-r', capture, '-z', 'latency,operations')
    found = {row['Operation']: (figure(row['Reqs']), figure(row['Unans.'])) for row in by_heading(split(text)['latency,operations'])}
    settings, unanswered = found.pop('CONFIG', (0, 0))
    problems = [] if found == {'SET': (requests, 0), 'GET': (requests, 0)} and 0 < settings < 10 and not unanswered else [f'{found}, {settings} CONFIG']
    total = int(2 * requests + settings)
    line = f'{total} requests, {total} answered, 0 unanswered; {total} by messages.'
    return problems + ([] if line in text else [f'no {line!r}'])


def pgbench_problems(wireshark, capture):
    """15 transactions on each of two connections, simple, extended and prepared, of which each has seven statements, four of them with literals
    or parameters; and as many pipelines of three with one Sync. None unanswered, no error."""
    rows = wireshark.requests(capture)
    counts = collections.Counter(re.sub(r'[+] .*', '+', re.sub(r'= [$][12?]|= [?]|[(][$?-].*', '', row['operation'])).strip() for row in rows)
    wanted = {'BEGIN': 90, 'END': 90, 'UPDATE pgbench_accounts SET abalance = abalance +': 90, 'UPDATE pgbench_tellers SET tbalance = tbalance +': 90,
              'UPDATE pgbench_branches SET bbalance = bbalance +': 90, 'SELECT ?': 30, 'UPDATE pgbench_branches SET bbalance': 30}
    found = [f'{name}: {counts[name]} instead of {count}' for name, count in wanted.items() if counts[name] != count]
    selects = sum(row['operation'] in ('SELECT abalance FROM pgbench_accounts WHERE aid = $1', 'SELECT abalance FROM pgbench_accounts WHERE aid = ?') for row in rows)
    found += [] if selects == 120 else [f'{selects} SELECT instead of 120']
    return found + [f'{row["number"]}: {row["outcome"]} {row.get("error", "")}' for row in rows if row['outcome'] != 'answered' or 'error' in row]


BENCHMARKS = {'redis_benchmark': lambda wireshark, capture: benchmark_problems(wireshark, capture, 800), 'pgbench': pgbench_problems}


def check_benchmark(wireshark, folder):
    """100 000 SET and 100 000 GET of redis-benchmark, 16 in flight."""
    missing = [tool for tool in ('redis-server', 'redis-benchmark', 'tcpdump') if not shutil.which(tool)]
    if missing:
        raise Skipped(f'there is no {", ".join(missing)}')
    port, path, requests = 16379, folder / 'benchmark.pcap', 100_000
    server = subprocess.Popen(['redis-server', '--port', str(port), '--save', '', '--dir', str(folder)], stdout=subprocess.DEVNULL)
    dump = subprocess.Popen(['tcpdump', '-i', 'lo', '-B', '262144', '--relinquish-privileges', 'root', '-w', str(path), f'tcp port {port}'],
                            stderr=subprocess.PIPE, text=True)
    try:
        for line in dump.stderr:
            if 'listening on' in line:
                break
        else:
            raise Skipped('tcpdump cannot capture here')
        time.sleep(0.5)
        subprocess.run(['redis-benchmark', '-p', str(port), '-P', '16', '-n', str(requests), '-t', 'set,get', '-q'], check=True,
                       stdout=subprocess.DEVNULL)
        time.sleep(1)
    finally:
        dump.terminate()
        report = dump.stderr.read()
        dump.wait()
        server.terminate()
        server.wait()
    if '\n0 packets dropped by kernel' not in report:
        raise Skipped('tcpdump lost packets on this machine')
    path.chmod(0o644)
    return benchmark_problems(wireshark, path, requests)


def quick_cases(reading, name):
    """Of the one run over a capture; those of BENCHMARKS have no log."""
    if name in BENCHMARKS:
        return
    yield "the client's log", lambda: check_truth(name, [row for row in map(json.loads, reading.lines) if row['type'] == 'request'])
    if name == 'http':
        yield 'errors', lambda: check_errors(reading, name, lambda status: status >= '400')
    if name == 'postgresql':
        yield 'errors', lambda: check_errors(reading, name, lambda status: len(status) > 1)
    if name == 'redis':
        yield 'errors', lambda: check_errors(reading, name, str.isupper)
    if name in ('mqtt', 'mqtt_tls'):
        yield 'errors', lambda: check_errors(reading, name, lambda status: status not in ('', '0x10', '0x11'))
    if name == 'fastcgi':
        yield 'errors', lambda: check_errors(reading, name, lambda status: status >= '400')
    if name in ('amqp', 'amqp_tls'):
        yield 'errors', lambda: check_errors(reading, name, lambda status: status not in ('', 'empty'))
    if name == 'nats':
        yield 'errors', lambda: check_errors(reading, name, lambda status: status not in ('', '404'))
    if name in ('tds', 'tds_mars'):
        yield 'errors', lambda: check_errors(reading, name, bool)
    if name in ('dns_tcp', 'dns_tls'):
        yield 'errors', lambda: check_errors(reading, name, lambda status: status in ('SERVFAIL', 'REFUSED'))


def cases(context, name):
    """Of a capture of captures/framing."""
    wireshark, reading = context.wireshark, Reading(context.wireshark, capture_of(name), fields=['latency.framing'])
    yield 'JSON', lambda: json_lines.check_schema(reading.lines)
    yield from quick_cases(reading, name)
    if context.is_quick:
        return
    with tempfile.TemporaryDirectory(dir=wireshark.base) as directory:
        folder = pathlib.Path(directory)
        folder.chmod(0o755)
        if name in BENCHMARKS:
            yield 'as many as it was told', lambda: BENCHMARKS[name](wireshark, capture_of(name))
        else:
            yield "the client's log in two passes", lambda: check_truth(name, wireshark.requests(capture_of(name), '-2'))
        if name in TLS_NAMES:
            yield 'keys', lambda: check_keys(wireshark, name, folder)
            yield 'passes', lambda: check_passes(wireshark, name)
        if not context.dozen:
            yield 'from the middle', lambda: check_middle(wireshark, name, folder)
        if name in HTTP_TIMES_LEAST:
            yield 'http.time', lambda: check_decrypted_http_time(wireshark, name, HTTP_TIMES_LEAST[name])
        for how in ('removed', 'reordered') if not context.dozen else ():
            yield f'2 % {how}', lambda how=how: check_damaged(wireshark, name, folder, how)
            if name in ('memcached_text', 'redis'):
                yield f'2 % {how}: passes', lambda how=how: check_damaged_passes(wireshark, name, folder, how)
        if name in TLS_NAMES and not context.dozen:
            yield '2 % reordered, put in order', lambda: check_damaged(wireshark, name, folder, 'reordered', '-o', 'tcp.reassemble_out_of_order:TRUE')


def http_cases(context):
    for path in HTTP_PATHS:
        yield f'{path}: http.time', functools.partial(check_http_time, context.wireshark, path)


def benchmark(context):
    with tempfile.TemporaryDirectory(dir=context.wireshark.base) as folder:
        pathlib.Path(folder).chmod(0o755)
        return check_benchmark(context.wireshark, pathlib.Path(folder))


def groups(context):
    for name in (*NAMES, *BENCHMARKS, *TLS_NAMES):
        if context.wants(f'framing/{capture_of(name).name}'):
            yield Group(name, functools.partial(cases, context, name))
    yield from proxied.groups(context)
    if not context.is_quick and not context.dozen:
        yield Group('', functools.partial(http_cases, context))
        yield from first_lost.groups(context)
        yield from mistaken.groups(context)


def benchmark_groups(context):
    return [Group('', lambda: [('200 000 requests', functools.partial(benchmark, context))])]
