/* marks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "marks.h"

#include <inttypes.h>
#include <stdio.h>

#include "stages.h"

static void
join(struct mark *sum, const struct mark *mark)
{
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        sum->lost[stage] += mark->lost[stage];
    if (mark->one_in)
        sum->one_in = mark->one_in;
}

void
marks_add(struct marks *marks, const struct mark *mark)
{
    if (marks->count == MARKS)
        join(&marks->marks[(marks->begin + marks->count - 1) % MARKS], mark);
    else
        marks->marks[(marks->begin + marks->count++) % MARKS] = *mark;
}

bool
marks_take(struct marks *marks, uint64_t until_ns, struct mark *sum)
{
    bool taken = false;
    *sum = (struct mark){ 0 };
    for (; marks->count && marks->marks[marks->begin].time_ns <= until_ns; taken = true) {
        join(sum, &marks->marks[marks->begin]);
        marks->begin = (marks->begin + 1) % MARKS;
        marks->count--;
    }
    return taken;
}

void
mark_text(const struct mark *mark, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (enum stage stage = 0; stage < STAGE_COUNT && used < size; stage++)
        if (mark->lost[stage])
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " at %s",
                                     used ? ", " : "Lost: ", mark->lost[stage], stage_name(stage));
}
