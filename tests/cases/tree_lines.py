# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tree of a frame says in a line each: of every message what was asked, how long it took, what was answered and where the other side stands, as
the JSON lines have it, in nanoseconds.
"""
import collections
import functools
import re

from tools import ROOT

CAPTURES = ROOT / 'captures'
REQUESTS = 'tcp/shop', 'tcp/slow_bodies', 'framing/dns_tcp', 'framing/http2', 'generated/rst_unanswered', 'framing/memcached_text', 'ca/allcmd'
MOST = 120  # characters of what was asked: Wireshark cuts a line of 240 bytes
LINE = re.compile(r'^\[Latency: (.*)\]$')


def lines(wireshark, path, *passes):
    """By frame the lines, each with what stands below it."""
    found, number, head = collections.defaultdict(list), 0, None
    for line in wireshark.tshark(*passes, '-r', path, '-V').splitlines():
        if line.startswith('Frame '):
            number = int(line.split()[1].rstrip(':'))
        elif not line.startswith(' '):
            head = LINE.match(line)
            below = []
            if head:
                found[number].append((head[1], below))
        elif head:
            below.append(line.strip().strip('[]'))
    return found


def milliseconds(ns):
    """Three decimals, rounded half up."""
    return f'{(ns + 500) // 1000 / 1000:.3f} ms'


def said_of(row):
    """A request's line on its own frame, and that on its response's last; None without one."""
    asked = row.get('operation') or f'request {row["number"]}'
    asked = asked if len(asked) <= MOST else f'{asked[:MOST]}…'
    if not row.get('response_frame'):
        return ', '.join([asked, row['outcome']]), None
    parts = [asked, milliseconds(row['last_byte']), *filter(None, [row.get('status') or row.get('error')]), *([] if row['outcome'] == 'answered' else [row['outcome']])]
    return ', '.join([*parts, f'answered in {row["response_frame"]}']), ', '.join([*parts, f'request in {row["request_frame"]}'])


def as_the_rows(wireshark, capture):
    path = next(CAPTURES.glob(f'{capture}.pcap*'))
    rows = wireshark.requests(path, '-2')
    shown, found = lines(wireshark, path, '-2'), []
    said = {number: [line for line, _ in each] for number, each in shown.items()}
    for row in rows:
        asks, answers = said_of(row)
        for end, want in ('request_frame', asks), ('response_frame', answers), ('response_end_frame', answers):
            if want and want not in said.get(row[end], []):
                found.append(f'frame {row[end]}: {said.get(row[end])}, not {want}')
    return found[:3] + ([] if rows else ['no requests'])


def one_each(wireshark):
    """Frame 326 has seven responses: seven lines, and none of all of them."""
    got = [line for line, _ in lines(wireshark, CAPTURES / 'framing/dns_tcp.pcap', '-2')[326]]
    return [] if len(got) == 7 and all(', request in ' in line for line in got) else got


def nothing_idle(wireshark):
    """No spread that is zero, no number behind a word, and no number of an operation; filters have them all."""
    found = []
    for capture in 'tcp/shop.pcap', 'generated/rst_unanswered.pcap', 'generated/multi_segment_request.pcap':
        below = [text for each in lines(wireshark, CAPTURES / capture, '-2').values() for _, texts in each for text in texts]
        found += [text for text in below if re.match(r'(.* spread|Transfer): 0\.000|(Outcome|Connect result|TLS result): .*\d|Outcome: answered|Number of the operation', text)]
        found += [text for text in below if re.search(r'\d s$|seconds', text) and 'Slow' not in text]
    for text in 'latency.outcome == 0', 'latency.request_spread == 0', 'latency.operation.number == 1':
        found += [] if wireshark.tshark('-2', '-r', CAPTURES / 'tcp/shop.pcap', '-Y', text) else [f'{text} finds nothing']
    spreads = [text for each in lines(wireshark, CAPTURES / 'generated/multi_segment_request.pcap', '-2').values() for _, texts in each for text in texts if text.startswith('Request spread')]
    return found[:5] + ([] if spreads else ['a request of several segments shows no spread'])


def flags_worth_saying(wireshark):
    """The column of flags is empty where a message ends with a segment that is not full, and says all other flags; filters find those, too."""
    path = CAPTURES / 'generated/reordering.pcap'
    shown = wireshark.fields(path, ['latency.flags', 'latency.flags.short', 'latency.flags.ipid_gap'], '-2', '-Y', 'latency.spacing')
    found = [f'frame {number}: {values}' for number, values in shown.items() if 'short' in re.sub('after short', '', ''.join(values.get('latency.flags', [])))
             or ('latency.flags.ipid_gap' in values) != ('IP ID gap' in ''.join(values.get('latency.flags', [])))]
    return found[:3] + [f'none has {name}' for name in ('latency.flags.short', 'latency.flags.ipid_gap') if not any(name in values for values in shown.values())]


def one_pass(wireshark):
    """Where the end is not known yet: a response's first frame says the time to first byte."""
    got = [line for line, _ in lines(wireshark, CAPTURES / 'tcp/shop.pcap')[47]]
    return [] if got == ['GET /report?page=1, TTFB 125.774 ms, 200, request in 23'] else got


def cases(context):
    for capture in REQUESTS:
        yield f'lines of {capture}', functools.partial(as_the_rows, context.wireshark, capture)
    for check in one_each, nothing_idle, flags_worth_saying, one_pass:
        yield check.__name__.replace('_', ' '), functools.partial(check, context.wireshark)
