# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of plugin/core/util/vocabulary.h, for tests, and where they stand once more: in documents, profiles, the report's page, lua-compat, the reference."""
import functools
import re
import sys

from tools import ROOT

sys.path.insert(0, str(ROOT / 'tests/reference'))
import request  # noqa: E402

HEADERS = [ROOT / path for path in ('plugin/core/util/vocabulary.h', 'plugin/json/line_kinds.h')]
ENTRY = re.compile(r'X\((?:[A-Z_]+, )?"([^"]*)"(?:, ([^)]*))?\)')
DOCUMENT, MEASURING, PROTOCOLS, MANUAL = (ROOT / path for path in ('docs/json.md', 'docs/measuring.md', 'docs/protocols.md', 'plugin/latency.7'))


@functools.cache
def entries(name):
    """(word, what else is said of it) of a list, in its order."""
    text = ''.join(header.read_text() for header in HEADERS)
    return ENTRY.findall(re.search(rf'#define {name}\(X\)((?:.*\\\n)*.*\n)', text)[1])


def words(name):
    return [word for word, _ in entries(name) if word]


def section(text, heading):
    return re.search(rf'^## {heading}\n(.*?)(?=^## |\Z)', text, re.M | re.S)[1]


def differs(what, mine, theirs):
    return [] if mine == theirs else [f'{what}: {mine} is not {theirs}']


def in_parentheses(text, member):
    """What stands behind a member of docs/json.md: the words in backquotes."""
    return set(re.findall(r'`([^`]+)`', re.search(rf'`{member}` \(((?:[^()]|\([^()]*\))*)\)', text)[1].replace('\n', ' ')))


def json_lines():
    text = DOCUMENT.read_text()
    attempt, handshake, of_request = (section(text, name) for name in ('attempt', 'handshake', 'request'))
    types = {word for cell in re.findall(r'^\| (`.*?) \|', text[:text.index('## capture')], re.M) for word in re.findall(r'`(\w+)`', cell)}
    flags = set(re.findall(r'`([^`]+)`', re.search(r'`flags` \(an array of (.*?);', of_request, re.S)[1]))
    stages = re.findall(r'`([^`]+)`', re.search(r'`stages`: an object of (.*?) \(ns\)', of_request, re.S)[1])
    return (differs('outcome', in_parentheses(of_request, 'outcome'), set(words('OUTCOME_LIST')))
            + differs('result of connecting', in_parentheses(attempt, 'result'), set(words('CONNECT_RESULT_LIST')))
            + differs('result of a handshake', in_parentheses(handshake, 'result'), set(words('TLS_RESULT_LIST')))
            + differs('flags', flags, set(words('PACKET_FLAG_LIST'))) + differs('stages', stages, words('PART_LIST'))
            + differs('types', types - {'end'}, set(words('LINE_TYPE_LIST')))
            + differs('content', set(re.findall(r'`(\w+)`', re.search(r'^\| `content` \| (.*) \|$', text, re.M)[1])), set(words('JSON_CONTENT_LIST'))))


def fields():
    """The numbers of fields' values, in documents and the manual page; each flag has a field."""
    found = []
    for what, name, document in (('outcome', 'OUTCOME_LIST', MEASURING), ('tls.result', 'TLS_RESULT_LIST', PROTOCOLS), ('outcome', 'OUTCOME_LIST', MANUAL)):
        line = next(line for line in document.read_text().replace(f'.B latency.{what}\n', f'`latency.{what}` ').splitlines() if line.startswith((f'| `latency.{what}`', f'`latency.{what}`')))
        found += differs(f'latency.{what} in {document.name}', re.findall(r'\*?([a-z][a-z ]*?)\*? \((\d+)\)', line.partition(': ')[2] or line.split(' | ')[-1]), [(word, str(number)) for number, word in enumerate(words(name))])
    manual = re.findall(r'^\.B latency\.flags\.(\w+)$', MANUAL.read_text(), re.M)
    return found + differs('latency.flags', set(manual), set(words('PACKET_FLAG_LIST')))


def colours():
    """What went wrong with a request is red in each profile, but for what is lost in the capture."""
    wrong = {word for word, says in entries('OUTCOME_LIST') if 'UNANSWERED' in says or 'ERROR' in says} - {'lost'}
    found = []
    for path in sorted((ROOT / 'profiles').glob('*/colorfilters')):
        name, text = re.search(r'^@(Reset.*?)@(.*?)@\[', path.read_text(), re.M).groups()
        said = set(re.split(r', | or ', name.lower()))
        found += differs(f'{path.parent.name}: red', set(re.findall(r'latency\.outcome == "([^"]+)"', text)), wrong)
        found += differs(f'{path.parent.name}: connecting', set(re.findall(r'latency\.connect\.result == "([^"]+)"', text)), {'refused', 'unreachable'})
        found += [f'{path.parent.name}: {name} does not say {word}' for word in wrong | {'unreachable'} if word not in said]
    return found


def report():
    """The page draws the stages in their order."""
    text = (ROOT / 'latency-report/report.js').read_text()
    return differs('stages', re.findall(r"\['\w+', '(\w+)', '\w+'", re.search(r'const STAGES = \[(.*?)\n\];', text, re.S)[1]), words('PART_LIST'))


def lua():
    """Numbers have the same words."""
    text, found = '\n'.join(path.read_text() for path in sorted((ROOT / 'lua-compat').glob('*.lua'))), []
    for name, of in (('OUTCOMES', 'OUTCOME_LIST'), ('CONNECT_RESULTS', 'CONNECT_RESULT_LIST')):
        mine = re.findall(r'"([^"]+)"', re.search(rf'^local {name} = \{{(.*?)\}}', text, re.M | re.S)[1])
        found += differs(name, mine, words(of))
    return found + differs('flags', set(re.findall(r'"flags\.(\w+)"', text)), set(words('PACKET_FLAG_LIST')))


def in_reference():
    """Every word that the reference says of an outcome or a flag is one."""
    says = set(re.findall(r"(?:return|ended = request\.ended or) '([a-z ]+)'", (ROOT / 'tests/reference/request.py').read_text().partition('def outcome')[2].partition('\n    def ')[0]))
    return differs('flags', list(request.FLAGS), words('PACKET_FLAG_LIST')) + ([f'{says} of {words("OUTCOME_LIST")}'] if not says or says - set(words('OUTCOME_LIST')) else [])


def kernel():
    """latency,kernel has a column of each stage, in their order."""
    text = (ROOT / 'plugin/table/kernel_table.c').read_text()
    return differs('latency,kernel', re.findall(r'X\([A-Z_]+, STAGE, "(\w+)", "\1"', text), words('PART_LIST'))


def cases(context):
    if context.is_elsewhere:  # the same files
        return
    for name, check in (('docs/json.md', json_lines), ('fields', fields), ('colours', colours), ("the report's page", report), ('lua-compat', lua), ('the reference', in_reference), ('latency,kernel', kernel)):
        yield f'words: {name}', check
