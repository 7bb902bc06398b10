/* vocabulary.h
 * What can become of requests, connections and packets, and the word for each: in fields, tables and JSON lines, and
 * for the programs that read these.
 *
 * Each list is here once, as X(NAME, word, …). What the compiler cannot make of it is compared with it by
 * tests/cases/vocabulary.py: documents, the report's page, lua-compat and the reference.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_VOCABULARY_H
#define LATENCY_VOCABULARY_H

#include <stdbool.h>

/* What an outcome says of its request; neither: the client awaits no answer any more, or still does. */
enum {
    OUTCOME_HAS_ANSWER = 1,
    OUTCOME_IS_UNANSWERED = 2, /* no answer will come */
    OUTCOME_IS_ERROR = 4       /* it counts as an error */
};

/* Why a request has no response, or not all of it, or that it has. Their numbers are in fields: a new one comes last.
 * WAITING: its answer may still come. LOST: bytes are missing in the capture, and with them which answer is whose.
 * TRUNCATED: answered, but for the response's end. CLOSED_BY_CLIENT: the client's last words, which await no answer
 * (turns_take_end()). REFUSED: the server says that it has not looked at it. CANCELLED: answered, and the client wanted
 * no more of it. */
#define OUTCOME_LIST(X)                                                                                                \
    X(ANSWERED, "answered", OUTCOME_HAS_ANSWER)                                                                        \
    X(RESET, "reset", OUTCOME_IS_UNANSWERED)                                                                           \
    X(CLOSED, "closed", OUTCOME_IS_UNANSWERED)                                                                         \
    X(TIMED_OUT, "timed out", OUTCOME_IS_UNANSWERED)                                                                   \
    X(WAITING, "waiting", 0)                                                                                           \
    X(LOST, "lost", OUTCOME_IS_UNANSWERED)                                                                             \
    X(TRUNCATED, "truncated", OUTCOME_HAS_ANSWER | OUTCOME_IS_ERROR)                                                   \
    X(CLOSED_BY_CLIENT, "closed by client", 0)                                                                         \
    X(REFUSED, "refused", OUTCOME_IS_UNANSWERED)                                                                       \
    X(CANCELLED, "cancelled", OUTCOME_HAS_ANSWER)

/* What became of an attempt to connect. WAITING, unanswered so far, depends on the time: connection_connect_result()
 * returns it. */
#define CONNECT_RESULT_LIST(X)                                                                                         \
    X(UNANSWERED, "unanswered")                                                                                        \
    X(ACCEPTED, "accepted")                                                                                            \
    X(REFUSED, "refused")                                                                                              \
    X(UNREACHABLE, "unreachable")                                                                                      \
    X(WAITING, "waiting")

/* What became of a handshake of TLS. */
#define TLS_RESULT_LIST(X)                                                                                             \
    X(UNFINISHED, "unfinished")                                                                                        \
    X(COMPLETE, "complete")                                                                                            \
    X(FAILED, "failed")

/* How a sender numbers its IPv4 packets, from its own traffic. RFC 6864 lets it do any of these. UNKNOWN: fewer than
 * two packets, or IPv6. SWAPPED: a counter in the other byte order. */
#define IPID_BEHAVIOUR_LIST(X)                                                                                         \
    X(UNKNOWN, "unknown")                                                                                              \
    X(COUNTER, "counter")                                                                                              \
    X(CONSTANT, "constant")                                                                                            \
    X(SWAPPED, "swapped")                                                                                              \
    X(RANDOM, "random")

/* Which way a packet goes where it is seen: seen from the host that captures. */
#define HEADING_LIST(X)                                                                                                \
    X(UNKNOWN, "")                                                                                                     \
    X(SENT, "sent")                                                                                                    \
    X(RECEIVED, "received")

/* A request's stages at the server, each from the end of the one before. */
#define PART_LIST(X)                                                                                                   \
    X(RX, "rx")                                                                                                        \
    X(TCPIP_RX, "tcpip_rx")                                                                                            \
    X(EPOLL, "epoll")                                                                                                  \
    X(WAIT, "wait")                                                                                                    \
    X(READ, "read")                                                                                                    \
    X(APPLICATION, "application")                                                                                      \
    X(TX, "tx")

/* What a packet's item shows of it (struct item), and its bit there. */
#define PACKET_FLAG_LIST(X)                                                                                            \
    X(IPID_GAP, "ipid_gap", 0x04)                                                                                      \
    X(OUT_OF_ORDER, "out_of_order", 0x08)                                                                              \
    X(RETRANSMISSION, "retransmission", 0x10)                                                                          \
    X(SHORT, "short", 0x20)                                                                                            \
    X(AFTER_SHORT, "after_short", 0x40)                                                                                \
    X(CHUNK_BOUNDARY, "chunk_boundary", 0x80)

/* How the cause of a call is known (docs/calls.md), in the order in which rules are tried. NONE: no request was
 * outstanding on its host that could be it. SEVERAL: one of several is it, and it is not told which. */
#define CALL_RULE_LIST(X)                                                                                              \
    X(NONE, "none")                                                                                                    \
    X(ID, "id")                                                                                                        \
    X(SAME, "same")                                                                                                    \
    X(THREAD, "thread")                                                                                                \
    X(ONLY, "only")                                                                                                    \
    X(WORKER, "worker")                                                                                                \
    X(AFTER, "after")                                                                                                  \
    X(SEVERAL, "several")

/* What of the JSON lines is written (docs/json.md), and its name in the preferences. */
#define JSON_CONTENT_LIST(X)                                                                                           \
    X(ALL, "all", "All")                                                                                               \
    X(ROWS, "rows", "Rows")                                                                                            \
    X(SUMMARY, "summary", "Summary")

#define OUTCOME(name, ...)        OUTCOME_##name,
#define CONNECT_RESULT(name, ...) CONNECT_##name,
#define TLS_RESULT(name, ...)     TLS_##name,
#define IPID_BEHAVIOUR(name, ...) IPID_##name,
#define HEADING(name, ...)        HEADING_##name,
#define JSON_CONTENT(name, ...)   JSON_##name,
#define CALL_RULE(name, ...)      CALL_##name,
enum outcome { OUTCOME_LIST(OUTCOME) OUTCOMES };
enum connect_result { CONNECT_RESULT_LIST(CONNECT_RESULT) CONNECT_RESULTS };
enum tls_result { TLS_RESULT_LIST(TLS_RESULT) TLS_RESULTS };
enum ipid_behaviour { IPID_BEHAVIOUR_LIST(IPID_BEHAVIOUR) IPID_BEHAVIOURS };
enum heading { HEADING_LIST(HEADING) HEADINGS };
enum json_content { JSON_CONTENT_LIST(JSON_CONTENT) JSON_CONTENTS };
enum call_rule { CALL_RULE_LIST(CALL_RULE) CALL_RULES };
#undef CALL_RULE
#undef OUTCOME
#undef CONNECT_RESULT
#undef TLS_RESULT
#undef IPID_BEHAVIOUR
#undef HEADING
#undef JSON_CONTENT

/* The word for each; "" for a number that is none of them. */
const char *outcome_name(unsigned outcome);
const char *connect_result_name(unsigned result);
const char *tls_result_name(unsigned result);
const char *ipid_name(unsigned behaviour);
const char *heading_name(unsigned heading);
const char *part_name(unsigned part);
const char *json_content_name(unsigned content);
const char *call_rule_name(unsigned rule);

/* Returns the rule of that name; CALL_NONE of another. */
enum call_rule call_rule_find(const char *name);

/* What OUTCOME_LIST says of it: a sum; 0 of a number that is none. */
unsigned outcome_says(unsigned outcome);

#endif
