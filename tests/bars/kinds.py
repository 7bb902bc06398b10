# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of conversation: what their clients ask and their servers answer."""
import dataclasses

import amqp_words
import ca_words
import fastcgi_words
import http2_words
import http_words
import kafka_words
import memcached_words
import mongodb_words
import mqtt_words
import mysql_words
import nats_words
import postgresql_words
import pva_words
import redis_words
import tds_words
import turns_words
import zookeeper_words


@dataclasses.dataclass(frozen=True)
class Kind:
    """`words`: a class whose make() gives the next Item. `any_order`: answers may overtake each other at the server. `has_short`:
    requests of a few bytes and of many stand side by side. `is_of_frames`: requests and answers consist of messages that a snap length hides.
    `has_ids`, `has_keys`: answers repeat them, and are known by them after a loss. `has_numbers`: answers have
    them, and requests are counted.
    `head`: bytes of a request without which a snap length leaves nothing to know it by. `creates`: the command that gives a channel its name, which other requests have an id for.
    `waits`: for the banner, before it asks. `hello` and `welcome`: what the client says after the banner, and the server's answer, before the first request."""
    name: str
    port: int
    words: type
    framing: str
    any_order: bool = False
    banner: bytes = b''
    waits: bool = False
    hello: bytes = b''
    welcome: bytes = b''
    mss: int = 1460
    depths: tuple = (1, 4, 16, 64)
    has_short: bool = False
    is_of_frames: bool = False
    has_ids: bool = False
    has_keys: bool = False
    has_numbers: bool = False
    creates: str = ''
    head: int = 1

    def start(self, chance, is_unique):
        return self.words(chance, is_unique)


KINDS = {kind.name: kind for kind in (
    Kind('http', 80, http_words.Http, 'http'),
    Kind('text', 11211, memcached_words.Text, 'memcached', has_keys=True),
    Kind('meta', 11211, memcached_words.Meta, 'memcached'),
    Kind('binary', 11211, memcached_words.Binary, 'memcached', has_ids=True),
    Kind('redis', 6379, redis_words.Redis, 'redis'),
    Kind('same', 6379, redis_words.Same, 'redis'),
    Kind('postgresql', 5432, postgresql_words.PostgreSQL, 'postgresql', has_short=True, is_of_frames=True),
    Kind('mysql', 3306, mysql_words.MySQL, 'mysql', has_short=True, is_of_frames=True),
    Kind('mongodb', 27017, mongodb_words.MongoDB, 'mongodb', any_order=True, is_of_frames=True, has_ids=True),
    Kind('kafka', 9092, kafka_words.Kafka, 'kafka', is_of_frames=True, has_ids=True),
    Kind('zookeeper', 2181, zookeeper_words.ZooKeeper, 'zookeeper', is_of_frames=True, has_ids=True),
    Kind('mqtt', 1883, mqtt_words.Mqtt, 'mqtt', is_of_frames=True, has_ids=True),
    Kind('amqp', 5672, amqp_words.Amqp, 'amqp', is_of_frames=True, has_numbers=True),
    Kind('fastcgi', 9000, fastcgi_words.FastCGI, 'fastcgi', any_order=True, is_of_frames=True),
    Kind('nats', 4222, nats_words.Nats, 'nats', banner=nats_words.BANNER, waits=True, hello=nats_words.HELLO, is_of_frames=True, has_ids=True),
    Kind('nats_verbose', 4222, nats_words.Verbose, 'nats', banner=nats_words.BANNER, waits=True, is_of_frames=True, has_numbers=True),
    Kind('tds', 1433, tds_words.Tds, 'tds', is_of_frames=True, has_ids=True, depths=(1,)),
    Kind('mars', 1433, tds_words.Mars, 'tds', is_of_frames=True, has_ids=True, any_order=True),
    Kind('ca', 5064, ca_words.ChannelAccess, 'ca', any_order=True, banner=ca_words.BANNER, creates='CREATE_CHAN', head=16, has_ids=True),
    Kind('pva', 5075, pva_words.PvAccess, 'pva', any_order=True, banner=pva_words.BANNER, hello=pva_words.HELLO, welcome=pva_words.WELCOME,
         creates='CREATE_CHANNEL', head=8, has_ids=True),
    Kind('http2', 80, http2_words.Http2, 'http2', any_order=True, banner=http2_words.BANNER, is_of_frames=True, has_ids=True),
    Kind('turns', 7777, turns_words.Turns, 'turns', depths=(1,)))}
