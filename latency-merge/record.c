/* record.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "record.h"

#include <string.h>

#include <wsutil/inet_addr.h>

#include "core/request/operation.h"
#include "core/util/printable.h"

enum { PORT_MOST = 65535 };

static void
note_wrong(struct record *record, const char *name)
{
    if (!record->wrong)
        record->wrong = name;
}

bool
record_has(const struct record *record, const char *name)
{
    return record->object && json_object_has_member(record->object, name);
}

static bool
is_value(JsonNode *node, GType type)
{
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

static JsonNode *
member(const struct record *record, const char *name)
{
    return record->object ? json_object_get_member(record->object, name) : NULL;
}

int64_t
record_int(struct record *record, const char *name)
{
    JsonNode *node = member(record, name);
    if (is_value(node, G_TYPE_INT64))
        return json_node_get_int(node);
    note_wrong(record, name);
    return 0;
}

int64_t
record_optional_int(struct record *record, const char *name, int64_t absent)
{
    return record_has(record, name) ? record_int(record, name) : absent;
}

int64_t
record_time(struct record *record, const char *name)
{
    const int64_t furthest_ns = INT64_C(1) << 62;
    int64_t ns = record_int(record, name);
    if (-furthest_ns <= ns && ns <= furthest_ns)
        return ns;
    note_wrong(record, name);
    return 0;
}

uint64_t
record_uint(struct record *record, const char *name, uint64_t most)
{
    int64_t number = record_int(record, name);
    if (number >= 0 && (uint64_t)number <= most)
        return (uint64_t)number;
    note_wrong(record, name);
    return 0;
}

uint64_t
record_optional_uint(struct record *record, const char *name, uint64_t most)
{
    return record_has(record, name) ? record_uint(record, name, most) : 0;
}

const char *
record_text(struct record *record, const char *name)
{
    JsonNode *node = member(record, name);
    if (is_value(node, G_TYPE_STRING))
        return json_node_get_string(node);
    note_wrong(record, name);
    return "";
}

unsigned
record_word(struct record *record, const char *name, const char *(*word)(unsigned number), unsigned count)
{
    const unsigned number = word_find(record_text(record, name), word, count);
    if (number < count)
        return number;
    record->wrong = record->wrong ? record->wrong : name;
    return 0;
}

const char *
record_optional_text(struct record *record, const char *name, const char *absent)
{
    return record_has(record, name) ? record_text(record, name) : absent;
}

const char *
record_printed_text(struct record *record, const char *name)
{
    const char *text = record_optional_text(record, name, "");
    if (is_printable(text))
        return text;
    note_wrong(record, name);
    return "";
}

bool
record_optional_true(struct record *record, const char *name)
{
    bool has = record_has(record, name), is_true = false;
    if (has)
        is_true = is_value(member(record, name), G_TYPE_BOOLEAN) && json_node_get_boolean(member(record, name));
    if (has && !is_true)
        note_wrong(record, name);
    return is_true;
}

JsonArray *
record_array(struct record *record, const char *name)
{
    JsonNode *node = member(record, name);
    if (node && JSON_NODE_HOLDS_ARRAY(node))
        return json_node_get_array(node);
    note_wrong(record, name);
    return NULL;
}

struct record
record_object(struct record *record, const char *name)
{
    JsonNode *node = member(record, name);
    if (node && JSON_NODE_HOLDS_OBJECT(node))
        return (struct record){ json_node_get_object(node), NULL };
    note_wrong(record, name);
    return (struct record){ NULL, NULL };
}

static JsonNode *
element(JsonArray *array, unsigned index)
{
    return array && index < json_array_get_length(array) ? json_array_get_element(array, index) : NULL;
}

int64_t
record_element(struct record *record, const char *name, JsonArray *array, unsigned index, int64_t least, int64_t most)
{
    JsonNode *node = element(array, index);
    int64_t number = is_value(node, G_TYPE_INT64) ? json_node_get_int(node) : least - 1;
    if (least <= number && number <= most)
        return number;
    note_wrong(record, name);
    return least;
}

JsonArray *
record_array_element(struct record *record, const char *name, JsonArray *array, unsigned index)
{
    JsonNode *node = element(array, index);
    if (node && JSON_NODE_HOLDS_ARRAY(node))
        return json_node_get_array(node);
    note_wrong(record, name);
    return NULL;
}

const char *
record_text_element(struct record *record, const char *name, JsonArray *array, unsigned index)
{
    JsonNode *node = element(array, index);
    if (is_value(node, G_TYPE_STRING))
        return json_node_get_string(node);
    note_wrong(record, name);
    return "";
}

const char *
record_operation_element(struct record *record, const char *name, JsonArray *array, unsigned index)
{
    const char *text = record_text_element(record, name, array, index);
    if (strlen(text) < OPERATION_ROOM && is_printable(text))
        return text;
    note_wrong(record, name);
    return "";
}

bool
address_read(const char *text, struct endpoint *endpoint, bool *ipv6)
{
    ws_in4_addr address4;
    ws_in6_addr address6;
    *ipv6 = strchr(text, ':') != NULL;
    memset(endpoint->address, 0, sizeof endpoint->address);
    if (*ipv6 && ws_inet_pton6(text, &address6))
        memcpy(endpoint->address, &address6, sizeof address6);
    else if (!*ipv6 && ws_inet_pton4(text, &address4))
        memcpy(endpoint->address, &address4, sizeof address4);
    else
        return false;
    return true;
}

void
record_endpoint(struct record *record, const char *name, const char *port, struct endpoint *endpoint, bool *ipv6)
{
    if (!address_read(record_text(record, name), endpoint, ipv6))
        note_wrong(record, name);
    endpoint->port = port ? (uint16_t)record_uint(record, port, PORT_MOST) : 0;
}

/* A decimal number. False if it is none, or has more than 128 bits. */
static bool
read_digits(const char *text, unsigned_wide *number)
{
    *number = (unsigned_wide){ 0 };
    for (const char *at = text; *at; at++)
        if (!g_ascii_isdigit(*at) || !unsigned_wide_append(number, (unsigned)(*at - '0')))
            return false;
    return *text != '\0';
}

static bool
read_histogram(struct record *record, struct statistic *statistic)
{
    JsonArray *bars = record_array(record, "histogram");
    uint64_t total = 0;
    int64_t least = 0;
    for (unsigned i = 0; bars && i < json_array_get_length(bars) && !record->wrong; i++) {
        JsonNode *node = json_array_get_element(bars, i);
        JsonArray *bar = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
        int64_t bucket = record_element(record, "histogram", bar, 0, least, HISTOGRAM_BUCKETS - 1);
        uint64_t count = (uint64_t)record_element(record, "histogram", bar, 1, 1, INT64_MAX);
        if (record->wrong)
            return false;
        histogram_add(&statistic->histogram, (uint32_t)bucket, count);
        total += count;
        least = bucket + 1;
    }
    return total == statistic->moments.count;
}

struct statistic
record_statistic(struct record *record, const char *name)
{
    struct record member_record = record_object(record, name);
    struct statistic statistic = { 0 };
    struct moments *moments = &statistic.moments;
    moments->count = record_uint(&member_record, "count", INT64_MAX);
    moments->sum = wide_of(record_int(&member_record, "sum"));
    bool right = read_digits(record_text(&member_record, "squares"), &moments->squares);
    if (moments->count) {
        moments->min = record_int(&member_record, "min");
        moments->max = record_int(&member_record, "max");
    }
    right &= read_histogram(&member_record, &statistic);
    if (!right || member_record.wrong)
        note_wrong(record, name);
    return statistic;
}
