/* export_json.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "export_json.h"

#include <stdlib.h>
#include <string.h>

#include <epan/packet.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../../compat.h"
#include "../../json/export.h"
#include "../ca/packet-ca.h"
#include "../intake/intake.h"
#include "../intake/retention.h"
#include "../show/field_names.h"
#include "../show/packet-latency.h"
#include "../show/preferences.h"

static const char argument_name[] = "latency,json";

struct listener {
    struct json_export *export;
    bool failed;
};

static tap_packet_status
take_item(void *tapdata, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    struct listener *listener = tapdata;
    unsigned count = 0;
    const struct late_item *late = latency_tap_late(data, &count);
    for (unsigned i = 0; i < count; i++)
        export_take(listener->export, &late[i].item, pinfo->num);
    if (!late)
        export_take(listener->export, data, pinfo->num);
    return TAP_PACKET_DONT_REDRAW;
}

static tap_packet_status
take_event(void *tapdata, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    export_take_ca(tapdata, data);
    return TAP_PACKET_DONT_REDRAW;
}

static void
make_file(void *tapdata)
{
    struct listener *listener = tapdata;
    intake_end();
    listener->failed = !export_finish(listener->export);
}

/* When tshark has done all else. */
static void
finish(void *tapdata)
{
    struct listener *listener = tapdata;
    bool failed = listener->failed;
    export_free(listener->export);
    g_free(listener);
    if (failed)
        exit(EXIT_FAILURE);
}

/* "latency,json[,FILE[,FILTER]]" */
static stat_init_result
begin(const char *argument, void *userdata _U_)
{
    const char *rest = argument + strlen(argument_name);
    if (*rest != '\0' && *rest != ',') {
        report_failure("Invalid -z argument \"%s\"; did you mean \"%s[,file[,filter]]\"?", argument, argument_name);
        exit(EXIT_FAILURE);
    }
    char *refused = preferences_refuse();
    if (refused) {
        report_failure("%s", refused);
        exit(EXIT_FAILURE);
    }
    char **words = g_strsplit(rest, ",", 3); /* the first is empty, or there is none */
    const char *path = *rest && *words[1] ? words[1] : NULL;
    const char *filter = *rest && words[2] && *words[2] ? words[2] : NULL;
    struct listener *listener = g_new0(struct listener, 1);
    listener->export = export_new(intake_source(), path, filter, preferences_json_content(),
                                  preferences_has_json_calls());
    if (!listener->export)
        exit(EXIT_FAILURE);
    GString *error =
        register_tap_listener(LATENCY_TAP, listener, filter, TL_REQUIRES_NOTHING, NULL, take_item, make_file, finish);
    if (!error)
        error =
            register_tap_listener(CA_TAP, listener->export, filter, TL_REQUIRES_NOTHING, NULL, take_event, NULL, NULL);
    if (error) {
        char *question = field_names_question(filter);
        report_failure("Invalid filter in -z %s: %s%s", argument, error->str, question);
        exit(EXIT_FAILURE);
    }
    g_strfreev(words);
    STAT_INIT_DONE;
}

void
register_export_json(void)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = "Latency: JSON lines",
        .cli_string = argument_name,
        .tap_init_cb = begin,
    };
    if (!retention_has_window())
        register_stat_tap_ui(&ui, NULL);
}
