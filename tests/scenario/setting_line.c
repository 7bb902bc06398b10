/* setting_line.c
 * `key value...`: of the capture, of one side of the connection, or which connection.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "reader.h"
#include "words.h"

enum { MAX_SNAPLEN = 262144, MAX_VLAN = 4095, MAX_VLANS = 2 };

static bool read_choice(struct reader *reader, const char *word, const char *const *choices, unsigned *choice)
{
    int index = word == NULL ? -1 : word_choice(word, choices);
    if (index < 0)
        return reader_wrong(reader, "not one of the values", word);
    *choice = (unsigned)index;
    return true;
}

/* `client` or `server`. */
static bool read_side(struct reader *reader, const char *word, struct side **side)
{
    static const char *const names[] = {"client", "server", NULL};
    unsigned choice = 0;
    if (!read_choice(reader, word, names, &choice))
        return false;
    *side = &reader_connection(reader)->side[choice];
    return true;
}

static bool read_endpoint(struct reader *reader, char **words)
{
    struct side *side;
    if (!read_side(reader, words[0], &side))
        return false;
    return (words[1] != NULL && word_endpoint(words[1], &side->endpoint)) ||
           reader_wrong(reader, "expected address:port", words[1]);
}

static bool read_capture(struct reader *reader, char **words)
{
    static const char *const links[] = {"ethernet", "raw", "null", "sll2", NULL};
    static const char *const tunnels[] = {"none", "gre", "vxlan", NULL};
    static const char *const switches[] = {"off", "on", NULL};
    struct scenario *scenario = reader->scenario;
    uint64_t n;
    unsigned choice = 0;
    if (strcmp(words[0], "link") == 0 && read_choice(reader, words[1], links, &choice)) {
        scenario->link = (enum scenario_link)choice;
    } else if (strcmp(words[0], "tunnel") == 0 && read_choice(reader, words[1], tunnels, &choice)) {
        scenario->tunnel = (enum scenario_tunnel)choice;
    } else if (strcmp(words[0], "timestamps") == 0 && read_choice(reader, words[1], switches, &choice)) {
        reader->timestamps = choice != 0;
    } else if (strcmp(words[0], "snaplen") == 0 && reader_number(reader, words[1], MAX_SNAPLEN, &n)) {
        scenario->snaplen = (uint32_t)n;
    } else if (strcmp(words[0], "vlan") == 0 && reader_number(reader, words[1], MAX_VLAN, &n)) {
        uint16_t vlan = (uint16_t)n;
        if (scenario->vlans->len == MAX_VLANS)
            return reader_wrong(reader, "more than two VLAN tags", words[1]);
        g_array_append_val(scenario->vlans, vlan);
    }
    if (scenario->vlans->len > 0 && scenario->link != SCENARIO_ETHERNET)
        return reader_wrong(reader, "VLAN tags need link ethernet", NULL);
    return reader->problem == NULL;
}

static bool read_isn(struct reader *reader, char **words)
{
    struct side *side;
    uint64_t n;
    if (!read_side(reader, words[1], &side) || !reader_number(reader, words[2], UINT32_MAX, &n))
        return false;
    side_set_isn(side, (uint32_t)n);
    return true;
}

static bool read_mss(struct reader *reader, char **words)
{
    struct side *side;
    uint64_t n = 0;
    bool none = words[1] != NULL && words[2] != NULL && strcmp(words[2], "none") == 0;
    if (!read_side(reader, words[1], &side) || (!none && !reader_number(reader, words[2], UINT16_MAX, &n)))
        return false;
    side->mss = (uint16_t)n;
    return true;
}

/* ipid client|server START, swapped [START], constant VALUE, random SEED */
static bool read_ipid(struct reader *reader, char **words)
{
    static const char *const rules[] = {"", "swapped", "constant", "random", NULL}; /* as enum ipid_rule */
    struct side *side;
    uint64_t n = 1;
    if (!read_side(reader, words[1], &side))
        return false;
    int rule = words[2] == NULL ? -1 : word_choice(words[2], rules);
    const char *start = rule > 0 ? words[3] : words[2];
    uint32_t max = rule == IPID_RANDOM ? UINT32_MAX : UINT16_MAX;
    if (!(rule == IPID_SWAPPED && start == NULL) && !reader_number(reader, start, max, &n))
        return false;
    side_set_ipid(side, rule > 0 ? (enum ipid_rule)rule : IPID_UP, (uint32_t)n);
    return true;
}

/* new client address:port */
static bool read_new(struct reader *reader, char **words)
{
    const struct scenario_connection *like = reader_connection(reader);
    struct scenario_connection connection = {{side_renew(&like->side[0]), side_renew(&like->side[1])}};
    if (words[1] == NULL || strcmp(words[1], "client") != 0)
        return reader_wrong(reader, "expected 'new client address:port'", words[1]);
    g_array_append_val(reader->connections, connection);
    reader->current = reader->connections->len - 1;
    return read_endpoint(reader, words + 1);
}

static bool read_use(struct reader *reader, char **words)
{
    uint64_t n;
    if (!reader_number(reader, words[1], reader->connections->len, &n))
        return false;
    if (n == 0)
        return reader_wrong(reader, "connections are numbered from 1", words[1]);
    reader->current = (unsigned)n - 1;
    return true;
}

bool read_setting_line(struct reader *reader, char **words)
{
    static const struct {
        const char *key;
        unsigned max_words;
        bool (*read)(struct reader *reader, char **words);
    } lines[] = {
        {"link", 2, read_capture},    {"vlan", 2, read_capture},       {"tunnel", 2, read_capture},
        {"snaplen", 2, read_capture}, {"timestamps", 2, read_capture}, {"client", 2, read_endpoint},
        {"server", 2, read_endpoint}, {"isn", 3, read_isn},            {"mss", 3, read_mss},
        {"ipid", 4, read_ipid},       {"new", 3, read_new},            {"use", 2, read_use},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        if (strcmp(words[0], lines[i].key) != 0)
            continue;
        if (g_strv_length(words) > lines[i].max_words)
            return reader_wrong(reader, "a word too many", words[lines[i].max_words]);
        return lines[i].read(reader, words);
    }
    return reader_wrong(reader, "expected a setting or a time in seconds", words[0]);
}
