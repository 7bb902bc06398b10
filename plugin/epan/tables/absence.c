/* absence.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "absence.h"

#include <epan/prefs.h>

#include "../ca/ca_state.h"
#include "../intake/intake.h"

#define RECORDED_BY "kernel-stages records them: docs/kernel-stages.md.\n"

void
absence_of_tcp(GString *text)
{
    if (!intake_has_tcp())
        g_string_append(text, "The capture has no TCP.\n");
}

void
absence_of_points(GString *text)
{
    if (intake_analysis() && points_count(intake_analysis()->points) < 2)
        g_string_append(text, "The capture has no second capture point. " RECORDED_BY);
}

void
absence_of_kernel(GString *text)
{
    const struct points *points = intake_analysis() ? intake_analysis()->points : NULL;
    if (points && (!points_lowest(points, HEADING_RECEIVED) || !points_lowest(points, HEADING_SENT)))
        g_string_append(text, "The capture has no stages of a kernel. " RECORDED_BY);
}

static char *
ports(const char *preference)
{
    range_t *range = prefs_get_range_value("ca", preference);
    char *text = range ? range_convert_range(NULL, range) : NULL;
    return text && *text ? text : wmem_strdup(NULL, "none");
}

void
absence_of_channel_access(GString *text)
{
    if (ca_state_has_messages())
        return;
    char *tcp = ports("tcp.port"), *udp = ports("udp.port");
    g_string_append_printf(text,
                           "No Channel Access on TCP ports %s and UDP ports %s (the preferences ca.tcp.port and "
                           "ca.udp.port), and none begins on another.\n",
                           tcp, udp);
    wmem_free(NULL, tcp);
    wmem_free(NULL, udp);
}
