/* scenario-tests.c
 * Plays each scenario to the core and checks its expectations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>
#include <sys/socket.h>

#include "core/analysis.h"
#include "expect.h"
#include "scenario.h"
#include "scenario-settings.h"

enum { ETHERNET_BYTES = 14, VLAN_BYTES = 4, IPV4_BYTES = 20, IPV6_BYTES = 40, TCP_BYTES = 20 };

static struct endpoint
endpoint_from(const struct scenario_endpoint *from)
{
    struct endpoint endpoint = { .port = from->port };
    memcpy(endpoint.address, from->address, sizeof endpoint.address);
    return endpoint;
}

/* Stands for the TCP checksum: what matters is that it differs where the header, options or payload do. */
static uint16_t
checksum_of(const struct scenario_segment *from)
{
    uint32_t hash = from->seq * 31 + from->ack * 37 + from->flags * 41U + from->window;
    for (unsigned i = 0; i < from->options_bytes; i++)
        hash = hash * 33 + from->options[i];
    for (uint32_t i = 0; i < from->payload_len; i++)
        hash = hash * 33 + from->payload[i];
    return (uint16_t)(hash ^ hash >> 16);
}

/* What the snap length leaves of so many bytes behind the headers. */
static uint32_t
captured(const struct scenario *scenario, uint32_t headers, uint32_t bytes)
{
    return scenario->snaplen <= headers ? 0 : MIN(bytes, scenario->snaplen - headers);
}

static struct segment
segment_from(const struct scenario *scenario, const struct scenario_segment *from, uint32_t frame)
{
    struct segment segment = {
        .frame = frame,
        .time_ns = from->time_ns,
        .source = endpoint_from(&from->source),
        .destination = endpoint_from(&from->destination),
        .ipv6 = from->source.family == AF_INET6,
        .seq = from->seq,
    };
    if (from->kind == SCENARIO_ICMP_QUOTED) /* of which the core may look at no more */
        return segment;
    uint32_t headers = ETHERNET_BYTES + VLAN_BYTES * scenario->vlans->len + TCP_BYTES;
    headers += segment.ipv6 ? IPV6_BYTES : IPV4_BYTES;
    segment.has_ip_id = from->has_ip_id;
    segment.ip_id = from->ip_id;
    segment.ack = from->ack;
    segment.flags = from->flags;
    segment.options_bytes = from->options_bytes;
    segment.options_captured = captured(scenario, headers, from->options_bytes) == from->options_bytes;
    segment.mss = segment.options_captured ? from->mss : 0;
    segment.window = from->window;
    segment.checksum = checksum_of(from);
    segment.payload_bytes = from->payload_len;
    uint32_t tcp_bytes = TCP_BYTES + from->options_bytes;
    if (from->fragment_bytes != 0 && from->fragment_bytes < tcp_bytes + from->payload_len) {
        segment.fragmented = true; /* only its first fragment is a TCP segment */
        segment.payload_bytes = from->fragment_bytes - MIN(tcp_bytes, from->fragment_bytes);
    }
    segment.captured_bytes = captured(scenario, headers + from->options_bytes, segment.payload_bytes);
    return segment;
}

static void
take(struct analysis *analysis, const struct scenario *scenario, const struct scenario_segment *from, uint32_t frame)
{
    struct segment segment = segment_from(scenario, from, frame);
    if (from->kind == SCENARIO_ICMP_QUOTED) {
        analysis_take_quoted(analysis, &segment);
        return;
    }
    /* A copy of its exact size, gone after the call, as reading past it or later is what a sanitizer shall see. */
    uint8_t *payload = g_memdup2(from->payload, segment.captured_bytes);
    segment.payload = payload;
    analysis_take(analysis, &segment);
    analysis_read(analysis, &segment);
    g_free(payload);
}

static void
play(const struct scenario *scenario, const struct settings *settings, bool keep, const char *name)
{
    wmem_allocator_t *scope = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    struct analysis *analysis = analysis_new(scope, settings);
    items_set_keep(analysis->items, keep);
    for (uint32_t i = 0; i < scenario->segments->len; i++) {
        const struct scenario_segment *from = g_ptr_array_index(scenario->segments, i);
        take(analysis, scenario, from, i + 1);
        expect_check(analysis, from, i + 1, false, name);
    }
    analysis_end(analysis);
    for (uint32_t i = 0; keep && i < scenario->segments->len; i++)
        expect_check(analysis, g_ptr_array_index(scenario->segments, i), i + 1, true, name);
    analysis_free(analysis);
    wmem_destroy_allocator(scope);
}

/* One that checks nothing has lost its `?` lines. */
static bool
expects_something(const struct scenario *scenario)
{
    for (guint i = 0; i < scenario->segments->len; i++) {
        const struct scenario_segment *segment = g_ptr_array_index(scenario->segments, i);
        if (segment->expectations->len > 0)
            return true;
    }
    return false;
}

static void
test_scenario(const void *data)
{
    const char *path = data;
    char *name = g_path_get_basename(path);
    char *error = NULL;
    struct settings settings;
    struct scenario *scenario = scenario_read(path, &error);
    if (scenario != NULL && scenario_settings(scenario, &settings, &error)) {
        g_assert_true(expects_something(scenario));
        play(scenario, &settings, true, name);
        play(scenario, &settings, false, name);
    }
    if (error != NULL) {
        g_test_message("%s: %s", name, error);
        g_test_fail();
    }
    if (scenario != NULL)
        scenario_free(scenario);
    g_free(error);
    g_free(name);
}

static void
add_test(const char *folder, const char *file)
{
    char *test = g_strdup_printf("/scenario/%.*s", (int)strlen(file) - 4, file); /* without .scn */
    g_test_add_data_func_full(test, g_build_filename(folder, file, NULL), test_scenario, g_free);
    g_free(test);
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
scenario_tests_add(const char *folder)
{
    GError *error = NULL;
    GDir *dir = g_dir_open(folder, 0, &error);
    if (dir == NULL) {
        g_printerr("%s\n", error->message);
        g_error_free(error);
        return false;
    }
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    for (const char *file; (file = g_dir_read_name(dir)) != NULL;)
        if (g_str_has_suffix(file, ".scn"))
            g_ptr_array_add(files, g_strdup(file));
    g_dir_close(dir);
    g_ptr_array_sort(files, compare_names);
    for (guint i = 0; i < files->len; i++)
        add_test(folder, g_ptr_array_index(files, i));
    bool found = files->len > 0;
    if (!found)
        g_printerr("%s: no scenarios\n", folder);
    g_ptr_array_free(files, TRUE);
    return found;
}
