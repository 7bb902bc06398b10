/* stat_print.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "stat_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <epan/tap.h>
#include <wsutil/report_message.h>

#include "../../compat.h"
#include "../../table/ca_events.h"
#include "../ca/packet-ca.h"
#include "../../table/held_frames.h"
#include "../intake/intake.h"
#include "../protocols/protocols_table.h"
#include "../show/field_names.h"
#include "../show/packet-latency.h"
#include "../show/preferences.h"
#include "stat_unknown.h"

struct printed {
    const struct table_definition *definition;
    void *rows;
    char *filter;
    unsigned most; /* as the user has it; 0: as usual */
    bool begun;
    int64_t start_ns; /* of the capture; of the first, if tshark goes on to another */
    struct held_frames held;
};

/* Those that the user has asked for, in the order of the command line; tshark draws them in another. */
static GPtrArray *asked_for;

/* How many of them tshark has asked to be drawn, so far. */
static unsigned n_drawn;

static void
take_last_event(void *data, const struct ca_event *event)
{
    const struct printed *printed = data;
    printed->definition->take(printed->rows, event);
}

static void
take_last(void *data, const struct item *item, uint32_t frame _U_)
{
    const struct printed *printed = data;
    if (!printed->definition->takes_events)
        printed->definition->take(printed->rows, item);
    else
        ca_events_each(intake_analysis()->channels, item, take_last_event, data);
}

static void
print_table(const struct printed *printed)
{
    GString *notes = table_notes(printed->definition, printed->rows, intake_source(), printed->filter);
    table_print(printed->definition, printed->rows, intake_source(), notes->str, printed->start_ns);
    g_string_free(notes, TRUE);
}

/* Prints all tables when the last of them is to be drawn. */
static void
draw_printed(void *tapdata G_GNUC_UNUSED)
{
    intake_end();
    if (++n_drawn < asked_for->len)
        return;
    n_drawn = 0;
    for (unsigned i = 0; i < asked_for->len; i++)
        print_table(g_ptr_array_index(asked_for, i));
}

static void
reset_printed(void *tapdata)
{
    struct printed *table = tapdata;
    table_close(table->rows);
    table->rows = table_open(table->definition, intake_source());
    table_set_most(table->rows, table->most);
    held_frames_clear(&table->held);
}

static tap_packet_status
take_printed(void *tapdata, packet_info *pinfo, epan_dissect_t *edt _U_, const void *data, tap_flags_t flags _U_)
{
    struct printed *table = tapdata;
    if (!table->begun)
        table->start_ns = intake_source()->start_ns;
    table->begun = true;
    unsigned count = 0;
    const struct late_item *late = latency_tap_late(data, &count);
    for (unsigned i = 0; i < count; i++)
        table->definition->take(table->rows, &late[i].item);
    if (late)
        return TAP_PACKET_REDRAW;
    if (table->definition == &protocols_table)
        return table->definition->take(table->rows, data) < 0 ? TAP_PACKET_DONT_REDRAW : TAP_PACKET_REDRAW;
    if (!table->definition->takes_events)
        held_frames_note(&table->held, data, pinfo->num);
    else
        held_frames_note_event(&table->held, data, pinfo->num);
    return table->definition->take(table->rows, data) < 0 ? TAP_PACKET_DONT_REDRAW : TAP_PACKET_REDRAW;
}

static void
finish_printed(void *tapdata)
{
    struct printed *table = tapdata;
    g_ptr_array_remove(asked_for, table);
    held_frames_close(&table->held);
    table_close(table->rows);
    g_free(table->filter);
    g_free(table);
}

/* tshark takes any -z argument that begins like ours for ours. */
static stat_init_result
begin_printed(const char *argument, void *userdata)
{
    const struct table_definition *definition = userdata;
    const char *filter = argument + strlen(definition->argument);
    if (*filter != '\0' && *filter != ',')
        stat_unknown_refuse(argument);
    unsigned most = 0;
    char *refused = table_read_most(definition, &filter, &most);
    if (!refused)
        refused = preferences_refuse();
    if (refused) {
        report_failure("%s", refused);
        exit(1);
    }
    struct printed *table = g_new(struct printed, 1);
    *table = (struct printed){
        .definition = definition,
        .rows = table_open(definition, intake_source()),
        .filter = *filter && filter[1] ? g_strdup(filter + 1) : NULL,
        .most = most,
    };
    table_set_most(table->rows, most);
    held_frames_open(&table->held, intake_source(), take_last, table);
    GString *error = register_tap_listener(stat_table_tap(definition), table, table->filter, TL_REQUIRES_NOTHING,
                                           reset_printed, take_printed, draw_printed, finish_printed);
    if (error) {
        char *question = field_names_question(table->filter);
        report_failure("Invalid filter in -z %s: %s%s", argument, error->str, question);
        exit(1);
    }
    if (!asked_for)
        asked_for = g_ptr_array_new();
    g_ptr_array_add(asked_for, table);
    STAT_INIT_DONE;
}

void
stat_print_register(const struct table_definition *definition, tap_param *parameters, size_t n_parameters)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_RESPONSE_TIME,
        .title = definition->title,
        .cli_string = definition->argument,
        .tap_init_cb = begin_printed,
        .nparams = n_parameters,
        .params = parameters,
    };
    register_stat_tap_ui(&ui, (void *)definition);
}
