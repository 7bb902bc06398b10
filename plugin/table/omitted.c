/* omitted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "omitted.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

void
omitted_take(struct omitted *omitted, const struct item *item)
{
    omitted->unsolicited += item->kind == ITEM_UNSOLICITED;
    omitted->duplicates += item->kind == ITEM_DUPLICATE;
    omitted->unread += item->kind == ITEM_UNREAD;
}

void
omitted_merge(struct omitted *omitted, const struct omitted *other)
{
    omitted->unsolicited += other->unsolicited;
    omitted->duplicates += other->duplicates;
    omitted->unread += other->unread;
    omitted->tls_handshakes += other->tls_handshakes;
    omitted->tls_alerts += other->tls_alerts;
    omitted->begun_before += other->begun_before;
    omitted->not_answered += other->not_answered;
    omitted->silent += other->silent;
}

enum tls_turn
omitted_take_tls(struct omitted *omitted, const struct request *request, enum tls_turn noted)
{
    enum tls_turn role = tls_turn_role(request);
    omitted->tls_handshakes += (role == TLS_HANDSHAKE) - (noted == TLS_HANDSHAKE);
    omitted->tls_alerts += (role == TLS_ALERT) - (noted == TLS_ALERT);
    return role;
}

bool
omitted_counts(struct omitted *omitted, const struct item *item, uint8_t *noted)
{
    if (*noted == TLS_NONE && item->kind == ITEM_UPDATED)
        return false;
    *noted = (uint8_t)omitted_take_tls(omitted, item_request(item), *noted);
    return *noted == TLS_NONE;
}

bool
omitted_counts_share(struct omitted *omitted, const struct item *item, struct share *share)
{
    if (share->counted)
        return true;
    uint8_t noted = share->tls;
    const bool counts = omitted_counts(omitted, item, &noted);
    share->tls = (enum tls_turn)noted;
    return counts;
}

void
omitted_write(const struct omitted *omitted, GString *text)
{
    const struct {
        uint64_t count;
        const char *one, *more;
    } kinds[] = {
        { omitted->unsolicited, "frame that a server sent unasked", "frames that a server sent unasked" },
        { omitted->duplicates, "second copy of a frame", "second copies of a frame" },
        { omitted->unread, "TCP segment without a whole header, or a time",
          "TCP segments without a whole header, or a time" },
        { omitted->begun_before, "connection whose SYN was not captured", "connections whose SYN was not captured" },
        { omitted->not_answered, "attempt to connect without answer", "attempts to connect without answer" },
        { omitted->silent, "connection on which the client said nothing",
          "connections on which the client said nothing" },
    };
    const char *before = "Left out: ";
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (kinds[i].count == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", before, kinds[i].count,
                               plurality(kinds[i].count, kinds[i].one, kinds[i].more));
        before = ", ";
    }
    if (*before == ',')
        g_string_append(text, ".\n");
    const uint64_t handshakes = omitted->tls_handshakes, alerts = omitted->tls_alerts;
    if (handshakes + alerts > 0)
        g_string_append_printf(text, "Not counted as requests: %" PRIu64 " TLS handshake%s, %" PRIu64 " TLS alert%s.\n",
                               handshakes, plurality(handshakes, "", "s"), alerts, plurality(alerts, "", "s"));
}
