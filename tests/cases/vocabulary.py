# SPDX-License-Identifier: GPL-2.0-or-later
"""The words of plugin/core/util/vocabulary.h, for tests, and where they stand once more: in documents, the report's page, lua-compat, the reference."""
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


def outcomes(says):
    """The words of those of which the list says this."""
    return {word for word, what in entries('OUTCOME_LIST') if says in what}


# Those with an answer, those to which none will come, those that are errors; a request's stages at the server.
ANSWERED, UNANSWERED, ERRORS, STAGES = outcomes('HAS_ANSWER'), outcomes('IS_UNANSWERED'), outcomes('IS_ERROR'), words('PART_LIST')


def section(text, heading):
    return re.search(rf'^## {heading}\n(.*?)(?=^## |\Z)', text, re.M | re.S)[1]


def differs(what, mine, theirs):
    return [] if mine == theirs else [f'{what}: {mine} is not {theirs}']


def in_parentheses(text, member):
    """What stands behind a member of docs/json.md: the words in backquotes."""
    return set(re.findall(r'`([^`]+)`', re.search(rf'`{member}` \(((?:[^()]|\([^()]*\))*)\)', text)[1].replace('\n', ' ')))


def in_row(text, member):
    """What a table of docs/json.md says of a member: the words in backquotes."""
    return re.findall(r'`([^`]+)`', re.search(rf'^\| `{member}` \| (.*) \|$', text, re.M)[1])


def json_lines():
    text = DOCUMENT.read_text()
    of_request = section(text, 'request')
    attempt, handshake = (re.search(rf'^\| `{name}` \| .*$', text, re.M)[0] for name in ('attempt', 'handshake'))
    types = {word for cell in re.findall(r'^\| (`.*?) \|', text[:text.index('## capture')], re.M) for word in re.findall(r'`(\w+)`', cell)}
    flags = set(re.findall(r'`([^`]+)`', re.search(r'`flags`: an array of (.*?), absent', of_request, re.S)[1]))
    stages = [word for word in in_row(of_request, 'stages') if word != 'latency,kernel']  # the table that has them
    return (differs('outcome', set(in_row(of_request, 'outcome')), set(words('OUTCOME_LIST')))
            + differs('result of connecting', in_parentheses(attempt, 'result'), set(words('CONNECT_RESULT_LIST')))
            + differs('result of a handshake', in_parentheses(handshake, 'result'), set(words('TLS_RESULT_LIST')))
            + differs('flags', flags, set(words('PACKET_FLAG_LIST'))) + differs('stages', stages, STAGES)
            + differs('types', types - {'end'}, set(words('LINE_TYPE_LIST')))
            + differs('content', set(in_row(text, 'content')), set(words('JSON_CONTENT_LIST'))))


def fields():
    """The numbers of fields' values, in documents and the manual page; each flag has a field."""
    found = []
    for what, name, document in (('outcome', 'OUTCOME_LIST', MEASURING), ('tls.result', 'TLS_RESULT_LIST', PROTOCOLS), ('outcome', 'OUTCOME_LIST', MANUAL)):
        line = next(line for line in document.read_text().replace(f'.B latency.{what}\n', f'`latency.{what}` ').splitlines() if line.startswith((f'| `latency.{what}`', f'`latency.{what}`')))
        found += differs(f'latency.{what} in {document.name}', re.findall(r'\*?([a-z][a-z ]*?)\*? \((\d+)\)', line.partition(': ')[2] or line.split(' | ')[-1]), [(word, str(number)) for number, word in enumerate(words(name))])
    manual = re.findall(r'^\.B latency\.flags\.(\w+)$', MANUAL.read_text(), re.M)
    return found + differs('latency.flags', set(manual), set(words('PACKET_FLAG_LIST')))


def report():
    """The page draws the stages in their order."""
    text = (ROOT / 'latency-report/report.js').read_text()
    return differs('stages', re.findall(r"\['\w+', '(\w+)', '\w+'", re.search(r'const STAGES = \[(.*?)\n\];', text, re.S)[1]), STAGES)


def lua():
    """Numbers have the same words, as far as it has numbers: it finds none of the later outcomes."""
    text, found = '\n'.join(path.read_text() for path in sorted((ROOT / 'lua-compat').glob('*.lua'))), []
    for name, of in (('OUTCOMES', 'OUTCOME_LIST'), ('CONNECT_RESULTS', 'CONNECT_RESULT_LIST')):
        mine = re.findall(r'"([^"]+)"', re.search(rf'^local {name} = \{{(.*?)\}}', text, re.M | re.S)[1])
        found += differs(name, mine, words(of)[:len(mine)])
    return found + differs('flags', set(re.findall(r'"flags\.(\w+)"', text)), set(words('PACKET_FLAG_LIST')))


def in_reference():
    """Every word that the reference says of an outcome or a flag is one."""
    says = set(re.findall(r"(?:return|ended = request\.ended or) '([a-z ]+)'", (ROOT / 'tests/reference/request.py').read_text().partition('def outcome')[2].partition('\n    def ')[0]))
    return differs('flags', list(request.FLAGS), words('PACKET_FLAG_LIST')) + ([f'{says} of {words("OUTCOME_LIST")}'] if not says or says - set(words('OUTCOME_LIST')) else [])


def kernel():
    """latency,kernel has a column of each stage, in their order."""
    text = (ROOT / 'plugin/table/kernel_table.c').read_text()
    return differs('latency,kernel', re.findall(r'X\([A-Z_]+, STAGE, "(\w+)", "\1"', text), STAGES)


def cases(context):
    if context.is_elsewhere:  # the same files
        return
    for name, check in (('docs/json.md', json_lines), ('fields', fields), ("the report's page", report), ('lua-compat', lua), ('the reference', in_reference), ('latency,kernel', kernel)):
        yield f'words: {name}', check
