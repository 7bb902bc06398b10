# SPDX-License-Identifier: GPL-2.0-or-later
"""Who asks for nothing pays nothing, and whoever asks is answered: each way to ask for what the plugin finds is answered, and is not where the
plugin is made to believe that nobody asks (LATENCY_MISTAKEN, in builds for tests). So a way that the plugin did not notice would be seen here.
"""
import functools
import json
import re
import subprocess

from outline import Group, Skipped
from tools import ROOT

CAPTURES = ROOT / 'captures'
HTTP = CAPTURES / 'framing/http.pcap'
REQUESTS = json.loads(HTTP.with_suffix('.truth.json').read_text())  # as the client has logged them
FAILED = sum(each['status'].startswith(('4', '5')) for each in REQUESTS)
LISTENER = """local seen, time = 0, Field.new("latency.first_byte")
local frames = Listener.new(%s)
function frames.packet() if %s then seen = seen + 1 end end
function frames.draw() print("seen " .. seen) end
"""
POSTDISSECTOR = """local seen, time, proto = 0, Field.new("latency.first_byte"), Proto("asking", "Asking")
function proto.dissector() if time() then seen = seen + 1 print("seen " .. seen) end end
register_postdissector(proto)
"""
MATE = """Pdu asked_pdu Proto latency Transport tcp/ip { Extract number From latency.request; };
Done;
"""
MATE_PLUGIN = 'epan/mate.so'
COLUMN_FIELD = '_ws.col.TTFB'  # up to 4.2 each column's title is one; from 4.4 on a column that somebody made has none (epan/column.c)


def answers(text):
    """Lines that name an answer's frame or time."""
    return sum(bool(line.strip()) for line in text.splitlines())


def count(pattern):
    return lambda text: len(re.findall(pattern, text))


def last_number(pattern):
    """The last of what is counted up or listed."""
    return lambda text: int(([0] + re.findall(pattern, text))[-1])


def ways(folder):
    """(name, what tshark is told, what it must say, how often that is read from its text)"""
    whole, some = len(REQUESTS), FAILED
    filtered = '-Y', 'latency.first_byte'
    yield '-Y', filtered, whole, answers
    yield '-Y, JSON', ('-T', 'json', *filtered), whole, count('"_source"')
    yield '-2 -Y', ('-2', *filtered), whole, answers
    yield 'a colour rule', ('--color', '-T', 'fields', '-e', 'frame.coloring_rule.name'), whole, count('answered')
    yield '-2 -R', ('-2', '-R', 'latency.first_byte'), whole, answers
    yield '-T fields', ('-T', 'fields', '-e', 'latency.first_byte'), whole, answers
    yield '-V', ('-V',), whole, count('Time to first byte: ')
    yield '-O', ('-O', 'latency'), whole, count('Time to first byte: ')
    yield '-x -O', ('-x', '-O', 'latency'), whole, count('Time to first byte: ')
    for kind in 'json', 'pdml', 'ek':
        yield f'-T {kind}', ('-T', kind), whole, count(r'"latency[._]latency_first_byte"|"latency.first_byte"')
    yield '-T json -j', ('-T', 'json', '-j', 'latency'), whole, count('"latency.first_byte"')
    yield 'a column', ('-o', 'gui.column.format:"TTFB","%Cus:latency.first_byte:0:R"'), whole, answers
    yield 'a column of -T fields', ('-o', 'gui.column.format:"TTFB","%Cus:latency.first_byte:0:R"', '-T', 'fields', '-e', COLUMN_FIELD), whole, answers
    yield 'io,stat with a filter', ('-q', '-z', 'io,stat,0,latency.first_byte'), whole, last_number(r'<> +\S+ \| +(\d+) \|')
    yield 'io,stat of a field', ('-q', '-z', 'io,stat,0,COUNT(latency.first_byte)latency.first_byte'), whole, last_number(r'<> +\S+ \| +(\d+) \|')
    yield 'a conversation filter', ('-q', '-z', 'conv,tcp,latency.first_byte'), True, lambda text: '10.77.0.2:80' in text
    yield 'proto,colinfo', ('-z', 'proto,colinfo,latency.first_byte,latency.first_byte'), whole, count('latency.first_byte == ')
    yield 'a tree of plen', ('-q', '-z', 'plen,tree,latency.first_byte'), whole, last_number(r'Packet Lengths +(\d+)')
    yield '-z expert', ('-q', '-z', 'expert'), some, last_number(r'(\d+) +\S+ +Latency +Error response')
    yield "-Y of the experts' fields", ('-Y', '_ws.expert.message contains "Error response"'), some, answers
    yield "-T fields of the experts'", ('-T', 'fields', '-e', '_ws.expert.message'), some, count('Error response')
    yield 'Lua, a listener with a filter', ('-q', '-X', f'lua_script:{folder}/filter.lua'), whole, last_number(r'seen (\d+)')
    yield 'Lua, a listener with a field', ('-q', '-X', f'lua_script:{folder}/field.lua'), whole, last_number(r'seen (\d+)')
    yield 'Lua, a listener of our tap', ('-q', '-X', f'lua_script:{folder}/tap.lua'), True, lambda text: last_number(r'seen (\d+)')(text) >= 2 * whole
    yield 'Lua, a postdissector', ('-q', '-X', f'lua_script:{folder}/postdissector.lua'), whole, last_number(r'seen (\d+)')
    yield 'MATE', ('-o', f'mate.config:{folder}/asked.mate', '-V'), True, lambda text: count('asked_pdu: ')(text) >= whole
    yield 'JSON lines', ('-q', '-z', 'latency,json'), whole, count('"type":"request"')
    yield 'a table with a filter', ('-q', '-z', 'latency,servers,latency.first_byte'), True, lambda text: '10.77.0.2:80' in text
    yield 'an option', ('-q', '-o', 'latency.slow:1', '-z', 'expert'), True, lambda text: 'Slow: ' in text


def write_files(folder):
    listeners = {'filter': ('"frame", "latency.first_byte"', 'true'), 'field': ('"frame"', 'time()'), 'tap': ('"latency"', 'true')}
    texts = {'colorfilters': '@answered@latency.first_byte@[65535,0,0][0,0,0]\n', **{f'{name}.lua': LISTENER % words for name, words in listeners.items()}, 'postdissector.lua': POSTDISSECTOR, 'asked.mate': MATE}
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    subprocess.run(['chmod', '-R', 'a+rX', folder], check=True)


def is_field(wireshark, folder, words):
    """Whether tshark knows what -e names."""
    command = wireshark.command('tshark', '-n', '-r', HTTP, *words, settings=folder)
    return "Some fields aren't valid" not in subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=600).stderr


def run(command, mistaken, stdin=None):
    at = command.index('env') + 1
    command[at:at] = ['LATENCY_MISTAKEN=1'] if mistaken else []
    return subprocess.run(command, capture_output=True, text=True, errors='replace', input=stdin, timeout=600).stdout


def said(wireshark, folder, capture, words, mistaken):
    return run(wireshark.command('tshark', '-n', '-r', CAPTURES / capture, *words, settings=folder), mistaken)


def way(wireshark, folder, words, want, read):
    """It is answered, and is not if the plugin takes it for nobody's."""
    if 'mate.config' in ' '.join(words) and not list((wireshark.base / 'system').glob(f'*/{MATE_PLUGIN}')):
        raise Skipped('MATE is not installed')
    if COLUMN_FIELD in words and not is_field(wireshark, folder, words):
        raise Skipped('a column that somebody made is no field')
    asked, mistaken = (read(said(wireshark, folder, 'framing/http.pcap', words, each)) for each in (False, True))
    return [] if asked == want != mistaken else [f'{want}: {asked}; {mistaken} of the mistaken']


def in_sharkd(wireshark, folder, parameters, read):
    """Its frames, by a filter or in a rule's colour."""
    asked = [('load', {'file': str(HTTP)}), ('frames', parameters)]
    lines = ''.join(json.dumps({'jsonrpc': '2.0', 'id': i, 'method': method, 'params': each}) + '\n' for i, (method, each) in enumerate(asked, 1))
    texts = [run(wireshark.command('sharkd', '-', settings=folder), mistaken, lines) for mistaken in (False, True)]
    told, mistaken = (sum(map(read, json.loads(text.splitlines()[-1])['result'])) for text in texts)
    return [] if told == len(REQUESTS) != mistaken else [f'{told}; {mistaken} of the mistaken']


def nobody(wireshark, path, table):
    """Where nobody asks, what other dissectors want of the plugin for one packet does not stay for the next."""
    run = wireshark.start('tshark', '-n', '-q', '-r', CAPTURES / path, '-z', table)
    return [] if run.returncode == 0 and '<->' in run.stdout and not run.stderr else [f'{run.returncode}: {run.stderr[:500]}']


def layer(wireshark):
    """The plugin's fields are of its first layer, whatever was dissected before."""
    first, whole = (wireshark.tshark('-r', CAPTURES / 'quic/requests.pcapng', '-Y', f'latency.first_byte{which}') for which in ('#1', ''))
    return [] if first == whole != '' else [f'{answers(first)} of {answers(whole)}']


def cases(wireshark):
    folder = wireshark.base / 'asking'
    write_files(folder)
    for path, table in ('pva/tls.pcapng', 'conv,tcp'), ('framing/http_tls13.pcapng', 'conv,tcp'), ('quic/requests.pcapng', 'conv,udp'):
        yield f'nobody: {path}', functools.partial(nobody, wireshark, path, table)
    for name, words, want, read in ways(folder):
        yield name, functools.partial(way, wireshark, folder, words, want, read)
    yield 'a layer', functools.partial(layer, wireshark)
    yield "sharkd's filter", functools.partial(in_sharkd, wireshark, folder, {'filter': 'latency.first_byte'}, lambda frame: True)
    yield "sharkd's colours", functools.partial(in_sharkd, wireshark, folder, {}, lambda frame: frame.get('bg') == 'ff0000')


def groups(context):
    yield Group('', lambda: cases(context.sanitized))
