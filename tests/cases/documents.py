# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents: links lead somewhere, the long ones have contents and lines that fit a screen, measuring.md has short rules, and it and those it links each field."""
import functools
import re
import runpy
import subprocess
import sys
import tempfile

from outline import Skipped
from tools import ROOT

LONG = 'docs/measuring.md', 'docs/json.md', 'docs/json-internal.md'
COLUMNS = 100
MEASURING = ROOT / 'docs/measuring.md'
FIELDS = MEASURING, ROOT / 'docs/protocols.md', ROOT / 'docs/capture-points.md', ROOT / 'docs/columns.md', ROOT / 'docs/calls.md'
RECORDED_ONCE = ROOT / 'docs/slow-memcached.md'
CHANGELOG, FIRST_VERSION_LINES = ROOT / 'CHANGELOG.md', 25
FIRST_VERSION_HAS = 'plugin', 'protocol', 'EPICS', 'latency-scan', 'kernel-stages', 'latency-report', 'Known limitations'
HISTOGRAM = 'rule', 'bits'  # the document has this member whole
CHANGES = 'Added', 'Changed', 'Fixed', 'Breaking'
RULE_LINES, MEASURING_WORDS, README_WORDS = 3, 1850, 1300
OUR_OWN_WORDS = 'told apart', 'unplaced', 'stray', 'orphan', 'doubt', 'evidence', 'vantage', 'moment', 'adrift'  # the field has others


def all_documents():
    """Not those of the Debians in build/."""
    return [*ROOT.glob('*.md'), *(document for folder in ('captures', 'docs', 'lua-compat', 'packaging', 'tests') for document in (ROOT / folder).rglob('*.md'))]


def prose(text):
    """Its lines, without code."""
    return re.sub(r'^(    [^\n]*|```.*?^```)$', '', text, flags=re.M | re.S) if '```' in text else re.sub(r'^    .*$', '', text, flags=re.M)


def heads(text):
    return re.findall(r'^#+ (.*)$', prose(text), re.M)


def anchor(head):
    """As GitHub makes it of a heading."""
    return re.sub(r'[^\w\- ]', '', head.lower()).replace(' ', '-')


def links(document):
    found = []
    for target in re.findall(r'\]\(([^)\s]+)\)', prose(document.read_text())):
        path, _, name = target.partition('#')
        if '://' in target:
            continue
        other = document.parent / path if path else document
        if not other.exists():
            found.append(f'{target}: there is no such file')
        elif name and name not in map(anchor, heads(other.read_text())):
            found.append(f'{target}: there is no such heading')
    return found


def contents(document):
    text = document.read_text()
    linked = re.findall(r'\]\(#([^)]*)\)', text)
    return [f'not in the contents: {head}' for head in re.findall(r'^## (.*)$', text, re.M) if head != 'Contents' and anchor(head) not in linked]


def width(document):
    """Tables cannot be wrapped."""
    return [f'line {number} has {len(line)} columns' for number, line in enumerate(document.read_text().splitlines(), 1)
            if len(line) > COLUMNS and not line.startswith(('|', '    '))]


def rules():
    """What needs more lines is too complicated a rule."""
    text = MEASURING.read_text()
    found = [f'{rule.count(chr(10)) + 1} lines: {rule[:60]}' for rule in re.findall(r'^ *(?:-|[0-9]\.) .*(?:\n +[^ -].*)*', text, re.M)
             if rule.count('\n') >= RULE_LINES]
    found += [f'not a word of the field: {word}' for word in OUR_OWN_WORDS if re.search(rf'\b{word}s?\b', text)]
    return found + ([f'{len(text.split())} words'] if len(text.split()) > MEASURING_WORDS else [])


def picture():
    """The picture of measuring.md is what its script draws."""
    script = runpy.run_path(str(ROOT / 'docs/request-time.py'))
    return [] if script['PICTURE'].read_text() == script['picture']() else ['docs/request-time.py has not been run since it changed']


def readme():
    """It is read before one decides, and so is short."""
    words = len((ROOT / 'README.md').read_text().split())
    return [f'{words} words'] if words > README_WORDS else []


def names(text):
    """Of fields and preferences between backquotes; `.result` behind `latency.connect.time`, in its section, is latency.connect.result."""
    found = set()
    for section in re.split(r'^#+ ', text, flags=re.M):
        parent = None
        for name in re.findall(r'`(?:(latency[\w.]*|\.\w+))`', section):
            if not name.startswith('.'):
                parent = name.rpartition('.')[0]
                found.add(name)
            elif parent:
                found.add(parent + name)
    return found


def fields_and_preferences():
    """Those that the plugin registers."""
    source = ''.join(path.read_text() for path in (ROOT / 'plugin/epan').rglob('*.c'))
    registered = set(re.findall(r'"(latency\.[\w.]+)"', source)) - {'latency.frames', 'latency.tcp', 'latency.udp'}
    source = (ROOT / 'plugin/epan/show/preferences.c').read_text()
    preferences = {f'latency.{name}' for name in re.findall(r'prefs_register_\w+_preference\(\s*module, "(\w+)"', source)}
    return registered, preferences


def fields():
    """The documents name each field that the plugin registers, and none that it does not."""
    registered, preferences = fields_and_preferences()
    named = set().union(*(names(document.read_text()) for document in FIELDS))
    return [f'not in it: {name}' for name in sorted(registered - named)] + [f'there is no {name}' for name in sorted(named - registered - preferences)]


def changelog():
    """The first version's list is short; those behind it have heads for what is new, and nothing else."""
    versions = re.split(r'^## ', CHANGELOG.read_text(), flags=re.M)[1:]
    found = [f'no version and date: {version.splitlines()[0]}' for version in versions if not re.match(r'\d+\.\d+\.\d+ — (unreleased|\d{4}-\d\d-\d\d)\n', version)]
    *later, first = versions
    lines = [line for line in first.splitlines() if line]
    found += [f'{len(lines)} lines of the first version'] if len(lines) > FIRST_VERSION_LINES else []
    found += [f'the first version has no {word}' for word in FIRST_VERSION_HAS if word not in first]
    for version in later:
        heads = re.findall(r'^### (.*)$', version, re.M)
        found += [f'of {version[:5]}: {head}' for head in heads if head not in CHANGES]
        found += [] if heads and re.match(r'.*\n+### ', version) else [f'{version[:5]} has lines without a head']
    return found


def protocols():
    """Those of the plugin's list are in the documents that say what `framing` can be: the rows of a table, and a list."""
    words = re.findall(r'PROTOCOL\(\w+, \d+, "(\w+)"', (ROOT / 'plugin/core/util/protocols.h').read_text())
    rows = set(re.findall(r'^\| [^|]+ \| `(\w+)` \|', (ROOT / 'docs/protocols.md').read_text(), re.M))
    found = [f'docs/json.md has no `{word}`' for word in words if f'`{word}`' not in (ROOT / 'docs/json.md').read_text()]
    found += [f'`{word}` is in docs/protocols.md or in the list' for word in sorted(rows ^ set(words[1:]))]
    return found if words else ['there are none']


def members():
    """Each member of a line that is written by a list (line_kinds.h) is in the documents, by its name."""
    documented = {word for name in ('json', 'json-internal') for word in re.findall(r'`(\w+)`', (ROOT / f'docs/{name}.md').read_text())}
    names = re.findall(r'X\(S, (\w+), \w+, (\w+)\)', (ROOT / 'plugin/json/line_kinds.h').read_text() + (ROOT / 'plugin/json/line_members.h').read_text())
    wanted = {name for _, name in names if name not in HISTOGRAM} | {f'{name}_port' for kind, name in names if kind == 'ENDPOINT'}
    return [f'no `{name}`' for name in sorted(wanted - documented)] + ([] if len(wanted) > 50 else ['there are none'])


def skeleton():
    """The parser in docs/parsers-internal.md compiles."""
    text = re.search(r'^```c\n(.*?)^```$', (ROOT / 'docs/parsers-internal.md').read_text(), re.M | re.S)[1]
    flags = subprocess.run(['pkg-config', '--cflags', 'wireshark', 'glib-2.0'], capture_output=True, text=True, check=True).stdout.split()
    result = subprocess.run(['cc', '-fsyntax-only', '-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wno-sign-conversion', '-Werror', '-DPROTOCOL_NAME=PROTOCOL_TURNS',
                             f'-I{ROOT}/plugin/core/protocol/http', *flags, '-xc', '-'], input=text, capture_output=True, text=True)
    return [result.stderr] if result.returncode else []


def analysed(scan):
    """json.md's lines of Python print what stands below them."""
    text = (ROOT / 'docs/json.md').read_text()
    program, quoted = re.search(r'^```python\n(.*?)^```\n\n((?:    [^\n]*\n)+)', text, re.M | re.S).groups()
    with tempfile.TemporaryDirectory() as folder:
        command = re.search(r'^    latency-scan (--json out.jsonl) (captures/\S+)$', text, re.M)
        subprocess.run([scan, *command[1].split(), ROOT / command[2]], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        printed = subprocess.run([sys.executable, '-c', program], cwd=folder, capture_output=True, text=True)
    if "No module named 'pandas'" in printed.stderr:
        raise Skipped('python3-pandas is not installed')
    lines = [line.rstrip() for line in printed.stdout.splitlines()]
    return [] if lines == [line[4:] for line in quoted.splitlines()] else [*lines, printed.stderr]


def columns(text):
    """Of the tables with stages of a kernel: {how the first line begins: all of its cells}."""
    lines = [[cell.strip() for cell in line.split('|')] for line in text.splitlines() if re.match(r' *(Time *\|Server|Stage *\|Direction|Frame\|Process)', line)]
    return {tuple(cells[:2]): cells for cells in lines}


def recorded_once(scan):
    """The tables that cannot be printed anew have the columns that are printed now."""
    text = RECORDED_ONCE.read_text()
    printed = subprocess.run([scan, *(word for name in ('kernel', 'stages', 'paths') for word in ('-z', f'latency,{name}')), ROOT / 'captures/kernel/stages-lo.pcapng'],
                             capture_output=True, text=True, check=True).stdout
    now, found = columns(printed), []
    for line in text.splitlines():
        found += [f'{recorded} is not {now[begin]}' for begin, recorded in columns(line).items() if now[begin] != recorded]
    return found + ([] if len(now) == len(columns(text)) == 3 else [f'{len(columns(text))} of {len(now)} tables'])


def cases(context):
    if context.is_elsewhere:  # where there are no documents
        return
    for document in all_documents():
        yield f'links of {document.relative_to(ROOT)}', functools.partial(links, document)
    for name in (*LONG, 'README.md'):
        yield f'contents of {name}', functools.partial(contents, ROOT / name)
    for name in LONG:
        yield f'lines of {name}', functools.partial(width, ROOT / name)
    yield 'rules of docs/measuring.md', rules
    yield 'picture of docs/measuring.md', picture
    yield 'words of README.md', readme
    yield 'versions of CHANGELOG.md', changelog
    yield 'protocols of docs/json.md and docs/protocols.md', protocols
    yield 'members of docs/json.md', members
    yield 'pandas of docs/json.md', functools.partial(analysed, context.scan)
    yield 'the skeleton of docs/parsers-internal.md', skeleton
    yield 'columns of docs/slow-memcached.md', functools.partial(recorded_once, context.scan)
    yield 'fields of docs/measuring.md and those it links', fields
