/* page.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "parts.h"

/* A number that may be none. */
static void
write_number(FILE *file, const char *name, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    fprintf(file, ",\"%s\":%s", name, isnan(number) ? "null" : g_ascii_formatd(text, sizeof text, "%.17g", number));
}

static void
write_count(FILE *file, const char *name, uint64_t count)
{
    fprintf(file, ",\"%s\":%" PRIu64, name, count);
}

static void
write_time(FILE *file, const char *name, int64_t ns)
{
    if (ns >= 0)
        fprintf(file, ",\"%s\":%" PRId64, name, ns);
}

/* A text that is JSON's already; a script's end within it must not end ours. */
static void
write_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\":\"", name);
    for (; *text; text++) {
        if (*text == '<')
            fputs("\\u003c", file);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

/* The value below which this share of the sorted ones lies, as the tables' percentiles. */
static double
value_at(const GArray *sorted, double share)
{
    double rank = share * (sorted->len - 1);
    unsigned below = (unsigned)rank;
    double low = (double)g_array_index(sorted, int64_t, below);
    double high = (double)g_array_index(sorted, int64_t, MIN(below + 1, sorted->len - 1));
    return low + (high - low) * (rank - below);
}

/* Ten points for each nine of 90 %, 99 %, …, as far as there are as many values. */
static void
write_curve(FILE *file, const GArray *sorted)
{
    enum { POINTS = 10, NINES = 4 };
    fputs(",\"curve\":[", file);
    for (unsigned i = 0; i <= POINTS * NINES; i++) {
        double share = 1 - pow(10, -(double)i / POINTS);
        if (i > 0 && (1 - share) * sorted->len < 0.999)
            break;
        fprintf(file, "%s[%u,%.0f]", i ? "," : "", i, value_at(sorted, share));
    }
    fputs("]", file);
}

static void
write_histogram(FILE *file, const GArray *sorted)
{
    uint64_t counts[BUCKETS] = { 0 };
    for (unsigned i = 0; i < sorted->len; i++)
        counts[gathering_bucket(g_array_index(sorted, int64_t, i))]++;
    fputs(",\"histogram\":[", file);
    const char *before = "";
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
        if (counts[bucket] == 0)
            continue;
        fprintf(file, "%s[%u,%" PRIu64 "]", before, bucket, counts[bucket]);
        before = ",";
    }
    fputs("]", file);
}

static void
write_gathered(FILE *file, struct gathered *gathered, wide all_ns)
{
    struct tally_summary summary;
    tally_summarize(&gathered->tally, &summary);
    const struct description *time = &summary.first_byte;
    fputc('{', file);
    write_text(file, "server", gathered->server);
    if (gathered->kind) {
        fputc(',', file);
        write_text(file, "operation", gathered->kind);
    }
    write_count(file, "requests", summary.requests);
    write_count(file, "unanswered", summary.unanswered);
    write_count(file, "errors", summary.errors);
    write_count(file, "bytes", summary.response_bytes);
    write_number(file, "share", all_ns > 0 ? (double)gathered->tally.first_byte.moments.sum / (double)all_ns : 0);
    write_number(file, "mean", time->mean);
    write_number(file, "p50", time->p50);
    write_number(file, "p95", time->p95);
    write_number(file, "p99", time->p99);
    write_number(file, "max", time->max);
    write_number(file, "serverTime", summary.server_time);
    write_count(file, "serverTimes", summary.server_times);
    if (gathered->times && gathered->times->len > 0) {
        write_curve(file, gathered->times);
        write_histogram(file, gathered->times);
    }
    fputc('}', file);
}

static void
write_all_gathered(FILE *file, const char *name, const GPtrArray *all, unsigned most)
{
    wide all_ns = 0;
    for (unsigned i = 0; i < all->len; i++)
        all_ns += ((const struct gathered *)g_ptr_array_index(all, i))->tally.first_byte.moments.sum;
    fprintf(file, ",\n\"%s\":[", name);
    for (unsigned i = 0; i < MIN(all->len, most); i++) {
        fputs(i ? ",\n" : "\n", file);
        write_gathered(file, g_ptr_array_index(all, i), all_ns);
    }
    fprintf(file, "],\n\"%sInAll\":%u", name, all->len);
}

static void
write_moments(FILE *file, const struct gathering *gathering)
{
    const char *before = "";
    fputs(",\n\"heat\":[", file);
    for (unsigned i = 0; i < gathering->n_moments; i++)
        for (unsigned bucket = 0; bucket < BUCKETS; bucket++) {
            if (gathering->moments[i].buckets[bucket] == 0)
                continue;
            fprintf(file, "%s[%u,%u,%" PRIu64 "]", before, i, bucket, gathering->moments[i].buckets[bucket]);
            before = ",";
        }
    fputs("],\n\"moments\":[", file);
    for (unsigned i = 0; i < gathering->n_moments; i++) {
        const struct moment *moment = &gathering->moments[i];
        fprintf(file, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "", moment->requests,
                moment->errors, moment->unanswered, moment->bytes);
    }
    fputs("]", file);
}

static void
write_slowest(FILE *file, const GPtrArray *slowest)
{
    fputs(",\n\"slowest\":[", file);
    for (unsigned i = 0; i < slowest->len; i++) {
        const struct slow_request *slow = g_ptr_array_index(slowest, i);
        fputs(i ? ",\n{" : "\n{", file);
        write_text(file, "client", slow->client);
        fputc(',', file);
        write_text(file, "server", slow->server);
        fputc(',', file);
        write_text(file, "operation", slow->operation);
        fputc(',', file);
        write_text(file, "status", slow->status);
        fputc(',', file);
        write_text(file, "outcome", slow->outcome);
        write_count(file, "file", slow->file);
        write_count(file, "number", slow->number);
        write_count(file, "frame", slow->frame);
        fprintf(file, ",\"time\":\"%" PRId64 "\"", slow->time_ns);
        write_time(file, "firstByte", slow->first_byte_ns);
        write_time(file, "service", slow->service_ns);
        write_time(file, "serverTime", slow->server_time_ns);
        write_time(file, "asking", slow->request_spread_ns);
        write_time(file, "answering", slow->response_spread_ns);
        fputc('}', file);
    }
    fputs("]", file);
}

static void
write_attempted(FILE *file, const GPtrArray *all)
{
    fputs(",\n\"attempts\":[", file);
    for (unsigned i = 0; i < MIN(all->len, PATHS_SHOWN); i++) {
        const struct attempted *attempted = g_ptr_array_index(all, i);
        fputs(i ? ",\n{" : "\n{", file);
        write_text(file, "server", attempted->server);
        write_count(file, "attempts", attempted->attempts);
        write_count(file, "accepted", attempted->accepted);
        write_count(file, "refused", attempted->refused);
        write_count(file, "unreachable", attempted->unreachable);
        write_count(file, "unanswered", attempted->unanswered);
        fputc('}', file);
    }
    fprintf(file, "],\n\"attemptsInAll\":%u", all->len);
}

static void
write_sent(FILE *file, const GPtrArray *all)
{
    fputs(",\n\"paths\":[", file);
    for (unsigned i = 0; i < MIN(all->len, PATHS_SHOWN); i++) {
        const struct sent *sent = g_ptr_array_index(all, i);
        fputs(i ? ",\n{" : "\n{", file);
        write_text(file, "sender", sent->sender);
        fputc(',', file);
        write_text(file, "server", sent->server);
        write_count(file, "frames", sent->frames);
        write_count(file, "gaps", sent->gaps);
        write_count(file, "outOfOrder", sent->out_of_order);
        write_count(file, "retransmitted", sent->retransmitted);
        fputc('}', file);
    }
    fprintf(file, "],\n\"pathsInAll\":%u", all->len);
}

static void
write_figures(FILE *file, struct gathering *gathering, const GPtrArray *paths)
{
    fprintf(file, "{\"first\":\"%" PRId64 "\",\"last\":\"%" PRId64 "\",\"moment\":%" PRId64 ",\"bucketsOfTen\":%d",
            gathering->first_ns, gathering->last_ns, gathering->moment_ns, BUCKETS_OF_TEN);
    fputs(",\"files\":[", file);
    for (unsigned i = 0; i < paths->len; i++) {
        char *name = g_path_get_basename(g_ptr_array_index(paths, i));
        char *shown = g_utf8_make_valid(name, -1);
        char *escaped = g_strescape(shown, shown);
        fputs(i ? ",{" : "{", file);
        write_text(file, "name", escaped);
        fputc('}', file);
        g_free(name);
        g_free(shown);
        g_free(escaped);
    }
    fputs("]", file);
    write_all_gathered(file, "servers", gathering->servers, SERVERS_SHOWN);
    write_all_gathered(file, "operations", gathering->operations, OPERATIONS_SHOWN);
    write_moments(file, gathering);
    write_slowest(file, gathering->slowest);
    write_attempted(file, gathering->attempted);
    write_sent(file, gathering->sent);
    fputs("}\n", file);
}

static void
write_part(FILE *file, const struct part *part)
{
    fwrite(part->begin, 1, (size_t)(part->end - part->begin), file);
}

void
page_write(struct gathering *gathering, const GPtrArray *paths, FILE *file)
{
    write_part(file, &part_head);
    fputs("<style>\n", file);
    write_part(file, &part_style);
    fputs("</style>\n", file);
    write_part(file, &part_body);
    fputs("<script type=\"application/json\" id=\"figures\">\n", file);
    write_figures(file, gathering, paths);
    fputs("</script>\n<script>\n", file);
    write_part(file, &part_library);
    fputs("</script>\n<script>\n", file);
    write_part(file, &part_drawing);
    fputs("</script>\n</body>\n</html>\n", file);
}
