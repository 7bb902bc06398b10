/* redis_looks.c
 * Which of Redis' commands an answer can be to: https://redis.io/docs/latest/commands/
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "redis.h"

struct entry {
    const char *command;
    uint16_t kinds;
};

/* Sorted, to be searched by halves. */
static const struct entry commands[] = {
    { "APPEND", INTEGER },      { "DBSIZE", INTEGER },
    { "DECR", INTEGER },        { "DECRBY", INTEGER },
    { "DEL", INTEGER },         { "ECHO", BULK },
    { "EXISTS", INTEGER },      { "EXPIRE", INTEGER },
    { "EXPIREAT", INTEGER },    { "FLUSHALL", SIMPLE },
    { "FLUSHDB", SIMPLE },      { "GET", BULK | NIL },
    { "GETDEL", BULK | NIL },   { "GETEX", BULK | NIL },
    { "GETRANGE", BULK },       { "GETSET", BULK | NIL },
    { "HDEL", INTEGER },        { "HEXISTS", INTEGER },
    { "HGET", BULK | NIL },     { "HGETALL", AGGREGATE },
    { "HINCRBY", INTEGER },     { "HKEYS", AGGREGATE },
    { "HLEN", INTEGER },        { "HMGET", AGGREGATE },
    { "HMSET", SIMPLE },        { "HSCAN", AGGREGATE },
    { "HSET", INTEGER },        { "HSETNX", INTEGER },
    { "HVALS", AGGREGATE },     { "INCR", INTEGER },
    { "INCRBY", INTEGER },      { "INFO", BULK },
    { "KEYS", AGGREGATE },      { "LINDEX", BULK | NIL },
    { "LLEN", INTEGER },        { "LPUSH", INTEGER },
    { "LPUSHX", INTEGER },      { "LRANGE", AGGREGATE },
    { "LREM", INTEGER },        { "LSET", SIMPLE },
    { "LTRIM", SIMPLE },        { "MGET", AGGREGATE },
    { "MSET", SIMPLE },         { "MULTI", SIMPLE },
    { "PERSIST", INTEGER },     { "PEXPIRE", INTEGER },
    { "PING", SIMPLE | BULK },  { "PSETEX", SIMPLE },
    { "PTTL", INTEGER },        { "PUBLISH", INTEGER },
    { "RENAME", SIMPLE },       { "RPUSH", INTEGER },
    { "RPUSHX", INTEGER },      { "SADD", INTEGER },
    { "SCAN", AGGREGATE },      { "SCARD", INTEGER },
    { "SELECT", SIMPLE },       { "SET", SIMPLE | BULK | NIL },
    { "SETBIT", INTEGER },      { "SETEX", SIMPLE },
    { "SETNX", INTEGER },       { "SETRANGE", INTEGER },
    { "SISMEMBER", INTEGER },   { "SMEMBERS", AGGREGATE },
    { "SREM", INTEGER },        { "SSCAN", AGGREGATE },
    { "STRLEN", INTEGER },      { "TTL", INTEGER },
    { "TYPE", SIMPLE },         { "UNLINK", INTEGER },
    { "WATCH", SIMPLE },        { "XRANGE", AGGREGATE },
    { "XREVRANGE", AGGREGATE }, { "ZCARD", INTEGER },
    { "ZCOUNT", INTEGER },      { "ZRANGE", AGGREGATE },
    { "ZREM", INTEGER },        { "ZSCAN", AGGREGATE },
};

static int
compare_commands(const void *command, const void *entry)
{
    return strcmp(command, ((const struct entry *)entry)->command);
}

uint64_t
redis_looks_of_command(const char *command)
{
    const struct entry *entry =
        bsearch(command, commands, G_N_ELEMENTS(commands), sizeof commands[0], compare_commands);
    return entry ? parser_looks(entry->kinds, NULL, 0) : 0;
}

uint64_t
redis_looks_of_answer(const uint8_t *line, size_t length)
{
    bool is_nil = length > 1 && line[1] == '-';
    uint16_t kinds = 0;
    switch (length > 0 ? line[0] : '\0') {
    case '+':
        /* in a transaction, whatever is asked for */
        kinds = redis_is_word(line, length, "+QUEUED") ? 0 : SIMPLE;
        break;
    case ':':
        kinds = INTEGER;
        break;
    case '$':
        kinds = is_nil ? NIL : BULK;
        break;
    case '_':
        kinds = NIL;
        break;
    case '*':
    case '%':
    case '~':
        kinds = is_nil ? 0 : AGGREGATE;
        break;
    default:
        break;
    }
    return parser_looks(kinds, NULL, 0);
}

enum agreement
redis_agrees(const uint8_t *asked, size_t asked_bytes, const uint8_t *answered, size_t answered_bytes)
{
    static const char pong[] = "+PONG\r\n", error_of_nats[] = "-ERR '";
    (void)asked;
    (void)asked_bytes;
    if (memcmp(answered, pong, MIN(answered_bytes, strlen(pong))) == 0)
        return answered_bytes < strlen(pong) ? AGREEMENT_OPEN : AGREEMENT_IS_ONE;
    if (memcmp(answered, error_of_nats, MIN(answered_bytes, strlen(error_of_nats))) == 0)
        return answered_bytes < strlen(error_of_nats) ? AGREEMENT_OPEN : AGREEMENT_IS_NONE;
    return answered[0] == '-' ? AGREEMENT_IS_ONE : AGREEMENT_IS_NONE;
}
