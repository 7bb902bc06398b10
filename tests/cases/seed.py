# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks against sources other than the reference: analyze-tcp.py's rule, and a list of frames known to be missing."""
import sys

from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import analyze_tcp  # noqa: E402

FLAGS = {'LAST_PACKET_SHORT': 'latency.flags.after_short', 'IPID_GAP': 'latency.flags.ipid_gap',
         'OUT_OF_ORDER': 'latency.flags.out_of_order', '9000': 'latency.flags.chunk_boundary'}


def check_seed(case):
    """First byte, last elapsed, byte offsets, spacings and flags, of frames with payload, are those of analyze-tcp.py."""
    frames, found, compared = case.fields('-2'), [], 0
    payload = {number for number, fields in case.wireshark.fields(case.path, ['tcp.len'], '-Y', 'tcp.len > 0').items()}
    for request in analyze_tcp.analyse(case.path):
        first = frames[request['first']]
        if first['latency.first_byte'] != [request['start_latency']]:
            found.append(f'frame {request["first"]}: first byte {first["latency.first_byte"]}, seed {request["start_latency"]}')
        packets = [packet for packet in request['packets'] if packet['frame'] in payload]
        for packet in packets:
            fields = frames.get(packet['frame'], {})
            want = [[packet['spacing']], [packet['byte']], sorted(packet['flags'])]
            got = [fields.get('latency.spacing'), fields.get('latency.byte_offset'),
                   sorted(flag for flag, name in FLAGS.items() if name in fields)]
            compared += 1
            if want != got:
                found.append(f'frame {packet["frame"]}: {got}, seed {want}')
        last = packets[-1]['frame'] if packets else request['first']
        begun = request['packets'][-1]['frame'] == last if request['packets'] else True
        if begun and frames[last]['latency.elapsed'] != [request['finish_latency']]:
            found.append(f'frame {last}: elapsed {frames[last]["latency.elapsed"]}, seed {request["finish_latency"]}')
    return found[:6] if compared else ['nothing to compare']


def check_dropped(case):
    """The capture less some frames: the IP ID gaps are the frames that are not there, and no others."""
    lost = []
    for line in case.path.with_suffix('.txt').read_text().splitlines():
        if not line.startswith('#') and not line.startswith('frame'):
            _, _, ip_id, _, length = line.split()
            lost.append((int(ip_id, 16), int(length)))
    missing = sum(-(-length // 1448) for _, length in lost)
    gaps = [fields['latency.ipid.delta'][0] for fields in case.fields().values() if 'latency.flags.ipid_gap' in fields]
    return [] if sum(gaps) == missing else [f'IDs of {missing} packets are missing, the gaps are {gaps}']


def check_offload(case):
    """A whole response recorded with segmentation offload: no IP ID gap, and no short packet but its last."""
    response = {number: fields for number, fields in case.fields().items() if 'latency.request_in' in fields}
    gaps = [number for number, fields in response.items() if 'latency.flags.ipid_gap' in fields]
    short = [number for number, fields in response.items() if 'latency.flags.short' in fields]
    return [] if not gaps and short == [max(response)] else [f'gaps before frames {gaps}, short frames {short}']


def check_times(case):
    """The client's own times (curl's) of each request are those on the wire, but for what it takes to wake up."""
    awake = 2 * 10**6
    found = []
    lines = [line.split() for line in case.path.with_suffix('.times').read_text().splitlines() if not line.startswith('#')]
    requests = {}
    for fields in case.fields('-2').values():
        for number in fields.get('latency.request', []):
            requests.setdefault(number, {}).update(fields)
    if len(lines) != len(requests):
        return [f'{len(lines)} requests of the client, {len(requests)} in the capture']
    for line, fields in zip(lines, (requests[number] for number in sorted(requests))):
        url, _, _, begins, first, last, *_ = line
        for name, end in (('first_byte', first), ('last_byte', last)):
            client = round((float(end) - float(begins)) * 10**9)
            wire = fields[f'latency.{name}'][0]
            if not 0 <= client - wire + 10**5 <= awake:
                found.append(f'{url}: {name} {wire} ns, the client had {client} ns')
    return found
