# SPDX-License-Identifier: GPL-2.0-or-later
"""What latency-export writes, against the JSON lines it was made of, and against what each format prescribes."""
import collections
import functools
import json
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

import json_lines
from outline import Group
from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
from pcapfile import read_frames  # noqa: E402

CAPTURES = ROOT / 'captures'
NAMES = ('tcp/shop.pcap', 'tcp/tiers_1.pcap', 'tcp/tiers_8.pcap', 'tcp/calls_loop_8.pcap', 'tcp/connect_refused_unanswered.pcap', 'tcp/slow_bodies.pcap', 'tcp/reset_in_response.pcap',
         'tcp/redis.pcap', 'framing/http2.pcap', 'framing/postgresql.pcap', 'framing/dns_udp.pcap', 'tcp/tls.pcap', 'kernel/stages-veth.pcapng')
UNANSWERED = 'reset', 'closed', 'timed out', 'lost', 'refused'
HTTP = 'http', 'http2', 'http3'
VERSIONS = {'http': 'HTTP/1.1', 'http2': 'h2', 'http3': 'h3'}
SYSTEMS = {'redis': 'redis', 'memcached': 'memcached', 'postgresql': 'postgresql', 'mysql': 'mysql', 'mongodb': 'mongodb'}
# trace/v1/trace.proto and common/v1/common.proto of opentelemetry-proto 1.3: the fields in JSON, of those that are used
ID32, ID16, UINT64, INT64 = (re.compile(pattern).fullmatch for pattern in ('[0-9a-f]{32}', '[0-9a-f]{16}', '[0-9]{1,20}', '-?[0-9]{1,19}'))
SPAN = {'traceId': ID32, 'spanId': ID16, 'parentSpanId': ID16, 'links': [{'traceId': ID32, 'spanId': ID16}], 'name': str, 'kind': int, 'startTimeUnixNano': UINT64, 'endTimeUnixNano': UINT64, 'attributes': 'attributes',
        'events': [{'timeUnixNano': UINT64, 'name': str, 'attributes': 'attributes'}], 'status': {'code': int, 'message': str}}
OTLP = {'resourceSpans': [{'resource': {'attributes': 'attributes'}, 'scopeSpans': [{'scope': {'name': str, 'version': str}, 'spans': [SPAN]}]}]}
VALUE = {'stringValue': str, 'intValue': INT64}


class Exported:
    """The lines of a capture, and the three files that are made of them."""

    def __init__(self, context, lines=None, capture=None):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ('lines', 'otlp', 'har', 'trace')]
            if capture:
                subprocess.run([context.scan, '--calls', '-o', 'latency.json:rows', '--json', paths[0], '-z', 'servers', capture], check=True, capture_output=True)
            else:
                paths[0].write_text('\n'.join(json_lines.sealed([json.dumps(line, separators=(',', ':')) for line in lines])) + '\n')
            self.run = subprocess.run([context.sanitized_export if lines else context.export, paths[0], '--otlp', paths[1], '--har', paths[2], '--trace', paths[3]],
                                      capture_output=True, text=True, env={'ASAN_OPTIONS': 'detect_leaks=1', 'WIRESHARK_DEBUG_WMEM_OVERRIDE': 'simple'})
            if self.run.returncode:
                return
            self.lines = [json.loads(line) for line in paths[0].read_text().splitlines()]
            self.documents = [json.loads(line) for line in paths[1].read_text().splitlines()]
            self.entries = json.loads(paths[2].read_text())['log']['entries']
            self.events = json.loads(paths[3].read_text())['traceEvents']
        self.requests = {line['number']: line for line in self.of('request')}
        self.causes = {line['request']: line['caused_by'] for line in self.of('call') if 'caused_by' in line}
        self.spans = [(each['resource'], each['scopeSpans'][0]['spans'][0]) for document in self.documents for each in document['resourceSpans']]

    def of(self, kind):
        return [line for line in self.lines if line['type'] == kind]


def end_of(line):
    return max(line.get('response_end_time', line['request_end_time']), line['request_time'])


def attributes_of(owner):
    return {each['key']: next(iter(each['value'].values())) for each in owner['attributes']}


def shaped(value, shape, where):
    """What is wrong with a value of that shape."""
    if shape == 'attributes':
        return [each for item in value for each in shaped(item, {'key': str, 'value': VALUE}, where)] + ([] if len({item['key'] for item in value}) == len(value) else [f'{where}: a key twice'])
    if isinstance(shape, dict):
        return [f'{where}.{name} is unknown' for name in value if name not in shape] + [each for name in value if name in shape for each in shaped(value[name], shape[name], f'{where}.{name}')]
    if isinstance(shape, list):
        return [each for item in value for each in shaped(item, shape[0], where)]
    good = isinstance(value, shape) if isinstance(shape, type) else isinstance(value, str) and shape(value)
    return [] if good else [f'{where}: {value!r}']


def differing(what, got, wanted):
    return [] if got == wanted else [f'{what}: {got!r}, not {wanted!r}']


def traces_of(requests, causes):
    """{number of each request: what stands for its trace}: the id that it names, or else its cause's trace; of who has neither, the id that all name of whom it is the first to have none,
    or else (its own number,)."""
    traces, named_below = {}, collections.defaultdict(set)

    def above(number):
        while 'trace_id' not in requests[number] and number in causes:
            number = causes[number]
        return number

    for number, line in requests.items():
        if 'trace_id' in line and number in causes:
            named_below[above(causes[number])].add(line['trace_id'])
    for number in requests:
        top = above(number)
        below = named_below[top]
        traces[number] = requests[top].get('trace_id') or (next(iter(below)) if len(below) == 1 else (top,))
    return traces


def check_otlp(made):
    """The mapping of protobuf to JSON; a span for each request, with the parent that its line "call" says, if it is of the same trace; a trace for each tree, the one that headers name."""
    found = [each for document in made.documents for each in shaped(document, OTLP, '')]
    requests, ids = [], [span['spanId'] for _, span in made.spans]
    found += differing('spans of one id', len(ids) - len(set(ids)), 0)
    for resource, span in made.spans:
        attributes = attributes_of(span)
        if span['kind'] == 2:
            requests.append((int(attributes['latency.request']), int(span['startTimeUnixNano']), span, attributes, attributes_of(resource)))
    lines = made.of('request')
    found += differing('requests', len(requests), len(lines))
    by_number = {line['number']: span for line, (_, _, span, _, _) in zip(lines, requests)}
    causes = {number: cause for number, cause in made.causes.items() if cause in by_number}
    traces = traces_of(made.requests, causes)
    ids_of_traces = {traces[number]: span['traceId'] for number, span in by_number.items()}
    for line, (number, begin, span, attributes, resource) in zip(lines, requests):
        name = f'frame {line["request_frame"]}'
        found += differing(name, (number, begin, int(span['endTimeUnixNano'])), (line['number'], max(line['request_time'], 0), end_of(line)))
        cause, trace = by_number.get(made.causes.get(line['number']), {}), traces[line['number']]
        is_within = cause and traces[made.causes[line['number']]] == trace
        found += differing(f'{name}: parent', span.get('parentSpanId'), cause['spanId'] if is_within else line.get('parent_id'))
        found += differing(f'{name}: link', span.get('links'), [{'traceId': cause['traceId'], 'spanId': cause['spanId']}] if cause and not is_within else None)
        found += differing(f'{name}: trace', span['traceId'], trace if isinstance(trace, str) else ids_of_traces[trace])
        found += differing(f'{name}: service', resource['service.name'].rpartition(':')[::2], (line.get('host', f'[{line["server"]}]' if ':' in line['server'] else line['server']), str(line['server_port'])))
        failed = line['outcome'] in (*UNANSWERED, 'truncated') or not re.fullmatch('4..' if line['framing'] in HTTP else '(?!)', line.get('error', '400'))
        failed = failed and (line['outcome'] in (*UNANSWERED, 'truncated') or 'error' in line)
        found += differing(f'{name}: failed', span.get('status', {}).get('code', 0) == 2, failed)
        events = [(event['name'], int(event['timeUnixNano'])) for event in span['events']]
        found += differing(f'{name}: first byte', dict(events).get('first byte'), line.get('response_time'))
        found += differing(f'{name}: sent again', sum('again' in event for event, _ in events), sum('retransmission' in packet.get('flags', []) for packet in line['packets']))
        if line['framing'] in HTTP and line.get('operation', '/')[0] != '/':
            method, _, target = line['operation'].removeprefix('PUSH ' if line.get('pushed') else '').partition(' ')
            path, _, query = target.partition('?')
            status = line.get('error', line.get('status', ''))
            wanted = {'http.request.method': method, 'url.path': path, 'url.query': query, 'http.response.status_code': status if re.fullmatch('[0-9]{3}', status) else ''}
            found += differing(name, {key: attributes.get(key, '') for key in wanted}, wanted)
        found += differing(f'{name}: system', attributes.get('db.system.name'), SYSTEMS.get(line['framing']))
    found += differing('traces', len({span['traceId'] for _, _, span, _, _ in requests}), len(set(traces.values())))
    return found + check_connects(made)


def check_connects(made):
    """A span for each attempt and each handshake of TLS, in the trace of the connection's first request."""
    found, first = [], {}
    for line in made.of('request'):
        if line['connection'] not in first or line['request_time'] < first[line['connection']]['request_time']:
            first[line['connection']] = line
    spans = {span['spanId']: span for _, span in made.spans}
    traces = {int(attributes_of(span)['latency.request']): span for span in spans.values() if span['kind'] == 2}
    for kind, name, time, took in (('attempt', 'connect', 'syn_time', 'connect'), ('handshake', 'TLS handshake', 'time', 'handshake')):
        got = [span for _, span in made.spans if span['kind'] == 1 and span['name'] == name]
        lines = made.of(kind)
        found += differing(f'spans of {kind}', len(got), len(lines))
        for span, line in zip(got, lines):
            begin = line[time]
            found += differing(f'{name} at frame {line["frame"]}', (int(span['startTimeUnixNano']), int(span['endTimeUnixNano'])), (begin, begin + line.get(took, 0)))
            request = first.get(line['connection'])
            if request:
                beside = traces[request['number']]
                found += differing(f'{name} at frame {line["frame"]}: trace', (span['traceId'], span.get('parentSpanId')), (beside['traceId'], beside.get('parentSpanId')))
    return found


def check_har(made):
    """HAR 1.2: an entry for each request of HTTP, in the order in which they begin, whose timings come to its time."""
    lines = sorted((line for line in made.of('request') if line['framing'] in HTTP), key=lambda line: line['number'])
    by_number = {entry['_request']: entry for entry in made.entries}
    found = differing('entries', sorted(entry['_request'] for entry in made.entries), [line['number'] for line in lines])
    starts = [entry['startedDateTime'] for entry in made.entries]
    attempts = {line['connection']: line for line in made.of('attempt') if line['result'] == 'accepted'}
    for line in lines:
        entry, name = by_number[line['number']], f'frame {line["request_frame"]}'
        timings = entry['timings']
        total = sum(value for key, value in timings.items() if key != 'ssl' and value >= 0)
        found += [] if abs(total - entry['time']) < 1e-5 else [f'{name}: {total} ms of {entry["time"]}']
        found += [f'{name}: {key}' for key, value in timings.items() if value < 0 and (value != -1 or key in ('send', 'wait', 'receive'))]
        took = timings['send'] + timings['wait'] + timings['receive']
        found += [] if abs(took - (end_of(line) - line['request_time']) / 1e6) < 1e-5 else [f'{name}: {took} ms']
        if 'service' in line and not line.get('reordered'):
            found += [] if abs(timings['wait'] - line['service'] / 1e6) < 1e-5 else [f'{name}: wait {timings["wait"]}']
        if timings['connect'] >= 0 and timings['ssl'] < 0 and line['framing'] != 'http3':
            found += [] if abs(timings['connect'] - attempts[line['connection']]['connect'] / 1e6) < 1e-5 else [f'{name}: connect']
        method, _, target = line.get('operation', '').removeprefix('PUSH ' if line.get('pushed') else '').partition(' ')
        found += [] if re.fullmatch(r'https?://[!#-;=?-Z\[\]_a-z~]+', entry['request']['url']) else [f'{name}: {entry["request"]["url"]}']
        if method[:1] != '/':
            found += differing(f'{name}: method', entry['request']['method'], method)
            found += [] if urllib.parse.unquote(entry['request']['url']).endswith(urllib.parse.unquote(target)) else [f'{name}: {entry["request"]["url"]}']
        found += differing(f'{name}: version', entry['request']['httpVersion'], VERSIONS[line['framing']])
        status = line.get('error', line.get('status', ''))
        found += differing(f'{name}: status', entry['response']['status'], int(status) if re.fullmatch('[0-9]{3}', status) and method[:1] != '/' else 0)
    found += differing('with connect', sum(entry['timings']['connect'] >= 0 for entry in made.entries if entry['timings']['ssl'] < 0),
                       len({line['connection'] for line in lines} & {*attempts} - {line['connection'] for line in made.of('handshake')}))
    return found + ([] if starts == sorted(starts) else ['not in order'])


def check_trace(made):
    """Slices of a track contain each other or do not overlap; every call has an arrow from a slice that has it."""
    tracks, flows = collections.defaultdict(list), collections.defaultdict(dict)
    slices = [event for event in made.events if event['ph'] == 'X']
    found = []
    for event in slices:
        tracks[event['pid'], event['tid']].append((round(event['ts'] * 1000), -round(event['dur'] * 1000)))
    for event in made.events:
        if event['ph'] in 'sf':
            flows[event['id']][event['ph']] = event
    for track, all_of in tracks.items():
        ends = []
        for begin, length in sorted(all_of):
            while ends and ends[-1] <= begin:
                ends.pop()
            found += [f'{track}: slices overlap at {begin} ns'] if ends and begin - length > ends[-1] else []
            ends.append(begin - length)
    requests = [event for event in slices if 'args' in event]
    start = made.lines[0].get('first_time', 0)
    found += differing('requests', sorted((event['args']['latency.request'], round(event['ts'] * 1000), round(event['dur'] * 1000)) for event in requests),
                       sorted((line['number'], line['request_time'] - start, end_of(line) - line['request_time']) for line in made.of('request')))
    within = {number for number, cause in made.causes.items() if cause in made.requests and made.requests[cause]['request_time'] <= made.requests[number]['request_time'] <= end_of(made.requests[cause])}
    found += differing('arrows', len(flows), len(within))
    by_number = {event['args']['latency.request']: event for event in requests}
    for number in within:
        line, cause = made.requests[number], made.requests[made.causes[number]]
        flow = flows.get(f'{line["connection"]}.{number}', {})
        ends = [(flow[phase]['pid'], flow[phase]['tid']) for phase in 'sf' if phase in flow]
        found += differing(f'arrow to frame {line["request_frame"]}', ends, [(by_number[each['number']]['pid'], by_number[each['number']]['tid']) for each in (cause, line)])
    stages = [line['stages'] for line in made.of('request') if 'stages' in line]
    found += differing('stages', sum('args' not in event and event['name'] not in ('connect', 'TLS handshake') for event in slices), sum(value > 0 for stage in stages for value in stage.values()))
    return found


def check_headers(made, capture):
    """The ids of a frame's requests are those that its traceparents name, as they stand there. What HTTP/2 compresses does not."""
    named, got = {}, collections.defaultdict(list)
    for frame in read_frames(capture):
        texts = re.findall(rb'(?<![0-9a-f-])00-([0-9a-f]{32})-([0-9a-f]{16})-0[01](?![0-9a-f-])', frame.data)
        if texts:
            named[frame.number] = [(trace.decode(), parent.decode()) for trace, parent in texts]
    for line in made.of('request'):
        if 'trace_id' in line and line['framing'] != 'http2':
            got[line['request_frame']].append((line['trace_id'], line.get('parent_id')))
    return ([] if named else ['none']) + [each for number in sorted({*named, *got}) for each in differing(f'frame {number}', sorted(got[number]), sorted(named.get(number, [])))]


def traces_of_headers(context):
    """Requests of which one names a trace, as do calls of its calls, or another; roots whose calls name one, or several; and ids that none may have."""
    lines = Exported(context, capture=CAPTURES / 'tcp/tiers_1.pcap').lines
    plain = [{name: value for name, value in line.items() if name not in ('trace_id', 'parent_id')} for line in lines if line['type'] == 'request'][:16]
    a, b = ('a' * 32, '1' * 16), ('b' * 32, '2' * 16)
    #            0: names a, as 1 and its call 3; 2 names b; 4: calls name a; 7: calls name a and b; 10 names a alone, 11 nothing; 12: a call of a call names b
    named = {0: a, 1: a, 2: b, 3: a, 5: a, 6: a, 8: a, 9: b, 10: a, 15: b}
    caused = {1: 0, 2: 0, 3: 1, 5: 4, 6: 4, 8: 7, 9: 7, 13: 12, 14: 13, 15: 14}
    requests = [{**line, **(dict(zip(('trace_id', 'parent_id'), named[i])) if i in named else {})} for i, line in enumerate(plain)]
    calls = [{'type': 'call', 'request': plain[i]['number'], 'request_frame': 1, 'caused_by': plain[cause]['number'], 'caused_by_frame': 1, 'cause': 'id'} for i, cause in caused.items()]
    made = Exported(context, lines=[lines[0], *requests, *calls])
    if made.run.returncode:
        return [made.run.stderr]
    spans = {int(attributes_of(span)['latency.request']): span for _, span in made.spans}
    got = [spans[line['number']] for line in plain]
    found = check_otlp(made)
    found += differing('traces', ''.join(span['traceId'][0] if len(set(span['traceId'])) == 1 else '-' for span in got), 'aabaaaa-aba-bbbb')
    found += differing('parents', [i for i, span in enumerate(got) if len(set(span.get('parentSpanId', '12'))) == 1], [0, 2, 8, 9, 10])
    found += differing('links', [i for i, span in enumerate(got) if 'links' in span], [2, 8, 9])
    for wrong in (('A' * 32, '1' * 16), ('a' * 31, '1' * 16), ('0' * 32, '1' * 16), ('a' * 32, ''), ('', '1' * 16), ('a' * 32, '0' * 16), ('a' * 32, '"' * 16)):
        made = Exported(context, lines=[lines[0], {**plain[0], **dict(zip(('trace_id', 'parent_id'), wrong))}])
        found += [] if made.run.returncode == 1 and len(made.run.stderr.splitlines()) in (1, 3) and '_id' in made.run.stderr else [f'{wrong}: {made.run.returncode}, {made.run.stderr}']
    return found


CHECKS = {'OpenTelemetry': check_otlp, 'HTTP archive': check_har, 'Perfetto': check_trace}


def same_again(context, capture):
    """Ids are made of the capture alone; latency-scan writes the same, of all calls."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in ('otlp', 'har', 'trace'):
            subprocess.run([context.scan, f'--{name}', folder / name, '-z', 'servers', CAPTURES / capture], check=True, capture_output=True)
        made = Exported(context, capture=CAPTURES / capture)
        again = [json.loads(line) for line in (folder / 'otlp').read_text().splitlines()]
        return (differing('otlp', again, made.documents) + differing('har', json.loads((folder / 'har').read_text())['log']['entries'], made.entries)
                + differing('trace', json.loads((folder / 'trace').read_text())['traceEvents'], made.events))


def hostile_lines(context):
    """Requests that name each other as causes, ends before beginnings, texts that no URL has, and times at the ends of what there is."""
    lines = Exported(context, capture=CAPTURES / 'tcp/tiers_1.pcap').lines
    requests = [line for line in lines if line['type'] == 'request'][:8]
    far = 2 ** 61
    changes = [{'operation': 'GET ' + 'é\\"%?&=&=\x7f'}, {'operation': '?'}, {'operation': ' '}, {'request_time': far, 'request_end_time': -far}, {'response_time': -far, 'response_end_time': -far},
               {'error': '999999999'}, {'operation': '/', 'framing': 'http2'}, {'host': '', 'operation': 'CONNECT [::1]:1?'}]
    requests = [{**line, **change} for line, change in zip(requests, changes)]
    for line in requests:
        line.pop('status', None)
    numbers = [line['number'] for line in requests]
    calls = [{'type': 'call', 'request': number, 'request_frame': 1, 'caused_by': cause, 'caused_by_frame': 1, 'cause': 'id'} for number, cause in zip(numbers, numbers[1:] + numbers[:1])]
    calls += [{'type': 'call', 'request': 2 ** 32 - 1, 'request_frame': 1, 'caused_by': numbers[0], 'caused_by_frame': 1, 'cause': 'worker', 'probability': 2 ** 32 - 1}]
    made = Exported(context, lines=[lines[0], *requests, *calls, *requests[:2]])
    if made.run.returncode or made.run.stderr:
        return [made.run.stderr]
    found = [each for document in made.documents for each in shaped(document, OTLP, '')]
    found += differing('spans', len(made.documents), len(requests) + 2)
    negative = [event for event in made.events if event.get('dur', 0) < 0 or event.get('ts', 0) < 0]
    return found + [f'{event}' for event in negative] + [f'{entry["timings"]}' for entry in made.entries if min(entry['timings'].values()) < -1]


def no_requests(context):
    """Each file says that there are none."""
    lines = Exported(context, capture=CAPTURES / 'tcp/tiers_1.pcap').lines
    made = Exported(context, lines=[line for line in lines if line['type'] == 'capture'])
    return [made.run.stderr] if made.run.returncode else differing('files', (made.documents, made.entries, [each for each in made.events if each['ph'] != 'M']), ([{'resourceSpans': []}], [], []))


def wrong_usage(context):
    """A sentence, and the exit status of a wrong command line."""
    found = []
    for arguments, word in (([], 'file to read'), (['a'], 'file to write'), (['a', 'b', '--har', 'c'], 'One file'), (['--harr', 'c', 'a'], '--harr')):
        run = subprocess.run([context.export, *arguments], capture_output=True, text=True)
        found += [] if run.returncode == 2 and word in run.stderr and len(run.stderr.splitlines()) == 1 else [f'{arguments}: {run.returncode}, {run.stderr}']
    return found


def cases(context):
    for name in NAMES:
        made = functools.cache(lambda name=name: Exported(context, capture=CAPTURES / name))
        for check, function in CHECKS.items():
            yield f'{name}: {check}', lambda function=function, made=made: function(made())
    for name in ('tcp/tiers_1.pcap', 'tcp/tiers_8.pcap', 'tcp/tiers_64.pcap', 'tcp/calls_loop_8.pcap'):
        yield f'{name}: ids of headers', lambda name=name: check_headers(Exported(context, capture=CAPTURES / name), CAPTURES / name)
    yield 'traces of headers', functools.partial(traces_of_headers, context)
    yield 'the same again', functools.partial(same_again, context, 'tcp/tiers_8.pcap')
    yield 'hostile lines', functools.partial(hostile_lines, context)
    yield 'no requests', functools.partial(no_requests, context)
    yield 'wrong command lines', functools.partial(wrong_usage, context)


def groups(context):
    return [Group('exports', functools.partial(cases, context))]
