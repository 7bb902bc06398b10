/* framing_work.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "framing_work.h"

const struct framing_work *
framing_work(const struct connection *connection)
{
    static const struct framing_work nothing;
    return connection->framing.work ? connection->framing.work : &nothing;
}

void
framing_work_begin(struct requests *requests, struct connection *connection)
{
    struct framing_work *work = requests->spare_framing;
    if (connection->framing.work)
        return;
    if (work)
        requests->spare_framing = work->next;
    else
        work = wmem_new(requests->scope, struct framing_work);
    *work = (struct framing_work){ .next = NULL };
    connection->framing.work = work;
}

void
framing_work_end(struct requests *requests, struct connection *connection)
{
    struct framing_work *work = connection->framing.work;
    if (!work || work->under_way[0] || work->under_way[1] || work->undecided || work->head[0] || work->head[1] ||
        work->turn)
        return;
    work->next = requests->spare_framing;
    requests->spare_framing = work;
    connection->framing.work = NULL;
}

bool
framing_is_in_parts(const struct connection *connection)
{
    return connection->framing.kind == FRAMING_HTTP2;
}
