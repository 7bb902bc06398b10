# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Channel Access as requests of the latency plugin: against the truth, and against what the dissector says of its answers."""
import collections

ANSWER = ('latency.operation', 'latency.request_in', 'latency.elapsed', 'latency.first_byte', 'latency.request')


def read(packets):
    """Of every response frame: (frame, operation, request frame, elapsed and first byte in µs or None, number)."""
    asked, answered = [], []
    for packet in packets:
        for tree in packet.findall("proto[@name='latency']"):
            frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get('show'))
            fields = {field.get('name'): field.get('show') for field in tree.iter('field')}
            if 'latency.elapsed' in fields:
                answered.append((frame, *(fields.get(name) for name in ANSWER)))
            elif 'latency.request' in fields:
                asked.append((frame, fields.get('latency.operation', ''), fields['latency.request'], fields.get('latency.outcome')))
    return asked, answered


def microseconds(text):
    return None if text is None else round(float(text) * 1e6)


def cut(pv):
    """As in an operation, of which 200 bytes are kept."""
    operation = f'CREATE_CHAN {pv}'
    return (operation if len(operation) <= 200 else operation[:200] + '…').partition(' ')[2]


def check(case):
    """Creates are the truth's; every answer that the dissector tells has its request, and no request has another."""
    asked, answered = read(case.reading.packets)
    suffix = '_deliver' if case.reassembly else ''
    right = collections.Counter((each.get('frame_response' + suffix, each['frame_response']), each['frame_request' + suffix],
                                 round(each.get('dt' + suffix, each['dt']) * 1e6), cut(each['pv'])) for each in case.transactions('ok', 'fail', 'error'))
    ours = collections.Counter((frame, int(request_in), microseconds(first), operation.partition(' ')[2])
                               for frame, operation, request_in, _, first, _ in answered if operation.startswith('CREATE_CHAN '))
    found = [f'creates: not in the truth {list((ours - right).items())[:3]}, only there {list((right - ours).items())[:3]}'] if ours != right else []
    unanswered = collections.Counter((each['frame_request'], cut(each['pv'])) for each in case.transactions('unanswered'))
    if case.passes == 2:
        waiting = collections.Counter((frame, operation.partition(' ')[2]) for frame, operation, _, outcome in asked
                                      if operation.startswith('CREATE_CHAN ') and outcome != '0')
        found += [f'unanswered: {waiting} instead of {unanswered}'] if waiting != unanswered else []
    told = collections.Counter((message.frame, round(message.number('ca.response_time') * 1e6))
                               for message in case.messages if message.one('ca.response_time') and message.protocol == 'tcp'
                               and message.command not in ('CREATE_CHAN', 'CREATE_CH_FAIL'))
    others = collections.Counter((frame, microseconds(elapsed)) for frame, operation, _, elapsed, _, _ in answered
                                 if not operation.startswith('CREATE_CHAN'))
    if told - others:
        found.append(f'answers without request: {list((told - others).items())[:3]}')
    numbers = [int(number) for *_, number in answered]
    ends = collections.Counter(number for frame, *_, number in answered)
    asked_numbers = {int(number) for _, _, number, _ in asked}
    if not set(numbers) <= asked_numbers or asked_numbers != set(range(1, len(asked_numbers) + 1)):
        found.append(f'numbers {sorted(set(numbers) - asked_numbers)[:3]} are answered only, or some are missing: {len(asked_numbers)}')
    first_bytes = sum(first is not None for *_, first, _ in answered)
    if first_bytes != len(ends):
        found.append(f'{first_bytes} first bytes of {len(ends)} answered requests')
    return found
