# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user can get wrong on the command line, and facts that hold for any capture."""
import functools

import ca_tables
from pages import table_names
from tables import COLUMNS, Tables
from tools import ROOT

HTTP = ROOT / 'captures/tcp/http_small_offload_off.pcap'


def refuses(wireshark, mention, *arguments):
    """One clear sentence and an exit code that is not 0."""
    result = wireshark.start('tshark', '-r', HTTP, *arguments)
    text = result.stderr.strip()
    problems = []
    if result.returncode == 0:
        problems.append(f'exit code 0: {result.stdout[:200]}')
    if mention not in text:
        problems.append(f'{mention!r} is not in: {text[:300]}')
    return problems


def refuses_table(wireshark, table, meant):
    """Says which was meant, and lists those that there are."""
    question = f' Did you mean {meant}?' if meant else ''
    result = wireshark.start('tshark', '-r', HTTP, '-q', '-z', table)
    wanted = [f'tshark: There is no table {table.removesuffix(",ip")}.{question}', 'The tables, and what a row is:',
              *(f'  {name:19}  {row}' for name, row, printers in table_names() if printers != 'BY_SCAN')]
    return [] if result.returncode == 1 and result.stderr.splitlines() == wanted else [f'exit code {result.returncode}', result.stderr]


def complains_of_values(wireshark):
    """Wireshark takes them; the plugin says what they come to."""
    said = {values: wireshark.start('tshark', '-r', HTTP, '-o', f'ca.values:{values}').stderr for values in ('1-5', '-5', '7,9', '', '7')}
    return [f'{values!r}: {text}' for values, text in said.items() if ('must be one number' in text) == (values == '7')]


def values_shown(wireshark):
    """Of arrays with more than 10000 values: so many."""
    found = []
    for options, most in ([], 100), (['-o', 'ca.values:7'], 7), (['-o', 'ca.values:10000'], 10000), (['-o', 'ca.values:0'], 0):
        text = wireshark.tshark('-r', ROOT / 'captures/ca/large.pcap', *options, '-T', 'fields', '-e', 'ca.value.double')
        counts = [len(line.split(',')) for line in text.splitlines() if line]
        found += [f'{options}: {counts}'] if max(counts, default=0) != most else []
    return found


def beside_cashark(wireshark):
    """A Lua script that registers the protocol `ca`, as cashark's does, cannot be loaded; ours dissects all the same."""
    script = wireshark.base / 'ca.lua'
    script.write_text('local ca = Proto("ca", "Channel Access")\nDissectorTable.get("tcp.port"):add(5064, ca)\n')
    script.chmod(0o644)
    result = wireshark.start('tshark', '-r', ROOT / 'captures/ca/basic.pcap', '-X', f'lua_script:{script}', '-T', 'fields', '-e', 'ca.create.time')
    found = [] if 'two protocols with the same name' in result.stderr else [f'no complaint: {result.stderr[:300]}']
    created = result.stdout.replace(',', '\n').split()
    return found + ([] if result.returncode == 0 and len(created) == 12 else [f'exit code {result.returncode}, created {created}'])


def hierarchy(wireshark):
    """In the protocol hierarchy a frame of Channel Access counts once, whatever number of messages is in it."""
    text = wireshark.tshark('-q', '-r', ROOT / 'captures/ca/basic.pcap', '-z', 'io,phs')
    lines = [line.split()[1] for line in text.splitlines() if line.split()[:1] == ['ca']]
    return [] if lines == ['frames:29', 'frames:50'] else [text]


def is_listed(wireshark, table):
    result = wireshark.start('tshark', '-z', 'help')
    return [] if table in result.stderr + result.stdout else [result.stderr[-300:]]


def is_alone_as_with_others(wireshark, table):
    together, alone = (Tables(wireshark, HTTP, []).tshark(names=names)[table] for names in (tuple(COLUMNS), (table,)))
    return [] if alone == together else [str(alone)[:300]]


def cases(context):
    wireshark = context.wireshark
    yield 'protocol hierarchy', lambda: hierarchy(wireshark)
    yield 'beside cashark', lambda: beside_cashark(wireshark)
    for name, mention, table in (('wrong filter in -z', 'Invalid filter', 'latency,servers,ip.addr =='),
                                 ('unknown field in -z filter', 'nonsense', 'latency,servers,nonsense.field'),
                                 ('mistyped field in -z filter', 'Did you mean latency.operation?', 'latency,servers,latency.operaton == 1'),
                                 ('mistyped field in the filter of JSON lines', 'Did you mean ca.create.time?', 'latency,json,/dev/null,ca.crate.time == 1')):
        yield name, functools.partial(refuses, wireshark, mention, '-q', '-z', table)
    for table, meant in (('latency,nonsense', None), ('latency,server', 'latency,servers'), ('latency,serversx', 'latency,servers'),
                         ('latency,opertions,ip', 'latency,operations'), ('ca,chanels', 'ca,channels'), ('pva,monitor', 'pva,monitors'), ('latency,channels', 'ca,channels')):
        yield f'no such table, {table}', functools.partial(refuses_table, wireshark, table, meant)
    for preference in ('latency.server_ports:http', 'latency.full_sizes:1448,x', 'latency.full_sizes:1448;1460', 'latency.chunk_size:many',
                       'latency.timeout:soon', 'latency.timeout:-1', 'latency.server_ports:70000', 'ca.values:1000000', 'ca.values:10001', 'ca.values:many'):
        yield f'wrong preference {preference}', functools.partial(refuses, wireshark, preference.partition(':')[0], '-o', preference)
    for names in ('X-Job Id', 'X-Job-Id,,X-Trace', 'X-Job-Id:'):
        yield f'wrong names of headers {names}', functools.partial(refuses, wireshark, 'names of HTTP headers', '-q', '-o', f'latency.id_headers:{names}', '-z', 'latency,servers')
    for hosts in 'web', '10.0.0.1', '10.0.0.1=10.0.0.2,10.0.0.2=10.0.0.3':
        yield f'wrong preference latency.same_hosts:{hosts}', functools.partial(refuses, wireshark, 'addresses of one host', '-q', '-o', f'latency.same_hosts:{hosts}',
                                                                                 '-z', 'latency,servers')
    yield 'ca.values of several numbers', lambda: complains_of_values(wireshark)
    yield 'ca.values', lambda: values_shown(wireshark)
    for table in (*(f'latency,{name}' for name in COLUMNS), *(f'ca,{name}' for name in (*ca_tables.COLUMNS, 'srt'))):
        yield f'{table} is in tshark -z help', functools.partial(is_listed, wireshark, table)
    for table in COLUMNS:
        yield f'latency,{table} alone and with the others', functools.partial(is_alone_as_with_others, wireshark, table)
