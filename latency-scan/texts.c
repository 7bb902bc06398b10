/* texts.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "texts.h"

#include <string.h>

#include "compat.h"
#include "preferences.h"
#include "table/names.h"
#include "table/timestamp.h"

static enum timestamp_form form;

static char *
timestamp(wmem_allocator_t *scope, int64_t ns, int64_t start_ns)
{
    return timestamp_text(scope, form, ns, start_ns);
}

bool
texts_set_times(const char *name)
{
    static const struct {
        const char *name;
        enum timestamp_form form;
    } forms[] = {
        { "a", TIMESTAMP_TIME },         { "ad", TIMESTAMP_DATE },       { "adoy", TIMESTAMP_DAY_OF_YEAR },
        { "u", TIMESTAMP_UTC_TIME },     { "ud", TIMESTAMP_UTC_DATE },   { "udoy", TIMESTAMP_UTC_DAY_OF_YEAR },
        { "e", TIMESTAMP_EPOCH },        { "r", TIMESTAMP_SINCE_START }, { "d", TIMESTAMP_SINCE_START },
        { "dd", TIMESTAMP_SINCE_START },
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
        if (strcmp(name, forms[i].name) != 0)
            continue;
        form = forms[i].form;
        return true;
    }
    return false;
}

const struct source_texts *
texts(void)
{
    static const struct source_texts all = {
        .address = address_text,
        .timestamp = timestamp,
        .server_ports = preferences_server_ports,
        .full_sizes = preferences_full_sizes,
        .ca_tcp_ports = preferences_ca_tcp_ports,
        .ca_udp_ports = preferences_ca_udp_ports,
        .pva_tcp_ports = preferences_pva_tcp_ports,
        .wireshark = COMPAT_VERSION,
    };
    return &all;
}
