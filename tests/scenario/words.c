/* words.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "words.h"

#include <arpa/inet.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

char **words_split(const char *line)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    const char *at = line;
    for (;;) {
        while (is_blank(*at))
            at++;
        if (*at == '\0' || *at == '#')
            break;
        const char *start = at;
        bool quoted = false;
        for (; *at != '\0' && (quoted || !is_blank(*at)); at++) {
            if (*at == '"')
                quoted = !quoted;
            else if (quoted && *at == '\\' && at[1] != '\0')
                at++;
        }
        if (quoted) {
            g_ptr_array_free(words, TRUE);
            return NULL;
        }
        g_ptr_array_add(words, g_strndup(start, (gsize)(at - start)));
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

bool word_number(const char *word, uint64_t max, uint64_t *value)
{
    bool hexadecimal = g_str_has_prefix(word, "0x");
    const char *digits = hexadecimal ? word + 2 : word;
    return g_ascii_string_to_unsigned(digits, hexadecimal ? 16 : 10, 0, max, value, NULL);
}

bool word_time(const char *word, int64_t previous_ns, int64_t *time_ns)
{
    enum { NS_DIGITS = 9 };
    const int64_t max_ns = INT64_C(4000000000) * 1000000000; /* what a capture's 32-bit seconds hold */
    bool relative = *word == '+';
    int64_t ns = 0;
    int fraction = -1;
    const char *first = relative ? word + 1 : word;
    for (const char *at = first; *at != '\0'; at++) {
        if (*at == '.' && fraction < 0 && at != first) {
            fraction = 0;
            continue;
        }
        if (!g_ascii_isdigit(*at) || fraction == NS_DIGITS || ns > max_ns / 10)
            return false;
        ns = ns * 10 + g_ascii_digit_value(*at);
        if (fraction >= 0)
            fraction++;
    }
    if (*first == '\0')
        return false;
    for (int digit = fraction < 0 ? 0 : fraction; digit < NS_DIGITS; digit++) {
        if (ns > max_ns / 10)
            return false;
        ns *= 10;
    }
    *time_ns = relative ? previous_ns + ns : ns;
    return *time_ns <= max_ns;
}

bool word_endpoint(const char *word, struct scenario_endpoint *endpoint)
{
    const char *colon = strrchr(word, ':');
    uint64_t port;
    if (colon == NULL || !word_number(colon + 1, UINT16_MAX, &port))
        return false;
    bool ipv6 = *word == '[' && colon[-1] == ']';
    char *address = ipv6 ? g_strndup(word + 1, (gsize)(colon - word - 2)) : g_strndup(word, (gsize)(colon - word));
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->family = ipv6 ? AF_INET6 : AF_INET;
    endpoint->port = (uint16_t)port;
    bool valid = inet_pton(endpoint->family, address, endpoint->address) == 1;
    g_free(address);
    return valid;
}

bool word_flags(const char *word, uint8_t *flags)
{
    static const char letters[] = "FSRPAU"; /* from the lowest bit up */
    *flags = 0;
    if (strcmp(word, ".") == 0)
        return true;
    for (const char *at = word; *at != '\0'; at++) {
        const char *letter = strchr(letters, *at);
        if (letter == NULL)
            return false;
        *flags = (uint8_t)(*flags | (1U << (letter - letters)));
    }
    return true;
}

/* The value of two hexadecimal digits, -1 if they are not. */
static int hex_pair(const char *digits)
{
    int high = g_ascii_xdigit_value(digits[0]);
    int low = high < 0 ? -1 : g_ascii_xdigit_value(digits[1]);
    return low < 0 ? -1 : high * 16 + low;
}

static void append(GByteArray *bytes, int value)
{
    uint8_t byte = (uint8_t)value;
    g_byte_array_append(bytes, &byte, 1);
}

bool word_hex(const char *word, GByteArray *bytes)
{
    for (const char *at = word; *at != '\0'; at += 2) {
        int value = hex_pair(at);
        if (value < 0)
            return false;
        append(bytes, value);
    }
    return *word != '\0';
}

bool word_string(const char *word, GByteArray *bytes)
{
    static const char escapes[] = "rnt\\\"", meanings[] = "\r\n\t\\\"";
    size_t length = strlen(word);
    if (length < 2 || word[0] != '"' || word[length - 1] != '"')
        return false;
    const char *end = word + length - 1;
    for (const char *at = word + 1; at < end; at++) {
        if (*at == '"')
            return false;
        if (*at != '\\') {
            append(bytes, *at);
            continue;
        }
        at++;
        const char *escape = strchr(escapes, *at);
        if (*at == 'x' && hex_pair(at + 1) >= 0) {
            append(bytes, hex_pair(at + 1));
            at += 2;
        } else if (escape != NULL) {
            append(bytes, meanings[escape - escapes]);
        } else {
            return false;
        }
    }
    return true;
}

int word_choice(const char *word, const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(word, choices[i]) == 0)
            return i;
    return -1;
}

const char *word_value(const char *word, const char *key)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}
