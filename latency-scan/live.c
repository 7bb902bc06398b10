/* live.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "live.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include <wsutil/str_util.h>

#include "core/analysis.h"
#include "core/request/operation.h"
#include "core/util/output_file.h"
#include "ended.h"
#include "live_screen.h"
#include "live_table.h"
#include "say.h"
#include "table/observer.h"

/* What passes is looked at each second, and a file more often: it is read in a moment. */
enum { REFRESH_MS = 1000, REFRESH_FILE_MS = 250 };

enum { INTERRUPT_US = 20000, US_PER_MS = 1000, NS_PER_US = 1000, BEHIND_LEAST_S = 2 };

/* Where the capture is, as its reader writes it and the screen's thread reads it. */
struct so_far {
    _Atomic uint64_t frames;
    _Atomic int64_t start_ns, last_ns;
    _Atomic int64_t done_bytes, all_bytes;
    _Atomic bool has_ended;
};

/* The capture's clock, which goes on where no frame comes. */
struct view_clock {
    uint64_t frames;
    int64_t last_ns, at_us; /* the latest frame's time, and when it was seen */
    double behind_s;
};

struct live {
    struct live_capture capture;
    const struct settings *settings;
    struct so_far progress;
    /* Of the scan. */
    struct table_source *source;
    struct ended_requests *ended;
    struct observer observer;
    /* Of both threads. */
    GMutex lock; /* of the next three */
    struct live_rows rows;
    uint64_t again; /* requests that went on behind what was taken for their end */
    GString *said;  /* sentences, each on a line */
    /* Of the screen's thread. */
    GThread *thread;
    pthread_t reader;
    struct live_ui ui;
    struct live_view view;
    struct live_opened opened;
    struct view_clock clock;
    char *last_said; /* a copy of the last sentence, for the page that shows it */
};

/* A request that waits, and the rows in which that counts: they are there as long as it does. */
struct begun {
    struct live_row *rows[LIVE_BYS];
};

static struct live_keys
keys_of(const struct request *request, const char *operation, char *kind, char *folded)
{
    const struct connection *connection = request->connection;
    *kind = *folded = '\0';
    if (*operation) {
        operation_kind(operation, request->protocol, false, kind);
        operation_kind(operation, request->protocol, true, folded);
    }
    return (struct live_keys){ *connection_server(connection), connection->ipv6, kind, folded };
}

static void *
begin_request(void *data, const struct request *request)
{
    struct live *live = data;
    char kind[OPERATION_ROOM], folded[OPERATION_ROOM];
    if (tls_turn_role(request) != TLS_NONE || request->awaits_event)
        return NULL;
    const struct live_keys keys = keys_of(request, request->operation, kind, folded);
    struct begun *begun = g_new(struct begun, 1);
    g_mutex_lock(&live->lock);
    for (enum live_by by = 0; by < LIVE_BYS; by++) {
        begun->rows[by] = live_rows_find(&live->rows, by, &keys, request->first_ns);
        begun->rows[by]->open++;
        begun->rows[by]->last_ns = MAX(begun->rows[by]->last_ns, request->first_ns);
    }
    g_mutex_unlock(&live->lock);
    return begun;
}

/* One that still waits when the capture has been read stays open. */
static void
end_request(void *data, void *value, bool still_waits)
{
    struct live *live = data;
    struct begun *begun = value;
    if (!begun)
        return;
    g_mutex_lock(&live->lock);
    for (enum live_by by = 0; by < LIVE_BYS; by++)
        begun->rows[by]->open -= !still_waits;
    g_mutex_unlock(&live->lock);
    g_free(begun);
}

static void
take_ended(void *data, const struct ended *ended)
{
    struct live *live = data;
    const struct request *request = ended->request;
    const struct connection *connection = request->connection;
    const struct measured *measured = &ended->measured;
    const bool has_wait = measured->answered && measured->wait != WAIT_FOR_EVENT;
    char kind[OPERATION_ROOM], folded[OPERATION_ROOM];
    const struct live_request taken = {
        .client = request_client(request),
        .server = *connection_server(connection),
        .ipv6 = connection->ipv6,
        .is_udp = connection->is_datagrams || connection->tcp->quic,
        .is_answered = measured->answered,
        .has_failed = measured->failed,
        .has_wait = has_wait,
        .wait_ns = has_wait ? measured_wait_ns(measured) : 0,
        .ended_ns = measured->answered ? request->response.last_ns : live->source->last_ns,
        .number = request->number,
        .frame = request->first_frame,
        .connection = connection->number,
        .operation = ended->operation,
    };
    const struct live_keys keys = keys_of(request, ended->operation, kind, folded);
    const struct begun *begun = ended->begun;
    g_mutex_lock(&live->lock);
    if (ended->told_ns >= 0)
        live->again++;
    else
        live_rows_take(&live->rows, begun ? begun->rows : NULL, &keys, &taken, live->source->last_ns);
    g_mutex_unlock(&live->lock);
}

static void
note_frame(void *data, const int64_t *time_ns G_GNUC_UNUSED)
{
    struct live *live = data;
    struct so_far *progress = &live->progress;
    const uint64_t frames = atomic_load_explicit(&progress->frames, memory_order_relaxed);
    atomic_store_explicit(&progress->start_ns, live->source->start_ns, memory_order_relaxed);
    atomic_store_explicit(&progress->last_ns, live->source->last_ns, memory_order_relaxed);
    atomic_store_explicit(&progress->frames, frames + 1, memory_order_relaxed);
}

void
live_note_progress(struct live *live, int64_t done_bytes, int64_t all_bytes)
{
    atomic_store_explicit(&live->progress.done_bytes, done_bytes, memory_order_relaxed);
    atomic_store_explicit(&live->progress.all_bytes, all_bytes, memory_order_relaxed);
}

static void
take_sentence(void *data, const char *sentence)
{
    struct live *live = data;
    g_mutex_lock(&live->lock);
    g_string_append_printf(live->said, "%s\n", sentence);
    g_mutex_unlock(&live->lock);
}

struct live *
live_new(const struct live_capture *capture, char **wrong)
{
    *wrong = live_screen_refuse();
    if (*wrong)
        return NULL;
    struct live *live = g_new0(struct live, 1);
    live->capture = *capture;
    live->said = g_string_new(NULL);
    g_mutex_init(&live->lock);
    live_rows_open(&live->rows);
    return live;
}

void
live_free(struct live *live)
{
    live_rows_close(&live->rows);
    g_mutex_clear(&live->lock);
    g_string_free(live->said, TRUE);
    g_free(live->last_said);
    g_free(live);
}

/* Asks for the time that it is in the capture. */
static void
set_times(struct live *live)
{
    struct view_clock *clock = &live->clock;
    struct live_question *question = &live->ui.question;
    const uint64_t frames = atomic_load(&live->progress.frames);
    const int64_t last_ns = atomic_load(&live->progress.last_ns), now_us = g_get_monotonic_time();
    const bool goes_on = live->capture.is_passing && !atomic_load(&live->progress.has_ended);
    if (frames != clock->frames) {
        const double behind_s = (double)(g_get_real_time() * NS_PER_US - last_ns) / (double)LIVE_NS_PER_S;
        clock->behind_s = live->capture.is_of_now && behind_s >= BEHIND_LEAST_S ? behind_s : 0;
        clock->frames = frames;
        clock->last_ns = last_ns;
        clock->at_us = now_us;
    }
    question->begin_ns = atomic_load(&live->progress.start_ns);
    question->now_ns = clock->last_ns + (goes_on && frames > 0 ? (now_us - clock->at_us) * NS_PER_US : 0);
}

/* Makes the view again. `n`: how many rows, from the first on the screen on, have percentiles; UINT_MAX: all have. */
static void
refresh_view(struct live *live, unsigned n)
{
    struct live_question *question = &live->ui.question;
    set_times(live);
    question->from = n == UINT_MAX ? 0 : live->ui.from;
    question->n = n;
    live_view_clear(&live->view);
    g_mutex_lock(&live->lock);
    live_view_make(&live->view, &live->rows, question);
    g_mutex_unlock(&live->lock);
}

static void
refresh_opened(struct live *live)
{
    const struct live_ui *ui = &live->ui;
    live_opened_clear(&live->opened);
    g_mutex_lock(&live->lock);
    live_opened_make(&live->opened, &live->rows, &ui->question, &ui->opened, ui->has_opened_others);
    g_mutex_unlock(&live->lock);
}

static void
refresh(struct live *live, unsigned n)
{
    refresh_view(live, n);
    if (live->ui.mode == LIVE_OPENED)
        refresh_opened(live);
}

/* The last of the sentences. */
static const char *
last_said(struct live *live)
{
    g_mutex_lock(&live->lock);
    char *all = g_strchomp(g_strdup(live->said->str));
    g_mutex_unlock(&live->lock);
    const char *last = strrchr(all, '\n');
    g_free(live->last_said);
    live->last_said = g_strdup(last ? last + 1 : all);
    g_free(all);
    return live->last_said;
}

static void
draw(struct live *live)
{
    const int64_t all_bytes = atomic_load(&live->progress.all_bytes);
    const struct live_status status = {
        .name = live->capture.name,
        .frames = atomic_load(&live->progress.frames),
        .now_ns = live->view.now_ns,
        .done = all_bytes > 0 ? (double)atomic_load(&live->progress.done_bytes) / (double)all_bytes : -1,
        .behind_s = live->clock.behind_s,
        .has_ended = atomic_load(&live->progress.has_ended),
        .said = last_said(live),
        .slow_ns = live->settings->slow_ns,
    };
    struct page *page = page_new(live_screen_lines(), live_screen_columns(), live_screen_has_unicode());
    if (live->ui.mode == LIVE_HELP)
        page_show_help(page, &live->ui, &status);
    else if (live->ui.mode == LIVE_OPENED)
        page_show_opened(page, &live->ui, &live->opened, &status);
    else
        page_show_rows(page, &live->ui, &live->view, &status);
    live_screen_draw(page);
    page_free(page);
}

/* Writes what is shown into the file that has been entered, and says so, or why not. */
static void
write_lines(struct live *live)
{
    struct live_ui *ui = &live->ui;
    const char *path = ui->file->str;
    char *const *captures = live->capture.paths;
    char *refused = output_is_standard(path)
                        ? g_strdup("Name a file: the screen is the standard output.")
                        : output_check(path, OUTPUT_VIEW, captures, g_strv_length((char **)captures));
    if (refused) {
        live_ui_say(ui, refused);
        return;
    }
    if (!ui->is_paused)
        refresh(live, UINT_MAX);
    struct output_file *file = output_file_open(path, OUTPUT_VIEW);
    int error = file ? 0 : errno;
    if (file) {
        FILE *stream = output_file_stream(file);
        live_view_write(&live->view, &ui->question, stream);
        error = output_file_commit(file);
    }
    const unsigned n = live->view.order->len;
    live_ui_say(ui, error ? g_strdup_printf("\"%s\" cannot be written: %s.", path, g_strerror(error))
                          : g_strdup_printf("%u %s written to %s.", n, plurality(n, "row", "rows"), path));
}

/* Does what a key asks for; false if that is to leave. */
static bool
take_key(struct live *live, int key)
{
    struct live_ui *ui = &live->ui;
    const unsigned rows = page_rows(live_screen_lines());
    const bool was_paused = ui->is_paused;
    const enum live_action action = live_ui_take(ui, key, &live->view, rows);
    if (action == LIVE_DO_QUIT)
        return false;
    if (!ui->is_paused || !was_paused)
        refresh(live, ui->is_paused ? UINT_MAX : rows);
    else
        live_view_arrange(&live->view, &ui->question);
    if (action == LIVE_DO_SUSPEND)
        live_screen_suspend();
    else if (action == LIVE_DO_WRITE)
        write_lines(live);
    else if (action == LIVE_DO_OPEN)
        refresh_opened(live);
    live_ui_settle(ui, &live->view, rows);
    return true;
}

/* Shows what there is each second, and does what keys ask for, until one asks to leave. */
static void
run_screen(struct live *live)
{
    int64_t due_us = 0;
    int key;
    for (bool stays = true; stays && !reading_is_interrupted();) {
        const unsigned rows = page_rows(live_screen_lines());
        const int64_t now_us = g_get_monotonic_time();
        if (now_us >= due_us) {
            const bool is_seldom = live->capture.is_passing || atomic_load(&live->progress.has_ended);
            due_us = now_us + (is_seldom ? REFRESH_MS : REFRESH_FILE_MS) * US_PER_MS;
            if (!live->ui.is_paused)
                refresh(live, rows);
            live_ui_settle(&live->ui, &live->view, rows);
        }
        draw(live);
        stays = live_screen_key((int)MAX((due_us - g_get_monotonic_time()) / US_PER_MS + 1, 0), &key);
        if (stays && key != LIVE_KEY_NONE)
            stays = take_key(live, key);
    }
}

/* The reader may wait for a pipe: it is woken again and again, for it may be about to wait. */
static void
stop_reader(struct live *live)
{
    while (!atomic_load(&live->progress.has_ended)) {
        pthread_kill(live->reader, SIGINT);
        g_usleep(INTERRUPT_US);
    }
}

static void *
run_thread(void *data)
{
    struct live *live = data;
    sigset_t resize;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    pthread_sigmask(SIG_UNBLOCK, &resize, NULL);
    run_screen(live);
    live_view_clear(&live->view);
    live_opened_clear(&live->opened);
    live_screen_close();
    stop_reader(live);
    return NULL;
}

/* All signals are the reader's but for SIGWINCH, which is the screen's. */
static void
begin_thread(struct live *live)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    live->reader = pthread_self();
    live->thread = g_thread_new("screen", run_thread, live);
    sigaddset(&before, SIGWINCH);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool
live_begin(struct live *live, struct scan *scan)
{
    live->source = scan_source(scan);
    live->settings = live->source->settings;
    const struct ended_listener listener = {
        .data = live, .begun = begin_request, .over = end_request, .ended = take_ended, .early = true
    };
    live->ended = ended_requests_new(scan, &listener);
    live->observer = (struct observer){ .data = live, .frame = note_frame };
    observer_add(live->source, &live->observer);
    live->source->analysis->requests.hides_operations = false;
    live->source->analysis->hides_sightings = false;
    live_ui_open(&live->ui, live->capture.is_passing ? LIVE_LAST_10_S : LIVE_WHOLE, live->settings->fold_numbers);
    if (!live_screen_open()) {
        say("The terminal cannot be used.");
        return false;
    }
    reading_catch_all();
    say_hold(take_sentence, live);
    refresh(live, 0);
    begin_thread(live);
    return true;
}

void
live_wait(struct live *live)
{
    if (!live->thread)
        return;
    ended_requests_finish(live->ended);
    atomic_store(&live->progress.has_ended, true);
    g_thread_join(live->thread);
    live->thread = NULL;
    reading_catch_interrupt();
    live_ui_close(&live->ui);
    say_hold(NULL, NULL);
    for (char *line = live->said->str, *end; (end = strchr(line, '\n')); line = end + 1)
        say("%.*s", (int)(end - line), line);
    if (live->again > 0)
        say("%" PRIu64 " %s on after %d s without a byte, or behind the next request: the live view had less of %s.",
            live->again, plurality(live->again, "response went", "responses went"), ENDED_SILENCE_S,
            plurality(live->again, "it", "them"));
}

void
live_finish(struct live *live)
{
    if (!live->capture.prints)
        return;
    const struct live_question question = {
        .by = LIVE_BY_SERVER,
        .window = LIVE_WHOLE,
        .filter = "",
        .begin_ns = live->source->start_ns,
        .now_ns = live->source->last_ns,
        .n = UINT_MAX,
    };
    struct live_view view;
    live_view_make(&view, &live->rows, &question);
    live_table_print(&view, live->source);
    live_view_clear(&view);
}

void
live_end(struct live *live)
{
    if (!live->ended)
        return;
    observer_remove(live->source, &live->observer);
    ended_requests_free(live->ended);
    live->ended = NULL;
}
