/* mqtt_reason.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mqtt_reason.h"

#include <stdio.h>

#include <glib.h>

#include "../../request/request.h"

struct reason {
    uint8_t code;
    const char *name;
};

/* Those whose names are no longer than STATUS_ROOM has room for. */
static const struct reason reasons[] = {
    { 0x80, "Unspecified error" },
    { 0x81, "Malformed Packet" },
    { 0x82, "Protocol Error" },
    { 0x87, "Not authorized" },
    { 0x88, "Server unavailable" },
    { 0x89, "Server busy" },
    { 0x8a, "Banned" },
    { 0x8d, "Keep Alive timeout" },
    { 0x8e, "Session taken over" },
    { 0x90, "Topic Name invalid" },
    { 0x95, "Packet too large" },
    { 0x97, "Quota exceeded" },
    { 0x9b, "QoS not supported" },
    { 0x9c, "Use another server" },
    { 0x9d, "Server moved" },
};

static const struct reason old_codes[] = {
    { 2, "identifier rejected" },
    { 3, "Server unavailable" },
    { 5, "Not authorized" },
};

static const char *
name_of(const struct reason *names, size_t n, uint8_t code)
{
    for (size_t i = 0; i < n; i++)
        if (names[i].code == code)
            return names[i].name;
    return NULL;
}

void
mqtt_status(uint8_t code, bool is_old, char *status)
{
    const char *name =
        is_old ? name_of(old_codes, G_N_ELEMENTS(old_codes), code) : name_of(reasons, G_N_ELEMENTS(reasons), code);
    *status = '\0';
    if (name)
        g_strlcpy(status, name, STATUS_ROOM);
    else if (code != 0)
        snprintf(status, STATUS_ROOM, is_old ? "%u" : "0x%02x", code);
}
