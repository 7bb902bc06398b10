# SPDX-License-Identifier: GPL-2.0-or-later
"""EPICS Channel Access against the truth of its captures.

captures/ca/NAME.truth.json was computed by an independent reader of NAME.pcap; ca_made.py makes others. Every capture is read in one
pass and in two, with out-of-order reassembly off and on.
"""
import collections
import functools
import json
import statistics

import ca_json
import ca_made
import ca_requests
import ca_status
import ca_tables
from context import quick
from outline import Group
from reading import Reading, figure
from tools import ROOT

CAPTURES = ROOT / 'captures/ca'
MODES = [(passes, reassembly) for passes in (1, 2) for reassembly in (False, True)]
CLOSE = 6e-7  # seconds: the truth's times are doubles, and good to a microsecond
ABOUT_A_CHANNEL = {'EVENT_ADD', 'EVENT_CANCEL', 'READ', 'WRITE', 'CLEAR_CHANNEL', 'READ_NOTIFY', 'CREATE_CHAN', 'WRITE_NOTIFY',
                   'ACCESS_RIGHTS', 'CREATE_CH_FAIL', 'SERVER_DISCONN', 'SEARCH'}

WITHOUT_NAMES = 'midstream', 'allcmd'  # monitors that began before it; ids that name nothing
VALUES = {'EVENT_ADD', 'READ', 'READ_NOTIFY'}


class Message:
    """One message as tshark shows it: fields by name, each a list of values."""

    def __init__(self, frame, node, addresses):
        self.frame = frame
        self.protocol, self.source, self.destination = addresses
        self.fields = collections.defaultdict(list)
        self.label = node.get('showname') or ''
        for field in node.iter('field'):
            self.fields[field.get('name')].append(field.get('show'))

    def one(self, name):
        values = self.fields.get(name)
        return values[0] if values else None

    def number(self, name):
        value = self.one(name)
        return None if value is None else float(value)

    @property
    def command(self):
        return self.label.split(', ')[1]

    @property
    def from_client(self):
        return self.one('ca.sender') == '1'


def endpoints(packet):
    found = {}
    for proto in packet.iter('proto'):
        name = proto.get('name')
        if name in ('ip', 'tcp', 'udp'):
            found[name] = {field.get('name'): field.get('show') for field in proto.iter('field')}
    ip, protocol = found['ip'], 'tcp' if 'tcp' in found else 'udp'
    ports = found[protocol]
    return (protocol, f"{ip['ip.src']}:{ports[protocol + '.srcport']}", f"{ip['ip.dst']}:{ports[protocol + '.dstport']}")


def messages_of(packets):
    """All messages of a capture, in order, and the bytes skipped."""
    messages, skipped = [], []
    for packet in packets:
        nodes = packet.findall("proto[@name='ca']")
        if nodes:
            frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get('show'))
            addresses = endpoints(packet)
        for node in nodes:
            message = Message(frame, node, addresses)
            (messages if message.one('ca.command') else skipped).append(message)
    return messages, skipped


def preferences(passes, reassembly):
    return [*['-2'] * (passes == 2), '-o', f'tcp.reassemble_out_of_order:{str(reassembly).upper()}']


def differences(name, ours, theirs):
    """Two lists as multisets."""
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    return [f'{name}: not in the truth {list((ours - theirs).items())[:3]}, only there {list((theirs - ours).items())[:3]}'] if ours != theirs else []


def microseconds(seconds):
    return None if seconds is None else round(seconds * 1e6)


class Case:
    def __init__(self, wireshark, name, passes, reassembly):
        self.wireshark, self.name, self.passes, self.reassembly = wireshark, name, passes, reassembly
        self.capture = next(path for path in CAPTURES.glob(f'{name}.pcap*'))
        self.truth = ca_tables.truth_of(CAPTURES / f'{name}.truth.json')
        self.preferences = preferences(passes, reassembly)
        self.reading = Reading(wireshark, self.capture, *self.preferences, '-Y', 'ca || latency', pdml='ca ip tcp udp latency')

    @functools.cached_property
    def all_messages(self):
        return messages_of(self.reading.packets)

    @property
    def messages(self):
        return self.all_messages[0]

    @property
    def skipped(self):
        return self.all_messages[1]

    def transactions(self, *statuses):
        return [each for each in self.truth['transactions'] if each['status'] in statuses]

    @quick
    def check_messages(self):
        tally = collections.Counter()
        for message in self.messages:
            if message.protocol == 'tcp':
                tally[f"tcp:{'c' if message.from_client else 's'}>{message.command}"] += 1
            elif message.command == 'SEARCH':
                tally[f"udp:SEARCH:{'req' if message.from_client else 'rsp'}"] += 1
            else:
                tally[f'udp:{message.command}'] += 1
        if self.name == 'allcmd':  # the truth does not reassemble IP fragments: VERSION and 42 SEARCHes in frame 448
            tally.subtract({'udp:VERSION': 1, 'udp:SEARCH:req': 42})
        return differences('commands', list(tally.elements()), list(collections.Counter(self.truth['commands']).elements()))

    @quick
    def check_creates(self):
        """Each answer: frames, latency, channel, what it came to."""
        results = {'0': 'ok', '1': 'fail', '2': 'error'}
        ours = [(message.frame, int(message.one('ca.create.request_in')), microseconds(message.number('ca.create.time')),
                 message.one('ca.pv'), results[message.one('ca.create.result')])
                for message in self.messages if message.one('ca.create.time')]
        suffix = '_deliver' if self.reassembly else ''
        theirs = [(each.get('frame_response' + suffix, each['frame_response']), each['frame_request' + suffix],
                   microseconds(each.get('dt' + suffix, each['dt'])), each['pv'], each['status'])
                  for each in self.transactions('ok', 'fail', 'error')]
        return differences('creates', ours, theirs)

    @quick
    def check_unanswered(self):
        """Known after the first pass: in one no message says it."""
        results, reasons = {'3': 'unanswered', '4': 'waiting'}, {'1': 'connection closed', None: None}
        silent = [message for message in self.messages if message.one('ca.create.result') in results]
        ours = [(message.frame, message.one('ca.pv'), results[message.one('ca.create.result')], reasons[message.one('ca.create.reason')]) for message in silent]
        transactions = self.transactions('unanswered', 'waiting') if self.passes == 2 else []
        theirs = [(each['frame_request'], each['pv'], each['status'], each['reason']) for each in transactions]
        waited = {(each['frame_request'], each['pv']): each['waited'] if each['reason'] else self.truth['t_last'] - each['t_request'] for each in transactions}
        wrong = [message.frame for message in silent if abs(message.number('ca.create.waited') - waited[message.frame, message.one('ca.pv')]) > CLOSE]
        return differences('unanswered', ours, theirs) + ([f'waited differs in frames {wrong}'] if wrong else [])

    @quick
    def check_orphans(self):
        orphans = sum('ca.orphan' in message.fields for message in self.messages)
        return [] if orphans == len(self.truth['orphans']) else [f'{orphans} orphans']

    @quick
    def check_statistics(self):
        """Create latency by server; and failures."""
        latencies, failures = collections.defaultdict(list), collections.Counter()
        for message in self.messages:
            if message.one('ca.create.result') == '0':
                latencies[message.source].append(message.number('ca.create.time'))
            elif message.one('ca.create.result') in ('1', '2'):
                failures[message.source] += 1
        ours = {server: (len(values), microseconds(statistics.fmean(values)), microseconds(min(values)), microseconds(max(values)))
                for server, values in latencies.items()}
        theirs = {server: (each['count'], microseconds(each['mean']), microseconds(each['min']), microseconds(each['max']))
                  for server, each in self.truth['stats_by_server'].items() if each['count']}
        return differences('statistics', ours.items(), theirs.items()) + differences('failed', failures.items(), self.truth['failed_by_server'].items())

    @quick
    def check_searches(self):
        ours = [(message.frame, message.one('ca.pv'), microseconds(message.number('ca.search.time')))
                for message in self.messages if message.one('ca.search.time') and message.protocol == 'udp']
        theirs = []
        for search in self.truth['searches']:
            # where a channel is searched again after a disconnect, the truth has one entry
            if search['replies'] and search['replies'][0]['frame']:
                reply = search['replies'][0]
                theirs.append((reply['frame'], search['pv'], microseconds(reply['t'] - search['attempts'][0]['t'])))
        ours_by_key = {(frame, pv): time for frame, pv, time in ours}
        return [f'search {frame} {pv}: {ours_by_key.get((frame, pv))}, not {time}' for frame, pv, time in theirs
                if abs(ours_by_key.get((frame, pv), -1e9) - time) > 1][:3]

    @quick
    def check_connects(self):
        """From the first search to the answer, where the truth says which search it was."""
        ours = {(message.frame, message.one('ca.pv')): message.number('ca.connect.time')
                for message in self.messages if message.one('ca.connect.time')}
        wrong = []
        for each in self.transactions('ok', 'fail', 'error'):
            search = each.get('search')
            if not search or search['ambiguous'] or self.reassembly:
                continue
            expected = each['t_response'] - search['t_first']
            if abs(ours[each['frame_response'], each['pv']] - expected) > 2 * CLOSE:
                wrong.append((each['frame_response'], each['pv'], ours[each['frame_response'], each['pv']], expected))
        return [f'connect times {wrong[:3]}'] if wrong else []

    @quick
    def check_first_values(self):
        """The first answer with a channel's value says how long it took, and no later one; the table has the same."""
        seen, times, wrong = set(), collections.Counter(), []
        for message in self.messages:
            channel = message.source, message.destination, message.one('ca.pv')
            if message.command == 'CREATE_CHAN' and not message.from_client:
                seen.discard(channel)
            answers = message.command in VALUES and not message.from_client and message.one('ca.response_time') and 'ca.failed' not in message.fields
            want = message.one('ca.response_time') if answers and channel not in seen else None
            seen.update([channel] if answers else [])
            if channel[2] and message.one('ca.first_value.time') != want:
                wrong.append(f'frame {message.frame}: first value {message.one("ca.first_value.time")}, not {want}')
            times.update([(channel[2], round(float(want) * 1e6))] if want and channel[2] else [])
        rows = ca_tables.rows(self.reading.tables['ca,channels'], 'channels')
        table = collections.Counter((row['pv'], round(float(row['first_value']) * 1e3)) for row in rows if row['first_value'] != '-')
        return wrong[:3] + differences('first values of ca,channels', table.elements(), times.elements())

    @quick
    def check_hellos(self):
        ours = [microseconds(message.number('ca.hello.time')) for message in self.messages if message.one('ca.hello.time')]
        theirs = [microseconds(each['version_s']['t'] - each['synack']['t']) for each in self.truth['connections']
                  if each.get('synack') and each.get('version_s')]
        ours, theirs = sorted(ours), sorted(theirs)
        return [] if len(ours) == len(theirs) and all(abs(a - b) <= 1 for a, b in zip(ours, theirs)) else [f'hello times {ours}, not {theirs}']

    @quick
    def check_skipped(self):
        bad = sum(bool(side.get('skipped')) for each in self.truth['connections'] for side in (each['client_stream'], each['server_stream']))
        return [] if len(self.skipped) == bad else [f'{len(self.skipped)} segments skipped, not {bad}']

    @quick
    def check_names(self):
        """Every message about a channel whose creation is in the capture has its name."""
        nameless = [(message.frame, message.command) for message in self.messages
                    if message.command in ABOUT_A_CHANNEL and not message.one('ca.pv')]
        return [f'no name: {nameless[:3]}'] if bool(nameless) != (self.name in WITHOUT_NAMES) else []

    @quick
    def check_requests(self):
        return ca_requests.check(self)

    @quick
    def check_srt(self):
        return ca_tables.check_srt(self)

    @quick
    def check_json(self):
        return ca_json.check(self)

    @quick
    def check_table_of_servers(self):
        return ca_tables.check(self, 'servers')

    @quick
    def check_table_of_channels(self):
        return ca_tables.check(self, 'channels')

    @quick
    def check_table_of_searches(self):
        return ca_tables.check(self, 'searches')

    def check_fields(self):
        """Fields alone, without a filter or a visible tree, are the same."""
        names = ['ca.create.time', 'ca.create.request_in', 'ca.pv', 'ca.command']
        frames = self.wireshark.fields(self.capture, names, *self.preferences)
        ours = collections.defaultdict(lambda: collections.defaultdict(list))
        for message in self.messages:
            for name in names:
                ours[message.frame][name] += message.fields.get(name, [])
        wrong = [number for number, fields in frames.items()
                 if any(fields.get(name, []) != ours[number][name] for name in names)]
        return [f'fields differ in frames {wrong[:5]}'] if wrong else []


def check_in_the_other_pass(one, two):
    """One pass and two print the same tables, and the same JSON lines of Channel Access."""
    found = [f'{name}: another table' for name in ca_tables.NAMES if one.reading.tables[name] != two.reading.tables[name]]
    return found + ([] if ca_json.of_channel_access(one.reading.lines) == ca_json.of_channel_access(two.reading.lines) else ['other JSON lines'])


OTHER_PREFERENCES = ('tcp.desegment_tcp_streams:FALSE', 'tcp.reassemble_out_of_order:TRUE', 'tcp.analyze_sequence_numbers:FALSE',
                     'tcp.relative_sequence_numbers:FALSE', 'tcp.no_subdissector_on_error:FALSE', 'latency.json:rows')


def table_of_requests(wireshark, path, *arguments):
    return wireshark.tshark('-q', '-r', path, '-z', 'latency,requests', *arguments)


def run_made(wireshark, path, right, passes):
    """Of a capture that was made: how many creates have an answer, and how many answers lack their request; and whatever is set that does not
    matter, the tables are the same."""
    plain = ca_tables.run(wireshark, path, passes)
    requests = table_of_requests(wireshark, path, *['-2'] * (passes == 2))
    found = []
    for option in OTHER_PREFERENCES:
        if ca_tables.run(wireshark, path, passes, '-o', option) != plain or table_of_requests(wireshark, path, *['-2'] * (passes == 2), '-o', option) != requests:
            found.append(f'other tables with {option}')
    if right is not None:
        created = sum(figure(row['count']) for row in ca_tables.rows(plain['servers'], 'servers'))
        orphans = any('not in the capture' in line for line in plain['servers'])
        found += [] if (created, orphans) == (right['creates'], right['orphans'] > 0) else [f'{created} creates, orphans {orphans}, not {right}']
    return found


def run_made_fields(wireshark, path, right, passes, reassembly):
    """The same of the messages that are shown: all, where Wireshark's TCP puts segments in order, and none twice; and channels' fields in any case."""
    names = ['ca.create.time', 'ca.command', 'ca.orphan', 'ca.repeated']
    frames = wireshark.fields(path, names, *preferences(passes, reassembly))
    counts = [sum(len(fields.get(name, [])) for fields in frames.values()) for name in names[:3]]
    if counts == list(right.values()) or (not reassembly and counts[::2] == [right['creates'], right['orphans']] and counts[1] <= right['messages']):
        return []
    return [f'creates, messages, orphans {counts}, not {list(right.values())}']


def run_any_order(wireshark, capture, frames):
    """sharkd shows frames the same in whatever order they are visited."""
    def texts(node):
        return [node['l']] + [text for child in node.get('n', []) for text in texts(child)]
    shown = []
    for order in (1, -1):
        numbers = range(1, frames + 1)[::order]
        results = wireshark.sharkd_results(capture, *(('frame', {'frame': number, 'proto': True}) for number in numbers))
        shown.append({number: [text for node in result['tree'] for text in texts(node)] for number, result in zip(numbers, results)})
    wrong = [number for number in shown[0] if shown[0][number] != shown[1][number]]
    found = sum(text.startswith('EPICS Channel Access') for texts_ in shown[0].values() for text in texts_)
    return ([f'frames {wrong[:5]} differ'] if wrong else []) + (['nothing of Channel Access'] if not found else [])


def run_many(wireshark):
    """All of very many channels are created, one request each."""
    path = wireshark.base / 'many.pcap'
    ca_made.many(path, 300000)
    path.chmod(0o644)
    text = wireshark.tshark('-q', '-r', path, '-z', 'ca,servers', '-z', 'latency,servers')
    path.unlink()
    expected = ['300000 channels: 300000 created, 0 failed, 0 unanswered.', '600000 requests, 600000 answered, 0 unanswered; 600000 by messages.']
    return [f'no {line!r} in {text[:500]}' for line in expected if line not in text]


def run_behind_a_hole(wireshark):
    """One frame in which more than 10 000 answers become known shows so many, in one pass; in two each is in its own frame."""
    path = wireshark.base / 'behind-a-hole.pcap'
    ca_made.all_behind_a_hole(path, 20000)
    path.chmod(0o644)
    counts = []
    for passes in (1, 2):
        frames = wireshark.fields(path, ['ca.create.time'], *['-2'] * (passes == 2))
        counts.append([len(values['ca.create.time']) for values in frames.values() if values.get('ca.create.time')])
    return [] if counts[0] == [10000] and sum(counts[1]) == 20000 and max(counts[1]) < 100 else [str(counts)]


def run_waiting(wireshark):
    """What waits when the capture ends has waited until its last frame, in the fields and in the table."""
    path = wireshark.base / 'waiting.pcap'
    ca_made.waiting(path)
    path.chmod(0o644)
    waited = [value for fields in wireshark.fields(path, ['ca.create.waited'], '-2').values() for value in fields.get('ca.create.waited', [])]
    rows = ca_tables.rows(ca_tables.run(wireshark, path, 2)['channels'], 'channels')
    return ([] if waited == ['5.000000000'] else [f'waited {waited}']) + ([] if [row['waited'] for row in rows] == ['5000.000'] else [f'rows {rows}'])


def run_syn_sent_again(wireshark):
    """TCP's phase of a channel begins with the first SYN."""
    path = wireshark.base / 'syn-again.pcap'
    ca_made.syn_sent_again(path)
    path.chmod(0o644)
    tables = ca_tables.run(wireshark, path, 1)
    cells = [ca_tables.rows(tables[name], name)[0]['tcp_connect'] for name in ('channels', 'servers')]
    shown = [value for fields in wireshark.fields(path, ['ca.tcp_connect.time']).values() for value in fields.get('ca.tcp_connect.time', [])]
    return [] if cells == ['1000.050', '1000.050'] and shown == ['1.000050000'] else [f'{cells}, {shown}']


def run_ends_behind_hole(wireshark):
    """What only the capture's end tells is in the tables of one pass, too, and in JSON."""
    path = wireshark.base / 'ends-behind-hole.pcap'
    ca_made.ends_behind_hole(path)
    path.chmod(0o644)
    one, two = (ca_tables.run(wireshark, path, passes) for passes in (1, 2))
    found = [f'{name}: in one pass {one[name]}, in two {two[name]}' for name in two if one[name] != two[name]]
    outcomes = [row['outcome'] for row in ca_tables.rows(one['channels'], 'channels')]
    found += [] if sorted(outcomes) == ['ok', 'ok', 'waiting'] else [f'outcomes {outcomes}']
    lines = [json.loads(line) for line in wireshark.tshark('-q', '-r', path, '-z', 'latency,json,-').splitlines()]
    channels = [line['outcome'] for line in lines if line['type'] == 'channel']
    return found + ([] if channels == ['ok', 'waiting', 'ok'] else [f'JSON {channels}'])


def run_statuses(wireshark):
    """Answers that say that something failed: their names, and how many."""
    return ca_status.check(wireshark, [CAPTURES / f'{name}.pcap' for name in ('allcmd', 'unanswered', 'multi')])


def truth_cases(context, name):
    readings = {}
    for passes, reassembly in MODES[:1] if context.is_quick else MODES:
        case = readings[passes, reassembly] = Case(context.wireshark, name, passes, reassembly)
        for check, function in context.checks(case):
            yield f'{check} (passes {passes}, out of order {reassembly})', function
    if not context.is_quick:
        for reassembly in False, True:
            yield f'passes (out of order {reassembly})', functools.partial(check_in_the_other_pass, readings[1, reassembly], readings[2, reassembly])
        yield 'tables in sharkd', functools.partial(ca_tables.check_in_sharkd, readings[2, False])
        yield 'JSON of some frames', functools.partial(ca_json.check_filter, readings[1, False])
        yield 'JSON of a summary', functools.partial(ca_json.check_summary, readings[1, False])


def made_cases(context):
    """What waits, what fails, and very many."""
    for check in run_many, run_behind_a_hole, run_waiting, run_syn_sent_again, run_ends_behind_hole, run_statuses:
        yield check.__name__, functools.partial(check, context.wireshark)
    for name, path, right in ca_made.every(context.wireshark.base):
        if name == 'lossy 0.3':
            yield 'frames in any order', functools.partial(run_any_order, context.wireshark, path, 150)
        if name == 'searched':
            yield 'searches', functools.partial(ca_tables.check_made_searches, context.wireshark, path)
            yield 'searches in JSON', functools.partial(ca_json.check_made_searches, context.wireshark, path)
        for passes in (1, 2):
            yield f'{name} (passes {passes})', functools.partial(run_made, context.wireshark, path, right, passes)
        for passes, reassembly in MODES if right is not None else ():
            yield f'{name}, shown (passes {passes}, out of order {reassembly})', functools.partial(run_made_fields, context.wireshark, path, right, passes, reassembly)


def groups(context):
    for path in sorted(CAPTURES.glob('*.truth.json')):
        name = path.name.removesuffix('.truth.json')
        if any(context.wants(f'ca/{name}.{kind}') for kind in ('pcap', 'pcapng')):
            yield Group(name, functools.partial(truth_cases, context, name))
    if not context.is_quick and not context.dozen:
        yield Group('made', functools.partial(made_cases, context))
