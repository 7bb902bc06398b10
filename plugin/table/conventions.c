/* conventions.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "conventions.h"

#include <string.h>

#include <glib.h>

#include "../core/tcp/connection.h"

const struct convention *
convention_of(unsigned protocol)
{
    static const struct convention all[PROTOCOL_COUNT] = {
        [PROTOCOL_HTTP] = { CONVENTION_HTTP, "" },
        [PROTOCOL_HTTP2] = { CONVENTION_HTTP, "2" },
        [PROTOCOL_HTTP3] = { CONVENTION_HTTP, "3" },
        [PROTOCOL_POSTGRESQL] = { CONVENTION_SQL, "postgresql" },
        [PROTOCOL_MYSQL] = { CONVENTION_SQL, "mysql" },
        [PROTOCOL_REDIS] = { CONVENTION_DATABASE, "redis" },
        [PROTOCOL_MEMCACHED] = { CONVENTION_DATABASE, "memcached" },
        [PROTOCOL_MONGODB] = { CONVENTION_DATABASE, "mongodb" },
        [PROTOCOL_KAFKA] = { CONVENTION_MESSAGING, "kafka" },
        [PROTOCOL_AMQP] = { CONVENTION_MESSAGING, "rabbitmq" },
        [PROTOCOL_MQTT] = { CONVENTION_MESSAGING, "mqtt" },
        [PROTOCOL_DNS] = { CONVENTION_DNS, "" },
    };
    return &all[protocol < PROTOCOL_COUNT ? protocol : PROTOCOL_TURNS];
}

bool
convention_is_grpc(unsigned protocol, const char *operation)
{
    return convention_of(protocol)->family == CONVENTION_HTTP && operation[0] == '/';
}

unsigned
convention_http_status(unsigned protocol, const char *operation, const char *status)
{
    enum { DIGITS = 3 };
    if (convention_of(protocol)->family != CONVENTION_HTTP || convention_is_grpc(protocol, operation) ||
        strspn(status, "0123456789") != DIGITS || status[DIGITS])
        return 0;
    return (unsigned)g_ascii_strtoull(status, NULL, 10);
}
