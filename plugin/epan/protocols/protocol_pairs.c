/* protocol_pairs.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "protocol_pairs.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-rpc.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../intake/intake.h"
#include "protocol_fields.h"

/* An answer that a request's frame announces. */
struct announced {
    uint32_t answer;
    int proto;
    uint32_t request;
};

static int tap_protocols;
static bool is_wanted;
static GArray *times;         /* in ns, by frame */
static GHashTable *announced; /* by the answer's frame: a GArray of struct announced */
static GHashTable *known;     /* all of these: a set */
static GHashTable *going_on;  /* by the conversation: the protocol, if its request outstanding goes on */
static GHashTable *gone_on;   /* by the frame: the protocol, if it goes on with a request that was asked before */
static uint32_t looked_at;    /* the last frame of which that is known */

/* Whom a frame with an answer comes from, and one that asks goes to. */
static void
note_server(const packet_info *pinfo, bool answers, struct protocol_pair *pair)
{
    const address *server = answers ? &pinfo->src : &pinfo->dst;
    const bool has_ports = pinfo->ptype == PT_TCP || pinfo->ptype == PT_UDP || pinfo->ptype == PT_SCTP;
    pair->ipv6 = server->type == AT_IPv6;
    if (server->type == AT_IPv4 || server->type == AT_IPv6)
        pair->server = intake_endpoint(server, has_ports ? (answers ? pinfo->srcport : pinfo->destport) : 0);
}

/* A call without arguments has no layer for its program, nor has the answer to one that nothing is said to. */
static const char *
rpc_program(proto_tree *tree)
{
    const int field = protocol_fields()->rpc_program;
    const GPtrArray *found = field > 0 ? proto_get_finfo_ptr_array(tree, field) : NULL;
    const char *name =
        found && found->len > 0 ? rpc_prog_name(protocol_field_number(g_ptr_array_index(found, 0))) : NULL;
    return name && g_ascii_strcasecmp(name, "unknown") != 0 ? name : NULL;
}

/* Of calls of procedures the program's: of DCE/RPC it is the layer behind them. */
static const char *
name_of(const packet_info *pinfo, proto_tree *tree, int proto)
{
    const char *name = proto_get_protocol_filter_name(proto);
    const char *program = g_str_equal(name, "rpc") ? rpc_program(tree) : NULL;
    if (program)
        return program;
    const wmem_list_frame_t *frame =
        g_str_equal(name, "dcerpc") ? wmem_list_find(pinfo->layers, GINT_TO_POINTER(proto)) : NULL;
    wmem_list_frame_t *next = frame ? wmem_list_frame_next((wmem_list_frame_t *)frame) : NULL;
    int layer = next ? GPOINTER_TO_INT(wmem_list_frame_data(next)) : proto;
    if (layer == proto_get_id_by_filter_name("latency")) /* which comes last */
        layer = proto;
    return proto_get_protocol_short_name(find_protocol_by_id(layer));
}

/* Whether a frame has one of the values. */
static bool
has_value(proto_tree *tree, const GArray *values)
{
    for (unsigned i = 0; i < values->len; i++) {
        const struct value_field *value = &g_array_index(values, struct value_field, i);
        const GPtrArray *found = proto_get_finfo_ptr_array(tree, value->hf);
        for (unsigned k = 0; found && k < found->len; k++) {
            const uint32_t number = protocol_field_number(g_ptr_array_index(found, k));
            if (number >= value->low && number <= value->high)
                return true;
        }
    }
    return false;
}

static void
tell(packet_info *pinfo, const struct protocol_pair *pair)
{
    tap_queue_packet(tap_protocols, pinfo, wmem_memdup(pinfo->pool, pair, sizeof *pair));
}

static void
tell_answer(packet_info *pinfo, proto_tree *tree, int proto, uint32_t request)
{
    const int64_t asked_ns = g_array_index(times, int64_t, request);
    struct protocol_pair pair = { .protocol = name_of(pinfo, tree, proto), .is_answered = true, .request = request };
    if (asked_ns == INT64_MIN)
        return;
    note_server(pinfo, true, &pair);
    pair.failed = has_value(tree, protocol_fields()->statuses);
    pair.elapsed_ns = MAX(intake_time_ns(pinfo) - asked_ns, 0);
    tell(pinfo, &pair);
}

/* True the first time: a frame is visited as often as somebody looks at it. */
static bool
is_news(const struct announced *one)
{
    struct announced *copy = g_new(struct announced, 1);
    *copy = *one;
    return g_hash_table_add(known, copy);
}

static void
announce(uint32_t answer, int proto, uint32_t request)
{
    GArray *all = g_hash_table_lookup(announced, GUINT_TO_POINTER(answer));
    const struct announced one = { answer, proto, request };
    if (!is_news(&one))
        return;
    if (!all) {
        all = g_array_new(FALSE, FALSE, sizeof(struct announced));
        g_hash_table_insert(announced, GUINT_TO_POINTER(answer), all);
    }
    g_array_append_val(all, one);
}

/* An earlier frame has asked, a later one answers; any other number is none: a dissector may have put anything there.
 * Returns whether the frame answers. */
static bool
take_number(packet_info *pinfo, proto_tree *tree, int proto, uint32_t number)
{
    const bool answers = number > 0 && number < pinfo->num && number < times->len;
    if (answers)
        tell_answer(pinfo, tree, proto, number);
    else if (number > pinfo->num && PINFO_FD_VISITED(pinfo))
        announce(number, proto, pinfo->num);
    return answers;
}

/* Protocols in which the frame answers. */
static GHashTable *
take_fields(packet_info *pinfo, proto_tree *tree)
{
    const GArray *pairs = protocol_fields()->pairs;
    GHashTable *answered = g_hash_table_new(NULL, NULL);
    for (unsigned i = 0; i < pairs->len; i++) {
        const struct paired_field *pair = &g_array_index(pairs, struct paired_field, i);
        const GPtrArray *found = proto_get_finfo_ptr_array(tree, pair->hf);
        for (unsigned k = 0; found && k < found->len; k++)
            if (take_number(pinfo, tree, pair->proto, protocol_field_number(g_ptr_array_index(found, k))))
                g_hash_table_add(answered, GINT_TO_POINTER(pair->proto));
    }
    const GArray *before = g_hash_table_lookup(announced, GUINT_TO_POINTER(pinfo->num));
    for (unsigned i = 0; before && i < before->len; i++) {
        const struct announced *one = &g_array_index(before, struct announced, i);
        tell_answer(pinfo, tree, one->proto, one->request);
        g_hash_table_add(answered, GINT_TO_POINTER(one->proto));
    }
    return answered;
}

static bool
says_going_on(proto_tree *tree, const struct text_field *field)
{
    const GPtrArray *found = proto_get_finfo_ptr_array(tree, field->hf);
    for (unsigned i = 0; found && i < found->len; i++)
        if (g_str_has_suffix(protocol_field_text(g_ptr_array_index(found, i)), field->ending))
            return true;
    return false;
}

/* Takes each frame once, in the capture's order. */
static void
note_going_on(packet_info *pinfo, proto_tree *tree, GHashTable *answered)
{
    const GArray *fields = protocol_fields()->going_on;
    conversation_t *conversation = pinfo->num > looked_at ? find_conversation_pinfo(pinfo, 0) : NULL;
    if (!conversation)
        return;
    looked_at = pinfo->num;
    void *proto = g_hash_table_lookup(going_on, conversation);
    if (proto)
        g_hash_table_insert(gone_on, GUINT_TO_POINTER(pinfo->num), proto);
    if (g_hash_table_contains(answered, proto))
        g_hash_table_remove(going_on, conversation);
    for (unsigned i = 0; i < fields->len; i++) {
        const struct text_field *field = &g_array_index(fields, struct text_field, i);
        if (says_going_on(tree, field))
            g_hash_table_insert(going_on, conversation, GINT_TO_POINTER(field->proto));
    }
}

static bool
may_ask(const packet_info *pinfo, proto_tree *tree, int proto)
{
    const GArray *fields = protocol_fields()->asking;
    if (g_hash_table_lookup(gone_on, GUINT_TO_POINTER(pinfo->num)) == GINT_TO_POINTER(proto))
        return false;
    bool must_say = false;
    for (unsigned i = 0; i < fields->len; i++) {
        const struct paired_field *field = &g_array_index(fields, struct paired_field, i);
        const GPtrArray *found = field->proto == proto ? proto_get_finfo_ptr_array(tree, field->hf) : NULL;
        if (found && found->len > 0)
            return true;
        must_say |= field->proto == proto;
    }
    return !must_say;
}

static void
tell_questions(packet_info *pinfo, proto_tree *tree, GHashTable *answered)
{
    GHashTable *protos = protocol_fields()->protos;
    for (wmem_list_frame_t *layer = wmem_list_head(pinfo->layers); layer; layer = wmem_list_frame_next(layer)) {
        void *proto = wmem_list_frame_data(layer);
        if (!g_hash_table_contains(protos, proto) || g_hash_table_contains(answered, proto) ||
            !may_ask(pinfo, tree, GPOINTER_TO_INT(proto)))
            continue;
        struct protocol_pair pair = { .protocol = name_of(pinfo, tree, GPOINTER_TO_INT(proto)), .request = pinfo->num };
        note_server(pinfo, false, &pair);
        tell(pinfo, &pair);
    }
}

static void
note_time(const packet_info *pinfo)
{
    const int64_t none = INT64_MIN;
    const int64_t time_ns = pinfo->fd->has_ts ? intake_time_ns(pinfo) : none;
    while (times->len <= pinfo->num)
        g_array_append_val(times, none);
    g_array_index(times, int64_t, pinfo->num) = time_ns;
}

void
protocol_pairs_take(packet_info *pinfo, proto_tree *tree)
{
    if (!is_wanted)
        return;
    note_time(pinfo);
    if (!tree || !have_tap_listener(tap_protocols) || !pinfo->fd->has_ts)
        return;
    GHashTable *answered = take_fields(pinfo, tree);
    note_going_on(pinfo, tree, answered);
    if (!has_value(tree, protocol_fields()->one_way))
        tell_questions(pinfo, tree, answered);
    g_hash_table_destroy(answered);
}

static tap_packet_status
look(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *record _U_, tap_flags_t flags _U_)
{
    return TAP_PACKET_DONT_REDRAW;
}

/* A listener with a filter has Wireshark put the filter's fields into the tree, in every program. */
void
protocol_pairs_want(void)
{
    static int listener;
    if (is_wanted || !protocol_fields()->filter)
        return;
    is_wanted = true;
    GString *error = register_tap_listener("frame", &listener, protocol_fields()->filter, TL_REQUIRES_PROTO_TREE, NULL,
                                           look, NULL, NULL);
    if (!error)
        return;
    report_failure("What Wireshark itself pairs cannot be read: %s", error->str);
    g_string_free(error, TRUE);
}

static void
free_announced(void *data)
{
    g_array_free(data, TRUE);
}

static unsigned
hash_announced(const void *one)
{
    return wmem_strong_hash(one, sizeof(struct announced));
}

static gboolean
equal_announced(const void *a, const void *b)
{
    const struct announced *x = a, *y = b;
    return x->answer == y->answer && x->proto == y->proto && x->request == y->request;
}

static void
begin_capture(void)
{
    times = g_array_new(FALSE, FALSE, sizeof(int64_t));
    announced = g_hash_table_new_full(NULL, NULL, NULL, free_announced);
    going_on = g_hash_table_new(NULL, NULL);
    gone_on = g_hash_table_new(NULL, NULL);
    looked_at = 0;
    known = g_hash_table_new_full(hash_announced, equal_announced, g_free, NULL);
}

static void
end_capture(void)
{
    g_array_free(times, TRUE);
    g_hash_table_destroy(announced);
    g_hash_table_destroy(known);
    g_hash_table_destroy(going_on);
    g_hash_table_destroy(gone_on);
}

void
protocol_pairs_register(void)
{
    tap_protocols = register_tap(PROTOCOLS_TAP);
    register_init_routine(begin_capture);
    register_cleanup_routine(end_capture);
}
