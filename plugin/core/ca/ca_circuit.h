/* ca_circuit.h
 * A TCP connection that speaks Channel Access or pvAccess, and where its messages are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_CIRCUIT_H
#define LATENCY_CA_CIRCUIT_H

#include <wsutil/wmem/wmem.h>

#include "circuit_role.h"
#include "../tcp/segment.h"

/* When and where a message was captured. */
struct ca_arrival {
    int64_t time_ns; /* since the epoch */
    uint32_t frame;
};

/* A message that has been read. */
struct ca_noted {
    int64_t start;        /* offset of its first byte in its sender's sequence */
    uint32_t reference;   /* what it is about: see ca_channel.h */
    uint32_t frame;       /* of its arrival */
    uint32_t shown_frame; /* that shows it; 0 before there is one */
    uint8_t command;
};

/* One direction. */
struct ca_flow {
    bool begun;
    int64_t at;   /* offset behind what has been read */
    int64_t next; /* of the message under way, or the next one; -1 where it is not known */
    /* The message read last: */
    struct ca_message message;
    struct circuit_role role;
    uint32_t captured; /* bytes of its payload that say what it is about */
    bool lacks_name;   /* they are not all there */
    uint8_t *telling;  /* those bytes */
    uint32_t telling_room;
    uint16_t losses[2]; /* the circuit's, when the message began */
    /* The offset of the part under way of a message of pvAccess, -1 for its first part; and the id that the message,
     * with all its parts, is about. */
    int64_t last_part;
    uint32_t part_reference;
    /* Those that were read, in their order. Where frames are not kept, only the last frame's. */
    struct ca_noted *noted;
    uint32_t n_noted, room;
    uint32_t n_shown;     /* of them, before the piece that is being read */
    uint32_t noted_frame; /* with which the last was noted */
    int64_t noted_from;   /* those before it are forgotten */
    uint32_t origin;      /* sequence number of offset 0 */
};

struct ca_channels;
struct circuit_protocol;

/* Times are since the epoch; INT64_MIN where the capture does not have it. */
struct ca_circuit {
    struct ca_channels *channels;
    uint32_t number; /* in the capture, from 1 */
    const struct circuit_protocol *protocol;
    struct endpoint client;
    struct endpoint server;
    bool ipv6;
    bool is_hidden;         /* in TLS: offsets are those of decrypted bytes */
    uint8_t client_side;    /* index of the client among the connection's endpoints */
    struct ca_flow flow[2]; /* of the server, of the client */
    int64_t syn_ns;         /* the first SYN */
    int64_t syn_ack_ns;
    int64_t hello_ns; /* the server's VERSION, or CONNECTION_VALIDATED */
    int64_t ended_ns; /* the first FIN or RST */
    uint32_t hello_frame;
    uint32_t host; /* numbers of the client's address, and of the server, among the peers */
    uint32_t peer;
    int64_t told_ns;    /* when the server's last message was there, and all before it; of pvAccess */
    uint16_t losses[2]; /* how often messages of the server, of the client may have been missed */
    uint32_t sequence;  /* of the client's last VERSION, where it searches by TCP */
    bool has_sequence;
};

/* From SYN to SYN-ACK, and from there to the server's VERSION or CONNECTION_VALIDATED, in nanoseconds; -1 if unknown.
 */
int64_t ca_circuit_tcp_connect(const struct ca_circuit *circuit);
int64_t ca_circuit_hello(const struct ca_circuit *circuit);

/* A FIN or RST of either side; later ones change nothing. */
void ca_circuit_end(struct ca_circuit *circuit, int64_t time_ns);
bool ca_circuit_has_ended(const struct ca_circuit *circuit);

/* Notes a message that begins at the offset. `frame`: of its arrival. */
void ca_flow_note(struct ca_flow *flow, unsigned command, int64_t start, uint32_t reference, uint32_t frame,
                  wmem_allocator_t *scope);

enum ca_place {
    CA_NOTED,     /* a message begins here, and has been read */
    CA_UNDER_WAY, /* one begins here, or will, and has not been read */
    CA_FORGOTTEN, /* what was read here is not known any more */
    CA_NOWHERE,   /* no message begins here */
    CA_AHEAD      /* nothing has been read here yet */
};

/* What there is at a sequence number in bytes that were handed over in a frame; `noted`: the message, if CA_NOTED. */
enum ca_place ca_flow_place(const struct ca_flow *flow, uint32_t seq, uint32_t frame, struct ca_noted **noted);

/* Bytes from a sequence number to the next message that was read, of those near the frame; UINT32_MAX if there is none.
 */
uint32_t ca_flow_distance(const struct ca_flow *flow, uint32_t seq);

#endif
