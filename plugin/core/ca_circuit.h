/* ca_circuit.h
 * A TCP connection that speaks Channel Access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_CIRCUIT_H
#define LATENCY_CA_CIRCUIT_H

#include "ca_backlog.h"
#include "ca_stream.h"
#include "segment.h"

/* Times are since the epoch; INT64_MIN where the capture does not have it. */
struct ca_circuit {
    uint32_t number; /* in the capture, from 1 */
    struct endpoint client;
    struct endpoint server;
    bool ipv6;
    struct ca_stream streams[2]; /* of the server, of the client */
    struct ca_backlog backlogs[2];
    int64_t syn_ns; /* the first SYN */
    int64_t syn_ack_ns;
    int64_t hello_ns; /* the server's VERSION */
    int64_t ended_ns; /* the first FIN or RST */
    uint32_t hello_frame;
    uint32_t host; /* numbers of the client's address, and of the server, among the parties */
    uint32_t party;
    uint32_t sequence; /* of the client's last VERSION, where it searches by TCP */
    bool has_sequence;
};

/* From SYN to SYN-ACK, and from there to the server's VERSION, in nanoseconds; -1 if unknown. */
int64_t ca_circuit_tcp_connect(const struct ca_circuit *circuit);
int64_t ca_circuit_hello(const struct ca_circuit *circuit);

/* A FIN or RST of either side; later ones change nothing. */
void ca_circuit_end(struct ca_circuit *circuit, int64_t time_ns);
bool ca_circuit_has_ended(const struct ca_circuit *circuit);

#endif
