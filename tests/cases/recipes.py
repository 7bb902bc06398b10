# SPDX-License-Identifier: GPL-2.0-or-later
"""The README's recipes: Wireshark's own statistics over our fields, and pipes behind our tables."""
import functools
import re
import subprocess

from compare import reference
from tools import ROOT

CAPTURES = ROOT / 'captures'


def io_stat(wireshark, capture, analysis):
    """The mean and the longest of each second, from the reference's fields; 0 where there is none."""
    seconds = {}
    for row in analysis.request_rows():
        if row['first_byte'] is not None:
            seconds.setdefault((row['response_time'] - analysis.begin) // 10**9, []).append(row['first_byte'] / 10**9)
    field = 'latency.first_byte'
    text = wireshark.tshark('-q', '-r', capture, '-z', f'io,stat,1,AVG({field}){field},MAX({field}){field}')
    rows = re.findall(r'^\| +(\d+) <> .*?\| +([\d.]+) +\| +([\d.]+) +\|', text, re.M)
    found = [] if len(rows) > 2 else [text]
    for second, *cells in rows:
        values = seconds.pop(int(second), [0])
        want = [sum(values) / len(values), max(values)]
        if any(abs(float(cell) - value) > 0.0000011 for cell, value in zip(cells, want)):
            found.append(f'second {second}: expected {want}, got {cells}')
    return found + [f'no second {second}: {values}' for second, values in seconds.items()]


def conversations(wireshark, capture, analysis):
    """The frames that carry a flag, counted by Wireshark's own table of conversations."""
    flagged = sum(any(item.get('latency.flags.short') for item in items) for items in analysis.frames().values())
    text = wireshark.tshark('-q', '-r', capture, '-z', 'conv,tcp,latency.flags.short')
    # frames and bytes in each direction, then of both
    counted = [int(total) for total in re.findall(r'<->(?:.*?(?:bytes|kB|MB)){2} +(\d+) ', text)]
    return [] if sum(counted) == flagged > 0 else [f'{flagged} frames are short, conv,tcp has {counted}']


def slowest(wireshark, capture, analysis):
    table = wireshark.tshark('-q', '-r', capture, '-z', 'latency,requests')
    text = subprocess.run("awk -F'|' '$11 ~ /^answered/' | sort -t'|' -k5 -rn | head", shell=True, input=table, capture_output=True, text=True).stdout
    times = [row['first_byte'] for row in analysis.request_rows() if row['first_byte'] is not None]
    want = sorted(times, reverse=True)[:10]
    got = [float(line.split('|')[4]) for line in text.splitlines()]
    return [] if len(got) == len(want) and all(abs(a - b / 10**6) <= 0.00051 for a, b in zip(got, want)) else [f'{got} is not {want}']


RECIPES = {io_stat: 'generated/request_retransmitted.pcap', conversations: 'tcp/http_20k_offload_off.pcap', slowest: 'generated/both_close_unanswered.pcap'}


def run(context, recipe, path):
    analysis = reference.analyse(CAPTURES / path, reference.Options(known_ports=context.known_ports))
    return recipe(context.wireshark, CAPTURES / path, analysis)


def cases(context):
    for recipe, path in RECIPES.items():
        yield f'README recipe {recipe.__name__}', functools.partial(run, context, recipe, path)
