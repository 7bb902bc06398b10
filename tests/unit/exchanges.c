/* exchanges.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "exchanges.h"

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
/* DNS over TCP: RFC 1035 §4.2.2. */
#define DNS_QUESTION(type)                                                                                             \
    "\0\1\0\0\0\0\0\0"                                                                                                 \
    "\7eXample\3ORG\0"                                                                                                 \
    "\0" type "\0\1"
#define DNS_ASKS(id, type)           "\0\x1d" id "\1\0" DNS_QUESTION(type)
#define DNS_ANSWERS(id, type, rcode) "\0\x1d" id "\x81" rcode DNS_QUESTION(type)
#define COMMAND(name)                "*1\r\n$4\r\n" name "\r\n"
#define PING                         COMMAND("PING")
#define PONG                         "+PONG\r\n"
#define REPLY(mode)                  "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n" mode

const struct exchange exchanges[EXCHANGES] = {
    { "http", TEXT("GET / HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"),
      TEXT("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nHEAD /h HTTP/1.1\r\n\r\n"
           "POST /p HTTP/1.1\r\ncontent-length:  5\r\n\r\n12345PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
           "3;x=y\r\nabc\r\n0\r\nTrailer: 1\r\n\r\nDELETE /d HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nTransfer-Encoding: gzip, "
           "chunked\r\n\r\n5\r\nHTTP/\r\n0\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n"
           "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.0 500 X\r\n\r\nto the end"),
      "GET / 18/40 200, GET /a?b 30/75 404!, HEAD /h 20/41 200, POST /p 45/29 304, PUT /c 76/27 204, "
      "DELETE /d 22/28 500!" },
    { "memcached", TEXT("get a\r\n"), TEXT("END\r\n"),
      TEXT("set k 0 0 5\r\nEND\r\n\r\nget k a b\r\nset k 0 0 1 noreply\r\nx\r\nincr n 1\r\nstats\r\nmg k v q k "
           "O1\r\nmg l v "
           "q\r\n"
           "mn\r\nms k 2 T0 q\r\nhi\r\nms k 2\r\nhi\r\nmg k v\r\n"),
      TEXT(
          "STORED\r\nVALUE k 0 5\r\nEND\r\n\r\nVALUE b 0 0\r\n\r\nEND\r\nNOT_FOUND\r\nSTAT pid 1\r\nSTAT x 2\r\nEND\r\n"
          "VA 2 kk O1\r\nhi\r\nMN\r\nHD\r\nEN\r\n"),
      "get a 7/5 miss, set k 20/8 , get k 11/40 , incr n 10/11 NOT_FOUND, stats 7/27 , mg k 29/20 , ms k 12/4 , mg k "
      "8/4 EN" },
    /* What fails of a quiet change is no answer. */
    { "memcached-binary", TEXT(PACKET("\x80", "\x0b", "\0", "\0", "\1")),
      TEXT(PACKET("\x81", "\x0b", "\0", "\0", "\1")),
      TEXT(PACKET("\x80", "\x00", "\1", "\0", "\7") "a" PACKET("\x80", "\x0d", "\1", "\0", "\10") "b" PACKET(
          "\x80", "\x0d", "\1", "\0", "\11") "c" PACKET("\x80", "\x0a", "\0", "\0", "\12")
               PACKET("\x80", "\x11", "\1", "\0", "\13") "q" PACKET("\x80", "\x04", "\1", "\0", "\14") "d" PACKET(
                   "\x80", "\x10", "\0", "\0", "\15") PACKET("\x80", "\x05", "\1", "\0", "\16") "n"),
      TEXT(PACKET("\x81", "\x00", "\0", "\1", "\7")
               PACKET("\x81", "\x0d", "\1", "\0", "\11") "c" PACKET("\x81", "\x0a", "\0", "\0", "\12")
                   PACKET("\x81", "\x11", "\0", "\2", "\13") PACKET("\x81", "\x04", "\0", "\0", "\14")
                       PACKET("\x81", "\x10", "\1", "\0", "\15") "x" PACKET("\x81", "\x10", "\0", "\0", "\15")
                           PACKET("\x81", "\x05", "\0", "\6", "\16")),
      "version 24/24 , get a 25/24 NOT_FOUND, getkq b 74/49 , delete d 25/24 , stat 24/49 , incr n 25/24 "
      "NOT_NUMERIC!" },
    { "redis", TEXT("*1\r\n$4\r\nPING\r\n"), TEXT("+PONG\r\n"),
      TEXT("*2\r\n$3\r\nget\r\n$1\r\nk\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\n\r\n*1\r\nPING\r\n*3\r\n$6\r\nlrange\r\n$"
           "1\r\nl\r\n$1\r\n0\r\n"
           "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nc\r\n*1\r\n$4\r\nPING\r\n*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$2\r\nON\r\n"),
      TEXT("$-1\r\n+OK\r\n+PONG\r\n*2\r\n$3\r\n+OK\r\n*1\r\n:5\r\n*3\r\n$"
           "9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
           "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n-ERR no\r\n"),
      "PING 14/7 , GET 20/5 nil, SET 30/5 , PING 6/7 , LRANGE 30/21 , SUBSCRIBE 26/30 , PING 14/20 , CLIENT 35/9 "
      "ERR!" },
    /* RESP3 (redis-specifications, protocol/RESP3.md): each type; attributes before an answer and inside it; pushes */
    { "redis3", TEXT(PING), TEXT(PONG),
      TEXT("*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n" COMMAND("MGET") COMMAND("INFO") COMMAND("ZALL") COMMAND("FAIL")
               COMMAND("NONE") COMMAND("LAST")),
      TEXT("%2\r\n+server\r\n$5\r\nredis\r\n+modules\r\n*0\r\n"
           ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\na\r\n"
           "|1\r\n+key-popularity\r\n%2\r\n$1\r\na\r\n,0.1923\r\n$1\r\nb\r\n,0.0012\r\n*2\r\n:2039123\r\n:9543892\r\n"
           ">3\r\n+message\r\n+channel\r\n*1\r\n*1\r\n_\r\n"
           "=8\r\ntxt:a\r\nb\r\n"
           "~7\r\n,-1.5\r\n#t\r\n(-3492890328409238509324850943850943825024385\r\n*3\r\n:1\r\n:2\r\n|1\r\n+ttl\r\n:"
           "3600\r\n:"
           "3\r\n"
           "-ERR inside\r\n*-1\r\n$0\r\n\r\n"
           "!21\r\nSYNTAX invalid syntax\r\n"
           "|1\r\n+x\r\n%0\r\n|0\r\n_\r\n,-2\r\n"),
      "PING 14/7 , HELLO 22/38 , MGET 14/81 , INFO 14/14 , ZALL 14/119 , FAIL 14/28 ERR!, NONE 14/19 nil, LAST 14/5 " },
    /* CLIENT REPLY (redis.io/docs/latest/commands/client-reply): OFF and SKIP have no answer, nor has what they
     * silence; ON has one in any case. What is no mode, or no mode alone, is an error, which is told. */
    { "redis-silent", TEXT(PING), TEXT(PONG),
      TEXT(REPLY("$4\r\nSKIP\r\n") COMMAND("AAAA") COMMAND("BBBB") REPLY("$3\r\nOFF\r\n") COMMAND("CCCC")
               REPLY("$4\r\nskip\r\n") COMMAND("CCCC") REPLY("$2\r\nON\r\n") COMMAND("DDDD") REPLY("$4\r\nSKIP\r\n")
                   REPLY("$4\r\nSKIP\r\n") REPLY("$2\r\non\r\n") COMMAND("EEEE")
                       REPLY("$4\r\nNONE\r\n") "*4\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n$1\r\nx\r\n"
                                               "*2\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n*1\r\n$6\r\nCLIENT\r\n"
                                               "*2\r\n$6\r\nCLIENT\r\n$30\r\n123456789012345678901234567890\r\n"
                                               "CLIENT REPLY OFF\r\nPING\r\n*1\r\n$5\r\nRESET\r\nPING\r\n"),
      TEXT("+B\r\n+OK\r\n+D\r\n+OK\r\n+E\r\n-ERR 1\r\n-ERR 22\r\n-ERR 333\r\n-ERR 4444\r\n-ERR "
           "55555\r\n+RESET\r\n+PONG\r\n"),
      "PING 14/7 , BBBB 14/4 , CLIENT 35/5 , DDDD 14/4 , CLIENT 35/5 , EEEE 14/4 , CLIENT 37/8 ERR!, CLIENT 43/9 ERR!, "
      "CLIENT 27/10 ERR!, CLIENT 16/11 ERR!, CLIENT 53/12 ERR!, RESET 15/8 , PING 6/7 " },
    /* RESP2 (redis.io/docs/latest/develop/interact/pubsub): a channel, a confirmation; publications come between; PING
     * is answered by an array; when the subscription has ended, arrays are answers whatever they begin with. */
    { "redis-subscribe", TEXT(PING), TEXT(PONG),
      TEXT("*3\r\n$9\r\nSUBSCRIBE\r\n$1\r\na\r\n$1\r\nb\r\n*2\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n" PING
           "UNSUBSCRIBE a b\r\n*1\r\n$12\r\nPUNSUBSCRIBE\r\n" COMMAND("LIST") COMMAND("LAST")),
      TEXT("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n"
           "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$5\r\n*1\r\n:\r\n*3\r\n$10\r\npsubscribe\r\n$1\r\n*\r\n:3\r\n"
           "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\na\r\n$0\r\n\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n"
           "*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:2\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:1\r\n"
           "*3\r\n$12\r\npunsubscribe\r\n$1\r\n*\r\n:0\r\n*2\r\n$7\r\nmessage\r\n$1\r\nx\r\n-ERR last\r\n"),
      "PING 14/7 , SUBSCRIBE 33/60 , PSUBSCRIBE 28/32 , PING 14/20 , UNSUBSCRIBE 17/66 , PUNSUBSCRIBE 23/34 , LIST "
      "14/24 , "
      "LAST 14/11 ERR!" },
    /* RESP3: pushes wherever an answer may begin; what is published is no array. */
    { "redis-push", TEXT(PING), TEXT(PONG),
      TEXT(COMMAND("AAAA") "*3\r\n$10\r\nSSUBSCRIBE\r\n$1\r\na\r\n$1\r\nb\r\n" COMMAND("LIST") COMMAND("LAST")),
      TEXT(">2\r\n$10\r\ninvalidate\r\n_\r\n+A\r\n>3\r\n$10\r\nssubscribe\r\n$1\r\na\r\n:1\r\n>3\r\n$"
           "10\r\nssubscribe\r\n$"
           "1\r\nb\r\n:2\r\n"
           ">3\r\n$8\r\nsmessage\r\n$1\r\na\r\n$3\r\n+x\n\r\n*2\r\n$8\r\nsmessage\r\n%1\r\n:1\r\n+x\r\n>1\r\n+x\r\n>"
           "0\r\n-"
           "ERR "
           "last\r\n"),
      "PING 14/7 , AAAA 14/4 , SSUBSCRIBE 35/64 , LIST 14/30 , LAST 14/11 ERR!" },
    /* redis.io/docs/latest/develop/interact/transactions; errors inside an array are no error of EXEC */
    { "redis-multi", TEXT(PING), TEXT(PONG),
      TEXT("MULTI\r\n" COMMAND("AAAA") "\r\nSET  k v\r\n*0\r\n" COMMAND("EXEC") "MULTI\r\n" COMMAND("NONE")
               COMMAND("EXEC") COMMAND("EXEC") "*3\r\n$5\r\nBLPOP\r\n$1\r\nl\r\n$1\r\n1\r\n" COMMAND("DEEP")),
      TEXT("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n-WRONGTYPE x\r\n*2\r\n$2\r\n\r\n\r\n*-1\r\n"
           "+OK\r\n-ERR unknown\r\n-EXECABORT x\r\n*-1\r\n*-1\r\n"
           "*1\r\n*2\r\n*1\r\n*1\r\n*3\r\n:1\r\n$-1\r\n*0\r\n*2\r\n*0\r\n*1\r\n*-1\r\n"),
      "PING 14/7 , MULTI 7/5 , AAAA 14/9 , SET 10/9 , EXEC 14/35 , MULTI 7/5 , NONE 14/14 ERR!, EXEC 14/14 EXECABORT!, "
      "EXEC 14/5 nil, BLPOP 29/5 nil, DEEP 14/50 " },
    /* Answers out of order; upper case; an answer without its question; a name that does not exist is no error. */
    { "dns", TEXT(DNS_ASKS("\x12\1", "\1")), TEXT(DNS_ANSWERS("\x12\1", "\1", "\x80")),
      TEXT(DNS_ASKS("\x12\2", "\x1c") DNS_ASKS("\x12\3", "\x0f") DNS_ASKS("\x12\4", "\xff") DNS_ASKS("\x12\5", "\x41")),
      TEXT(DNS_ANSWERS("\x12\3", "\x0f", "\x83") DNS_ANSWERS("\x12\2", "\x1c", "\x80")
               DNS_ANSWERS("\x12\5", "\x41", "\x82") "\0\x0c"
                                                     "\x12\4"
                                                     "\x81\x85"
                                                     "\0\0\0\0\0\0\0\0"),
      "A example.org 31/31 NOERROR, AAAA example.org 31/31 NOERROR, MX example.org 31/31 NXDOMAIN, "
      "ANY example.org 31/14 REFUSED!, HTTPS example.org 31/31 SERVFAIL!" },
};
