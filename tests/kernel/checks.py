#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold of a recording of kernel-stages: checks.py RECORDING [CLIENT.json]

Each function yields problems. CLIENT.json is what client.py saw of the same requests.
"""
import json
import sys

from recording import ORDER, RECEIVED, SENT, Recording

LATE = {'app:send', 'tx:tcp', 'app:epoll', 'app:recv'}  # known only when a packet shows what the call was for
WINDOW = 100_000_000
PARTS = [('rx', 'rx:driver', 'rx:ip'), ('tcpip_rx', 'rx:ip', 'rx:ready'), ('epoll', 'rx:ready', 'app:epoll'),
         ('wait', 'app:epoll', 'app:recv'), ('read', 'app:recv', 'app:recv-ret')]


def whole(recording):
    if recording.trailing:
        yield f'{recording.trailing} bytes behind the last whole block'
    if sorted(recording.interfaces, key=ORDER.get) != recording.interfaces or len(set(recording.interfaces)) != len(recording.interfaces):
        yield f'interfaces {recording.interfaces}'
    if set(recording.dropped) != set(recording.interfaces):
        yield 'an interface has no statistics'
    for stage, dropped in recording.dropped.items():
        told = sum(sighting.dropped for sighting in recording.sightings if sighting.stage == stage)
        if dropped < told:
            yield f'{stage}: {told} dropped by the records, {dropped} by the statistics'


def ordered(recording):
    """But for calls that became a packet's only after more than the window."""
    latest, packets = 0, recording.packets()
    for number, sighting in enumerate(recording.sightings, 1):
        if sighting.time < latest and not (sighting.stage in LATE and any(
                s.time - sighting.time > 0.9 * WINDOW for s in packets[sighting.id] if s.outbound == sighting.outbound and s.stage not in LATE)):
            yield f'record {number} ({sighting.stage}) is {latest - sighting.time} ns late'
        latest = max(latest, sighting.time)


def identity(recording):
    """No id is of two packets: of one id all but the length is equal, and where GRO has merged, the length grows."""
    for key, path in recording.packets().items():
        if len({(s.source, s.destination, s.sport, s.dport, s.seq, s.ack, s.ipid) for s in path}) > 1:
            yield f'id {key} mixes packets'
        if [s.stage for s in path].count('tx:ip') > 1:
            yield f'id {key} is sent twice'
        by_first = [s.length for s in path]
        if 'rx:gro' not in {s.stage for s in path} and len(set(by_first)) > 1:
            yield f'id {key} has lengths {sorted(set(by_first))}'
        payloads = [s.payload for s in path]
        shortest = min(len(p) for p in payloads)
        if len({p[:shortest] for p in payloads}) > 1:
            yield f'id {key} mixes payloads'


def climbing(recording):
    """On its way a packet comes to higher stages only: out, then in; round again only from a device."""
    for key, path in recording.packets().items():
        for before, after in zip(path, path[1:]):
            if ORDER[after.stage] < ORDER[before.stage] and after.stage not in ('tx:queue', 'tx:post', 'rx:gro', 'rx:driver', 'app:recv'):
                yield f'id {key}: {after.stage} after {before.stage}'
        for s in path:
            if s.outbound != (s.stage in SENT):
                yield f'id {key}: direction at {s.stage}'


def processes(recording):
    """Those in process context, and no others, have one."""
    for s in recording.sightings:
        if (s.stage.startswith('app:') and not s.process) or (s.stage.startswith('rx:') and s.process):
            yield f'id {s.id} at {s.stage}: process {s.process}'
        if s.stage in SENT and s.flags & 0x12 == 2 and s.stage in ('tx:ip', 'tx:driver') and not s.process and s.id in first_syns(recording):
            yield f'id {s.id}: a SYN without its process at {s.stage}'


def first_syns(recording):
    if not hasattr(recording, 'syns'):
        seen, recording.syns = set(), set()
        for s in recording.sightings:
            if s.stage == 'tx:ip' and s.flags & 0x12 == 2 and (s.sport, s.seq) not in seen:
                seen.add((s.sport, s.seq))
                recording.syns.add(s.id)
    return recording.syns


def requests(recording, client, stages):
    """Each request of the client has every stage, in bounds that the client measured itself."""
    paths, servers = recording.packets(), client['port']
    by_port = {}
    for path in paths.values():
        s = path[0]
        if s.length:
            by_port.setdefault(s.sport if s.dport == servers else s.dport, []).append(path)
    for request in client['requests']:
        begin, end, name = request['begin'], request['end'], f"request {request['port']}/{request['number']}"
        found = [path for path in by_port.get(request['port'], []) if begin <= path[0].time and path[-1].time <= end]
        inward = [path for path in found if path[0].dport == servers]
        outward = [path for path in found if path[0].sport == servers]
        if not inward or not outward:
            yield f'{name}: {len(inward)} packets to the server, {len(outward)} from it'
            continue
        first, answer = inward[0], outward[0]
        times = {}
        for s in first:
            times.setdefault(s.stage, s.time)
        for stage in stages:
            if stage not in {s.stage for s in (answer if stage in SENT else first)}:
                yield f'{name}: no {stage}'
        sent = {}
        for s in answer:
            sent.setdefault(s.stage, s.time)
        if not all(start in times and stop in times for _, start, stop in PARTS) or 'app:send' not in sent or 'tx:driver' not in sent:
            continue
        parts = [times[stop] - times[start] for _, start, stop in PARTS]
        parts += [sent['app:send'] - times['app:recv-ret'], sent['tx:driver'] - sent['app:send']]
        total = sent['tx:driver'] - times['rx:driver']
        if min(parts) < 0:
            yield f'{name}: parts {parts}'
        if total > end - begin:
            yield f'{name}: {total} ns in the server, {end - begin} ns for the client'
        for path in inward:
            for s in path:
                if s.process and s.stage in RECEIVED and s.process[0] != client['server']:
                    yield f'{name}: {s.stage} is of {s.process}'
        for path in outward:
            for s in path:
                if s.process and s.stage in SENT and s.process[0] != client['server']:
                    yield f'{name}: {s.stage} of the response is of {s.process}'


ALWAYS = [whole, ordered, identity, climbing, processes]


def problems(recording, client=None, stages=()):
    found = [f'{check.__name__}: {problem}' for check in ALWAYS for problem in check(recording)]
    if client:
        found += [f'requests: {problem}' for problem in requests(recording, client, stages or recording.interfaces)]
    return found


if __name__ == '__main__':
    read = Recording(sys.argv[1])
    bad = problems(read, json.load(open(sys.argv[2])) if len(sys.argv) > 2 else None,
                   [stage for stage in read.interfaces if stage != 'rx:gro'])
    print(*bad[:20], f'{read.os}: {len(read.interfaces)} stages, {len(read.sightings)} sightings, {len(read.packets())} packets, '
          f'{len(bad)} problems', sep='\n')
    sys.exit(bool(bad))
