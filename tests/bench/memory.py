#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a request and an open connection take of latency-scan's memory: memory.py LATENCY-SCAN [--long]

Prints bytes of each, for some tables and for JSON: the peak memory of 400 000 requests less that of 100 000, on the same 100 connections; and that of
22 000 connections less that of 2000, of ten requests each. --long adds the peak of 10 million requests to ten servers, with a thousand operations.
"""
import pathlib
import subprocess
import sys
import tempfile

BENCH = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(BENCH.parent / 'cases'))
from tools import peak_kib  # noqa: E402

OUTPUTS = {name: ('-z', f'latency,{name}') for name in ('servers', 'operations', 'requests', 'connects', 'json')}


def write(folder, requests):
    path = folder / f'{requests}.pcap'
    subprocess.run([BENCH / 'requests.py', path, str(requests), '--snaplen', '200'], check=True)
    return path


def again(folder, path, times):
    """The path of the capture so many times, of other clients each time."""
    written = folder / f'{times} times {path.name}'
    with open(written, 'wb') as file:
        subprocess.run([folder / 'again', path, str(times), 'clients'], check=True, stdout=file)
    return written


def peak(program, *arguments, **streams):
    """Bytes."""
    kib = peak_kib(program, *arguments, **streams)
    if kib < 0:
        sys.exit(f'{program} has failed: {" ".join(map(str, arguments))}')
    return kib * 1024


def main(program, long):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(['cc', '-O2', '-o', folder / 'again', BENCH / 'again.c'], check=True)
        few, many = write(folder, 100_000), write(folder, 400_000)
        connections = write(folder, 1000)
        some, more = again(folder, connections, 20), again(folder, connections, 220)
        for kind, arguments in OUTPUTS.items():
            request = (peak(program, '-j', '1', *arguments, many) - peak(program, '-j', '1', *arguments, few)) / 300_000
            connection = (peak(program, '-j', '1', *arguments, more) - peak(program, '-j', '1', *arguments, some)) / 20_000
            print(f'latency,{kind}: {request:.1f} bytes a request, {connection:.0f} an open connection', flush=True)
        if long:
            writer = subprocess.Popen([folder / 'again', few, '100', 'clients'], stdout=subprocess.PIPE)
            most = peak(program, '-z', 'latency,servers', '-z', 'latency,operations', '-', stdin=writer.stdout)
            if writer.wait():
                sys.exit('The capture could not be written.')
            print(f'10 million requests, servers and operations: {most / 10**6:.0f} MB')


if __name__ == '__main__':
    if sys.argv[2:] not in ([], ['--long']):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:] == ['--long'])
