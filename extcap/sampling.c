/* sampling.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sampling.h"

#include <string.h>

#define PAUSE_NS 200000000ULL /* in which the ring is emptied of what was too much, and sightings are counted */
#define QUIET_NS 10000000000ULL

void
sampling_begin(struct sampling *sampling, uint32_t one_in, unsigned processors)
{
    *sampling = (struct sampling){ .is_fixed = one_in > 0, .one_in = one_in ? one_in : 1 };
    sampling->worst = sampling->one_in;
    sampling->most = (uint64_t)processors * SIGHTINGS_A_PROCESSOR;
}

void
sampling_note(struct sampling *sampling, uint64_t connection)
{
    sampling->sightings++;
    sampling->seen[connection % SAMPLING_SEEN] = connection;
}

/* Whether a connection is kept if one connection in `one_in` is recorded: the kernel's is_sampled(). */
static bool
leaves_any(const struct sampling *sampling, uint32_t one_in)
{
    for (int i = 0; i < SAMPLING_SEEN; i++)
        if (sampling->seen[i] && sampling->seen[i] >> 32 <= UINT32_MAX / one_in)
            return true;
    return false;
}

static bool
change(struct sampling *sampling, uint64_t now_ns, uint32_t one_in)
{
    sampling->one_in = one_in;
    if (one_in > sampling->worst)
        sampling->worst = one_in;
    sampling->changed_ns = now_ns;
    sampling->begun_ns = 0;
    memset(sampling->seen, 0, sizeof(sampling->seen));
    return true;
}

/* Sightings a second since the last time that enough of it had passed; 0 before. */
static uint64_t
rate(struct sampling *sampling, uint64_t now_ns)
{
    const uint64_t passed_ns = now_ns - sampling->begun_ns;
    if (sampling->begun_ns && passed_ns < PAUSE_NS)
        return 0;
    const uint64_t a_second = sampling->begun_ns ? sampling->sightings * 1000000000 / passed_ns : 0;
    sampling->begun_ns = now_ns;
    sampling->sightings = 0;
    return a_second;
}

/* One connection in how many is to be recorded: half as many as now, or as few as make not too many sightings. */
static uint32_t
fewer_of(const struct sampling *sampling, uint64_t a_second)
{
    uint32_t one_in = sampling->one_in;
    while (one_in < SAMPLING_MOST && leaves_any(sampling, one_in * 2)) {
        one_in *= 2;
        if (a_second / (one_in / sampling->one_in) <= sampling->most)
            break;
    }
    return one_in;
}

bool
sampling_step(struct sampling *sampling, uint64_t now_ns, bool has_lost)
{
    const uint64_t a_second = rate(sampling, now_ns);
    const bool is_strained = has_lost || a_second > sampling->most;
    /* With twice the connections it would be so again. */
    if (is_strained || a_second > sampling->most / 2)
        sampling->strained_ns = now_ns;
    if (sampling->is_fixed || now_ns - sampling->changed_ns < PAUSE_NS)
        return false;
    const uint32_t fewer = is_strained ? fewer_of(sampling, a_second) : sampling->one_in;
    if (fewer > sampling->one_in)
        return change(sampling, now_ns, fewer);
    if (sampling->one_in > 1 && now_ns - sampling->strained_ns > QUIET_NS && now_ns - sampling->changed_ns > QUIET_NS)
        return change(sampling, now_ns, sampling->one_in / 2);
    return false;
}
