/* preferences.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "preferences.h"

#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "core/calls/same_hosts.h"
#include "core/calls/worker.h"
#include "core/protocol/http/http_ids.h"
#include "core/util/nearest.h"
#include "known_ports.h"
#include "ranges.h"
#include "table/names.h"
#include "table/timestamp.h"

enum { CHUNK_BYTES = 9000, PORT_MOST = 65535, PAYLOAD_MOST = 1 << 20, SLOW_MS = 100, NS_PER_MS = 1000000 };

/* As Wireshark has them, the core asks for ports and sizes without a place to keep them. */
static struct {
    GArray *server_ports, *full_sizes, *ca_tcp_ports, *ca_udp_ports, *pva_tcp_ports;
    uint32_t chunk_bytes, timeout_s, slow_ms, call_percent;
    bool messages, fold_numbers, websocket_ids, json_calls;
    char *points, *same_hosts, *id_headers;
    enum json_content json;
    enum table_format format;
    enum table_columns columns;
    struct settings settings;
} preferences;

static bool
is_ca_server(uint16_t port)
{
    return ranges_have(preferences.ca_tcp_ports, port);
}

static bool
is_pva_server(uint16_t port)
{
    return ranges_have(preferences.pva_tcp_ports, port);
}

bool
preferences_is_ca_datagram(uint16_t port)
{
    return ranges_have(preferences.ca_udp_ports, port);
}

static bool
is_full_size(uint32_t payload_bytes)
{
    return ranges_have(preferences.full_sizes, payload_bytes);
}

static int
compare_ports(const void *port, const void *known)
{
    return *(const uint16_t *)port - *(const uint16_t *)known;
}

static bool
is_known(uint16_t port)
{
    return bsearch(&port, known_ports, n_known_ports, sizeof port, compare_ports) != NULL;
}

static enum port_kind
port_kind(uint16_t port)
{
    if (ranges_have(preferences.server_ports, port))
        return PORT_CONFIGURED;
    return is_known(port) || is_ca_server(port) || is_pva_server(port) ? PORT_REGISTERED : PORT_PLAIN;
}

void
preferences_begin(void)
{
    preferences.server_ports = ranges_read("", PORT_MOST);
    preferences.full_sizes = ranges_read("", PAYLOAD_MOST);
    preferences.ca_tcp_ports = ranges_read("5064", PORT_MOST);
    preferences.ca_udp_ports = ranges_read("5064-5065", PORT_MOST);
    preferences.pva_tcp_ports = ranges_read("5075", PORT_MOST);
    preferences.chunk_bytes = CHUNK_BYTES;
    preferences.slow_ms = SLOW_MS;
    preferences.call_percent = CALL_PERCENT;
    preferences.messages = true;
    preferences.points = g_strdup("");
    preferences.same_hosts = g_strdup("");
    preferences.id_headers = g_strdup("");
}

void
preferences_end(void)
{
    g_array_free(preferences.server_ports, TRUE);
    g_array_free(preferences.full_sizes, TRUE);
    g_array_free(preferences.ca_tcp_ports, TRUE);
    g_array_free(preferences.ca_udp_ports, TRUE);
    g_array_free(preferences.pva_tcp_ports, TRUE);
    g_free(preferences.points);
    g_free(preferences.same_hosts);
    g_free(preferences.id_headers);
}

static bool
set_ranges(void *place, const char *value, uint32_t most)
{
    GArray **ranges = place;
    GArray *read = ranges_read(value, most);
    if (!read)
        return false;
    g_array_free(*ranges, TRUE);
    *ranges = read;
    return true;
}

static bool
set_number(void *place, const char *value, uint32_t most)
{
    guint64 number;
    if (!g_ascii_string_to_unsigned(value, 10, 0, most, &number, NULL))
        return false;
    *(uint32_t *)place = (uint32_t)number;
    return true;
}

static bool
set_bool(void *place, const char *value, uint32_t most G_GNUC_UNUSED)
{
    bool yes = g_ascii_strcasecmp(value, "true") == 0;
    *(bool *)place = yes;
    return yes || g_ascii_strcasecmp(value, "false") == 0;
}

static bool
set_text(void *place, const char *value, uint32_t most G_GNUC_UNUSED)
{
    char **text = place;
    g_free(*text);
    *text = g_strdup(value);
    return true;
}

static bool
set_hosts(void *place, const char *value, uint32_t most)
{
    struct same_hosts hosts;
    char *wrong = same_hosts_read(value, &hosts);
    const bool is_right = !wrong;
    same_hosts_clear(&hosts);
    g_free(wrong);
    return is_right && set_text(place, value, most);
}

static bool
set_names(void *place, const char *value, uint32_t most)
{
    return http_are_names(value) && set_text(place, value, most);
}

static bool
set_json(void *place, const char *value, uint32_t most G_GNUC_UNUSED)
{
    for (unsigned i = 0; i < JSON_CONTENTS; i++) {
        if (g_ascii_strcasecmp(value, json_content_name(i)) != 0)
            continue;
        *(enum json_content *)place = (enum json_content)i;
        return true;
    }
    return false;
}

static bool
set_format(void *place, const char *value, uint32_t most G_GNUC_UNUSED)
{
    for (unsigned i = 0; i < TABLE_FORMATS; i++) {
        if (g_ascii_strcasecmp(value, table_format_names[i]) != 0)
            continue;
        *(enum table_format *)place = (enum table_format)i;
        return true;
    }
    return false;
}

static bool
set_columns(void *place, const char *value, uint32_t most G_GNUC_UNUSED)
{
    for (unsigned i = 0; i < TABLE_COLUMNS_CHOICES; i++) {
        if (g_ascii_strcasecmp(value, table_columns_names[i]) != 0)
            continue;
        *(enum table_columns *)place = (enum table_columns)i;
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    bool (*set)(void *place, const char *value, uint32_t most);
    void *place;
    uint32_t most;
    const char *takes;
} known[] = {
    { "latency.server_ports", set_ranges, &preferences.server_ports, PORT_MOST, "ports, like 80,8000-8999" },
    { "latency.full_sizes", set_ranges, &preferences.full_sizes, PAYLOAD_MOST, "sizes in bytes, like 1448,1460" },
    { "latency.chunk_size", set_number, &preferences.chunk_bytes, UINT32_MAX, "a number of bytes" },
    { "latency.timeout", set_number, &preferences.timeout_s, UINT32_MAX, "a number of seconds" },
    { "latency.slow", set_number, &preferences.slow_ms, UINT32_MAX, "a number of milliseconds" },
    { "latency.messages", set_bool, &preferences.messages, 0, "true or false" },
    { "latency.point", set_text, &preferences.points, 0, "names of capture points" },
    { "latency.id_headers", set_names, &preferences.id_headers, 0, "names of HTTP headers, like X-Job-Id,X-Trace" },
    { "latency.fold_numbers", set_bool, &preferences.fold_numbers, 0, "true or false" },
    { "latency.websocket_ids", set_bool, &preferences.websocket_ids, 0, "true or false" },
    { "latency.same_hosts", set_hosts, &preferences.same_hosts, 0, SAME_HOSTS_TAKES },
    { "latency.call_probability", set_number, &preferences.call_percent, UINT32_MAX, "a number of percent" },
    { "latency.format", set_format, &preferences.format, 0, "text, csv, tsv or json" },
    { "latency.columns", set_columns, &preferences.columns, 0, "default or wide" },
    { "latency.json_calls", set_bool, &preferences.json_calls, 0, "true or false" },
    { "latency.json", set_json, &preferences.json, 0, "all, rows or summary" },
    { "ca.tcp.port", set_ranges, &preferences.ca_tcp_ports, PORT_MOST, "ports, like 5064" },
    { "ca.udp.port", set_ranges, &preferences.ca_udp_ports, PORT_MOST, "ports, like 5064-5065" },
    { "pva.tcp.port", set_ranges, &preferences.pva_tcp_ports, PORT_MOST, "ports, like 5075" },
};

/* Returns a sentence that says that there is no such preference, and which there are. */
static char *
refuse_name(const char *preference)
{
    char *name = g_strndup(preference, strcspn(preference, ":"));
    struct nearest nearest = nearest_to(name);
    GString *names = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        nearest_offer(&nearest, known[i].name);
        g_string_append_printf(names, "%s%s", i ? ", " : "", known[i].name);
    }
    char *text = g_strdup_printf("-o \"%s\": latency-scan has no such preference.%s It has %s (docs/preferences.md).",
                                 preference, nearest.question, names->str);
    g_string_free(names, TRUE);
    g_free(name);
    return text;
}

char *
preferences_set(const char *preference)
{
    const char *value = strchr(preference, ':');
    if (!value)
        return g_strdup_printf("-o \"%s\" has no colon; a preference is set as in -o latency.timeout:5.", preference);
    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        if (strlen(known[i].name) != (size_t)(value - preference) ||
            strncmp(known[i].name, preference, (size_t)(value - preference)) != 0)
            continue;
        if (known[i].set(known[i].place, value + 1, known[i].most))
            return NULL;
        return g_strdup_printf("-o %s takes %s, not \"%s\".", known[i].name, known[i].takes, value + 1);
    }
    return refuse_name(preference);
}

const struct settings *
preferences_settings(void)
{
    preferences.settings = (struct settings){
        .port_kind = port_kind,
        .is_channel_access = is_ca_server,
        .is_pvaccess = is_pva_server,
        .is_full_size = preferences.full_sizes->len > 0 ? is_full_size : NULL,
        .chunk_bytes = preferences.chunk_bytes,
        .points = preferences.points,
        .id_headers = preferences.id_headers,
        .timeout_ns = (int64_t)preferences.timeout_s * 1000000000,
        .by_turns = !preferences.messages,
        .slow_ns = (int64_t)preferences.slow_ms * NS_PER_MS,
        .fold_numbers = preferences.fold_numbers,
        .websocket_ids = preferences.websocket_ids,
        .same_hosts = preferences.same_hosts,
        .call_percent = preferences.call_percent,
    };
    return &preferences.settings;
}

enum json_content
preferences_json_content(void)
{
    return preferences.json;
}

bool
preferences_has_json_calls(void)
{
    return preferences.json_calls;
}

enum table_format
preferences_table_format(void)
{
    return preferences.format;
}

bool
preferences_show_wide(void)
{
    return preferences.columns == TABLE_COLUMNS_WIDE;
}

static char *
text_of(wmem_allocator_t *scope, const GArray *ranges)
{
    char *text = ranges_text(ranges);
    char *copy = wmem_strdup(scope, text);
    g_free(text);
    return copy;
}

#define TEXT_OF(name)                                                                                                  \
    static char *name##_text(wmem_allocator_t *scope)                                                                  \
    {                                                                                                                  \
        return text_of(scope, preferences.name);                                                                       \
    }

TEXT_OF(server_ports)
TEXT_OF(full_sizes)
TEXT_OF(ca_tcp_ports)
TEXT_OF(ca_udp_ports)
TEXT_OF(pva_tcp_ports)

static enum timestamp_form form;

static char *
timestamp(wmem_allocator_t *scope, int64_t ns, int64_t start_ns)
{
    return timestamp_text(scope, form, ns, start_ns);
}

bool
preferences_set_times(const char *name)
{
    static const struct {
        const char *name;
        enum timestamp_form form;
    } forms[] = {
        { "a", TIMESTAMP_TIME },         { "ad", TIMESTAMP_DATE },       { "adoy", TIMESTAMP_DAY_OF_YEAR },
        { "u", TIMESTAMP_UTC_TIME },     { "ud", TIMESTAMP_UTC_DATE },   { "udoy", TIMESTAMP_UTC_DAY_OF_YEAR },
        { "e", TIMESTAMP_EPOCH },        { "r", TIMESTAMP_SINCE_START }, { "d", TIMESTAMP_SINCE_START },
        { "dd", TIMESTAMP_SINCE_START },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
        if (strcmp(name, forms[i].name) != 0)
            continue;
        form = forms[i].form;
        return true;
    }
    return false;
}

const struct source_texts *
preferences_texts(void)
{
    static const struct source_texts all = {
        .address = address_text,
        .timestamp = timestamp,
        .server_ports = server_ports_text,
        .full_sizes = full_sizes_text,
        .ca_tcp_ports = ca_tcp_ports_text,
        .ca_udp_ports = ca_udp_ports_text,
        .pva_tcp_ports = pva_tcp_ports_text,
        .wireshark = COMPAT_VERSION,
        .command = "latency-scan FILE -z ",
    };
    return &all;
}
