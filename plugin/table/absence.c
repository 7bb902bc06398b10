/* absence.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "absence.h"

#include "../core/analysis.h"

#define RECORDED_BY "kernel-stages records them: docs/kernel-stages.md.\n"

void
absence_of_tcp(const struct table_source *source, GString *text)
{
    if (!source->has_tcp)
        g_string_append(text, "The capture has no TCP.\n");
}

void
absence_of_points(const struct table_source *source, GString *text)
{
    if (source->analysis && points_count(source->analysis->points) < 2)
        g_string_append(text, "The capture has no second capture point. " RECORDED_BY);
}

void
absence_of_kernel(const struct table_source *source, GString *text)
{
    const struct points *points = source->analysis ? source->analysis->points : NULL;
    if (points && (!points_lowest(points, HEADING_RECEIVED) || !points_lowest(points, HEADING_SENT)))
        g_string_append(text, "The capture has no stages of a kernel. " RECORDED_BY);
}

void
absence_of_channel_access(const struct table_source *source, GString *text)
{
    if (source->has_channel_access)
        return;
    char *tcp = source->texts->ca_tcp_ports(NULL), *udp = source->texts->ca_udp_ports(NULL);
    g_string_append_printf(text,
                           "No Channel Access on TCP ports %s and UDP ports %s (the preferences ca.tcp.port and "
                           "ca.udp.port), and none begins on another.\n",
                           *tcp ? tcp : "none", *udp ? udp : "none");
    wmem_free(NULL, tcp);
    wmem_free(NULL, udp);
}

void
absence_of_pvaccess(const struct table_source *source, GString *text)
{
    if (source->has_pvaccess)
        return;
    char *tcp = source->texts->pva_tcp_ports(NULL);
    g_string_append_printf(text,
                           "No pvAccess on TCP ports %s (the preference pva.tcp.port), and none begins on another.\n",
                           *tcp ? tcp : "none");
    wmem_free(NULL, tcp);
}
