/* run.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "run.h"

#include "../program/program.h"
#include "parallel.h"
#include "preferences.h"
#include "say.h"

/* What --every prints: the tables of each block of `length_ns`, when its time has passed. */
struct blocks {
    struct outputs *outputs;
    int64_t length_ns; /* 0: there are none */
    int64_t from_ns;   /* where the block begins, if it has begun */
    bool has_begun;
};

/* What is read, and by whom. */
struct going {
    struct reading *reading;
    struct filter *filter; /* NULL: all passes */
    struct scan *scan;
    struct parallel *parallel; /* NULL: one thread */
    struct live *live;         /* NULL: there is none */
    struct blocks blocks;
    bool is_cut; /* a signal, or its user, has ended the reading */
};

/* Before a frame is taken: prints the block that ends before it. Of a time without frames there is none. */
static void
pass_block(struct blocks *blocks, const struct frame *frame)
{
    if (blocks->length_ns == 0 || !frame->has_time)
        return;
    if (!blocks->has_begun)
        blocks->from_ns = frame->time_ns;
    blocks->has_begun = true;
    int64_t passed_ns = frame->time_ns - blocks->from_ns;
    if (passed_ns < blocks->length_ns)
        return;
    outputs_print_block(blocks->outputs, blocks->from_ns, blocks->from_ns + blocks->length_ns);
    blocks->from_ns += passed_ns - passed_ns % blocks->length_ns;
}

/* The last one: true if there was one to print. */
static bool
finish_block(struct blocks *blocks)
{
    if (!blocks->has_begun)
        return false;
    outputs_print_block(blocks->outputs, blocks->from_ns, blocks->from_ns + blocks->length_ns);
    return true;
}

/* Tells the live view how much has been read; a few times a second where much is. */
static inline void
note_progress(const struct going *going)
{
    enum { FRAMES_A_LOOK = 4096 };
    if (going->live && scan_frames(going->scan) % FRAMES_A_LOOK == 0)
        live_note_progress(going->live, reading_done_bytes(going->reading), reading_all_bytes(going->reading));
}

/* Inline: as a call it took 2 % of a scan with one thread. */
static inline struct frame *
next_frame(void *data)
{
    const struct going *going = data;
    struct frame *frame = NULL;
    if (progress_is_due(scan_frames(going->scan)))
        progress_show(scan_frames(going->scan), reading_done_bytes(going->reading), reading_all_bytes(going->reading));
    note_progress(going);
    do {
        if (reading_is_interrupted())
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
            pass_block(&going->blocks, frame);
            scan_take(going->scan, frame);
        }
        scan_end(going->scan);
    }
    progress_clear();
    going->is_cut = reading_is_interrupted();
    if (going->live)
        live_wait(going->live);
    return done;
}

/* Whether not all was read that is there. */
static bool
was_interrupted(const struct going *going)
{
    if (!going->is_cut || reading_is_live(going->reading))
        return false;
    say("Interrupted; the tables show what was read.");
    return true;
}

static bool
finish(const struct job *job, struct going *going)
{
    bool interrupted = was_interrupted(going);
    bool printed = outputs_finish(job->outputs, finish_block(&going->blocks), job->paths);
    if (job->live)
        live_finish(job->live);
    return printed && !interrupted && !reading_has_failed(going->reading);
}

/* Reads with so many threads; `again` is set, and nothing printed, if only one can. */
static bool
read_with(const struct job *job, unsigned threads, bool *again)
{
    const struct settings *settings = preferences_settings();
    bool failed = false;
    struct going going = { .reading = reading_open(job->paths, job->threads > 1, &failed),
                           .filter = job->filter,
                           .live = job->live };
    *again = false;
    if (!going.reading)
        return false;
    if (reading_is_live(going.reading))
        threads = 1;
    going.scan = scan_new(settings, preferences_texts());
    scan_source(going.scan)->filter = job->filter ? filter_text(job->filter) : NULL;
    going.blocks = (struct blocks){ .outputs = job->outputs, .length_ns = job->every_ns };
    failed |= !outputs_begin(job->outputs, going.scan);
    if (job->live && !failed)
        failed = !live_begin(job->live, going.scan);
    if (threads > 1)
        going.parallel = parallel_new(threads, going.scan, job->outputs, settings);
    *again = !failed && !read_all(&going);
    failed |= !*again && !failed && !finish(job, &going);
    outputs_end(job->outputs);
    if (job->live)
        live_end(job->live);
    if (going.parallel)
        parallel_free(going.parallel);
    scan_free(going.scan);
    reading_close(going.reading);
    return !failed;
}

bool
run_files(const struct job *job)
{
    bool again;
    if (!program_may_print(job->paths) || !outputs_check(job->outputs, job->paths))
        return false;
    reading_catch_interrupt();
    bool can_join = job->every_ns == 0 && !job->live && outputs_can_join(job->outputs);
    bool done = read_with(job, can_join ? job->threads : 1, &again);
    return again ? read_with(job, 1, &again) : done;
}
