/* sighting_tally.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sighting_tally.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/points/path.h"

void
sighting_tally_take(struct sighting_tally *tally, const struct sighting *sighting)
{
    /* A record says it where it changes. */
    uint32_t sample = sighting->sample ? sighting->sample : tally->seen ? 0 : 1;
    tally->seen++;
    tally->lost += sighting->lost;
    if (!sample)
        return;
    tally->most = MAX(tally->most, sample);
    tally->fewest = tally->fewest ? MIN(tally->fewest, sample) : sample;
}

void
sighting_tally_merge(struct sighting_tally *tally, const struct sighting_tally *other)
{
    tally->seen += other->seen;
    tally->lost += other->lost;
    tally->most = MAX(tally->most, other->most);
    if (other->fewest)
        tally->fewest = tally->fewest ? MIN(tally->fewest, other->fewest) : other->fewest;
}

bool
sighting_tally_lacks(const struct sighting_tally *tally)
{
    return tally->lost || tally->most > 1;
}

void
sighting_tally_write(const struct sighting_tally *tally, GString *text)
{
    g_string_append_printf(text, "%" PRIu64 " sighting%s", tally->seen, plurality(tally->seen, "", "s"));
    if (tally->lost)
        g_string_append_printf(text, ", %" PRIu64 " lost by the recorder (%.2g %%)", tally->lost,
                               100.0 * (double)tally->lost / ((double)tally->seen + (double)tally->lost));
    if (tally->most > 1 && tally->fewest == tally->most)
        g_string_append_printf(text, ", of 1 connection in %u", tally->most);
    else if (tally->most > 1)
        g_string_append_printf(text, ", of 1 connection in %u to %u", tally->fewest, tally->most);
    g_string_append(text, ".\n");
}
