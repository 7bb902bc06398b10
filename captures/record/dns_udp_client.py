"""dns_udp_client.py LOG: DNS over UDP by dnspython's messages and sockets of our own: one by one and many at once, sent again when nothing comes, by
TCP when the answer is truncated, to servers that are dead and deaf, over IPv6, and to mDNS.

LOG gets the truth as JSON: of every query the server, the client's port, its id, the operation, when it was sent first, when its answer was read (ns
since 1970, by the clock of the capture; null without), how often it was sent, and the name of the RCODE ("truncated" where the answer says so).

SPDX-License-Identifier: GPL-2.0-or-later
"""
import json
import random
import select
import socket
import sys
import time

import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype

SERVER, SERVER6, LOSSY, DEAD, DEAF, GROUP = '10.77.0.2', 'fd77::2', '10.77.0.6', '10.77.0.3', '10.77.0.4', '224.0.0.251'
NAMES = ['example.org', 'WWW.example.org', 'mail.Example.org', 'nosuch.example.org', 'refused.example', 'fail.example', 'large.example.org']
KINDS = ['A', 'AAAA', 'MX', 'TXT']
log = []


class Client:
    def __init__(self, server, port=53):
        self.server, self.address = server, (server, port)
        self.socket = socket.socket(socket.AF_INET6 if ':' in server else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(('', 0))
        self.port = self.socket.getsockname()[1]
        self.waiting = {}

    def ask(self, name, kind, number=None, edns=False):
        query = dns.message.make_query(name, kind, use_edns=edns, id=number)
        entry = {'server': self.server, 'port': self.port, 'id': query.id, 'operation': f'{kind} {name.lower()}', 'sent': time.time_ns(), 'first': None,
                 'attempts': 1, 'status': None}
        self.socket.sendto(query.to_wire(), self.address)
        log.append(entry)
        self.waiting[query.id, name.lower(), kind] = query, entry

    def receive(self, seconds):
        """Reads an answer; False if none comes."""
        if not select.select([self.socket], [], [], seconds)[0]:
            return False
        data, _ = self.socket.recvfrom(65536)
        now = time.time_ns()
        answer = dns.message.from_wire(data)
        question = answer.question[0]
        found = self.waiting.pop((answer.id, str(question.name)[:-1].lower(), dns.rdatatype.to_text(question.rdtype)), None)
        if found:
            query, entry = found
            truncated = answer.flags & dns.flags.TC
            entry.update(first=now, status='truncated' if truncated else dns.rcode.to_text(answer.rcode()))
            if truncated:
                dns.query.tcp(query, SERVER if self.server == LOSSY else self.server, timeout=5)
        return True

    def again(self):
        for query, entry in self.waiting.values():
            entry['attempts'] += 1
            self.socket.sendto(query.to_wire(), self.address)

    def finish(self, seconds=0.4, tries=8):
        """Waits for all answers, and asks again for those that do not come."""
        for left in range(tries, 0, -1):
            until = time.monotonic() + seconds
            while self.waiting and self.receive(max(0, until - time.monotonic())):
                pass
            if not self.waiting:
                return
            if left > 1:
                self.again()


def main(path):
    random.seed(17)
    for i in range(150):
        client = Client([SERVER, SERVER6, LOSSY][i % 3])
        client.ask(random.choice(NAMES), random.choice(KINDS), edns=i % 2 == 0)
        client.finish()
    # One id from many ports, at once; and one id and port with several questions.
    clients = [Client(SERVER) for _ in range(20)]
    for client in clients:
        client.ask('www.example.org', 'A', number=4711)
    for client in clients:
        client.finish()
    for _ in range(10):
        client = Client(SERVER)
        for kind in 'A', 'AAAA', 'MX':
            client.ask('example.org', kind, number=99)
        client.finish()
    # Many in flight, answered in whatever order; also by a server that takes as long as some wait.
    client = Client(SERVER)
    for i in range(100):
        client.ask(f'host{i}.slow.example', 'A')
    client.finish()
    client = Client(SERVER)
    for i in range(30):
        client.ask(f'again{i}.slow.example', 'A')
    client.finish(seconds=0.1)
    # The same id, port and question once more, when it has been answered: another query.
    client = Client(SERVER)
    for _ in range(5):
        client.ask('www.example.org', 'AAAA', number=7)
        client.finish()
    for server in DEAD, DEAF:
        client = Client(server)
        client.ask('example.org', 'A')
        client.finish(seconds=0.5, tries=3)
    for _ in range(3):
        client = Client(GROUP, 5353)
        client.ask('printer.local', 'A')
        client.finish(seconds=2)
        client = Client(LOSSY, 5353)  # whose address avahi prefers
        client.ask('printer.local', 'A')
        client.finish(seconds=2)
    with open(path, 'w', encoding='ascii') as file:
        file.write('[\n' + ',\n'.join(json.dumps(entry) for entry in log) + '\n]\n')


main(*sys.argv[1:])
