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
static wireshark_bool websocket_ids;
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
    { "default", "The most important ones, in 80 columns", TABLE_COLUMNS_DEFAULT },
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
        .websocket_ids = websocket_ids,
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
    prefs_register_bool_preference(
        module, "calls", "Which request caused which",
        "Show in the packet details which request caused a request, and what it called. This "
        "needs two passes over the capture: Wireshark's window, or tshark -2.",
        &calls);
    prefs_register_string_preference(module, "same_hosts", "Addresses of one host",
                                     "Addresses that belong to one host, joined by =; hosts are separated by commas: "
                                     "10.0.0.1=192.168.1.1, 10.0.0.2=192.168.1.2. A request to one address of a host "
                                     "can then be the cause of what another address asks for.",
                                     &same_hosts);
    prefs_register_uint_preference(module, "call_probability", "Least probability of causes (percent)",
                                   "Where no rule is certain, a request is shown as the cause of another one if it is "
                                   "at least this likely. Above 100: only certain causes are shown.",
                                   10, &call_percent);
    prefs_register_string_preference(module, "id_headers", "Headers with request ids",
                                     "More headers of HTTP and gRPC that identify a request, besides traceparent, b3, "
                                     "x-request-id and the like: X-Job-Id,X-Trace. A request that carries the same id "
                                     "as another one may be a call of it.",
                                     &id_headers);
}

static void
register_json(module_t *module)
{
    prefs_register_bool_preference(module, "json_calls", "Calls in JSON lines",
                                   "Let -z latency,json write a line for each request whose cause or calls are known.",
                                   &json_calls);
    prefs_register_enum_preference(
        module, "json", "JSON lines",
        "What -z latency,json writes: all, so that latency-merge can join a capture that was "
        "cut into several; rows, without what joining needs; or only a summary.",
        &json_content, json_contents, FALSE);
}

void
preferences_register(int proto)
{
    enum { PORT_MOST = 65535, PAYLOAD_MOST = 1 << 20 };
    module_t *module = prefs_register_protocol(proto, apply_preferences);
    prefs_register_range_preference(module, "server_ports", "Server ports",
                                    "TCP ports of servers, for connections whose start was not captured: 80,8000-8999. "
                                    "Of other ports, the one that "
                                    "Wireshark knows is the server's, else the lower one.",
                                    &server_ports, PORT_MOST);
    prefs_register_range_preference(
        module, "full_sizes", "Full segment sizes",
        "TCP payload sizes in bytes that count as a full segment: 1448,1460. Each IP ID that is not one more than that "
        "of "
        "the previous packet is then a gap. Empty: the sizes follow from the negotiated MSS, and segmentation offload "
        "is taken into account.",
        &full_sizes, PAYLOAD_MOST);
    prefs_register_uint_preference(module, "chunk_size", "Chunk size (bytes)",
                                   "Packets that begin at a multiple of this many bytes in their response get the flag "
                                   "latency.flags.chunk_boundary. 0: none does.",
                                   10, &chunk_bytes);
    prefs_register_uint_preference(
        module, "timeout", "Timeout (seconds)",
        "A request counts as unanswered (timed out) if no response has come this many seconds "
        "after its last packet. 0: never.",
        10, &timeout_seconds);
    prefs_register_uint_preference(module, "slow", "Slow from (milliseconds)",
                                   "What takes at least this long is slow. A response up to its last byte, a stream up "
                                   "to its first, and the answer "
                                   "to a SYN then get the expert item latency.slow; an EPICS channel, or a search for "
                                   "one, gets ca.slow or pva.slow. "
                                   "The profiles' colours and buttons use these. 0: nothing is slow.",
                                   10, &slow_ms);
    prefs_register_bool_preference(module, "messages", "Requests by messages",
                                   "Read the messages of known protocols: each message that asks for an answer is a "
                                   "request, even if several are pipelined. Off: client and server take turns "
                                   "everywhere, and pipelined requests count as one.",
                                   &messages);
    prefs_register_string_preference(module, "point", "Capture point",
                                     "If a capture has several capture points, the name of the interface whose packets "
                                     "are analysed, or of one for each direction: rx:driver,tx:driver. Empty: for each "
                                     "direction the lowest one that its packets pass.",
                                     &points);
    prefs_register_bool_preference(module, "fold_numbers", "Fold numbers in paths",
                                   "Count the HTTP paths /user/1 and /user/2 as /user/{n} in the table of operations.",
                                   &fold_numbers);
    prefs_register_bool_preference(module, "websocket_ids", "Ids in WebSockets",
                                   "Pair the messages of a WebSocket by the ids of JSON-RPC and GraphQL in them, as "
                                   "requests and responses. Off: its messages are only counted.",
                                   &websocket_ids);
    register_calls(module);
    register_json(module);
    prefs_register_enum_preference(
        module, "format", "Format of tables",
        "The format of the tables that tshark prints with -z: aligned text or, for programs, "
        "CSV, TSV, or one JSON object for each row, with all digits.",
        &table_format, formats, FALSE);
    prefs_register_enum_preference(module, "columns", "Columns of tables",
                                   "The columns of the tables that tshark prints with -z as text. Default: the most "
                                   "important ones, in 80 columns, or all on a terminal that has room for them. Wide: "
                                   "always all, as CSV, TSV, JSON and Wireshark's windows have them.",
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
