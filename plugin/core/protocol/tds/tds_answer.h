/* tds_answer.h
 * What a server of TDS answers: [MS-TDS] 2.2.7. Of Sybase's TDS 5.0: src/tds/ of github.com/FreeTDS/freetds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LATENCY_TDS_ANSWER_H
#define LATENCY_TDS_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tds_packet;

/* Of an answer's last bytes so many are kept. */
enum { TDS_TAIL = 512 };

/* How an answer ends. */
struct tds_end {
    bool failed, is_cancelled;
    uint32_t error; /* 0: not known */
};

/* Returns whether an answer can begin with this packet, as far as it is there. */
bool tds_can_answer(const struct tds_packet *packet);

/* Returns whether an answer that begins with this packet is of tokens, of which the last says how it ends. */
bool tds_has_tokens(const struct tds_packet *packet);

/* Returns the number of the error that an answer begins with; 0 if it begins with something else. */
uint32_t tds_first_error(const uint8_t *bytes, size_t length);

/* Reads how an answer with these last bytes ends. */
struct tds_end tds_read_end(const uint8_t *bytes, size_t length);

#endif
