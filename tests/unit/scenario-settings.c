/* scenario-settings.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scenario-settings.h"

#include <string.h>

#include "words.h"

enum { DEFAULT_CHUNK = 9000, MAX_NUMBERS = 8 };

struct numbers {
    unsigned n;
    uint32_t number[MAX_NUMBERS];
};

/* Of the scenario being played: the core's callbacks take nothing but what they are asked about. */
static struct numbers server_ports, registered_ports, full_sizes;

static bool
has(const struct numbers *numbers, uint32_t number)
{
    for (unsigned i = 0; i < numbers->n; i++)
        if (numbers->number[i] == number)
            return true;
    return false;
}

static enum port_kind
port_kind(uint16_t port)
{
    if (has(&server_ports, port))
        return PORT_CONFIGURED;
    return has(&registered_ports, port) ? PORT_REGISTERED : PORT_PLAIN;
}

static bool
is_full_size(uint32_t payload_bytes)
{
    return has(&full_sizes, payload_bytes);
}

static bool
read_list(const char *text, struct numbers *numbers)
{
    char **words = g_strsplit(text, ",", -1);
    bool valid = true;
    for (char **word = words; *word != NULL && valid; word++) {
        uint64_t number;
        valid = numbers->n < MAX_NUMBERS && word_number(*word, UINT32_MAX, &number);
        if (valid)
            numbers->number[numbers->n++] = (uint32_t)number;
    }
    g_strfreev(words);
    return valid;
}

/* `key value` */
static bool
read_setting(const char *key, const char *value, struct settings *settings)
{
    uint64_t number;
    if (strcmp(key, "server_ports") == 0)
        return read_list(value, &server_ports);
    if (strcmp(key, "registered_ports") == 0)
        return read_list(value, &registered_ports);
    if (strcmp(key, "full_sizes") == 0) {
        settings->is_full_size = is_full_size;
        return read_list(value, &full_sizes);
    }
    if (strcmp(key, "timeout") == 0)
        return word_time(value, 0, &settings->timeout_ns);
    if (strcmp(key, "chunk_size") != 0 || !word_number(value, UINT32_MAX, &number))
        return false;
    settings->chunk_bytes = (uint32_t)number;
    return true;
}

bool
scenario_settings(const struct scenario *scenario, struct settings *settings, char **error)
{
    *settings = (struct settings){ .port_kind = port_kind, .chunk_bytes = DEFAULT_CHUNK };
    server_ports.n = registered_ports.n = full_sizes.n = 0;
    for (guint i = 0; i < scenario->settings->len; i++) {
        const char *line = g_ptr_array_index(scenario->settings, i);
        char **words = words_split(line);
        bool valid = words != NULL && g_strv_length(words) == 2 && read_setting(words[0], words[1], settings);
        g_strfreev(words);
        if (!valid) {
            *error = g_strdup_printf("not a setting: '! %s'", line);
            return false;
        }
    }
    return true;
}
