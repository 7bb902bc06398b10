#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""EPICS Channel Access against the truth of its captures: ca.py PLUGIN.so [WORD…]   (words: only captures whose name contains one)

captures/ca/NAME.truth.json was computed by an independent reader of NAME.pcap; ca_made.py makes others. Every capture is read in one
pass and in two, with out-of-order reassembly off and on. The last line counts: N passed, N failed.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import statistics
import sys
import xml.etree.ElementTree

import ca_json
import ca_made
import ca_requests
import ca_status
import ca_tables
from tools import ROOT, Wireshark

CAPTURES = ROOT / 'captures/ca'
MODES = [(passes, reassembly) for passes in (1, 2) for reassembly in (False, True)]
CLOSE = 6e-7  # seconds: the truth's times are doubles, and good to a microsecond
ABOUT_A_CHANNEL = {'EVENT_ADD', 'EVENT_CANCEL', 'READ', 'WRITE', 'CLEAR_CHANNEL', 'READ_NOTIFY', 'CREATE_CHAN', 'WRITE_NOTIFY',
                   'ACCESS_RIGHTS', 'CREATE_CH_FAIL', 'SERVER_DISCONN', 'SEARCH'}


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


def read(wireshark, capture, passes, reassembly, filter_='ca'):
    """All messages of a capture, in order, and the bytes skipped."""
    text = wireshark.tshark('-r', capture, *['-2'] * (passes == 2), '-o', f'tcp.reassemble_out_of_order:{str(reassembly).upper()}',
                            '-Y', filter_, '-T', 'pdml', '-J', 'ca ip tcp udp')
    messages, skipped = [], []
    for packet in xml.etree.ElementTree.fromstring(text).iter('packet'):
        frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get('show'))
        addresses = endpoints(packet)
        for node in packet.findall("proto[@name='ca']"):
            message = Message(frame, node, addresses)
            (messages if message.one('ca.command') else skipped).append(message)
    return messages, skipped


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
        self.truth = json.loads((CAPTURES / f'{name}.truth.json').read_text())
        self.messages, self.skipped = read(wireshark, self.capture, passes, reassembly)

    def transactions(self, *statuses):
        return [each for each in self.truth['transactions'] if each['status'] in statuses]

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

    def check_unanswered(self):
        """Known after the first pass; what it waits for is a second one."""
        if self.passes == 1:
            return []
        reasons = {'0': 'capture ended', '1': 'connection closed'}
        ours = [(message.frame, message.one('ca.pv'), reasons[message.one('ca.create.reason')])
                for message in self.messages if message.one('ca.create.result') == '3']
        theirs = [(each['frame_request'], each['pv'], each['reason']) for each in self.transactions('unanswered')]
        waited = {(each['frame_request'], each['pv']): each['waited'] for each in self.transactions('unanswered')}
        wrong = [message.frame for message in self.messages if message.one('ca.create.reason') == '1'
                 and abs(message.number('ca.create.waited') - waited[message.frame, message.one('ca.pv')]) > CLOSE]
        return differences('unanswered', ours, theirs) + ([f'waited differs in frames {wrong}'] if wrong else [])

    def check_orphans(self):
        orphans = sum('ca.orphan' in message.fields for message in self.messages)
        return [] if orphans == len(self.truth['orphans']) else [f'{orphans} orphans']

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

    def check_hellos(self):
        ours = [microseconds(message.number('ca.hello.time')) for message in self.messages if message.one('ca.hello.time')]
        theirs = [microseconds(each['version_s']['t'] - each['synack']['t']) for each in self.truth['connections']
                  if each.get('synack') and each.get('version_s')]
        ours, theirs = sorted(ours), sorted(theirs)
        return [] if len(ours) == len(theirs) and all(abs(a - b) <= 1 for a, b in zip(ours, theirs)) else [f'hello times {ours}, not {theirs}']

    def check_skipped(self):
        bad = sum(bool(side.get('skipped')) for each in self.truth['connections'] for side in (each['client_stream'], each['server_stream']))
        return [] if len(self.skipped) == bad else [f'{len(self.skipped)} segments skipped, not {bad}']

    def check_names(self):
        """Every message about a channel whose creation is in the capture has its name."""
        if self.name in ('midstream', 'allcmd'):  # monitors that began before it; ids that name nothing
            return []
        nameless = [(message.frame, message.command) for message in self.messages
                    if message.command in ABOUT_A_CHANNEL and not message.one('ca.pv')]
        return [f'no name: {nameless[:3]}'] if nameless else []

    def check_requests(self):
        return ca_requests.check(self, [*['-2'] * (self.passes == 2), '-o', f'tcp.reassemble_out_of_order:{str(self.reassembly).upper()}'])

    def check_srt(self):
        return ca_tables.check_srt(self.wireshark, self.capture, self.passes, self.reassembly, self.messages)

    def check_json(self):
        return ca_json.check(self)

    def check_fields(self):
        """Fields alone, without a filter or a visible tree, are the same."""
        names = ['ca.create.time', 'ca.create.request_in', 'ca.pv', 'ca.command']
        frames = self.wireshark.fields(self.capture, names, *['-2'] * (self.passes == 2), '-o',
                                       f'tcp.reassemble_out_of_order:{str(self.reassembly).upper()}')
        ours = collections.defaultdict(lambda: collections.defaultdict(list))
        for message in self.messages:
            for name in names:
                ours[message.frame][name] += message.fields.get(name, [])
        wrong = [number for number, fields in frames.items()
                 if any(fields.get(name, []) != ours[number][name] for name in names)]
        return [f'fields differ in frames {wrong[:5]}'] if wrong else []


def run_case(wireshark, name, passes, reassembly):
    try:
        case = Case(wireshark, name, passes, reassembly)
    except Exception as error:  # a capture that cannot be read has failed
        return [('reading', [f'{type(error).__name__}: {error}'])]
    results = []
    for check in (check for check in dir(case) if check.startswith('check_')):
        try:
            results.append((check.removeprefix('check_'), getattr(case, check)()))
        except Exception as error:  # a check that cannot run has failed
            results.append((check.removeprefix('check_'), [f'{type(error).__name__}: {error}']))
    try:
        tables = ca_tables.check(wireshark, case.capture, case.truth, passes, reassembly)
    except Exception as error:  # tables that cannot be read have failed
        tables = {'': [f'{type(error).__name__}: {error}']}
    return results + [(f'table {table}', problems[:6]) for table, problems in tables.items()]


def run_made(wireshark, path, right, passes, reassembly):
    """Of a capture that was made: how many creates have an answer, messages there are, answers lack their request."""
    names = ['ca.create.time', 'ca.command', 'ca.orphan', 'ca.held', 'ca.repeated']
    frames = wireshark.fields(path, names, *['-2'] * (passes == 2), '-o', f'tcp.reassemble_out_of_order:{str(reassembly).upper()}')
    counts = [sum(len(fields.get(name, [])) for fields in frames.values()) for name in names[:3]]
    if right is None or counts == [right['creates'], right['messages'], right['orphans']]:
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
    expected = ['300000 channels: 300000 created, 0 failed, 0 unanswered.', '600000 requests, 600000 answered, 0 unanswered; 600000 told apart by messages, 0 by turns.']
    return [f'no {line!r} in {text[:500]}' for line in expected if line not in text]


def run_waiting(wireshark):
    """What waits when the capture ends has waited until its last frame, in the fields and in the table."""
    path = wireshark.base / 'waiting.pcap'
    ca_made.waiting(path)
    path.chmod(0o644)
    waited = [value for fields in wireshark.fields(path, ['ca.create.waited'], '-2').values() for value in fields.get('ca.create.waited', [])]
    rows = ca_tables.rows(ca_tables.run(wireshark, path, 2, False)['channels'], 'channels')
    return ([] if waited == ['5.000000000'] else [f'waited {waited}']) + ([] if [row['waited'] for row in rows] == ['5000.0'] else [f'rows {rows}'])


def run_statuses(wireshark):
    """Answers that say that something failed: their names, and how many."""
    return ca_status.check(wireshark, [CAPTURES / f'{name}.pcap' for name in ('allcmd', 'unanswered', 'multi')])


def main(plugin, *words):
    names = sorted(path.name.removesuffix('.truth.json') for path in CAPTURES.glob('*.truth.json'))
    wireshark = Wireshark(plugin)
    passed = failed = 0
    try:
        with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
            jobs = [(name, passes, reassembly, pool.submit(run_case, wireshark, name, passes, reassembly))
                    for name in names if not words or any(word in name for word in words) for passes, reassembly in MODES]
            for name, passes, reassembly, job in jobs:
                for check, problems in job.result():
                    passed, failed = passed + (not problems), failed + bool(problems)
                    if problems:
                        print(f'FAILED {name} {check} (passes {passes}, out of order {reassembly})', *problems, sep='\n    ')
            for check in run_many, run_waiting, run_statuses:
                problems = check(wireshark)
                passed, failed = passed + (not problems), failed + bool(problems)
                if problems:
                    print(f'FAILED {check.__name__}', *problems, sep='\n    ')
            for name, path, right in ca_made.every(wireshark.base):
                if name == 'lossy 0.3':
                    problems = run_any_order(wireshark, path, 150)
                    passed, failed = passed + (not problems), failed + bool(problems)
                    if problems:
                        print('FAILED frames in any order', *problems, sep='\n    ')
                if name == 'searched':
                    problems = ca_tables.check_made_searches(wireshark, path) + ca_json.check_made_searches(wireshark, path)
                    passed, failed = passed + (not problems), failed + bool(problems)
                    if problems:
                        print('FAILED searches', *problems, sep='\n    ')
                for passes, reassembly in MODES:
                    problems = run_made(wireshark, path, right, passes, reassembly)
                    passed, failed = passed + (not problems), failed + bool(problems)
                    if problems:
                        print(f'FAILED {name} (passes {passes}, out of order {reassembly})', *problems, sep='\n    ')
    finally:
        wireshark.close()
    print(f'{passed} passed, {failed} failed')
    return failed > 0


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
