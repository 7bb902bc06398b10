/* line_kinds.h
 * The members of docs/json.md's lines, in the order in which they are written: a list for each kind of line, of which
 * its structure, what writes it and what reads it are made. So a further member is a line here, and where its value
 * comes from.
 *
 * X(S, TYPE, WANTED, name): a member `name`, of a type of line_members.h, of the structure S. WANTED is ALWAYS, or
 * KNOWN if the member is absent where its value is none. X(S, TYPE, WANTED, field, name): of another name in the
 * structure.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_LINE_KINDS_H
#define LATENCY_LINE_KINDS_H

#include "../core/stats/tally.h"
#include "../core/util/vocabulary.h"
#include "line_members.h"

#define CONNECTION_MEMBERS(X, S)                                                                                       \
    X(S, UINT32, ALWAYS, connection)                                                                                   \
    X(S, ENDPOINT, ALWAYS, client)                                                                                     \
    X(S, ENDPOINT, ALWAYS, server)

/* The first members of a line about something that has a number of its own, beside its connection's. */
#define NUMBERED_MEMBERS(X, S)                                                                                         \
    X(S, UINT32, ALWAYS, connection)                                                                                   \
    X(S, UINT32, ALWAYS, number)                                                                                       \
    X(S, ENDPOINT, ALWAYS, client)                                                                                     \
    X(S, ENDPOINT, ALWAYS, server)

#define REQUEST_MEMBERS(X, S)                                                                                          \
    NUMBERED_MEMBERS(X, S)                                                                                             \
    X(S, PRINTED, KNOWN, host)                                                                                         \
    X(S, TEXT, KNOWN, operation)                                                                                       \
    X(S, PRINTED, KNOWN, kind)                                                                                         \
    X(S, FRAMING, ALWAYS, framing)                                                                                     \
    X(S, AMOUNT, KNOWN, stream)                                                                                        \
    X(S, TRUE, KNOWN, pushed)                                                                                          \
    X(S, UINT32, KNOWN, messages_sent)                                                                                 \
    X(S, UINT32, KNOWN, messages_received)                                                                             \
    X(S, TEXT, KNOWN, proxy_client)                                                                                    \
    X(S, UINT32, KNOWN, proxy_client_port)                                                                             \
    X(S, UINT32, ALWAYS, request_frame)                                                                                \
    X(S, TIME, ALWAYS, request_time)                                                                                   \
    X(S, TIME, ALWAYS, request_end_time)                                                                               \
    X(S, UINT32, KNOWN, response_frame)                                                                                \
    X(S, TIME, KNOWN, response_time)                                                                                   \
    X(S, UINT32, KNOWN, response_end_frame)                                                                            \
    X(S, TIME, KNOWN, response_end_time)                                                                               \
    X(S, AMOUNT, KNOWN, first_byte)                                                                                    \
    X(S, AMOUNT, KNOWN, service)                                                                                       \
    X(S, DIFFERENCE, KNOWN, request_spread)                                                                            \
    X(S, AMOUNT, KNOWN, server_time)                                                                                   \
    X(S, AMOUNT, KNOWN, first_data)                                                                                    \
    X(S, AMOUNT, KNOWN, last_byte)                                                                                     \
    X(S, DIFFERENCE, KNOWN, transfer)                                                                                  \
    X(S, TEXT, KNOWN, error)                                                                                           \
    X(S, TEXT, KNOWN, status)                                                                                          \
    X(S, UINT64, ALWAYS, request_bytes)                                                                                \
    X(S, UINT64, ALWAYS, response_bytes)                                                                               \
    X(S, UINT32, ALWAYS, retransmissions)                                                                              \
    X(S, UINT32, KNOWN, attempts)                                                                                      \
    X(S, TRUE, KNOWN, reordered)                                                                                       \
    X(S, TRUE, KNOWN, cut)                                                                                             \
    X(S, TRUE, KNOWN, streaming)                                                                                       \
    X(S, TRUE, KNOWN, long_poll)                                                                                       \
    X(S, OUTCOME, ALWAYS, outcome)                                                                                     \
    X(S, TEXT, KNOWN, trace_id)                                                                                        \
    X(S, TEXT, KNOWN, parent_id)                                                                                       \
    X(S, STAGES, KNOWN, stages)                                                                                        \
    X(S, ELEMENTS, ALWAYS, packets)

#define OPEN_MEMBERS(X, S)                                                                                             \
    CONNECTION_MEMBERS(X, S)                                                                                           \
    X(S, PRINTED, KNOWN, host)                                                                                         \
    X(S, PRINTED, KNOWN, kind)                                                                                         \
    X(S, UINT32, ALWAYS, request_frame)                                                                                \
    X(S, TIME, ALWAYS, request_time)                                                                                   \
    X(S, TIME, ALWAYS, request_end_time)                                                                               \
    X(S, AMOUNT, KNOWN, network_server)

/* Which request caused one, and what it caused in turn. */
#define CALL_MEMBERS(X, S)                                                                                             \
    X(S, UINT32, ALWAYS, request)                                                                                      \
    X(S, UINT32, ALWAYS, request_frame)                                                                                \
    X(S, UINT32, KNOWN, caused_by)                                                                                     \
    X(S, UINT32, KNOWN, caused_by_frame)                                                                               \
    X(S, PRINTED, KNOWN, cause)                                                                                        \
    X(S, UINT32, KNOWN, probability)                                                                                   \
    X(S, UINT32, KNOWN, candidates)                                                                                    \
    X(S, TRUE, KNOWN, retry)                                                                                           \
    X(S, UINT32, KNOWN, calls)                                                                                         \
    X(S, AMOUNT, KNOWN, call_time)                                                                                     \
    X(S, AMOUNT, KNOWN, own_time)

#define UNMATCHED_MEMBERS(X, S)                                                                                        \
    CONNECTION_MEMBERS(X, S)                                                                                           \
    X(S, UINT32, ALWAYS, frame)                                                                                        \
    X(S, TIME, ALWAYS, time)                                                                                           \
    X(S, TIME, ALWAYS, last_time)                                                                                      \
    X(S, UINT64, ALWAYS, bytes)

#define TLS_MEMBERS(X, S)                                                                                              \
    NUMBERED_MEMBERS(X, S)                                                                                             \
    X(S, TLS_TURN, ALWAYS, kind)                                                                                       \
    X(S, UINT32, ALWAYS, frame)                                                                                        \
    X(S, TIME, ALWAYS, time)

#define ATTEMPT_MEMBERS(X, S)                                                                                          \
    X(S, UINT32, ALWAYS, connection)                                                                                   \
    X(S, UINT32, ALWAYS, number)                                                                                       \
    X(S, UINT32, ALWAYS, frame)                                                                                        \
    X(S, UINT32, ALWAYS, ip_version)                                                                                   \
    X(S, ENDPOINT, ALWAYS, client)                                                                                     \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, TRUE, KNOWN, quic)                                                                                            \
    X(S, PRINTED, KNOWN, host)                                                                                         \
    X(S, TRUE, KNOWN, host_unknown)                                                                                    \
    X(S, TIME, ALWAYS, syn_time)                                                                                       \
    X(S, CONNECT_RESULT, ALWAYS, result)                                                                               \
    X(S, AMOUNT, KNOWN, connect)                                                                                       \
    X(S, UINT32, ALWAYS, syn_retries)                                                                                  \
    X(S, UINT64, KNOWN, pushes)                                                                                        \
    X(S, STATISTIC, KNOWN, push_spacing)                                                                               \
    X(S, UINT32, KNOWN, answer_frame)                                                                                  \
    X(S, AMOUNT, KNOWN, network_server)                                                                                \
    X(S, AMOUNT, KNOWN, network_client)

#define HANDSHAKE_MEMBERS(X, S)                                                                                        \
    NUMBERED_MEMBERS(X, S)                                                                                             \
    X(S, TRUE, KNOWN, quic)                                                                                            \
    X(S, UINT32, ALWAYS, frame)                                                                                        \
    X(S, TIME, ALWAYS, time)                                                                                           \
    X(S, PRINTED, KNOWN, host)                                                                                         \
    X(S, TRUE, KNOWN, host_unknown)                                                                                    \
    X(S, TEXT, KNOWN, sni)                                                                                             \
    X(S, TEXT, KNOWN, alpn)                                                                                            \
    X(S, TEXT, KNOWN, alpn_chosen)                                                                                     \
    X(S, TEXT, KNOWN, version)                                                                                         \
    X(S, TLS_RESULT, ALWAYS, result)                                                                                   \
    X(S, TEXT, KNOWN, alert)                                                                                           \
    X(S, AMOUNT, KNOWN, hello)                                                                                         \
    X(S, AMOUNT, KNOWN, handshake)                                                                                     \
    X(S, UINT32, KNOWN, answer_frame)                                                                                  \
    X(S, UINT32, KNOWN, end_frame)                                                                                     \
    X(S, TRUE, KNOWN, resumed)                                                                                         \
    X(S, TRUE, KNOWN, retried)

/* The members of a line about a channel, be it of Channel Access or of pvAccess. */
#define CHANNEL_MEMBERS(X, S)                                                                                          \
    X(S, UINT32, ALWAYS, number)                                                                                       \
    X(S, TEXT, ALWAYS, pv)                                                                                             \
    X(S, ENDPOINT, ALWAYS, client)                                                                                     \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, UINT32, ALWAYS, request_frame)                                                                                \
    X(S, TIME, ALWAYS, request_time)                                                                                   \
    X(S, UINT32, KNOWN, response_frame)                                                                                \
    X(S, TIME, KNOWN, response_time)                                                                                   \
    X(S, AMOUNT, KNOWN, sid)                                                                                           \
    X(S, AMOUNT, KNOWN, dbr_type)                                                                                      \
    X(S, AMOUNT, KNOWN, count)                                                                                         \
    X(S, AMOUNT, KNOWN, rights)                                                                                        \
    X(S, AMOUNT, KNOWN, create)                                                                                        \
    X(S, AMOUNT, KNOWN, search)                                                                                        \
    X(S, AMOUNT, KNOWN, tcp_connect)                                                                                   \
    X(S, AMOUNT, KNOWN, hello)                                                                                         \
    X(S, AMOUNT, KNOWN, first_value)                                                                                   \
    X(S, AMOUNT, KNOWN, connect)                                                                                       \
    X(S, AMOUNT, KNOWN, waited)                                                                                        \
    X(S, AMOUNT, KNOWN, circuit_time)                                                                                  \
    X(S, AMOUNT, KNOWN, search_attempts)                                                                               \
    X(S, TRUE, KNOWN, ambiguous)                                                                                       \
    X(S, CHANNEL_RESULT, ALWAYS, outcome)                                                                              \
    X(S, TEXT, KNOWN, reason)

/* What requests come to: those of a server, or of an operation. */
#define REQUESTS_MEMBERS(X, S)                                                                                         \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, TRUE, KNOWN, quic)                                                                                            \
    X(S, PRINTED, KNOWN, kind)                                                                                         \
    X(S, UINT64, ALWAYS, requests)                                                                                     \
    X(S, UINT64, ALWAYS, closed_by_client)                                                                             \
    X(S, UINT64, KNOWN, waiting)                                                                                       \
    X(S, UINT64, ALWAYS, errors)                                                                                       \
    X(S, UINT64, ALWAYS, told_apart)                                                                                   \
    X(S, UINT64, ALWAYS, in_tls)                                                                                       \
    X(S, UINT64, ALWAYS, response_bytes)                                                                               \
    X(S, STATISTIC, ALWAYS, first_byte)                                                                                \
    X(S, STATISTIC, ALWAYS, duration)                                                                                  \
    X(S, MEAN, KNOWN, streams)                                                                                         \
    X(S, UINT64, KNOWN, long_polls)                                                                                    \
    X(S, MEAN, ALWAYS, server_time)

#define CONNECTIONS_MEMBERS(X, S)                                                                                      \
    X(S, ADDRESS, ALWAYS, client)                                                                                      \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, TRUE, KNOWN, quic)                                                                                            \
    X(S, UINT64, ALWAYS, attempts)                                                                                     \
    X(S, UINT64, ALWAYS, unanswered)                                                                                   \
    X(S, UINT64, ALWAYS, accepted)                                                                                     \
    X(S, UINT64, ALWAYS, refused)                                                                                      \
    X(S, UINT64, ALWAYS, unreachable)                                                                                  \
    X(S, UINT64, KNOWN, waiting)                                                                                       \
    X(S, UINT64, ALWAYS, syn_retries)                                                                                  \
    X(S, UINT64, KNOWN, pushes)                                                                                        \
    X(S, STATISTIC, KNOWN, push_spacing)                                                                               \
    X(S, STATISTIC, ALWAYS, connect)

#define SENDER_MEMBERS(X, S)                                                                                           \
    X(S, ADDRESS, ALWAYS, sender)                                                                                      \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, UINT64, ALWAYS, payload_frames)                                                                               \
    X(S, IPID_BEHAVIOUR, ALWAYS, ipid_behaviour)                                                                       \
    X(S, IPID_STEPS, ALWAYS, ipid_steps)                                                                               \
    X(S, UINT64, ALWAYS, gaps)                                                                                         \
    X(S, UINT64, ALWAYS, ids_missing)                                                                                  \
    X(S, UINT64, ALWAYS, out_of_order)                                                                                 \
    X(S, UINT64, ALWAYS, retransmitted)                                                                                \
    X(S, UINT64, ALWAYS, unfilled, short)

/* By its name, or else by its address. */
#define HOST_MEMBERS(X, S)                                                                                             \
    X(S, PRINTED, KNOWN, host)                                                                                         \
    X(S, ADDRESS, KNOWN, server)                                                                                       \
    X(S, UINT16, ALWAYS, server_port)                                                                                  \
    X(S, TRUE, KNOWN, quic)                                                                                            \
    X(S, UINT64, ALWAYS, attempts)                                                                                     \
    X(S, UINT64, ALWAYS, accepted)                                                                                     \
    X(S, STATISTIC, ALWAYS, connect)                                                                                   \
    X(S, UINT64, ALWAYS, unfinished)                                                                                   \
    X(S, UINT64, ALWAYS, complete)                                                                                     \
    X(S, UINT64, ALWAYS, failed)                                                                                       \
    X(S, STATISTIC, ALWAYS, handshake)                                                                                 \
    X(S, UINT64, ALWAYS, requests)                                                                                     \
    X(S, UINT64, ALWAYS, closed_by_client)                                                                             \
    X(S, UINT64, KNOWN, waiting)                                                                                       \
    X(S, STATISTIC, ALWAYS, first_byte)                                                                                \
    X(S, STATISTIC, ALWAYS, duration)                                                                                  \
    X(S, MEAN, KNOWN, streams)                                                                                         \
    X(S, UINT64, KNOWN, long_polls)

/* What the updates of one of pvAccess's monitors come to. */
#define PVA_MONITOR_MEMBERS(X, S)                                                                                      \
    X(S, ENDPOINT, ALWAYS, client)                                                                                     \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, UINT32, KNOWN, channel)                                                                                       \
    X(S, TEXT, KNOWN, pv)                                                                                              \
    X(S, UINT32, ALWAYS, ioid)                                                                                         \
    X(S, UINT32, KNOWN, request_frame)                                                                                 \
    X(S, TIME, KNOWN, request_time)                                                                                    \
    X(S, AMOUNT, KNOWN, first_update)                                                                                  \
    X(S, UINT64, ALWAYS, updates)                                                                                      \
    X(S, STATISTIC, ALWAYS, spacing)

/* The members of a line about the searches for a name; in pvAccess each client has a line of its own. */
#define SEARCH_MEMBERS(X, S)                                                                                           \
    X(S, PRINTED, ALWAYS, name)                                                                                        \
    X(S, ADDRESS, KNOWN, client)                                                                                       \
    X(S, UINT64, ALWAYS, searches)                                                                                     \
    X(S, UINT64, ALWAYS, unanswered)                                                                                   \
    X(S, UINT64, ALWAYS, attempts)                                                                                     \
    X(S, STATISTIC, ALWAYS, time)                                                                                      \
    X(S, ELEMENTS, ALWAYS, servers)

#define CHANNELS_MEMBERS(X, S)                                                                                         \
    X(S, ENDPOINT, ALWAYS, server)                                                                                     \
    X(S, UINT64, ALWAYS, channels)                                                                                     \
    X(S, UINT64, ALWAYS, failed)                                                                                       \
    X(S, UINT64, ALWAYS, unanswered)                                                                                   \
    X(S, UINT64, KNOWN, waiting)                                                                                       \
    X(S, STATISTIC, ALWAYS, create)                                                                                    \
    X(S, MEAN, ALWAYS, answered)                                                                                       \
    X(S, MEAN, ALWAYS, search)                                                                                         \
    X(S, MEAN, ALWAYS, tcp_connect)                                                                                    \
    X(S, MEAN, ALWAYS, hello)                                                                                          \
    X(S, MEAN, ALWAYS, first_value)

#define COMMAND_MEMBERS(X, S)                                                                                          \
    X(S, PRINTED, ALWAYS, command)                                                                                     \
    X(S, STATISTIC, ALWAYS, response_time)

#define CAPTURE_MEMBERS(X, S)                                                                                          \
    X(S, UINT32, ALWAYS, format)                                                                                       \
    X(S, TEXT, ALWAYS, plugin)                                                                                         \
    X(S, TEXT, ALWAYS, wireshark)                                                                                      \
    X(S, CONTENT, ALWAYS, content)                                                                                     \
    X(S, TEXT, KNOWN, filter)                                                                                          \
    X(S, UINT64, ALWAYS, frames)                                                                                       \
    X(S, TIME, KNOWN, first_time)                                                                                      \
    X(S, TIME, KNOWN, last_time)                                                                                       \
    X(S, UINT64, ALWAYS, requests)                                                                                     \
    X(S, UINT64, ALWAYS, answered)                                                                                     \
    X(S, UINT64, ALWAYS, attempts)                                                                                     \
    X(S, UINT64, KNOWN, handshakes)                                                                                    \
    X(S, UINT64, ALWAYS, unsolicited_frames)                                                                           \
    X(S, UINT64, ALWAYS, duplicate_frames)                                                                             \
    X(S, UINT64, ALWAYS, unread_segments)                                                                              \
    X(S, UINT64, KNOWN, tls_handshakes)                                                                                \
    X(S, UINT64, KNOWN, tls_alerts)                                                                                    \
    X(S, UINT64, ALWAYS, no_handshake_requests)                                                                        \
    X(S, UINT64, KNOWN, channels)                                                                                      \
    X(S, UINT64, KNOWN, orphan_channels)                                                                               \
    X(S, UINT64, KNOWN, pva_channels)                                                                                  \
    X(S, UINT64, KNOWN, orphan_pva_channels)                                                                           \
    X(S, UINT64, KNOWN, fragments)                                                                                     \
    X(S, AMOUNT, KNOWN, calls)                                                                                         \
    X(S, ELEMENTS, KNOWN, joined)                                                                                      \
    X(S, UINT64, KNOWN, sightings)                                                                                     \
    X(S, AMOUNT, KNOWN, sightings_lost)                                                                                \
    X(S, UINT32, KNOWN, sample_least)                                                                                  \
    X(S, UINT32, KNOWN, sample_most)                                                                                   \
    X(S, ELEMENTS, KNOWN, capture_points)                                                                              \
    X(S, SETTINGS, ALWAYS, settings)                                                                                   \
    X(S, HISTOGRAM, ALWAYS, histogram)                                                                                 \
    X(S, ELEMENTS, KNOWN, segment_columns)                                                                             \
    X(S, ELEMENTS, KNOWN, message_columns)

/* What the first line says of all of them. It changes with the meaning of any member. */
enum { LINES_FORMAT = 5 };

/* All but that of the last line, LINE_END, which says how many there are of these. */
/* clang-format off */
#define LINE_TYPE_LIST(X)                                                                                              \
    X("capture") X("segments") X("request") X("open") X("tls") X("attempt") X("handshake") X("unmatched")              \
    X("channel") X("server") X("operation") X("connections") X("host") X("sender") X("search")                         \
    X("ca_server") X("ca_command") X("pva_channel") X("pva_monitor") X("pva_search") X("pva_server") X("pva_command") X("call")
/* clang-format on */

#define ONE(word) +1
enum { LINE_TYPES = LINE_TYPE_LIST(ONE) };
#undef ONE
extern const char *const line_types[LINE_TYPES];

#define LINE_END "end"

/* The member of the last line that has the SHA-256 of the lines before it, in hexadecimal digits. */
#define LINE_DIGEST "sha256"

/* A type's number; LINE_TYPES if there is none of this name. */
unsigned line_type_find(const char *type);

/* All lists of members: struct request_line has REQUEST_MEMBERS, and request_members are their table. */
#define LINE_KINDS(X)                                                                                                  \
    X(capture, CAPTURE_MEMBERS)                                                                                        \
    X(request, REQUEST_MEMBERS)                                                                                        \
    X(open, OPEN_MEMBERS)                                                                                              \
    X(tls, TLS_MEMBERS)                                                                                                \
    X(attempt, ATTEMPT_MEMBERS)                                                                                        \
    X(handshake, HANDSHAKE_MEMBERS)                                                                                    \
    X(call, CALL_MEMBERS)                                                                                              \
    X(unmatched, UNMATCHED_MEMBERS)                                                                                    \
    X(channel, CHANNEL_MEMBERS)                                                                                        \
    X(requests, REQUESTS_MEMBERS)                                                                                      \
    X(connections, CONNECTIONS_MEMBERS)                                                                                \
    X(host, HOST_MEMBERS)                                                                                              \
    X(sender, SENDER_MEMBERS)                                                                                          \
    X(search, SEARCH_MEMBERS)                                                                                          \
    X(channels, CHANNELS_MEMBERS)                                                                                      \
    X(pva_monitor, PVA_MONITOR_MEMBERS)                                                                                \
    X(command, COMMAND_MEMBERS)

#define LINE_KIND(name, LIST)                                                                                          \
    struct name##_line {                                                                                               \
        LIST(MEMBER_FIELD, )                                                                                           \
    };                                                                                                                 \
    extern const struct members name##_members;
LINE_KINDS(LINE_KIND)
#undef LINE_KIND

extern const struct members settings_members, ipid_steps_members, histogram_members;

/* What a request has come to, as its line says. */
struct measured request_line_measure(const struct request_line *line);

#endif
