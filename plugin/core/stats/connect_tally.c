/* connect_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "connect_tally.h"

void
connect_tally_clear(void *value)
{
    struct connect_tally *tally = value;
    sample_clear(&tally->time);
    push_tally_clear(&tally->pushes);
}

void
connect_tally_take(struct connect_tally *tally, struct connect_share *share, const struct connect *connect,
                   enum connect_result result)
{
    bool had_time = share->counted && share->time_ns >= 0;
    bool has_time = connect->time_ns >= 0;
    if (share->counted)
        tally->results[share->result]--;
    tally->attempts += !share->counted;
    tally->results[result]++;
    tally->syn_retries += connect->syn_retries - share->syn_retries;
    if (had_time && (!has_time || share->time_ns != connect->time_ns))
        sample_remove(&tally->time, share->time_ns);
    if (has_time && (!had_time || share->time_ns != connect->time_ns))
        sample_add(&tally->time, connect->time_ns);
    *share = (struct connect_share){ connect->time_ns, connect->syn_retries, (uint8_t)result, true };
}

void
connect_tally_add(struct connect_tally *tally, enum connect_result result, int64_t time_ns, uint32_t syn_retries)
{
    tally->attempts++;
    tally->results[result]++;
    tally->syn_retries += syn_retries;
    if (time_ns >= 0)
        sample_add(&tally->time, time_ns);
}

void
connect_tally_outline(struct connect_tally *tally)
{
    sample_outline(&tally->time);
}

void
connect_tally_merge(struct connect_tally *tally, const struct connect_tally *other)
{
    tally->attempts += other->attempts;
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        tally->results[i] += other->results[i];
    tally->syn_retries += other->syn_retries;
    push_tally_merge(&tally->pushes, &other->pushes);
    sample_merge(&tally->time, &other->time);
}
