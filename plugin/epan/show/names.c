/* names.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "names.h"

#include <epan/address.h>
#include <epan/to_str.h>

#include "../../table/names.h"

value_string outcome_strings[OUTCOMES + 1];
value_string connect_result_strings[CONNECT_RESULTS + 1];
value_string tls_result_strings[TLS_RESULTS + 1];

void
names_fill(void)
{
    for (unsigned i = 0; i < OUTCOMES; i++)
        outcome_strings[i] = (value_string){ i, outcome_name(i) };
    for (unsigned i = 0; i < CONNECT_RESULTS; i++)
        connect_result_strings[i] = (value_string){ i, connect_result_name(i) };
    for (unsigned i = 0; i < TLS_RESULTS; i++)
        tls_result_strings[i] = (value_string){ i, tls_result_name(i) };
}

char *
names_address(wmem_allocator_t *scope, const struct endpoint *endpoint, bool ipv6)
{
    address addr = ADDRESS_INIT(ipv6 ? AT_IPv6 : AT_IPv4, ipv6 ? 16 : 4, endpoint->address);
    return address_to_display(scope, &addr);
}
