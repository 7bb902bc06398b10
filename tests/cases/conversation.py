# SPDX-License-Identifier: GPL-2.0-or-later
"""What clients ask and servers answer, made up: the kinds of traffic of pipelines.py."""


def redis_bulk(value):
    return b'$%d\r\n%s\r\n' % (len(value), value)


def redis_command(*words):
    return b'*%d\r\n' % len(words) + b''.join(map(redis_bulk, words))


def redis(chance, name):
    """(operation, request, answer) of one command, which has `name` in it."""
    k = chance.random()
    if k < 0.3:
        count = chance.choice([5, 100, 300])
        items = b''.join(redis_bulk(b'key:%d' % chance.randrange(100)) for _ in range(count))
        return 'LRANGE', redis_command(b'LRANGE', name, b'0', b'%d' % (count - 1)), b'*%d\r\n' % count + items
    if k < 0.5:
        value = b'$-1\r\n' if chance.random() < 0.5 else redis_bulk(b'x' * chance.randrange(4000))
        return 'GET', redis_command(b'GET', name), value
    if k < 0.7:
        return 'SET', redis_command(b'SET', name, b'v' * chance.randrange(3000)), b'+OK\r\n'
    if k < 0.85:
        return 'INCR', redis_command(b'INCR', name), b':%d\r\n' % chance.randrange(1000)
    return 'PING', redis_command(b'PING', name), redis_bulk(name)


def same(chance, name):
    """Commands of which none can be told from another but by its name."""
    return 'GET', redis_command(b'GET', name), redis_bulk(b'abc')


def memcached_items(chance, names):
    return b''.join(b'VALUE %s 0 %d\r\n%s\r\n' % (each, size, b'v' * size)
                    for each in names if chance.random() < 0.8 for size in [chance.randrange(300)])


def memcached_text(chance, name):
    k = chance.random()
    if k < 0.4:
        names = [name] + [b'k%d' % chance.randrange(50) for _ in range(chance.choice([0, 0, 0, 19, 59]))]
        return f'get {name.decode()}', b'get ' + b' '.join(names) + b'\r\n', memcached_items(chance, names) + b'END\r\n'
    if k < 0.6:
        size = chance.randrange(2000)
        return f'set {name.decode()}', b'set %s 0 0 %d\r\n%s\r\n' % (name, size, b'v' * size), b'STORED\r\n'
    if k < 0.8:
        return f'incr {name.decode()}', b'incr %s 1\r\n' % name, b'%d\r\n' % chance.randrange(1000)
    return f'delete {name.decode()}', b'delete %s\r\n' % name, chance.choice([b'DELETED\r\n', b'NOT_FOUND\r\n'])


def memcached_meta(chance, name):
    """Gets that are quiet are one request with the `mn` that ends them."""
    def value():
        size = chance.randrange(1200)
        return b'VA %d\r\n%s\r\n' % (size, b'v' * size)
    k = chance.random()
    if k < 0.25:
        names = [name] + [b'k%d' % chance.randrange(50) for _ in range(chance.choice([1, 3, 30]))]
        hits = b''.join(value() for _ in names if chance.random() < 0.6)
        return f'mg {name.decode()}', b''.join(b'mg %s v q\r\n' % each for each in names) + b'mn\r\n', hits + b'MN\r\n'
    if k < 0.55:
        return f'mg {name.decode()}', b'mg %s v\r\n' % name, value() if chance.random() < 0.7 else b'EN\r\n'
    if k < 0.75:
        size = chance.randrange(2000)
        return f'ms {name.decode()}', b'ms %s %d\r\n%s\r\n' % (name, size, b'v' * size), b'HD\r\n'
    return f'md {name.decode()}', b'md %s\r\n' % name, chance.choice([b'HD\r\n', b'NF\r\n'])


def http(chance, name):
    k, head = chance.random(), b' HTTP/1.1\r\nHost: x\r\n'
    path = b'/' + name
    if k < 0.1:
        return f'HEAD {path.decode()}', b'HEAD ' + path + head + b'\r\n', b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % chance.randrange(1, 5000)
    if k < 0.2:
        chunks = b''.join(b'%x\r\n%s\r\n' % (size, b'c' * size) for size in [chance.randrange(1, 900) for _ in range(3)])
        return f'GET {path.decode()}', b'GET ' + path + head + b'\r\n', b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + chunks + b'0\r\n\r\n'
    if k < 0.3:
        size = chance.randrange(3000)
        return f'POST {path.decode()}', b'POST ' + path + head + b'Content-Length: %d\r\n\r\n' % size + b'p' * size, b'HTTP/1.1 204 No Content\r\n\r\n'
    size = chance.choice([9, 200, 3000, 9000]) + chance.randrange(50)
    return f'GET {path.decode()}', b'GET ' + path + head + b'\r\n', b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % size + b'b' * size


KINDS = {'http': (80, http), 'redis': (6379, redis), 'same': (6379, same),
         'memcached_text': (11211, memcached_text), 'memcached_meta': (11211, memcached_meta)}
