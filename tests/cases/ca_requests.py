# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of Channel Access as requests of the latency plugin: against the truth, and against what the dissector says of its answers."""
import collections

NAMES = ('latency.request', 'latency.operation', 'latency.request_in', 'latency.first_byte', 'latency.outcome')


class Request:
    """The frames that carry it and its answer, in their order, as far as they say so: in one pass not those that came before what says what they are."""

    def __init__(self, operation):
        self.operation, self.asked, self.answered, self.first_bytes, self.first_in, self.outcome = operation, [], [], [], None, None

    @property
    def channel(self):
        return self.operation.partition(' ')[2]


def read(packets):
    """By number; and the frames' times in microseconds."""
    requests, times = {}, {}
    for packet in packets:
        frame = int(packet.find("proto[@name='geninfo']/field[@name='num']").get('show'))
        times[frame] = round(float(packet.find("proto[@name='geninfo']/field[@name='timestamp']").get('value')) * 1e6)
        for tree in packet.findall("proto[@name='latency']"):
            fields = {field.get('name'): field.get('show') for field in tree.iter('field')}
            if 'latency.request' not in fields:
                continue
            number, operation, first_in, first_byte, outcome = (fields.get(name) for name in NAMES)
            request = requests.setdefault(int(number), Request(operation or ''))
            if 'latency.elapsed' in fields:
                request.answered.append(frame)
                request.first_in = int(first_in)
                request.first_bytes += [round(float(first_byte) * 1e6)] if first_byte else []
            else:
                request.asked.append(frame)
                request.outcome = outcome
    return requests, times


def cut(pv):
    """As in an operation, of which 200 bytes are kept."""
    operation = f'CREATE_CHAN {pv}'
    return (operation if len(operation) <= 200 else operation[:200] + '…').partition(' ')[2]


def check_times(requests, times, passes):
    """A request begins with its first frame, and so does its answer."""
    found = []
    for number, request in requests.items():
        if not request.answered:
            continue
        right = [times[request.answered[0]] - times[request.asked[0]]]
        wrong = request.asked and (request.first_in > request.asked[0] or request.first_in != request.asked[0] and passes == 2)
        wrong |= passes == 2 and any(abs(ours - theirs) > 1 for ours, theirs in zip(request.first_bytes, right)) or len(request.first_bytes) > 1
        found += [f'request {number}: frames {request.asked}, {request.answered}: {request.first_in}, {request.first_bytes}'] if wrong else []
    return found[:3]


def check(case):
    """Creates are the truth's, which has the frames with the last bytes; every answer that the dissector tells has its request, and no request has another."""
    requests, times = read(case.reading.packets)
    creates = [request for request in requests.values() if request.operation.startswith('CREATE_CHAN ')]
    right = collections.Counter((each['frame_response'], each['frame_request'], cut(each['pv'])) for each in case.transactions('ok', 'fail', 'error'))
    ours = collections.Counter((request.answered[-1], request.asked[-1], request.channel) for request in creates if request.answered)
    found = [f'creates: not in the truth {list((ours - right).items())[:3]}, only there {list((right - ours).items())[:3]}'] if ours != right else []
    if case.passes == 2:
        silent = collections.Counter((each['frame_request'], cut(each['pv']), each['status']) for each in case.transactions('unanswered', 'waiting'))
        ours = collections.Counter((request.asked[-1], request.channel, 'waiting' if request.outcome == '4' else 'unanswered') for request in creates if request.outcome != '0')
        found += [f'without an answer: {ours} instead of {silent}'] if ours != silent else []
    told = collections.Counter((message.frame, round(message.number('ca.response_time') * 1e6))
                               for message in case.messages if message.one('ca.response_time') and message.protocol == 'tcp'
                               and message.command not in ('CREATE_CHAN', 'CREATE_CH_FAIL'))
    others = [request for request in requests.values() if request.answered and not request.operation.startswith('CREATE_CHAN')]
    lasting = collections.Counter((frame, times[frame] - times[asked]) for request in others for frame in request.answered for asked in request.asked)
    near = collections.Counter()
    for (frame, time), count in lasting.items():
        for away in (-1, 0, 1):  # the times of frames are rounded
            near[frame, time + away] += count
    if told - near:
        found.append(f'answers without request: {list((told - near).items())[:3]}')
    if set(requests) != set(range(1, len(requests) + 1)) or any(not request.asked for request in requests.values()):
        found.append(f'numbers are missing, or answered only: {len(requests)}')
    answered = sum(bool(request.answered) for request in requests.values())
    first_bytes = sum(len(request.first_bytes) for request in requests.values())
    if first_bytes > answered or (first_bytes < answered and case.passes == 2):
        found.append(f'{first_bytes} first bytes of {answered} answered requests')
    return found + check_times(requests, times, case.passes)
