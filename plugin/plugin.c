/* plugin.c
 * The symbols Wireshark looks for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define WS_BUILD_DLL

#include <epan/proto.h>
#include <ws_symbol_export.h>
#include <wsutil/report_message.h>

#include "compat.h"
#include "epan/json/export_json.h"
#include "epan/ca/packet-ca.h"
#include "epan/pva/packet-pva.h"
#include "epan/show/packet-latency.h"
#include "epan/suited.h"
#include "epan/tables/stat_table.h"
#include "epan/tables/tap-latency-srt.h"

/* Wireshark shows it whenever it lists its plugins, and so what was refused. */
WS_DLL_PUBLIC_DEF char plugin_version[192] = LATENCY_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = COMPAT_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = COMPAT_MINOR;

WS_DLL_PUBLIC void plugin_register(void);

static bool is_refused;

/* Whether there is a reason: then nothing more is registered. */
static bool
refuse(const char *reason)
{
    if (!reason)
        return false;
    is_refused = true;
    report_failure("The latency plugin is not used, for it was %s. Install it anew, for this Wireshark.", reason);
    g_snprintf(plugin_version, sizeof plugin_version, LATENCY_VERSION " (not used: %s)", reason);
    return true;
}

static void
register_protoinfo(void)
{
    if (refuse(suited_structures()))
        return;
    proto_register_latency();
    proto_register_ca();
    proto_register_pva();
    /* Here, not in a tap plugin's callback, which sharkd does not call. */
    stat_tables_register();
    register_tap_latency_srt();
    register_export_json();
}

static void
register_handoffs(void)
{
    if (is_refused)
        return;
    proto_reg_handoff_latency();
    proto_reg_handoff_ca();
    proto_reg_handoff_pva();
}

void
plugin_register(void)
{
    static proto_plugin plugin = { register_protoinfo, register_handoffs };
    if (!refuse(suited_release()))
        proto_register_plugin(&plugin);
}
