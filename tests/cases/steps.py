# SPDX-License-Identifier: GPL-2.0-or-later
"""The steps of a run: what each is made of, and in which order they stand."""
import ca
import captures
import conformance
import costs
import dialog
import dns_udp
import ends
import foreign
import framing
import http2
import installed
import installing
import live
import malformed
import merge
import merge_sanitized
import other_wiresharks
import pipelines
import programs
import protocols
import pva
import report_page
import sanitized
import scan
import stages
import simulated
import started
import tls_handshakes
import window
import wireshark_captures
import with_plugin
from context import Context
from outline import Step
from script import Script

OF_WIRESHARK = {'Channel Access': ca, 'pvAccess': pva, 'captures': captures, 'captures at several points': stages, 'many requests in flight': framing, 'handshakes of TLS': tls_handshakes, 'ends of conversations': ends, 'captures of others': foreign,
                'HTTP/2': http2, 'DNS over UDP': dns_udp, 'protocols that Wireshark pairs': protocols}


class Steps:
    """What the steps share is made before their lanes begin, and goes when they have ended."""

    def __init__(self, options):
        self.context = Context(options.builds, options.which)

    def __enter__(self):
        context = self.context
        of_wireshark = [Step(name, list(module.groups(context))) for name, module in OF_WIRESHARK.items()]
        if context.is_quick:
            return [programs.unit_step(context), programs.corpora_step(context), programs.scenarios_step(context), programs.reference_step(context),
                    programs.luacheck_step(context), *of_wireshark, Step('latency-scan', list(scan.groups(context))), report_page.step(context)]
        script = Script(context.wireshark)
        lua = Step('Lua, the same answers', list(conformance.groups(context, script)))
        in_plugin_folder = Step('Lua, in the plugin folder', list(installed.groups(context)))
        tshark = Step('tshark, started for each capture', list(started.groups(context)))
        if context.is_elsewhere:
            return [*of_wireshark, lua, in_plugin_folder, tshark, Step("Wireshark's window", list(window.groups(context)))]
        return [
            programs.unit_step(context), programs.corpora_step(context), programs.scenarios_step(context), programs.reference_step(context),
            programs.luacheck_step(context), installing.step(context), *of_wireshark,
            Step('many requests in flight, made up', list(pipelines.groups(context))),
            Step('simulated networks', list(simulated.groups(context))),
            Step('latency-scan', list(scan.groups(context))), wireshark_captures.step(context), report_page.step(context),
            Step('many captures, merged', list(merge.groups(context))),
            Step('many captures, merged, sanitized', list(merge_sanitized.groups(context))), lua, in_plugin_folder,
            Step('Lua, malformed captures', list(malformed.groups(context, script))),
            Step('captures, sanitized', list(sanitized.groups(context))), tshark,
            Step("Wireshark's window", list(window.groups(context))),
            programs.slurm_step(context), framing.benchmark_step(context), Step('captures made to cost much', list(costs.groups(context)), alone=True),
            Step('kernel-stages, live', list(live.groups(context)), alone=True),
            Step('kernel-stages and the plugin, live', list(with_plugin.groups(context)), alone=True),
            Step("kernel-stages in Wireshark's window", list(dialog.groups(context)), alone=True),
            other_wiresharks.step(context)]

    def __exit__(self, *_):
        self.context.close()
