/* reading_first.c
 * Which request the next answer belongs to is plain until a second request, an answer or a gap comes. Only then is a
 * record of resync.h made for the connection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading_parts.h"

struct resync *
reading_resync(struct reading *reading)
{
    if (reading->resync)
        return reading->resync;
    reading->resync = resync_new(reading->requests->scope, reading->last_parser->has_parts);
    if (reading->first_is_asked)
        resync_ask(reading->resync, reading->first_at, reading->first_looks);
    if (reading->first_has_asked)
        resync_note_flight(reading->resync);
    return reading->resync;
}

struct interval
reading_interval(const struct reading *reading)
{
    if (reading->resync)
        return resync_next(reading->resync);
    return (struct interval){ .known = true, .idle = !reading->first_is_asked, .whole = UINT64_MAX };
}

uint64_t
reading_ask(struct reading *reading, int64_t at, uint64_t looks)
{
    if (reading->resync || reading->first_is_asked)
        return resync_ask(reading_resync(reading), at, looks);
    reading->first_at = at;
    reading->first_looks = looks;
    reading->first_is_asked = true;
    return 0;
}

void
reading_describe(struct reading *reading, uint64_t looks)
{
    if (reading->resync)
        resync_describe(reading->resync, looks);
    else
        reading->first_looks = looks;
}

void
reading_note_habit(struct reading *reading)
{
    if (!reading->resync && reading->first_is_asked && !reading->first_has_asked)
        reading->first_has_asked = true;
    else
        resync_note_flight(reading_resync(reading));
}
