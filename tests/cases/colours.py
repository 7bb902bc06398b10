# SPDX-License-Identifier: GPL-2.0-or-later
"""What the profiles colour, by the filters of their rules, of which the first that matches counts."""
import functools
import re
import subprocess

import vocabulary
from tools import ROOT

CAPTURES, PROFILES = ROOT / 'captures', ROOT / 'profiles'
NAMES = 'Latency', 'Latency in the host', 'EPICS'
TLS = 'tcp/tls.pcap', 'tls/handshakes.pcap', 'tls/curl.pcap'
RED, ORANGE = 'No response or connection, or broken off', 'Slow, or waiting for a second and more'
# With outcomes of every kind.
ENDED = ('generated/forgotten_request.pcap', 'generated/both_close_unanswered.pcap', 'tcp/reset_in_response.pcap', 'framing/http2_cancelled.pcap', 'framing/dns_udp.pcap',
         'tcp/connect_refused_unanswered.pcap', 'generated/icmp_unreachable.pcap')
# An alert of the server behind a response, by turns, is part of that.
HANDSHAKES = 'tls.handshake || tls.record.content_type == 20 || (tls.record.content_type == 21 && latency.outcome)'


def rules(profile):
    """(name, filter)"""
    return re.findall(r'^@(.*?)@(.*)@\[\d+,\d+,\d+\]\[', (PROFILES / profile / 'colorfilters').read_text(), re.M)


def coloured(wireshark, path, profile, *arguments):
    """The rule of each frame."""
    by_frame = {}
    for name, text in rules(profile):
        for number in wireshark.fields(path, ['tcp.stream'], '-2', *arguments, '-Y', text):
            by_frame.setdefault(number, name)
    return by_frame


def tls(wireshark, profile, capture):
    """Requests are coloured, and neither handshakes nor alerts are coloured like them: as tables have them, which exclude both."""
    path = CAPTURES / capture
    rows, by_frame = wireshark.requests(path), coloured(wireshark, path, profile)
    handshakes = wireshark.fields(path, ['tcp.stream'], '-2', '-Y', f'({HANDSHAKES}) && !tls.app_data')
    asked = {number for number, name in by_frame.items() if name == 'Request'}
    first = {row['request_frame'] for row in rows}
    wrong = {number: by_frame[number] for number in handshakes if by_frame.get(number) in ('Request', 'Response')}
    counted = set(wireshark.fields(path, ['tcp.stream'], '-2', '-Y', 'latency.operation.number && latency.outcome'))  # what tables have
    found = [f'{len(handshakes)} handshakes, coloured like requests: {wrong}'] if wrong or not handshakes else []
    return found + ([f'coloured as requests {sorted(asked - counted)}'] if asked - counted else []) + \
        ([f'not coloured {sorted(first - set(by_frame))}'] if first - set(by_frame) else [])


def several_points(wireshark):
    """What the profile for captures at several points is set to calls no packet that is seen again a retransmission."""
    path = CAPTURES / 'kernel/stages-lo.pcapng'
    text = (PROFILES / 'Latency in the host/preferences').read_text()
    options = [word for name, value in re.findall(r'^(tcp\.\w+): (\w+)$', text, re.M) for word in ('-o', f'{name}:{value}')]
    default, ours = (len(wireshark.fields(path, ['tcp.stream'], *some, '-Y', 'tcp.analysis.retransmission')) for some in ([], options))
    return [] if default > 100 and ours == 0 else [f'{ours} of {default} with {options}']


def red(wireshark, profile):
    """What went wrong with a request or an attempt to connect, but for what is lost in the capture: as the vocabulary says, which the filter does not repeat."""
    wrong = {str(number) for number, word in enumerate(vocabulary.words('OUTCOME_LIST')) if word in vocabulary.UNANSWERED | vocabulary.ERRORS and word != 'lost'}
    failed = {str(vocabulary.words('CONNECT_RESULT_LIST').index(word)) for word in ('refused', 'unreachable')}
    text, found, seen = dict(rules(profile))[RED], [], set()
    for capture in ENDED:
        frames = wireshark.fields(CAPTURES / capture, ['latency.outcome', 'latency.connect.result', 'latency.truncated', 'tcp.flags.reset'], '-2')
        coloured = wireshark.fields(CAPTURES / capture, ['frame.len'], '-2', '-Y', text).keys()
        want = {number for number, values in frames.items() if wrong & set(values.get('latency.outcome', ())) or failed & set(values.get('latency.connect.result', ()))
                or 'latency.truncated' in values or values.get('tcp.flags.reset') in (['1'], ['True'])}  # before 4.4, and from then on
        seen.update(outcome for values in frames.values() for outcome in values.get('latency.outcome', ()))
        found += [] if coloured == want else [f'{capture}: {sorted(coloured ^ want)}']
    named = set(re.findall(r'"([^"]+)"', text)) - {'lost'}
    return found + ([f'it names {named}'] if named else []) + ([] if wrong <= seen else [f'no capture has {wrong - seen}'])


def still_waiting(wireshark, profile):
    """Of two requests without a response, both older than a second, the one that asks its server to wait is not orange."""
    path = wireshark.base / 'still_waiting.pcap'
    subprocess.run(['editcap', CAPTURES / 'waits/long_poll.pcap', path, '12-24', '30-42'], check=True, capture_output=True)
    path.chmod(0o644)
    waiting = wireshark.fields(path, ['latency.operation'], '-2', '-Y', 'latency.waited >= 1')
    orange = wireshark.fields(path, ['latency.operation'], '-2', '-Y', f'latency.waited && ({dict(rules(profile))[ORANGE]})')
    asked = [sorted({cells['latency.operation'][0] for cells in frames.values()}) for frames in (waiting, orange)]
    return [] if asked == [['GET /news', 'GET /report'], ['GET /report']] else [f'waiting, orange: {asked}']


def cases(context):
    for profile in NAMES:
        yield f'{profile}: red', functools.partial(red, context.wireshark, profile)
        yield f'{profile}: still waiting', functools.partial(still_waiting, context.wireshark, profile)
        for capture in TLS:
            yield f'{profile}: {capture}', functools.partial(tls, context.wireshark, profile, capture)
    yield 'several points', functools.partial(several_points, context.wireshark)
