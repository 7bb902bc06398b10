/* ca_phases.h
 * How long each phase of a channel's connection took, and what became of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_PHASES_H
#define LATENCY_CA_PHASES_H

#include "ca_channel.h"

/* In nanoseconds; -1: there is none, or it is unknown. */
struct ca_phases {
    int64_t create_ns;
    int64_t waited_ns; /* of one without an answer */
    int64_t search_ns;
    int64_t tcp_connect_ns; /* this and the next: of its circuit */
    int64_t hello_ns;
    int64_t first_value_ns;
    int64_t connect_ns;
};

/* What a request to create a channel came to: X(name, word). */
#define CA_RESULTS(X)                                                                                                  \
    X(OK, "ok")                                                                                                        \
    X(FAILED, "failed")                                                                                                \
    X(ERROR, "error")                                                                                                  \
    X(UNANSWERED, "unanswered")                                                                                        \
    X(WAITING, "waiting") /* its answer may still come */

#define CA_RESULT(name, word) CA_RESULT_##name,
enum ca_result { CA_RESULTS(CA_RESULT) };
#undef CA_RESULT

/* Why an unanswered one is not waiting any more: X(name, word). */
#define CA_SILENCES(X)                                                                                                 \
    X(TIMED_OUT, "timed out")                                                                                          \
    X(CLOSED, "connection closed")

#define CA_SILENCE(name, word) CA_SILENCE_##name,
enum ca_silence { CA_SILENCES(CA_SILENCE) };
#undef CA_SILENCE

/* As far as is known at `now_ns`; not of an orphan. */
struct ca_phases ca_phases_of(const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns);

/* As far as is known at `now_ns`; not of an orphan. */
enum ca_result ca_channel_result(const struct ca_channel *channel, int64_t now_ns);
const char *ca_result_name(enum ca_result result);

/* Only of a channel that is CA_RESULT_UNANSWERED at `now_ns`. */
enum ca_silence ca_channel_silence(const struct ca_channel *channel, int64_t now_ns);
const char *ca_silence_name(enum ca_silence silence);

/* Why it is no channel at `now_ns`, "" if it is one, still waits to become one, or nobody knows; of one that is, why it
 * is another one of that name. */
const char *ca_channel_reason(const struct ca_channels *channels, const struct ca_channel *channel, int64_t now_ns);

#endif
