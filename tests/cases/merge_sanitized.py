# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-merge, sanitized: what tshark writes of each capture, whole and cut in two, in each of the three contents; and lines that are
mutilated. A sanitizer's report, memory that was not freed, or a refusal is a failure.
"""
import functools
import pathlib
import random
import shutil
import subprocess
import tempfile

import json_lines
import merge_files
from context import every_capture
from outline import Group
from tools import ROOT, SANITIZED

FEW_FRAMES = 12  # a capture of so many is cut after each


def sanitized_program(wireshark, merge):
    """A program that runs latency-merge so that the sanitizers see all they can."""
    path = wireshark.base / 'latency-merge'
    settings = ' '.join(f"'{name}={value}'" for name, value in SANITIZED.items())
    path.write_text(f'#!/bin/sh\nexec env {settings} "{pathlib.Path(merge).resolve()}" "$@"\n')
    path.chmod(0o755)
    return path


def cuts(capture):
    """The frames after which it is cut in two; the same ones in every run. Not all that pcapng has can be written by editcap."""
    if capture.suffix != '.pcap':
        return []
    frames = int(subprocess.run(['capinfos', '-McrT', capture], check=True, capture_output=True, text=True).stdout.split('\t')[1])
    if frames < FEW_FRAMES:
        return range(1, frames)
    return [random.Random(capture.name).randrange(1, frames)]


def lines_of_pieces(wireshark, capture, folder, cut):
    """Of the capture cut after a frame, or of the whole for None: what tshark writes of each piece."""
    pieces = [capture]
    if cut:
        pieces = [folder / 'first.pcap', folder / 'second.pcap']
        for piece, keeps in zip(pieces, (['-r'], [])):
            subprocess.run(['editcap', *keeps, capture, piece, f'1-{cut}'], check=True, capture_output=True)
            piece.chmod(0o644)
    return [json_lines.write(wireshark, piece, name=f'{folder.name}/written.jsonl')[1] for piece in pieces]


def check_capture(wireshark, merge, capture):
    found, folder = [], pathlib.Path(tempfile.mkdtemp(dir=wireshark.base))
    folder.chmod(0o777)
    for cut in [None, *cuts(capture)]:
        files = lines_of_pieces(wireshark, capture, folder, cut)
        for content in json_lines.CONTENTS:
            paths = [folder / f'{number}.{content}' for number in range(len(files))]
            for path, lines in zip(paths, files):
                path.write_text(''.join(line + '\n' for line in json_lines.reduced(lines, content)))
            result = merge_files.run(merge, '--in-order', *paths)
            if result.returncode:
                found.append(f'cut after {cut}, {content}: exit code {result.returncode}: {result.stderr[:1500]}')
    shutil.rmtree(folder)
    return found


def groups(context):
    program = sanitized_program(context.wireshark, context.builds / 'asan/bin/latency-merge')
    for path in every_capture():
        yield Group(path, lambda path=path: [('', functools.partial(check_capture, context.wireshark, program, ROOT / 'captures' / path))])
    files = merge_files.Files(context.wireshark, program)
    yield Group('mutilated lines', lambda: [('', functools.partial(merge_files.check_mutilated, files))])
