/* run.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "run.h"

#include "blocks.h"
#include "core/util/output_check.h"
#include "interrupt.h"
#include "parallel.h"
#include "preferences.h"
#include "progress.h"
#include "say.h"
#include "texts.h"

/* What is read, and by whom. */
struct going {
    struct reading *reading;
    struct filter *filter; /* NULL: all passes */
    struct scan *scan;
    struct parallel *parallel; /* NULL: one thread */
    struct blocks blocks;
};

/* Inline: as a call it took 2 % of a scan with one thread. */
static inline struct frame *
next_frame(void *data)
{
    const struct going *going = data;
    struct frame *frame = NULL;
    if (progress_is_due(scan_frames(going->scan)))
        progress_show(scan_frames(going->scan), reading_done_bytes(going->reading), reading_all_bytes(going->reading));
    do {
        if (interrupt_has_come())
            return NULL;
        frame = reading_next(going->reading);
    } while (frame && going->filter && !filter_passes(going->filter, frame));
    return frame;
}

/* False if one thread must read it all. */
static bool
read_all(struct going *going)
{
    struct frame *frame;
    bool done = true;
    if (going->parallel) {
        done = parallel_run(going->parallel, next_frame, going);
    } else {
        while ((frame = next_frame(going))) {
            blocks_pass(&going->blocks, frame);
            scan_take(going->scan, frame);
        }
        scan_end(going->scan);
    }
    progress_clear();
    return done;
}

/* Whether not all was read that is there. */
static bool
was_interrupted(const struct reading *reading)
{
    if (!interrupt_has_come() || reading_is_live(reading))
        return false;
    say("Interrupted; the tables are of what was read.");
    return true;
}

static bool
finish(const struct job *job, struct going *going)
{
    bool interrupted = was_interrupted(going->reading);
    bool printed = outputs_finish(job->outputs, blocks_finish(&going->blocks), job->paths);
    return printed && !interrupted && !reading_has_failed(going->reading);
}

/* Reads with so many threads; `again` is set, and nothing printed, if only one can. */
static bool
read_with(const struct job *job, unsigned threads, bool *again)
{
    const struct settings *settings = preferences_settings();
    bool failed = false;
    struct going going = { .reading = reading_open(job->paths, &failed), .filter = job->filter };
    *again = false;
    if (!going.reading)
        return false;
    if (reading_is_live(going.reading))
        threads = 1;
    going.scan = scan_new(settings, texts());
    scan_source(going.scan)->filter = job->filter ? filter_text(job->filter) : NULL;
    going.blocks = (struct blocks){ .outputs = job->outputs, .length_ns = job->every_ns };
    failed |= !outputs_begin(job->outputs, going.scan);
    if (threads > 1)
        going.parallel = parallel_new(threads, going.scan, job->outputs, settings);
    *again = !failed && !read_all(&going);
    failed |= !*again && !failed && !finish(job, &going);
    outputs_end(job->outputs);
    if (going.parallel)
        parallel_free(going.parallel);
    scan_free(going.scan);
    reading_close(going.reading);
    return !failed;
}

/* False, having said why, if what is printed or written would go into one of the captures, or replace what is not ours.
 */
static bool
may_write(const struct job *job)
{
    char *refused = output_check_standard(job->paths, g_strv_length(job->paths));
    if (refused)
        say("%s", refused);
    g_free(refused);
    return !refused && written_check(outputs_written(job->outputs), job->paths);
}

bool
run_files(const struct job *job)
{
    bool again;
    if (!may_write(job))
        return false;
    interrupt_catch();
    bool can_join = job->every_ns == 0 && outputs_can_join(job->outputs);
    bool done = read_with(job, can_join ? job->threads : 1, &again);
    return again ? read_with(job, 1, &again) : done;
}
