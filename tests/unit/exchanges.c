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
/* MySQL: dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html; of numbers of packets and flags. */
#define MYSQL_LOGIN              "\x20\0\0\1\0\xa2\0\0\0\0\0\1\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define MYSQL_OK(number, flags)  "\7\0\0" number "\0\0\0" flags "\0\0\0"
#define MYSQL_EOF(number, flags) "\5\0\0" number "\xfe\0\0" flags "\0"
#define MYSQL_COLUMN(number)                                                                                           \
    "\x0e\0\0" number "\3"                                                                                             \
    "def\0\0\0\0\0\0\0\0\0\0"
#define COMMAND(name) "*1\r\n$4\r\n" name "\r\n"
#define PING          COMMAND("PING")
#define PONG          "+PONG\r\n"
#define REPLY(mode)   "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n" mode

const struct exchange exchanges[] = {
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
    /* Lines that go on with a length or a coding, and lines that only look as if they had one. */
    { "http-fields", TEXT("GET / HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"),
      TEXT("POST /a HTTP/1.1\r\nHost: x\r\nCONTENT-LENGTH:\r\n 5\r\nX-Content-Length: 7\r\n\r\n12345"
           "GET /b HTTP/1.1\r\nConnection: close\r\n\tContent-Length: 9\r\nUser-Agent: u\r\nC:\r\nt\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nServer: s\r\ntransfer-encoding:\r\n chunked\r\nDate: d\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
           "HTTP/1.1 404 No\nServer: s\nContent-Length: 2\nVary: *\n\nab"),
      "GET / 18/40 200, POST /a 76/82 200, GET /b 80/55 404!" },
    /* What of a response's type makes a stream of it, and which preferences a long poll. */
    { "http-waiting", TEXT("GET / HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"),
      TEXT("GET /a HTTP/1.1\r\nPrefer: wait=5\r\n\r\nGET /b HTTP/1.1\r\nprefer: x=\"a, wait=1\", wait=0\r\n\r\n"
           "HEAD /c HTTP/1.1\r\nPragma: x\r\nPrefer: return=minimal; a=b, Wait = \"60\"\r\n\r\n"
           "POST /d HTTP/1.1\r\nPrefer: wait=5\r\n\r\n"
           "GET /e HTTP/1.1\r\nPrefer: wait=5\r\nPrefer: respond-async\r\n\r\n"
           "GET /f HTTP/1.1\r\nPrefer: wait\r\nPrefer:\r\n\r\nGET /g HTTP/1.1\r\n\r\nGET /h HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: application/json;stream=watch\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: multipart/x-mixed-replace ; boundary=\"a;b\"\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Type: multipart/mixed; boundary=\"stream=watch\"\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: a/b; x; Stream=\"watch\"; y=z\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: a/b; a; stream=0\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nPrefer: wait=5\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type:\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: application/x-ndjson\r\n\r\n"),
      "GET / 18/40 200, GET /a 35/83 200 stream poll, GET /b 50/96 200 stream, HEAD /c 73/75 200 poll, "
      "POST /d 36/81 200 stream, GET /e 58/70 200, GET /f 42/54 200, GET /g 19/53 200, GET /h 19/74 200" },
    /* Server-Sent Events; what only looks like their media type; the fields of an interim response are nobody's. */
    { "http-stream", TEXT("GET / HTTP/1.1\r\n\r\n"), TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"),
      TEXT("GET /a HTTP/1.1\r\nContent-Type: text/event-stream\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n"
           "GET /d HTTP/1.1\r\n\r\n"),
      TEXT("HTTP/1.1 103 Early Hints\r\nContent-Type: text/event-stream\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Type: text/event-streams\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-type:Text/Event-Stream;charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
           "8\r\ndata: 1\n\r\n0\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 2\n\n"),
      "GET / 18/40 200, GET /a 52/72 200, GET /b 19/111 200 stream, GET /c 19/64 200, GET /d 19/61 200 stream" },
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
    /* What waits for others; of XREAD and XREADGROUP only with BLOCK among the options. */
    { "redis-blocking", TEXT(PING), TEXT(PONG),
      TEXT("*3\r\n$5\r\nblpop\r\n$1\r\nl\r\n$1\r\n0\r\nXREAD BLOCK 10 STREAMS s $\r\nXREAD COUNT 1 STREAMS BLOCK 0\r\n"
           "*9\r\n$10\r\nXREADGROUP\r\n$5\r\nGROUP\r\n$1\r\ng\r\n$30\r\n123456789012345678901234567890\r\n$"
           "5\r\nBlock\r\n"
           "$1\r\n0\r\n$7\r\nSTREAMS\r\n$1\r\ns\r\n$1\r\n>\r\n"
           "*4\r\n$5\r\nXREAD\r\n$7\r\nSTREAMS\r\n$5\r\nBLOCK\r\n$1\r\n0\r\nWAIT 1 0\r\nGET BLOCK\r\n"),
      TEXT("*2\r\n$1\r\nl\r\n$1\r\nx\r\n*-1\r\n*-1\r\n*-1\r\n*-1\r\n:0\r\n$-1\r\n"),
      "PING 14/7 , BLPOP 29/18  poll, XREAD 28/5 nil poll, XREAD 31/5 nil, XREADGROUP 121/5 nil poll, XREAD 46/5 nil, "
      "WAIT 10/4  poll, GET 11/5 nil" },
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
      "EXEC 14/5 nil, BLPOP 29/5 nil poll, DEEP 14/50 " },
    /* Simple queries: several results, an error, COPY both ways; notices and notifications are no responses, Terminate
       asks nothing */
    { "postgresql", TEXT("\0\0\0\x10\0\x03\0\0user\0u\0\0"),
      TEXT("R\0\0\0\x08\0\0\0\0S\0\0\0\x08\x61\0\x62\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I"),
      TEXT(
          "Q\0\0\0#SELECT a FROM t WHERE b = 'x';\0Q\0\0\0\x15\x42\x45GIN; SELECT 1;\0Q\0\0\0\x0dnonsense\0Q\0\0\0\x07 "
          ";\0Q\0\0\0\x16\x43OPY t FROM STDIN\0\x64\0\0\0\x06\x31\x0a\x63\0\0\0\x04Q\0\0\0\x15\x43OPY t TO STDO"
          "UT\0\x46\0\0\0\x0e\0\0\0\x01\0\0\0\0\0\0Q\0\0\0\x0dLISTEN c\0X\0\0\0\x04"),
      TEXT("T\0\0\0\x1a\0\x01\x61\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x44\0\0\0\x0b\0\x01\0\0\0\x01xD\0\0\0\x0b\0\x01"
           "\0\0\0\x01x"
           "C\0\0\0\x0dSELECT "
           "2\0Z\0\0\0\x05IS\0\0\0\x08\x61\0\x62\0\x43\0\0\0\x0a\x42\x45GIN\0T\0\0\0\x1a\0\x01\x61\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0\0N\0\0\0\x18S"
           "NOTICE\0\x43\x30\x30\x30\x30\x30\0Mhm\0\0\x43\0\0\0\x0dSELECT 0\0Z\0\0\0\x05IE\0\0\0\x1eSERROR\0VERR"
           "OR\0\x43\x34\x32\x36\x30\x31\0Mno\0\0Z\0\0\0\x05IA\0\0\0\x0c\0\0\0\x01\x63\0p\0N\0\0\0\x18SNOTICE\0\x43\x30"
           "\x30\x30\x30\x30\0Mhm"
           "\0\0I\0\0\0\x04Z\0\0\0\x05IG\0\0\0\x07\0\0\0\x43\0\0\0\x0b\x43OPY "
           "1\0Z\0\0\0\x05IH\0\0\0\x07\0\0\0\x64\0\0\0\x06\x31\x0a\x63\0\0\0\x04\x43\0\0\0\x0b\x43O"
           "PY "
           "1\0Z\0\0\0\x05IV\0\0\0\x08\0\0\0\0Z\0\0\0\x05IC\0\0\0\x0bLISTEN\0Z\0\0\0\x05IA\0\0\0\x0c\0\0\0\x01\x63\0p\0"
           "\x41\0\0\0\x0c\0\0\0\x01\x63\0p\0"),
      "startup 16/37 , SELECT a FROM t WHERE b = ? 36/71 , BEGIN; SELECT ? 22/83 , nonsense 14/37 42601!, empty query "
      "8/11 , COPY t FROM STDIN 23/26 , COPY t TO STDOUT 22/38 , FunctionCall 15/15 , LISTEN c 14/18 " },
    /* Prepared, pipelined: what fails has what follows until the Sync skipped; a Flush, and a Sync alone */
    { "postgresql-extended", TEXT("\0\0\0\x08\x04\xd2\x16/"), TEXT("N"),
      TEXT("P\0\0\0\x11\0SELECT "
           "$1\0\0\0\x42\0\0\0\x0c\0\0\0\0\0\0\0\0\x44\0\0\0\x06P\0\x45\0\0\0\x09\0\0\0\0\0S\0\0\0\x04P"
           "\0\0\0(s1\0INSERT INTO t VALUES ($1, "
           "'a')"
           "\0\0\0\x44\0\0\0\x08Ss1\0S\0\0\0\x04\x42\0\0\0\x0e\0s1\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0\x42\0\0\0\x0e"
           "\0s1\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0\x42\0\0\0\x0e\0s1\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0P\0\0\0"
           "\x15\0\x44\x45L"
           "ETE FROM "
           "t\0\0\0\x42\0\0\0\x0c\0\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0S\0\0\0\x04\x42\0\0\0\x0e\0s9\0\0\0\0\0\0\0"
           "\x45\0\0\0\x09\0\0\0\0\0S\0\0\0\x04P"
           "\0\0\0\x0f\0\x46\x45TCH 5\0\0\0\x42\0\0\0\x0dp\0\0\0\0\0\0\0\0\x45\0\0\0\x0ap\0\0\0\0\0\x45\0\0\0\x0ap"
           "\0\0\0\0\0H\0\0\0\x04P\0\0\0\x10\0SELECT "
           "2\0\0\0\x44\0\0\0\x06S\0H\0\0\0\x04\x42\0\0\0\x0c\0\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0S\0\0\0\x04\x43\0"
           "\0\0\x08S"
           "s1\0S\0\0\0\x04S\0\0\0\x04\x42\0\0\0\x0e\0s1\0\0\0\0\0\0\0\x45\0\0\0\x09\0\0\0\0\0S\0\0\0\x04"),
      TEXT(
          "1\0\0\0\x04\x32\0\0\0\x04T\0\0\0\x1a\0\x01\x61\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x44\0\0\0\x0b\0\x01\0\0"
          "\0\x01x"
          "C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I1\0\0\0\x04t\0\0\0\x06\0\0n\0\0\0\x04Z\0\0\0\x05I2\0\0\0\x04\x43\0\0\0\x0fI"
          "NSERT 0 1\0\x32\0\0\0\x04\x45\0\0\0\x1eSERROR\0VERROR\0\x43\x32\x33\x35\x30\x35\0Mno\0\0Z\0\0\0\x05I"
          "E\0\0\0\x1eSERROR\0VERROR\0\x43\x32\x36\x30\x30\x30\0Mno\0\0Z\0\0\0\x05I1\0\0\0\x04\x32\0\0\0\x04\x44\0\0\0"
          "\x0b\0\x01\0\0\0\x01x"
          "s\0\0\0\x04\x44\0\0\0\x0b\0\x01\0\0\0\x01xC\0\0\0\x0c\x46\x45TCH "
          "1\0\x31\0\0\0\x04t\0\0\0\x06\0\0T\0\0\0\x1a\0\x01\x61\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x32\0\0\0\x04"
          "\x44\0\0\0\x0b\0\x01\0\0\0\x01x"
          "C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I3\0\0\0\x04Z\0\0\0\x05IZ\0\0\0\x05I2\0\0\0\x04I\0\0\0\x04Z\0\0\0\x05I"),
      "SSLRequest 8/1 N, SELECT $1 48/69 , Parse INSERT INTO t VALUES ($1, ?) 55/23 , INSERT INTO t VALUES ($1, ?) "
      "25/21 , INSERT INTO t VALUES ($1, ?) 25/42 23505!, INSERT INTO t VALUES ($1, ?) 25/0 skipped!, DELETE FROM t "
      "45/0 skipped!, EXECUTE s9 25/37 26000!, FETCH ? 41/27 , FETCH ? 11/25 , Parse SELECT ? 29/39 , SELECT ? 23/37 , "
      "Close INSERT INTO t VALUES ($1, ?) 14/11 , Sync 5/6 , EXECUTE s1 25/16 " },
    /* A login with a question; results with EOFs and without, several, a file, statements, errors; in one segment. */
    { "mysql", TEXT(MYSQL_LOGIN),
      TEXT("\x2c\0\0\2\xfemysql_native_password\0saltsaltsaltsaltsalt\0" MYSQL_OK("\4", "\0")),
      TEXT("\x14\0\0\3"
           "hashhashhashhashhash"
           "\x09\0\0\0\3SELECT 1\x23\0\0\0\3INSERT INTO t VALUES (1); SELECT 2\6\0\0\0\3SELEC\1\0\0\0\x0e"
           "\x18\0\0\0\x16SELECT a FROM t LIMIT ?\5\0\0\0\x19\7\0\0\0\x0a\0\0\0\x17\3\0\0\0\1\1\0\0\0"
           "\x09\0\0\0\x1c\3\0\0\0\2\0\0\0\x1b\0\0\0\3LOAD DATA LOCAL INFILE 'f'\2\0\0\2ab\0\0\0\3\5\0\0\0\2"
           "test\1\0\0\0\x09\1\0\0\0\1"),
      TEXT("\1\0\0\1\1" MYSQL_COLUMN("\2") MYSQL_EOF("\3", "\0") "\2\0\0\4\1x" MYSQL_EOF("\5", "\0")
               MYSQL_OK("\1", "\x08") "\1\0\0\2\1" MYSQL_COLUMN("\3")
                   MYSQL_EOF("\4", "\x08") "\1\0\0\5\0" MYSQL_EOF("\6", "\0") "\x0b\0\0\1\xff\x28\4#42000no" MYSQL_OK(
                       "\1", "\0") "\x0c\0\0\1\0\3\0\0\0\1\0\1\0\0\0\0" MYSQL_COLUMN("\2") MYSQL_EOF("\3", "\0")
                       MYSQL_COLUMN("\4") MYSQL_EOF("\5", "\0") "\1\0\0\1\1" MYSQL_COLUMN("\2")
                           MYSQL_EOF("\3", "\x40") "\4\0\0\1\0\0\1x" MYSQL_EOF(
                               "\2", "\x80") "\2\0\0\1\xfb"
                                             "f" MYSQL_OK("\4", "\0") "\x0b\0\0\1\xff\x15\4#42000no"
                                                                      "\x0a\0\0\1Uptime: 10"),
      "login 36/59 , SELECT ? 13/47 , INSERT INTO t VALUES (?); SELECT ? 39/57 , SELEC 10/15 1064!, Ping 5/11 , "
      "Prepare SELECT a FROM t LIMIT ? 28/70 , EXECUTE 3 14/32 , Fetch 3 13/17 , "
      "LOAD DATA LOCAL INFILE ? 31/17 , Init DB test 9/15 1045!, Statistics 5/14 " },
    /* MongoDB: answers out of order, none wanted, compressed, several (exhaust), of old. */
    { "mongodb",
      TEXT(":\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xd4\x07\x00\x00\x00\x00\x00\x00\x61\x64min"
           ".$cmd\x00\x00\x00\x00\x00\xff\xff\xff\xff\x13\x00\x00\x00\x10isMaster\x00\x01\x00\x00"
           "\x00\x00"),
      TEXT("5\x00\x00\x00\x09\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x11\x00\x00\x00\x01ok\x00\x00"
           "\x00\x00\x00\x00\x00\xf0\x3f\x00"),
      TEXT("1\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x1c"
           "\x00\x00\x00\x02\x66ind\x00\x02\x00\x00\x00\x63\x00\x02$db\x00\x02\x00\x00\x00\x64\x00"
           "\x00G\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x01"
           "\x13\x00\x00\x00\x64ocuments\x00\x05\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x02insert\x00"
           "\x02\x00\x00\x00\x63\x00\x02$db\x00\x02\x00\x00\x00\x64\x00\x00\x33\x00\x00\x00\x04\x00"
           "\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x02\x00\x00\x00\x00\x1e\x00\x00\x00\x02insert"
           "\x00\x02\x00\x00\x00\x63\x00\x02$db\x00\x02\x00\x00\x00\x64\x00\x00H\x00\x00\x00\x05\x00"
           "\x00\x00\x00\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x33\x00\x00\x00\x12getMore"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x63ollection\x00\x02\x00\x00\x00\x63\x00\x02$db"
           "\x00\x02\x00\x00\x00\x64\x00\x00\x33\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\xdd\x07"
           "\x00\x00\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x10nonsense\x00\x01\x00\x00\x00\x02$db\x00"
           "\x02\x00\x00\x00\x64\x00\x00\x1e\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\xdc\x07\x00"
           "\x00\xdd\x07\x00\x00\x05\x00\x00\x00\x02xxxxx3\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00"
           "\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x1e\x00\x00\x00\x02update\x00\x02\x00\x00\x00"
           "\x63\x00\x02$db\x00\x02\x00\x00\x00\x64\x00\x00\x31\x00\x00\x00\x0b\x00\x00\x00\x00\x00"
           "\x00\x00\xdd\x07\x00\x00\x00\x00\x01\x00\x00\x1c\x00\x00\x00\x02\x66ind\x00\x02\x00\x00"
           "\x00s\x00\x02$db\x00\x02\x00\x00\x00\x64\x00\x00"),
      TEXT("\x3f\x00\x00\x00\x14\x00\x00\x00\x06\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00*"
           "\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x65rrmsg\x00\x03\x00\x00\x00n"
           "o\x00\x10\x63ode\x00;\x00\x00\x00\x00&\x00\x00\x00\x15\x00\x00\x00\x02\x00\x00\x00\xdd"
           "\x07\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0"
           "\x3f\x00&\x00\x00\x00\x16\x00\x00\x00\x03\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00"
           "\x00\x11\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00&\x00\x00\x00\x17\x00"
           "\x00\x00\x05\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x01ok\x00"
           "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00 \x00\x00\x00\x18\x00\x00\x00\x07\x00\x00\x00\xdc"
           "\x07\x00\x00\xdd\x07\x00\x00\x05\x00\x00\x00\x02yyyyyyy\x3f\x00\x00\x00\x19\x00\x00\x00"
           "\x08\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00*\x00\x00\x00\x10n\x00\x00\x00\x00"
           "\x00\x04writeErrors\x00\x05\x00\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f"
           "\x00&\x00\x00\x00\x1a\x00\x00\x00\x0b\x00\x00\x00\xdd\x07\x00\x00\x02\x00\x00\x00\x00"
           "\x11\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00&\x00\x00\x00\x1b\x00\x00"
           "\x00\x1a\x00\x00\x00\xdd\x07\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x01ok\x00\x00"
           "\x00\x00\x00\x00\x00\xf0\x3f\x00"),
      "isMaster admin 58/53 , find d.c 49/38 , insert d.c 71/38 , getMore d.c 72/38 , nonsense "
      "d 51/63 59!,  30/32 , update d.c 51/63 writeErrors!, find d.s 49/38  stream" },
    /* What waits for a change, or for data: hello, of a stream of answers, and getMore, that say for how long. */
    { "mongodb-awaits",
      TEXT("\057\000\000\000\001\000\000\000\000\000\000\000\335\007\000\000\000\000\000\000\000\032\000\000\000\020"
           "\160\151\156\147\000\001\000\000\000\002\044\144\142\000\002\000\000\000\141\000\000"),
      TEXT("\042\000\000\000\010\000\000\000\001\000\000\000\335\007\000\000\000\000\000\000\000\015\000\000\000\020"
           "\157\153\000\001\000\000\000\000"),
      TEXT("\110\000\000\000\002\000\000\000\000\000\000\000\335\007\000\000\000\000\001\000\000\063\000\000\000\020"
           "\150\145\154\154\157\000\001\000\000\000\022\155\141\170\101\167\141\151\164\124\151\155\145\115\123\000"
           "\020\047\000\000\000\000\000\000\002\044\144\142\000\002\000\000\000\141\000\000\127\000\000\000\003\000"
           "\000\000\000\000\000\000\335\007\000\000\000\000\000\000\000\102\000\000\000\022\147\145\164\115\157\162"
           "\145\000\007\000\000\000\000\000\000\000\002\143\157\154\154\145\143\164\151\157\156\000\002\000\000\000"
           "\143\000\020\155\141\170\124\151\155\145\115\123\000\364\001\000\000\002\044\144\142\000\002\000\000\000"
           "\144\000\000\100\000\000\000\004\000\000\000\000\000\000\000\335\007\000\000\000\000\000\000\000\053\000"
           "\000\000\002\146\151\156\144\000\002\000\000\000\143\000\020\155\141\170\124\151\155\145\115\123\000\364"
           "\001\000\000\002\044\144\142\000\002\000\000\000\144\000\000\104\000\000\000\005\000\000\000\000\000\000"
           "\000\335\007\000\000\000\000\000\000\000\057\000\000\000\020\150\145\154\154\157\000\001\000\000\000\020"
           "\155\141\170\101\167\141\151\164\124\151\155\145\115\123\000\000\000\000\000\002\044\144\142\000\002\000"
           "\000\000\141\000\000\110\000\000\000\006\000\000\000\000\000\000\000\335\007\000\000\000\000\000\000\000"
           "\063\000\000\000\022\147\145\164\115\157\162\145\000\007\000\000\000\000\000\000\000\002\143\157\154\154"
           "\145\143\164\151\157\156\000\002\000\000\000\143\000\002\044\144\142\000\002\000\000\000\144\000\000"),
      TEXT("\042\000\000\000\011\000\000\000\002\000\000\000\335\007\000\000\002\000\000\000\000\015\000\000\000\020"
           "\157\153\000\001\000\000\000\000\042\000\000\000\014\000\000\000\003\000\000\000\335\007\000\000\000\000"
           "\000\000\000\015\000\000\000\020\157\153\000\001\000\000\000\000\042\000\000\000\015\000\000\000\004\000"
           "\000\000\335\007\000\000\000\000\000\000\000\015\000\000\000\020\157\153\000\001\000\000\000\000\042\000"
           "\000\000\016\000\000\000\005\000\000\000\335\007\000\000\000\000\000\000\000\015\000\000\000\020\157\153"
           "\000\001\000\000\000\000\042\000\000\000\017\000\000\000\006\000\000\000\335\007\000\000\000\000\000\000"
           "\000\015\000\000\000\020\157\153\000\001\000\000\000\000"),
      "ping a 47/34 , hello a 72/34  stream poll, getMore d.c 87/34  poll, find d.c 64/34 , hello a 68/34 , getMore "
      "d.c 72/34 " },
    /* Kafka: tagged fields, a Produce that wants no answer, errors. */
    { "kafka", TEXT("\x00\x00\x00\x13\x00\x12\x00\x03\x00\x00\x00\x01\x00\x02me\x00\x03me\x02x\x00"),
      TEXT("\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x01\x00\x00\x00\x00\x00"),
      TEXT("\x00\x00\x00\x13\x00\x03\x00\x01\x00\x00\x00\x02\x00\x02me\x00\x00\x00\x01\x00\x01t\x00"
           "\x00\x00$\x00\x00\x00\x09\x00\x00\x00\x03\x00\x02me\x00\x00\xff\xff\x00\x00\x00\x09\x02"
           "\x04top\x02\x00\x00\x00\x00\x03rr\x00\x00\x00\x00\x00\x00'\x00\x00\x00\x03\x00\x00\x00"
           "\x04\x00\x02me\xff\xff\x00\x00\x00\x00\x00\x09\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x34\x00\x01\x00\x07\x00\x00\x00\x05\x00\x02"
           "me\xff\xff\xff\xff\x00\x00\x00\x05\x00\x00\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00"
           "\xff\xff\xff\xff\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
           "\x18\x00\x0c\x00\x03\x00\x00\x00\x06\x00\x02me\x00\x01g\x00\x00\x00\x00\x00\x01m\xff\xff"
           "\x00\x00\x00)\x00\x00\x00\x03\x00\x00\x00\x07\x00\x02me\xff\xff\x00\x01\x00\x00\x00\x09"
           "\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02rr"),
      TEXT("\x00\x00\x00\x08\x00\x00\x00\x02mmmm\x00\x00\x00%\x00\x00\x00\x03\x00\x02\x04top\x02\x00"
           "\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x12\x00\x00\x00\x05\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x06\x00\x00\x00\x00\x00\x1b\x00\x00\x00)\x00"
           "\x00\x00\x07\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
      "ApiVersions v3 23/16 , Metadata v1 t 23/12 , Produce v9 top 40/41 3!, Fetch v7 t 56/22 6"
      "! poll, Heartbeat v3 28/14 27!, Produce v3 t 45/45 " },
    /* TDS, sessions of MARS: answers whose packets stand between each other's, an error at the beginning and one behind
     * rows, a statement that is prepared. */
    { "tds",
      TEXT("\022\001\000 \000\000\001\000\000\000\020\000\006\001\000\026\000\001\004\000\027\000\001\377"
           "\017\000\007\320\000\000\002\001"),
      TEXT("\004\001\000 \000\000\001\000\000\000\020\000\006\001\000\026\000\001\004\000\027\000\001\377"
           "\017\000\007\320\000\000\002\001"),
      TEXT("S\001\000\000\020\000\000\000\000\000\000\000\004\000\000\000S\001\001\000\020\000\000\000\000"
           "\000\000\000\004\000\000\000S\001\002\000\020\000\000\000\000\000\000\000\004\000\000\000S\001"
           "\003\000\020\000\000\000\000\000\000\000\004\000\000\000S\010\000\000z\000\000\000\001\000\000"
           "\000\004\000\000\000\001\001\000j\000\000\001\000\026\000\000\000\022\000\000\000\002\000\000"
           "\000\000\000\000\000\000\000\001\000\000\000S\000E\000L\000E\000C\000T\000 \000a\000,\000 \000N"
           "\000'\000x\000'\000 \000F\000R\000O\000M\000 \000[\000t\000 \0001\000]\000 \000W\000H\000E\000R"
           "\000E\000 \000b\000 \000=\000 \000-\0005\000S\010\001\000@\000\000\000\001\000\000\000\004\000"
           "\000\000\003\000\0000\000\000\001\000\026\000\000\000\022\000\000\000\002\000\000\000\000\000"
           "\000\000\000\000\001\000\000\000\007\000d\000b\000o\000.\000p\000a\000y\000\000\000S\010\002\000"
           "w\000\000\000\001\000\000\000\004\000\000\000\003\001\000g\000\000\001\000\026\000\000\000\022"
           "\000\000\000\002\000\000\000\000\000\000\000\000\000\001\000\000\000\377\377\015\000\000\000\000"
           "\001&\004\000\000\000\347@\037\011\004\320\0004\014\000@\000a\000 \000i\000n\000t\000\000\000"
           "\347@\037\011\004\320\0004\032\000S\000E\000L\000E\000C\000T\000 \000@\000a\000 \000+\000 \0001"
           "\000S\010\001\000!\000\000\000\002\000\000\000\004\000\000\000\003\001\000\021\000\000\002\000"
           "\000\000&\004\004\005\000\000\000S\010\003\0002\000\000\000\001\000\000\000\004\000\000\000\016"
           "\001\000\042\000\000\001\000\026\000\000\000\022\000\000\000\002\000\000\000\000\000\000\000\000"
           "\000\001\000\000\000\005\000\000\000"),
      TEXT("S\010\002\000*\000\000\000\001\000\000\000\004\000\000\000\004\000\000\032\000\000\001\000\201"
           "\001\000\000\000\000\000\000\0008\001n\000\321\005\000\000\000S\010\000\0004\000\000\000\001\000"
           "\000\000\004\000\000\000\004\000\000$\000\000\001\000\201\001\000\000\000\000\000\000\0008\001n"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000S\010\001\000K\000\000\000\001"
           "\000\000\000\004\000\000\000\004\001\000;\000\000\001\000\252\036\000\374\012\000\000\001\020"
           "\004\000n\000o\000n\000e\000\004m\000a\000d\000e\000\000\001\000\000\000y\001\000\000\000\376"
           "\002\000\301\000\000\000\000\000\000\000\000\000S\010\002\000*\000\000\000\002\000\000\000\004"
           "\000\000\000\004\001\000\032\000\000\002\000\321\005\000\000\000\375\020\000\301\000\001\000\000"
           "\000\000\000\000\000S\010\000\000z\003\000\000\002\000\000\000\004\000\000\000\004\001\003j\000"
           "\000\002\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000"
           "\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005"
           "\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321"
           "\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000"
           "\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000\000\321\005\000\000"
           "\000\321\005\000\000\000\321\005\000\000\000\2522\000\306\037\000\000\001\020\016\000D\000i\000v"
           "\000i\000d\000e\000 \000b\000y\000 \000z\000e\000r\000o\000\004m\000a\000d\000e\000\000\001\000"
           "\000\000\375\002\000\301\000\000\000\000\000\000\000\000\000S\002\000\000\020\000\000\000\000"
           "\000\000\000\011\000\000\000S\010\003\0003\000\000\000\001\000\000\000\004\000\000\000\004\001"
           "\000#\000\000\001\000\343\013\000\010\010\001\000\000\000\000\000\000\000\000\375\000\000\301"
           "\000\000\000\000\000\000\000\000\000"),
      "prelogin 32/32 , SELECT a, ? FROM [t 1] WHERE b = ? 122/942 8134!, EXEC dbo.pay 97/75 2812!, SELECT @a + ? "
      "119/84 , BEGIN 50/51 " },
    /* NATS: an inbox by a wildcard and one of its own; nobody there, two messages to a pull, two answers; what is
     * pushed, asked of elsewhere, and said in lower case. */
    { "nats", TEXT("CONNECT {\"verbose\":false}\r\nPING\r\n"), TEXT("PONG\r\n"),
      TEXT("SUB _INBOX.a.* 1\r\n"
           "SUB _INBOX.p 2\r\n"
           "PUB user.17.get _INBOX.a.1 2\r\nhi\r\n"
           "HPUB svc _INBOX.a.2 12 14\r\nNATS/1.0\r\n\r\nhi\r\n"
           "PUB $JS.API.CONSUMER.MSG.NEXT.S.C _INBOX.p 11\r\n{\"batch\":2}\r\n"
           "PUB events 3\r\nfoo\r\n"
           "PUB a.b elsewhere 1\r\nx\r\n"
           "PUB $JS.API.STREAM.INFO.S _INBOX.a.3 0\r\n\r\n"
           "PING\r\n"
           "PONG\r\n"
           "pub\t_INBOX.b.9\t_INBOX.a.4  1 \r\n1\r\n"),
      TEXT("MSG news 3 5\r\nhello\r\n"
           "PING\r\n"
           "HMSG _INBOX.a.2 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n"
           "MSG orders.1 2 $JS.ACK.S.C.1.1.1.1.0 4\r\nbody\r\n"
           "MSG orders.2 2 $JS.ACK.S.C.1.2.2.1.0 4\r\nbody\r\n"
           "MSG _INBOX.a.1 1 2\r\nok\r\n"
           "MSG _INBOX.a.1 1 5\r\nagain\r\n"
           "PONG\r\n"
           "MSG _INBOX.a.3 1 "
           "127\r\n{\"type\":\"io.nats.jetstream.api.v1.stream_info_response\",\"error\":{\"code\":404,\"err_code\":"
           "10059,\"description\":\"stream not found\"}}\r\n"
           "HMSG _INBOX.a.4 1 42 44\r\nNATS/1.0\r\nNats-Service-Error-Code: 500\r\n\r\nno\r\n"
           "INFO {\"server_id\":\"N\"}\r\n"),
      "PING 6/6 , REQUEST user.{n}.get 34/24 , REQUEST svc 43/43 503!, "
      "REQUEST $JS.API.CONSUMER.MSG.NEXT.S.C 60/46  poll, "
      "REQUEST $JS.API.STREAM.INFO.S 42/151 10059!, PING 6/6 , REQUEST _INBOX.{n} 34/71 500!" },
    /* MQTT 5: topics by alias, a code that is no error, one that is; what the server publishes and the client
     * acknowledges, and a part of an authentication are no answers. */
    { "mqtt", TEXT("\020\017\000\004MQTT\005\002\000<\000\000\002me"), TEXT(" \003\000\000\000"),
      TEXT("\202\011\000\001\000\000\003a/#\0010\011\000\001s\000quiet2\014\000\003a/1\000\002\003#"
           "\000\001x4\320\001\000\000\000\003\003#\000\001yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
           "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
           "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy@\002\000\001b\002\000"
           "\003\242\006\000\004\000\000\001b\300\0004\011\000\003a/2\000\005\000z\360\002\031\0002"
           "\011\000\000\000\006\003#\000\002y"),
      TEXT("2\014\000\003a/0\000\001\000news\220\004\000\001\000\001@\003\000\002\020P\002\000\0030"
           "\234\001\000\003a/0\000nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
           "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnp\002"
           "\000\003\320\000\260\004\000\004\000\021P\004\000\005\227\000\360\002\030\000\360\002\000"
           "\000@\003\000\006\207"),
      "CONNECT 17/5 , SUBSCRIBE a/# 11/6 , PUBLISH a/1 14/5 0x10, PUBLISH a/1 211/4 , PUBREL 4/4 , UNSUBSCRIBE b 8/6 "
      "0x11, "
      "PINGREQ 2/2 , PUBLISH a/2 11/6 Quota exceeded!, AUTH 4/4 , PUBLISH alias 2 11/5 Not authorized!" },
    /* AMQP: nobody waits, and nobody confirms; contents in parts and between methods of other channels; what came back,
     * was refused, is confirmed together, and what closes a channel. */
    { "amqp", TEXT("AMQP\0\0\11\1"), TEXT("\1\0\0\0\0\0\34\0\12\0\12\0\11\0\0\0\0\0\0\0\5PLAIN\0\0\0\5en_US\316"),
      TEXT("\1\0\0\0\0\0\34\0\12\0\13\0\0\0\0\5PLAIN\0\0\0\4\0a\0b\5en_US\316\1\0\0\0\0\0\14\0\12\0\37\7\377"
           "\0\2\0\0\0\0\316\1\0\0\0\0\0\10\0\12\0(\1/\0\0\316\1\0\1\0\0\0\5\0\24\0\12\0\316\1\0\1\0\0\0\17"
           "\0<\0(\0\0\1e\5plain\0\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\1\0\0\316\3\0\1\0\0\0\1x\316\1"
           "\0\1\0\0\0\15\0002\0\12\0\0\1q\0\0\0\0\0\316\1\0\1\0\0\0\21\0002\0\24\0\0\1q\1e\1k\1\0\0\0\0\316"
           "\10\0\0\0\0\0\0\316\1\0\1\0\0\0\11\0<\0F\0\0\1q\0\316\1\0\1\0\0\0\15\0<\0P\0\0\0\0\0\0\0\1\0\316"
           "\1\0\1\0\0\0\11\0<\0F\0\0\1q\0\316\1\0\2\0\0\0\5\0\24\0\12\0\316\1\0\1\0\0\0\5\0U\0\12\0\316\1"
           "\0\1\0\0\0\13\0<\0(\0\0\1e\1a\0\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\3\0\0\316\3\0\1\0\0\0"
           "\3one\316\1\0\1\0\0\0\12\0<\0(\0\0\0\1b\1\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\10\0\0\316\3"
           "\0\1\0\0\0\3two\316\3\0\1\0\0\0\5parts\316\1\0\1\0\0\0\13\0<\0(\0\0\1e\1c\0\316\2\0\1\0\0\0\16"
           "\0<\0\0\0\0\0\0\0\0\0\0\0\0\316\1\0\1\0\0\0\13\0<\0(\0\0\1e\1d\0\316\2\0\1\0\0\0\16\0<\0\0\0\0"
           "\0\0\0\0\0\3\0\0\316\3\0\1\0\0\0\3ddd\316\1\0\1\0\0\0\13\0<\0(\0\0\1e\1e\0\316\1\0\2\0\0\0\4\0"
           "Z\0\12\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\4\0\0\316\3\0\1\0\0\0\4late\316\1\0\1\0\0\0\14"
           "\0<\0(\0\0\2no\1f\0\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\1\0\0\316\3\0\1\0\0\0\1f\316\1\0\1"
           "\0\0\0\13\0<\0(\0\0\1e\1g\0\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\1\0\0\316\3\0\1\0\0\0\1g\316"
           "\1\0\3\0\0\0\5\0\24\0\12\0\316\1\0\3\0\0\0\20\0002\0\12\0\0\4gone\1\0\0\0\0\316\1\0\1\0\0\0\4"
           "\0\24\0)\316\1\0\3\0\0\0\4\0\24\0)\316\1\0\0\0\0\0\16\0\12\0002\0\310\3bye\0\0\0\0\316"),
      TEXT("\1\0\0\0\0\0\14\0\12\0\36\7\377\0\2\0\0\0\0\316\1\0\0\0\0\0\5\0\12\0)\0\316\1\0\1\0\0\0\10\0\24"
           "\0\13\0\0\0\0\316\1\0\1\0\0\0\16\0002\0\13\1q\0\0\0\1\0\0\0\0\316\1\0\1\0\0\0\31\0<\0G\0\0\0\0"
           "\0\0\0\1\0\1e\5plain\0\0\0\0\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\2\0\0\316\3\0\1\0\0\0\1x"
           "\316\3\0\1\0\0\0\1y\316\10\0\0\0\0\0\0\316\1\0\1\0\0\0\5\0<\0H\0\316\1\0\2\0\0\0\10\0\24\0\13"
           "\0\0\0\0\316\1\0\1\0\0\0\4\0U\0\13\316\1\0\1\0\0\0\25\0<\0<\3tag\0\0\0\0\0\0\0\2\0\1e\1a\316\2"
           "\0\1\0\0\0\16\0<\0\0\0\0\0\0\0\0\0\3\0\0\316\3\0\1\0\0\0\3one\316\1\0\1\0\0\0\15\0<\0P\0\0\0\0"
           "\0\0\0\1\0\316\1\0\1\0\0\0\22\0<\0002\0018\10NO_ROUTE\0\1b\316\2\0\1\0\0\0\16\0<\0\0\0\0\0\0\0"
           "\0\0\10\0\0\316\3\0\1\0\0\0\10twoparts\316\1\0\1\0\0\0\15\0<\0x\0\0\0\0\0\0\0\3\0\316\1\0\1\0"
           "\0\0\15\0<\0P\0\0\0\0\0\0\0\5\1\316\1\0\2\0\0\0\4\0Z\0\13\316\1\0\1\0\0\0004\0\24\0(\1\224)NO"
           "T_FOUND - no exchange 'no' in vhost '/'\0<\0(\316\1\0\3\0\0\0\10\0\24\0\13\0\0\0\0\316\1\0\3\0"
           "\0\0003\0\24\0(\1\224(NOT_FOUND - no queue 'gone' in vhost '/'\0002\0\12\316\1\0\0\0\0\0\4\0\12"
           "\0003\316"),
      "AMQP 0-9-1 8/36 , connection.start-ok 36/20 , connection.open 16/13 , channel.open 13/16 , queue.declare 21/22 "
      ", basic.get 17/73 , basic.get 17/13 empty, channel.open 13/16 , confirm.select 13/12 , basic.publish e/a 52/21 "
      ", basic.publish /b 64/0 312!, basic.publish e/c 41/21 nack!, basic.publish e/d 52/0 , basic.publish e/e 19/21 , "
      "tx.select 12/12 , basic.publish no/f 51/60 404!, basic.publish e/g 50 -, channel.open 13/16 , queue.declare "
      "24/59 404!, connection.close 22/12 " },
    /* FastCGI: parameters in several records, two requests that begin between each other, of which the first is not
     * known further; output between other output, fields in two records, a line that is none; what an application, or
     * the protocol, says at the end; roles without input, and with more of it; what is asked about the application. */
    { "fastcgi",
      TEXT("\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0\1\4\0\1\0005\0\0\16\3REQUEST_METHODGET\13\7SCRIPT_NAME/scri"
           "pt\13\1REQUEST_URI/\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0"),
      TEXT("\1\6\0\1\0\27\0\0Content-type: a/b\15\12\15\12ab\1\3\0\1\0\10\0\0\0\0\0\0\0\0\0\0"),
      TEXT("\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0\1\4\0\1\0(\3\0\16\3REQUEST_METHODGET\13\7SCRIPT_NAME/script"
           "\13\0\0\0\1\4\0\1\0\352\0\0\6REQUEST_URI/a\?b=1\13\200\0\0\310HTTP_COOKIEcccccccccccccccccccc"
           "ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
           "ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc\1\4\0"
           "\1\0\0\0\0\1\5\0\1\0\0\0\0\1\1\0\2\0\10\0\0\0\1\1\0\0\0\0\0\1\4\0\2\0007\0\0\16\4REQUEST_METH"
           "ODPOST\13\7SCRIPT_NAME/script\13\2REQUEST_URI/b\1\4\0\2\0\0\0\0\1\11\0\0\0\21\7\0\17\0FCGI_MP"
           "XS_CONNS\0\0\0\0\0\0\0\1\5\0\2\0\5\3\0input\0\0\0\1\1\0\3\0\10\0\0\0\1\1\0\0\0\0\0\1\4\0\3\0\36"
           "\0\0\16\3REQUEST_METHODGET\13\7SCRIPT_NA\1\1\1\4\0\10\0\0\0\1\1\0\0\0\0\0\1\4\1\4\0#\0\0\13\2"
           "SCRIPT_NAME/d\16\4REQUEST_METHODHEAD\1\4\1\4\0\0\0\0\1\4\0\3\0\30\0\0ME/script\13\2REQUEST_UR"
           "I/c\1\4\0\3\0\0\0\0\1\5\0\3\0\0\0\0\1\5\0\2\0\0\0\0\1\5\1\4\0\0\0\0\1\1\0\5\0\10\0\0\0\2\1\0\0"
           "\0\0\0\1\4\0\5\0006\0\0\16\3REQUEST_METHODGET\13\7SCRIPT_NAME/script\13\2REQUEST_URI/e\1\4\0\5"
           "\0\0\0\0\1\1\0\6\0\10\0\0\0\3\1\0\0\0\0\0\1\4\0\6\0006\0\0\16\3REQUEST_METHODGET\13\7SCRIPT_N"
           "AME/script\13\2REQUEST_URI/f\1\4\0\6\0\0\0\0\1\5\0\6\0\0\0\0\1\10\0\6\0\4\0\0data\1\10\0\6\0\0"
           "\0\0\1\1\0\7\0\10\0\0\0\1\1\0\0\0\0\0\1\4\0\7\0006\0\0\16\3REQUEST_METHODGET\13\7SCRIPT_NAME/"
           "script\13\2REQUEST_URI/g\1\4\0\7\0\0\0\0\1\5\0\7\0\0\0\0\1\2\0\7\0\0\0\0"),
      TEXT("\1\6\0\2\0\17\0\0Status: 404 Not\1\7\0\1\0\6\0\0a line\1\12\0\0\0\22\0\0\17\1FCGI_MPXS_CONNS1"
           "\1\6\0\1\0*\2\0X: y\12status:\011302\12Location: /\12\12Status: 500\12\0\0\1\6\0\2\0\35\0\0 F"
           "ound\15\12Content-type: a/b\15\12\15\12\1\6\1\4\0\10\0\0A: b\15\12\15\12\1\6\1\4\0\0\0\0\1\3\1"
           "\4\0\10\0\0\0\0\0\3\0\0\0\0\1\6\0\2\1,\4\0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\0\0\0\0\1\6\0\2\0\0\0\0\1\3\0"
           "\2\0\10\0\0\0\0\0\0\0\0\0\0\1\3\0\3\0\10\0\0\0\0\0\0\2\0\0\0\1\3\0\1\0\10\0\0\0\0\0\0\0\0\0\0"
           "\1\6\0\5\0\10\0\0<html>\12\12\1\3\0\5\0\10\0\0\0\0\0\0\0\0\0\0\1\6\0\6\0\25\0\0Status: 200\15"
           "\12A: b\15\12\15\12\1\3\0\6\0\10\0\0\377\377\377\377\0\0\0\0\1\3\0\7\0\10\0\0\0\0\0\0\0\0\0\0"
           ""),
      "GET / 93/47 200, GET /a?b=1 325/82 302, POST /b 111/396 404!, GET_VALUES 32/26 ,  102/16 overloaded!, "
      "HEAD /d 75/40 200 exit 3!, GET /e 86/32 , GET /f 114/45 200 exit -1!, GET /g 102/16 " },
    /* ZooKeeper: numbers that repeat, an answer that overtakes, an event, a multi that is undone, what is not there, a
       type to come. */
    { "zookeeper",
      TEXT("\x00\x00\x00-\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00'\x10\x00\x00\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
           "\x00"),
      TEXT("\x00\x00\x00%\x00\x00\x00\x00\x00\x00'\x10\x00\x00\x00\x00\x00\x00\x12\x34\x00\x00\x00\x10"
           "pppppppppppppppp\x00"),
      TEXT("\x00\x00\x00\x1d\xff\xff\xff\xfc\x00\x00\x00\x64\x00\x00\x00\x00\x00\x00\x00\x06\x64ige"
           "st\x00\x00\x00\x03\x61:b\x00\x00\x00\x32\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"
           "\x02/a\x00\x00\x00\x01x\x00\x00\x00\x01\x00\x00\x00\x1f\x00\x00\x00\x05worl"
           "d\x00\x00\x00\x06\x61nyone\x00\x00\x00\x00\x00\x00\x00\x11\x00\x00\x00\x02\x00"
           "\x00\x00\x04\x00\x00\x00\x04/a/b\x01\x00\x00\x00\x11\x00\x00\x00\x03\x00\x00\x00\x03"
           "\x00\x00\x00\x04/a/b\x01\x00\x00\x00\x08\xff\xff\xff\xfe\x00\x00\x00\x0b\x00\x00\x00"
           "\x08\xff\xff\xff\xfe\x00\x00\x00\x0b\x00\x00\x00\x37\x00\x00\x00\x04\x00\x00\x00\x0e\x00\x00\x00"
           "\x0d\x00\xff\xff\xff\xff\x00\x00\x00\x02/a\x00\x00\x00\x03\x00\x00\x00\x02\x00\xff\xff\xff"
           "\xff\x00\x00\x00\x02/b\xff\xff\xff\xff\xff\xff\xff\xff\x01\xff\xff\xff\xff\x00\x00\x00\x22"
           "\xff\xff\xff\xf8\x00\x00\x00\x65\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x02"
           "/a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x05\x00\x00\x00\x0c\x00\x00"
           "\x00\x01/\x00\x00\x00\x00\x1f\x00\x00\x00\x06\x00\x00\x00\x05\x00\x00\x00\x02/a\x00\x00"
           "\x00\x09yyyyyyyyy\xff\xff\xff\xff\x00\x00\x00\x31\x00\x00\x00\x07\x00"
           "\x00\x00\x0f\x00\x00\x00\x02/z\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00\x00\x1f\x00\x00\x00"
           "\x05world\x00\x00\x00\x06\x61nyone\x00\x00\x00\x00\x00\x00\x00\x31"
           "\x00\x00\x00\x08\x00\x00\x00\x01\x00\x00\x00\x02/e\xff\xff\xff\xff\x00\x00\x00\x01\x00\x00"
           "\x00\x1f\x00\x00\x00\x05world\x00\x00\x00\x06\x61nyone\x00\x00\x00"
           "\x01\x00\x00\x00\x08\x00\x00\x00\x09\x00\x00\x00\xc8\x00\x00\x00\x08\x00\x00\x00\x0a\xff\xff\xff"
           "\xf5"),
      TEXT("\x00\x00\x00\x10\xff\xff\xff\xfc\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x16"
           "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x02/a\x00\x00"
           "\x00\x10\xff\xff\xff\xfe\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00"
           "\x00\x03\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff\xff\x9b\x00\x00\x00\x10\x00\x00\x00\x02\x00\x00"
           "\x00\x00\x00\x00\x00\x07\xff\xff\xff\x9b\x00\x00\x00\x10\xff\xff\xff\xfe\x00\x00\x00\x00\x00\x00"
           "\x00\x07\x00\x00\x00\x00\x00\x00\x00\x33\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00"
           "\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x00\xff\xff\xff\x99"
           "\xff\xff\xff\x99\xff\xff\xff\xff\x01\xff\xff\xff\xff\x00\x00\x00\x10\xff\xff\xff\xf8\x00\x00\x00"
           "\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00]\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"
           "\x07\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x61\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00"
           "\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x1e\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
           "\xff\xff\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x03\x00\x00\x00\x02/a\x00\x00\x00T"
           "\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05"
           "\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x09"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
           "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x10\x00\x00\x00\x07\x00\x00\x00\x00"
           "\x00\x00\x00\x07\xff\xff\xff\x83\x00\x00\x00\x10\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x07"
           "\xff\xff\xff\x94\x00\x00\x00\x10\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x07\xff\xff\xff\xfa"
           "\x00\x00\x00\x10\x00\x00\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00"),
      "connect 49/41 , auth digest 33/20 , create /a 54/26 , getData /a/b 21/20 NoNode!, exists /a/b 21/20 NoNode, "
      "ping 12/20 , ping 12/20 , multi check /a 59/55 BadVersion!, setWatches 38/20 , getChildren2 / 18/97 , setData "
      "/a 35/88 , create2 /z 53/20 QuotaExceeded!, create /e 53/20 -108!, type 200 12/20 Unimplemented!, closeSession "
      "12/20 " },
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
    { .name = NULL },
};
