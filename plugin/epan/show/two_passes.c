/* two_passes.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "two_passes.h"

#include <stdbool.h>
#include <stdio.h>

#include <epan/packet.h>

#include "../intake/retention.h"

#define RESPONSE_IN "latency.response_in"

static const char *const names[] = {
    "latency.unanswered",     RESPONSE_IN,        "latency.outcome",  "latency.last_byte", "latency.transfer",
    "latency.response_bytes", "ca.create.waited", "ca.create.reason", "ca.unanswered",     "latency.waited",
    "latency.caused_by",      "latency.cause",    "latency.calls",    "latency.call_time", "latency.own_time",
};

static bool asked_for[G_N_ELEMENTS(names)];
static bool has_looked, has_response_in;

void
two_passes_look(void)
{
    if (has_looked)
        return;
    has_looked = true;
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        const header_field_info *field = proto_registrar_get_byname(names[i]);
        asked_for[i] = field && field->ref_type == HF_REF_TYPE_DIRECT;
    }
}

void
two_passes_has_response_in(void)
{
    has_response_in = true;
}

/* Each is said once, though tshark may go on to another capture. */
static void
end_capture(void)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        if (asked_for[i] && !(has_response_in && g_str_equal(names[i], RESPONSE_IN)))
            g_string_append_printf(text, "%s%s", text->len ? ", " : "", names[i]);
        asked_for[i] = false;
    }
    if (text->len && !retention_has_window())
        fprintf(stderr, "Only two passes over the capture can tell %s: use tshark -2.\n", text->str);
    g_string_free(text, TRUE);
}

void
two_passes_register(void)
{
    register_cleanup_routine(end_capture);
}
