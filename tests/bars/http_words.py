# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP: lengths, chunks, and answers without a body though their head says one."""
from conversation import Item
from words import Words, padded


def chunked(size):
    """Chunks of which some begin and end in the middle of a segment, and the last is as long as is left."""
    sizes = (1000, 1, 700, 1448, 30)
    data = b'HTTP/1.1 200 OK\r\nServer: made\r\nTransfer-Encoding: chunked\r\n\r\n'
    return data + b''.join(b'%x\r\n%s\r\n' % (each, b'c' * each) for each in (*sizes, size)) + b'0\r\n\r\n'


class Http(Words):
    variants = ('length', 'chunked')

    def make(self):
        chance, path = self.chance, b'/' + self.name()
        k = chance.random()
        if chance.random() < 0.1:
            path += b'?q=' + b'v' * chance.randrange(150)
        if k < 0.1:
            length = b'Transfer-Encoding: chunked' if chance.random() < 0.3 else b'Content-Length: %d' % self.some(0, 5000)
            return self.item(b'HEAD', path, b'', b'200 OK', length, b'')
        if k < 0.2:
            head, body = b'Content-Length: %d' % self.some(0, 700), b''
            return self.item(b'GET', path, b'', b'304 Not Modified', head if chance.random() < 0.5 else b'ETag: "x"', body)
        if k < 0.3:
            body = b'p' * self.some(0, 10, 1000, 5000)
            status = chance.choice([b'204 No Content', b'201 Created'])
            return self.item(b'POST', path, body, status, b'X: y' if status[:3] == b'204' else b'Content-Length: 0', b'')
        if k < 0.5:
            chunks = [b'%x\r\n%s\r\n' % (size, b'c' * size) for size in (self.some(2, 30, 900, 4000) + 1 for _ in range(chance.randrange(6)))]
            tail = b'0\r\nT: u\r\n\r\n' if chance.random() < 0.2 else b'0\r\n\r\n'
            return self.item(b'GET', path, b'', b'200 OK', b'Transfer-Encoding: chunked', b''.join(chunks) + tail)
        body = b'b' * self.some(0, 9, 200, 200, 3000, 9000)
        return self.item(b'GET', path, b'', chance.choice([b'200 OK', b'404 Not Found']), b'Content-Length: %d' % len(body), body)

    def last(self):
        """Some answers end with the connection, as they should or before their length."""
        k, path = self.chance.random(), b'/' + self.name()
        if k > 0.5:
            return self.make()
        size = self.some(10, 3000)
        item = self.item(b'GET', path, b'', b'200 OK', b'Connection: close' if k < 0.3 else b'Content-Length: %d' % (size + 1000), b'b' * size)
        item.closes, item.outcome = True, 'answered' if k < 0.3 else 'truncated'
        return item

    def item(self, method, path, sent, status, header, body):
        chance = self.chance
        head = method + b' ' + path + b' HTTP/1.1\r\nHost: made.example\r\nUser-Agent: bars\r\n'
        if chance.random() < 0.1:
            head += b'Cookie: ' + b'k' * chance.randrange(1500) + b'\r\n'
        if sent:
            head += b'Content-Length: %d\r\n' % len(sent)
        response = b'HTTP/1.1 ' + status + b'\r\nServer: made\r\nContent-Type: text/plain\r\n' + header + b'\r\n\r\n' + body
        return Item((method + b' ' + path).decode(), head + b'\r\n' + sent, response)

    @staticmethod
    def small(number):
        return Item(f'GET /small{number}', b'GET /small%d HTTP/1.1\r\nHost: made.example\r\nAccept: */*\r\n\r\n' % number,
                    b'HTTP/1.1 200 OK\r\nServer: made\r\nContent-Length: 40\r\n\r\n' + b'b' * 40)

    @staticmethod
    def five_segments(variant):
        make = chunked if variant == 'chunked' else lambda size: b'HTTP/1.1 200 OK\r\nServer: made\r\nContent-Length: %d\r\n\r\n' % size + b'b' * size
        return Item('GET /big', b'GET /big HTTP/1.1\r\nHost: made.example\r\n\r\n', padded(make))
