/* ca_channel.h
 * What is known of the channels of a capture: records of requests and their answers.
 *
 * ca_take.h makes them. They never move and live until the scope ends, so that whoever visits a message again finds
 * what it is about by the reference that taking it returned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_CHANNEL_H
#define LATENCY_CA_CHANNEL_H

#include "ca_circuit.h"
#include "ca_reasons.h"
#include "ca_message.h"
#include "ca_request.h"
#include "ca_search.h"
#include "../util/waiting.h"

/* A request to create a channel, and what became of it. */
struct ca_channel {
    struct ca_request create; /* by cid */
    const char *pv;           /* NULL if the capture does not have the request */
    struct {
        uint32_t asked, answered; /* numbers of the exchange that it was asked with, and of the one that it answered */
    } first_value;                /* 0 before */
    uint32_t sid;
    union {
        uint32_t count;  /* elements */
        uint32_t before; /* of pvAccess: number of the channel that this one is instead of; 0 for none */
    };
    uint32_t search; /* number of the search that found its server; 0 if unknown */
    uint16_t type;   /* native DBR */
    uint8_t rights;  /* as ACCESS_RIGHTS said last; CA_RIGHTS_UNKNOWN before */
    bool ambiguous;  /* the search may as well be another one of the same host */
};

/* Any other request that has an answer. */
struct ca_exchange {
    struct ca_request request;
    uint32_t channel; /* number; 0: about none, or unknown */
    union {
        uint16_t losses[2]; /* while it waits: of its circuit, when it was asked */
        uint32_t updated;   /* of a MONITOR of pvAccess: number of its last update; 0 before the first */
    };
};

/* An update of a MONITOR of pvAccess. */
struct ca_update {
    int64_t time_ns;  /* when it was there, and all that the server had said before */
    uint32_t monitor; /* number of the exchange that started it */
    uint32_t before;  /* number of the update before; 0: there is none, or others may be missing between them */
    uint32_t frame;
    uint16_t losses; /* of its circuit, by then */
};

/* Also of pvAccess: a channel there is the same, a status is the number of a reason. */
struct ca_channels {
    const struct circuit_protocol *const *protocols; /* that are recognised; NULL behind the last */
    const struct settings *settings;
    struct pool channels;
    struct pool exchanges;
    struct pool updates;
    struct waiting waiting; /* for an answer: numbers of channels and of exchanges, by ca_request_key() */
    struct lookup by_cid;   /* channels that were answered */
    struct lookup by_sid;
    struct lookup by_id; /* exchanges that were answered and more is said of: subscriptions, monitors, operations */
    struct ca_searches searches;
    struct ca_reasons reasons; /* why requests failed, in pvAccess */
    wmem_map_t *restarts;     /* frames that show that a server has been started anew, in pvAccess; none if `forgets` */
    uint32_t restarted_frame; /* the latest of them; 0: there is none */
    uint32_t announcers;      /* servers whose GUID is known, of pvAccess: at most ANNOUNCERS_MOST */
    bool forgets;             /* frames, for none is visited again */
    uint32_t circuits;        /* how many there are */
    uint32_t orphans;         /* answers to creates which the capture does not have */
};

/* What a message is about: NULL where nothing is known. */
struct ca_subject {
    const struct ca_channel *channel;
    const struct ca_exchange *exchange;
    const struct ca_search *search;
    const struct ca_update *update; /* of the exchange, which it does not answer */
    uint32_t number; /* of the exchange, the channel or the search: the first of these that there is; 0 if none is */
    bool decides;    /* of a search: this is its first reply, not one more */
    bool is_aside;   /* likewise: and it is none, as the server does not have the name */
};

/* A reference is the kind of a record and its number; 0 to nothing. */
enum ca_subject_kind {
    CA_ABOUT_CHANNEL,
    CA_ABOUT_EXCHANGE,
    CA_ABOUT_SEARCH,
    CA_ABOUT_SEARCH_AGAIN,
    CA_ABOUT_SEARCH_ASIDE,
    CA_ABOUT_UPDATE
};

uint32_t ca_refer(enum ca_subject_kind kind, uint32_t number);

struct ca_channels *ca_channels_new(wmem_allocator_t *scope);

/* A circuit between these; its side and times are the caller's to fill in. */
struct ca_circuit *ca_circuit_new(struct ca_channels *channels, const struct circuit_protocol *protocol,
                                  const struct endpoint *client, const struct endpoint *server, bool ipv6);

/* NULL for number 0. */
struct ca_channel *ca_channel_at(const struct ca_channels *channels, uint32_t number);

/* The key of a channel in `by_sid`. */
uint64_t ca_sid_key(const struct ca_circuit *circuit, uint32_t sid);

struct ca_subject ca_subject(const struct ca_channels *channels, uint32_t reference);

/* The name of what a subject is about; NULL if unknown. */
const char *ca_subject_pv(const struct ca_subject *subject);

/* The update before; NULL if there is none, or if others may be missing between them. */
const struct ca_update *ca_update_before(const struct ca_channels *channels, const struct ca_update *update);

/* From there to this one, in nanoseconds; -1 if there is none. */
int64_t ca_update_spacing(const struct ca_channels *channels, const struct ca_update *update);

/* From the first EVENT_ADD or read that was answered, of pvAccess from the beginning of its operation, to its answer,
 * in nanoseconds; -1 before. */
int64_t ca_channel_first_value(const struct ca_channel *channel);

/* Whether an answer, of which a subject is, is the channel's first value. */
bool ca_subject_is_first_value(const struct ca_subject *subject);

/* From the first search or, failing that, the create request to the channel's answer, in nanoseconds; -1 if it is not
 * answered. */
int64_t ca_channel_connect(const struct ca_channels *channels, const struct ca_channel *channel);

#endif
