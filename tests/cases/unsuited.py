# SPDX-License-Identifier: GPL-2.0-or-later
"""A plugin that was built for a release of Wireshark which never was: Wireshark says why it is not used, and does what it does without it."""
import functools
import re
import subprocess

from outline import Group
from tools import ROOT, Wireshark

CAPTURE = ROOT / 'captures/tcp/shop.pcap'
MADE_UP = '3.9.1'


class Refused:
    """tshark with that plugin, started once for each of its cases."""

    def __init__(self, context):
        self.context = context
        self.reason = re.compile(rf'built for Wireshark {re.escape(MADE_UP)}, and this is {re.escape(context.wireshark.version)}\.\d+')

    @functools.cached_property
    def wireshark(self):
        return Wireshark(self.context.builds / 'asan/tests/unsuited/latency.so', self.context.sanitizer)

    def run(self, *arguments):
        """Without extcap programs, which a tshark with a sanitizer does not get to answer."""
        command = self.wireshark.command('tshark', *arguments)
        at = command.index('tshark')
        command[at:at] = [f'WIRESHARK_EXTCAP_DIR={self.wireshark.base}/none']
        result = subprocess.run(command, capture_output=True, text=True, errors='replace', stdin=subprocess.DEVNULL, timeout=120)
        return result, [f'exit code {result.returncode}: {result.stderr}'] if result.returncode else []

    def says(self):
        """Once, on stderr; and what is printed of frames is what Wireshark prints without a plugin."""
        result, found = self.run('-n', '-r', CAPTURE)
        without = self.context.wireshark.start('tshark', '-n', '-r', CAPTURE, plugin=False)
        found += [] if len(self.reason.findall(result.stderr)) == 1 else [result.stderr]
        return found + ([] if result.stdout == without.stdout and result.stdout else ['the frames are not those without a plugin'])

    def is_listed(self):
        """With the reason, among the plugins."""
        result, found = self.run('-G', 'plugins')
        lines = [line for line in result.stdout.splitlines() if line.startswith('latency')]
        return found + ([] if len(lines) == 1 and self.reason.search(lines[0]) and '(not used: ' in lines[0] else [result.stdout])

    def has_nothing(self):
        """No field, no table."""
        result, found = self.run('-G', 'fields')
        found += ['there are fields'] if re.search(r'\tlatency\.|\tca\.', result.stdout) else []
        result = self.wireshark.start('tshark', '-n', '-q', '-r', CAPTURE, '-z', 'latency,servers')
        return found + ([] if 'Invalid -z argument' in result.stderr and result.returncode not in (0, 134, 139) else [result.stderr])


def cases(context):
    refused = Refused(context)
    try:
        yield 'it is said', refused.says
        yield 'it is listed with the reason', refused.is_listed
        yield 'nothing is registered', refused.has_nothing
    finally:
        if 'wireshark' in vars(refused):
            refused.wireshark.close()


def groups(context):
    return [Group('', functools.partial(cases, context))]
