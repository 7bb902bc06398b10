# SPDX-License-Identifier: GPL-2.0-or-later
"""What two published ways to tell which request caused which, without ids and without looking into programs, say: to be compared with (docs/calls.md).

Each takes the rows of all requests (lines of type request of the JSON lines: numbers, endpoints, times) and gives {number of a call: number of its
cause}. A call is a request whose client is a server of the capture; its candidates are the requests to that host that contain it in time: they were
read whole before it was asked, and their response does not end before its own.

`first_come`: first come, first served, the baseline FCFS of TraceWeaver (Ashok et al., "TraceWeaver: Distributed Request Tracing for Microservices
Without Application Modification", SIGCOMM 2024), which takes requests to be served in the order of their arrival: the candidate that came first.
`in_turn`: the same, but a request that has had a call of the same operation (digits aside) is behind those that have not.

`nearest_start`: the candidate that came last. So links WAP5 (Reynolds et al., "WAP5: Black-box Performance Debugging for Wide-Area Systems", WWW 2006)
a message to the one before it that most likely caused it, where delays are taken to be exponential: of several, the shortest delay is the likeliest.
Containment, which WAP5 does not ask for, can but help it. vPath (Tak et al., USENIX ATC 2009) asks for the thread, which no capture has.
"""
import collections
import re

ENDLESS_NS = 1 << 63


def candidates(rows):
    """Yields each call and its candidates, which came first standing first."""
    asked = collections.defaultdict(list)
    for row in sorted(rows, key=lambda row: (row['request_time'], row['number'])):
        asked[row['server']].append(row)
    for row in rows:
        end = row.get('response_end_time', row['request_time'])
        if row['client'] in asked:
            yield row, [each for each in asked[row['client']] if each.get('request_end_time', each['request_time']) <= row['request_time'] and
                        end <= each.get('response_end_time', ENDLESS_NS)]


def first_come(rows):
    return {row['number']: some[0]['number'] for row, some in candidates(rows) if some}


def in_turn(rows):
    told, had = {}, set()
    for row, some in sorted(candidates(rows), key=lambda pair: (pair[0]['request_time'], pair[0]['number'])):
        kind = row['server'], row['server_port'], re.sub(r'\d+', '', row.get('operation', ''))
        if some:
            told[row['number']] = next((each['number'] for each in some if (each['number'], kind) not in had), some[0]['number'])
            had.add((told[row['number']], kind))
    return told


def nearest_start(rows):
    return {row['number']: some[-1]['number'] for row, some in candidates(rows) if some}


BASELINES = {'first come, first served': first_come, 'first come, first served, in turn': in_turn, 'nearest start': nearest_start}
