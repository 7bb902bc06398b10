/* analysis.h
 * One capture: takes its segments in capture order and keeps what they mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_ANALYSIS_H
#define LATENCY_ANALYSIS_H

#include "tcp/connection.h"
#include "tcp/item.h"
#include "tcp/lingering.h"
#include "quic/quic.h"
#include "request/datagrams.h"
#include "request/request.h"
#include "points/sighting.h"
#include "tcp/stream.h"

struct ca_channels;
struct decrypted;
struct openings;

struct analysis {
    struct requests requests;
    struct items *items;
    struct connection_table *connections;
    struct lingering lingering; /* connections; those that have not ended if it sheds_open */
    struct datagrams datagrams;
    struct quic_connections quic;
    uint32_t n_connections; /* with conversations of datagrams */
    uint32_t attempts;      /* to connect */
    uint32_t handshakes;    /* of TLS */
    struct points *points;
    struct process_table *processes;
    struct sightings *sightings;
    struct streams *streams;
    struct openings *openings;
    struct ca_channels *channels;  /* of Channel Access and pvAccess */
    struct payload payload;        /* of the segment taken last, if it has_payload and has not been read */
    struct connection *connection; /* its; NULL: it is a duplicate */
    bool has_payload;
    bool sheds_open;         /* connections that have not ended, but are quiet, are shed: analysis_shed() */
    bool is_read;            /* it has been delivered */
    struct segment datagram; /* of QUIC, that was read last, of `connection`, which is NULL if it counts for nothing */
    /* Is given each sighting with a segment, once it is known whether it counts; NULL: nobody is told. */
    void (*sighted)(void *data, const struct sighting *sighting);
    void *sighted_data;
    bool hides_sightings; /* nobody is shown them: there is no item of one */
    /* Reads what is delivered, instead of the core, if it is not NULL. */
    void (*read)(void *data, struct carrier *carrier);
    /* Then: whether the piece was held where it was read (opening.h); NULL: none was. And how many of its first bytes
     * were a prelude there (prelude.h); NULL: none. */
    bool (*holds)(void *data, const struct piece *piece);
    uint32_t (*prelude)(void *data, const struct piece *piece);
    void *read_data;
};

/* Records live in `scope` until it is freed; `settings` is borrowed as long as segments are taken.
 * End with analysis_free(). */
struct analysis *analysis_new(wmem_allocator_t *scope, const struct settings *settings);
void analysis_free(struct analysis *analysis);

/* From now on frames are visited again, as before the first call, or not. */
void analysis_set_keep(struct analysis *analysis, bool keep);

/* Takes a frame of a capture with several points; `segment`: NULL without TCP. True if the frame is the one sighting of
 * its packet that is to be analysed. */
bool analysis_sight(struct analysis *analysis, const struct fingerprint *fingerprint, const struct sighting *seen,
                    const struct segment *segment);

/* The process that a sighting belongs to: that its frame names; else that of the host where it was seen, the sender's
 * if that is unknown; else that of the other end. NULL if none is known. */
const struct process *analysis_process(const struct sighting *sighting);

/* Whether the segment's connection speaks Channel Access, or may. */
bool analysis_expects_channel_access(const struct analysis *analysis, const struct segment *segment);

/* Takes the next segment of the capture and returns its connection: what depends on the order of the capture. Fills in
 * the segment's operation, if that is known without its connection's stream. */
struct connection *analysis_take(struct analysis *analysis, struct segment *segment);

/* After that, and after whoever wants the segment has seen it: reads what follows in its connection's stream. It may be
 * a copy. What it means is then in the items of its frame, and in items_late(). */
void analysis_read(struct analysis *analysis, const struct segment *segment);

/* The capture has ended: reads what waits for bytes that have not come, connection by connection in the order of their
 * numbers. What it means is in items_late(). */
void analysis_end(struct analysis *analysis);

/* Reads so what waits of one connection, while the capture goes on. */
void analysis_end_connection(struct analysis *analysis, struct connection *connection);

/* Bounds how many connections that have ended are kept because late segments of them may come. */
enum { ANALYSIS_ENDED_MOST = 65536 };

/* Before a segment is taken, as long as it returns one: the next connection that is over by then (connection.h), or, of
 * more that have ended than are kept, the one that was quiet longest. What waited for bytes that will not come is read:
 * what it means is in items_late(), and after items_told() no more. */
struct connection *analysis_end_next(struct analysis *analysis, const struct segment *segment);

/* Reads, in place of analysis_read(), with what is decrypted of the segment (reading.h), once Wireshark has dissected
 * it: only where that is wanted, and then for each segment. */
bool analysis_wants_decrypted(const struct analysis *analysis);
void analysis_read_decrypted(struct analysis *analysis, const struct segment *segment,
                             const struct decrypted *decrypted);

/* Takes what an ICMP error quotes of a segment: of it only frame, time, addresses, ports and seq are looked at.
 * Returns its connection; NULL if the capture has none. */
struct connection *analysis_take_quoted(struct analysis *analysis, const struct segment *quoted);

/* Takes a datagram of UDP that has been read (dns_datagram.h), and returns its conversation; after whoever wants the
 * segment has seen it, it is read. */
struct connection *analysis_take_datagram(struct analysis *analysis, struct datagram *datagram);
void analysis_read_datagram(struct analysis *analysis, struct datagram *datagram);

/* Takes a datagram of UDP that may be one of QUIC: the segment's payload is the datagram's. Returns its connection;
 * NULL if it is none. After whoever wants the segment has seen it, it is read. */
struct connection *analysis_take_quic(struct analysis *analysis, struct segment *segment);
void analysis_read_quic(struct analysis *analysis, const struct segment *segment);

/* Takes a packet's frames, decrypted, of the datagram that was read last: as many as it has packets. Returns false if
 * nothing of them is read. */
bool analysis_read_quic_frames(struct analysis *analysis, const uint8_t *frames, size_t length);

/* Takes what an ICMP error quotes of such a datagram. Returns its connection; NULL if the capture has none. */
struct connection *analysis_take_quoted_quic(struct analysis *analysis, const struct segment *quoted);

/* The same of a query that an ICMP error quotes; NULL if the capture has no conversation of it. */
struct connection *analysis_take_quoted_datagram(struct analysis *analysis, struct datagram *query);
void analysis_read_quoted_datagram(struct analysis *analysis, const struct datagram *query);

/* Notes that the capture has a frame of this time, of whatever protocol: what waits may have timed out by then. */
void analysis_note_time(struct analysis *analysis, int64_t time_ns);

/* Frees a connection of which nothing more will come, and its requests. Only where frames are not kept. */
void analysis_forget(struct analysis *analysis, struct connection *connection);

/* Forgets what was to know whose segments are that come late: of a connection that is quiet. Only where frames
 * are not kept. */
void analysis_shed(struct analysis *analysis, struct connection *connection);

#endif
