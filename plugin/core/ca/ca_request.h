/* ca_request.h
 * A request of a circuit, and when it was answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_REQUEST_H
#define LATENCY_CA_REQUEST_H

#include "ca_circuit.h"

/* 40 bytes, of which there is one for most messages of a capture. */
struct ca_request {
    struct ca_circuit *circuit;
    int64_t request_ns, answer_ns;
    uint32_t id; /* cid, subid or ioid */
    uint32_t request_frame;
    uint32_t answer_frame;
    uint16_t status; /* ECA, of the answer */
    uint8_t command;
    uint8_t outcome; /* enum ca_outcome */
};

/* Returns the key of a request among those of all circuits, which may be that of a record that begins with it. */
uint64_t ca_request_whole_key(const struct ca_circuit *circuit, unsigned command, uint32_t id);
uint64_t ca_request_key_of_record(const void *record);

bool ca_request_is_answered(const struct ca_request *request);

/* From request to answer, in nanoseconds, at least 0. Only for answered requests. */
int64_t ca_request_latency(const struct ca_request *request);

/* How long a waiting request had waited when its circuit ended, or by `now_ns`. */
int64_t ca_request_waited(const struct ca_request *request, int64_t now_ns);

#endif
