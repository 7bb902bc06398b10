/* protocols.h
 * The protocols whose messages are read: a line for each. Their numbers, words, parsers and kinds of operation come
 * from here, also in tests. Included by whoever needs one of these; it includes nothing.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_PROTOCOLS_H
#define LATENCY_PROTOCOLS_H

/* PROTOCOL(NAME, number, word, dissector, grouping) gives PROTOCOL_NAME its number, which is in JSON lines, and
 * therefore stays (the next protocol has the next one); the word that tables, fields and JSON show; the filter name of
 * Wireshark's dissector of the protocol, whose own times are then left alone, or ""; and how operations are grouped
 * (operation.h).
 *
 * PARSER(name), behind its protocol, says that parser_name reads it. A client's first bytes are shown to the parsers in
 * this order, and the first that recognises them has the connection: what is easily mistaken for something else stands
 * last. Channel Access and pvAccess are recognised elsewhere (ca_recognition.c). */
/* clang-format off */
#define PROTOCOLS(PROTOCOL, PARSER)                                                                                    \
    PROTOCOL(TURNS, 0, "turns", "", BY_LOOKS)                                                                          \
    PROTOCOL(CA, 4, "ca", "ca", BY_WORD)                                                                               \
    PROTOCOL(PVA, 7, "pva", "pva", BY_WORD)                                                                            \
    PROTOCOL(HTTP, 1, "http", "http", BY_LOOKS) PARSER(http)                                                           \
    PROTOCOL(REDIS, 3, "redis", "resp", BY_LOOKS) PARSER(redis)                                                        \
    PROTOCOL(MEMCACHED, 2, "memcached", "memcache", BY_LOOKS) PARSER(memcached) PARSER(memcached_binary)               \
    PROTOCOL(MONGODB, 10, "mongodb", "mongo", WHOLE) PARSER(mongodb)                                                   \
    PROTOCOL(DNS, 5, "dns", "dns", BY_LOOKS) PARSER(dns)                                                               \
    PROTOCOL(HTTP2, 6, "http2", "http2", BY_LOOKS) PARSER(http2)                                                       \
    PROTOCOL(FASTCGI, 16, "fastcgi", "fcgi", BY_LOOKS) PARSER(fastcgi)                                                 \
    PROTOCOL(HTTP3, 15, "http3", "http3", BY_LOOKS)                                                                    \
    PROTOCOL(NATS, 17, "nats", "nats", WHOLE) PARSER(nats)                                                             \
    PROTOCOL(POSTGRESQL, 8, "postgresql", "pgsql", WHOLE) PARSER(postgresql)                                           \
    PROTOCOL(ZOOKEEPER, 12, "zookeeper", "", BY_WORD) PARSER(zookeeper)                                                \
    PROTOCOL(AMQP, 14, "amqp", "amqp", WHOLE) PARSER(amqp)                                                             \
    PROTOCOL(MQTT, 13, "mqtt", "mqtt", WHOLE) PARSER(mqtt)                                                             \
    PROTOCOL(TDS, 18, "tds", "tds", WHOLE) PARSER(tds)                                                                 \
    PROTOCOL(KAFKA, 11, "kafka", "kafka", WHOLE) PARSER(kafka)                                                         \
    PROTOCOL(MYSQL, 9, "mysql", "mysql", WHOLE) PARSER(mysql)
/* clang-format on */

/* For a use of PROTOCOLS() that wants the ones or the others. */
#define NO_PROTOCOL(...)
#define NO_PARSER(...)

/* How a request was told from others: by turns, or by a protocol's messages. PROTOCOL_COUNT is how many there are. */
enum protocol {
#define PROTOCOL_NUMBER(name, number, ...) PROTOCOL_##name = number,
#define AND_ONE(...)                       +1
    PROTOCOLS(PROTOCOL_NUMBER, NO_PARSER) PROTOCOL_COUNT = 0 PROTOCOLS(AND_ONE, NO_PARSER)
#undef PROTOCOL_NUMBER
#undef AND_ONE
};

#endif
