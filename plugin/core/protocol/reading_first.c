/* reading_first.c
 * What is known of which request the next answer belongs to is kept (resync.h) only where more than one was asked, or
 * something was answered, or is missing.
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
    if (reading->first_was_idle)
        resync_note_flight(reading->resync, false);
    if (reading->first_is_asked)
        resync_ask(reading->resync, reading->first_at, reading->first_looks);
    if (reading->first_has_asked)
        resync_note_flight(reading->resync, true);
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
reading_note_habit(struct reading *reading, bool has_asked)
{
    if (!reading->resync && has_asked && reading->first_is_asked && !reading->first_has_asked)
        reading->first_has_asked = true;
    else if (!reading->resync && !has_asked && !reading->first_is_asked && !reading->first_was_idle)
        reading->first_was_idle = true;
    else
        resync_note_flight(reading_resync(reading), has_asked);
}
