/* source_texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "source_texts.h"

#include <epan/epan.h>
#include <epan/prefs.h>
#include <epan/timestamp.h>

#include "../../table/timestamp.h"
#include "../intake/intake.h"
#include "preferences.h"
#include "../view.h"

static char *
timestamp(wmem_allocator_t *scope, int64_t ns, int64_t start_ns)
{
    static const enum timestamp_form forms[] = {
        [TS_EPOCH] = TIMESTAMP_EPOCH,
        [TS_ABSOLUTE] = TIMESTAMP_TIME,
        [TS_ABSOLUTE_WITH_YMD] = TIMESTAMP_DATE,
        [TS_ABSOLUTE_WITH_YDOY] = TIMESTAMP_DAY_OF_YEAR,
        [TS_UTC] = TIMESTAMP_UTC_TIME,
        [TS_UTC_WITH_YMD] = TIMESTAMP_UTC_DATE,
        [TS_UTC_WITH_YDOY] = TIMESTAMP_UTC_DAY_OF_YEAR,
    };
    unsigned type = (unsigned)timestamp_get_type();
    return timestamp_text(scope, type < G_N_ELEMENTS(forms) ? forms[type] : TIMESTAMP_SINCE_START, ns, start_ns);
}

static char *
ports_of(wmem_allocator_t *scope, const char *protocol, const char *preference)
{
    range_t *range = prefs_get_range_value(protocol, preference);
    return range ? range_convert_range(scope, range) : wmem_strdup(scope, "");
}

static char *
ca_tcp_ports(wmem_allocator_t *scope)
{
    return ports_of(scope, "ca", "tcp.port");
}

static char *
ca_udp_ports(wmem_allocator_t *scope)
{
    return ports_of(scope, "ca", "udp.port");
}

static char *
pva_tcp_ports(wmem_allocator_t *scope)
{
    return ports_of(scope, "pva", "tcp.port");
}

void
source_texts_register(void)
{
    static struct source_texts texts = {
        .address = view_address,
        .timestamp = timestamp,
        .server_ports = preferences_server_ports,
        .full_sizes = preferences_full_sizes,
        .ca_tcp_ports = ca_tcp_ports,
        .ca_udp_ports = ca_udp_ports,
        .pva_tcp_ports = pva_tcp_ports,
        .command = "tshark -q -r FILE -z ",
    };
    texts.wireshark = epan_get_version();
    intake_source()->texts = &texts;
}
