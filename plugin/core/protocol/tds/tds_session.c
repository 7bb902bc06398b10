/* tds_session.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tds_session.h"

#include <string.h>

#include <glib.h>

#include "tds_packet.h"

/* A session's requests have numbers, below its own. */
enum { SESSION_SHIFT = 40 };

struct tds *
tds_of(struct reading *reading)
{
    return reading_own(reading, sizeof(struct tds));
}

uint64_t
tds_key(const struct tds_session *session)
{
    return (uint64_t)session->id << SESSION_SHIFT | session->asked;
}

void
tds_give_up(struct reading *reading, struct tds_session *session)
{
    if (session->waits)
        reading_gives_up(reading, tds_key(session), STOP_LOST);
    session->waits = session->is_asking = false;
}

/* Returns the session; its numbers go on where it takes the oldest one's place, which may have had the same. */
struct tds_session *
tds_session_of(struct reading *reading, uint32_t id)
{
    struct tds *tds = tds_of(reading);
    for (unsigned i = 0; i < MIN(tds->opened, TDS_SESSIONS_MOST); i++)
        if (tds->sessions[i]->id == id)
            return tds->sessions[i];
    struct tds_session **slot = &tds->sessions[tds->opened++ % TDS_SESSIONS_MOST];
    if (*slot)
        tds_give_up(reading, *slot);
    else
        *slot = wmem_new0(reading_scope(reading), struct tds_session);
    **slot = (struct tds_session){ .id = id, .asked = (*slot)->asked };
    return *slot;
}

void
tds_keep_tail(struct tds_session *session, const uint8_t *bytes, size_t length)
{
    const size_t new_bytes = MIN(length, TDS_TAIL), kept = MIN(session->tail_bytes, TDS_TAIL - new_bytes);
    memmove(session->tail, session->tail + session->tail_bytes - kept, kept);
    if (new_bytes > 0)
        memcpy(session->tail + kept, bytes + length - new_bytes, new_bytes);
    session->tail_bytes = (uint32_t)(kept + new_bytes);
}

/* Where packets of both sides are missing, what waits may have been answered, and something else been asked; what was
 * cancelled, and then what its attention is answered. */
void
tds_lack(struct reading *reading, bool from_client)
{
    struct tds *tds = tds_of(reading);
    tds->has_lost = true;
    for (unsigned i = 0; i < MIN(tds->opened, TDS_SESSIONS_MOST); i++) {
        struct tds_session *session = tds->sessions[i];
        session->lacks[from_client] = true;
        session->is_asking &= !from_client;
        if (session->lacks[!from_client] || session->is_cancelled)
            tds_give_up(reading, session);
    }
}

void
tds_forget(struct reading *reading)
{
    struct tds *tds = tds_of(reading);
    for (unsigned i = 0; i < MIN(tds->opened, TDS_SESSIONS_MOST); i++)
        wmem_free(reading_scope(reading), tds->sessions[i]);
    wmem_free(reading_scope(reading), tds);
}
