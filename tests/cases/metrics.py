# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-scan's metrics: against the JSON lines of the same capture, by Prometheus' own check, and as Prometheus scrapes them."""
import collections
import functools
import json
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from exports import HTTP, NAMES, SYSTEMS, UNANSWERED, differing
from outline import Group, Skipped
from tools import ROOT

CAPTURES = ROOT / 'captures'
SAMPLE = re.compile(r'(\w+)\{(.*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
USUAL = .005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10  # of the conventions for HTTP
DATABASE = .001, .005, .01, .05, .1, .5, 1, 5, 10  # and for databases
NAMES_OF = {**{framing: 'http_server_request_duration_seconds' for framing in HTTP}, **{framing: 'db_client_operation_duration_seconds' for framing in SYSTEMS}, 'dns': 'dns_lookup_duration_seconds',
            **{framing: 'messaging_client_operation_duration_seconds' for framing in ('kafka', 'amqp', 'mqtt')}}


def samples_of(text):
    """By name and labels."""
    found = {}
    for line in text.splitlines():
        if not line.startswith('#'):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            key = name, tuple(sorted(LABEL.findall(labels)))
            assert key not in found, key
            found[key] = float(value)
    return found


def server_of(line):
    return f'[{line["server"]}]:{line["server_port"]}' if ':' in line['server'] else f'{line["server"]}:{line["server_port"]}'


def wanted_of(lines):
    """What the lines come to."""
    wanted, operations = collections.Counter(), collections.defaultdict(list)
    for line in lines:
        server = ('server', server_of(line)) if 'server' in line else None
        if line['type'] == 'attempt':
            result = {'accepted': 'accepted', 'refused': 'refused', 'unreachable': 'refused'}.get(line['result'])
            for name in ('attempts', *([f's_{result}'] if result else [])):
                wanted[f'latency_connect{"_" if name == "attempts" else ""}{name}_total', (server,)] += 1
        if line['type'] == 'sender':
            wanted['latency_retransmissions_total', (server,)] += line['retransmitted']
        if line['type'] != 'request' or line['outcome'] in ('waiting', 'closed by client'):
            continue
        answered = line['outcome'] not in UNANSWERED
        failed = answered and ('error' in line or line['outcome'] == 'truncated')
        for name, number in (('requests', 1), ('errors', failed), ('unanswered', not answered)):
            wanted[f'latency_{name}_total', (server,)] += number
        if answered and not line.get('long_poll'):
            operations[family(line), labels_of(line, server, failed)].append(line['first_byte' if line.get('streaming') else 'last_byte'] / 1e9)
    for (name, labels), times in operations.items():
        limits = DATABASE if name.startswith('db_') else USUAL
        for limit in (*limits, float('inf')):
            wanted[f'{name}_bucket', tuple(sorted((*labels, ('le', '+Inf' if limit == float('inf') else f'{limit:g}'))))] = sum(seconds <= limit for seconds in times)
        wanted[f'{name}_count', labels] = len(times)
        wanted[f'{name}_sum', labels] = sum(times)
    return wanted


def family(line):
    if line['framing'] in HTTP and line.get('operation', '').startswith('/'):
        return 'rpc_server_call_duration_seconds'
    return NAMES_OF.get(line['framing'], 'latency_request_duration_seconds')


def labels_of(line, server, failed):
    status = line.get('error', line.get('status', ''))
    is_http = family(line).startswith('http_') and re.fullmatch('[0-9]{3}', status)
    labels = [server, ('operation', line.get('kind', '').replace('\\', '\\\\').replace('"', '\\"')), ('status', f'{status[0]}xx' if is_http else 'error' if failed else 'ok')]
    if line['framing'] in SYSTEMS:
        labels.append(('db_system_name', SYSTEMS[line['framing']]))
    return tuple(sorted(labels))


def written(context, capture, *arguments):
    """The metrics, and the lines with operations whose numbers are folded."""
    with tempfile.TemporaryDirectory() as folder:
        metrics, lines = Path(folder) / 'metrics', Path(folder) / 'lines'
        subprocess.run([context.scan, '--openmetrics', metrics, *arguments, capture], check=True, capture_output=True)
        subprocess.run([context.scan, '-o', 'latency.json:rows', '-o', 'latency.fold_numbers:true', '--json', lines, '-z', 'servers', capture], check=True, capture_output=True)
        return metrics.read_text(), [json.loads(line) for line in lines.read_text().splitlines()]


def counts(context, name):
    """All that the lines come to, and nothing else but zeros."""
    text, lines = written(context, CAPTURES / name)
    got, wanted = samples_of(text), wanted_of(lines)
    close = {key for key in got if key[0].endswith('_sum') and abs(got[key] - wanted.get(key, -1)) < 1e-6}
    return [f'{key}: {got.get(key, 0)}, not {wanted.get(key, 0)}' for key in sorted({*got, *wanted}) if key not in close and got.get(key, 0) != wanted.get(key, 0)]


def again_and_again(context):
    """With --every the file is the same at the end, and was there before: it is read by others at any time."""
    name = CAPTURES / 'tcp/tiers_1.pcap'
    return differing('with --every', written(context, name, '--every', '0.01')[0], written(context, name)[0])


def checked(context):
    """By promtool, of every capture."""
    promtool = shutil.which('promtool')
    if not promtool:
        raise Skipped('there is no promtool (package prometheus)')
    found = []
    for name in NAMES:
        result = subprocess.run([promtool, 'check', 'metrics'], input=written(context, CAPTURES / name)[0], capture_output=True, text=True)
        found += [f'{name}: {result.stderr}'] if result.returncode or result.stderr or result.stdout else []
    return found


def free_port():
    with socket.socket() as listening:
        listening.bind(('127.0.0.1', 0))
        return listening.getsockname()[1]


def fetch(url, until, patience_s=30):
    """What is there, once it is what is wanted."""
    end = time.monotonic() + patience_s
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                got = answer.read().decode()
        except OSError:
            got = ''
        if until(got) or time.monotonic() > end:
            return got
        time.sleep(0.1)


class Serving:
    """latency-scan, which has read a capture from a pipe that stays open, and serves its metrics."""

    def __init__(self, context, capture):
        self.port = free_port()
        self.process = subprocess.Popen([context.scan, '--listen', str(self.port), '-'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.process.stdin.write(capture.read_bytes())
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stderr.close()


def served(context):
    """What a file would have, but for requests that may go on; other paths are not found; a client that says nothing, or too much, holds up nobody for long."""
    capture = CAPTURES / 'tcp/tiers_1.pcap'
    with Serving(context, capture) as serving:
        wanted = {key: value for key, value in samples_of(written(context, capture)[0]).items() if key[0] == 'http_server_request_duration_seconds_count'}
        url = f'http://127.0.0.1:{serving.port}/metrics'
        got = fetch(url, lambda text: sum(value for (name, _), value in samples_of(text).items() if name == 'http_server_request_duration_seconds_count') == sum(wanted.values()))
        found = differing('counts', {key: value for key, value in samples_of(got).items() if key in wanted}, wanted)
        try:
            urllib.request.urlopen(f'http://127.0.0.1:{serving.port}/other', timeout=5).close()
            found += ['/other is found']
        except urllib.error.HTTPError as error:
            found += differing('status of /other', error.code, 404)
        with socket.create_connection(('127.0.0.1', serving.port)) as silent, socket.create_connection(('127.0.0.1', serving.port)) as long:
            silent.send(b'GET ')
            long.send(b'x' * 100000)
            found += [] if fetch(url, bool, 20) else ['nothing behind clients that are silent, or say too much']
        with socket.socket() as other:
            other.bind(('127.0.0.1', 0))
            other.listen()
            taken = other.getsockname()[1]
            refused = subprocess.run([context.scan, '--listen', str(taken), capture], capture_output=True, text=True)
            found += [] if refused.returncode == 1 and 'Address already in use' in refused.stderr and len(refused.stderr.splitlines()) == 1 else [f'a port in use: {refused}']
    for address in ('nowhere', '1.2.3.4.5:1', ':', '[::1:9', '127.0.0.1:99999999'):
        wrong = subprocess.run([context.scan, '--listen', address, capture], capture_output=True, text=True)
        found += [] if wrong.returncode == 1 and wrong.stderr.startswith('latency-scan: --listen') and len(wrong.stderr.splitlines()) == 1 else [f'{address}: {wrong}']
    return found


def dashboard(url):
    """Of Grafana's dashboard each query is one that Prometheus understands; of what is in the capture each has an answer, and all names are names of ours."""
    panels = json.loads((ROOT / 'docs/grafana.json').read_text())['panels']
    found = []
    for expression in (target['expr'] for panel in panels for target in panel['targets']):
        query = urllib.parse.quote(expression.replace('$server', '.*').replace('$__rate_interval', '1m'))
        is_there = not expression.startswith('histogram_quantile(0.95, sum by (le, server, operation) (rate({__name__')
        got = fetch(f'{url}?query={query}', lambda text: '"value"' in text if is_there else '"success"' in text)
        found += [] if ('"value"' in got if is_there else '"success"' in got) else [f'{expression}: {got}']
    names = {*NAMES_OF.values(), 'rpc_server_call_duration_seconds', 'latency_request_duration_seconds'}
    others = re.search(r'__name__=~\\"\(([^)]*)\)', (ROOT / 'docs/grafana.json').read_text())[1].split('|')
    asked = {f'{name}_duration_seconds' for name in others} | {name for name in names if f'rate({name}_bucket{{' in json.dumps(panels)}
    return found + differing('histograms', asked, names)


def scraped(context):
    """By a real Prometheus."""
    prometheus = shutil.which('prometheus')
    if not prometheus:
        raise Skipped('there is no prometheus')
    with tempfile.TemporaryDirectory() as folder, Serving(context, CAPTURES / 'tcp/tiers_1.pcap') as serving:
        config, port = Path(folder) / 'prometheus.yml', free_port()
        config.write_text('global: {scrape_interval: 1s}\nscrape_configs:\n'
                          f'- {{job_name: latency, static_configs: [{{targets: ["127.0.0.1:{serving.port}"]}}]}}\n')
        with subprocess.Popen([prometheus, f'--config.file={config}', f'--storage.tsdb.path={folder}/data', f'--web.listen-address=127.0.0.1:{port}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                url = f'http://127.0.0.1:{port}/api/v1/query'
                got = fetch(f'{url}?query=sum(http_server_request_duration_seconds_count)', lambda text: '"value"' in text)
                found = dashboard(url)
            finally:
                server.terminate()
    wanted = sum(value for (name, _), value in samples_of(written(context, CAPTURES / 'tcp/tiers_1.pcap')[0]).items() if name == 'http_server_request_duration_seconds_count')
    return found + ([] if f'"{wanted:g}"' in got else [f'{got}, not {wanted:g}'])


def bounded(context):
    """Of 4000 operations and 1500 servers, the first have series of their own, and all others share one; none is lost."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'many.pcap'
        path.write_bytes(many_requests(1500, 4000))
        text, _ = written(context, path)
    got = samples_of(text)
    requests = sum(value for (name, _), value in got.items() if name == 'latency_requests_total')
    counted = sum(value for (name, _), value in got.items() if name == 'http_server_request_duration_seconds_count')
    found = differing('requests', (requests, counted), (4000, 4000))
    series = {labels for name, labels in got if name.endswith('_count')}
    servers = {dict(labels)['server'] for _, labels in got}
    found += [] if len(series) <= 2000 + 2 * 1001 and len(servers) <= 1001 else [f'{len(series)} series, {len(servers)} servers']
    return found + ([] if any(dict(labels)['operation'] == 'other' for labels in series) and 'other' in servers else ['there is no other'])


def many_requests(servers, requests):
    """A capture of HTTP, each request with a path of its own, each connection with 16 of them in a row."""
    frames, sequence = [], {}

    def packet(source, destination, ports, seq, ack, flags, payload=b''):
        tcp = struct.pack('!HHIIBBHHH', *ports, seq, ack, 0x50, flags, 65535, 0, 0) + payload
        ip = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, source, destination)
        frame = bytes(12) + b'\x08\x00' + ip + tcp
        at = 1_000_000 + len(frames)
        frames.append(struct.pack('<IIII', at // 1_000_000, at % 1_000_000, len(frame), len(frame)) + frame)

    client = b'\x0a\x01\x00\x01'
    for number in range(requests):
        server = struct.pack('!I', 0x0a020001 + number % servers)
        seq, ack = sequence.setdefault(server, (1, 1))
        asks = b'GET /' + ''.join(chr(97 + int(digit)) for digit in f'{number:06}').encode() + b' HTTP/1.1\r\nHost: a\r\n\r\n'
        answers = b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
        packet(client, server, (40000, 80), seq, ack, 0x18, asks)
        packet(server, client, (80, 40000), ack, seq + len(asks), 0x18, answers)
        sequence[server] = seq + len(asks), ack + len(answers)
    return struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + b''.join(frames)


def full_disk(context):
    """A sentence, once, and the tables that were asked for besides."""
    result = subprocess.run([context.scan, '--openmetrics', '/dev/full', '--every', '0.1', '-z', 'servers', CAPTURES / 'tcp/tiers_1.pcap'], capture_output=True, text=True)
    good = result.returncode == 1 and result.stderr.count('\n') == 1 and 'No space left' in result.stderr and result.stdout.count('10.77.0.10:80') > 3
    return [] if good else [f'{result.returncode}, {result.stderr}, {len(result.stdout)} bytes']


def cases(context):
    for name in NAMES:
        yield f'{name}', functools.partial(counts, context, name)
    for function in (again_and_again, served, bounded, full_disk):
        yield function.__name__.replace('_', ' '), functools.partial(function, context)
    if not context.is_quick:
        yield 'promtool', functools.partial(checked, context)
        yield 'Prometheus', functools.partial(scraped, context)


def groups(context):
    return [Group('metrics', functools.partial(cases, context))]
