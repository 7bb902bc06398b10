# SPDX-License-Identifier: GPL-2.0-or-later
"""The columns of tables as their definitions in C list them (plugin/table/table_column.h)."""
import collections
import functools
import re

from tools import ROOT

Column = collections.namedtuple('Column', 'kind name machine')
SOURCES = [*sorted((ROOT / 'plugin/table').glob('*.[ch]')), ROOT / 'plugin/epan/protocols/protocols_table.c']
UNITS = {'TIME': '_ms', 'STAGE': '_us', 'SHARE': '_percent', 'TIMESTAMP': '_s'}
IN_WINDOW = {'TIME': ' (ms)', 'STAGE': ' (µs)', 'SHARE': ' %', 'TIMESTAMP': ' (s)', 'BYTES': ' (kB)'}
CALL = re.compile(r'\b(X|[A-Z_]+_COLUMNS)\((X|[A-Z0-9_]+)(?:, (\w+))?(?:, "([^"]*)", "([^"]*)")?')


def lists(text):
    return {name: body for name, body in re.findall(r'#define ([A-Z_]*COLUMNS)\(X(?:, KIND)?\)((?:.*\\\n)*.*\n)', text)}


def columns_of(body, others, of=''):
    """Those of a list, with those of the lists in it; `of`: what KIND stands for."""
    for macro, _, kind, name, machine in CALL.findall(body):
        if macro == 'X':
            kind = kind if kind != 'KIND' else of
            yield Column(kind, name, machine + UNITS.get(kind, ''))
        else:
            yield from columns_of(others[macro], others, kind)


@functools.cache
def tables():
    """By what stands behind -z."""
    texts = {path: path.read_text() for path in SOURCES}
    shared = {name: body for text in texts.values() for name, body in lists(text).items() if name != 'COLUMNS'}
    arrays, found = {}, {}
    for path, text in texts.items():
        for array, name in [*re.findall(r'TABLE_COLUMNS\((\w+), (\w+)\);', text), *re.findall(r'struct table_column (\w+)\[\] = \{ (\w+)\(COLUMN_DEFINITION\)', text)]:
            if array not in ('columns',):
                arrays[array] = list(columns_of({**shared, **lists(text)}[name], shared))
    for path, text in texts.items():
        of_file = {**arrays, 'columns': list(columns_of(lists(text).get('COLUMNS', ''), shared))}
        for definition in re.findall(r'^const struct table_definition \w+ = \{\n(.*?)^\};', text, re.M | re.S):
            argument = re.search(r'\.argument = "([^"]+)"', definition)[1]
            has_columns = re.search(r'\.columns = (\w+)(?: \+ (\d+))?', definition + text)
            if has_columns:  # else it is printed by itself
                array, skipped = has_columns.groups()
                found[argument] = of_file[array][int(skipped or 0):]
    return found


def window(table):
    """Their heads in Wireshark's window, in the definition's order."""
    return [column.name + IN_WINDOW.get(column.kind, '') if column.kind != 'REQUEST' else 'Filter' for column in tables()[table]]
