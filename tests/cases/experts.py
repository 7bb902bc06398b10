# SPDX-License-Identifier: GPL-2.0-or-later
"""What experts say: `tshark -z expert`, which builds no tree, and the fields that filters find, against the clients' logs and the fields."""
import collections
import functools
import json
import re

from pcaps import read_records
from tools import ROOT

CAPTURES = ROOT / 'captures'
# (capture, of how many requests the client's log says that they failed, TTFB in ms from which a response is slow)
FAILED = [('framing/http.pcap', lambda status: status.isdigit() and int(status) >= 400, 5)]
# (capture, what it has of each reason)
UNANSWERED = [('generated/rst_unanswered.pcap', {'reset': 2}), ('generated/both_close_unanswered.pcap', {'closed': 1}), ('generated/quoted_last.pcap', {'reset': 2})]
IN_FLIGHT = 'generated/refused_unanswered.pcap', 'generated/quoted_last.pcap', 'generated/syn_waiting.pcap'  # a SYN that is given up, a request, SYNs
CONNECTS = 'tcp/connect_refused_unanswered.pcap', 'generated/icmp_unreachable.pcap', 'generated/syn_waiting.pcap'
SLOW_MS = [100, 30, 0]
DELAYS, PHASES = CAPTURES / 'tcp/http_delays.pcap', (CAPTURES / 'ca/basic.pcap', CAPTURES / 'pva/many.pcap')


def listed(wireshark, path, *arguments):
    """What the plugin's experts say, and how often."""
    text = wireshark.tshark('-q', '-r', path, *arguments, '-z', 'expert')
    said = collections.Counter()
    for count, summary in re.findall(r'^ +(\d+) +\S+ +Latency +(.*)$', text, re.M):
        said[summary] += int(count)
    return said


def failed(wireshark, capture, is_error, _):
    """As many error responses as the client was given, listed, filtered and flagged."""
    path = CAPTURES / capture
    want = sum(is_error(each['status']) for each in json.loads(path.with_suffix('.truth.json').read_text()))
    said = listed(wireshark, path)
    got = {'listed': sum(count for what, count in said.items() if what.startswith('Error response')),
           **{field: sum(len(values[field]) for values in wireshark.fields(path, [field]).values() if field in values) for field in ('latency.failed',)},
           'latency.error': len({number for values in wireshark.fields(path, ['latency.request'], '-Y', 'latency.error').values() for number in values['latency.request']})}
    return [] if want and set(got.values()) == {want} else [f'{want} errors: {got}']


def unanswered(wireshark, capture, want):
    """Listed with the reason, in two passes, once a request."""
    path = CAPTURES / capture
    said = {what.removeprefix('No response: '): count for what, count in listed(wireshark, path, '-2').items() if what.startswith('No response')}
    flagged = [value for values in wireshark.fields(path, ['latency.unanswered'], '-2', '-Y', 'latency.unanswered').values() for value in values['latency.unanswered']]
    return [] if said == want and len(flagged) == sum(want.values()) else [f'{want}: {said}, {flagged}']


def slow(wireshark, milliseconds):
    """As many as took so long, in one pass and in two; none if it is 0."""
    arguments = () if milliseconds == 100 else ('-o', f'latency.slow:{milliseconds}')  # the default
    times = [float(value) for values in wireshark.fields(DELAYS, ['latency.last_byte'], '-2').values() for value in values.get('latency.last_byte', ())]
    want = sum(time >= milliseconds / 1000 for time in times) if milliseconds else 0
    said = [sum(count for what, count in listed(wireshark, DELAYS, *arguments, *passes).items() if what.startswith('Slow: ')) for passes in ((), ('-2',))]
    found = [len(wireshark.fields(DELAYS, ['latency.request'], *arguments, *passes, '-Y', 'latency.slow')) for passes in ((), ('-2',))]
    return [] if said == found == [want, want] and (not milliseconds or 0 < want < len(times)) and times else [f'{want}: {said} listed, {found} found of {len(times)}']


def slow_by_turns(wireshark, milliseconds):
    """In one pass nobody knows when a turn ends: slow is what took so long to its first byte, in that byte's frame; in two, to its last."""
    options = '-o', 'latency.messages:FALSE', '-o', f'latency.slow:{milliseconds}'
    found, frames = [], {}
    for passes, field in ((), 'latency.first_byte'), (('-2',), 'latency.last_byte'):
        times = {number: float(values[field][0]) for number, values in wireshark.fields(DELAYS, [field], '-2', *options, '-Y', field).items()}
        want = {number for number, time in times.items() if time >= milliseconds / 1000}
        frames[field] = wireshark.fields(DELAYS, ['frame.len'], *options, *passes, '-Y', 'latency.slow').keys()
        said = sum(count for what, count in listed(wireshark, DELAYS, *options, *passes).items() if what.startswith('Slow: '))
        found += [] if frames[field] == want and said == len(want) and 0 < said < len(times) else [f'{field}: {sorted(want)}: {sorted(frames[field])}, {said} listed']
    return found + ([] if frames['latency.first_byte'] != frames['latency.last_byte'] else ['both are the same'])


def connects(wireshark, capture):
    """Refused and unreachable attempts are listed as failed, those that wait for a second or were sent again as unanswered; columns say the same."""
    path = CAPTURES / capture
    text = wireshark.tshark('-q', '-r', path, '-o', 'latency.json:rows', '-z', 'latency,json')
    rows = [row for row in map(json.loads, text.splitlines()) if row['type'] == 'attempt']
    want = collections.Counter(row['result'] for row in rows if row['result'] not in ('accepted', 'waiting'))
    said = collections.Counter()
    for what, count in listed(wireshark, path, '-2').items():
        if what.startswith('Connection attempt'):
            said[what.removeprefix('Connection attempt ').removeprefix('failed: ').partition(',')[0]] += count
    frames = wireshark.fields(path, ['latency.frame.operation', 'latency.frame.status', 'latency.frame.elapsed', 'latency.connect.time'], '-2', '-Y', 'latency.connect.failed || latency.connect.unanswered')
    shown = collections.Counter(values['latency.frame.status'][0] for values in frames.values() if values['latency.frame.operation'] == ['TCP connect']
                                and values.get('latency.frame.elapsed') == values.get('latency.connect.time'))
    return [] if want and want == said == shown else [f'{want}: listed {said}, in columns {shown}']


def begins_with_the_answer(wireshark):
    """Nothing is unanswered where the capture begins with the SYN-ACK, or lacks it alone."""
    head, records = read_records(CAPTURES / 'tcp/shop.pcap')
    found = []
    for name, left_out in ('SYN', 0), ('SYN-ACK', 1):
        path = wireshark.base / f'without-{name}.pcap'
        path.write_bytes(head + b''.join(record for number, record in enumerate(records) if number != left_out))
        path.chmod(0o644)
        found += [f'without the {name}: {what}' for what in listed(wireshark, path, '-2') if what.startswith('Connection attempt')]
        found += [] if wireshark.requests(path) else [f'without the {name}: no requests']
    return found


def syns_sent_again(wireshark):
    """They are coloured, in both profiles that have Wireshark look for retransmissions."""
    path, found = CAPTURES / 'tcp/connect_refused_unanswered.pcap', []
    for profile, name in ('Latency', 'Gap'), ('EPICS', 'Repeated'):
        rule = next(line.split('@')[2] for line in (ROOT / 'profiles' / profile / 'colorfilters').read_text().splitlines() if line.startswith(f'@{name}'))
        coloured = set(wireshark.fields(path, ['tcp.stream'], '-Y', f'({rule}) && tcp.flags.syn == 1'))
        found += [] if coloured == {14, 15, 16} else [f'{profile}: {sorted(coloured)}']
    return found


def called_slow(wireshark, profile, milliseconds):
    """What the profile's colour and button of that name find, and nothing else is called so: what took as long as the one preference says."""
    folder, found = ROOT / 'profiles' / profile, []
    colours = [line.split('@')[1:3] for line in (folder / 'colorfilters').read_text().splitlines() if line.startswith('@')]
    buttons = re.findall('^"TRUE","(.*?)","(.*?)"', (folder / 'dfilter_buttons').read_text(), re.M)
    named = [filter for name, filter in [*colours, *buttons] if 'slow' in name.lower()]
    for capture, fields in (DELAYS, ('latency.last_byte', 'latency.connect.time')), (PHASES[0], ('ca.create.time', 'ca.search.time')), (PHASES[1], ('pva.create.time', 'pva.search.time')):
        if (capture != DELAYS) != (profile == 'EPICS'):
            continue
        def frames(filter):
            return wireshark.fields(capture, ['frame.len'], '-2', '-o', f'latency.slow:{milliseconds}', '-Y', filter).keys()
        want, all_timed = frames(' || '.join(f'{field} >= {milliseconds / 1000}' for field in fields)), frames(' || '.join(fields))
        found += [f'{capture.name}: {filter}: {sorted(got)} instead of {sorted(want)}' for filter in named if (got := frames(f'({filter}) && ({" || ".join(fields)})')) != want]
        found += [] if want and want != all_timed else [f'{capture.name}: {len(want)} of {len(all_timed)}']
    return found if len(named) == 2 else [str(named)]


def in_flight(wireshark, capture):
    """What may still be answered says how long it has waited: nothing that the profile colours red, nor what its button *unanswered* finds."""
    path = CAPTURES / capture
    profile = (ROOT / 'profiles/Latency/colorfilters').read_text()
    red = next(line.split('@')[2] for line in profile.splitlines() if line.startswith('@No response'))
    coloured = wireshark.fields(path, ['latency.outcome'], '-2', '-Y', f'({red}) && latency.waited')
    waiting = wireshark.fields(path, ['latency.waited', 'latency.outcome', 'latency.connect.result'], '-2', '-Y', 'latency.waited')
    buttons = dict(re.findall(r'^"TRUE","(waiting|unanswered)","([^"]*)"', (ROOT / 'profiles/Latency/dfilter_buttons').read_text(), re.M))
    found = {name: wireshark.fields(path, ['latency.outcome'], '-2', '-Y', '({}) && latency.waited'.format(button.replace('\\x22', '"'))).keys() for name, button in buttons.items()}
    asked = {number for number, values in waiting.items() if 'latency.outcome' in values or values['latency.connect.result'] == ['4']}
    return [] if waiting and not coloured and found == {'waiting': asked, 'unanswered': set()} else [f'{coloured} of {waiting}, {found}']


def channels_in_flight(wireshark):
    """Of channels that were asked for, those that will never be created are noted and found by the button *never connected*; those that may be, by *waiting*."""
    path, found = CAPTURES / 'ca/unanswered.pcap', {}
    buttons = dict(re.findall(r'^"TRUE","(waiting|never connected)","([^"]*)"', (ROOT / 'profiles/EPICS/dfilter_buttons').read_text(), re.M))
    filters = {'noted': 'ca.unanswered', **{name: button.replace('\\x22', '"') for name, button in buttons.items()}}
    for result, timeout, want in ('unanswered', 0, {'noted', 'never connected'}), ('waiting', 0, {'waiting'}), ('waiting', 2, None), ('unanswered', 2, {'noted', 'never connected'}):
        asked = f'ca.create.waited && ca.create.result == "{result}"'
        frames = {name: wireshark.fields(path, ['ca.pv'], '-2', '-o', f'latency.timeout:{timeout}', '-Y', f'({filter}) && {asked}').keys() for name, filter in {'asked': asked, **filters}.items()}
        if {name for name in filters if frames[name] == frames['asked'] != set()} != (want or set()) or want is None and frames['asked']:
            found[result, timeout] = frames
    return [str(found)] if found else []


def cases(context):
    yield 'in flight: channels', functools.partial(channels_in_flight, context.wireshark)
    for row in FAILED:
        yield f'failed: {row[0]}', functools.partial(failed, context.wireshark, *row)
    for row in UNANSWERED:
        yield f'unanswered: {row[0]}', functools.partial(unanswered, context.wireshark, *row)
    for milliseconds in SLOW_MS:
        yield f'slow: {milliseconds} ms', functools.partial(slow, context.wireshark, milliseconds)
    for milliseconds in filter(None, SLOW_MS):
        yield f'slow by turns: {milliseconds} ms', functools.partial(slow_by_turns, context.wireshark, milliseconds)
    for capture in CONNECTS:
        yield f'connects: {capture}', functools.partial(connects, context.wireshark, capture)
    for check in begins_with_the_answer, syns_sent_again:
        yield check.__name__.replace('_', ' '), functools.partial(check, context.wireshark)
    for profile, milliseconds in ('Latency', 30), ('Latency in the host', 30), ('EPICS', 1):
        yield f'called slow: {profile}', functools.partial(called_slow, context.wireshark, profile, milliseconds)
    for capture in IN_FLIGHT:
        yield f'in flight: {capture}', functools.partial(in_flight, context.wireshark, capture)
