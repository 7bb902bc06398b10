/* protocol_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "protocol_fields.h"

#include <string.h>

#include "../../compat.h"
#include "../../core/util/protocols.h"

/* Those that we read ourselves, and what repeats our times, or others'. */
static const char *const left_out[] = { "latency",
                                        "transum",
                                        "tcp",
                                        "grpc",
                                        "mdns",
#define DISSECTOR(name, number, word, dissector, ...) dissector,
                                        PROTOCOLS(DISSECTOR, NO_PARSER)
#undef DISSECTOR
};

/* Of fields without a hint. */
static const char *const endings[] = {
    ".request_in",  ".request_frame",  ".req_in",  ".call_in",  ".reqframe", ".response_to", ".resp_to", ".answer_to",
    ".response_in", ".response_frame", ".resp_in", ".reply_in", ".repframe", ".answer_in",   ".rsp_in",
};

/* Values of a field. */
struct value {
    const char *name;
    uint32_t low, high;
};

/* What nobody answers. */
static const struct value one_way[] = {
    { "ldap.protocolOp", 2, 2 },   /* unbindRequest: RFC 4511 §4.3 */
    { "ldap.protocolOp", 16, 16 }, /* abandonRequest: §4.11 */
    { "smb2.cmd", 12, 12 },        /* CANCEL: MS-SMB2 §2.2.30 */
    { "coap.type", 2, 3 },         /* acknowledgement, reset: RFC 7252 §4.2 */
};

/* Of protocols whose frames often only go on with a request. */
static const char *const asking[] = { "imap.request_tag" };

/* IMAP (RFC 3501): until its answer the rest of a command is no other, whatever it looks like. The server asks for the
 * rest by "+": a literal, a password, an end of IDLE; or the command says itself that it does not wait (RFC 7888). */
static const struct {
    const char *name, *ending;
} going_on[] = {
    { "imap.response_tag", "+" },
    { "imap.request", "+}" },
};

static const struct value statuses[] = {
    { "ldap.resultCode", 1, 9 }, /* 10 is a referral, 14 goes on */
    { "ldap.resultCode", 15, 4095 },
    { "smb2.nt_status", 0xc0000000, 0xc0000015 }, /* 0xc0000016: more is to be said; below, warnings */
    { "smb2.nt_status", 0xc0000017, UINT32_MAX },
    { "smb.nt_status", 0xc0000000, UINT32_MAX },
    { "rpc.replystat", 1, 1 }, /* denied */
    { "rpc.state_accept", 1, UINT32_MAX },
    { "nfs.status3", 1, UINT32_MAX },
    { "nfs.nfsstat4", 1, UINT32_MAX },
    { "snmp.error_status", 1, UINT32_MAX },
    { "radius.code", 3, 3 }, /* Access-Reject */
    { "diameter.Result-Code", 3000, UINT32_MAX },
    { "coap.code", 128, 191 },       /* 4.00 to 5.31: RFC 7252 §5.9 */
    { "kerberos.msg_type", 30, 30 }, /* KRB-ERROR */
    { "modbus.exception_code", 1, 255 },
    { "iscsi.scsiresponse.response", 1, 255 },
};

static bool
is_left_out(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(left_out); i++)
        if (strcmp(left_out[i], name) == 0)
            return true;
    return false;
}

static bool
has_ending(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(name, endings[i]))
            return true;
    return false;
}

static bool
is_pair(const header_field_info *field)
{
    if (field->type != FT_FRAMENUM)
        return false;
    const int hint = GPOINTER_TO_INT(field->strings);
    return hint == FT_FRAMENUM_REQUEST || hint == FT_FRAMENUM_RESPONSE ||
           (hint == FT_FRAMENUM_NONE && has_ending(field->abbrev));
}

static void
add_to_filter(GString *filter, const char *name)
{
    g_string_append_printf(filter, "%s%s", filter->len ? " || " : "", name);
}

static void
find_pairs(struct protocol_fields *fields, int proto, GString *filter)
{
    void *cookie;
    for (header_field_info *field = proto_get_first_protocol_field(proto, &cookie); field;
         field = proto_get_next_protocol_field(proto, &cookie)) {
        if (!is_pair(field))
            continue;
        const struct paired_field pair = { field->id, proto };
        g_array_append_val(fields->pairs, pair);
        g_hash_table_add(fields->protos, GINT_TO_POINTER(proto));
        /* of fields of one name the filter has all */
        if (!field->same_name_next)
            add_to_filter(filter, field->abbrev);
    }
}

static bool
is_unsigned(enum ftenum type)
{
    return type == FT_UINT8 || type == FT_UINT16 || type == FT_UINT24 || type == FT_UINT32 || type == FT_FRAMENUM;
}

static bool
is_signed(enum ftenum type)
{
    return type == FT_INT8 || type == FT_INT16 || type == FT_INT24 || type == FT_INT32;
}

uint32_t
protocol_field_number(field_info *field)
{
    fvalue_t *value = compat_field_value(field);
    return is_signed(field->hfinfo->type) ? (uint32_t)fvalue_get_sinteger(value) : fvalue_get_uinteger(value);
}

const char *
protocol_field_text(field_info *field)
{
    return fvalue_get_string(compat_field_value(field));
}

static const header_field_info *
before(const header_field_info *field)
{
    return field->same_name_prev_id > 0 ? proto_registrar_get_nth((unsigned)field->same_name_prev_id) : NULL;
}

/* Fields of one name are told apart by their types. */
static void
find_values(const struct value *values, unsigned n, GArray *found, GString *filter)
{
    for (unsigned i = 0; i < n; i++) {
        const header_field_info *field = proto_registrar_get_byname(values[i].name);
        if (field)
            add_to_filter(filter, field->abbrev);
        for (; field; field = before(field)) {
            const struct value_field value = { field->id, values[i].low, values[i].high };
            if (is_unsigned(field->type) || is_signed(field->type))
                g_array_append_val(found, value);
        }
    }
}

static void
find_asking(struct protocol_fields *fields, GString *filter)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(asking); i++) {
        const header_field_info *field = proto_registrar_get_byname(asking[i]);
        if (!field)
            continue;
        const struct paired_field asks = { field->id, field->parent };
        g_array_append_val(fields->asking, asks);
        add_to_filter(filter, field->abbrev);
    }
}

static void
find_going_on(struct protocol_fields *fields, GString *filter)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(going_on); i++) {
        const header_field_info *field = proto_registrar_get_byname(going_on[i].name);
        if (!field || (field->type != FT_STRING && field->type != FT_STRINGZ))
            continue;
        const struct text_field goes_on = { field->id, field->parent, going_on[i].ending };
        g_array_append_val(fields->going_on, goes_on);
        add_to_filter(filter, field->abbrev);
    }
}

static struct protocol_fields *
find_fields(void)
{
    struct protocol_fields *fields = g_new0(struct protocol_fields, 1);
    GString *filter = g_string_new(NULL);
    void *cookie;
    fields->pairs = g_array_new(FALSE, FALSE, sizeof(struct paired_field));
    fields->asking = g_array_new(FALSE, FALSE, sizeof(struct paired_field));
    fields->going_on = g_array_new(FALSE, FALSE, sizeof(struct text_field));
    fields->statuses = g_array_new(FALSE, FALSE, sizeof(struct value_field));
    fields->one_way = g_array_new(FALSE, FALSE, sizeof(struct value_field));
    fields->protos = g_hash_table_new(NULL, NULL);
    /* First, for protocols that register their fields when one is asked for by its name: Diameter, RADIUS. */
    find_values(statuses, G_N_ELEMENTS(statuses), fields->statuses, filter);
    find_values(one_way, G_N_ELEMENTS(one_way), fields->one_way, filter);
    find_asking(fields, filter);
    find_going_on(fields, filter);
    fields->rpc_program = proto_registrar_get_id_byname("rpc.program");
    if (fields->rpc_program > 0)
        add_to_filter(filter, "rpc.program");
    for (int proto = proto_get_first_protocol(&cookie); proto != -1; proto = proto_get_next_protocol(&cookie))
        if (!is_left_out(proto_get_protocol_filter_name(proto)))
            find_pairs(fields, proto, filter);
    fields->filter = filter->len ? g_string_free(filter, FALSE) : NULL;
    return fields;
}

const struct protocol_fields *
protocol_fields(void)
{
    static struct protocol_fields *found;
    if (!found)
        found = find_fields();
    return found;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *
protocol_fields_names(unsigned *count)
{
    GHashTableIter each;
    void *proto;
    GPtrArray *names = g_ptr_array_new();
    g_hash_table_iter_init(&each, protocol_fields()->protos);
    while (g_hash_table_iter_next(&each, &proto, NULL))
        g_ptr_array_add(names, (void *)proto_get_protocol_filter_name(GPOINTER_TO_INT(proto)));
    *count = names->len;
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    char *text = g_strjoinv(", ", (char **)names->pdata);
    g_ptr_array_free(names, TRUE);
    return text;
}
