# SPDX-License-Identifier: GPL-2.0-or-later
"""What the cases of a run of the suite share: the plugins with Wireshark around them, and which captures and cases are wanted."""
import functools
import pathlib
import subprocess

from tools import ROOT, Wireshark

# Captures that differ in kind: these go through tshark started for each, and through the Wireshark between Debian's oldest and newest.
DOZEN = ['generated/many.pcap', 'generated/ipv6.pcap', 'generated/sll2.pcap', 'generated/reordering.pcap', 'tcp/http_2m_offload_on.pcap',
         'tcp/tls.pcap', 'ca/allcmd.pcap', 'ca/unanswered.pcap', 'ca/nameserver.pcap', 'pva/cpp.pcap', 'framing/redis_odd.pcap', 'framing/http_tls13.pcapng',
         'kernel/stages-lo.pcapng']


def quick(check):
    """Marks a case that looks at nothing but the one run over its capture (reading.py)."""
    check.is_quick = True
    return check


def every_capture(folder=''):
    """Paths below captures/."""
    captures = ROOT / 'captures'
    return sorted(str(path.relative_to(captures)) for path in (captures / folder).rglob('*.pcap*'))


class Context:
    """`which`: quick, only the cases marked so; whole or dozen, of all captures or of the dozen in another Wireshark; here and all have
    every case. `stand_in`: for each Wireshark, where names of cases are asked for."""

    def __init__(self, builds, which, stand_in=None):
        self.builds, self.is_quick, self.is_elsewhere, self.dozen = pathlib.Path(builds), which == 'quick', which in ('whole', 'dozen'), which == 'dozen'
        self.merge, self.plugin = self.builds / 'release/bin/latency-merge', self.builds / 'release/latency.so'
        # The sanitizers are there where tests/run.sh builds, and not in another Debian.
        self.scans = [self.builds / build / 'bin/latency-scan' for build in ('release', *(() if self.is_elsewhere else ('asan',)))]
        if stand_in:
            self.wireshark = self.sanitized = self.leak_finder = stand_in
        self.scan, self.report = self.builds / 'release/bin/latency-scan', self.builds / 'release/bin/latency-report'
        self.export, self.sanitized_export = (self.builds / build / 'bin/latency-export' for build in ('release', 'release' if self.is_elsewhere else 'asan'))

    @functools.cached_property
    def wireshark(self):
        return Wireshark(self.plugin)

    @functools.cached_property
    def sanitizer(self):
        return subprocess.run(['gcc', '-print-file-name=libasan.so'], capture_output=True, text=True, check=True).stdout.strip()

    def make_sanitized(self, **options):
        return Wireshark(self.builds / 'asan/latency.so', self.sanitizer, **options)

    @functools.cached_property
    def sanitized(self):
        return self.make_sanitized()

    @functools.cached_property
    def leak_finder(self):
        return self.make_sanitized(finds_leaks=True)

    @functools.cached_property
    def known_ports(self):
        return self.wireshark.registered_tcp_ports()

    def wants(self, path):
        return not self.dozen or path in DOZEN

    def checks(self, *owners):
        """(name, function) of each function or method `check_NAME` of the owners that is wanted."""
        for owner in owners:
            for name in dir(owner):
                if name.startswith('check_'):
                    check = getattr(owner, name)
                    if not self.is_quick or getattr(check, 'is_quick', False):
                        yield name.removeprefix('check_').replace('_', ' '), check

    def close(self):
        for name in 'wireshark', 'sanitized', 'leak_finder':
            if name in self.__dict__:
                self.__dict__[name].close()
