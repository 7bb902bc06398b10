# SPDX-License-Identifier: GPL-2.0-or-later
"""What Lua cannot do, or does in its own way: each line of lua-compat/README.md's list is asserted here."""
from tools import ROOT

COLUMNS_MISSING = {'Searchms', 'Valuems'}
FIELDS_MISSING = {'ca.create.waited'}


def check_fields(script):
    """All fields but those, and of the same type."""
    missing = {name for name, kind in script.compiled.items() if script.lua.get(name) != kind}
    return [] if missing == FIELDS_MISSING and script.lua.keys() <= script.compiled.keys() else [f'{missing}, {script.lua.keys() - script.compiled.keys()}']


def check_two_passes_unfiltered(script):
    """tshark -2 without a filter makes no tree in the first pass: what one pass knows is shown."""
    path = ROOT / 'captures/tcp/http_small_offload_off.pcap'
    one, two = script.fields(path, script.names), script.fields(path, script.names, '-2')
    return [] if one == two and any('latency.first_byte' in fields for fields in one.values()) else ['another answer']


def checks(script):
    return [(name.removeprefix('check_').replace('_', ' '), lambda check=check: check(script))
            for name, check in globals().items() if name.startswith('check_')]
