/* summary_waits.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "summary_waits.h"

#include <inttypes.h>
#include <math.h>

#include <wsutil/str_util.h>

#include "names.h"
#include "call_name.h"
#include "summary_texts.h"
#include "text_number.h"

enum { SHOWN_PROTOCOLS = 4, SHOWN_FAILING = 2, SHOWN_STATUSES = 3, SHOWN_QUEUED = 2 };

void
summary_add(const struct table_source *source, struct summary_lines *lines, enum summary_importance importance,
            GString *text, const char *table)
{
    char *command = table ? g_strconcat(source->texts->command, table, NULL) : NULL;
    summary_lines_add(lines, importance, text->str, command);
    g_free(command);
    g_string_free(text, TRUE);
}

static const char *
protocol_word(unsigned protocol)
{
    return protocol == PROTOCOL_TURNS ? "of no known protocol" : protocol_name(protocol);
}

void
summary_waits_write_protocols(const struct causes *causes, GString *text)
{
    uint64_t counts[PROTOCOL_COUNT] = { 0 }, rest = causes->all.requests;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    for (uint32_t i = 0; i < causes->n_operations; i++)
        counts[calls_operation(causes->calls, i)->framing] += causes->operations[i].requests;
    for (unsigned shown = 0; rest > 0; shown++) {
        unsigned most = 0;
        for (unsigned protocol = 1; protocol < PROTOCOL_COUNT; protocol++)
            if (counts[protocol] > counts[most])
                most = protocol;
        const bool is_last = shown == SHOWN_PROTOCOLS;
        const uint64_t count = is_last ? rest : counts[most];
        if (count == causes->all.requests)
            g_string_append_printf(text, "all" SUMMARY_BLANK "%s", protocol_word(most));
        else
            g_string_append_printf(text, "%s%s" SUMMARY_BLANK "%s", shown > 0 ? ", " : "",
                                   number_grouped(scope, (double)count), is_last ? "others" : protocol_word(most));
        rest -= count;
        counts[most] = 0;
    }
    wmem_destroy_allocator(scope);
}

static void
add_waiting(const struct summary_waits *waits, struct summary_lines *lines, wmem_allocator_t *scope)
{
    const struct causes *causes = waits->causes;
    const double span_ns = (double)(waits->source->last_ns - waits->source->start_ns);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "Clients waited %s for %s%s", summary_time(scope, causes->all.own_ns),
                           summary_count(scope, causes->all.answered, "answer", "answers"),
                           causes->told > 0 ? ", counting nested waits once" : "");
    if (span_ns > 0)
        g_string_append_printf(text, "; some request was outstanding %s of the time",
                               summary_share(scope, causes->busy_ns, span_ns));
    g_string_append_c(text, '.');
    summary_add(waits->source, lines, SUMMARY_WAITING, text, NULL);
}

static void
write_caller(const struct summary_waits *waits, const struct first_cause *first, wmem_allocator_t *scope, GString *text)
{
    const struct causes *causes = waits->causes;
    if (first->caller_ns <= 0 || first->caller == first->operation)
        return;
    const double whole_ns = causes->operations[first->caller].duration_ns;
    g_string_append_printf(text, " %s waits for it %s of its time.",
                           summary_operation(scope, waits->source, calls_operation(causes->calls, first->caller)),
                           summary_share(scope, first->caller_ns, whole_ns));
}

static void
add_cause(const struct summary_waits *waits, struct summary_lines *lines, unsigned rank, wmem_allocator_t *scope)
{
    static const enum summary_importance importance[] = { SUMMARY_CAUSE_FIRST, SUMMARY_CAUSE_SECOND,
                                                          SUMMARY_CAUSE_THIRD };
    const struct causes *causes = waits->causes;
    const struct first_cause *first = &causes->first[rank];
    const struct cause *cause = &causes->operations[first->operation];
    const bool calls_others = cause->duration_ns > cause->own_ns;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%u. %s: %s of the waiting", rank + 1,
                           summary_operation(scope, waits->source, calls_operation(causes->calls, first->operation)),
                           summary_share(scope, cause->own_ns, causes->all.own_ns));
    if (rank == 0)
        g_string_append_printf(text, " (%s of %s)", summary_time(scope, cause->own_ns),
                               summary_time(scope, causes->all.own_ns));
    else
        g_string_append_printf(text, " (%s)", summary_time(scope, cause->own_ns));
    if (cause->answered > 1)
        g_string_append_printf(text, ", %s %s", summary_count(scope, cause->answered, "time", "times"),
                               summary_time(scope, cause->own_ns / (double)cause->answered));
    g_string_append(text, calls_others ? ", not counting what it waits for." : ".");
    write_caller(waits, first, scope, text);
    summary_add(waits->source, lines, importance[rank], text,
                rank + 1 == causes->n_first ? "latency,operations" : NULL);
}

/* Returns the operation of that server, less than `below_ns` of whose time has passed while another was served, that
 * has most of it; NULL if none has much of its time. */
static const struct cause *
most_queued(const struct causes *causes, const struct endpoint *server, double below_ns)
{
    const struct cause *found = NULL;
    for (uint32_t i = 0; i < causes->n_operations; i++) {
        const struct cause *cause = &causes->operations[i];
        if (cause->queued_ns >= below_ns || cause->queued_ns * CAUSES_SERVER_PART < cause->own_ns ||
            cause->queued_ns <= (found ? found->queued_ns : 0) ||
            !endpoint_equal(&calls_operation(causes->calls, i)->server, server))
            continue;
        found = cause;
    }
    return found;
}

static void
write_queued(const struct summary_waits *waits, const struct served *served, wmem_allocator_t *scope, GString *text)
{
    const struct causes *causes = waits->causes;
    const struct call_operation *blocking = calls_operation(causes->calls, served->blocking);
    double below_ns = INFINITY;
    for (unsigned shown = 0; shown < SHOWN_QUEUED; shown++) {
        const struct cause *cause = most_queued(causes, &blocking->server, below_ns);
        if (!cause)
            break;
        const struct call_operation *operation = calls_operation(causes->calls, cause->operation);
        const bool is_itself = cause->operation == served->blocking;
        if (shown == 0)
            g_string_append_printf(text, " While it served %s%s", is_itself ? "another " : "",
                                   summary_kind(scope, blocking));
        g_string_append_printf(text, ", %s waited %s of its %s", summary_kind(scope, operation),
                               summary_time(scope, cause->queued_ns), summary_time(scope, cause->own_ns));
        below_ns = cause->queued_ns;
    }
    g_string_append_c(text, '.');
}

/* Returns the server that serves one request at a time where requests waited longest for others; NULL for none. */
static const struct served_server *
most_queued_server(const struct causes *causes)
{
    const struct served_server *found = NULL;
    for (unsigned i = 0; i < causes->servers->len; i++) {
        const struct served_server *server = &g_array_index(causes->servers, struct served_server, i);
        if (!found || server->queued_ns > found->queued_ns)
            found = server;
    }
    return found;
}

/* Says what the rule *one at a time* of served.h is based on. */
static void
add_served(const struct summary_waits *waits, struct summary_lines *lines, wmem_allocator_t *scope)
{
    const struct served_server *server = most_queued_server(waits->causes);
    if (!server)
        return;
    const struct served *served = &server->served;
    const struct call_operation *blocking = calls_operation(waits->causes->calls, served->blocking);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s serves one request at a time: of %s that came while it served another, ",
                           summary_server(scope, waits->source, &blocking->server, blocking->ipv6),
                           summary_count(scope, served->behind, "request", "requests"));
    if (served->overtook > 0)
        g_string_append_printf(text, "%" PRIu64 " %s answered before that one.", served->overtook,
                               plurality(served->overtook, "was", "were"));
    else
        g_string_append(text, "none was answered before that one.");
    write_queued(waits, served, scope, text);
    summary_add(waits->source, lines, SUMMARY_SERVED, text, "latency,requests");
}

static void
add_untold(const struct summary_waits *waits, struct summary_lines *lines, wmem_allocator_t *scope)
{
    const struct causes *causes = waits->causes;
    enum { MUCH_PART = 10 };
    const bool is_much = causes->untold * MUCH_PART > causes->told;
    if (causes->untold == 0)
        return;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "Of %s that servers made, %" PRIu64 " have no known cause: their time counts twice.",
                           summary_count(scope, causes->told + causes->untold, "call", "calls"), causes->untold);
    summary_add(waits->source, lines, is_much ? SUMMARY_MUCH_UNTOLD : SUMMARY_UNTOLD, text, NULL);
}

/* Says that capture points do not agree on the time. */
static void
add_clocks(const struct summary_waits *waits, struct summary_lines *lines)
{
    char *clocks = call_clocks_text(waits->source);
    if (clocks)
        summary_add(waits->source, lines, SUMMARY_CLOCKS, g_string_new(g_strchomp(clocks)), "latency,stages");
    g_free(clocks);
}

/* Says which addresses count as one host. */
static void
add_joins(const struct summary_waits *waits, struct summary_lines *lines)
{
    char *joins = call_joins_text(waits->source, 1);
    if (joins)
        summary_add(waits->source, lines, SUMMARY_JOINS, g_string_new(g_strchomp(joins)), "latency,calls");
    g_free(joins);
}

void
summary_waits_add_causes(const struct summary_waits *waits, struct summary_lines *lines)
{
    const struct causes *causes = waits->causes;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    if (causes->all.own_ns > 0)
        add_waiting(waits, lines, scope);
    for (unsigned rank = 0; rank < causes->n_first; rank++)
        add_cause(waits, lines, rank, scope);
    add_served(waits, lines, scope);
    add_untold(waits, lines, scope);
    add_clocks(waits, lines);
    add_joins(waits, lines);
    wmem_destroy_allocator(scope);
}

/* Returns the operation with the most of what is counted, of those that come behind `before` (NULL: of all); NULL if no
 * other has any. */
static const struct cause *
most_failing(const struct causes *causes, uint64_t (*count)(const struct cause *cause), const struct cause *before)
{
    const struct cause *found = NULL;
    for (uint32_t i = 0; i < causes->n_operations; i++) {
        const struct cause *cause = &causes->operations[i];
        const uint64_t most = before ? count(before) : UINT64_MAX;
        if (count(cause) == 0 || count(cause) > most || (count(cause) == most && cause <= before))
            continue;
        if (!found || count(cause) > count(found))
            found = cause;
    }
    return found;
}

/* Appends the statuses that most errors have. */
static void
write_statuses(const struct summary_waits *waits, GString *text)
{
    const char *status;
    uint64_t below = UINT64_MAX, count;
    unsigned last = 0;
    for (unsigned shown = 0; shown < SHOWN_STATUSES; shown++) {
        const char *most = NULL;
        uint64_t highest = 0;
        unsigned found = 0;
        for (unsigned number = 0; (status = waits->status(waits->data, number, &count)); number++) {
            if (count <= highest || count > below || (count == below && number <= last) || !*status)
                continue;
            highest = count;
            found = number;
            most = status;
        }
        if (!most)
            return;
        g_string_append_printf(text, "%s %s" SUMMARY_BLANK "(%" PRIu64 ")", shown > 0 ? "," : ", status", most,
                               highest);
        below = highest;
        last = found;
    }
}

/* Appends which operations have most of what is counted, `all` together. */
static void
write_failing(const struct summary_waits *waits, uint64_t (*count)(const struct cause *cause), uint64_t all,
              GString *text)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    const struct cause *cause = NULL;
    uint64_t rest = all;
    for (unsigned shown = 0; shown < SHOWN_FAILING && rest > 0; shown++) {
        cause = most_failing(waits->causes, count, cause);
        if (!cause)
            break;
        g_string_append_printf(
            text, "%s %s of %s", shown > 0 ? "," : ":", number_grouped(scope, (double)count(cause)),
            summary_operation(scope, waits->source, calls_operation(waits->causes->calls, cause->operation)));
        rest -= count(cause);
    }
    if (rest > 0)
        g_string_append_printf(text, ", %s of others", number_grouped(scope, (double)rest));
    g_string_append_c(text, '.');
    wmem_destroy_allocator(scope);
}

static uint64_t
errors_of(const struct cause *cause)
{
    return cause->errors;
}

static uint64_t
unanswered_of(const struct cause *cause)
{
    return cause->unanswered;
}

void
summary_waits_add_errors(const struct summary_waits *waits, struct summary_lines *lines)
{
    const struct cause *all = &waits->causes->all;
    if (all->errors == 0)
        return;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "Errors: %s of %s (%s)", number_grouped(scope, (double)all->errors),
                           summary_count(scope, all->answered, "answer", "answers"),
                           summary_share(scope, (double)all->errors, (double)all->answered));
    write_statuses(waits, text);
    write_failing(waits, errors_of, all->errors, text);
    summary_add(waits->source, lines, SUMMARY_FAILED, text, "latency,operations");
    wmem_destroy_allocator(scope);
}

void
summary_waits_add_unanswered(const struct summary_waits *waits, struct summary_lines *lines)
{
    const struct cause *all = &waits->causes->all;
    if (all->unanswered + all->waiting == 0)
        return;
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    GString *text = g_string_new(NULL);
    if (all->unanswered > 0) {
        g_string_append_printf(text, "Unanswered: %s of %s", number_grouped(scope, (double)all->unanswered),
                               summary_count(scope, all->requests, "request", "requests"));
        write_failing(waits, unanswered_of, all->unanswered, text);
    }
    if (all->lost > 0)
        g_string_append_printf(text, " Of these, %" PRIu64 " may have an answer where bytes are missing.", all->lost);
    if (all->waiting > 0)
        g_string_append_printf(text, "%s%s still waited at the end.", text->len > 0 ? " " : "",
                               summary_count(scope, all->waiting, "request", "requests"));
    summary_add(waits->source, lines, SUMMARY_FAILED, text, "latency,requests");
    wmem_destroy_allocator(scope);
}
