/* extcap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "extcap.h"

#include <stdio.h>

#include "stages.h"

const char extcap_filter_help[] = "kernel-stages filters by port: \"tcp port 11211\", or nothing.";

void
extcap_print_interfaces(void)
{
    puts("extcap {version=" LATENCY_VERSION "}{display=TCP packets at the stages of the kernel}");
    puts("interface {value=" EXTCAP_INTERFACE "}{display=TCP packets at the stages of the kernel}");
}

void
extcap_print_dlts(void)
{
    puts("dlt {number=1}{name=EN10MB}{display=Ethernet}");
}

void
extcap_print_config(void)
{
    puts("arg {number=0}{call=--port}{display=TCP port}{type=unsigned}{range=0,65535}{default=0}"
         "{tooltip=At either end; 0 records every port}");
    puts("arg {number=1}{call=--process}{display=Process}{type=string}"
         "{tooltip=Only connections of this process: its pid, or its name}");
    puts("arg {number=2}{call=--snaplen}{display=Bytes per packet}{type=unsigned}{range=128,512}{default=320}");
    puts("arg {number=4}{call=--sample}{display=Sample of connections}{type=string}{validation=^(1/[0-9]{1,4})?$}"
         "{placeholder=1/16}{tooltip=One whole connection in N; empty: all, but fewer while the load is too "
         "high}");
    puts("arg {number=3}{call=--stages}{display=Stages (none ticked: all)}{type=multicheck}"
         "{tooltip=Each costs some time; stages that this kernel does not show are left out}");
    for (enum stage stage = 0; stage < STAGE_COUNT; stage++)
        printf("value {arg=3}{value=%s}{display=%s: %s}{enabled=true}\n", stage_name(stage), stage_name(stage),
               stage_meaning(stage));
}

bool
extcap_filter_port(const char *filter, uint16_t *port)
{
    unsigned number = 0;
    int end = 0;
    char after;
    *port = 0;
    sscanf(filter, " %n", &end);
    if (!filter[end])
        return true;
    if (sscanf(filter, " tcp port %5u %c", &number, &after) != 1 &&
        sscanf(filter, " port %5u %c", &number, &after) != 1)
        return false;
    *port = (uint16_t)number;
    return number > 0 && number <= UINT16_MAX;
}
