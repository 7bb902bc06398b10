#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What kernel-stages takes of a server at full speed: cost.py KERNEL_STAGES [ROUNDS [SECONDS]]

memcached and eight connections that ask again once they are answered (load.c), with each recorder by turns, and before and after it without. A get costs the processor time
of the client, of the server and of the recorder together: where the processors are the limit, throughput is its inverse, whatever else the machine does. Medians of all
rounds, of which each compares with its own two runs without a recorder, and the quarters of the rounds in between.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PORT, CONNECTIONS = 21398, 8
KINDS = {'a filter on another port': ['-p', '9'], 'all stages': ['-p', PORT], 'all stages, --sample 1/1': ['-p', PORT, '-m', '1/1'], 'all stages, --sample 1/4': ['-p', PORT, '-m', '1/4'],
         '-S rx:driver,app,tx:driver': ['-p', PORT, '-S', 'rx:driver,app,tx:driver'], '--summary 1': ['-p', PORT, '-u', '1']}


def used(pid):
    """Seconds of processor time."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def run(program, options, load, server, folder, seconds):
    """Microseconds of client and server, and of the recorder, for each get."""
    recorder = None
    if options:
        path = folder / 'recording.pcapng'
        path.unlink(missing_ok=True)
        write = [] if '-u' in options else ['-w', path]
        recorder = subprocess.Popen([program, *map(str, [*options, *write])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 10
        while write and time.monotonic() < limit and not (path.exists() and path.stat().st_size):
            time.sleep(0.05)
        time.sleep(0.5 if write else 2)
    before = used(recorder.pid) if recorder else 0
    said = subprocess.run([load, str(PORT), str(seconds), str(CONNECTIONS), str(server.pid)], capture_output=True, text=True, check=True).stdout.split()
    gets, both = int(said[0]), float(said[2])
    own = used(recorder.pid) - before if recorder else 0
    if recorder:
        recorder.terminate()
        recorder.wait(timeout=60)
    return both / gets * 1e6, own / gets * 1e6


def main():
    program, rounds, seconds = sys.argv[1], int((sys.argv[2:] or [7])[0]), float((sys.argv[3:] or [1])[0])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        load = folder / 'load'
        subprocess.run(['cc', '-O2', '-D_GNU_SOURCE', '-o', load, pathlib.Path(__file__).parent / 'load.c'], check=True)
        server = subprocess.Popen(['memcached', '-u', 'nobody', '-l', '127.0.0.1', '-p', str(PORT), '-t', '2', '-U', '0'])
        time.sleep(0.5)
        try:
            measured = {kind: [] for kind in KINDS}
            for _ in range(rounds):
                for kind, options in KINDS.items():
                    measured[kind].append([run(program, each, load, server, folder, seconds) for each in (None, options, None)])
        finally:
            server.terminate()
            server.wait()
    print(f'{"recorder":<30}µs a get without   client and server   recorder   throughput by processor time')
    for kind, rounds in measured.items():
        without, both, own = (statistics.median(column) for column in zip(*(((before[0] + after[0]) / 2, *row[:2]) for before, row, after in rounds)))
        shares = statistics.quantiles([(before[0] + after[0]) / 2 / (row[0] + row[1]) for before, row, after in rounds], method='inclusive')
        print(f'{kind:<30}{without:16.1f} {both:19.1f} {own:10.1f} {shares[1]:10.0%} ({shares[0]:.0%} to {shares[2]:.0%})')


if __name__ == '__main__':
    main()
