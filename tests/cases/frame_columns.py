# SPDX-License-Identifier: GPL-2.0-or-later
"""What the profiles' columns show of a frame: values that belong to one of its messages, and to the right one; and docs/columns.md, which says so."""
import collections
import functools
import json
import re
import subprocess

import ca_tables
from reading import WIDE
from tools import ROOT

CAPTURES = ROOT / 'captures'
REQUESTS = 'framing/dns_tcp.pcap', 'framing/http2.pcap', 'framing/redis.pcap', 'framing/mysql.pcap', 'tcp/shop.pcap', 'ca/unanswered.pcap', 'generated/rst_unanswered.pcap'
EPICS = {'ca': ('ca/unanswered', 'ca/multi', 'ca/basic'), 'pva': ('pva/many', 'pva/names', 'pva/slow')}
TIMES = {'search': 'search.time', 'connect': 'connect.time', 'create': 'create.time', 'first_value': 'first_value.time', 'response': 'response_time', 'waited': 'create.waited'}
IN_COLUMNS = 'duration', 'first_byte', 'server_time', 'search', 'connect', 'create', 'response'
OF_REQUEST = {'duration': 'last_byte'}


def trees(wireshark, path, passes):
    """Of each frame that a filter passes, in the second pass, what tshark prints as JSON."""
    text = wireshark.tshark('-2', '-r', path, '-T', 'json', '--no-duplicate-keys', '-Y', passes)
    return {int(packet['_source']['layers']['frame']['frame.number']): packet['_source']['layers'] for packet in json.loads(text)}


def flat(node):
    """All values below a node of JSON, by the field's name."""
    found = collections.defaultdict(list)
    for name, value in node.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                for inner, values in flat(each).items():
                    found[inner] += values
            else:
                found[name].append(each)
    return found


def listed(value):
    return value if isinstance(value, list) else [value]


def not_in_milliseconds(values):
    """What does not say in milliseconds with three decimals what another field says in seconds, or has no such field though columns need it."""
    found = [f'{name} is {value}' for name, value in values.items() if name.endswith('_ms') and abs(float(value) - float(values[name.removesuffix('_ms')]) * 1000) > 0.0005001]
    return found + [f'{name} has no {name}_ms' for name in IN_COLUMNS if name in values and f'{name}_ms' not in values]


def one_of_requests(wireshark, capture):
    """Each frame's fields for columns are those of one request's tree: of what went wrong, else with the longest duration, or time to first byte where no response ends. Those in milliseconds are the same."""
    found, several = [], 0
    for number, layers in trees(wireshark, CAPTURES / capture, 'latency.request').items():
        requests = [each for each in map(flat, listed(layers['latency'])) if 'latency.request' in each]
        ours = {name.removeprefix('latency.frame.'): values[0] for name, values in flat(layers).items() if name.startswith('latency.frame.')}
        times = [float(value) for each in requests for value in each['latency.first_byte']]
        wrong = [each for each in requests if 'latency.error' in each or each['latency.outcome'] not in ([], ['0'], ['4'], ['7'])] or requests
        slowest = next((name for name in ('duration', 'first_byte') if any(each[f'latency.{OF_REQUEST.get(name, name)}'] for each in wrong)), None)
        longest = max((float(value) for each in wrong for value in each[f'latency.{OF_REQUEST.get(slowest, slowest)}']), default=None)
        several += len(requests) > 1
        chosen = [each for each in wrong if each['latency.request'] == [ours['request']]]
        if not chosen or (slowest and float(ours[slowest]) != longest):
            found.append(f'frame {number}: {ours} is none of those that went wrong, or not the slowest: {longest}')
        elif any(ours.get(name) not in (chosen[0][f'latency.{OF_REQUEST.get(name, name)}'] or [None]) for name in ('operation', 'duration', 'first_byte', 'server_time', 'elapsed')):
            found.append(f'frame {number}: {ours} is not {chosen[0]}')
        elif chosen[0]['latency.status'] and [ours.get('status')] != chosen[0]['latency.status']:
            found.append(f'frame {number}: status {ours.get("status")}, not {chosen[0]["latency.status"]}')
        if times and float(ours['longest']) != max(times) or int(ours.get('requests', 1)) != len(requests):
            found.append(f'frame {number}: {ours}, of {len(requests)} with {times}')
        found += [f'frame {number}: {wrong}' for wrong in not_in_milliseconds(ours)]
    return found[:3] + ([] if several or not capture.startswith('framing') else ['no frame with several requests'])


def one_of_channels(wireshark, protocol, name):
    """Where channels were not created, as the truth says, the columns show one of them; and never values of two messages."""
    path = next(each for each in CAPTURES.glob(f'{name}.pcap*'))
    truth = ca_tables.truth_of(path.with_name(f'{path.name.partition(".")[0]}.truth.json')) if protocol == 'ca' else json.loads((CAPTURES / f'{name}.truth.json').read_text())
    failed, found = collections.defaultdict(set), []
    for each in truth['transactions' if protocol == 'ca' else 'channels']:
        frame = each['frame_request'] if each['status'] == 'unanswered' else each['frame_response']
        if each['status'] not in ('ok', 'waiting'):
            failed[frame].add(each['pv'])
    for number, layers in trees(wireshark, path, f'{protocol}.frame.pv').items():
        ours = {name.removeprefix(f'{protocol}.frame.'): values[0] for name, values in flat(layers).items() if name.startswith(f'{protocol}.frame.')}
        messages = [each for each in map(flat, listed(layers[protocol])) if f'{protocol}.pv' in each]
        if number in failed and (ours['pv'] not in failed[number] or 'status' not in ours):
            found.append(f'frame {number}: {ours}, though {sorted(failed[number])} failed')
        if not any(each[f'{protocol}.pv'][0] == ours['pv'] and all([ours.get(name)] == (each[f'{protocol}.{field}'] or [None]) for name, field in TIMES.items())
                   for each in messages if len(each[f'{protocol}.pv']) == 1) and all(len(each[f'{protocol}.pv']) == 1 for each in messages):
            found.append(f'frame {number}: no message has {ours}')
        if 'status' not in ours and any(float(value) > max([float(ours[name]) for name in TIMES if name in ours], default=-1) for each in messages
                                        for field in TIMES.values() for value in each[f'{protocol}.{field}']):
            found.append(f'frame {number}: {ours} is not the slowest')
        found += [f'frame {number}: {wrong}' for wrong in not_in_milliseconds(ours)]
    return found[:3] + ([] if failed or protocol == 'pva' or name != 'ca/unanswered' else ['none failed'])


def blames_the_right_one(wireshark):
    """Frame 19 of this capture has the answers to eleven CREATE_CHAN, five of which failed."""
    values = wireshark.fields(CAPTURES / 'ca/unanswered.pcap', ['ca.frame.pv', 'ca.frame.status', 'ca.frame.messages'], '-Y', 'frame.number == 19')[19]
    right = 'nosuchfilter' in values['ca.frame.pv'][0] and values['ca.frame.status'] == ['CREATE_CH_FAIL'] and values['ca.frame.messages'] == ['16']
    return [] if right else [str(values)]


def sorts_by_the_longest(wireshark):
    """Frame 326 of this capture has seven responses; the first took 0.047 s, another 0.195."""
    values = wireshark.fields(CAPTURES / 'framing/dns_tcp.pcap', ['latency.frame.first_byte', 'latency.frame.longest', 'latency.frame.requests'], '-Y', 'frame.number == 326')[326]
    times = [round(float(values[f'latency.frame.{name}'][0]), 3) for name in ('first_byte', 'longest')]
    return [] if times == [0.195, 0.195] and values['latency.frame.requests'] == ['7'] else [str(values)]


def recipes(wireshark):
    """The two recipes of channels print names and times that belong together: those of the truth."""
    truth = ca_tables.truth_of(CAPTURES / 'ca/unanswered.truth.json')
    commands = re.findall(r"`tshark -q -r FILE -o latency.columns:wide -z ca,channels (\\\| awk [^`]*)`", (ROOT / 'docs/recipes.md').read_text())
    table = wireshark.tshark('-q', '-r', CAPTURES / 'ca/unanswered.pcap', *WIDE, '-z', 'ca,channels')
    printed = [subprocess.run(command.replace('\\|', '|').lstrip('| '), shell=True, input=table, capture_output=True, text=True).stdout.splitlines() for command in commands]
    transactions = truth['transactions']
    slow = collections.Counter((each['pv'], f'{each["dt"] * 1000:.3f}'[:5]) for each in transactions if each['dt'] and each['dt'] > 0.1)
    silent = collections.Counter((each['pv'], f'{each["status"]} {each["reason"] or "-"}') for each in transactions if each['status'] in ('unanswered', 'waiting'))
    if len(printed) != 2:
        return [f'not in docs/recipes.md: {commands}']
    ours = collections.Counter((line.split()[2], line.split()[1][:5]) for line in printed[0]), collections.Counter((line.split()[-1], ' '.join(line.split()[3:-1])) for line in printed[1])
    return [f'printed {a - b}, not {b - a}' for a, b in zip(ours, (slow, silent)) if a != b]


def documented(_):
    """Of each profile the columns with fields of a frame, as preferences have them, and as docs/columns.md."""
    rows = re.findall(r'^\| ([\w, ]+) \| ([\w, ()]+) \| (`.*?`) \|', (ROOT / 'docs/columns.md').read_text(), re.M)
    said = collections.defaultdict(set)
    for profiles, titles, fields in rows:
        for profile in profiles.split(', '):
            said[profile].update((title, field) for title in titles.split(', ') for field in re.findall(r'`([\w.]+)`', fields) if titles == title or field.endswith(title.lower().replace(' (ms)', '_ms').replace(' ', '_')))
    shown = {}
    for profile in (ROOT / 'profiles').iterdir():
        columns = re.findall(r'^\t"(.*)", "%Cus:(.+):[01]:R"', (profile / 'preferences').read_text(), re.M)
        shown[profile.name] = {(title, field) for title, fields in columns for field in fields.split(' || ') if '.frame.' in field}
    return [f'{name}: documented {sorted(said[name] - shown[name])}, shown {sorted(shown[name] - said[name])}' for name in shown if said[name] != shown[name]]


def in_the_host(_):
    """A window of 1400 pixels, 50 of which are the list's overview, shows ports, and what an operation took. No column says again what *Stage* does."""
    widths = re.findall(r'^\t"(?:%Cus:)?(.+)", (\d+)', (ROOT / 'profiles/Latency in the host/recent').read_text(), re.M)
    left, shown = 1400 - 50, set()
    for column, width in widths:
        left -= int(width)
        shown |= {column} if left >= 0 else set()
    wanted = {'%s', '%uS', '%d', '%uD', 'latency.stage', 'latency.stage.time_us', 'latency.frame.duration_ms', 'latency.frame.first_byte_ms', 'latency.frame.operation'}
    return [f'not to be seen: {column}' for column in sorted(wanted - shown)] + [f'repeats: {column}' for column, _ in widths if 'interface' in column]


def cases(context):
    for capture in REQUESTS:
        yield f'requests of {capture}', functools.partial(one_of_requests, context.wireshark, capture)
    for protocol, names in EPICS.items():
        for name in names:
            yield f'channels of {name}', functools.partial(one_of_channels, context.wireshark, protocol, name)
    for check in blames_the_right_one, sorts_by_the_longest, *(() if context.is_elsewhere else (recipes, documented, in_the_host)):
        yield check.__name__.replace('_', ' '), functools.partial(check, context.wireshark)
