/* preferences.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferences.h"

#include <string.h>

#include <epan/packet.h>
#include <epan/prefs.h>

#include "../../compat.h"
#include "../../core/calls/same_hosts.h"
#include "../../core/calls/worker.h"
#include "../../core/protocol/http/http_ids.h"
#include "../intake/intake.h"

enum { CHUNK_BYTES = 9000, SLOW_MS = 100, NS_PER_MS = 1000000 };

static dissector_table_t tcp_ports;
static range_t *server_ports;
static range_t *full_sizes;
static unsigned chunk_bytes = CHUNK_BYTES;
static unsigned timeout_seconds;
static unsigned slow_ms = SLOW_MS;
static wireshark_bool messages = TRUE;
static wireshark_bool fold_numbers;
static wireshark_bool calls = TRUE;
static wireshark_bool json_calls;
static int json_content = JSON_ALL;
static int table_format = TABLE_TEXT;
static int table_columns = TABLE_COLUMNS_DEFAULT;
static const char *points = "";
static const char *same_hosts = "";
static const char *id_headers = "";
static unsigned call_percent = CALL_PERCENT;

static const enum_val_t json_contents[] = {
#define JSON_CONTENT(name, word, shown) { word, shown, JSON_##name },
    JSON_CONTENT_LIST(JSON_CONTENT)
#undef JSON_CONTENT
        { NULL, NULL, 0 },
};
static const enum_val_t formats[] = {
    { "text", "Aligned text", TABLE_TEXT }, { "csv", "CSV", TABLE_CSV }, { "tsv", "TSV", TABLE_TSV },
    { "json", "JSON lines", TABLE_JSON },   { NULL, NULL, 0 },
};
static const enum_val_t columns[] = {
    { "default", "What one wants first, on 80 columns", TABLE_COLUMNS_DEFAULT },
    { "wide", "All columns", TABLE_COLUMNS_WIDE },
    { NULL, NULL, 0 },
};

static bool
is_full_size(uint32_t payload_bytes)
{
    return value_is_in_range(full_sizes, payload_bytes);
}

static enum port_kind
port_kind(uint16_t port)
{
    if (value_is_in_range(server_ports, port))
        return PORT_CONFIGURED;
    return dissector_get_uint_handle(tcp_ports, port) ? PORT_REGISTERED : PORT_PLAIN;
}

static void
apply_preferences(void)
{
    *intake_settings() = (struct settings){
        .port_kind = port_kind,
        .is_channel_access = intake_settings()->is_channel_access,
        .is_pvaccess = intake_settings()->is_pvaccess,
        .is_full_size = full_sizes && full_sizes->nranges > 0 ? is_full_size : NULL,
        .chunk_bytes = chunk_bytes,
        .points = points,
        .id_headers = id_headers,
        .timeout_ns = (int64_t)timeout_seconds * 1000000000,
        .by_turns = !messages,
        .slow_ns = (int64_t)slow_ms * NS_PER_MS,
        .fold_numbers = fold_numbers,
        .same_hosts = same_hosts,
        .call_percent = call_percent,
    };
    intake_want_calls(calls);
    intake_source()->format = (enum table_format)table_format;
    intake_source()->shows_wide = table_columns == TABLE_COLUMNS_WIDE;
}

/* What tells which request caused which, and who is shown it. */
static void
register_calls(module_t *module)
{
    prefs_register_bool_preference(module, "calls", "Which request caused which",
                                   "The tree of a request says which request caused it, and which it called in turn: "
                                   "where frames are visited again, in Wireshark's window and with tshark -2.",
                                   &calls);
    prefs_register_string_preference(module, "same_hosts", "Addresses of one host",
                                     "Addresses that are one host's, each with = between them and hosts with commas, "
                                     "e.g. 10.0.0.1=192.168.1.1, 10.0.0.2=192.168.1.2. What one of them asks for is "
                                     "then known to be for what the other was asked.",
                                     &same_hosts);
    prefs_register_uint_preference(module, "call_probability", "Likely causes from (percent)",
                                   "Where no rule is certain which request caused another, the one is told that is at "
                                   "least so likely. Above 100: none that is only likely is told.",
                                   10, &call_percent);
    prefs_register_string_preference(module, "id_headers", "Headers with ids",
                                     "Further headers of HTTP and gRPC that name a request, besides traceparent, b3, "
                                     "x-request-id and the like: X-Job-Id,X-Trace. A request that carries the same id "
                                     "as another may be a call of it.",
                                     &id_headers);
}

static void
register_json(module_t *module)
{
    prefs_register_bool_preference(module, "json_calls", "Calls in JSON lines",
                                   "-z latency,json writes a line for each request whose cause, or whose calls, are "
                                   "known.",
                                   &json_calls);
    prefs_register_enum_preference(module, "json", "JSON lines",
                                   "What -z latency,json writes: all, so that latency-merge can join captures where "
                                   "one was cut; rows, without the headers that this needs; or a summary only.",
                                   &json_content, json_contents, FALSE);
}

void
preferences_register(int proto)
{
    enum { PORT_MOST = 65535, PAYLOAD_MOST = 1 << 20 };
    module_t *module = prefs_register_protocol(proto, apply_preferences);
    prefs_register_range_preference(
        module, "server_ports", "Server ports",
        "TCP ports of servers, e.g. 80,8000-8999, for connections whose start is not in the capture. Without them the "
        "server's port is one that Wireshark knows, else the lower one.",
        &server_ports, PORT_MOST);
    prefs_register_range_preference(
        module, "full_sizes", "Full segment sizes",
        "TCP payload sizes in bytes that count as a full segment, e.g. 1448,1460. Then each IP ID that is not one more "
        "than that of the packet before is a gap. Empty: sizes follow from the negotiated MSS, and segmentation "
        "offload is allowed for.",
        &full_sizes, PAYLOAD_MOST);
    prefs_register_uint_preference(module, "chunk_size", "Chunk size (bytes)",
                                   "Packets that begin at a multiple of this many bytes of their response are flagged "
                                   "latency.flags.chunk_boundary. 0: none.",
                                   10, &chunk_bytes);
    prefs_register_uint_preference(module, "timeout", "Timeout (seconds)",
                                   "A request without response for this many seconds after its last packet counts as "
                                   "unanswered (timed out). 0: never.",
                                   10, &timeout_seconds);
    prefs_register_uint_preference(
        module, "slow", "Slow from (milliseconds)",
        "What takes at least this long is slow: a response by its last byte, a stream by "
        "its first, and an answer to a SYN have the expert item latency.slow, a channel of EPICS and a "
        "search for one have ca.slow or pva.slow. Colours and buttons of the profiles go "
        "by these. 0: nothing is.",
        10, &slow_ms);
    prefs_register_bool_preference(module, "messages", "Requests by messages",
                                   "Messages of known protocols are read: each one that has an answer is a request, "
                                   "pipelined or not. Off: client and server take turns everywhere, and pipelined "
                                   "requests count as one.",
                                   &messages);
    prefs_register_string_preference(module, "point", "Capture point",
                                     "The capture point whose packets are analysed if a capture has several, by the "
                                     "name of its interface; or one for each direction, e.g. rx:driver,tx:driver. "
                                     "Empty: the lowest one that a direction's packets pass.",
                                     &points);
    prefs_register_bool_preference(module, "fold_numbers", "Fold numbers in paths",
                                   "In the table of operations, /user/1 and /user/2 of HTTP count as /user/{n}.",
                                   &fold_numbers);
    register_calls(module);
    register_json(module);
    prefs_register_enum_preference(module, "format", "Format of tables",
                                   "The format of the tables that tshark prints with -z: aligned text or, for "
                                   "programs, CSV, TSV, or one JSON object per row, with all digits.",
                                   &table_format, formats, FALSE);
    prefs_register_enum_preference(module, "columns", "Columns of tables",
                                   "The columns of the tables that tshark prints with -z as text: what one wants "
                                   "first, in 80 columns, and all only on a terminal that has room for them; or always "
                                   "all. CSV, TSV, JSON and Wireshark's windows have all.",
                                   &table_columns, columns, FALSE);
}

static bool
is_word(const enum_val_t *words, const char *word)
{
    for (; words->name; words++)
        if (g_ascii_strcasecmp(word, words->name) == 0 || g_ascii_strcasecmp(word, words->description) == 0)
            return true;
    return false;
}

static char *
refuse_same_hosts(const char *text)
{
    struct same_hosts hosts;
    char *wrong = same_hosts_read(text, &hosts), *refused = NULL;
    if (wrong)
        refused = g_strdup_printf("-o latency.same_hosts takes %s, %s.", SAME_HOSTS_TAKES, wrong);
    same_hosts_clear(&hosts);
    g_free(wrong);
    return refused;
}

/* `setting`: "latency.format:csv", as after -o. */
static char *
refuse_setting(const char *setting)
{
    static const struct {
        const char *name;
        const enum_val_t *words; /* NULL: names of headers */
        const char *takes;
    } known[] = {
        { "latency.format:", formats, "text, csv, tsv or json" },
        { "latency.columns:", columns, "default or wide" },
        { "latency.json:", json_contents, "all, rows or summary" },
        { "latency.id_headers:", NULL, "names of HTTP headers, like X-Job-Id,X-Trace" },
    };
    if (g_str_has_prefix(setting, "latency.same_hosts:"))
        return refuse_same_hosts(setting + strlen("latency.same_hosts:"));
    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        if (!g_str_has_prefix(setting, known[i].name))
            continue;
        const char *word = setting + strlen(known[i].name);
        word += strspn(word, " \t");
        if (known[i].words ? !is_word(known[i].words, word) : !http_are_names(word))
            return g_strdup_printf("-o %.*s takes %s, not \"%s\".", (int)strlen(known[i].name) - 1, known[i].name,
                                   known[i].takes, word);
    }
    return NULL;
}

char *
preferences_refuse(void)
{
    char *line, *refused = NULL;
    gsize length;
    if (!g_file_get_contents("/proc/self/cmdline", &line, &length, NULL))
        return NULL;
    for (const char *word = line; word < line + length && !refused; word += strlen(word) + 1) {
        const char *next = word + strlen(word) + 1;
        if (strcmp(word, "-o") == 0 && next < line + length)
            refused = refuse_setting(next);
        else if (g_str_has_prefix(word, "-o"))
            refused = refuse_setting(word + strlen("-o"));
    }
    g_free(line);
    return refused;
}

bool
preferences_has_calls(void)
{
    return calls;
}

bool
preferences_has_json_calls(void)
{
    return json_calls;
}

enum json_content
preferences_json_content(void)
{
    return (enum json_content)json_content;
}

char *
preferences_server_ports(wmem_allocator_t *scope)
{
    return range_convert_range(scope, server_ports);
}

char *
preferences_full_sizes(wmem_allocator_t *scope)
{
    return range_convert_range(scope, full_sizes);
}

void
preferences_handoff(void)
{
    tcp_ports = find_dissector_table("tcp.port");
    apply_preferences();
}
