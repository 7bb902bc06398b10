/* stages.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stages.h"

#include "wanted.h"

bool
stages_read(const struct member *stages, int64_t parts_ns[PARTS])
{
    struct member members[PARTS] = { { 0 } };
    struct wanted wanted[PARTS];
    bool is_there = stages->length > 0;
    for (unsigned part = 0; part < PARTS; part++)
        wanted[part] = (struct wanted){ part_name(part), &members[part] };
    if (is_there)
        wanted_read(stages->value, wanted, PARTS);
    for (unsigned part = 0; part < PARTS; part++)
        parts_ns[part] = is_there ? member_int(&members[part]) : -1;
    return is_there;
}

void
stages_add(struct stage_sums *sums, const int64_t parts_ns[PARTS])
{
    sums->requests++;
    for (unsigned part = 0; part < PARTS; part++)
        wide_add_int(&sums->parts_ns[part], parts_ns[part]);
}
