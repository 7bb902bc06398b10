# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents' commands, typed as they stand there, and what they print; the messages that docs/troubleshooting.md explains; and of some recipes, whether
the figures are right: Wireshark's own statistics over our fields, and pipes behind our tables.

recipes.py --retake PLUGIN writes the tables of the documents anew (docs/pictures.sh calls it).
"""
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import signal
import shlex
import shutil
import subprocess
import sys
import tempfile

import reading
from compare import reference
from reading import split
from tools import ROOT, Wireshark

CAPTURES = ROOT / 'captures'
RECIPES_PAGE, LIVE, TABLES, TROUBLESHOOTING = (ROOT / f'docs/{name}.md' for name in ('recipes', 'live', 'tables', 'troubleshooting'))
ANIMATION, ANIMATION_TEXT, ANIMATION_BYTES = ROOT / 'docs/animation.gif', ROOT / 'docs/animation.txt', 1_000_000


def io_stat(wireshark, capture, analysis):
    """The mean and the longest duration of each second, from the reference's fields; 0 where there is none."""
    seconds = {}
    for row in analysis.request_rows():
        if row['last_byte'] is not None:
            seconds.setdefault((row['time'] + row['last_byte'] - analysis.begin) // 10**9, []).append(row['last_byte'] / 10**9)
    field = 'latency.last_byte'
    text = wireshark.tshark('-2', '-q', '-r', capture, '-z', f'io,stat,1,AVG({field}){field},MAX({field}){field}')
    rows = re.findall(r'^\| +(\d+) <> .*?\| +([\d.]+) +\| +([\d.]+) +\|', text, re.M)
    found = [] if len(rows) > 2 else [text]
    for second, *cells in rows:
        values = seconds.pop(int(second), [0])
        want = [sum(values) / len(values), max(values)]
        if any(abs(float(cell) - value) > 0.0000011 for cell, value in zip(cells, want)):
            found.append(f'second {second}: expected {want}, got {cells}')
    return found + [f'no second {second}: {values}' for second, values in seconds.items()]


def conversations(wireshark, capture, analysis):
    """The frames that carry a flag, counted by Wireshark's own table of conversations."""
    flagged = sum(any(item.get('latency.flags.short') for item in items) for items in analysis.frames().values())
    text = wireshark.tshark('-q', '-r', capture, '-z', 'conv,tcp,latency.flags.short')
    # frames and bytes in each direction, then of both
    counted = [int(total) for total in re.findall(r'<->(?:.*?(?:bytes|kB|MB)){2} +(\d+) ', text)]
    return [] if sum(counted) == flagged > 0 else [f'{flagged} frames are short, conv,tcp has {counted}']


def are_slowest(wireshark, capture, rows):
    """Whether the command of docs/recipes.md shows the ten of these requests with the longest durations."""
    command = next(line for line in commands(RECIPES_PAGE.read_text()) if 'sort' in line)
    tshark, _, behind = command.replace('FILE', str(capture)).partition(' | ')
    table = wireshark.tshark(*shlex.split(tshark)[1:])
    text = subprocess.run(behind, shell=True, input=table, capture_output=True, text=True).stdout
    want = sorted(((row['last_byte'], row['first_byte']) for row in rows), reverse=True)[:10]
    got = [tuple(round(float(cell) * 10**6) for cell in line.split(',')[4:6]) for line in text.splitlines() if re.match(r'\d.*,answered,', line)]
    return [] if got == want and len(want) > 1 else [f'{got} is not {want}']


def slowest(wireshark, capture, analysis):
    return are_slowest(wireshark, capture, [row for row in analysis.request_rows() if row['last_byte'] is not None])


def slowest_awaited(wireshark, capture, analysis):
    """Streams and long polls are not among them."""
    rows = [row for row in wireshark.requests(capture) if 'last_byte' in row]
    awaited = [row for row in rows if not row.get('streaming') and not row.get('long_poll')]
    return are_slowest(wireshark, capture, awaited) if len(awaited) < len(rows) else [f'all {len(rows)} requests are awaited']


RECIPES = {io_stat: 'generated/request_retransmitted.pcap', conversations: 'tcp/http_20k_offload_off.pcap', slowest: 'generated/many.pcap',
           slowest_awaited: 'tcp/slow_bodies.pcap'}


def run(context, recipe, path):
    analysis = reference.analyse(CAPTURES / path, reference.Options(known_ports=context.known_ports))
    return recipe(context.wireshark, CAPTURES / path, analysis)


# --- commands, as they stand in the documents ------------------------------------------------------------------------

# FILE is the first capture of which the command has the word.
FILES = (('latency,protocols', 'captures/protocols/all.pcap'), ('tls.alert', 'captures/tls/handshakes.pcap'), ('pva.', 'captures/pva/basic.pcap'), ('pva,', 'captures/pva/basic.pcap'), ('ca.', 'captures/ca/unanswered.pcap'), ('ca,', 'captures/ca/unanswered.pcap'), ('stage', 'captures/kernel/stages-lo.pcapng'), ('paths', 'captures/kernel/stages-lo.pcapng'),
         ('kernel', 'captures/kernel/stages-lo.pcapng'), ('process', 'captures/kernel/stages-lo.pcapng'),
         ('"waiting"', 'captures/generated/quoted_last.pcap'), ('latency,connects,', 'captures/tcp/connect_refused_unanswered.pcap'), ('ipid_gap', 'captures/tcp/http_2m_offload_on_dropped.pcap'), ('unanswered', 'captures/generated/both_close_unanswered.pcap'),
         ('connect', 'captures/tcp/connect_refused_unanswered.pcap'), ('', 'captures/tcp/shop.pcap'))
# Of the capture, where a document's example is of another one.
INSTEAD = (('11211', '21211'), ('process.pid == 42', 'process.pid > 0'), ('10.0.0.1', '10.77.0.1'))
BLOCK = re.compile(r'^    \$ ((?:tshark|latency-scan) .*)\n((?:\n*    .*\n)*)', re.M)


def documents():
    return [ROOT / 'README.md', ANIMATION_TEXT, *sorted((ROOT / 'docs').glob('*.md'))]


def commands(text):
    """In lines of code, and between backquotes; not those that leave something out, or read captures that nobody has."""
    lines = re.findall(r'^    (?:\$ )?(?:sudo )?((?:tshark|latency-merge|printf) .*?)(?: {3,}#.*)?$', text, re.M)
    inline = [command.replace('\\|', '|') for command in re.findall(r'`(?:sudo )?((?:tshark|latency-merge) -?\w[^`]*)`', text)]
    return [command for command in dict.fromkeys(lines + inline) if '…' not in command and re.search(r'FILE| -i |captures/|jsonl', command)]


def without_live(command):
    """What would be captured is read: the same command, but for where the packets come from."""
    if ' -i ' not in command:
        return command
    command = re.sub(r" -f '[^']*'| -a duration:\d+", '', command)
    return re.sub(r' -i kernel-stages\b| -i eth0\b', lambda found: ' -r FILE', command)


class Typist:
    """A folder with the captures in it, and a shell whose tshark has the plugin and the profile, or has not."""

    def __init__(self, wireshark, merge, scan):
        self.wireshark, self.programs = wireshark, {'latency-merge': merge, 'latency-scan': scan}

    @functools.cached_property
    def base(self):
        base, wireshark = pathlib.Path(tempfile.mkdtemp(prefix='latency-recipes-')), self.wireshark
        for plugin in True, False:
            programs, home = base / f'bin-{plugin}', base / f'home-{plugin}'
            shutil.copytree(wireshark.homes[plugin], home)
            if plugin:
                shutil.copytree(ROOT / 'profiles/Latency', home / '.config/wireshark/profiles/Latency', dirs_exist_ok=True)
            programs.mkdir()
            *command, _ = wireshark.command('tshark', plugin=plugin)
            if not plugin:
                command.append(f'WIRESHARK_DATA_DIR={home}')  # no profile that is installed for everybody
            for name in filter(shutil.which, ('tshark', 'sharkd')):
                program = programs / name
                program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} HOME={home} {shutil.which(name)} "$@"\n')
                program.chmod(0o755)
            for name, program in self.programs.items():
                (programs / name).symlink_to(program)
        (base / 'captures').symlink_to(CAPTURES)
        (base / 'slow.pcap').symlink_to(CAPTURES / 'tcp/shop.pcap')  # of the animation
        subprocess.run(['chmod', '-R', 'a+rwX', base], check=True)
        return base

    def type(self, command, plugin=True):
        environment = {**os.environ, 'PATH': f'{self.base}/bin-{plugin}:{os.environ["PATH"]}'}
        return subprocess.run(['bash', '-o', 'pipefail', '-c', command], cwd=self.base, env=environment, capture_output=True, text=True, errors='replace', timeout=120)

    def close(self):
        if 'base' in self.__dict__:
            shutil.rmtree(self.base, ignore_errors=True)


def complaints(result):
    return [line for line in result.stderr.splitlines() if not re.search(r'could be dangerous|packets? captured|^Hello in child|^load: filename=|^sharkd_session_', line)]


def rows(text):
    """Of all tables."""
    return [row for name, lines in split(text).items() if name != 'ca,srt' for row in reading.rows(lines)]


def types(typist, command):
    """It exits with 0, or because head has enough, without a complaint, and prints something, of a table at least a row."""
    typed = without_live(command)
    typed = typed.replace('FILE', next(file for word, file in FILES if word in typed))
    for old, new in INSTEAD:
        typed = typed.replace(old, new)
    if 'latency-merge' in typed:
        # the files that it merges
        typed = f"for name in {' '.join(re.findall(r'[*A-Za-z0-9]+[.]jsonl', typed))}; do tshark -q -r captures/tcp/shop.pcap -z latency,json,${{name#[*]}}; done && {typed}"
    result = typist.type(typed)
    has_enough = result.returncode == 128 + signal.SIGPIPE and re.search(r'\| head( -\d+)?$', typed.strip())
    found = [f'exit code {result.returncode}'] if result.returncode and not has_enough else []
    found += complaints(result)
    if 'latency,json' in command:
        written = typist.base / re.search(r'latency,json,(\S+)', typed)[1]
        found += [] if written.exists() and written.stat().st_size else [f'nothing in {written.name}']
    elif '| sharkd' in command:
        tables = [json.loads(line).get('result', {}).get('taps', [{}]) for line in result.stdout.splitlines()]
        found += [] if any(tap.get('tables', [{}])[0].get('i') for taps in tables for tap in taps) else ['no row', result.stdout[:500]]
    elif re.search(r"-z '?(latency|ca),(?!srt|summary)[^|]*$", command):
        found += [] if rows(result.stdout) or ('latency.format' in command and result.stdout.count('\n') > 1) else ['no row', result.stdout]
    else:
        found += [] if result.stdout.strip() else ['nothing is printed']
    return [f'typed: {typed}', *found] if found else []


def printed(typist, command):
    """As it stands in a document, which has no blanks at the ends of lines."""
    result = typist.type(command)
    if result.returncode:
        raise RuntimeError(f'{command}: {result.stderr}')
    return [line.rstrip() for line in result.stdout.strip('\n').splitlines()]


def as_printed(typist, document, command, quoted):
    lines = [line[4:] for line in quoted.strip('\n').splitlines()]
    got = printed(typist, command)
    return [] if lines == got else [f'{document.name} has not what is printed now; docs/pictures.sh tables writes it anew', *got]


def as_quoted(lines):
    """As they stand below a command; nothing of one that prints nothing."""
    return '\n' * bool(lines) + ''.join(f'    {line}'.rstrip() + '\n' for line in lines)


def retake(typist):
    for document in documents():
        text = document.read_text()
        taken = BLOCK.sub(lambda found: f'    $ {found[1]}\n' + as_quoted(printed(typist, found[1])), text)
        if taken != text:
            document.write_text(taken)
            print(f'{document.relative_to(ROOT)}: tables written anew')


# --- When it does not work: what is typed, whether the plugin is there, and what is seen -------------------------------

SEEN = (('tshark -q -r captures/tcp/shop.pcap -z latency,servers', False, 'Invalid -z argument "latency,servers"; it must be one of:'),
        ("tshark -r captures/tcp/shop.pcap -Y 'latency.first_byte > 0.1'", False, 'expression must be a field or function, not latency.first_byte'),
        ('tshark -r captures/tcp/shop.pcap -T fields -e latency.first_byte', False, "Some fields aren't valid"),
        ('tshark -C Latency -r captures/tcp/shop.pcap', False, 'Configuration Profile "Latency" does not exist'),
        ('tshark -q -r captures/tcp/shop.pcap -z operations', True, 'Invalid -z argument "operations"'),
        ('tshark -q -r captures/tcp/shop.pcap -z latency,servers,tcp.port == 80', True, '"==" was unexpected in this context'))


def seen(typist, command, plugin, message):
    """tshark says it, and docs/troubleshooting.md has it in its table."""
    result = typist.type(command, plugin)
    found = [] if result.returncode and message in result.stderr else [f'exit code {result.returncode}', result.stderr[:500]]
    return found + ([] if message in TROUBLESHOOTING.read_text() else [f'{TROUBLESHOOTING.name} does not have: {message}'])


def quiet(typist, command):
    """What prints nothing, and prints something with -2."""
    once, twice = (typist.type(command.replace('tshark', program)) for program in ('tshark', 'tshark -2'))
    return [] if not once.stdout and twice.stdout else [f'one pass: {once.stdout}', f'two: {twice.stdout}']


def no_answers(typist):
    """Of a filter on a direction."""
    one, both = (typist.type(f'tshark -q -r captures/tcp/shop.pcap -z latency,servers,{filter}').stdout for filter in ('ip.src==10.77.0.1', 'ip.addr==10.77.0.1'))
    return [] if '70 requests, 0 answered' in one and '70 requests, 70 answered' in both else [one, both]


def in_seconds(typist):
    """The documents say so, and that filters are not in the milliseconds of tables."""
    more, none = (f"-Y 'latency.first_byte > {bound}'" for bound in ('0.1', '100'))
    found = [f'not in {document.name}: {text}' for document, text in ((TROUBLESHOOTING, none), (TABLES, 'In filters and fields durations are in seconds')) if text not in document.read_text()]
    printed = [typist.type(f'tshark -r captures/tcp/shop.pcap {each}').stdout for each in (more, none)]
    return found + ([] if printed[0] and not printed[1] else printed)


def holes(typist):
    """Each with its operation."""
    command = next(command for command in commands(RECIPES_PAGE.read_text()) if '-Y latency.flags.ipid_gap -T fields' in command)
    lines = typist.type(command.replace('FILE', 'captures/tcp/http_2m_offload_on_dropped.pcap')).stdout.splitlines()
    return ([] if lines else ['nothing is printed']) + [line for line in lines if not all(line.split('\t'))]


def slow_responses(typist):
    """With their times; live, too, where one pass has to do."""
    command = 'tshark -2 -C Latency -r FILE -Y latency.slow'
    missing = [document.name for document in (ROOT / 'README.md', RECIPES_PAGE) if command not in document.read_text()]
    if missing:
        return [f'not in {missing}: {command}']
    result = typist.type(command.replace('FILE', 'captures/tcp/shop.pcap'))
    live = [each for each in commands(LIVE.read_text()) if ' -l ' in each and ' -i ' in each and 'latency.slow' in each]
    lines = [typist.type(without_live(each).replace('FILE', 'captures/tcp/slow_bodies.pcap')).stdout for each in live]
    found = [] if len(lines) == 1 and re.search(r' 1805\.252 +GET /trickle\?1 ', lines[0]) else [str(live), *lines]
    return found + ([] if re.search(r'125\.774 +125\.763 GET /report\?page=1 ', result.stdout) else [result.stdout])


def animated():
    """The animation was made from the text that is there, whose commands are typed like those of documents, and is small."""
    picture = ANIMATION.read_bytes()
    found = [] if hashlib.sha256(ANIMATION_TEXT.read_bytes()).hexdigest().encode() in picture else ['docs/animation.py has not been run since docs/animation.txt changed']
    return found + ([f'{len(picture)} bytes'] if len(picture) > ANIMATION_BYTES else [])


def of_documents(context):
    typist = Typist(context.wireshark, context.merge, context.scan)
    try:
        for document in documents():
            text, name = document.read_text(), document.relative_to(ROOT)
            for command in commands(text):
                if ' -w ' not in command:
                    yield f'{name}: {command}', functools.partial(types, typist, command)
            for command, quoted in BLOCK.findall(text):
                yield f'{name} has what is printed: {command}', functools.partial(as_printed, typist, document, command, quoted)
        for command, plugin, message in SEEN:
            yield f'when it does not work: {message}', functools.partial(seen, typist, command, plugin, message)
        for field, path in ('unanswered', 'generated/both_close_unanswered.pcap'), ('last_byte', 'tcp/shop.pcap'):
            yield f'in one pass, nothing: {field}', functools.partial(quiet, typist, f'tshark -r captures/{path} -Y latency.{field}')
        yield 'the animation', animated
        yield 'a filter on a direction', functools.partial(no_answers, typist)
        yield 'filters are in seconds', functools.partial(in_seconds, typist)
        yield 'holes in responses, with their operations', functools.partial(holes, typist)
        yield 'slow responses with their times', functools.partial(slow_responses, typist)
    finally:
        typist.close()


def cases(context):
    for recipe, path in RECIPES.items():
        yield f'recipe {recipe.__name__}', functools.partial(run, context, recipe, path)
    if not context.is_elsewhere:  # where there are no documents
        yield from of_documents(context)


def main():
    if len(sys.argv) != 3 or sys.argv[1] != '--retake':
        sys.exit(__doc__)
    programs = (pathlib.Path(sys.argv[2]).parent.resolve() / 'bin' / name for name in ('latency-merge', 'latency-scan'))
    with contextlib.closing(Wireshark(sys.argv[2])) as wireshark, contextlib.closing(Typist(wireshark, *programs)) as typist:
        retake(typist)


if __name__ == '__main__':
    main()
