#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws a request's time: python3 docs/request-time.py writes docs/request-time.svg, which docs/measuring.md shows."""
import pathlib

PICTURE = pathlib.Path(__file__).resolve().with_suffix('.svg')
WIDTH, HEIGHT, TOP, BOTTOM = 860, 490, 45, 475
LINES = ('client', 125), ('capture', 245), ('server', 365)
TRANSIT = 40  # from the client to the server, or back; the capture is in the middle
# A packet's name, whether the client sends it, when the client has it, and what measuring.md calls it.
PACKETS = (
    ('SYN', True, 60, ''),
    ('SYN-ACK, then ACK', False, 140, ''),
    ('', True, 142, ''),
    ('request, first byte', True, 210, 'q0'),
    ('request, last byte', True, 240, 'q1'),
    ('response, first byte', False, 410, 'p0'),
    ('response, last byte', False, 460, 'p1'),
)
# A field: where its bracket stands, begins and ends.
FIELDS = (
    ('connect.time', 490, 80, 120),
    ('network.server', 610, 80, 120),
    ('network.client', 490, 120, 162),
    ('request_spread', 490, 230, 260),
    ('service', 490, 260, 390),
    ('transfer', 490, 390, 440),
    ('first_byte', 610, 230, 390),
    ('(TTFB)', 610, 230, 422),
    ('last_byte', 725, 230, 440),
    ('(duration)', 725, 230, 472),
    ('server_time', 380, 280, 370),
)
STYLE = '''
text { font: 12px sans-serif; fill: #1f2328 }
.point { font-weight: bold; fill: #0969da }
.field { font: 12px monospace }
path { fill: none; stroke: #1f2328; stroke-width: 1.5 }
.packet { stroke: #0969da }
.guide { stroke: #d0d7de; stroke-dasharray: 3 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .point { fill: #58a6ff }
  path { stroke: #e6edf3 }
  .packet { stroke: #58a6ff }
  .guide { stroke: #484f58 }
}
'''


def text(x, y, words, kind='', anchor='start'):
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def path(drawn, kind=''):
    return f'<path d="{drawn}" class="{kind}"/>'


def packet(name, from_client, at_client, point):
    """Draws it as an arrow, with its name where the client has it, and the point's where the capture has it."""
    (_, client), (_, capture), (_, server) = LINES
    at_server = at_client + TRANSIT if from_client else at_client - TRANSIT
    at_capture = (at_client + at_server) // 2
    end, head_at, back = (server, at_server, -8) if from_client else (client, at_client, 8)
    drawn = [path(f'M{client} {at_client} L{server} {at_server}', 'packet'),
             path(f'M{end + back} {head_at - 7} L{end} {head_at} L{end + back} {head_at + 1}', 'packet'),
             text(client - 8, at_client + 4, name, anchor='end')]
    return drawn + ([text(capture + 6, at_capture - 4, point, 'point')] if point else [])


def field(name, x, begin, end):
    """Draws its bracket; a name in parentheses stands below the one before."""
    if name.startswith('('):
        return [text(x + 9, (begin + end) // 2 + 6, name)]
    return [path(f'M{x - 5} {begin + 1} H{x} V{end - 1} H{x - 5}'), text(x + 9, (begin + end) // 2 + 4, name, 'field')]


def picture():
    drawn = []
    for y, end in ((80, 610), (120, 610), (161, 490), (230, 725), (260, 490), (390, 610), (440, 725)):
        drawn.append(path(f'M{LINES[1][1]} {y} H{end}', 'guide'))
    for name, x in LINES:
        drawn += [path(f'M{x} {TOP} V{BOTTOM}'), text(x, TOP - 12, name, anchor='middle')]
    for one in PACKETS:
        drawn += packet(*one)
    for one in FIELDS:
        drawn += field(*one)
    return '\n'.join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">',
                      '<title>The time of a request, and the fields that measure it</title>', f'<style>{STYLE}</style>', *drawn, '</svg>']) + '\n'


if __name__ == '__main__':
    PICTURE.write_text(picture())
