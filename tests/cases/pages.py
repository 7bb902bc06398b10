# SPDX-License-Identifier: GPL-2.0-or-later
"""What is written beside the programs: manual pages, completions, and what the packages say of the sources."""
import datetime
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from documents import fields_and_preferences
from outline import Skipped
from tools import ROOT

PROGRAMS = {'latency-merge': 'latency-merge', 'latency-scan': 'latency-scan', 'latency-report': 'latency-report', 'latency-export': 'latency-export', 'kernel-stages': 'extcap'}
OPTION = re.compile(r'(?<![\w-])--?[A-Za-z][\w-]*')
COLUMNS = 80
PACKAGING = ROOT / 'packaging'
PRINTERS = {'ALL': ('tshark', 'scan', 'merge'), 'OF_ONE': ('tshark', 'scan'), 'BY_TSHARK': ('tshark',)}  # as table_names.c has them


def page(path):
    """Its text, without roff's marks."""
    return re.sub(r'\\f.|\\\(', '', path.read_text().replace('\\(aq', "'")).replace('\\-', '-').replace('\\', '')


def helped(program):
    """The options that --help lists, each where a line begins with one."""
    said = subprocess.run([program, '--help'], capture_output=True, text=True)
    lines = re.findall(r'^ +(-\S.*?)(?: {2,}.*)?$', said.stdout, re.M)
    return said, {option for line in lines for option in OPTION.findall(line)}


def options(program, folder):
    """Those of --help are those of the manual page, and of the completion."""
    said, wanted = helped(program)
    written = {option for line in re.findall(r'^\.(?:BR?) (-.*)$', page(folder / f'{program.name}.1'), re.M) for option in OPTION.findall(line)}
    completed = set(OPTION.findall((folder / f'{program.name}.bash').read_text())) & {option for option in complete(program, folder, '-')}
    found = [said] if said.returncode or {'--help', '--version'} - wanted else []
    found += [f'in --help, not in {program.name}.1: {option}' for option in sorted(wanted - written)]
    found += [f'in {program.name}.1, not in --help: {option}' for option in sorted(written - wanted)]
    return found + [f'not completed, or none: {option}' for option in sorted(wanted ^ completed)]


def examples(context, program, folder):
    """Those of --help are short, few and those of the manual page; what needs no kernel works as typed."""
    said, _ = helped(program)
    lines = [line.removeprefix('  ') for line in re.search(r'^Examples:\n(.*?)\n\n', said.stdout, re.M | re.S)[1].splitlines()]
    written = re.search(r'^\.SH EXAMPLES\n\.nf\n(.*?)\.fi', page(folder / f'{program.name}.1'), re.M | re.S)[1].splitlines()
    found = [f'{len(line)} columns: {line}' for line in said.stdout.splitlines() if len(line) > COLUMNS]
    found += [f'{len(written)} lines in {program.name}.1: {written}'] * (written[:len(lines)] != lines)
    found += [f'{lines}'] * (not 3 <= sum(line.startswith('# ') for line in lines) <= 5)
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / 'captures').symlink_to(ROOT / 'captures')
        typed = [line for line in lines if not line.startswith(('#', 'sudo ')) and not line.endswith(' web.pcapng')]
        for line in typed:
            result = subprocess.run(['bash', '-c', line], cwd=place, capture_output=True, text=True, env={**os.environ, 'PATH': f'{context.builds}/release/bin:{os.environ["PATH"]}'})
            made = [name for name in re.findall(r'(?:--html|--json|--otlp|--har|--trace|-o) (\w+\.\w+)(?: |$)', line) if not (pathlib.Path(place) / name).stat().st_size]
            found += [f'{line}: {result}'] if result.returncode or result.stderr or made or not (result.stdout or re.search('--html|--json|--otlp|--har|-o ', line)) else []
    return found + ([] if typed else ['none that works'])


def complete(program, folder, *words):
    """What bash offers behind these words."""
    script = 'compopt() { :; }; . "$1"; COMP_LINE="${*:2}"; COMP_POINT=${#COMP_LINE}; shift; name=$1; shift; ' \
             '_${name//-/_} "$name" "${@: -1}" "${@: -2:1}"; printf "%s\\n" "${COMPREPLY[@]}"'
    said = subprocess.run(['bash', '-c', script, 'bash', folder / f'{program.name}.bash', program.name, *words], capture_output=True, text=True)
    return [said.stderr] if said.stderr else said.stdout.split()


def completes_tables(program, folder):
    said, _ = helped(program)
    listed = set(re.findall(r'^  (\w+,\w+) +\w', said.stdout.partition('Tables, ')[2], re.M))
    return sorted(listed ^ set(complete(program, folder, '-z', '')))


def completes_stages(program, folder):
    """Only root may ask the kernel which there are; what Wireshark's dialog offers anybody may."""
    said = subprocess.run([program, '--extcap-config', '--extcap-interface', 'kernel-stages'], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r'\{value=([\w:-]+)\}', said)) ^ {stage for stage in complete(program, folder, '-S', '') if ':' in stage})


def table_names():
    """Of the tables: name, what a row is, who prints it."""
    return re.findall(r'\{ "([\w,]+)", "([^"]*)", (\w+) \}', (ROOT / 'plugin/table/table_names.c').read_text())


def listed_in(place):
    """[(table, what a row of it is)] where a user reads it: in the section of a manual page, or in what --help of a program says."""
    if place.suffix:
        return re.findall(r'^\.TP\n\.B (\w+,\w+)\n(.*)$', page(place).partition('.SH TABLES\n')[2].partition('\n.SH ')[0], re.M)
    said, _ = helped(place)
    return re.findall(r'^  (\w+,\w+) +(\w.*)$', said.stdout.partition('Tables, ')[2], re.M)


def is_row(words, row):
    """Whether words are those of the list; more may follow."""
    return re.match(re.escape(row) + r'($|[;:,])', words)


def rows_in_words(place, printer):
    """All tables that a program prints, in the order and with the words of the list that follows a wrong name."""
    named = [(name, row) for name, row, printers in table_names() if printer in PRINTERS[printers]]
    found = listed_in(place)
    if [name for name, _ in found] != [name for name, _ in named]:
        return [f'{[name for name, _ in found]}, not {[name for name, _ in named]}']
    return [f'{name}: {words!r}, not {row!r}' for (name, words), (_, row) in zip(found, named) if not is_row(words, row)]


def rows_of_the_document():
    """The same words are in docs/tables.md, where some tables share a line; each table has a definition; README names no other."""
    document = {}
    listed = (ROOT / 'docs/tables.md').read_text().partition('\n## The tables\n')[2].partition('\n## ')[0]
    for names, row in re.findall(r'^\| (`\w+,\w+`[^|]*) \| ([^|]*) \|', listed, re.M):
        words = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', row).split('; ')
        document |= dict(zip(re.findall(r'`([\w,]+)`', names), words))
    named = table_names()
    found = [f'{name}: {document.get(name)!r}, not {row!r}' for name, row, _ in named
             if not document.get(name, '').startswith(row) and name != 'latency,json']  # which is no table
    defined = {name for folder in ('plugin', 'latency-scan', 'latency-merge') for path in (ROOT / folder).rglob('*.c') for name in re.findall(r'\.argument = "([\w,]+)"', path.read_text())}
    in_list = {name for name, *_ in named} - {'latency,json', 'latency,srt'}  # which have no definition
    asked = set(re.findall(r'-z ((?:latency|ca|pva),\w+)', (ROOT / 'README.md').read_text()))
    found += [f'README has {name}' for name in sorted(asked - {name for name, *_ in named})] + ([] if asked else ['README has none'])
    return found + sorted(in_list ^ defined) + ([] if len(named) > 20 else ['there are none'])

def versions(program):
    said = subprocess.run([program, '--version'], capture_output=True, text=True)
    return [] if said.returncode == 0 and said.stdout.strip() == f'{program.name} {version()}' else [said]


def version():
    return re.search(r'^project\(wireshark-latency VERSION ([\d.]+)', (ROOT / 'CMakeLists.txt').read_text(), re.M)[1]


def plugin_page():
    """Each field, table and preference."""
    text = page(ROOT / 'plugin/latency.7')
    registered, preferences = fields_and_preferences()
    tables = {name for folder in ('plugin/table', 'plugin/epan/protocols') for path in (ROOT / folder).glob('*.c') for name in re.findall(r'\.argument = "([\w,]+)"', path.read_text())}
    named = set(re.findall(r'^\.B (latency[.,][\w.]+)$', text, re.M))
    wanted = registered | preferences | {table for table in tables if table.startswith('latency,')} | {'latency,json', 'latency,srt'}  # which have no definition there
    found = [f'not in latency(7): {name}' for name in sorted(wanted - named)] + [f'there is no {name}' for name in sorted(named - wanted)]
    documented = re.findall(r'`([\w.]+)`', ' '.join(re.findall(r'^\| (`[^|]*) \|', (ROOT / 'docs/preferences.md').read_text(), re.M)))
    found += [f'not in latency(7): {name}' for name in documented if name not in text.partition('.SH PREFERENCES')[2]]
    return found + [f'not in latency(7): {table}' for table in sorted(tables) if f'.B {table}\n' not in text]


def same_version():
    """What the packages, the pages and the changelog say of the sources: which version, and of which day."""
    said = {'packaging/debian/changelog': (r'^wireshark-latency \(([\d.]+)-', r'^ -- .*>  \w+, (\d+ \w+ \d+) ', '%d %b %Y'),
            'packaging/wireshark-latency.spec': (r'^Version: +([\d.]+)$', r'^\* \w+ (\w+ \d+ \d+) ', '%b %d %Y'),
            'CHANGELOG.md': (r'^## ([\d.]+) ', r'^## [\d.]+ — (.*)$', '%Y-%m-%d'),
            **{str(path.relative_to(ROOT)): (r'^\.TH .* "wireshark-latency ([\d.]+)"', r'^\.TH \S+ \d (\S+) ', '%Y-%m-%d')
               for path in [ROOT / 'plugin/latency.7', *(path for folder in PROGRAMS.values() for path in (ROOT / folder).glob('*.1'))]}}
    texts = {name: (ROOT / name).read_text() for name in said}
    found = [f'{name}: {versions}' for name, (form, _, _) in said.items() if (versions := re.findall(form, texts[name], re.M)[:1]) != [version()]]
    released = re.search(r'^## [\d.]+ — (.*)$', texts['CHANGELOG.md'], re.M)[1]
    if released == 'unreleased':
        return found
    days = {name: [datetime.datetime.strptime(day, date).date().isoformat() for day in re.findall(form, texts[name], re.M)[:1]] for name, (_, form, date) in said.items()}
    return found + [f'{name}: {day}' for name, day in days.items() if day != [released]]


def same_maintainer():
    """Everywhere the same, by an address that is somebody's or says that it is nobody's."""
    named = [(name, *found) for name in ('debian/control', 'debian/changelog', 'wireshark-latency.spec')
             for found in re.findall(r'([\w-]+ [\w-]+) <(.+@.+)>', (PACKAGING / name).read_text())]
    found = [f'{name}: {address}' for name, _, address in named if re.search(r'\.(example|test|localhost|local)$', address)]
    return found + ([] if len(named) == 3 and len({names[1:] for names in named}) == 1 else [named])


def same_needs():
    """What install.sh installs to build with, a package needs."""
    wanted = re.search(r'^need_packages (.*)$', (ROOT / 'install.sh').read_text(), re.M)[1].split()
    wanted = {name for name in wanted if name.endswith('-dev')} - {'libc6-dev'}
    return sorted(wanted - set(re.findall(r'\b[\w.-]+-dev\b', (PACKAGING / 'debian/control').read_text())))


def embedded():
    """Chart.js, which the report holds: each kind of package says so, and with which licence."""
    wanted = {'debian/control': r'^Built-Using: \$\{chart:Built-Using\}$', 'debian/rules': r"'chart:Built-Using=.* libjs-chart\.js >>debian/wireshark-latency-tools\.substvars$",
              'debian/copyright': r'^Files: latency-report/report\.gresource\.xml\.in\n(?:.+\n)*License: GPL-2\.0-or-later and Expat$',
              'wireshark-latency.spec': r'^License: +GPL-2\.0-or-later AND MIT\nProvides: +bundled\(js-chart\.js\) = %\{chart_version\}$'}
    return [name for name, form in wanted.items() if not re.search(form, (PACKAGING / name).read_text(), re.M)]


def released():
    """The commit of each version, of which build.sh makes packages to upgrade from, has that version."""
    lines = [line.split() for line in (PACKAGING / 'released').read_text().splitlines() if not line.startswith('#')]
    if not shutil.which('git') or subprocess.run(['git', '-c', 'safe.directory=*', '-C', ROOT, 'rev-parse', '--quiet', '--verify', f'{lines[0][1]}^{{commit}}'], capture_output=True).returncode:
        raise Skipped('no clone with all its history')
    shown = {number: subprocess.run(['git', '-c', 'safe.directory=*', '-C', ROOT, 'show', f'{commit}:CMakeLists.txt'], capture_output=True, text=True).stdout for number, commit, *_ in lines}
    return [number for number, text in shown.items() if f'project(wireshark-latency VERSION {number} ' not in text]


def release():
    """Twice: the same bytes, of which its checksum tells; all that is committed is in it, and which commit it is."""
    if not (ROOT / '.git').exists():
        raise Skipped('no clone')
    if not shutil.which('git'):
        raise Skipped('no git')
    made = []
    with tempfile.TemporaryDirectory() as folder:
        clone = f'{folder}/clone'
        subprocess.run(['git', '-c', 'safe.directory=*', 'clone', '-q', '--no-hardlinks', ROOT, clone], check=True)
        for umask in 0o022, 0o077:
            path = subprocess.run([f'{clone}/packaging/release.sh'], capture_output=True, text=True, check=True, umask=umask).stdout.strip()
            with open(path, 'rb') as file:
                made.append(file.read())
        told = subprocess.run(['sha256sum', '-c', f'{path}.sha256'], cwd=f'{clone}/build/source', capture_output=True, text=True)
        held = subprocess.run(['tar', '-tzf', path], capture_output=True, text=True, check=True).stdout.splitlines()
        revision = subprocess.run(['tar', '-xzOf', path, f'wireshark-latency-{version()}/REVISION'], capture_output=True, text=True, check=True).stdout
        head = subprocess.run(['git', '-C', clone, 'rev-parse', 'HEAD'], capture_output=True, text=True, check=True).stdout
        committed = subprocess.run(['git', '-C', clone, 'ls-files'], capture_output=True, text=True, check=True).stdout.splitlines()
    found = ['two runs, two files'] if made[0] != made[1] else []
    found += [told.stderr] if told.returncode else []
    found += [] if revision == head else [f'REVISION is {revision}']
    return found + [f'not in it: {name}' for name in committed if f'wireshark-latency-{version()}/{name}' not in held]


def cases(context):
    if context.is_elsewhere:
        return
    for name, folder in PROGRAMS.items():
        program = context.builds / 'release/bin' / name
        if program.exists():
            yield f'{name}: options', functools.partial(options, program, ROOT / folder)
            yield f'{name}: examples', functools.partial(examples, context, program, ROOT / folder)
            yield f'{name}: --version', functools.partial(versions, program)
    for program in context.scan, context.merge:
        yield f'{program.name}: completes tables', functools.partial(completes_tables, program, ROOT / program.name)
    stages = context.builds / 'release/bin/kernel-stages'
    if stages.exists():
        yield 'kernel-stages: completes stages', functools.partial(completes_stages, stages, ROOT / 'extcap')
    yield 'latency(7)', plugin_page
    yield 'tables, in words: docs/tables.md', rows_of_the_document
    for printer, place in ('tshark', ROOT / 'plugin/latency.7'), ('scan', ROOT / 'latency-scan/latency-scan.1'), ('merge', ROOT / 'latency-merge/latency-merge.1'), \
                          ('scan', context.scan), ('merge', context.merge):
        yield f'tables, in words: {place.name if place.suffix else place.name + " --help"}', functools.partial(rows_in_words, place, printer)
    for check in same_version, same_maintainer, same_needs, embedded, released, release:
        yield f'packaging: {check.__name__.replace("_", " ")}', check
