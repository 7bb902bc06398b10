/* line_kinds.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "line_kinds.h"

#include <string.h>

#define KIND(name, LIST)                                                                                               \
    static const struct member name##_list[] = { LIST(MEMBER_ENTRY, name##_line) };                                    \
    const struct members name##_members = { name##_list, G_N_ELEMENTS(name##_list), sizeof(struct name##_line) };

LINE_KINDS(KIND)
KIND(settings, SETTINGS_MEMBERS)
KIND(ipid_steps, IPID_STEPS_MEMBERS)
KIND(histogram, HISTOGRAM_MEMBERS)

#define WORD(word) word,
const char *const line_types[LINE_TYPES] = { LINE_TYPE_LIST(WORD) };

unsigned
line_type_find(const char *type)
{
    unsigned i = 0;
    while (i < LINE_TYPES && strcmp(line_types[i], type) != 0)
        i++;
    return i;
}

struct measured
request_line_measure(const struct request_line *line)
{
    struct measured measured = outcome_measure((enum outcome)line->outcome, *line->error != '\0');
    measured.by_messages = line->framing != PROTOCOL_TURNS;
    measured.in_tls = !measured.by_messages && turn_is_in_tls(line->operation);
    if (!measured.answered)
        return measured;
    if (line->streaming || line->long_poll)
        measured.wait = line->long_poll ? WAIT_FOR_EVENT : WAIT_FOR_FIRST_BYTE;
    measured.first_byte_ns = line->first_byte;
    measured.server_time_ns = line->server_time;
    measured.last_byte_ns = line->last_byte;
    measured.response_bytes = line->response_bytes;
    return measured;
}
