/* ca-state.h
 * What is known of Channel Access in the capture being read: built on each frame's first visit, read on later ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_CA_STATE_H
#define LATENCY_CA_STATE_H

#include <epan/packet.h>

#include "../core/ca_channel.h"

/* References of messages that are none; see ca_take(). */
#define CA_SKIPPED  UINT32_MAX       /* no message begins here, nor until the segment ends */
#define CA_HELD     (UINT32_MAX - 1) /* the same, until what was before has been seen */
#define CA_REPEATED (UINT32_MAX - 2) /* the message was there before */
#define CA_ROW      (UINT32_MAX - 3) /* a row of messages begins; the next number is where */

/* One frame's dissection, whatever number of segments and messages is in it. */
struct ca_frame {
    bool first; /* the first visit: messages are to be taken */
    struct ca_arrival arrival;
    bool begins; /* a row, of which no message has been noted yet */
    uint32_t row;
    const uint32_t *references; /* of the row's messages not shown yet; on later visits */
    uint32_t n_references;
};

/* To be called once each, when Wireshark registers protocols and hand-offs. */
void ca_state_register(int proto);
void ca_state_handoff(void);

struct ca_channels *ca_state_channels(void);

/* The state of this dissection of the frame. */
struct ca_frame *ca_state_frame(packet_info *pinfo);

/* A row of messages begins at this position: Wireshark does not always hand over the same rows on later visits. */
void ca_state_begin_row(struct ca_frame *frame, uint32_t position);

/* Notes the reference of the row's next message on its first visit. On later ones: finds it again, 0 if there is
 * none; and whether it is CA_SKIPPED or CA_HELD, without going on. */
void ca_state_note(struct ca_frame *frame, uint32_t reference);
uint32_t ca_state_find(struct ca_frame *frame);
bool ca_state_skips(const struct ca_frame *frame);

/* The frame's circuit, which begins with it if need be; NULL on later visits if there is none. `bytes` are the
 * segment's: they may tell who the client is. */
struct ca_circuit *ca_state_circuit(packet_info *pinfo, const struct ca_frame *frame, const uint8_t *bytes,
                                    size_t available);

/* The frame's circuit, NULL if there is none yet. */
struct ca_circuit *ca_state_known_circuit(packet_info *pinfo);

/* To be called on the first visit of a SYN, or of a SYN-ACK if it `answers`; and of a FIN or RST. Only handshakes with
 * a known server are noted; `seq` is as on the wire. */
void ca_state_note_handshake(packet_info *pinfo, uint32_t seq, bool answers);
void ca_state_note_end(packet_info *pinfo);

/* Whether the sender is the circuit's client. */
bool ca_state_is_client(const packet_info *pinfo, const struct ca_circuit *circuit);

/* Whether a search's reply, a beacon or a circuit said that a server listens at one end of this segment. */
bool ca_state_is_learned(const packet_info *pinfo);

struct endpoint ca_state_source(const packet_info *pinfo);
struct endpoint ca_state_destination(const packet_info *pinfo);

#endif
