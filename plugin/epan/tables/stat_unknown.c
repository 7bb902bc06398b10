/* stat_unknown.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_unknown.h"

#include <stdlib.h>

#include <epan/stat_tap_ui.h>
#include <wsutil/report_message.h>

#include "../../compat.h"
#include "../../table/table_names.h"

void
stat_unknown_refuse(const char *argument)
{
    char *text = table_name_refuse(argument, BY_TSHARK);
    report_failure("%s", text);
    g_free(text);
    exit(1);
}

static stat_init_result
refuse(const char *argument, void *userdata _U_)
{
    stat_unknown_refuse(argument);
}

void
stat_unknown_register(void)
{
    static const char *const beginnings[] = { "latency,", "ca,", "pva," };
    for (unsigned i = 0; i < G_N_ELEMENTS(beginnings); i++) {
        stat_tap_ui ui = {
            .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
            .title = "Unknown",
            .cli_string = beginnings[i],
            .tap_init_cb = refuse,
        };
        register_stat_tap_ui(&ui, NULL);
    }
}
