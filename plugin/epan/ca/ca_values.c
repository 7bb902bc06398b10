/* ca_values.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "ca_values.h"

#include <epan/prefs.h>
#include <wsutil/report_message.h>

enum { VALUES_LIMIT = 10000 };

/* Of both protocols: as many as its highest number. */
static range_t *values_shown[2];

static range_t **
values_of(const struct ca_dissector *dissector)
{
    return &values_shown[dissector->protocol != &circuit_of_channel_access];
}

unsigned
ca_values_shown(const struct ca_dissector *dissector)
{
    const range_t *range = *values_of(dissector);
    return range->nranges ? range->ranges[range->nranges - 1].high : 0;
}

/* Registered after all protocols. */
static void
check_values(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(values_shown); i++) {
        const range_t *range = values_shown[i];
        if (range && (range->nranges != 1 || range->ranges[0].low != range->ranges[0].high))
            report_failure("The preference %s.values must be one number, at most %d; the first %u values of an array "
                           "are shown now.",
                           i ? "pva" : "ca", VALUES_LIMIT, range->nranges ? range->ranges[range->nranges - 1].high : 0);
    }
}

void
ca_values_register(const struct ca_dissector *dissector)
{
    module_t *module = prefs_register_protocol(dissector->proto, check_values);
    range_t **values = values_of(dissector);
    /* A range, for Wireshark refuses one that goes too far, and knows no limit of a number. */
    range_convert_str(wmem_epan_scope(), values, "100", VALUES_LIMIT);
    prefs_register_range_preference(module, "values", "Values shown of an array",
                                    "How many values of an array are shown and can be filtered for; at most 10000.",
                                    values, VALUES_LIMIT);
}
