# SPDX-License-Identifier: GPL-2.0-or-later
"""EPICS pvAccess against the truth of its captures.

captures/pva/NAME.truth.json has what an independent reader (tests/reference/pva_reader.py) found in NAME.pcap, and what the client's callbacks said while it was
recorded.
"""
import collections
import functools
import json
import random
import statistics
import subprocess

from context import quick
from outline import Group, Skipped
from reading import WIDE, split
from tools import ROOT

import json_lines
import pva_made
from pcapfile import read_frames

CAPTURES = ROOT / 'captures/pva'
LATE_NS = 100_000_000  # a callback comes so long after the answer at most: the machine that recorded was busy
MODES = [(passes, reassembly) for passes in (1, 2) for reassembly in (False, True)]
MORE_CLIENTS = 'basic', 'segments', 'slow'  # some of which have no log
OUTCOMES = {'ok': 'ok', 'failed': 'failed', 'unanswered': 'unanswered'}


def endpoint(each, name):
    return f'{each[name]}:{each[name + "_port"]}'


def options(passes, reassembly):
    return [*(['-2'] if passes == 2 else []), '-o', f'tcp.reassemble_out_of_order:{str(reassembly).upper()}']


def differences(what, ours, theirs):
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    return [f'{what}: not in the truth {each}' for each in list(ours - theirs)[:3]] + [f'{what}: missing {each}' for each in list(theirs - ours)[:3]]


def channels_of(rows):
    return [(row['pv'], endpoint(row, 'client'), endpoint(row, 'server'), row['request_frame'], row.get('response_frame'), row['outcome'],
             row.get('sid'), row.get('create')) for row in rows]


def channels_right(truth):
    return [(each['pv'], each['client'], each['server'], each['frame_request'], each['frame_response'], OUTCOMES[each['status']],
             each['sid'] if each['status'] == 'ok' else None, each['t_response'] and each['t_response'] - each['t_request']) for each in truth['channels']]


def operations_of(rows):
    return [(row.get('operation', ''), endpoint(row, 'client'), row['request_frame'], row.get('response_frame'), 'error' in row)
            for row in rows if row['framing'] == 'pva' and not row.get('operation', '').startswith(('CREATE_CHANNEL', 'ECHO'))]


def capture_of(name):
    """What is in TLS has its keys, and is pcapng."""
    path = CAPTURES / f'{name}.pcap'
    return path if path.exists() else path.with_suffix('.pcapng')


class Case:
    def __init__(self, wireshark, name, passes, reassembly):
        self.wireshark, self.name, self.options = wireshark, name, options(passes, reassembly)
        self.capture = capture_of(name)
        self.truth = json.loads((CAPTURES / f'{name}.truth.json').read_text())

    @functools.cached_property
    def lines(self):
        return self.wireshark.tshark('-q', '-r', self.capture, *self.options, '-z', 'latency,json,-').splitlines()

    @functools.cached_property
    def objects(self):
        return json_lines.read(self.lines)

    @quick
    def check_schema(self):
        return json_lines.check_schema(self.lines)

    @quick
    def check_channels(self):
        return differences('channel', channels_of(self.objects['pva_channel']), channels_right(self.truth))

    @quick
    def check_phases(self):
        """TCP's connect and the hello of each, and why one that failed did."""
        left = collections.defaultdict(list)
        for row in self.objects['pva_channel']:
            left[row['request_frame'], row['pv']].append((row.get('tcp_connect'), row.get('hello'), row.get('reason') if row['outcome'] == 'failed' else None))
        right = collections.defaultdict(list)
        for each in self.truth['channels']:
            right[each['frame_request'], each['pv']].append((each['tcp_connect'], each['hello'], each['reason'] if each['status'] == 'failed' else None))
        return [f'phases of {key}: {left[key]}, not {want}' for key, want in right.items() if left[key] != want][:3]

    @quick
    def check_operations(self):
        """Each request, by the frames of its first byte and of its answer's."""
        right = [(f'{each["operation"]} {each["pv"]}' if each['pv'] else each['operation'], each['client'], each['frame_request'],
                  each['frame_response'], each['status'] in ('ERROR', 'FATAL')) for each in self.truth['operations']]
        return differences('operation', operations_of(self.objects['request']), right)

    @quick
    def check_monitors(self):
        """When each was started, the first update, and the time between one and the next."""
        right = []
        for each in self.truth['monitors']:
            at = each['t_updates']
            spacings = [later - earlier for earlier, later in zip(at, at[1:])]
            started = each['frame_request'] is not None
            right.append((each['pv'], each['client'], each['server'], each['ioid'], each['frame_request'], at[0] - each['t_request'] if started and at else None,
                          len(at), len(spacings), sum(spacings), min(spacings, default=None), max(spacings, default=None)))
        ours = [(row.get('pv'), endpoint(row, 'client'), endpoint(row, 'server'), row['ioid'], row.get('request_frame'), row.get('first_update'), row['updates'],
                 *(row['spacing'].get(name) for name in ('count', 'sum', 'min', 'max'))) for row in self.objects['pva_monitor']]
        return differences('monitor', ours, right)

    def check_spacings(self):
        """-z pva,monitors has the median and the longest of each; the field the same of each update."""
        spacings = [[later - earlier for earlier, later in zip(each['t_updates'], each['t_updates'][1:])] for each in self.truth['monitors']]
        text = self.wireshark.tshark('-q', '-r', self.capture, *self.options, '-o', 'latency.format:json', '-z', 'pva,monitors')
        ours = [(row['updates'], *(round(row[name] * 1e6) if name in row else None for name in ('p50_ms', 'max_ms'))) for row in map(json.loads, text.splitlines())]
        right = [(len(each['t_updates']), *((round(statistics.median(some)), max(some)) if some else (None, None))) for each, some in zip(self.truth['monitors'], spacings)]
        fields = self.wireshark.fields(self.capture, ['pva.update.spacing'], *self.options)
        shown = [round(float(value) * 1e9) for values in fields.values() for value in values.get('pva.update.spacing', [])]
        return differences('pva,monitors', ours, right) + differences('pva.update.spacing', shown, [each for some in spacings for each in some])

    def shown(self, field, ours, right):
        """A frame that came out of order does not say in one pass what it belongs to, nor where Wireshark does not put frames in order."""
        found = differences(field, ours, right)
        is_all = '-2' in self.options and 'tcp.reassemble_out_of_order:TRUE' in self.options
        return found if is_all or self.name != 'loss' else [each for each in found if 'missing' not in each]

    def used(self, search):
        """When its client asked for the channel."""
        return [each['t_request'] for each in self.truth['channels'] if each['pv'] == search['name'] and each['client'].rsplit(':', 1)[0] == search['client']]

    @quick
    def check_searches(self):
        right = collections.defaultdict(lambda: [0, 0, 0, set(), 0])
        for search in self.truth['searches']:
            row = right[search['name'], search['client']]
            # A search ends when a channel is created: what comes after is another one.
            for searched in rounds(search, self.used(search)):
                row[0] += 1
                row[1] += not searched['replies']
                row[2] += searched['attempts']
                row[3] |= {server for _, _, server in searched['replies']}
                row[4] += searched['replies'][0][1] - searched['first'] if searched['replies'] else 0
        ours = [(row['name'], row['client'], row['searches'], row['unanswered'], row['attempts'],
                 tuple(sorted(endpoint(each, 'server') for each in row['servers'])), row['time']['sum']) for row in self.objects['pva_search']]
        return differences('search', ours, [(*key, *row[:3], tuple(sorted(row[3])), row[4]) for key, row in right.items()])

    @quick
    def check_callbacks(self):
        """Every channel as its client saw it: connected shortly after its answer; and operations, as often and as they came out."""
        found, said = [], self.truth.get('callbacks', [])
        answers = collections.defaultdict(list)
        for row in self.objects['pva_channel']:
            if row['outcome'] == 'ok':
                answers[row['pv']].append(row['response_time'])
        for each in said:
            at = round(each['t'] * 1e9)
            if each['event'] == 'connected' and not any(-1000 <= at - answer <= LATE_NS for answer in answers[each['pv']]):
                found.append(f'{each} is no channel of {answers[each["pv"]]}')
        connected = collections.Counter(each['pv'] for each in said if each['event'] == 'connected')
        found += [f'{pv} was connected {count} times, not {len(answers[pv])}' for pv, count in connected.items() if count > len(answers[pv]) or (count < len(answers[pv]) and self.name not in MORE_CLIENTS)]
        rows = collections.Counter(operation for operation, _, _, answered, failed in operations_of(self.objects['request']) if answered and not failed)
        for name in 'get', 'put', 'rpc', 'get_field':
            wanted = collections.Counter(f'{name.upper()} {each["pv"]}' for each in said if each['event'] == name and each['ok'])
            found += [f'{operation}: {rows[operation]} rows, of {count} callbacks' for operation, count in wanted.items() if count > rows[operation] or (count < rows[operation] and self.name not in MORE_CLIENTS)]
        updates = collections.Counter(each['pv'] for each in said if each['event'] == 'update')
        told = collections.Counter()
        for row in self.objects['pva_monitor']:
            told[row.get('pv')] += row['updates']
        # one may have been on its way when the client ended
        found += [f'{pv}: {told[pv]} updates, of {count} callbacks' for pv, count in updates.items() if not count <= told[pv] <= count + 2]
        names = {each['pv'] for each in said if each['event'] == 'wanted'} - {each['pv'] for each in said if each['event'] in ('connected', 'update')}
        found += [f'{pv} is a channel, and its client had none' for pv in names if answers[pv]]
        return found[:5]

    @quick
    def check_tables(self):
        """Rows are as many as the lines have."""
        text = self.wireshark.tshark('-q', '-r', self.capture, *self.options, '-z', 'pva,channels', '-z', 'pva,servers', '-z', 'pva,searches')
        channels, searches = len(self.objects['pva_channel']), self.objects['pva_search']
        wanted = [f'{channels} channel{"" if channels == 1 else "s"}: {sum(row["outcome"] == "ok" for row in self.objects["pva_channel"])} created, ']
        if searches:
            wanted.append(f'{len(searches)} name{"" if len(searches) == 1 else "s"} in {sum(row["searches"] for row in searches)} search')
        return [f'no {line!r}' for line in wanted if line not in text]

    def check_srt(self):
        """-z pva,srt: as many of each command as the JSON lines have."""
        text = self.wireshark.tshark('-q', '-r', self.capture, *self.options, '-z', 'pva,srt')
        ours = {}
        for line in text.splitlines():
            words = line.split()
            if len(words) >= 6 and words[0].isdigit() and words[2].isdigit():
                ours[words[1]] = int(words[2])
        return differences('pva,srt', ours.items(), {row['command']: row['response_time']['count'] for row in self.objects['pva_command']}.items())

    def check_fields(self):
        """The dissector says the same of each channel, and which server was started anew; no bytes are skipped."""
        fields = self.wireshark.fields(self.capture, ['pva.create.time', 'pva.skipped', 'pva.restarted'], *self.options)
        times = [round(float(value) * 1e9) for values in fields.values() for value in values.get('pva.create.time', [])]
        found = differences('pva.create.time', times, [row['create'] for row in self.objects['pva_channel'] if 'create' in row])
        found += differences('restarted', [frame for frame, values in fields.items() if values.get('pva.restarted')], self.truth['restarts'])
        is_in_order = self.name != 'loss' or 'tcp.reassemble_out_of_order:TRUE' in self.options
        return found + [f'frame {frame}: bytes skipped' for frame, values in fields.items() if values.get('pva.skipped') and is_in_order][:3]

    def check_first_values(self):
        """The first GET or MONITOR of a channel that is answered says in the frame in which its answer ends how long after its beginning, as the JSON line has it."""
        fields = self.wireshark.fields(self.capture, ['frame.time_relative', 'pva.first_value.time'], *self.options)
        at = {frame: round(float(values['frame.time_relative'][0]) * 1e9) for frame, values in fields.items()}
        times = [(frame, round(float(value) * 1e9)) for frame, values in fields.items() for value in values.get('pva.first_value.time', [])]
        begun, first = collections.defaultdict(set), {}
        for each in self.truth['operations']:
            channel, kind = (each['pv'], each['client']), each['operation'].split('_')[0]
            if not each['pv'] or kind not in ('GET', 'MONITOR'):
                continue
            # In TLS a message is where its record ends, which may be some packets later.
            begun[channel].update(at[each['frame_request'] + later] for later in range(4 if self.name == 'tls' else 1))
            if each['operation'] == kind and each['status'] in ('OK', 'WARNING'):
                first.setdefault(channel, each['frame_response'])
        right = []
        for frame, time in times:
            channel = next((key for key, response in first.items() if response <= frame and at[frame] - time in begun[key]), None)
            first.pop(channel, None)
            right += [frame] * bool(channel)
        found = differences('pva.first_value.time', [time for _, time in times], [row['first_value'] for row in self.objects['pva_channel'] if 'first_value' in row])
        return found + self.shown('frames of first values', [frame for frame, _ in times], right + [f'one of {channel}' for channel in first])

    def check_experts(self):
        """As many as failed, and as searches had been answered before."""
        fields = self.wireshark.fields(self.capture, ['pva.failed', 'pva.status.failed', 'pva.answered_again'], *self.options)
        ours = {name: sum(len(values.get(name, [])) for values in fields.values()) for name in ('pva.failed', 'pva.status.failed', 'pva.answered_again')}
        failed = sum(each['status'] in ('ERROR', 'FATAL', 'failed') for each in self.truth['operations'] + self.truth['channels'])
        again = sum(max(0, len(each['replies']) - 1) for search in self.truth['searches'] for each in rounds(search, self.used(search)))
        return differences('experts', ours.items(), {'pva.failed': failed, 'pva.status.failed': failed, 'pva.answered_again': again}.items())

    def in_sharkd(self):
        """Tables have tshark's rows, and times of response those of the JSON lines."""
        found, tables = [], ('channels', 'monitors', 'searches', 'servers')
        for tap in self.wireshark.sharkd(self.capture, *(f'nstat:pva,{name}' for name in tables)):
            heads = [field['c'] for field in tap['fields']]
            as_csv, as_json = (self.wireshark.tshark('-q', '-r', self.capture, '-o', f'latency.format:{kind}', '-z', tap['tap'].removeprefix('nstat:')) for kind in ('csv', 'json'))
            names = as_csv.partition('\n')[0].split(',')
            rows = [json.loads(line) for line in as_json.splitlines() if line.startswith('{')]
            ours = [(tap['tap'], *(value or None if head == 'Frame' else cell(value) for head, value in zip(heads, row))) for row in tap['tables'][0]['i']] if tap['tables'] else []
            theirs = [(tap['tap'], *(cell(row.get(name)) for name in names)) for row in rows]
            moment = 1 + heads.index('Time (s)') if 'Time (s)' in heads else None
            found += differences('sharkd', *([row[:moment] + row[moment + 1:] if moment else row for row in some] for some in (ours, theirs)))
        commands = {(row['command'], row['response_time']['count'], cell(row['response_time']['min'] / 1e6)) for row in self.objects['pva_command']}
        ours = {(row['n'], row['num'], cell(row['min'] * 1e3)) for table in self.wireshark.sharkd(self.capture, 'srt:pva')[0]['tables'] for row in table['r']}
        return found + [f'pva,srt: {each}' for each in ours ^ commands]


def cell(value):
    """sharkd has numbers with six decimals, and null where tshark has nothing."""
    return round(value, 6) if isinstance(value, float) else None if value in ('-', '') else value


# Of pva/loss, where a Wireshark that puts segments in order (4.6) gives no dissector the server's messages from here on.
UNMET, FROM = {('experts', 1), ('experts', 2)}, 110


def rounds(search, used):
    """Each search of a name up to the creation of its channel: its attempts up to the first reply, its first time and its replies."""
    ends = sorted(used) + [float('inf')]
    start = float('-inf')
    for end in ends:
        attempts = [at for _, at in search['attempts'] if start < at <= end]
        replies = [each for each in search['replies'] if attempts and each[1] >= attempts[0] and not any(end < later <= each[1] for _, later in search['attempts'])]
        if attempts:
            yield {'first': attempts[0], 'attempts': sum(not replies or at <= replies[0][1] for at in attempts), 'replies': replies}
        start = end


# --- damaged ------------------------------------------------------------------------------------------------------

def write(path, frames):
    with open(path, 'wb') as handle:
        handle.write(b'\x4d\x3c\xb2\xa1\x02\0\x04\0' + bytes(8) + (262144).to_bytes(4, 'little') + (1).to_bytes(4, 'little'))
        for frame in frames:
            seconds, rest = divmod(frame.time, 10**9)
            for number in seconds, rest, len(frame.data), frame.length:
                handle.write(number.to_bytes(4, 'little'))
            handle.write(frame.data)


def pairs(rows):
    """What belongs together, by times: frames have other numbers."""
    return [(row['pv'], endpoint(row, 'client'), row['request_time'], row['response_time']) for row in rows if 'response_time' in row]


def damaged(case, seed, how):
    """Frames swapped with the next of the same sender, or left out; their order in the file is that of their times otherwise."""
    chance, frames = random.Random(seed), list(read_frames(case.capture))
    if how == 'removed':
        return [frame for frame in frames if chance.random() >= 0.02]
    at = 0
    while at + 1 < len(frames):
        one, other = frames[at:at + 2]
        if one.data[26:36] == other.data[26:36] and chance.random() < 0.2:
            frames[at], frames[at + 1] = other._replace(time=one.time), one._replace(time=other.time)
            at += 1
        at += 1
    return frames


def check_damaged(case, seed, how):
    """Nothing is paired that does not belong together; reordered, every channel is answered as before."""
    path = case.wireshark.base / f'pva-{case.name}-{how}-{seed}.pcap'
    write(path, damaged(case, seed, how))
    lines = case.wireshark.tshark('-q', '-r', path, *case.options, '-z', 'latency,json,-').splitlines()
    path.unlink()
    objects = json_lines.read(lines)
    if how == 'reordered':
        return differences('channel', [each[:2] for each in pairs(objects['pva_channel'])], [each[:2] for each in pairs(case.objects['pva_channel'])])
    return [f'wrong: {each}' for each in set(pairs(objects['pva_channel'])) - set(pairs(case.objects['pva_channel']))][:3]


def servers_table(text):
    """The headings and rows of pva,servers, without the lines below the title: latency-merge has its own there."""
    return [line for line in split(text).get('pva,servers', []) if '|' in line]


def tables_of(text, argument):
    """The rows of one that is written as JSON."""
    return [row for row in map(json.loads, text.splitlines()) if row['table'] == argument]


def check_merged_twice(context, case):
    """What names and commands come to in two files: twice what they are in one. Only whole files have names."""
    paths, found = [case.wireshark.base / f'pva-{case.name}-{content}-again.jsonl' for content in ('rows', 'summary')], []
    names = tables_of(case.wireshark.tshark('-q', '-r', case.capture, '-o', 'latency.format:json', '-z', 'pva,searches'), 'pva,searches')
    for path, content in zip(paths, ('rows', 'summary')):
        case.wireshark.tshark('-q', '-r', case.capture, '-o', f'latency.json:{content}', '-z', f'latency,json,{path}')
        merged = subprocess.run([context.merge, '--format', 'json', path, path], capture_output=True, text=True, check=True).stdout
        wanted = [{name: value * 2 if name in ('searches', 'unanswered', 'attempts') else value for name, value in row.items()} for row in names]
        found += differences(f'{content}: searches', map(str, tables_of(merged, 'pva,searches')), map(str, wanted if content == 'rows' else []))
        times = [(row['command'], row['response_time']) for row in case.objects['pva_command']]
        wanted = [(name, 2 * time['count'], time['min'], time['max'], 2 * time['sum']) for name, time in times]
        ours = [(row['command'], row['calls'], *(round(row[f'{name}_ms'] * 1e6) for name in ('min', 'max', 'sum'))) for row in tables_of(merged, 'pva,srt')]
        found += differences(f'{content}: commands', ours, wanted)
        path.unlink()
    return found


def check_merged(context, case):
    """latency-merge makes the same table of servers of the capture's JSON lines, whole and summed up."""
    found = []
    for content in 'all', 'summary':
        path = case.wireshark.base / f'pva-{case.name}-{content}.jsonl'
        text = case.wireshark.tshark('-q', '-r', case.capture, '-o', f'latency.json:{content}', *WIDE, '-z', f'latency,json,{path}', '-z', 'pva,servers')
        merged = subprocess.run([context.merge, '--columns', 'wide', path], capture_output=True, text=True, check=False)
        path.unlink()
        want, got = servers_table(text), servers_table(merged.stdout)
        if content == 'summary':  # percentiles are those of a histogram
            want, got = ([line.split('|')[:6] for line in lines] for lines in (want, got))
        if merged.returncode or (want != got and len(want) > 1):
            found.append(f'{content}: {merged.stderr} {got[1:3]}, not {want[1:3]}')
    return found


def check_tls_on_own_port(case):
    """In TLS on port 5075 there are the same channels and operations as on another."""
    data, at, path = bytearray(case.capture.read_bytes()), 0, case.wireshark.base / 'pva-tls-5075.pcapng'
    other, own = (5076).to_bytes(2, 'big'), (5075).to_bytes(2, 'big')
    while at < len(data):
        kind, length = (int.from_bytes(data[at + skip:at + skip + 4], 'little') for skip in (0, 4))
        frame = at + 28
        for port in (frame + 34, frame + 36) if kind == 6 and data[frame + 23] == 6 else ():
            data[port:port + 2] = data[port:port + 2].replace(other, own)
        at += length
    path.write_bytes(data)
    moved = json_lines.read(case.wireshark.tshark('-q', '-r', path, '-z', 'latency,json,-').splitlines())
    path.unlink()
    left, right = ([(*each[:2], *each[3:]) for each in channels_of(objects['pva_channel'])] for objects in (moved, case.objects))
    return differences('channel', left, right) + differences('operation', operations_of(moved['request']), operations_of(case.objects['request']))


def given(case):
    """Frames in which Wireshark, without the plugin, gives a dissector that knows nothing but where messages end any of the server's."""
    text = case.wireshark.start('tshark', '-n', '-r', case.capture, *case.options, '-X', f'lua_script:{ROOT / "tests/lua/pva_framing.lua"}',
                                '-Y', 'pva_framing && tcp.srcport == 5075', '-T', 'fields', '-e', 'frame.number', plugin=False).stdout
    return {int(line) for line in text.split()}


def check_shows_all(case):
    """Those frames show messages here, too."""
    shown = case.wireshark.fields(case.capture, ['pva.command', 'pva.ctrlcommand'], *case.options)
    return [f'frame {frame} shows no message' for frame in sorted(given(case) - {number for number, values in shown.items() if any(values.values())})[:3]]


def if_given(case, function):
    """Where it is not given it cannot be met, or does not belong into UNMET."""
    if max(given(case)) < FROM:
        if not function():
            return ['is met without what the server says there: it does not belong into UNMET']
        raise Skipped(f'this Wireshark gives no dissector what the server says from frame {FROM} on, once it puts segments in order')
    return function()


def cases(context, name):
    for passes, reassembly in MODES[:1] if context.is_quick else MODES:
        case = Case(context.wireshark, name, passes, reassembly)
        for check, function in context.checks(case):
            may_lack = name == 'loss' and reassembly and (check, passes) in UNMET
            yield f'{check} (passes {passes}, out of order {reassembly})', functools.partial(if_given, case, function) if may_lack else function
        if name == 'loss':
            yield f'shows all (passes {passes}, out of order {reassembly})', functools.partial(check_shows_all, case)
    if not context.is_quick:
        case = Case(context.wireshark, name, 2, True)
        yield 'sharkd', case.in_sharkd
        if name == 'tls':
            yield 'on port 5075', functools.partial(check_tls_on_own_port, case)
        yield 'merged', functools.partial(check_merged, context, case)
        yield 'merged twice', functools.partial(check_merged_twice, context, case)
        for seed in range(0 if case.capture.suffix == '.pcapng' else 4):
            for how in 'removed', 'reordered':
                yield f'{how} {seed}', functools.partial(check_damaged, case, seed, how)


def groups(context):
    yield Group('made', functools.partial(pva_made.cases, context))
    for path in sorted(CAPTURES.glob('*.truth.json')):
        name = path.name.removesuffix('.truth.json')
        if context.wants(f'pva/{capture_of(name).name}'):
            yield Group(name, functools.partial(cases, context, name))
