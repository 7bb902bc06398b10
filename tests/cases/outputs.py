# SPDX-License-Identifier: GPL-2.0-or-later
"""What is written replaces nothing but what the same program made before, appears when it is whole, and leaves nothing beside it."""
import contextlib
import functools
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from outline import Group, Skipped
from tools import ROOT

CAPTURE = ROOT / 'captures/tcp/shop.pcap'
NOBODY = 65534
MOST_BYTES = 4096  # where a file's size is limited; all outputs are larger
TEXT = b'Dear diary,\n'
ENDS = {'lines': (b'{"type":"capture"', b'}\n'), 'page': (b'<!DOCTYPE html>', b'</html>\n'), 'otlp': (b'{"resourceSpans":', b'}]}]}]}\n'),
        'har': (b'{"log":', b']}}\n'), 'trace': (b'{"otherData":', b']}\n'), 'metrics': (b'# wireshark-latency ', b'\n')}  # of each kind of file
NO_SPANS = b'{"resourceSpans":[]}\n'
EXPORTS = 'otlp', 'har', 'trace'


class Maker:
    """A program that writes OUT of IN: `words` of its command line. `own`: the other name of what it makes; `damage`: IN as it cannot be read."""

    def __init__(self, context, name, source, words, kind):
        self.context, self.name, self.source, self.words, self.kind = context, name, source, words, kind

    def command(self, given, output):
        return [str(word) for word in self.words(given, output)]

    @property
    def is_tshark(self):
        return self.name.startswith('tshark')

    def run(self, given, output, folder, **options):
        """As a user who is not root, with `folder` for temporary files."""
        user = {'user': NOBODY, 'group': NOBODY, 'extra_groups': []} if os.geteuid() == 0 and not self.is_tshark else {}
        return subprocess.run(self.command(given, output), capture_output=True, text=True, errors='replace', timeout=120,
                              env={**os.environ, 'TMPDIR': str(folder), 'LC_ALL': 'C.UTF-8'}, **user, **options)


def makers(context):
    def through_tshark(given, output):
        return context.wireshark.command('tshark', '-n', '-q', '-r', given, '-z', f'latency,json,{output}')
    return [Maker(context, 'latency-scan --json', CAPTURE, lambda given, output: [context.scan, '-o', 'latency.json:rows', '--json', output, given], 'lines'),
            Maker(context, 'latency-scan --html', CAPTURE, lambda given, output: [context.scan, '--html', output, given], 'page'),
            Maker(context, 'latency-report', 'lines', lambda given, output: [context.report, given, '-o', output], 'page'),
            *(Maker(context, f'latency-scan --{kind}', CAPTURE, lambda given, output, kind=kind: [context.scan, f'--{kind}', output, given], kind) for kind in EXPORTS),
            Maker(context, 'latency-scan --openmetrics', CAPTURE, lambda given, output: [context.scan, '--openmetrics', output, given], 'metrics'),
            *(Maker(context, f'latency-export --{kind}', 'lines', lambda given, output, kind=kind: [context.export, given, f'--{kind}', output], kind) for kind in EXPORTS),
            Maker(context, 'tshark -z latency,json', CAPTURE, through_tshark, 'lines')]


class Folder:
    """A folder of its own, with IN, and what was made of it before."""

    def __init__(self, maker):
        self.maker, self.context = maker, maker.context

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=self.context.wireshark.base))
        made = self.context.wireshark.base / 'made'
        if not made.exists():
            fresh = pathlib.Path(tempfile.mkdtemp(dir=self.context.wireshark.base))
            subprocess.run([self.context.scan, '-o', 'latency.json:rows', '--json', fresh / 'lines', CAPTURE], check=True, capture_output=True)
            subprocess.run([self.context.report, fresh / 'lines', '-o', fresh / 'page'], check=True, capture_output=True)
            subprocess.run([self.context.export, fresh / 'lines', *(word for kind in EXPORTS for word in (f'--{kind}', fresh / kind))], check=True, capture_output=True)
            subprocess.run([self.context.scan, '--openmetrics', fresh / 'metrics', CAPTURE], check=True, capture_output=True)
            with contextlib.suppress(OSError):  # another group has made the same
                fresh.rename(made)
        self.made = {name: (made / name).read_bytes() for name in ENDS}
        self.given = self.put('in', self.made['lines'] if self.maker.source == 'lines' else CAPTURE.read_bytes())
        self.output = self.path / 'out'
        self.path.chmod(0o777)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def put(self, name, content, mode=0o666):
        path = self.path / name
        path.write_bytes(content)
        path.chmod(mode)
        return path

    def contents(self):
        """By name; a link has what it leads to."""
        return {path.name: path.read_bytes() if path.is_file() else None for path in self.path.iterdir()}

    def refused(self, *words, given=None, output=None, status=1, **options):
        """One sentence, an exit status, and nothing changed."""
        before, output = self.contents(), output or self.output
        result = self.maker.run(given or self.given, output, self.path, **options)
        found = [] if result.returncode == status else [f'exit status {result.returncode}: {result.stderr}']
        lines = [line for line in result.stderr.splitlines() if 'Running as user' not in line]
        found += [f'{word!r} is not in {result.stderr!r}' for word in words if word not in result.stderr]
        found += [] if len(lines) == 1 else [f'{len(lines)} lines: {result.stderr}']
        return found + self.changes(before)

    def changes(self, before):
        after = self.contents()
        return [f'{name} has changed' for name in sorted({*before, *after}) if before.get(name) != after.get(name)]

    def made_at(self, output, also=()):
        """It is made, and is whole; nothing else has changed."""
        before = self.contents()
        result = self.maker.run(self.given, output, self.path)
        found = [] if result.returncode == 0 else [f'exit status {result.returncode}: {result.stderr}']
        found += [] if is_whole(output.read_bytes(), self.maker.kind) else ['it is not whole']
        return found + [each for each in self.changes(before) if each.split()[0] not in {output.name, *also}]


def is_whole(content, kind):
    begin, end = ENDS[kind]
    return content.startswith(begin) and (content.endswith(end) or content == NO_SPANS)


def in_folder(check):
    @functools.wraps(check)
    def wrapped(maker):
        with Folder(maker) as folder:
            return check(folder)
    return wrapped


def only(applies):
    """Marks a check that is not of every maker."""
    def marked(check):
        check.applies = applies
        return check
    return marked


@in_folder
def check_capture(folder):
    folder.put('out', CAPTURE.read_bytes())
    return folder.refused('out" exists', 'not replaced')


@in_folder
def check_somebodys_text(folder):
    folder.put('out', TEXT)
    return folder.refused('out" exists', 'not replaced')


@in_folder
def check_another_kind_of_ours(folder):
    folder.put('out', folder.made['page' if folder.maker.kind == 'lines' else 'lines'])
    return folder.refused('out" exists', 'not replaced')


@in_folder
def check_what_is_read(folder):
    """By its name, a link and another name."""
    (folder.path / 'link').symlink_to(folder.given)
    os.link(folder.given, folder.path / 'hard')
    return [each for name in ('in', 'link', 'hard') for each in folder.refused(f'{name}" is the file that is read, and is not overwritten', output=folder.path / name)]


@only(lambda maker: maker.kind == 'lines')
@in_folder
def check_lines_that_are_read(folder):
    """Of the same kind as what would be written."""
    lines = folder.put('lines', folder.made['lines'])
    return folder.refused('lines', given=lines, output=lines, status=2 if folder.maker.is_tshark else 1)


@in_folder
def check_nothing_there(folder):
    before = os.umask(0)
    try:
        found = folder.made_at(folder.output)
    finally:
        os.umask(before)
    mode = folder.output.stat().st_mode & 0o777
    return found + ([] if mode == 0o666 else [f'mode {mode:o}'])


@in_folder
def check_empty_file(folder):
    folder.put('out', b'')
    return folder.made_at(folder.output)


@in_folder
def check_own_before(folder):
    """Replaced; its mode stays."""
    folder.put('out', folder.made[folder.maker.kind][:MOST_BYTES], 0o600)
    if os.geteuid() == 0:
        os.chown(folder.output, NOBODY, NOBODY)
    found = folder.made_at(folder.output)
    mode = folder.output.stat().st_mode & 0o777
    return found + ([] if mode == 0o600 else [f'mode {mode:o}'])


@in_folder
def check_link(folder):
    """What it leads to is replaced, in its folder."""
    elsewhere = folder.path / 'elsewhere'
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    target = elsewhere / 'target'
    target.write_bytes(folder.made[folder.maker.kind][:MOST_BYTES])
    target.chmod(0o666)
    folder.output.symlink_to(target)
    found = folder.made_at(folder.output)
    left = [path.name for path in elsewhere.iterdir()]
    return found + ([] if folder.output.is_symlink() and left == ['target'] else [f'{left}'])


@in_folder
def check_damaged(folder):
    """What was made before stays if nothing can be made now."""
    folder.put('out', folder.made[folder.maker.kind])
    content = folder.given.read_bytes()
    damaged = folder.put('damaged', content[:len(content) // 2] if folder.maker.source == 'lines' else TEXT * 100)
    return folder.refused('damaged', given=damaged, status=2 if folder.maker.is_tshark else 1)


@in_folder
def check_size_limit(folder):
    """A sentence, not the signal's end; what was made before stays."""
    folder.put('out', folder.made[folder.maker.kind])
    return folder.refused('File too large', preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES)))


@in_folder
def check_full(folder):
    return folder.refused('No space left', output='/dev/full')


@in_folder
def check_null(folder):
    result = folder.maker.run(folder.given, '/dev/null', folder.path)
    return [result.stderr] if result.returncode else []


@in_folder
def check_folder_that_is_not_there(folder):
    return folder.refused('No such file', output=folder.path / 'none/out')


@in_folder
def check_folder_that_is_not_ours(folder):
    folder.path.chmod(0o755)
    os.chmod(folder.path, 0o555)
    return folder.refused('Permission denied')


@in_folder
def check_file_that_is_not_to_be_written(folder):
    folder.put('out', folder.made[folder.maker.kind], 0o444)
    return folder.refused('Permission denied')


@in_folder
def check_part(folder):
    """A file of the user's that is called OUT.part."""
    folder.put('out.part', TEXT)
    found = folder.made_at(folder.output)
    os.unlink(folder.output)
    folder.path.chmod(0o555)
    return found + folder.refused('Permission denied')


@only(lambda maker: maker.kind == 'lines' or maker.source == 'lines')
@in_folder
def check_standard_output(folder):
    found = []
    for name in ('-', '/dev/stdout') if folder.maker.kind == 'lines' else ('/dev/stdout',):
        result = folder.maker.run(folder.given, name, folder.path)
        found += [] if result.returncode == 0 and is_whole(result.stdout.encode(), folder.maker.kind) else [f'{name}: {result.stderr}']
    return found


def soon(look, want):
    """What is looked at, as soon as it is what is wanted, or after a minute, for other tests may keep the processors."""
    end = time.monotonic() + 60
    while (got := look()) != want and time.monotonic() < end:
        time.sleep(0.02)
    return got


@in_folder
def check_ended_by_a_signal(folder):
    """Whenever it comes: what was made before, or what is made now, and nothing beside it."""
    folder.put('out', folder.made[folder.maker.kind])
    before, found = set(folder.contents()), []
    for number in range(9):
        ending = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[number % 3]
        with subprocess.Popen(folder.maker.command(folder.given, folder.output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, 'TMPDIR': str(folder.path)}) as process:
            time.sleep(number * (0.06 if folder.maker.is_tshark else 0.004))
            process.send_signal(ending)
        left = soon(lambda: set(folder.contents()), before)  # the program that latency-scan has started may still be at it
        found += [f'{left - before} after {number}'] if left != before else []
        found += [] if is_whole(folder.output.read_bytes(), folder.maker.kind) else [f'not whole after {number}']
    return found


def heed_interrupts():
    """A shell's background job has been told to ignore them, and all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@only(lambda maker: not maker.is_tshark)  # it goes on after Ctrl-C, to print what it has read
@in_folder
def check_pipe_that_nobody_reads(folder):
    """Ctrl-C ends the program, for nothing is beside a pipe."""
    os.mkfifo(folder.output)
    with subprocess.Popen(folder.maker.command(folder.given, folder.output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env={**os.environ, 'TMPDIR': str(folder.path)}, start_new_session=True,
                          preexec_fn=heed_interrupts) as process:
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return ['it does not end']
    return []


def meanwhile(context):
    """A file that comes to where the lines belong while the capture passes stays."""
    with Folder(makers(context)[0]) as folder:
        with subprocess.Popen([context.scan, '--json', folder.output, '-z', 'latency,servers', '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as scan:
            scan.stdin.write(CAPTURE.read_bytes())
            scan.stdin.flush()
            time.sleep(0.2)
            folder.put('out', TEXT)
            _, said = scan.communicate()
        left = set(folder.contents())
        found = [] if scan.returncode == 1 and b'File exists' in said else [f'{scan.returncode}: {said}']
        return found + ([] if folder.output.read_bytes() == TEXT and left == {'in', 'out'} else [f'{left}'])


def interrupted(context):
    """By Ctrl-C while a capture passes: the lines of what has passed, and nothing beside them."""
    with Folder(makers(context)[0]) as folder:
        with subprocess.Popen([context.scan, '--json', folder.output, '-'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as scan:
            scan.stdin.write(CAPTURE.read_bytes()[:20000])
            scan.stdin.flush()
            time.sleep(0.3)
            scan.send_signal(signal.SIGINT)
            scan.wait(60)
            scan.communicate()
        left = set(folder.contents())
        return [] if left == {'in', 'out'} and is_whole(folder.output.read_bytes(), 'lines') else [f'{left}']


def appended(context):
    """Tables appended to what is read would damage it."""
    found = []
    for maker, words in (makers(context)[0], [context.scan]), (makers(context)[2], [context.merge]):
        with Folder(maker) as folder:
            before = folder.contents()
            with open(folder.given, 'ab') as output:
                result = subprocess.run([*words, folder.given], stdout=output, stderr=subprocess.PIPE, text=True)
            found += [] if result.returncode == 1 and 'is read' in result.stderr else [f'{words}: {result.returncode} {result.stderr}']
            found += folder.changes(before)
    with Folder(makers(context)[0]) as folder:
        before = folder.contents()
        with open(folder.given, 'rb') as given, open(folder.given, 'ab') as output:
            result = subprocess.run([context.scan, '-'], stdin=given, stdout=output, stderr=subprocess.PIPE, text=True)
        found += [] if result.returncode == 1 and 'is read' in result.stderr else [f'standard input: {result.returncode} {result.stderr}']
        found += folder.changes(before)
    return found


def many_captures(context):
    """FILE forgotten: --json DIR/*.pcap."""
    with Folder(makers(context)[0]) as folder:
        for name in 'a.pcap', 'b.pcap':
            folder.put(name, CAPTURE.read_bytes())
        found, before = [], folder.contents()
        for option in '--json', '--html':
            result = subprocess.run([context.scan, option, folder.path / 'a.pcap', folder.path / 'b.pcap'], capture_output=True, text=True)
            found += [] if result.returncode == 1 and not result.stdout and 'a.pcap" exists' in result.stderr else [f'{option}: {result}']
        return found + folder.changes(before)


def recording(context):
    """kernel-stages says so before it looks at what the kernel lets it do."""
    program, found = context.builds / 'release/bin/kernel-stages', []
    if not program.exists():
        raise Skipped('there is no kernel-stages')
    with Folder(makers(context)[0]) as folder:
        for name, content in ('text', TEXT), ('capture', CAPTURE.read_bytes()), ('pcapng', (ROOT / 'captures/framing/dns_tls.pcapng').read_bytes()):
            path = folder.put(name, content)
            result = subprocess.run([program, '-w', path, '-d', '0.1'], capture_output=True, text=True)
            found += [] if result.returncode == 1 and f'{name}" exists' in result.stderr and path.read_bytes() == content else [f'{name}: {result}']
    return found


def cases(maker):
    for name, check in sorted(globals().items()):
        if name.startswith('check_') and getattr(check, 'applies', bool)(maker):
            yield name.removeprefix('check_').replace('_', ' '), functools.partial(check, maker)


def of_scan(context):
    yield 'a file that comes meanwhile', functools.partial(meanwhile, context)
    yield 'interrupted', functools.partial(interrupted, context)
    yield 'tables appended to what is read', functools.partial(appended, context)
    yield 'the first of many captures', functools.partial(many_captures, context)
    yield 'kernel-stages', functools.partial(recording, context)


def groups(context):
    return [*(Group(maker.name, functools.partial(cases, maker)) for maker in makers(context)), Group('programs', functools.partial(of_scan, context))]
