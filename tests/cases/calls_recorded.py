# SPDX-License-Identifier: GPL-2.0-or-later
"""The recordings of services of several tiers, against their logs and themselves: each call in them has its cause in the log, what is said on the wire
agrees with it, and a copy without ids is the same but for these."""
import functools
import json
import pathlib
import re
import subprocess
import tempfile

from calls_baselines import BASELINES, candidates
from calls_truth import CAPTURES, COMMENT, NAMES, Truth, blank, ids_of, packed, payload_of
from outline import Group
from pcaps import read_frames

# What is asked after its cause's response, and what a cause's response does not wait for.
LATER = re.compile(r'POST /audit/|GET /slow/')
WINDOW_BYTES = 12
LATER_NAMES = 'calls_loop_8', 'calls_loop_32'


def rows_of(scan, capture):
    text = subprocess.run([scan, '--json', '-', capture], capture_output=True, text=True, check=True).stdout
    return [row for row in map(json.loads, text.splitlines()) if row['type'] == 'request']


@functools.cache
def truth_of(scan, name):
    return Truth(CAPTURES / f'{name}.pcap', rows_of(scan, CAPTURES / f'{name}.pcap'))


def trace(identity):
    return identity.split('-')[1] if '-' in identity else identity


def complete(scan, name):
    """Every line of the log is a request of the capture, and every request that a server of it made is in the log; its cause is known, and came before."""
    truth = truth_of(scan, name)
    found = [f'{call} is not in the capture' for call in truth.unjoined_calls]
    found += [f'request {row["number"]} ({row.get("operation")}, frame {row["request_frame"]}) is not in the log' for row in truth.unjoined_rows]
    found += [f'nobody asked {host} with {identity}' for host, identity in truth.unknown_ids]
    for number, cause in truth.causes.items():
        if cause is not None and truth.rows[cause]['request_end_time'] > truth.rows[number]['request_time']:
            found.append(f'request {number} came before its cause, {cause}')
    nobodys = {truth.rows[number]['operation'] for number, cause in truth.causes.items() if cause is None}
    found += [f'{nobodys} are nobody\'s'] if nobodys != ({'PING'} if name in LATER_NAMES else set()) else []
    return found if len(truth.causes) == len(truth.logged) == len(truth.calls) > 800 else [*found, f'{len(truth.causes)} causes of {len(truth.calls)} calls']


def contained(scan, name):
    """The cause is one of those that contain the call, but of what is asked later, or not waited for."""
    truth, beside = truth_of(scan, name), set()
    for row, some in candidates(truth.rows.values()):
        cause = truth.causes[row['number']]
        if cause is not None and cause not in (each['number'] for each in some):
            beside.add(row['operation'])
    found = [f'{operation} is not within its cause' for operation in sorted(beside) if not LATER.match(operation)]
    return found + ([] if bool(beside) == (name in LATER_NAMES) else [f'{beside} are not within their causes'])


def on_the_wire(scan, name):
    """Ids in headers, which calls pass on, and comments in SQL are those of the cause."""
    truth, compared, found = truth_of(scan, name), 0, []
    said = [(number, trace(identity)) for (_, identity), number in truth.requests.items()]
    by_frame = {row['request_frame']: row['number'] for row in truth.calls if row.get('framing') == 'postgresql'}
    for frame in read_frames(CAPTURES / f'{name}.pcap'):
        if frame.number in by_frame:
            said += [(by_frame[frame.number], trace(match[2].decode())) for match in COMMENT.finditer(frame.data)]
    for number, identity in said:
        if number in truth.call_of:
            compared += 1
            found += [f'request {number} says {identity}'] if trace(truth.call_of[number]['cause']) != identity else []
    return found if compared > 350 else [*found, f'{compared} ids']


def without_ids(scan, name):
    """Of the blanked copy no frame has an id, plain or by HPACK's code, or what looks like one; its requests are the same."""
    capture = CAPTURES / f'{name}.pcap'
    ids = ids_of(capture.with_suffix('.calls'))
    begins = {packed(identity)[:WINDOW_BYTES] for identity in ids if identity.count('-') == 3}

    def has_id(data):
        plain = any(len(match) >= 32 or match.decode() in ids for match in re.findall(rb'[0-9a-f]{16,}', data))
        return plain or not begins.isdisjoint(data[at:at + WINDOW_BYTES] for at in range(len(data)))

    with tempfile.TemporaryDirectory() as folder:
        copy = blank(capture, pathlib.Path(folder) / capture.name)
        left = [frame.number for frame in read_frames(copy) if payload_of(frame) and has_id(frame.data)]
        changed = [was['number'] for was, row in zip(rows_of(scan, capture), rows_of(scan, copy), strict=True) if was != row]
    had = [frame.number for frame in read_frames(capture) if payload_of(frame) and has_id(frame.data)]
    found = [f'frames {left[:5]} have ids'] if left else []
    found += [f'requests {changed[:5]} are others'] if changed else []
    return found if len(had) > 300 else [*found, f'{len(had)} frames had ids']


def baselines(scan, name):
    """With one request in flight each is right; with more the share that they are right in falls, but every cause that they tell is a candidate."""
    truth, found = truth_of(scan, name), []
    some = {row['number']: {each['number'] for each in each_of} for row, each_of in candidates(truth.rows.values())}
    for baseline, tell in BASELINES.items():
        told = tell(list(truth.rows.values()))
        wrong = truth.wrong(told)
        found += [f'{baseline}: {len(wrong)} of {len(told)} are wrong'] if bool(wrong) == (name == 'tiers_1') else []
        found += [f'{baseline}: request {number}' for number, cause in told.items() if cause not in some[number]]
    return found


def cases(scan, name):
    for what, case in (('every call has its cause', complete), ('within their causes', contained), ('ids on the wire', on_the_wire), ('without ids', without_ids),
                       ('baselines', baselines)):
        yield what, functools.partial(case, scan, name)


def groups(context):
    for name in NAMES:
        yield Group(name, functools.partial(cases, context.scan, name))
