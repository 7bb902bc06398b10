/* figures.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "figures.h"

#include <inttypes.h>
#include <math.h>

#include "call_figures.h"
#include "json/export_line.h"

static void
add_uint(struct line *line, uint64_t number)
{
    json_dumper_value_anyf(&line->dumper, "%" PRIu64, number);
}

/* A number that may be none. */
static void
write_number(struct line *line, const char *name, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    json_dumper_set_member_name(&line->dumper, name);
    json_dumper_value_anyf(&line->dumper, "%s",
                           isnan(number) ? "null" : g_ascii_formatd(text, sizeof text, "%.17g", number));
}

/* A time since 1970, as a text: a double does not hold it. */
static void
write_moment(struct line *line, const char *name, int64_t ns)
{
    char text[24];
    g_snprintf(text, sizeof text, "%" PRId64, ns);
    line_text(line, name, text);
}

/* Ten points for each nine of 90 %, 99 %, …, as far as there are as many values. */
static void
write_curve(struct line *line, const struct sample *times)
{
    enum { POINTS = 10, NINES = 4 };
    const unsigned n = sample_count(times);
    line_array(line, "curve");
    for (unsigned i = 0; i <= POINTS * NINES; i++) {
        double share = 1 - pow(10, -(double)i / POINTS);
        if (i > 0 && (1 - share) * n < 0.999)
            break;
        line_array(line, NULL);
        add_uint(line, i);
        json_dumper_value_anyf(&line->dumper, "%.0f", description_percentile(share, n, sample_value, times));
        line_end_array(line);
    }
    line_end_array(line);
}

/* Writes the buckets that have any, each with its count. */
static void
write_buckets(struct line *line, const uint64_t counts[BUCKETS])
{
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        if (counts[bucket] == 0)
            continue;
        line_array(line, NULL);
        add_uint(line, bucket);
        add_uint(line, counts[bucket]);
        line_end_array(line);
    }
}

/* Writes the moment, its first bucket that has any, and the counts from there to the last that has any; nothing if none
 * has. */
static void
write_heat_of(struct line *line, unsigned moment, const uint64_t counts[BUCKETS])
{
    unsigned first = 0, end = BUCKETS;
    while (first < end && counts[first] == 0)
        first++;
    while (end > first && counts[end - 1] == 0)
        end--;
    if (first == end)
        return;
    line_array(line, NULL);
    add_uint(line, moment);
    add_uint(line, first);
    for (unsigned bucket = first; bucket < end; bucket++)
        add_uint(line, counts[bucket]);
    line_end_array(line);
}

static void
write_cells(struct line *line, const GArray *cells, unsigned n_moments)
{
    uint64_t(*counts)[BUCKETS] = g_malloc0_n(n_moments, sizeof *counts);
    for (unsigned i = 0; i < cells->len; i++) {
        const uint16_t cell = g_array_index(cells, uint16_t, i);
        counts[cell / BUCKETS][cell % BUCKETS]++;
    }
    line_array(line, "heat");
    for (unsigned moment = 0; moment < n_moments; moment++)
        write_heat_of(line, moment, counts[moment]);
    line_end_array(line);
    g_free(counts);
}

static void
count_time(void *data, double time_ns, uint64_t count)
{
    uint64_t *counts = data;
    counts[time_axis_bucket((int64_t)time_ns)] += count;
}

static void
write_histogram(struct line *line, const struct sample *times)
{
    uint64_t counts[BUCKETS] = { 0 };
    sample_each(times, count_time, counts);
    line_array(line, "histogram");
    write_buckets(line, counts);
    line_end_array(line);
}

/* The moment, how many requests began then, and their sums. */
static void
write_stage_sums(struct line *line, const struct stage_sums *sums, unsigned n)
{
    line_array(line, "stages");
    for (unsigned i = 0; i < n; i++) {
        if (sums[i].requests == 0)
            continue;
        line_array(line, NULL);
        add_uint(line, i);
        add_uint(line, sums[i].requests);
        for (unsigned part = 0; part < PARTS; part++)
            json_dumper_value_anyf(&line->dumper, "%.0f", wide_double(sums[i].parts_ns[part]));
        line_end_array(line);
    }
    line_end_array(line);
}

/* How many requests there are of each kind, and how long they took. */
static void
write_sums(struct line *line, struct gathered *gathered, double all_ns)
{
    struct tally_summary summary;
    tally_summarize(&gathered->tally, &summary);
    const struct description *time = &summary.duration;
    line_uint(line, "requests", summary.requests);
    line_uint(line, "unanswered", summary.unanswered);
    line_uint(line, "inFlight", gathered->tally.waiting);
    line_uint(line, "errors", summary.errors);
    line_uint(line, "bytes", summary.response_bytes);
    write_number(line, "waited", summary.wait);
    write_number(line, "share", all_ns > 0 ? summary.wait / all_ns : 0);
    line_uint(line, "durations", time->count);
    line_uint(line, "streams", gathered->tally.streams);
    line_uint(line, "longPolls", gathered->tally.long_polls);
    write_number(line, "mean", time->mean);
    write_number(line, "p50", time->p50);
    write_number(line, "p95", time->p95);
    write_number(line, "p99", time->p99);
    write_number(line, "max", time->max);
    write_number(line, "firstByte", summary.first_byte.mean);
    write_number(line, "serverTime", summary.server_time);
    line_uint(line, "serverTimes", summary.server_times);
}

/* Rows in the order in which the page has them, and what they are rows of. */
struct shown {
    struct groups *all;
    const GArray *order;
    unsigned n, n_moments;
    double all_ns;
};

static struct gathered *
shown_at(const struct shown *shown, unsigned i)
{
    return groups_value(shown->all, g_array_index(shown->order, unsigned, i));
}

/* Writes where the row stands that this one waits for, if it is shown. */
static void
write_waits_for(struct line *line, const struct shown *shown, const struct gathered *gathered)
{
    for (unsigned i = 0; i < shown->n && gathered->waits_for; i++)
        if (shown_at(shown, i) == gathered->waits_for)
            line_uint(line, "waitsFor", i);
}

static void
write_gathered(struct line *line, const struct shown *shown, unsigned i)
{
    struct gathered *gathered = shown_at(shown, i);
    const struct group_key *key = groups_key(shown->all, g_array_index(shown->order, unsigned, i));
    char *server = endpoint_text(&key->server, key->ipv6);
    json_dumper_begin_object(&line->dumper);
    line_text(line, "server", server);
    if (!gathered->is_server)
        line_text(line, "operation", key->kind);
    write_sums(line, gathered, shown->all_ns);
    write_waits_for(line, shown, gathered);
    const struct sample *durations = tally_durations(&gathered->tally);
    if (sample_count(durations) > 0 && (gathered->is_server || i < OPERATIONS_DRAWN)) {
        write_curve(line, durations);
        if (gathered->is_server)
            write_histogram(line, durations);
        else
            write_cells(line, gathered->cells, shown->n_moments);
    }
    if (gathered->stages)
        write_stage_sums(line, gathered->stages, shown->n_moments);
    json_dumper_end_object(&line->dumper);
    g_free(server);
}

static wide
waited_in_all(struct groups *all)
{
    wide sum_ns = wide_of(0);
    for (unsigned row = 0; row < groups_count(all); row++)
        wide_add(&sum_ns, tally_wait_ns(&((const struct gathered *)groups_value(all, row))->tally));
    return sum_ns;
}

static void
write_all_gathered(struct line *line, const char *name, struct groups *all, unsigned most, unsigned n_moments)
{
    GArray *order = gathered_in_order(all);
    const struct shown shown = { all, order, MIN(order->len, most), n_moments, wide_double(waited_in_all(all)) };
    line_array(line, name);
    for (unsigned i = 0; i < shown.n; i++)
        write_gathered(line, &shown, i);
    line_end_array(line);
    g_array_free(order, TRUE);
}

/* Writes how many requests there are in all, and how long their clients waited: all, and those that are no servers. */
static void
write_waiting(struct line *line, const struct request_figures *requests)
{
    uint64_t n = 0, unanswered = 0, in_flight = 0, errors = 0, streams = 0, long_polls = 0;
    for (unsigned row = 0; row < groups_count(requests->servers); row++) {
        const struct tally *tally = &((const struct gathered *)groups_value(requests->servers, row))->tally;
        n += tally->requests;
        unanswered += tally_unanswered(tally);
        in_flight += tally->waiting;
        errors += tally->errors;
        streams += tally->streams;
        long_polls += tally->long_polls;
    }
    line_object(line, "all");
    line_uint(line, "requests", n);
    line_uint(line, "unanswered", unanswered);
    line_uint(line, "inFlight", in_flight);
    line_uint(line, "errors", errors);
    line_uint(line, "streams", streams);
    line_uint(line, "longPolls", long_polls);
    write_number(line, "waited", wide_double(waited_in_all(requests->servers)));
    write_number(line, "outermost", wide_double(request_figures_outermost(requests)));
    line_end_object(line);
}

static void
write_time(struct line *line, const struct time_axis *time)
{
    line_array(line, "heat");
    for (unsigned i = 0; i < time->n; i++)
        write_heat_of(line, i, time->moments[i].buckets);
    line_end_array(line);
    line_array(line, "moments");
    for (unsigned i = 0; i < time->n; i++) {
        const struct moment *moment = &time->moments[i];
        line_array(line, NULL);
        add_uint(line, moment->requests);
        add_uint(line, moment->errors);
        add_uint(line, moment->unanswered);
        add_uint(line, moment->bytes);
        line_end_array(line);
    }
    line_end_array(line);
}

static void
write_slow_request(struct line *line, const struct slow_request *slow)
{
    json_dumper_begin_object(&line->dumper);
    line_text(line, "client", slow->client);
    line_text(line, "server", slow->server);
    line_text(line, "operation", slow->operation);
    line_text(line, "status", slow->status);
    line_text(line, "outcome", slow->outcome);
    line_uint(line, "file", slow->file);
    line_uint(line, "number", slow->number);
    line_uint(line, "frame", slow->frame);
    write_moment(line, "time", slow->slow.begin_ns);
    line_time(line, "duration", slow->slow.ns);
    line_time(line, "firstByte", slow->first_byte_ns);
    if (slow->is_stream)
        line_true(line, "stream");
    line_time(line, "service", slow->service_ns);
    line_time(line, "serverTime", slow->server_time_ns);
    line_time(line, "asking", slow->request_spread_ns);
    line_time(line, "answering", slow->transfer_ns);
    line_time(line, "connect", slow->connect_ns);
    line_time(line, "handshake", slow->handshake_ns);
    for (unsigned part = 0; part < PARTS && slow->stages.parts_ns[0] >= 0; part++)
        line_time(line, part_name(part), slow->stages.parts_ns[part]);
    json_dumper_end_object(&line->dumper);
}

static void
write_slow_channel(struct line *line, const struct slow_channel *slow)
{
    json_dumper_begin_object(&line->dumper);
    line_text(line, "type", slow->type);
    line_text(line, "pv", slow->pv);
    line_text(line, "client", slow->client);
    line_text(line, "server", slow->server);
    line_text(line, "outcome", slow->outcome);
    line_text(line, "reason", slow->reason);
    line_uint(line, "file", slow->file);
    line_uint(line, "frame", slow->frame);
    write_moment(line, "time", slow->slow.begin_ns);
    line_time(line, "took", slow->slow.ns);
    for (unsigned phase = 0; phase < PHASES; phase++)
        line_time(line, phase_names[phase], slow->phases_ns[phase]);
    json_dumper_end_object(&line->dumper);
}

static void
write_counted(struct line *line, const struct counted_list *list)
{
    const struct counted_members *members = &counted_members[list->kind];
    line_array(line, members->list);
    for (unsigned i = 0; i < MIN(list->all->len, members->most); i++) {
        const struct counted *counted = g_ptr_array_index(list->all, i);
        json_dumper_begin_object(&line->dumper);
        for (unsigned text = 0; text < TEXTS_MOST && members->texts[text]; text++)
            line_text(line, members->texts[text], counted->texts[text]);
        if (members->has_server)
            line_text(line, "server", counted->server);
        for (unsigned count = 0; count < COUNTS_MOST && members->counts[count]; count++)
            line_uint(line, members->counts[count], counted->counts[count]);
        json_dumper_end_object(&line->dumper);
    }
    line_end_array(line);
}

static void
write_names(struct line *line, const GPtrArray *names)
{
    line_array(line, "files");
    for (unsigned i = 0; i < names->len; i++)
        line_value(line, g_ptr_array_index(names, i));
    line_end_array(line);
}

/* How many there are of what the page may have too many to show. */
static void
write_in_all(struct line *line, const struct gathering *gathering)
{
    line_object(line, "inAll");
    line_uint(line, "servers", groups_count(gathering->requests.servers));
    line_uint(line, "operations", groups_count(gathering->requests.operations));
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        line_uint(line, counted_members[kind].list, gathering->counted[kind].all->len);
    line_end_object(line);
}

GString *
figures_new(struct gathering *gathering, const GPtrArray *names)
{
    const struct request_figures *requests = &gathering->requests;
    const struct channels *channels = &gathering->channels;
    struct line line = { .dumper = { .output_string = g_string_new(NULL) } };
    json_dumper_begin_object(&line.dumper);
    write_moment(&line, "first", requests->time.first_ns);
    write_moment(&line, "last", requests->time.last_ns);
    line_int(&line, "moment", requests->time.moment_ns);
    line_int(&line, "bucketsOfTen", BUCKETS_OF_TEN);
    write_names(&line, names);
    write_waiting(&line, requests);
    write_all_gathered(&line, "servers", requests->servers, SERVERS_SHOWN, requests->time.n);
    write_all_gathered(&line, "operations", requests->operations, OPERATIONS_SHOWN, requests->time.n);
    write_time(&line, &requests->time);
    line_array(&line, "slowest");
    for (unsigned i = 0; i < requests->slowest->len; i++)
        write_slow_request(&line, g_ptr_array_index(requests->slowest, i));
    line_end_array(&line);
    line_array(&line, "channels");
    for (unsigned i = 0; i < channels->slowest->len; i++)
        write_slow_channel(&line, g_ptr_array_index(channels->slowest, i));
    line_end_array(&line);
    line_array(&line, "neverConnected");
    for (unsigned i = 0; i < channels->never->len; i++)
        write_slow_channel(&line, g_ptr_array_index(channels->never, i));
    line_end_array(&line);
    for (unsigned kind = 0; kind < COUNTED_KINDS; kind++)
        write_counted(&line, &gathering->counted[kind]);
    write_in_all(&line, gathering);
    call_figures_write(&line, requests);
    json_dumper_end_object(&line.dumper);
    json_dumper_finish(&line.dumper);
    return line.dumper.output_string;
}
