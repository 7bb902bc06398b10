/* ca_request.h
 * What waits for an answer on a circuit. Requests with the same command and id are answered first in, first out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_REQUEST_H
#define LATENCY_CA_REQUEST_H

#include "ca_circuit.h"
#include "../util/lookup.h"

enum ca_outcome {
    CA_WAITING,
    CA_OK,
    CA_FAILED,  /* CREATE_CH_FAIL, or a status other than ECA_NORMAL in the answer */
    CA_REFUSED, /* by an ERROR that quotes the request */
    CA_ORPHAN   /* the capture has the answer alone */
};

/* 40 bytes, of which there is one for most messages of a capture. */
struct ca_request {
    struct ca_circuit *circuit;
    int64_t request_ns;
    union {
        int64_t answer_ns;
        struct {
            uint32_t next, last; /* while waiting: numbers of those behind it; `last` in the first of them only */
        };
    };
    uint32_t id; /* cid, subid or ioid */
    uint32_t request_frame;
    uint32_t answer_frame;
    uint16_t status; /* ECA, of the answer */
    uint8_t command;
    uint8_t outcome; /* enum ca_outcome */
};

uint64_t ca_request_key(const struct ca_circuit *circuit, unsigned command, uint32_t id);

/* The key of a record that begins with a ca_request, for its lookup. */
uint64_t ca_request_key_of(const void *request);

/* The record's request begins to wait, behind others of the same key. */
void ca_request_wait(struct lookup *lookup, uint32_t number);

/* Answers the first that waits with this key and returns its number; 0 if none waits. It stays in the lookup unless
 * another one waits. */
uint32_t ca_request_answer(struct lookup *lookup, uint64_t key, const struct ca_arrival *arrival,
                           enum ca_outcome outcome, uint32_t status);

bool ca_request_is_answered(const struct ca_request *request);

/* From request to answer, in nanoseconds, at least 0. Only for answered requests. */
int64_t ca_request_latency(const struct ca_request *request);

/* How long a waiting request had waited when its circuit ended, or by `now_ns`. */
int64_t ca_request_waited(const struct ca_request *request, int64_t now_ns);

#endif
