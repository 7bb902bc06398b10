# SPDX-License-Identifier: GPL-2.0-or-later
"""latency-scan prints what tshark prints of Wireshark's own test captures: all tables, and the JSON lines. tests/wireshark_captures.sh gets them."""
import functools
import os
import pathlib

import scan
from outline import Group, Skipped
from scan import ALL, differences
from tools import ROOT, SANITIZED

FOLDER = pathlib.Path(os.environ.get('WIRESHARK_CAPTURES', ROOT / 'build/wireshark-captures'))
# Of which tshark says more, at most ten, and why; docs/bounds-internal.md has them, too. Without decryption both say the same of all but the last.
TLS, WIREGUARD = 'the file has the keys of its TLS', 'the file has the keys of its WireGuard tunnel'
EXCEPTED = {
    'challenge01_ooo_stream.pcapng.gz': TLS,
    'http2-brotli.pcapng': TLS,
    'http2_follow_multistream.pcapng': TLS,
    'quic-with-secrets.pcapng': TLS,
    'tls-fragmented-over-tcp-segmented.pcapng.gz': TLS,
    'tls12-dsb.pcapng': TLS,
    'wireguard-ping-tcp-dsb.pcapng': WIREGUARD,
}
UNDECRYPTED = {TLS: ['--disable-protocol', 'tls'], WIREGUARD: ['--disable-protocol', 'wg']}
ENDINGS = '.pcap', '.pcapng', '.pcap.gz', '.pcapng.gz', '.pcap.lz4', '.pcap.zst', '.cap', '.ntar', '.ntar.gz'


def same(context, path):
    """As byte for byte as scan.py's captures, the exit status apart; and what the sanitizers say."""
    options = UNDECRYPTED.get(EXCEPTED.get(path.name), [])
    lines = [context.wireshark.base / f'{path.name}.{number}.jsonl' for number in range(2)]
    printed = context.wireshark.run('tshark', '-n', '-q', '-r', path, *options, *ALL, '-z', f'latency,json,{lines[0]}')
    scanned = scan.run(context.scan, *ALL, '--json', lines[1], path)
    wrong = differences(scan.ADDED.sub('', scanned.stdout.decode()), printed.stdout)
    texts = [line.read_text() if line.exists() else '' for line in lines]
    wrong += differences(texts[1], texts[0])
    sanitized = scan.run(context.builds / 'asan/bin/latency-scan', *ALL, '--json', '/dev/null', path, **SANITIZED)
    said = sanitized.stderr.decode()
    if sanitized.returncode != scanned.returncode or 'Sanitizer' in said or 'runtime error' in said:
        wrong.append(f'sanitized: {sanitized.returncode}: {said[:1500]}')
    for line in lines:
        line.unlink(missing_ok=True)
    return wrong


def needed(context, path):
    """What is excepted differs, if nobody tells tshark to decrypt less."""
    printed = context.wireshark.run('tshark', '-n', '-q', '-r', path, *ALL).stdout
    scanned = scan.run(context.scan, *ALL, path).stdout.decode()
    return [] if differences(scan.ADDED.sub('', scanned), printed) else ['it does not differ']


def not_here():
    raise Skipped(f'there are no captures in {FOLDER}: tests/wireshark_captures.sh gets them')


def documented():
    text = (ROOT / 'docs/bounds-internal.md').read_text()
    return [name for name in EXCEPTED if name not in text] + ([] if len(EXCEPTED) <= 10 else ['more than ten'])


def cases(context):
    paths = sorted(path for path in FOLDER.rglob('*') if path.name.endswith(ENDINGS))
    yield 'exceptions are documented', documented
    if not paths:
        yield 'all', not_here
    for path in paths:
        yield path.name, functools.partial(same, context, path)
        if path.name in EXCEPTED:
            yield f'{path.name} differs', functools.partial(needed, context, path)


def groups(context):
    return [Group('captures', lambda: cases(context))]
