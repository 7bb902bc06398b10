# SPDX-License-Identifier: GPL-2.0-or-later
"""The steps of a run: what each is made of, and in which order they stand."""
import functools

import asked
import ca
import calls_recorded
import calls_told
import captures
import configuring
import conformance
import costs
import described
import dialog
import dns_udp
import ends
import exports
import foreign
import framing
import http2
import installed
import installing
import live
import live_view
import malformed
import merge
import merge_sanitized
import metrics
import needs
import other_wiresharks
import outputs
import programs
import protocols
import pva
import quic
import report_calls
import report_page
import sanitized
import scan
import stages
import simulated
import started
import summary
import tls_handshakes
import unsuited
import waits
import window
import wireshark_captures
import with_plugin
from context import Context
from needs import RUNS
from outline import Step
from script import Script

OF_WIRESHARK = {'Channel Access': ca, 'pvAccess': pva, 'captures': captures, 'captures at several points': stages, 'many requests in flight': framing, 'handshakes of TLS': tls_handshakes, 'ends of conversations': ends, 'streams, long polls and pushes': waits, 'captures of others': foreign,
                'HTTP/2': http2, 'DNS over UDP': dns_udp, 'QUIC and HTTP/3': quic, 'the summary': summary, 'protocols that Wireshark pairs': protocols}


@functools.cache
def script(context):
    return Script(context.wireshark)


# The steps, in their order, each with the run that it is in first: quick, what an edit may have broken; here, what this machine's Wireshark,
# compiler and kernel can show in ten minutes; all, what needs other systems, a cluster, an idle machine or much time.
STEPS = {
    'unit tests, sanitized': ('quick', programs.unit_groups),
    'what the fuzzers kept, sanitized': ('quick', programs.corpora_groups),
    'generated captures': ('quick', programs.scenarios_groups),
    'the reference': ('quick', programs.reference_groups),
    'Lua, checked': ('quick', programs.luacheck_groups),
    'installing': ('here', installing.groups),
    'configuring': ('here', lambda context: configuring.groups(lambda: {name: run for name, (run, _) in STEPS.items()})),
    **{name: ('quick', module.groups) for name, module in OF_WIRESHARK.items()},
    'simulated networks': ('here', simulated.groups),
    'simulated networks, more': ('all', simulated.more_groups),
    'latency-scan': ('quick', lambda context: [*scan.groups(context), *described.groups(context)]),
    "latency-scan, Wireshark's test captures": ('here', wireshark_captures.groups),
    'latency-report': ('quick', lambda context: [*report_page.groups(context), *report_calls.groups(context)]),
    'latency-export': ('quick', exports.groups),
    'metrics': ('quick', metrics.groups),
    'the live view': ('quick', live_view.groups),
    'recorded calls': ('quick', calls_recorded.groups),
    'causes of calls': ('quick', calls_told.groups),
    'outputs': ('quick', outputs.groups),
    'a Wireshark that it was not built for': ('quick', unsuited.groups),
    'many captures, merged': ('all', merge.groups),
    'many captures, merged, sanitized': ('all', merge_sanitized.groups),
    'Lua, the same answers': ('here', lambda context: conformance.groups(context, script(context))),
    'Lua, in the plugin folder': ('here', installed.groups),
    'Lua, malformed captures': ('all', lambda context: malformed.groups(context, script(context))),
    'who asks is answered': ('all', asked.groups),
    'captures, sanitized': ('all', sanitized.groups),
    'tshark, started for each capture': ('here', started.groups),
    "Wireshark's window": ('here', window.groups),
    'many captures, through Slurm and GNU parallel': ('all', programs.slurm_groups),
    'redis-benchmark': ('all', framing.benchmark_groups),
    'captures made to cost much': ('all', costs.groups),
    'kernel-stages, live': ('here', live.groups),
    'kernel-stages and the plugin, live': ('here', with_plugin.groups),
    "kernel-stages in Wireshark's window": ('here', dialog.groups),
    'other Wiresharks': ('all', other_wiresharks.groups)}
ALONE = ('many captures, through Slurm and GNU parallel', 'redis-benchmark', 'captures made to cost much', 'kernel-stages, live',
         'kernel-stages and the plugin, live', "kernel-stages in Wireshark's window", 'other Wiresharks')
WAITING = ("Wireshark's window",)
IN_ANOTHER_WIRESHARK = (*OF_WIRESHARK, 'latency-scan', 'latency-report', 'latency-export', 'many captures, merged', 'Lua, the same answers', 'Lua, in the plugin folder', 'tshark, started for each capture', "Wireshark's window")


def chosen(which):
    """The names of the steps of a run, or of those in another Wireshark."""
    if which not in RUNS:
        return list(IN_ANOTHER_WIRESHARK)
    return [name for name, (first, _) in STEPS.items() if RUNS.index(first) <= RUNS.index(which)]


class Steps:
    """What the steps share is made before their lanes begin, and goes when they have ended. `left_out`: the names of steps that another run has."""

    def __init__(self, options):
        names = chosen(options.which)
        self.left_out = [name for name in STEPS if name not in names] if options.which in RUNS and not options.step else []
        names = [name for name in names if options.step in (None, name)]
        self.context = Context(options.builds, options.which)
        self.names = needs.having(options.which, {name: STEPS[name][1] for name in names}, options.k) if options.k else names

    def __enter__(self):
        self.steps = [Step(name, list(STEPS[name][1](self.context)), alone=name in ALONE, waits=name in WAITING) for name in self.names]
        return self

    def __exit__(self, *_):
        self.context.close()
