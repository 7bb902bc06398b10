# SPDX-License-Identifier: GPL-2.0-or-later
"""What Lua does not have, or does in its own way: each line of the list in lua-compat/README.md is asserted here."""
import struct
import subprocess

import ca_made
from packets import ACK, SECOND, SYN, segment, write
from script import FIRST_PASS
from tools import ROOT

COLUMNS_MISSING = {'Search', 'Value'}
FIELDS_MISSING = {'ca.create.waited', 'ca.first_value.time', 'latency.cut', 'latency.failed', 'latency.stage', 'latency.stage.time', 'latency.stage.time_us', 'latency.path.time', 'latency.path.first_in', 'latency.path.prev_in',
                  *(f'latency.tls.{name}' for name in ('sni', 'alpn', 'alpn.chosen', 'version', 'hello', 'handshake', 'hello_in', 'result', 'alert', 'resumed', 'retried')), 'latency.quic.version', 'latency.quic.retry', 'latency.quic.early_data',
                  *(f'latency.quic.spin_{name}' for name in ('rtt', 'believed', 'rounds')),
                  'latency.attempts', 'latency.frame.elapsed', 'latency.frame.longest', 'latency.stream', 'latency.websocket.sent', 'latency.websocket.received', 'latency.pushed', 'latency.first_data', 'latency.grpc.sent', 'latency.grpc.received',
                  'latency.caused_by', 'latency.cause', 'latency.calls', 'latency.call_time', 'latency.own_time',
                  'latency.framing', 'latency.operation.number', 'latency.process.pid', 'latency.process.tid', 'latency.process.name', 'latency.proxy.client', 'latency.proxy.port'}
NO_FRAME_HAS = {'latency.connect.failed', 'latency.connect.unanswered'}  # filters alone know them
PREFERENCES = {'server_ports', 'chunk_size', 'slow', 'ca_ports'}
# How many values of the compiled plugin's a capture lacks: those of a request that was captured after its response, and of the
# response before.
ABSENT = {'generated/amended.pcap': {'one pass': 8, 'two passes': 33},
          'generated/response_before_request.pcap': {'one pass': 10, 'two passes': 55},
          'generated/syn_behind_payload.pcap': {'one pass': 13, 'two passes': 20},
          'tcp/calls_loop_32.pcap': {'one pass': 8, 'two passes': 13},
          'framing/dns_tls.pcapng': {'one pass': 24, 'two passes': 35},
          'framing/memcached_tls.pcapng': {'one pass': 22, 'two passes': 32},
          'framing/redis_tls.pcapng': {'one pass': 20, 'two passes': 30}}
TLS_OF_A_TITLE = ', and TLS handshakes'
PIPELINED = ROOT / 'captures/ca/loop.pcap'
IN_FLIGHT = [ROOT / 'captures/framing' / name for name in ('http.pcap', 'http2.pcap', 'memcached_text.pcap', 'redis.pcap', 'kafka.pcap')]
SEVERAL_POINTS = ROOT / 'captures/kernel/stages-lo.pcapng'
SMALL = ROOT / 'captures/tcp/http_small_offload_off.pcap'
MILLISECOND = 10**6


def promised(field, values):
    """The compiled plugin's values, less what no turn knows: of operations Lua has the type of a TLS record; and less what only filters know."""
    is_parsers = field in ('latency.operation', 'latency.frame.operation') and values and not values[0].startswith(('TLS ', 'TCP connect'))
    return None if is_parsers or field in NO_FRAME_HAS else values


def without_tls(text):
    """The table of attempts less what Lua does not have: its last two columns."""
    lines = text.replace(TLS_OF_A_TITLE, '').split('\n')
    return '\n'.join(line.rsplit('|', 2)[0].rstrip() if '|' in line else line for line in lines)


def write_capture(path, packets):
    """(time in ns, whether the client sends it, flags, sequence number, acknowledgement, payload), IP IDs counted up."""
    return write(path, [(time, segment(from_client, (40000, 80), seq, ack, flags, payload, number))
                        for number, (time, from_client, flags, seq, ack, payload) in enumerate(packets)])


def without_frame(data, number):
    """The bytes of a capture less one frame."""
    at = 24
    for _ in range(number - 1):
        at += 16 + int.from_bytes(data[at + 8:at + 12], 'little')
    return data[:at] + data[at + 16 + int.from_bytes(data[at + 8:at + 12], 'little'):]


def handshake(answer_ns, start=0):
    return [(start, True, SYN, 0, 0, b''), (start + answer_ns, False, SYN | ACK, 0, 1, b''), (start + 2 * answer_ns, True, ACK, 1, 1, b'')]


def check_fields(script):
    """All fields but those, and of the same type."""
    missing = {name for name, kind in script.compiled.items() if script.lua.get(name) != kind}
    others = script.lua.keys() - script.compiled.keys()
    return [] if missing == FIELDS_MISSING and not others else [f'missing {missing}, more {others}']


def last_request(shown):
    return max(int(number) for fields in shown.values() for number in fields.get('latency.request', []))


def check_turns(script):
    """Where the compiled plugin tells messages apart, of one that is pipelined or of several in flight, Lua counts turns, as that does without."""
    compiled, lua = (last_request(where.fields(PIPELINED, ['latency.request'])) for where in (script.wireshark, script))
    problems = [] if compiled == 909 and lua < 50 else [f'{compiled} requests, {lua} in Lua']
    for path in IN_FLIGHT:
        messages, turns, lua = (last_request(fields(path, ['latency.request'], *arguments)) for fields, arguments in (
            (script.wireshark.fields, ()), (script.wireshark.fields, ('-o', 'latency.messages:FALSE')), (script.fields, ())))
        problems += [] if lua == turns < messages else [f'{path.name}: {messages} requests, {turns} turns, {lua} in Lua']
    return problems


def check_tls_at_once(script):
    """A hello, what answers it, the end of the handshake, and a request right behind."""
    def record(kind, length, begins=b''):
        return struct.pack('>BHH', kind, 0x303, length) + begins.ljust(length, b'\xa5')
    hello, answer, end, ask = record(22, 200, b'\x01\0\0\xc4'), record(22, 90), record(20, 1) + record(23, 69), record(23, 90)
    asked, answered = 1 + len(hello), 1 + len(answer)
    path = write_capture(script.wireshark.base / 'tls.pcap', [
        *handshake(MILLISECOND), (10 * MILLISECOND, True, ACK, 1, 1, hello), (20 * MILLISECOND, False, ACK, 1, asked, answer),
        (30 * MILLISECOND, True, ACK, asked, answered, end), (31 * MILLISECOND, True, ACK, asked + len(end), answered, ask),
        (40 * MILLISECOND, False, ACK, answered, asked + len(end + ask), record(23, 300))])
    compiled = script.wireshark.tshark('-q', '-r', path, '-z', 'latency,servers')
    ours = script.tshark('-q', '-r', path, tables=['servers'])
    return [] if '1 request, 1 answered' in compiled and '0 requests, 0 answered' in ours else [compiled, ours]


def check_several_points(script):
    """A packet seen at several capture points is a second copy to Lua."""
    compiled = script.wireshark.tshark('-q', '-r', SEVERAL_POINTS, '-z', 'latency,servers')
    lua = script.tshark('-q', '-r', SEVERAL_POINTS, tables=['servers'])
    return [] if 'second cop' in lua and 'second cop' not in compiled else [compiled, lua]


def check_two_passes_unfiltered(script):
    one, two = script.fields(SMALL, script.names), script.fields(SMALL, script.names, '-2')
    return [] if one == two and any('latency.first_byte' in fields for fields in one.values()) else ['another answer']


def check_tables_say_seconds(script):
    relative, epoch = (script.tshark('-q', '-r', SMALL, '-t', kind, tables=['connects']) for kind in 're')
    return [] if relative == epoch and 'accepted' in relative else ['-t changes the table']


def check_no_statistics_of_tshark(script):
    result = script.wireshark.run('tshark', *script.loaded(), '-q', '-r', SMALL, '-z', 'latency,servers', plugin=False)
    return [] if result.returncode != 0 else ['-z latency,servers is known']


def check_preferences(script):
    known = {line.split(':')[0].strip('# ') for line in script.wireshark.run('tshark', '-G', 'currentprefs', *script.loaded(),
                                                                            plugin=False).stdout.splitlines() if line.startswith(('latency.', '#latency.'))}
    want = {f'latency.{name}' for name in PREFERENCES}
    return [] if known == want else [f'{known}']


def check_held(script):
    """In one pass the compiled plugin holds the second of three segments, which overtook the third; Lua says at once what it takes it for."""
    ask, names = b'GET / HTTP/1.1\r\n\r\n', ['latency.request', 'latency.byte_offset', 'latency.flags.out_of_order']
    end = 1 + len(ask)
    path = write_capture(script.wireshark.base / 'held.pcap', [
        *handshake(MILLISECOND), (10 * MILLISECOND, True, ACK, 1, 1, ask), (20 * MILLISECOND, False, ACK, 1, end, b'one'),
        (21 * MILLISECOND, False, ACK, 7, end, b'three'), (22 * MILLISECOND, False, ACK, 4, end, b'two')])
    seen = [each.fields(path, names, *passes).get(6) for passes in ((), ('-2', '-R', 'frame')) for each in (script.wireshark, script)]
    known = {'latency.request': ['1'], 'latency.byte_offset': ['11'], 'latency.flags.out_of_order': ['1']}
    seen = [{name: ['1' if text == 'True' else text for text in texts] for name, texts in fields.items()} for fields in seen]
    want = [{'latency.flags.out_of_order': ['1']}, known, known, known]
    return [] if seen == want else [f'{seen}']


def check_old_retransmission(script):
    """The last frame repeats the first of 20 requests: Lua remembers 16 in both, as the compiled plugin does in one pass."""
    packets, ask = handshake(MILLISECOND), b'GET / HTTP/1.1\r\n\r\n'
    for i in range(20):
        seq, ack = 1 + i * len(ask), 1 + i * 2
        packets += [((10 + 10 * i) * MILLISECOND, True, ACK, seq, ack, ask), ((15 + 10 * i) * MILLISECOND, False, ACK, ack, seq + len(ask), b'ok')]
    path = write_capture(script.wireshark.base / 'old.pcap', [*packets, (SECOND, True, ACK, 1, 41, ask)])
    last, name = len(packets) + 1, 'latency.request'
    compiled = [script.wireshark.fields(path, [name], *passes).get(last, {}).get(name) for passes in ([], ['-2'])]
    ours = [script.fields(path, [name], *passes).get(last, {}).get(name) for passes in ([], ['-2', *FIRST_PASS])]
    return [] if compiled == [None, ['1']] and ours == [None, None] else [f'compiled {compiled}, Lua {ours}']


def check_long_circuit(script):
    """What waited for a missing segment and is read makes room: no channel is missing, however long a circuit lasts. In one pass its frames, which
    were shown before, lack it."""
    path = script.wireshark.base / 'circuit.pcap'
    created = ca_made.long_circuit(path, 60, 150)
    path.chmod(0o644)
    one, two = (sum(len(fields.get('ca.create.time', [])) for fields in script.fields(path, ['ca.create.time'], *passes).values())
                for passes in ((), ('-2', *FIRST_PASS)))
    return [] if one < two == created else [f'{one} and {two} of {created} channels']


def check_gap(script):
    """A segment with answers that the capture lacks: its channels have no result, and the others what they came to. Reading goes on with what tells
    where a message begins."""
    path, names = script.wireshark.base / 'gap.pcap', ['ca.create.time', 'ca.create.result']
    created = ca_made.long_circuit(path, 3, 150)
    path.chmod(0o644)
    answers = script.fields(path, names, '-2', *FIRST_PASS)
    lost = [number for number, fields in answers.items() if len(fields.get('ca.create.time', [])) > 30][1]
    path.write_bytes(without_frame(path.read_bytes(), lost))
    results = [result for fields in script.fields(path, names, '-2', *FIRST_PASS).values() for result in fields.get('ca.create.result', [])]
    missing, text = created - len(results), script.tshark('-q', '-r', path, tables=['ca-servers'])
    said = f'Not counted: {missing} that may have been answered in what the capture lacks.' in text and f'{len(results)} channels: {len(results)} created' in text
    gone = len(answers[lost]['ca.create.time'])
    # at most the next segment begins within a message
    return [] if set(results) == {'0'} and gone <= missing <= 2 * gone and said else [f'{missing} of {created}, {gone} in frame {lost}: {set(results)}', text]


def check_times_far_away(script):
    """200 days after the first frame a handshake is some nanoseconds off, not more."""
    path = write_capture(script.wireshark.base / 'far.pcap', [(0, False, ACK, 99, 0, b''), *handshake(1001, start=200 * 86400 * SECOND)])
    name = 'latency.connect.time'
    compiled, ours = (float(each.fields(path, [name])[3][name][0]) * SECOND for each in (script.wireshark, script))
    return [] if round(compiled) == 1001 and abs(ours - compiled) <= 4 else [f'compiled {compiled}, Lua {ours}']


def check_no_ports(script):
    """A TCP header of two bytes: nowhere in the tree, and so not among what is left out."""
    path = script.wireshark.base / 'ports.pcap'
    write_capture(path, [(0, True, SYN, 0, 0, b'')])
    data = bytearray(path.read_bytes())
    data[24 + 16 + 3] = 22  # the IP packet's length
    path.write_bytes(data)
    theirs = script.wireshark.tshark('-q', '-r', path, '-z', 'latency,connects')
    ours = script.tshark('-q', '-r', path, tables=['connects'])
    return [] if '1 TCP segment with an incomplete header' in theirs and 'Left out' not in ours else [theirs, ours]


def check_steps_aside(script):
    """With the compiled plugin nothing changes and nothing is said; at debug level it is."""
    arguments = ('tshark', '-n', '-r', SMALL, '-V')
    plain, both = script.wireshark.run(*arguments), script.wireshark.run(*arguments, *script.loaded())
    problems = [] if (plain.stdout, plain.stderr) == (both.stdout, both.stderr) else ['another output']
    command = script.wireshark.command(*arguments, *script.loaded())
    command.insert(command.index('env') + 1, 'WIRESHARK_LOG_LEVEL=debug')
    said = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=600).stdout
    return problems + ([] if 'latency.lua: stepping aside' in said else ['not said at debug level'])


CASHARK = '''
local ca = Proto("ca", "Channel Access")
local pv = ProtoField.string("ca.pv", "PV Name")
ca.fields = { pv }
function ca.dissector(buffer, pinfo, tree)
    if buffer:len() >= 16 and buffer(0, 2):uint() == 18 and buffer(2, 2):uint() > 0 then
        tree:add(ca, buffer()):add(pv, buffer(16, buffer:len() - 16))
    end
end
DissectorTable.get("tcp.port"):add(5064, ca)
'''


def check_beside_cashark(script):
    """A stand-in that registers cashark's protocol and `ca.pv`, loaded before and after."""
    other = script.wireshark.base / 'ca.lua'
    other.write_text(CASHARK)
    path, names = ROOT / 'captures/ca/basic.pcap', ['ca.create.time', 'ca.create.result', 'latency.first_byte']
    alone = script.fields(path, names)
    beside = ['-X', f'lua_script:{other}']
    return [] if alone == script.fields(path, names, *beside) == script.fields(path, names, *beside, first=False) else ['another answer']


def checks(script):
    return [(name.removeprefix('check_').replace('_', ' '), lambda check=check: check(script))
            for name, check in globals().items() if name.startswith('check_')]
