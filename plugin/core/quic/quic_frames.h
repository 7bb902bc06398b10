/* quic_frames.h
 * The frames of packets of QUIC that Wireshark has decrypted: RFC 9000 §19, RFC 9221.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_QUIC_FRAMES_H
#define LATENCY_QUIC_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are called for the frames of a packet, in their order; bytes are borrowed for the call. Of Initial packets, which
 * have no streams (RFC 9000 §12.4), `stream`, `reset` and `stop_sending` are NULL. The others may be NULL always. */
struct quic_frame_calls {
    void (*crypto)(void *data, uint64_t offset, const uint8_t *bytes, size_t length);
    void (*acknowledge)(void *data);
    void (*stream)(void *data, uint64_t id, uint64_t offset, const uint8_t *bytes, size_t length, bool ends);
    void (*reset)(void *data, uint64_t id, uint64_t error);        /* the sender's side of the stream breaks off */
    void (*stop_sending)(void *data, uint64_t id, uint64_t error); /* the sender wants no more of the stream */
    void (*close)(void *data, uint64_t error);                     /* the connection */
};

/* Tells of a packet's frames, up to the first that cannot be read. */
void quic_frames_tell(const uint8_t *payload, size_t length, const struct quic_frame_calls *calls, void *data);

/* Returns whether an Initial or Handshake packet may have all of a packet's frames that can be read: RFC 9000 §12.4. */
bool quic_frames_may_be_handshakes(const uint8_t *payload, size_t length);

#endif
