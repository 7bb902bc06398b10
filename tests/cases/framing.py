#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Many requests in flight: framing.py PLUGIN.so

The captures of captures/framing against the log of the client that made them, against Wireshark's http.time, and against themselves
with packets removed and out of order. Those of TLS have their keys in the capture, and beside it for those that have not.
The last line counts: N passed, N failed, N skipped.
"""
import collections
import json
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from tools import ROOT, Wireshark

CAPTURES = ROOT / 'captures/framing'
NAMES = ('http', 'memcached_text', 'memcached_meta', 'memcached_binary', 'redis')
TLS_NAMES = ('http_tls12', 'http_tls13', 'memcached_tls', 'redis_tls')
# Between a call of a socket and the wire, on a busy machine: of each, and of half of them.
BOUND_NS, MEDIAN_NS = 20_000_000, 500_000
SEEDS = range(8)


def requests_of(wireshark, capture, *arguments):
    text = wireshark.tshark('-q', '-r', capture, '-o', 'latency.json:rows', *arguments, '-z', 'latency,json')
    return [row for row in map(json.loads, text.splitlines()) if row['type'] == 'request']


def capture_of(name):
    return CAPTURES / (f'{name}.pcapng' if name in TLS_NAMES else f'{name}.pcap')


def keys_of(name):
    return ('-o', f'tls.keylog_file:{CAPTURES / name}.keys') if name in TLS_NAMES else ()


def is_handshake(row):
    return row['framing'] == 'turns' and row.get('operation') in ('TLS Handshake', 'TLS Change Cipher Spec')


def by_connection(rows, key):
    found = collections.defaultdict(list)
    for row in rows:
        found[row[key]].append(row)
    return found


def check_truth(wireshark, name, passes, capture=None):
    """Every request of the client's log, in its order, with its operation, latencies and status; and no other but two of each TLS handshake."""
    truth = json.loads((CAPTURES / f'{name}.truth.json').read_text())
    wanted = by_connection([entry for entry in truth if entry['first']], 'port')
    rows = requests_of(wireshark, capture or capture_of(name), *passes)
    ours = by_connection([row for row in rows if name not in TLS_NAMES or not is_handshake(row)], 'client_port')
    if name in TLS_NAMES and len([row for row in rows if is_handshake(row) and row['outcome'] == 'answered']) != 2 * len(wanted):
        return [f'{collections.Counter((row["operation"], row["outcome"]) for row in rows if is_handshake(row))}: the handshakes']
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
            if not name.startswith('redis') and entry['status'] in ('200', '204', '304', '404', 'NOT_FOUND', 'NF', 'EN', 'miss') and row.get('status', row.get('error')) != entry['status']:
                found.append(f'{where}: status {row.get("status")} instead of {entry["status"]}')
            if name.startswith('redis') and row.get('status', row.get('error', '')) != entry['status']:
                found.append(f'{where}: status {row.get("status")} instead of {entry["status"]}')
    medians = [statistics.median(each) for each in beside]
    return found + ([f'half of the times are {medians} ns beside the client'] if max(medians) > MEDIAN_NS else [])


def check_errors(wireshark, name, is_error):
    """The table of servers counts as many errors as the client's log, and says that all were told apart."""
    wanted = sum(is_error(entry['status'] or '') for entry in json.loads((CAPTURES / f'{name}.truth.json').read_text()))
    lines = wireshark.tshark('-q', '-r', CAPTURES / f'{name}.pcap', '-z', 'latency,servers').splitlines()
    ours = int(lines[-1].split('|')[3])
    apart = re.search(r'(\d+) requests, .* (\d+) told apart by messages, 0 by turns', '\n'.join(lines))
    return ([] if wanted and ours == wanted else [f'{ours} errors instead of {wanted}']) + ([] if apart and apart[1] == apart[2] else lines[:3])


def check_http_time(wireshark, path, least):
    """Where Wireshark itself pairs a request with a response, so do we. Its time is that of the response's last frame."""
    capture = ROOT / 'captures' / path
    frames = wireshark.fields(capture, ['http.request_in', 'http.time'], '-2')
    pairs = {(int(request), frame): float(seconds) for frame, cells in frames.items()
             for request, seconds in zip(cells.get('http.request_in', []), cells.get('http.time', []))}
    ours = {(row['request_frame'], row['response_end_frame']): row['last_byte'] for row in requests_of(wireshark, capture)}
    found = [f'{pair}: {ours[pair]} ns, http.time is {seconds}' for pair, seconds in pairs.items()
             if pair in ours and abs(ours[pair] / 1e9 - seconds) > 1e-6]
    both = len(set(pairs) & set(ours))
    return found or ([] if both >= least else [f'only {both} of {len(pairs)} pairs of Wireshark are ours too'])


def packets_of(path):
    data = path.read_bytes()
    packets, at = [], 24
    while at < len(data):
        size = struct.unpack('<I', data[at + 8:at + 12])[0]
        packets.append(data[at:at + 16 + size])
        at += 16 + size
    return data[:24], packets


def damage(packets, seed, how):
    """The same packets less 2 %, or with 2 % later; and the frame that each was."""
    chance = random.Random(seed)
    numbered = list(enumerate(packets, 1))
    chosen = {number for number, packet in numbered if number > 6 and chance.random() < 0.02}
    if how == 'removed':
        return [(number, packet) for number, packet in numbered if number not in chosen]
    result = []
    for number, packet in numbered:
        at = len(result) if number not in chosen else max(0, len(result) - chance.randrange(1, 4))
        result.insert(at, (number, packet))
    return result


def check_damaged(wireshark, name, folder, how, *preferences):
    """No answer goes to another request than in the whole capture."""
    head, packets = packets_of(without_keys(name, folder) if name in TLS_NAMES else capture_of(name))
    rows = requests_of(wireshark, capture_of(name))
    whole = {(row['request_frame'], row.get('operation'), place): row for row, place in numbered_in_frame(rows)}
    ends = by_connection([row for row in rows if row['outcome'] == 'answered'], 'connection')

    def earliest(right):
        """What is decrypted counts where its records end; by turns it may begin with a record's first packet, after the answer before."""
        if name not in TLS_NAMES:
            return right['response_frame']
        before = [row['response_end_frame'] for row in ends[right['connection']]
                  if row['response_end_frame'] <= right['response_frame'] and row is not right]
        return max(before, default=right['request_frame'])
    found, answered, intact = [], 0, 0
    for seed in SEEDS:
        damaged = damage(packets, seed, how)
        path = folder / f'{name}-{how}-{seed}.pcap'
        path.write_bytes(head + b''.join(packet for _, packet in damaged))
        path.chmod(0o644)
        frame = [0] + [number for number, _ in damaged]
        rows = requests_of(wireshark, path, *keys_of(name), *preferences)
        intact += len(whole)
        for row, place in numbered_in_frame(rows):
            if row['outcome'] != 'answered' or name in TLS_NAMES and row['framing'] == 'turns':
                continue
            right = whole.get((frame[row['request_frame']], row.get('operation'), place))
            first, last = frame[row['response_frame']], frame[row['response_end_frame']]
            if right is None:
                continue  # its first segment is gone: it begins later, or with another place in its frame
            answered += 1
            if not earliest(right) <= first <= right['response_end_frame']:
                found.append(f'seed {seed}: frame {frame[row["request_frame"]]} ({row.get("operation")}, {row["framing"]}) is answered in {first} instead of '
                             f'{right["response_frame"]}…{right["response_end_frame"]}')
            if how == 'removed' and last > right['response_end_frame']:
                found.append(f'seed {seed}: frame {frame[row["request_frame"]]} ({row.get("operation")}) is answered until {last} instead of '
                             f'{right["response_end_frame"]}')
        path.unlink()
    print(f'    {name}, {how}: {answered} of {intact} answered, {len(found)} wrong')
    return found


def without_keys(name, folder):
    """The packets alone, as a pcap file: times of pcapng here count ns (if_tsresol 9)."""
    path, data, at = folder / f'{name}.pcap', capture_of(name).read_bytes(), 0
    packets = [struct.pack('<IHHIIII', 0xa1b23c4d, 2, 4, 0, 0, 262144, 1)]
    while at < len(data):
        kind, size = struct.unpack('<II', data[at:at + 8])
        if kind == 6:
            high, low, captured, length = struct.unpack('<IIII', data[at + 12:at + 28])
            packets.append(struct.pack('<IIII', *divmod(high << 32 | low, 10**9), captured, length) + data[at + 28:at + 28 + captured])
        at += size
    path.write_bytes(b''.join(packets))
    path.chmod(0o644)
    return path


def check_keys(wireshark, name, folder):
    """Without its keys a capture goes by turns, with them in a file as with them inside."""
    plain = without_keys(name, folder)
    found = {row['framing'] for row in requests_of(wireshark, plain)}
    turns = [] if found == {'turns'} else [f'without keys: {found}']
    return turns + check_truth(wireshark, name, keys_of(name), plain)


def check_passes(wireshark, name):
    """One pass and two say the same, and the frames have the field."""
    one, two = (requests_of(wireshark, capture_of(name), *passes) for passes in ((), ('-2',)))
    if one != two:
        return [f'{a} in one pass, {b} in two' for a, b in zip(one, two) if a != b] or [f'{len(one)} requests in one pass, {len(two)} in two']
    kind = name.partition('_')[0]
    wanted = collections.Counter(frame for row in one if row['framing'] == kind for frame in {row['request_frame'], row['response_frame']})
    frames = wireshark.fields(capture_of(name), ['latency.framing'], '-2')
    return [f'frame {frame}: {frames[frame]} instead of {count} {kind}' for frame, count in wanted.items()
            if frames[frame].get('latency.framing', []).count(kind) < count][:3]


def numbered_in_frame(rows):
    """Each request with how many came before it in its frame with the same operation."""
    seen = collections.Counter()
    for row in rows:
        key = row['connection'], row['request_frame'], row.get('operation')
        yield row, seen[key]
        seen[key] += 1


def check_benchmark(wireshark, folder):
    """100 000 requests of redis-benchmark, 16 in flight: so many, none unanswered. None to skip."""
    missing = [tool for tool in ('redis-server', 'redis-benchmark', 'tcpdump') if not shutil.which(tool)]
    if missing:
        return None, f'there is no {", ".join(missing)}'
    port, path = 16379, folder / 'benchmark.pcap'
    server = subprocess.Popen(['redis-server', '--port', str(port), '--save', '', '--dir', str(folder)], stdout=subprocess.DEVNULL)
    dump = subprocess.Popen(['tcpdump', '-i', 'lo', '-B', '262144', '--relinquish-privileges', 'root', '-w', str(path), f'tcp port {port}'],
                            stderr=subprocess.PIPE, text=True)
    try:
        for line in dump.stderr:
            if 'listening on' in line:
                break
        else:
            return None, 'tcpdump cannot capture here'
        time.sleep(0.5)
        subprocess.run(['redis-benchmark', '-p', str(port), '-P', '16', '-n', '50000', '-t', 'set,get', '-q'], check=True,
                       stdout=subprocess.DEVNULL)
        time.sleep(1)
    finally:
        dump.terminate()
        report = dump.stderr.read()
        dump.wait()
        server.terminate()
        server.wait()
    if '\n0 packets dropped by kernel' not in report:
        return None, 'tcpdump lost packets on this machine'
    path.chmod(0o644)
    rows = [row for row in requests_of(wireshark, path) if row.get('operation') in ('SET', 'GET')]
    answered = sum(row['outcome'] == 'answered' for row in rows)
    return ([] if len(rows) == answered == 100_000 else [f'{len(rows)} requests, {answered} answered']), None


def main(plugin):
    wireshark = Wireshark(plugin)
    folder = pathlib.Path(tempfile.mkdtemp(prefix='latency-framing-'))
    folder.chmod(0o755)
    checks = [(f'{name} {" ".join(passes)}: the client\'s log', lambda name=name, passes=passes: check_truth(wireshark, name, passes))
              for name in NAMES + TLS_NAMES for passes in ((), ('-2',))]
    checks += [(f'{name}: keys', lambda name=name: check_keys(wireshark, name, folder)) for name in TLS_NAMES]
    checks += [(f'{name}: passes', lambda name=name: check_passes(wireshark, name)) for name in TLS_NAMES]
    checks += [('http: errors', lambda: check_errors(wireshark, 'http', lambda status: status >= '400')),
               ('redis: errors', lambda: check_errors(wireshark, 'redis', lambda status: status.isupper()))]
    checks += [(f'{path}: http.time', lambda path=path, least=least: check_http_time(wireshark, path, least))
               for path, least in (('framing/http.pcap', 15), ('framing/http_tls12.pcapng', 15), ('framing/http_tls13.pcapng', 6),
                                   ('tcp/http_wrk.pcap', 1400))]
    checks += [(f'{name}: 2 % {how}', lambda name=name, how=how: check_damaged(wireshark, name, folder, how))
               for name in (*NAMES, 'redis_benchmark', *TLS_NAMES) for how in ('removed', 'reordered')]
    checks += [(f'{name}: 2 % reordered, put in order', lambda name=name: check_damaged(wireshark, name, folder, 'reordered', '-o', 'tcp.reassemble_out_of_order:TRUE'))
               for name in TLS_NAMES]
    passed = failed = skipped = 0
    try:
        for name, check in checks:
            problems = check()
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print(f'FAILED {name}', *problems[:6], sep='\n    ')
        problems, reason = check_benchmark(wireshark, folder)
        if problems is None:
            skipped += 1
            print(f'SKIPPED redis-benchmark: {reason}')
        else:
            passed, failed = passed + (not problems), failed + bool(problems)
            if problems:
                print('FAILED redis-benchmark', *problems, sep='\n    ')
    finally:
        wireshark.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return failed > 0 or passed == 0


if __name__ == '__main__':
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
