/* nats_status.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "nats_status.h"

#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "../../request/request.h"

/* Returns the number behind the text, wherever that stands; 0 if it does not. */
static uint32_t
number_behind(struct nats_word word, const char *text)
{
    const uint8_t *at = nats_find(word, text);
    if (!at)
        return 0;
    at += strlen(text);
    return nats_number((struct nats_word){ at, (size_t)(word.at + word.length - at) });
}

uint32_t
nats_header_status(struct nats_word header)
{
    static const char version[] = "NATS/1.0 ";
    return nats_word_begins(header, version) ? number_behind(header, version) : 0;
}

/* Returns the number of an error that JetStream's API, or an acknowledgement of what was published, has (ADR-1); of an
 * error of a service that in its header (ADR-32). */
static uint32_t
error_of(struct nats_word header, struct nats_word body)
{
    const uint32_t service = number_behind(header, "\r\nNats-Service-Error-Code:");
    if (service > 0)
        return service;
    if (!nats_word_begins(body, "{\"type\":\"io.nats.jetstream.") && !nats_word_begins(body, "{\"error\":{\"code\":"))
        return 0;
    return nats_find(body, "\"error\":{\"code\":") ? number_behind(body, "\"err_code\":") : 0;
}

/* Tells that nothing is there (404), or has come in time (408), as no error. */
bool
nats_status(struct nats_word payload, size_t header_bytes, char *status)
{
    enum { NO_MESSAGES = 404, TIMED_OUT = 408, FAILED = 400 };
    const size_t split = MIN(header_bytes, payload.length);
    const struct nats_word header = { payload.at, split }, body = { payload.at + split, payload.length - split };
    const uint32_t code = nats_header_status(header), error = code > 0 ? 0 : error_of(header, body);
    *status = '\0';
    if (code > 0 || error > 0)
        snprintf(status, STATUS_ROOM, "%u", code > 0 ? code : error);
    return error > 0 || (code >= FAILED && code != NO_MESSAGES && code != TIMED_OUT);
}

void
nats_error_status(struct nats_word text, char *status)
{
    size_t length = 0;
    for (size_t i = 1; i < text.length && text.at[i] != '\'' && i < STATUS_ROOM; i++)
        status[length++] = g_ascii_isprint(text.at[i]) ? (char)text.at[i] : '.';
    if (length == STATUS_ROOM - 1)
        while (length > 1 && status[length - 1] != ' ')
            length--;
    while (length > 0 && status[length - 1] == ' ')
        length--;
    status[length] = '\0';
}
