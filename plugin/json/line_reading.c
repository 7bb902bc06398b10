/* line_reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "../core/util/printable.h"
#include "line_members.h"

enum { WORDS_MOST = 64 };

/* A number's bounds, and how many bytes it has in the structure. */
struct number {
    int64_t least, most;
    size_t bytes;
};

static const struct number numbers[] = {
    [MEMBER_UINT16] = { 0, UINT16_MAX, sizeof(uint16_t) },
    [MEMBER_UINT32] = { 0, UINT32_MAX, sizeof(uint32_t) },
    [MEMBER_UINT64] = { 0, INT64_MAX, sizeof(uint64_t) },
    [MEMBER_AMOUNT] = { 0, INT64_MAX, sizeof(int64_t) },
    [MEMBER_TIME] = { -(INT64_C(1) << 62), INT64_C(1) << 62, sizeof(int64_t) },
    [MEMBER_DIFFERENCE] = { NO_TIME + 1, INT64_MAX, sizeof(int64_t) },
};

static bool
read_number(const struct token *token, enum member_type type, void *value)
{
    const struct number *number = &numbers[type];
    if (token->kind != TOKEN_INTEGER || token->integer < number->least || token->integer > number->most)
        return false;
    if (number->bytes == sizeof(uint16_t))
        *(uint16_t *)value = (uint16_t)token->integer;
    else if (number->bytes == sizeof(uint32_t))
        *(uint32_t *)value = (uint32_t)token->integer;
    else
        *(int64_t *)value = token->integer;
    return true;
}

static bool
read_text(struct token *token, const char **text)
{
    *text = token->kind == TOKEN_TEXT ? token_text(token) : "";
    return token->kind == TOKEN_TEXT;
}

static bool
read_word(struct token *token, member_word *word, unsigned *value)
{
    const char *text;
    if (!read_text(token, &text) || !*text)
        return false;
    for (*value = 0; *value < WORDS_MOST; ++*value)
        if (strcmp(word(*value), text) == 0)
            return true;
    *value = 0;
    return false;
}

static bool
read_stages(struct token *token, struct member_stages *stages)
{
    struct record record = record_of(token);
    for (unsigned part = 0; token->kind == TOKEN_OBJECT && part < PARTS; part++)
        stages->parts_ns[part] = (int64_t)record_uint(&record, part_name(part), INT64_MAX);
    return token->kind == TOKEN_OBJECT && !record.wrong;
}

static bool
read_elements(struct token *token, struct member_elements *elements)
{
    if (token->kind == TOKEN_ARRAY)
        elements->read = (struct elements){ token_first(token), token->length };
    return token->kind == TOKEN_ARRAY;
}

static bool
read_address(struct token *token, struct member_endpoint *value)
{
    const char *text;
    value->is_none = false;
    return read_text(token, &text) && address_read(text, &value->endpoint, &value->ipv6);
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
    static const char name[] = "histogram";
    struct elements bars = record_array(record, name);
    uint64_t total = 0;
    int64_t least = 0;
    while (bars.left > 0 && !record->wrong) {
        struct elements bar = record_next_array(record, name, &bars);
        const int64_t bucket = record_next_int(record, name, &bar, least, HISTOGRAM_BUCKETS - 1);
        const uint64_t count = (uint64_t)record_next_int(record, name, &bar, 1, INT64_MAX);
        if (record->wrong)
            return false;
        histogram_add(&statistic->histogram, (uint32_t)bucket, count);
        total += count;
        least = bucket + 1;
    }
    return total == statistic->moments.count;
}

static bool
read_statistic(struct token *token, struct statistic *statistic)
{
    struct record record = record_of(token);
    struct moments *moments = &statistic->moments;
    if (token->kind != TOKEN_OBJECT)
        return false;
    moments->count = record_uint(&record, "count", INT64_MAX);
    moments->sum = wide_of(record_int(&record, "sum"));
    const bool has_squares = read_digits(record_text(&record, "squares"), &moments->squares);
    if (moments->count) {
        moments->min = record_int(&record, "min");
        moments->max = record_int(&record, "max");
    }
    return read_histogram(&record, statistic) && has_squares && !record.wrong;
}

static bool
read_mean(struct token *token, struct member_mean *mean)
{
    struct record record = record_of(token);
    if (token->kind != TOKEN_OBJECT)
        return false;
    mean->count = record_uint(&record, "count", INT64_MAX);
    mean->sum = wide_of(record_int(&record, "sum"));
    return !record.wrong;
}

static bool
read_object(struct token *token, const struct members *members, void *values)
{
    struct record record = record_of(token);
    return token->kind == TOKEN_OBJECT && line_read(&record, members, values);
}

static bool
read_member(const struct member *member, struct token *token, void *value)
{
    switch (member->type) {
    case MEMBER_UINT16:
    case MEMBER_UINT32:
    case MEMBER_UINT64:
    case MEMBER_AMOUNT:
    case MEMBER_TIME:
    case MEMBER_DIFFERENCE:
        return read_number(token, member->type, value);
    case MEMBER_TRUE:
        *(bool *)value = token->kind == TOKEN_TRUE;
        return token->kind == TOKEN_TRUE;
    case MEMBER_TEXT:
        return read_text(token, value);
    case MEMBER_PRINTED:
        return read_text(token, value) && is_printable(*(const char **)value);
    case MEMBER_ENDPOINT:
    case MEMBER_ADDRESS:
        return read_address(token, value);
    case MEMBER_STATISTIC:
        return read_statistic(token, value);
    case MEMBER_MEAN:
        return read_mean(token, value);
    case MEMBER_SETTINGS:
    case MEMBER_IPID_STEPS:
    case MEMBER_HISTOGRAM:
        return read_object(token, member_members(member->type), value);
    case MEMBER_STAGES:
        return read_stages(token, value);
    case MEMBER_ELEMENTS:
        return read_elements(token, value);
    default:
        return read_word(token, member_words(member->type), value);
    }
}

/* Whether a name is the member's, or the port's of an endpoint. */
static bool
is_named(const struct token *name, const struct member *member, bool *is_port)
{
    *is_port = false;
    if (*name->text != *member->name)
        return false;
    if (token_is(name, member->name))
        return true;
    *is_port = member->type == MEMBER_ENDPOINT && token_is(name, member->port_name);
    return *is_port;
}

/* The number of the member of that name, most likely the one expected or behind it; their count if there is none. */
static unsigned
find(const struct members *members, const struct token *name, unsigned expected, bool *is_port)
{
    for (unsigned i = 0; i < members->count; i++) {
        const unsigned number = expected + i < members->count ? expected + i : expected + i - members->count;
        if (is_named(name, &members->all[number], is_port))
            return number;
    }
    return members->count;
}

/* Members that have been read, by their numbers. */
struct seen {
    uint64_t members, ports;
};

static void
expect_all(struct record *record, const struct members *members, const struct seen *seen)
{
    for (unsigned i = 0; i < members->count; i++) {
        const struct member *member = &members->all[i];
        if (member->wanted == MEMBER_ALWAYS && !(seen->members >> i & 1))
            record_note_wrong(record, member->name);
        if (member->type == MEMBER_ENDPOINT && !(seen->ports >> i & 1))
            record_note_wrong(record, member->port_name);
    }
}

void
line_clear(const struct members *members, void *values)
{
    for (unsigned i = 0; i < members->count; i++)
        if (members->all[i].type == MEMBER_STATISTIC)
            statistic_clear((char *)values + members->all[i].offset);
}

bool
line_read(struct record *record, const struct members *members, void *values)
{
    struct seen seen = { 0 };
    struct token *name = token_first(record->object);
    unsigned expected = 0;
    members_clear(members, values);
    for (unsigned left = record->object->length; left > 0; left--) {
        bool is_port;
        struct token *value = token_next(name);
        const unsigned number = find(members, name, expected, &is_port);
        name = token_next(value);
        if (number == members->count)
            continue;
        const struct member *member = &members->all[number];
        void *at = (char *)values + member->offset;
        uint64_t *noted = is_port ? &seen.ports : &seen.members;
        if (*noted >> number & 1 ||
            !(is_port ? read_number(value, MEMBER_UINT16, &((struct member_endpoint *)at)->endpoint.port)
                      : read_member(member, value, at)))
            record_note_wrong(record, is_port ? member->port_name : member->name);
        *noted |= UINT64_C(1) << number;
        expected = number + (member->type != MEMBER_ENDPOINT || is_port);
    }
    expect_all(record, members, &seen);
    if (record->wrong)
        line_clear(members, values);
    return !record->wrong;
}
