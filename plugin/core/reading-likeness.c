/* reading-likeness.c
 *
 * Which of the requests that the next answer can be to it does not suit.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading-parts.h"

/* In a note. */
enum { KINDS_AT = 16, NAME_AT = 32 };

uint64_t
framer_likeness(uint16_t kinds, const uint8_t *name, size_t length)
{
    uint64_t hash = name ? MAX(wmem_strong_hash(name, length), 1) : 0;
    return (uint64_t)kinds << KINDS_AT | hash << NAME_AT;
}

static bool
are_alike(uint64_t asked, uint64_t answered)
{
    uint32_t name = (uint32_t)(asked >> NAME_AT), other = (uint32_t)(answered >> NAME_AT);
    uint16_t kinds = (uint16_t)(asked >> KINDS_AT), kind = (uint16_t)(answered >> KINDS_AT);
    return (!kinds || !kind || kinds & kind) && (!name || !other || name == other);
}

const struct request *
reading_candidate(const struct reading *reading, int64_t number)
{
    const struct connection *connection = reading->connection;
    const uint64_t key = reading_key((uint64_t)number);
    if (number < (int64_t)reading->after_loss)
        return NULL;
    /* Most stand in the order of their numbers: quicker than to look it up. */
    uint64_t back = reading->asked - 1 - (uint64_t)number;
    const struct request *request =
        back < connection->n_requests ? connection->requests[connection->n_requests - 1 - back] : NULL;
    if (request && request->told_apart && request->key == key && request->open && !request->p0_frame)
        return request;
    return framing_first(reading->requests, reading->connection, key);
}

static bool
has_candidates(const struct reading *reading)
{
    return reading_is_in_doubt(reading) && reading->next.low > BELOW_ALL && reading->next.high < ABOVE_ALL;
}

void
reading_compare(struct reading *reading, uint64_t likeness)
{
    struct bounds *next = &reading->next;
    const struct flow *flow = &reading->flow[false];
    bool has_begun = flow->has_message && flow->message.kind == MESSAGE_UNPLACED;
    if (!has_begun)
        reading_bound_answer(reading);
    if (!has_candidates(reading))
        return;
    for (int64_t i = 0; i < CANDIDATES && next->low + i <= next->high; i++) {
        bool is_out = next->ruled_out >> i & 1;
        const struct request *request = is_out ? NULL : reading_candidate(reading, next->low + i - has_begun);
        if (request && !are_alike(request->note, likeness))
            next->ruled_out |= UINT64_C(1) << i;
    }
    reading_settle(reading);
}

void
reading_candidates(struct reading *reading, uint64_t likeness, bool *some, bool *others)
{
    const struct bounds *next = &reading->next;
    *some = *others = !has_candidates(reading) || next->high - next->low >= CANDIDATES;
    for (int64_t number = next->low; !*some || !*others; number++) {
        if (number > next->high)
            break;
        if (next->ruled_out >> (number - next->low) & 1)
            continue;
        const struct request *request = reading_candidate(reading, number);
        bool alike = !request || are_alike(request->note, likeness);
        *some |= alike;
        *others |= !request || !alike;
    }
}
