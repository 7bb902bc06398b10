/* intake_wants.c
 * Who wants to know what the intake finds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "intake.h"

#include <epan/tap.h>

/* Of whom intake_want() was told; each tap stands there once. */
static int wanted_protos[3], wanted_taps[3];
static unsigned n_protos, n_taps;

/* Who listens to taps, once that has been asked for a frame: each question goes through all listeners. */
static struct {
    bool are_known;
    bool of_ours; /* a tap that intake_want() was told of has a listener */
    bool of_experts;
} listeners;

static bool
is_wanted_tap(int tap)
{
    for (unsigned i = 0; i < n_taps; i++)
        if (wanted_taps[i] == tap)
            return true;
    return false;
}

void
intake_want(int proto, int tap)
{
    wanted_protos[n_protos++] = proto;
    if (!is_wanted_tap(tap))
        wanted_taps[n_taps++] = tap;
}

static bool
is_referenced(int proto)
{
    return proto_registrar_get_nth((unsigned)proto)->ref_type != HF_REF_TYPE_NONE;
}

/* What experts say has fields of its own, which a filter can name without any of the protocol. */
bool
intake_is_shown(const proto_tree *tree, int proto)
{
    static int proto_expert;
    if (!proto_expert)
        proto_expert = proto_get_id_by_filter_name("_ws.expert");
    return tree && (tree->tree_data->visible || is_referenced(proto) || is_referenced(proto_expert));
}

static bool
are_taps_listened_to(void)
{
    for (unsigned i = 0; i < n_taps; i++)
        if (have_tap_listener(wanted_taps[i]))
            return true;
    return false;
}

static void
look_for_listeners(void)
{
    static int tap_expert;
    if (!tap_expert)
        tap_expert = find_tap_id("expert"); /* registered after our hand-off */
    listeners.of_ours = are_taps_listened_to();
    listeners.of_experts = have_tap_listener(tap_expert);
    listeners.are_known = true;
}

void
intake_forget_listeners(void)
{
    listeners.are_known = false;
}

bool
intake_experts_are_listed(void)
{
    if (!listeners.are_known)
        look_for_listeners();
    return listeners.of_experts;
}

bool
intake_is_listened_to(void)
{
    return intake_experts_are_listed() || listeners.of_ours;
}

bool
intake_wants_any(const proto_tree *tree)
{
    for (unsigned i = 0; tree && i < n_protos; i++)
        if (intake_is_shown(tree, wanted_protos[i]))
            return true;
    return intake_is_listened_to();
}
