/* fastcgi_params.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "fastcgi_params.h"

#include <glib.h>
#include <wsutil/pint.h>

#include "../../../compat.h"
#include "../http/http_ids.h"

enum { IS_LONG = 0x80, LONG_BYTES = 4 };

/* Returns the bytes that a length takes which begins with this one. */
static size_t
bytes_of_length(uint8_t first)
{
    return first & IS_LONG ? LONG_BYTES : 1;
}

static uint32_t
read_length(const uint8_t *bytes)
{
    return bytes[0] & IS_LONG ? pntohu32(bytes) & INT32_MAX : bytes[0];
}

/* Takes a byte of the two lengths; true if that was the last one. */
static bool
take_length(struct fastcgi_params *params, uint8_t byte)
{
    params->lengths[params->n_lengths++] = byte;
    const size_t first = bytes_of_length(params->lengths[0]);
    if (params->n_lengths <= first || params->n_lengths < first + bytes_of_length(params->lengths[first]))
        return false;
    params->name_left = params->name_length = read_length(params->lengths);
    params->value_left = params->value.whole = read_length(params->lengths + first);
    return true;
}

/* CGI's variable of a field of HTTP is in upper case, has HTTP_ before it, and for each hyphen an underscore. */
static void
find_ids(struct fastcgi_params *params)
{
    static const char prefix[] = "HTTP_";
    char *field = params->name + strlen(prefix);
    if (!params->id_names || params->value.whole > FASTCGI_VALUE_MOST || !g_str_has_prefix(params->name, prefix))
        return;
    g_strdelimit(field, "_", '-');
    http_find_ids((const uint8_t *)field, strlen(field), params->value.bytes, params->value.whole, params->id_names,
                  &params->ids);
}

/* A pair is there. */
static void
take_pair(struct fastcgi_params *params)
{
    params->n_lengths = 0;
    if (params->name_length > FASTCGI_NAME_MOST)
        return;
    params->name[params->name_length] = '\0';
    if (strcmp(params->name, "REQUEST_METHOD") == 0) {
        params->method = params->value;
    } else if (strcmp(params->name, "REQUEST_URI") == 0) {
        params->target = params->value;
        params->has_uri = true;
    } else if (strcmp(params->name, "SCRIPT_NAME") == 0 && !params->has_uri) {
        params->target = params->value;
    } else {
        find_ids(params);
    }
}

/* Takes what there is of a name or a value of `whole` bytes, of which the first `most` are kept; returns how much. */
static size_t
take_text(uint8_t *text, size_t most, uint32_t whole, uint32_t *left, const uint8_t *bytes, size_t length)
{
    const size_t at = whole - *left, taken = MIN(*left, length);
    if (at < most)
        memcpy(text + at, bytes, MIN(taken, most - at));
    *left -= (uint32_t)taken;
    return taken;
}

void
fastcgi_params_take(struct fastcgi_params *params, const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    while (at < length) {
        if (params->name_left > 0)
            at += take_text((uint8_t *)params->name, FASTCGI_NAME_MOST, params->name_length, &params->name_left,
                            bytes + at, length - at);
        else if (params->value_left > 0)
            at += take_text(params->value.bytes, FASTCGI_VALUE_MOST, params->value.whole, &params->value_left,
                            bytes + at, length - at);
        else if (!take_length(params, bytes[at++]))
            continue;
        if (params->name_left == 0 && params->value_left == 0)
            take_pair(params);
    }
}

static void
put(struct operation_writer *writer, const struct fastcgi_text *text)
{
    operation_put(writer, text->bytes, MIN(text->whole, FASTCGI_VALUE_MOST));
}

void
fastcgi_params_operation(const struct fastcgi_params *params, char *text)
{
    struct operation_writer writer = { .text = text };
    *text = '\0';
    if (params->method.whole == 0 || params->target.whole == 0)
        return;
    put(&writer, &params->method);
    operation_put_text(&writer, " ");
    put(&writer, &params->target);
    operation_finish(&writer);
}
