/* notes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "notes.h"

#include <inttypes.h>

#include <wsutil/str_util.h>

#include "../core/analysis.h"
#include "../core/util/printable.h"
#include "names.h"

/* How many servers that push are named. */
enum { PUSHING_NAMED = 3 };

struct pushing {
    uint64_t frames;
    char *server;
};

inline void
omitted_take(struct omitted *omitted, const struct item *item)
{
    if (item->kind == ITEM_UNSOLICITED) {
        const struct group_key key = group_of_sender(item->connection, item);
        omitted_take_pushes(omitted, &key, 1);
    }
    omitted->duplicates += item->kind == ITEM_DUPLICATE;
    omitted->unread += item->kind == ITEM_UNREAD;
}

void
omitted_take_pushes(struct omitted *omitted, const struct group_key *key, uint64_t frames)
{
    const struct group_key server = { .server = key->server, .kind = "", .ipv6 = key->ipv6 };
    if (frames == 0)
        return;
    if (!omitted->pushes)
        omitted->pushes = groups_new(sizeof(uint64_t), NULL);
    omitted->unsolicited += frames;
    *(uint64_t *)groups_at(omitted->pushes, &server) += frames;
}

void
omitted_merge(struct omitted *omitted, const struct omitted *other)
{
    for (unsigned row = 0; other->pushes && row < groups_count(other->pushes); row++)
        omitted_take_pushes(omitted, groups_key(other->pushes, row), *(uint64_t *)groups_value(other->pushes, row));
    omitted->duplicates += other->duplicates;
    omitted->unread += other->unread;
    omitted->tls_handshakes += other->tls_handshakes;
    omitted->tls_alerts += other->tls_alerts;
    omitted->begun_before += other->begun_before;
    omitted->not_answered += other->not_answered;
    omitted->silent += other->silent;
}

void
omitted_clear(struct omitted *omitted)
{
    if (omitted->pushes)
        groups_free(omitted->pushes);
    *omitted = (struct omitted){ 0 };
}

enum tls_turn
omitted_take_tls(struct omitted *omitted, const struct request *request, enum tls_turn noted)
{
    enum tls_turn role = tls_turn_role(request);
    omitted->tls_handshakes += (role == TLS_HANDSHAKE) - (noted == TLS_HANDSHAKE);
    omitted->tls_alerts += (role == TLS_ALERT) - (noted == TLS_ALERT);
    return role;
}

bool
omitted_counts(struct omitted *omitted, const struct item *item, uint8_t *noted)
{
    if (*noted == TLS_NONE && item->kind == ITEM_UPDATED)
        return false;
    *noted = (uint8_t)omitted_take_tls(omitted, item_request(item), *noted);
    return *noted == TLS_NONE;
}

static int
compare_pushing(const void *a, const void *b)
{
    const struct pushing *x = a, *y = b;
    return x->frames != y->frames ? (x->frames < y->frames ? 1 : -1) : strcmp(x->server, y->server);
}

/* Appends which servers sent frames unasked, and how many each if there are several. */
static void
write_pushing(const struct groups *pushes, const struct table_source *source, GString *text)
{
    const unsigned n = groups_count(pushes);
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct pushing *all = wmem_alloc_array(scope, struct pushing, n);
    for (unsigned row = 0; row < n; row++) {
        const struct group_key *key = groups_key(pushes, row);
        all[row].frames = *(uint64_t *)groups_value(pushes, row);
        all[row].server = endpoint_name(scope, source, &key->server, key->ipv6);
    }
    qsort(all, n, sizeof *all, compare_pushing);
    for (unsigned i = 0; i < MIN(n, PUSHING_NAMED); i++) {
        g_string_append_printf(text, "%s%s", i ? ", " : " (", all[i].server);
        if (n > 1)
            g_string_append_printf(text, ": %" PRIu64, all[i].frames);
    }
    if (n > PUSHING_NAMED)
        g_string_append_printf(text, " and %u more", n - PUSHING_NAMED);
    g_string_append(text, ")");
    wmem_destroy_allocator(scope);
}

void
omitted_write(const struct omitted *omitted, const struct table_source *source, GString *text)
{
    const struct {
        uint64_t count;
        const char *one, *more;
    } kinds[] = {
        { omitted->unsolicited, "frame that a server sent unasked", "frames that a server sent unasked" },
        { omitted->duplicates, "second copy of a frame", "second copies of a frame" },
        { omitted->unread, "TCP segment with an incomplete header or no time",
          "TCP segments with an incomplete header or no time" },
        { omitted->begun_before, "connection whose SYN was not captured", "connections whose SYN was not captured" },
        { omitted->not_answered, "connection attempt without an answer", "connection attempts without an answer" },
        { omitted->silent, "connection on which the client said nothing",
          "connections on which the client said nothing" },
    };
    const char *before = "Left out: ";
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (kinds[i].count == 0)
            continue;
        g_string_append_printf(text, "%s%" PRIu64 " %s", before, kinds[i].count,
                               plurality(kinds[i].count, kinds[i].one, kinds[i].more));
        if (i == 0)
            write_pushing(omitted->pushes, source, text);
        before = ", ";
    }
    if (*before == ',')
        g_string_append(text, ".\n");
    const uint64_t handshakes = omitted->tls_handshakes, alerts = omitted->tls_alerts;
    if (handshakes + alerts > 0)
        g_string_append_printf(text, "Not counted as requests: %" PRIu64 " TLS handshake%s, %" PRIu64 " TLS alert%s.\n",
                               handshakes, plurality(handshakes, "", "s"), alerts, plurality(alerts, "", "s"));
}

/* Whether what asks is to be looked up at the end. */
static bool
is_wanted(struct one_sided *one_sided, bool answered)
{
    one_sided->has_answers |= answered;
    return !one_sided->has_answers;
}

static void
add(struct one_sided *one_sided, struct one_side asked)
{
    if (one_sided->capture != one_sided->source->number)
        one_sided->count = 0;
    one_sided->capture = one_sided->source->number;
    one_sided->latest[one_sided->count++ % ONE_SIDED_LATEST] = asked;
}

void
tally_waits_write(const struct tally *tally, GString *text)
{
    const uint64_t streams = tally->streams, polls = tally->long_polls;
    if (streams > 0)
        g_string_append_printf(text, "%" PRIu64 " stream%s up to %s first byte", streams,
                               plurality(streams, " counts", "s count"), plurality(streams, "its", "their"));
    if (polls > 0)
        g_string_append_printf(text, "%s%" PRIu64 " long poll%s not counted as waiting", streams > 0 ? "; " : "", polls,
                               plurality(polls, " is", "s are"));
    if (streams > 0 || polls > 0)
        g_string_append(text, ".\n");
}

inline void
one_sided_take_request(struct one_sided *one_sided, const struct request *request)
{
    if (is_wanted(one_sided, request->response.first_frame != 0))
        add(one_sided, (struct one_side){ .request = request_refer(request) });
}

void
one_sided_take_attempt(struct one_sided *one_sided, const struct connection *attempt)
{
    if (is_wanted(one_sided, attempt->tcp->connect.result != CONNECT_UNANSWERED))
        add(one_sided, (struct one_side){ .attempt = attempt });
}

void
one_sided_take_create(struct one_sided *one_sided, const struct ca_request *create)
{
    if (is_wanted(one_sided, create->outcome != CA_WAITING))
        add(one_sided, (struct one_side){ .create = create });
}

static bool
has_been_answered(const struct one_side *asked)
{
    if (asked->attempt)
        return asked->attempt->tcp->connect.result != CONNECT_UNANSWERED;
    if (asked->create)
        return asked->create->outcome != CA_WAITING;
    const struct request *request = request_referred(&asked->request);
    return request && request->response.first_frame;
}

void
one_sided_write(const struct one_sided *one_sided, GString *text)
{
    if (one_sided->has_answers || one_sided->capture != one_sided->source->number || !one_sided->source->analysis)
        return;
    for (uint32_t i = 0; i < MIN(one_sided->count, ONE_SIDED_LATEST); i++) {
        if (!has_been_answered(&one_sided->latest[i]))
            continue;
        g_string_append(text, "The filter passes requests but none of their responses, which the capture has: use -2, "
                              "or filter on addresses (ip.addr, tcp.port).\n");
        return;
    }
}

#define RECORDED_BY "kernel-stages records them: docs/kernel-stages.md.\n"

/* Whether nothing was read, which then is said. */
static bool
are_no_packets(const struct table_source *source, GString *text)
{
    if (source->has_packets)
        return false;
    if (source->filter)
        g_string_append_printf(text, "The capture filter \"%s\" passes no packet.\n", source->filter);
    else
        g_string_append(text, "The capture has no packets.\n");
    return true;
}

void
absence_of_tcp(const struct table_source *source, GString *text)
{
    if (are_no_packets(source, text) || source->has_tcp || source->has_quic)
        return;
    if (source->filter)
        g_string_append_printf(text, "The packets that the capture filter \"%s\" passes have no TCP.\n",
                               source->filter);
    else
        g_string_append(text, "The capture has no TCP.\n");
}

void
absence_of_quic(const struct table_source *source, GString *text)
{
    if (!are_no_packets(source, text) && !source->has_quic)
        g_string_append(text, "The capture has no beginning of a connection of QUIC.\n");
}

void
absence_of_requests(const struct table_source *source, GString *text)
{
    if (source->has_quic && !source->has_tcp)
        return; /* which quic_write() says */
    if (source->has_tcp && !source->has_payload)
        g_string_append(text, "No packet carries data; -z latency,connects says what became of the connections.\n");
    else
        absence_of_tcp(source, text);
}

void
absence_of_calls(const struct table_source *source, GString *text)
{
    absence_of_requests(source, text);
    if (source->has_payload)
        g_string_append(text, "No request is known to have caused another one.\n");
}

void
absence_of_points(const struct table_source *source, GString *text)
{
    const struct points *points = source->analysis ? source->analysis->points : NULL;
    if (are_no_packets(source, text) || !points || points_count(points) > 1)
        return;
    char *name = points_count(points) == 1 ? printable_text(NULL, points_at(points, 1)->name) : NULL;
    if (name)
        g_string_append_printf(
            text, "All packets are of one capture point, %s: interfaces with the same name count as one.", name);
    else
        g_string_append(text, "All packets are of one capture point, for the file names no interfaces.");
    wmem_free(NULL, name);
    g_string_append(text, " docs/capture-points.md says how to record several, and how to merge files.\n");
}

void
absence_of_kernel(const struct table_source *source, GString *text)
{
    const struct points *points = source->analysis ? source->analysis->points : NULL;
    if (are_no_packets(source, text))
        return;
    if (points && (!points_lowest(points, HEADING_RECEIVED) || !points_lowest(points, HEADING_SENT)))
        g_string_append(text, "The capture has no stages of a kernel. " RECORDED_BY);
}

void
absence_of_channel_access(const struct table_source *source, GString *text)
{
    if (are_no_packets(source, text) || source->has_channel_access)
        return;
    char *tcp = source->texts->ca_tcp_ports(NULL), *udp = source->texts->ca_udp_ports(NULL);
    g_string_append_printf(text,
                           "No Channel Access on TCP ports %s and UDP ports %s (preferences ca.tcp.port and "
                           "ca.udp.port), and none was recognised on other ports.\n",
                           *tcp ? tcp : "none", *udp ? udp : "none");
    wmem_free(NULL, tcp);
    wmem_free(NULL, udp);
}

void
absence_of_pvaccess(const struct table_source *source, GString *text)
{
    if (are_no_packets(source, text) || source->has_pvaccess)
        return;
    char *tcp = source->texts->pva_tcp_ports(NULL);
    g_string_append_printf(text,
                           "No pvAccess on TCP ports %s (preference pva.tcp.port), and none was recognised on "
                           "other ports.\n",
                           *tcp ? tcp : "none");
    wmem_free(NULL, tcp);
}
