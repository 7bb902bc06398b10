# SPDX-License-Identifier: GPL-2.0-or-later
"""Every line of captures.list through every check of compare.Case and of tables.py; and what is of no capture in particular."""
import functools
import pathlib
import sys

import below_titles
import call_views
import colours
import documents
import durations
import experts
import frame_columns
import operation_numbers
import folded
import formats
import headings
import hostile_texts
import house
import interface
import oddities
import pages
import recipes
import seed
import tables
import tree_lines
import vocabulary
from compare import Case
from outline import Group

SETTINGS = {'full_sizes', 'server_ports', 'chunk_size', 'timeout', 'messages'}


def read_list(context):
    """(line, path below captures/, settings by name, further checks)"""
    for line in pathlib.Path(__file__).with_name('captures.list').read_text().splitlines():
        line = line.partition('#')[0].strip()
        settings, _, checks = line.partition(' / ')
        path, *options = settings.split() or ['']
        options = dict(option.split('=') for option in options)
        if unknown := set(options) - SETTINGS:
            sys.exit(f'captures.list: {line}: there is no setting {", ".join(unknown)}')
        if path and context.wants(path):
            yield line, path, options, checks.split()


def cases(context, path, options, extra):
    case = Case(context.wireshark, path, options, lambda: context.known_ports)
    yield from context.checks(case)
    for name, check in context.checks(tables):
        yield f'table {name}', functools.partial(check, case)
    for name in extra if not context.is_quick else ():
        yield name, functools.partial(getattr(seed, f'check_{name}'), case)


def groups(context):
    for line, path, options, extra in read_list(context):
        yield Group(line, functools.partial(cases, context, path, options, extra))
    if not context.dozen:
        yield Group('below titles', functools.partial(below_titles.cases, context))
        yield Group(headings.__name__, functools.partial(headings.cases, context))
        yield Group(experts.__name__, functools.partial(experts.cases, context))
        yield Group(durations.__name__, functools.partial(durations.cases, context))
        yield Group(colours.__name__, functools.partial(colours.cases, context))
        yield Group('columns of a frame', functools.partial(frame_columns.cases, context))
        yield Group('lines of trees', functools.partial(tree_lines.cases, context))
        yield Group('numbers of operations', functools.partial(operation_numbers.cases, context))
        yield Group('views of calls', functools.partial(call_views.cases, context))
        yield Group('rows that are alike', functools.partial(folded.cases, context))
        yield Group(formats.__name__, functools.partial(formats.cases, context))
        yield Group(pages.__name__, functools.partial(pages.cases, context))
        yield Group(documents.__name__, functools.partial(documents.cases, context))
        yield Group(house.__name__, functools.partial(house.cases, context))
        yield Group(vocabulary.__name__, functools.partial(vocabulary.cases, context))
    if not context.is_quick and not context.dozen:
        for module in hostile_texts, interface, oddities, recipes:
            yield Group(module.__name__, functools.partial(module.cases, context))
