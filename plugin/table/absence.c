/* absence.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "absence.h"

#include "../core/analysis.h"

#define RECORDED_BY "kernel-stages records them: docs/kernel-stages.md.\n"

/* Whether nothing was read, which then is said. */
static bool
are_no_packets(const struct table_source *source, GString *text)
{
    if (source->has_packets)
        return false;
    if (source->filter)
        g_string_append_printf(text, "The capture filter \"%s\" passes no packet.\n", source->filter);
    else
        g_string_append(text, "The capture has no packets.\n");
    return true;
}

void
absence_of_tcp(const struct table_source *source, GString *text)
{
    if (are_no_packets(source, text) || source->has_tcp)
        return;
    if (source->filter)
        g_string_append_printf(text, "The packets that the capture filter \"%s\" passes have no TCP.\n",
                               source->filter);
    else
        g_string_append(text, "The capture has no TCP.\n");
}

void
absence_of_requests(const struct table_source *source, GString *text)
{
    if (source->has_tcp && !source->has_payload)
        g_string_append(text, "No packet carries data; -z latency,connects says what became of the connections.\n");
    else
        absence_of_tcp(source, text);
}

void
absence_of_points(const struct table_source *source, GString *text)
{
    const struct points *points = source->analysis ? source->analysis->points : NULL;
    if (are_no_packets(source, text) || !points || points_count(points) > 1)
        return;
    if (points_count(points) == 1)
        g_string_append_printf(text, "All packets are of one capture point, %s: interfaces of one name are one.",
                               points_at(points, 1)->name);
    else
        g_string_append(text, "All packets are of one capture point, for the file names no interfaces.");
    g_string_append(text, " How several are recorded, and files merged: docs/capture-points.md.\n");
}

void
absence_of_kernel(const struct table_source *source, GString *text)
{
    const struct points *points = source->analysis ? source->analysis->points : NULL;
    if (are_no_packets(source, text))
        return;
    if (points && (!points_lowest(points, HEADING_RECEIVED) || !points_lowest(points, HEADING_SENT)))
        g_string_append(text, "The capture has no stages of a kernel. " RECORDED_BY);
}

void
absence_of_channel_access(const struct table_source *source, GString *text)
{
    if (are_no_packets(source, text) || source->has_channel_access)
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
    if (are_no_packets(source, text) || source->has_pvaccess)
        return;
    char *tcp = source->texts->pva_tcp_ports(NULL);
    g_string_append_printf(text,
                           "No pvAccess on TCP ports %s (the preference pva.tcp.port), and none begins on another.\n",
                           *tcp ? tcp : "none");
    wmem_free(NULL, tcp);
}
