/* call_source.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "call_source.h"

#include "../core/analysis.h"

/* `data` is the source. */
static void
take(void *data, const struct request *request)
{
    const struct table_source *source = data;
    calls_take(source->calls, &source->analysis->requests, request);
}

static void
take_sighting(void *data, const struct sighting *sighting)
{
    const struct table_source *source = data;
    calls_take_sighting(source->calls, source->analysis->points, sighting);
}

void
call_source_begin(struct table_source *source)
{
    struct requests *requests = &source->analysis->requests;
    if (source->calls_wanted == 0)
        return;
    source->calls = calls_new(source->settings);
    source->calls_frame = 0;
    requests->forgets = take;
    requests->forgets_data = source;
    source->analysis->sighted = take_sighting;
    source->analysis->sighted_data = source;
    requests->hides_operations = false;
    requests->wants_ids = true;
    requests->wants_traces = source->traces_wanted > 0;
}

void
call_source_want(struct table_source *source)
{
    source->calls_wanted++;
    if (source->analysis && !source->calls)
        call_source_begin(source);
}

void
call_source_want_traces(struct table_source *source)
{
    source->traces_wanted++;
    if (source->analysis && source->calls)
        source->analysis->requests.wants_traces = true;
    call_source_want(source);
}

void
call_source_leave_traces(struct table_source *source)
{
    source->traces_wanted--;
    call_source_leave(source);
}

void
call_source_leave(struct table_source *source)
{
    source->calls_wanted--;
}

const struct calls *
call_source_told(struct table_source *source)
{
    if (!source->calls)
        return NULL;
    const struct requests *requests = &source->analysis->requests;
    if (source->calls_frame != requests->frame || requests->frame == 0) {
        const int64_t begin_us = g_get_monotonic_time();
        requests_each(requests, take, source);
        calls_tell(source->calls, &requests->ids);
        source->calls_told_us = g_get_monotonic_time();
        source->calls_took_us = source->calls_told_us - begin_us;
    }
    source->calls_frame = requests->frame;
    return source->calls;
}

const struct calls *
call_source_told_lately(struct table_source *source)
{
    enum { REST = 4 };
    if (source->calls && source->calls_frame > 0 &&
        g_get_monotonic_time() - source->calls_told_us < REST * source->calls_took_us)
        return source->calls;
    return call_source_told(source);
}

void
call_source_end(struct table_source *source)
{
    if (source->analysis) {
        source->analysis->requests.forgets = NULL;
        source->analysis->sighted = NULL;
    }
    calls_free(source->calls);
    source->calls = NULL;
}
