/* wanted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "wanted.h"

#include <string.h>

#include <glib.h>

void
wanted_read(const char *line, const struct wanted *wanted, unsigned n)
{
    struct member member;
    unsigned next = 0; /* they stand in the same order in each line, most of them in that of the list */
    while (members_next(&line, &member)) {
        for (unsigned i = 0; i < n; i++) {
            const struct wanted *each = &wanted[(next + i) % n];
            if (!member_is(&member, each->name))
                continue;
            *each->member = member;
            next = next + i + 1;
            break;
        }
    }
}

char *
wanted_endpoint(const struct member *address, const struct member *port)
{
    bool bracketed = address->length > 0 && memchr(address->value, ':', address->length) != NULL;
    return g_strdup_printf(bracketed ? "[%.*s]:%.*s" : "%.*s:%.*s", (int)address->length, address->value,
                           (int)port->length, port->value);
}

char *
wanted_text(const struct member *member)
{
    return g_strndup(member->length ? member->value : "", member->length);
}
