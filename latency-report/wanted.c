/* wanted.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "wanted.h"

#include <string.h>

#include <json-glib/json-glib.h>

void
wanted_read(const char *line, const struct wanted *wanted, unsigned n)
{
    struct member member;
    unsigned next = 0; /* they stand in the same order in each line, most of them in that of the list */
    while (members_next(&line, &member)) {
        for (unsigned i = 0; i < n; i++) {
            const struct wanted *each = &wanted[(next + i) % n];
            if (!member_is(&member, each->name))
                continue;
            *each->member = member;
            next = next + i + 1;
            break;
        }
    }
}

/* Whether a quote ends the text before its end. */
static bool
has_quote(const char *text)
{
    for (; *text && *text != '"'; text++)
        text += text[0] == '\\' && text[1];
    return *text == '"';
}

/* Without JSON's escapes; NULL if it is no text of JSON. */
static char *
unescaped(const char *text)
{
    char *quoted = g_strdup_printf("[\"%s\"]", text), *read = NULL;
    JsonNode *node = json_from_string(quoted, NULL);
    if (node) {
        read = g_strdup(json_array_get_string_element(json_node_get_array(node), 0));
        json_node_unref(node);
    }
    g_free(quoted);
    return read;
}

char *
wanted_text(const struct member *member)
{
    char *text = g_strndup(member->length ? member->value : "", member->length), *read = text;
    if (strchr(text, '\\')) {
        read = has_quote(text) ? NULL : unescaped(text);
        g_free(text);
    }
    if (!read || g_utf8_validate(read, -1, NULL))
        return read ? read : g_strdup("?");
    char *valid = g_utf8_make_valid(read, -1);
    g_free(read);
    return valid;
}

char *
wanted_endpoint(const struct member *address, const struct member *port)
{
    char *host = wanted_text(address), *number = wanted_text(port);
    char *endpoint = g_strdup_printf(strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, number);
    g_free(host);
    g_free(number);
    return endpoint;
}
