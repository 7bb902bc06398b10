/* decrypted.h
 * What Wireshark's TLS dissector has decrypted in a frame.
 *
 * It leaves its records with the frame, in a struct that differs from version to version and is never looked into. It
 * registers a function that reads them, for Follow TLS Stream, whose interface does not: that is asked. What it
 * decrypted for its own handshake shows only as a source of data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_DECRYPTED_H
#define LATENCY_DECRYPTED_H

#include <epan/packet.h>

#include "../../core/protocol/reading.h"
#include "../../reader/reader.h"

/* To be called once, when protocols have been registered. */
void decrypted_handoff(void);

/* On a frame's first visit, after TCP has been dissected: the application data of its records, in their order; good
 * until the next call. None if the frame has several TCP segments. */
struct decrypted decrypted_read(packet_info *pinfo);

/* Hands over the frames of each packet of QUIC that Wireshark has decrypted since the frame had `known` sources of data.
 */
void decrypted_quic_each(const packet_info *pinfo, unsigned known,
                         void (*take)(struct reader *reader, const uint8_t *frames, size_t length),
                         struct reader *reader);

#endif
