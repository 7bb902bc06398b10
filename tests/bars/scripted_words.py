# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said in scripts.py: of each kind a small request and one with an answer of five full segments."""
import struct

import ca_words
import http2_words
import kafka_words
import mongodb_words
import mysql_words
import postgresql_words
import pva_words
from ca_words import message
from conversation import Item
from memcached_words import Binary
from postgresql_words import READY, ROWS, complete, row
from redis_words import array, bulk, command

SEGMENT, SIZE = 1448, 7240
CID, SID, COUNT = 1, 1001, 903
VARIANTS = {'http': ('length', 'chunked'), 'redis': ('bulk', 'array')}


def opening(kind):
    """What a connection begins with before anything else can be asked."""
    if kind.name == 'http2':
        return [Item('GET /open', http2_words.get(1, b'/open'), http2_words.said(1, 10), http2_words.PREFACE + http2_words.BANNER)]
    if kind.name == 'pva':
        return [Item('CREATE_CHANNEL MADE', pva_words.message(0, pva_words.CREATE, struct.pack('<HI', 1, CID) + b'\4MADE'),
                     pva_words.message(pva_words.SERVER, pva_words.CREATE, struct.pack('<II', CID, SID) + pva_words.OK))]
    if kind.name != 'ca':
        return []
    hello = message(0, kind=10, count=13) + message(ca_words.CLIENT_NAME, b'root\0') + message(ca_words.HOST_NAME, b'host\0')
    return [Item('CREATE_CHAN MADE', message(ca_words.CREATE_CHAN, b'MADE\0', p1=CID, p2=13),
                 message(ca_words.CREATE_CHAN, kind=6, count=COUNT, p1=CID, p2=SID), hello, message(ca_words.ACCESS_RIGHTS, p1=CID, p2=3))]


def got(number, size):
    """A GET of pvAccess, and its answer."""
    return Item('GET MADE', pva_words.message(0, pva_words.GET, struct.pack('<IIB', SID, number, 0)),
                pva_words.message(pva_words.SERVER, pva_words.GET, struct.pack('<IB', number, 0) + pva_words.OK + b'v' * size))


def small(kind, number):
    key = b'small%d' % number
    text = key.decode()
    if kind.name == 'http':
        return Item(f'GET /{text}', b'GET /%s HTTP/1.1\r\nHost: made.example\r\nAccept: */*\r\n\r\n' % key,
                    b'HTTP/1.1 200 OK\r\nServer: made\r\nContent-Length: 40\r\n\r\n' + b'b' * 40)
    if kind.name == 'text':
        return Item(f'get {text}', b'get %s\r\n' % key, b'VALUE %s 0 40\r\n%s\r\nEND\r\n' % (key, b'v' * 40))
    if kind.name == 'meta':
        return Item(f'mg {text}', b'mg %s v\r\n' % key, b'VA 40\r\n%s\r\n' % (b'v' * 40))
    if kind.name == 'binary':
        return Item(f'get {text}', Binary.pack(0x80, 0, number, key), Binary.pack(0x81, 0, number, b'', b'\0\0\0\0', b'v' * 40))
    if kind.name in ('redis', 'same'):
        return Item('GET', command(b'GET', key), bulk(b'v' * 40))
    if kind.name == 'postgresql':
        return Item(f'SELECT {text}', postgresql_words.query(b'SELECT ' + key),
                    ROWS + row(b'v' * 40) + complete(b'SELECT 1') + READY)
    if kind.name == 'pva':
        return got(50 + number, 40)
    if kind.name == 'mysql':
        return Item(f'SELECT {text}', mysql_words.packet(0, b'\3SELECT ' + key), mysql_words.packets(1, *rows(b'v' * 40)))
    if kind.name == 'mongodb':
        return found(key, number, lambda value: value, 40)
    if kind.name == 'kafka':
        return fetched(key, number, b'v' * 40)
    if kind.name == 'ca':
        return Item('READ_NOTIFY MADE', message(15, b'', 6, 1, SID, 50 + number), message(15, struct.pack('>d', 1.5), 6, 1, 1, 50 + number))
    if kind.name == 'http2':
        return Item(f'GET /{text}', http2_words.get(3 + 2 * number, b'/' + key), http2_words.said(3 + 2 * number, 40))
    return Item('', b'?' + key * 4, b'!' * 60)


def found(key, number, pad, size):
    """A find of MongoDB; the answer is what `pad` makes of its size."""
    words = mongodb_words
    asked = words.message(words.MSG, number + 1, 0, words.said(words.document(words.string(b'find', key), words.string(b'$db', b'shop'))))

    def answer(size):
        return words.message(words.MSG, 1000 + number, number + 1, words.said(words.document(words.string(b'v', b'v' * size))))
    return Item(f'find shop.{key.decode()}', asked, pad(answer) if size == 0 else answer(size))


def fetched(key, number, body):
    """A Metadata of Kafka."""
    words = kafka_words.Kafka(None, True)
    words.asked = number
    asked = words.asks(kafka_words.METADATA, 2, struct.pack('>i', 1) + kafka_words.text(key))
    return Item(f'Metadata v2 {key.decode()}', asked, words.says(body))


def rows(*values):
    """A result of MySQL with EOFs."""
    return [b'\1', mysql_words.definition(b'a'), b'\xfe\0\0\2\0', *map(mysql_words.text, values), b'\xfe\0\0\2\0']


def padded(make):
    """What make(n) gives, where n makes it SIZE bytes long."""
    size = next(size for size in range(SIZE - len(make(0)), 0, -1) if len(make(size)) <= SIZE)
    data = make(size)
    if len(data) != SIZE:
        raise ValueError(f'{len(data)} bytes instead of {SIZE}')
    return data


def chunked(size):
    """Chunks of which some begin and end in the middle of a segment, and the last is as long as is left."""
    sizes = (1000, 1, 700, 1448, 30)
    data = b'HTTP/1.1 200 OK\r\nServer: made\r\nTransfer-Encoding: chunked\r\n\r\n'
    return data + b''.join(b'%x\r\n%s\r\n' % (each, b'c' * each) for each in (*sizes, size)) + b'0\r\n\r\n'


def five_segments(kind, variant):
    if kind.name == 'http':
        make = chunked if variant == 'chunked' else lambda size: b'HTTP/1.1 200 OK\r\nServer: made\r\nContent-Length: %d\r\n\r\n' % size + b'b' * size
        return Item('GET /big', b'GET /big HTTP/1.1\r\nHost: made.example\r\n\r\n', padded(make))
    if kind.name == 'text':
        return Item('get big', b'get big\r\n', padded(lambda size: b'VALUE big 0 %d\r\n%s\r\nEND\r\n' % (size, b'v' * size)))
    if kind.name == 'meta':
        return Item('mg big', b'mg big v\r\n', padded(lambda size: b'VA %d\r\n%s\r\n' % (size, b'v' * size)))
    if kind.name == 'binary':
        return Item('get big', Binary.pack(0x80, 0, 99, b'big'), padded(lambda size: Binary.pack(0x81, 0, 99, b'', b'\0\0\0\0', b'v' * size)))
    if kind.name in ('redis', 'same'):
        if variant == 'array':
            items = [bulk(b'key:%d' % (i % 10)) for i in range(500)]
            return Item('LRANGE', command(b'LRANGE', b'big', b'0', b'-1'), padded(lambda size: array(*items, bulk(b'v' * size))))
        return Item('GET', command(b'GET', b'big'), padded(lambda size: bulk(b'v' * size)))
    if kind.name == 'postgresql':
        return Item('SELECT big', postgresql_words.query(b'SELECT big'), padded(lambda size: ROWS + row(b'v' * 1000) * 3 + row(b'v' * size) + complete(b'SELECT 4') + READY))
    if kind.name == 'pva':
        return got(99, SIZE - len(got(99, 0).response))
    if kind.name == 'mysql':
        return Item('SELECT big', mysql_words.packet(0, b'\3SELECT big'), padded(lambda size: mysql_words.packets(1, *rows(*[b'v' * 1000] * 3, b'v' * size))))
    if kind.name == 'mongodb':
        return found(b'big', 99, padded, 0)
    if kind.name == 'kafka':
        return fetched(b'big', 99, b'v' * (SIZE - 4 - 4))
    if kind.name == 'ca':
        return Item('READ_NOTIFY MADE', message(15, b'', 6, COUNT, SID, 99), message(15, struct.pack('>d', 1.5) * COUNT, 6, COUNT, 1, 99))
    if kind.name == 'http2':
        return Item('GET /big', http2_words.get(199, b'/big'), padded(lambda size: http2_words.said(199, 3000, size)))
    return Item('', b'?big', b'!' * SIZE)
