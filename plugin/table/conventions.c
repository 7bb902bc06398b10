/* conventions.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conventions.h"

#include <string.h>

#include <glib.h>

#include "../core/tcp/connection.h"

const struct convention *
convention_of(unsigned framing)
{
    static const struct convention all[FRAMING_KINDS] = {
        [FRAMING_HTTP] = { CONVENTION_HTTP, "" },
        [FRAMING_HTTP2] = { CONVENTION_HTTP, "2" },
        [FRAMING_HTTP3] = { CONVENTION_HTTP, "3" },
        [FRAMING_POSTGRESQL] = { CONVENTION_SQL, "postgresql" },
        [FRAMING_MYSQL] = { CONVENTION_SQL, "mysql" },
        [FRAMING_REDIS] = { CONVENTION_DATABASE, "redis" },
        [FRAMING_MEMCACHED] = { CONVENTION_DATABASE, "memcached" },
        [FRAMING_MONGODB] = { CONVENTION_DATABASE, "mongodb" },
        [FRAMING_KAFKA] = { CONVENTION_MESSAGING, "kafka" },
        [FRAMING_AMQP] = { CONVENTION_MESSAGING, "rabbitmq" },
        [FRAMING_MQTT] = { CONVENTION_MESSAGING, "mqtt" },
        [FRAMING_DNS] = { CONVENTION_DNS, "" },
    };
    return &all[framing < FRAMING_KINDS ? framing : FRAMING_TURNS];
}

bool
convention_is_grpc(unsigned framing, const char *operation)
{
    return convention_of(framing)->family == CONVENTION_HTTP && operation[0] == '/';
}

unsigned
convention_http_status(unsigned framing, const char *operation, const char *status)
{
    enum { DIGITS = 3 };
    if (convention_of(framing)->family != CONVENTION_HTTP || convention_is_grpc(framing, operation) ||
        strspn(status, "0123456789") != DIGITS || status[DIGITS])
        return 0;
    return (unsigned)g_ascii_strtoull(status, NULL, 10);
}
