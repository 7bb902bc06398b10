# SPDX-License-Identifier: GPL-2.0-or-later
"""Which request caused which, as core/calls tells (calls-told): against what the programs logged that made the calls, and against the reference."""
import collections
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ids
from calls_truth import CAPTURES, NAMES, Truth, blank
from outline import Group
from tools import ROOT

sys.path.append(str(ROOT / 'tests/reference'))
from calls import Calls

# Of the calls without ids of which no rule is certain, how many the rule `worker` tells, at least; of all that it tells at most one in twenty is wrong.
LIKELY = {'tiers_1': .99, 'tiers_4': .65, 'tiers_8': .6, 'tiers_16': .38, 'tiers_64': .15, 'calls_loop_8': .28, 'calls_loop_32': .2}
WRONG = .05
READS_AND_SENDS = {'app:send': 'sent', 'app:recv': 'read', 'app:copy': 'read'}
CERTAIN = 'id', 'after', 'same', 'thread', 'only'
# How many causes the rules tell, at least.
LEAST = {'tiers_1': {'id': 375, 'only': 450}, 'tiers_4': {'id': 430}, 'tiers_8': {'id': 435}, 'tiers_16': {'id': 435}, 'tiers_64': {'id': 430},
         'calls_loop_8': {'id': 740, 'after': 45}, 'calls_loop_32': {'id': 740, 'after': 45}}
WITHOUT_IDS = {'tiers_1': {'same': 190, 'only': 600}, 'tiers_4': {'same': 180}, 'tiers_8': {'same': 180}, 'tiers_16': {'same': 180}, 'tiers_64': {'same': 180},
               'calls_loop_8': {}, 'calls_loop_32': {}}
# Whose requests have no ids, and whose hosts are client and server: or all are on one.
OTHERS = 'tcp/shop', 'tcp/midstream', 'tcp/http_wrk', 'tcp/redis', 'tcp/memcached', 'tcp/http_delays', 'tcp/reset_in_response', 'tcp/tls'


def lines_of(scan, capture):
    text = subprocess.run([scan, '-o', 'latency.fold_numbers:TRUE', '--json', '-', capture], capture_output=True, text=True, check=True).stdout
    return list(map(json.loads, text.splitlines()))


def told_of(program, capture, *preferences, whole=False):
    """Of each request by number: the frames of its own and of its cause (0: none is told), the rule ('' of what is no call), candidates, calls, their
    time, its own time. `whole`: the line's texts instead."""
    text = subprocess.run([program, capture, *preferences], capture_output=True, text=True, check=True).stdout
    rows = [line.split('\t') for line in text.splitlines()]
    if whole:
        return {int(row[0]): row for row in rows}
    return {int(row[0]): (int(row[1]), int(row[2]), row[3], *map(int, row[4:8])) for row in rows}


def of_type(lines, kind):
    return [line for line in lines if line['type'] == kind]


class Told:
    """What the programs say of a recording, with or without ids."""

    def __init__(self, context, name, has_ids):
        capture = CAPTURES / f'{name}.pcap'
        self.lines = lines_of(context.scan, capture)
        self.truth = Truth(capture, of_type(self.lines, 'request'))
        with tempfile.TemporaryDirectory() as folder:
            if not has_ids:
                capture = blank(capture, pathlib.Path(folder) / capture.name)
            self.told = told_of(context.builds / 'asan/tests/calls-told', capture)


@functools.cache
def told(context, name, has_ids):
    return Told(context, name, has_ids)


def against_log(context, name, has_ids):
    """No cause that a certain rule tells is another than the log's, and as many are told as have been before."""
    this, counts, found = told(context, name, has_ids), dict.fromkeys(CERTAIN, 0), []
    for number, cause in this.truth.causes.items():
        _, frame, rule, *_ = this.told[number]
        if rule in CERTAIN:
            counts[rule] += 1
            right = this.told[cause][0] if cause else 0
            found += [f'request {number}, {this.truth.rows[number].get("operation")}: frame {frame} by {rule}, not {right}'] if frame != right else []
    least = (LEAST if has_ids else WITHOUT_IDS)[name]
    return found[:10] + [f'{counts[rule]} by {rule}' for rule in least if counts[rule] < least[rule]]


def likely_counts(context, name):
    """(calls that no rule is certain of, how many of these are told, how many of these are wrong), without ids."""
    this, open_, likely, wrong = told(context, name, False), 0, 0, 0
    for number, cause in this.truth.causes.items():
        _, frame, rule, *_ = this.told[number]
        open_ += rule in ('worker', 'several')
        likely += rule == 'worker'
        wrong += rule == 'worker' and frame != (this.told[cause][0] if cause else 0)
    return open_, likely, wrong


def likely_is_told(context, name):
    open_, likely, _ = likely_counts(context, name)
    return [] if likely >= LIKELY[name] * open_ > 0 else [f'{likely} of {open_} are told']


def likely_is_right(context):
    """Those of one recording are few: one in twenty is meant of all."""
    counts = [likely_counts(context, name) for name in NAMES]
    likely, wrong = sum(each[1] for each in counts), sum(each[2] for each in counts)
    return [] if likely > 1500 and wrong <= WRONG * likely else [f'{wrong} of {likely} are wrong']


def likely_is_asked(context):
    """Above 100 percent nothing is told that is only likely; from 0 on everything is that has a candidate."""
    program, capture = context.builds / 'asan/tests/calls-told', CAPTURES / 'tiers_8.pcap'
    never, always = (collections.Counter(row[2] for row in told_of(program, capture, f'latency.call_probability:{percent}').values()) for percent in (101, 0))
    return [] if not never['worker'] and always['worker'] > 350 and not always['several'] else [f'{never}, {always}']


def differences(lines, told_rows):
    """From what the reference tells. What is told by workers is one of several."""
    calls, found, compared = Calls(of_type(lines, 'request'), of_type(lines, 'attempt')), [], 0
    for number, (rule, cause, candidates) in calls.told.items():
        _, frame, its_rule, its_candidates, *_ = told_rows[number]
        if number in calls.uncertain:
            continue
        compared += 1
        its = ('several', 0, its_candidates) if its_rule == 'worker' else (its_rule, frame, its_candidates)
        right = rule, told_rows[cause][0] if cause else 0, candidates
        found += [f'request {number}: {its}, the reference: {right}'] if its != right else []
    found += [f'request {number} is a call' for number, row in told_rows.items() if row[2] and number not in calls.told]
    return found[:10], compared


def against_reference(context, name):
    this = told(context, name, False)
    found, compared = differences(this.lines, this.told)
    return found if compared > 800 else [*found, f'{compared} compared']


def other_against_reference(context, name):
    capture = ROOT / f'captures/{name}.pcap'
    return differences(lines_of(context.scan, capture), told_of(context.builds / 'asan/tests/calls-told', capture))[0]


def times_add_up(context, name):
    """The time of a request's calls, each moment once, is what the reference adds up, and with its own its duration."""
    this, below, found = told(context, name, True), {}, []
    rows, by_frame = this.truth.rows, {}
    for number, row in this.told.items():
        by_frame[row[0]] = [*by_frame.get(row[0], []), number]
    for number, row in this.told.items():
        if row[1] and len(by_frame[row[1]]) == 1:
            below.setdefault(by_frame[row[1]][0], []).append(number)
    for number, calls in below.items():
        row, moments, taken = rows[number], 0, rows[number]['request_time']
        # When an unanswered one's connection was closed is not in the lines.
        if any('response_end_time' not in each for each in (row, *(rows[each] for each in calls))) or row.get('streaming') or row.get('long_poll'):
            continue
        for call in sorted((rows[each] for each in calls), key=lambda each: each['request_time']):
            until = call['response_time' if call.get('streaming') else 'response_end_time']
            start, stop = max(call['request_time'], taken), min(until, row['response_end_time'])
            moments, taken = moments + max(stop - start, 0), max(taken, stop)
        _, _, _, _, count, call_ns, own_ns = this.told[number]
        if (count, call_ns, call_ns + own_ns) != (len(calls), moments, row['last_byte']):
            found.append(f'request {number}: {(count, call_ns, own_ns)}, not {(len(calls), moments, row["last_byte"])}')
    return found[:10] if len(below) > 150 else [*found[:10], f'{len(below)} have calls']


def threads(context, name):
    """Who sent and read the first packet of each request, by the comments of its frames at app:send, and at app:recv or app:copy."""
    capture = ROOT / f'captures/kernel/{name}.pcapng'
    fields = 'frame.number', 'frame.interface_name', 'frame.comment', 'tcp.srcport', 'tcp.dstport', 'tcp.seq_raw', 'tcp.len'
    text = subprocess.run(['tshark', '-r', capture, '-Y', 'tcp', '-T', 'fields', *(word for field in fields for word in ('-e', field))], capture_output=True,
                          text=True, check=True).stdout
    packet_of, seen, found = {}, {}, []
    for line in text.splitlines():
        frame, point, comment, *packet = line.split('\t')
        packet_of[int(frame)] = tuple(packet)
        thread = re.search(r'ThreadId: (\d+)', comment)
        if thread and point in READS_AND_SENDS:
            seen[tuple(packet), READS_AND_SENDS[point]] = thread[1]
    told_rows = told_of(context.builds / 'asan/tests/calls-told', capture, whole=True)
    for number, row in told_rows.items():
        right = [seen.get((packet_of[int(row[1])], point), '0') for point in ('sent', 'read')]
        found += [f'request {number}: {row[9:11]}, not {right}'] if row[9:11] != right else []
    return found[:10] if len(told_rows) > 2 else [*found, f'{len(told_rows)} requests']


def threads_against_log(context):
    """Of a service whose threads are recorded most causes are told by them, and none is wrong; nor is any told that another thread than one of theirs asked for."""
    capture = ROOT / 'captures/kernel/threads.pcapng'
    truth = Truth(capture, of_type(lines_of(context.scan, capture), 'request'))
    told_rows, rules, found = told_of(context.builds / 'asan/tests/calls-told', capture), collections.Counter(), []
    for number, cause in truth.causes.items():
        _, frame, rule, *_ = told_rows[number]
        rules[rule, truth.rows[cause]['kind'].split('/')[1]] += 1
        found += [f'request {number}: frame {frame} by {rule}, not {told_rows[cause][0]}'] if rule != 'several' and frame != told_rows[cause][0] else []
    by_thread, all_ = rules['thread', 'cart'], sum(count for (_, kind), count in rules.items() if kind == 'cart')
    found += [] if len(truth.causes) == len(truth.logged) == 72 and not truth.unjoined_rows else [f'{len(truth.causes)} causes of {len(truth.logged)} calls']
    return found + ([] if by_thread > .9 * all_ > 50 and not rules['thread', 'both'] and not rules['worker', 'both'] else [f'{rules}'])


def hosts_joined(context):
    """latency.same_hosts makes a call of what another address of the server asked for: here, of what it asked itself before."""
    program, capture = context.builds / 'asan/tests/calls-told', CAPTURES / 'tiers_1.pcap'
    apart, joined = told_of(program, capture), told_of(program, capture, 'latency.same_hosts:10.77.0.10=10.77.0.1')
    first = min(apart)
    return [] if not apart[first][2] and joined[first][2] == 'none' else [f'{apart[first]}, joined: {joined[first]}']


JOINED = {'10.77.0.110': '10.77.0.10', '10.77.0.9': '10.77.0.12'}


def hosts_shown(context, has_ids):
    """Addresses that a proxy listens on and sends from count as one host, by ids or by the client that is named alone: causes are those of the log, and
    those that are told when the preference joins them. It is said."""
    program, capture = context.builds / 'asan/tests/calls-told', CAPTURES / 'joined.pcap'
    truth = Truth(capture, of_type(lines_of(context.scan, capture), 'request'), hosts=JOINED)
    with tempfile.TemporaryDirectory() as folder:
        if not has_ids:
            capture = blank(capture, pathlib.Path(folder) / capture.name)
        told_rows = told_of(program, capture)
        by_preference = told_of(program, capture, 'latency.same_hosts:' + ','.join(f'{listens}={sends}' for sends, listens in JOINED.items()))
        said, summary = (subprocess.run([context.scan, '-z', table, capture], capture_output=True, text=True, check=True).stdout for table in ('calls', 'summary'))
    found = [] if told_rows == by_preference else ['the preference tells other causes']
    why = 'with the same ids' if has_ids else ', naming their clients'
    texts = [rf'{listens} and {sends} \((\d+) requests passed on ?{why}\)' for sends, listens in JOINED.items()]
    found += [] if all(re.search(text, ' '.join(said.split())) for text in texts) else [said[:500]]
    found += [] if re.search(f'Joined as one host: {texts[0]}; and 1 more', ' '.join(summary.split())) else [summary]
    rules = collections.Counter()
    for number, cause in truth.causes.items():
        _, frame, rule, *_ = told_rows[number]
        rules[rule] += 1
        found += [f'request {number}: frame {frame} by {rule}'] if rule in CERTAIN and frame != (told_rows[cause][0] if cause else 0) else []
    return found[:10] + ([] if rules['id' if has_ids else 'same'] >= (96 if has_ids else 60) else [f'{rules}'])


def hosts_apart(context, has_ids):
    """None are joined where two proxies were asked the same with one id, or are behind one address, or where a client forges whom it asks for."""
    capture = CAPTURES / 'apart.pcap'
    with tempfile.TemporaryDirectory() as folder:
        if not has_ids:
            capture = blank(capture, pathlib.Path(folder) / capture.name)
        told_rows = told_of(context.builds / 'asan/tests/calls-told', capture)
        said = subprocess.run([context.scan, '-z', 'calls', capture], capture_output=True, text=True, check=True).stdout
    return [f'request {number} is a call' for number, row in told_rows.items() if row[2]] + (['Joined'] if 'Joined' in said else []) + ([] if len(told_rows) > 100 else ['no requests'])


def cases(context, name):
    yield 'with ids', functools.partial(against_log, context, name, True)
    yield 'without ids', functools.partial(against_log, context, name, False)
    yield 'likely causes', functools.partial(likely_is_told, context, name)
    yield 'as the reference', functools.partial(against_reference, context, name)
    yield 'times', functools.partial(times_add_up, context, name)


def other_cases(context):
    for name in OTHERS:
        yield name, functools.partial(other_against_reference, context, name)
    for name in 'memcached-6.12', 'memcached-6.1', 'memcached_ipv6-6.1', 'stages-lo', 'stages-veth', 'threads':
        yield f'threads, {name}', functools.partial(threads, context, name)
    yield 'threads against the log', functools.partial(threads_against_log, context)
    yield 'likely causes are right', functools.partial(likely_is_right, context)
    yield 'likely causes on demand', functools.partial(likely_is_asked, context)
    yield 'addresses of one host', functools.partial(hosts_joined, context)
    for has_ids in True, False:
        ids_are = 'with ids' if has_ids else 'without ids'
        yield f'addresses that a proxy shows, {ids_are}', functools.partial(hosts_shown, context, has_ids)
        yield f'addresses that no proxy shows, {ids_are}', functools.partial(hosts_apart, context, has_ids)


def groups(context):
    for name in NAMES:
        yield Group(name, functools.partial(cases, context, name))
    yield Group('others', functools.partial(other_cases, context))
    yield from ids.groups(context)
