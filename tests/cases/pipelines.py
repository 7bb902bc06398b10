# SPDX-License-Identifier: GPL-2.0-or-later
"""Many requests in flight, made up: captures of pipeline.py, of which is known whose every answer is. They are read whole, with packets
removed and out of order, and with packets that the network lost and that were sent again.
"""
import collections
import functools
import pathlib
import tempfile

from conversation import KINDS
from damage import damage
from outline import Group
from pipeline import PCAP_HEADER, Pipeline

CONNECTIONS, REQUESTS = 12, 150
SEEDS = {'http': (4, 5), 'redis': (1, 5), 'same': (4, 5), 'memcached_text': (1, 4), 'memcached_meta': (2, 4)}
# After a loss the values of a group of quiet gets cannot always be told from the answers to others: then its `mn` alone is its answer, which
# begins late. Of the requests answered, so many at most.
LATE_MOST = 0.02
# Of the requests that have all their packets, so many are answered where 2 % of the packets are gone, late or sent again.
ANSWERED_LEAST = {'http': {'removed': 0.85, 'reordered': 0.97, 'lost': 0.96},
                  'redis': {'removed': 0.83, 'reordered': 0.93, 'lost': 0.96},
                  'same': {'removed': 0.64, 'reordered': 0.98, 'lost': 0.98},
                  'memcached_text': {'removed': 0.81, 'reordered': 0.97, 'lost': 0.93},
                  'memcached_meta': {'removed': 0.66, 'reordered': 0.91, 'lost': 0.92}}


def read(wireshark, folder, pipeline, numbers):
    """The requests of a capture that has those packets in that order; their frames are those of the whole one."""
    path = folder / 'pipeline.pcap'
    path.write_bytes(PCAP_HEADER + b''.join(pipeline.packets[number - 1] for number in numbers))
    path.chmod(0o644)
    rows = sorted(wireshark.requests(path), key=lambda row: row['number'])
    for row in rows:
        for name in ('request_frame', 'request_end_frame', 'response_frame', 'response_end_frame'):
            if name in row:
                row[name] = numbers[row[name] - 1]
    return rows


def check_whole(wireshark, folder, kind, seed):
    """Every request and every answer is as it was made: its operation, its frames and its bytes."""
    pipeline = Pipeline(kind, seed, CONNECTIONS, REQUESTS)
    rows = collections.defaultdict(list)
    for row in read(wireshark, folder, pipeline, range(1, len(pipeline.packets) + 1)):
        rows[row['client_port']].append(row)
    found = []
    for connection in pipeline.connections:
        ours, wanted = rows[connection.client_port], connection.exchanges
        if len(ours) != len(wanted):
            found.append(f'{len(ours)} requests instead of {len(wanted)}')
        for row, exchange in zip(ours, wanted):
            last = max(pipeline.frames(exchange, False))
            right = (row.get('operation') == exchange.operation and row['outcome'] == 'answered' and row['response_end_frame'] == last and
                     row['request_frame'] in pipeline.first_frames(exchange, True) and
                     row['response_frame'] in pipeline.first_frames(exchange, False) and
                     (row['request_bytes'], row['response_bytes']) == (exchange.request.size, exchange.response.size))
            found += [] if right else [f'{row} is not {exchange.operation}, answered until {last}']
    return found


class Truth:
    """Of a capture, which requests begin in which frame and go on in which, by the client's port."""

    def __init__(self, pipeline):
        self.pipeline, self.beginning, self.going_on = pipeline, collections.defaultdict(list), collections.defaultdict(list)
        for connection in pipeline.connections:
            for exchange in connection.exchanges:
                for frame, (start, _) in pipeline.frames(exchange, True).items():
                    if start == exchange.request.start:
                        self.beginning[frame].append(exchange)
                    else:
                        self.going_on[frame].append(exchange)

    def identify(self, frame, rows):
        """Pairs of a row and the request that it is, of those that begin in a frame: one after another, as many as fit best."""
        right = [exchange for exchange in self.going_on.get(frame, []) if frame in self.pipeline.first_frames(exchange, True)]
        right += self.beginning.get(frame, [])
        fits = []
        for skipped in range(len(right) - len(rows) + 1):
            pairs = list(zip(rows, right[skipped:]))
            if all(row.get('operation') == exchange.operation for row, exchange in pairs):
                whole = sum(row['request_bytes'] == exchange.request.size for row, exchange in pairs)
                fits.append((whole, skipped, pairs))
        return max(fits)[2] if fits else []


def wrong_answer(pipeline, row, exchange, alive, strict):
    """What shows that a request has another's answer. `strict`: its bytes are all there, in order."""
    frames = pipeline.frames(exchange, False)
    size, begins = exchange.response.size, pipeline.first_frames(exchange, False)
    first, last = row['response_frame'], row['response_end_frame']
    if row['framing'] == 'turns':  # all that was said until the next request
        return None if first >= min(frames) else f'is answered in {first}, before {min(frames)}…{max(frames)}'
    if first not in frames or last not in frames:
        return f'is answered in {first}…{last} instead of {min(frames)}…{max(frames)}'
    if strict and all(frame in alive for frame in frames) and (
            first not in begins or (row['response_bytes'], last) != (size, max(frames))):
        return f'has {row["response_bytes"]} bytes in {first}…{last} instead of {size} in {min(frames)}…{max(frames)}'
    return f'has {row["response_bytes"]} bytes instead of {size}' if row['response_bytes'] > size else None


def begins_late(pipeline, row, exchange):
    """Whether a group of quiet gets has the end of its answer alone."""
    return exchange.is_group and row['response_bytes'] == 4 and row['response_end_frame'] == max(pipeline.frames(exchange, False))


def judge(pipeline, rows, numbers, strict):
    """(what is wrong, requests answered, requests of which every packet is there, answers that begin late)."""
    truth, alive, found, answered, late = Truth(pipeline), set(numbers), [], set(), 0
    by_frame = collections.defaultdict(list)
    for row in rows:
        by_frame[row['request_frame']].append(row)
    for frame, ours in by_frame.items():
        pairs = truth.identify(frame, ours)
        if not pairs and frame not in truth.going_on:
            found.append(f'frame {frame}: {[row.get("operation") for row in ours]} are no requests')
        for row, exchange in pairs:
            if row['outcome'] != 'answered':
                continue
            name = exchange.client_port, exchange.number
            if name in answered:
                found.append(f'{name} is answered twice')
            answered.add(name)
            wrong = wrong_answer(pipeline, row, exchange, alive, strict)
            if wrong and begins_late(pipeline, row, exchange):
                late += 1
            elif wrong:
                found.append(f'{name}, frame {frame} ({exchange.operation}, {row["framing"]}), {wrong}; {pipeline.describe(exchange.client_port)}')
    whole = [(exchange.client_port, exchange.number) for connection in pipeline.connections for exchange in connection.exchanges
             if all(frame in alive for from_client in (True, False) for frame in pipeline.frames(exchange, from_client))]
    return found, len(answered.intersection(whole)), len(whole), late


def check_damaged(wireshark, folder, kind, how, seeds):
    """No request has another's answer, and most that can have an answer have their own."""
    found, answered, possible, late = [], 0, 0, 0
    for seed in seeds:
        pipeline = Pipeline(kind, seed, CONNECTIONS, REQUESTS, how == 'lost')
        numbers = range(1, len(pipeline.packets) + 1)
        if how != 'lost':
            numbers = damage(numbers, pipeline.syns, seed, how)
        wrong, *counts = judge(pipeline, read(wireshark, folder, pipeline, numbers), numbers, how == 'removed')
        found += [f'seed {seed}: {each}' for each in wrong]
        answered, possible, late = answered + counts[0], possible + counts[1], late + counts[2]
    share = answered / possible
    if share < ANSWERED_LEAST[kind][how]:
        found.append(f'only {answered} of {possible} are answered')
    if late > LATE_MOST * answered:
        found.append(f'{late} of {answered} begin late')
    return found


def cases(context, kind):
    with tempfile.TemporaryDirectory(dir=context.wireshark.base) as directory:
        folder = pathlib.Path(directory)
        folder.chmod(0o755)
        for seed in SEEDS[kind]:
            yield f'{seed}: as it was made', functools.partial(check_whole, context.wireshark, folder, kind, seed)
        for how in 'removed', 'reordered', 'lost':
            yield f'2 % {how}', functools.partial(check_damaged, context.wireshark, folder, kind, how, SEEDS[kind])


def groups(context):
    for kind in KINDS:
        yield Group(kind, functools.partial(cases, context, kind))
