/* scenario.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "scenario.h"

#include <string.h>

#include "reader.h"
#include "words.h"

enum { DEFAULT_MSS = 1460, DEFAULT_SNAPLEN = 262144 };

bool reader_wrong(struct reader *reader, const char *what, const char *word)
{
    if (reader->problem == NULL)
        reader->problem = word == NULL ? g_strdup(what) : g_strdup_printf("%s: '%s'", what, word);
    return false;
}

bool reader_number(struct reader *reader, const char *word, uint64_t max, uint64_t *value)
{
    if (word != NULL && word_number(word, max, value))
        return true;
    char *what = g_strdup_printf("expected a number up to %" G_GUINT64_FORMAT, max);
    reader_wrong(reader, what, word);
    g_free(what);
    return false;
}

struct scenario_connection *reader_connection(struct reader *reader)
{
    return &g_array_index(reader->connections, struct scenario_connection, reader->current);
}

struct scenario_segment *reader_last_segment(struct reader *reader)
{
    GPtrArray *segments = reader->scenario->segments;
    return segments->len == 0 ? NULL : g_ptr_array_index(segments, segments->len - 1);
}

struct scenario_segment *reader_add_segment(struct reader *reader, const struct scenario_segment *like)
{
    struct scenario_segment *segment = g_memdup2(like, sizeof *like);
    segment->line = reader->line;
    segment->payload = g_memdup2(like->payload, like->payload_len);
    segment->expectations = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(reader->scenario->segments, segment);
    return segment;
}

static void free_segment(void *data)
{
    struct scenario_segment *segment = data;
    g_ptr_array_free(segment->expectations, TRUE);
    g_free((void *)segment->payload);
    g_free(segment);
}

/* Adds the segment before once more, as another kind, at the time in `word`. */
static bool repeat_segment(struct reader *reader, enum scenario_kind kind, const char *word)
{
    struct scenario_segment *last = reader_last_segment(reader);
    int64_t time_ns;
    if (last == NULL || last->kind == SCENARIO_ICMP_QUOTED)
        return reader_wrong(reader, "no segment before this line", NULL);
    if (word == NULL || !word_time(word, last->time_ns, &time_ns))
        return reader_wrong(reader, "expected a time in seconds", word);
    struct scenario_segment *segment = reader_add_segment(reader, last);
    segment->kind = kind;
    segment->time_ns = time_ns;
    return true;
}

static bool read_words(struct reader *reader, char **words)
{
    unsigned n = g_strv_length(words);
    if (n == 0)
        return true;
    if (strcmp(words[0], "dup") == 0)
        return n <= 2 ? repeat_segment(reader, SCENARIO_DUPLICATE, n == 2 ? words[1] : "+0.000002")
                      : reader_wrong(reader, "a word too many", words[2]);
    if (strcmp(words[0], "icmp") == 0)
        return n == 3 && strcmp(words[1], "unreachable") == 0
                   ? repeat_segment(reader, SCENARIO_ICMP_QUOTED, words[2])
                   : reader_wrong(reader, "expected 'icmp unreachable time'", words[1]);
    if (g_ascii_isdigit(*words[0]) || *words[0] == '+')
        return read_segment_line(reader, words);
    return read_setting_line(reader, words);
}

static bool read_line(struct reader *reader, const char *line)
{
    if (*line == '!') {
        g_ptr_array_add(reader->scenario->settings, g_strstrip(g_strdup(line + 1)));
        return true;
    }
    if (*line == '?') {
        struct scenario_segment *last = reader_last_segment(reader);
        if (last == NULL)
            return reader_wrong(reader, "no segment before this line", NULL);
        g_ptr_array_add(last->expectations, g_strstrip(g_strdup(line + 1)));
        return true;
    }
    char **words = words_split(line);
    if (words == NULL)
        return reader_wrong(reader, "a string does not end", line);
    bool valid = read_words(reader, words);
    g_strfreev(words);
    return valid;
}

static GArray *first_connection(void)
{
    struct scenario_connection connection = {{{.mss = DEFAULT_MSS}, {.mss = DEFAULT_MSS}}};
    word_endpoint("10.0.0.1:40000", &connection.side[0].endpoint);
    word_endpoint("10.0.0.2:80", &connection.side[1].endpoint);
    side_set_isn(&connection.side[0], 1000);
    side_set_isn(&connection.side[1], 5000);
    side_set_ipid(&connection.side[0], IPID_UP, 100);
    side_set_ipid(&connection.side[1], IPID_UP, 500);
    GArray *connections = g_array_new(FALSE, FALSE, sizeof connection);
    g_array_append_val(connections, connection);
    return connections;
}

struct scenario *scenario_parse(const char *text, const char *name, char **error)
{
    struct scenario *scenario = g_new0(struct scenario, 1);
    scenario->vlans = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    scenario->snaplen = DEFAULT_SNAPLEN;
    scenario->segments = g_ptr_array_new_with_free_func(free_segment);
    scenario->settings = g_ptr_array_new_with_free_func(g_free);

    struct reader reader = {.scenario = scenario, .connections = first_connection()};
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL && reader.problem == NULL; line++) {
        reader.line++;
        read_line(&reader, *line);
    }
    g_strfreev(lines);
    scenario->connections = reader.connections->len;
    g_array_free(reader.connections, TRUE);
    if (reader.problem == NULL)
        return scenario;
    *error = g_strdup_printf("%s:%u: %s", name, reader.line, reader.problem);
    g_free(reader.problem);
    scenario_free(scenario);
    return NULL;
}

struct scenario *scenario_read(const char *path, char **error)
{
    char *text;
    GError *problem = NULL;
    if (!g_file_get_contents(path, &text, NULL, &problem)) {
        *error = g_strdup(problem->message);
        g_error_free(problem);
        return NULL;
    }
    struct scenario *scenario = scenario_parse(text, path, error);
    g_free(text);
    return scenario;
}

void scenario_free(struct scenario *scenario)
{
    g_array_free(scenario->vlans, TRUE);
    g_ptr_array_free(scenario->segments, TRUE);
    g_ptr_array_free(scenario->settings, TRUE);
    g_free(scenario);
}
