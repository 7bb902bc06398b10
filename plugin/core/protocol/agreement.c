/* agreement.c
 * Whether both sides speak a protocol, by their first messages: parser.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parser.h"

enum agreement
parser_agreement(const struct message_walk *walk, const uint8_t *asked, size_t asked_bytes, const uint8_t *answered,
                 size_t answered_bytes)
{
    unsigned left = AGREEMENT_TRIES;
    size_t answer, request;
    for (size_t at = 0; at + walk->least <= answered_bytes && left > 0; at += answer) {
        answer = walk->answer(answered + at, answered_bytes - at);
        if (answer == 0)
            return AGREEMENT_IS_NONE;
        for (size_t i = 0; i < asked_bytes && left > 0; left--, i += request) {
            request = walk->request(asked + i, asked_bytes - i);
            if (request == 0)
                break;
            if (walk->is_pair(asked + i, asked_bytes - i, answered + at, answered_bytes - at))
                return AGREEMENT_IS_ONE;
        }
    }
    return AGREEMENT_OPEN;
}
