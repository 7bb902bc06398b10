/* segment_line.c
 * `<time> > FLAGS key=value "payload"`
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>
#include <sys/socket.h>

#include "reader.h"
#include "words.h"

enum { DEFAULT_WINDOW = 64240, DEFAULT_TTL = 64 };

/* So that the whole packet fits the IP header's length, tunnels included. */
enum { MAX_PAYLOAD = 65000 };

enum key { KEY_SEQ, KEY_ACK, KEY_WIN, KEY_TTL, KEY_MSS, KEY_ID, KEY_FRAG, KEY_OPTIONS, KEY_LEN, KEY_BYTES, N_KEYS };

static const struct {
    const char *name;
    uint32_t max;
} keys[N_KEYS] = {
    [KEY_SEQ] = {"seq", UINT32_MAX}, [KEY_ACK] = {"ack", UINT32_MAX}, [KEY_WIN] = {"win", UINT16_MAX},
    [KEY_TTL] = {"ttl", UINT8_MAX},  [KEY_MSS] = {"mss", UINT16_MAX}, [KEY_ID] = {"id", UINT16_MAX},
    [KEY_FRAG] = {"frag", UINT16_MAX}, [KEY_OPTIONS] = {"options", 0}, [KEY_LEN] = {"len", MAX_PAYLOAD},
    [KEY_BYTES] = {"bytes", 0},
};

/* N_KEYS if the word is none of them. */
static enum key find_key(const char *word, const char **value)
{
    for (int key = 0; key < N_KEYS; key++)
        if ((*value = word_value(word, keys[key].name)) != NULL)
            return (enum key)key;
    return N_KEYS;
}

static bool add_options(struct reader *reader, struct scenario_segment *segment, const char *hex)
{
    GByteArray *bytes = g_byte_array_new();
    bool valid = word_hex(hex, bytes) && bytes->len % 4 == 0 &&
                 bytes->len + segment->options_bytes <= SCENARIO_OPTIONS_BYTES;
    if (valid) {
        memcpy(segment->options + segment->options_bytes, bytes->data, bytes->len);
        segment->options_bytes = (uint8_t)(segment->options_bytes + bytes->len);
    }
    g_byte_array_free(bytes, TRUE);
    return valid || reader_wrong(reader, "expected 4, 8, ... 40 hexadecimal bytes of options", hex);
}

static bool read_header_word(struct reader *reader, struct scenario_segment *segment, struct side *side[2],
                             const char *word)
{
    const char *value = NULL;
    enum key key = find_key(word, &value);
    if (*word == '"' || key == KEY_LEN || key == KEY_BYTES)
        return true;
    if (key == N_KEYS)
        return reader_wrong(reader, "unknown word on a segment line", word);
    if (key == KEY_OPTIONS)
        return add_options(reader, segment, value);
    if ((key == KEY_ID || key == KEY_FRAG) && !segment->has_ip_id)
        return reader_wrong(reader, "not for IPv6", word);
    uint64_t n = 0;
    if (!(key == KEY_MSS && strcmp(value, "none") == 0) && !reader_number(reader, value, keys[key].max, &n))
        return false;
    switch (key) {
    case KEY_SEQ:
        segment->seq = side[0]->isn + (uint32_t)n;
        break;
    case KEY_ACK:
        segment->ack = side[1]->isn + (uint32_t)n;
        break;
    case KEY_WIN:
        segment->window = (uint16_t)n;
        break;
    case KEY_TTL:
        segment->ttl = (uint8_t)n;
        break;
    case KEY_MSS:
        segment->mss = (uint16_t)n;
        break;
    case KEY_ID:
        segment->ip_id = (uint16_t)n;
        side_take_ip_id(side[0], segment->ip_id);
        break;
    default:
        if (n == 0 || n % 8 != 0) /* the fragment offset counts in 8 bytes (RFC 791) */
            return reader_wrong(reader, "fragments need a multiple of 8 bytes", word);
        segment->fragment_bytes = (uint16_t)n;
        segment->dont_fragment = false;
        break;
    }
    return true;
}

/* len=N fills with letters that follow the sequence number, so that a retransmission repeats what was sent. */
static bool read_payload_word(struct reader *reader, GByteArray *payload, uint32_t offset, const char *word)
{
    const char *value = NULL;
    enum key key = find_key(word, &value);
    if (*word == '"' && !word_string(word, payload))
        return reader_wrong(reader, "not a string", word);
    if (key == KEY_BYTES && !word_hex(value, payload))
        return reader_wrong(reader, "expected pairs of hexadecimal digits", word);
    if (key == KEY_LEN) {
        uint64_t n;
        if (!reader_number(reader, value, MAX_PAYLOAD, &n))
            return false;
        for (; n > 0; n--) {
            uint8_t letter = (uint8_t)('a' + (offset + payload->len) % 26);
            g_byte_array_append(payload, &letter, 1);
        }
    }
    return payload->len <= MAX_PAYLOAD || reader_wrong(reader, "payload is too long", word);
}

static bool read_words(struct reader *reader, struct scenario_segment *segment, struct side *side[2], char **words)
{
    bool id_given = false;
    for (char **word = words; *word != NULL; word++) {
        if (!read_header_word(reader, segment, side, *word))
            return false;
        id_given = id_given || word_value(*word, "id") != NULL;
    }
    if (segment->has_ip_id && !id_given)
        segment->ip_id = side_next_ip_id(side[0]);
    if (!side_add_options(segment, side[0], side[1], reader->timestamps))
        return reader_wrong(reader, "TCP options take more than 40 bytes", NULL);

    GByteArray *payload = g_byte_array_new();
    uint32_t offset = segment->seq - side[0]->isn;
    bool valid = true;
    for (char **word = words; *word != NULL && valid; word++)
        valid = read_payload_word(reader, payload, offset, *word);
    if (valid) {
        segment->payload = payload->data;
        segment->payload_len = payload->len;
        side_sent(side[0], segment);
        reader_add_segment(reader, segment);
    }
    g_byte_array_free(payload, TRUE);
    return valid;
}

bool read_segment_line(struct reader *reader, char **words)
{
    const struct scenario_segment *last = reader_last_segment(reader);
    struct scenario_segment segment = {.window = DEFAULT_WINDOW, .ttl = DEFAULT_TTL};
    if (!word_time(words[0], last == NULL ? 0 : last->time_ns, &segment.time_ns))
        return reader_wrong(reader, "expected a setting or a time in seconds", words[0]);
    if (words[1] == NULL || (strcmp(words[1], ">") != 0 && strcmp(words[1], "<") != 0))
        return reader_wrong(reader, "expected > or < after the time", words[1]);
    if (words[2] == NULL || !word_flags(words[2], &segment.flags))
        return reader_wrong(reader, "expected flags out of SAFRPU, or a dot", words[2]);

    struct scenario_connection *connection = reader_connection(reader);
    segment.from_client = *words[1] == '>';
    struct side *side[2] = {&connection->side[segment.from_client ? 0 : 1],
                            &connection->side[segment.from_client ? 1 : 0]};
    bool syn = (segment.flags & SCENARIO_SYN) != 0;
    segment.connection = reader->current + 1;
    segment.source = side[0]->endpoint;
    segment.destination = side[1]->endpoint;
    if (segment.source.family != segment.destination.family)
        return reader_wrong(reader, "client and server need addresses of the same family", NULL);
    segment.seq = syn ? side[0]->isn : side[0]->next;
    segment.ack = (segment.flags & SCENARIO_ACK) != 0 ? side[1]->next : 0;
    segment.mss = syn ? side[0]->mss : 0;
    segment.has_ip_id = segment.source.family == AF_INET;
    segment.dont_fragment = segment.has_ip_id;
    return read_words(reader, &segment, side, words + 3);
}
