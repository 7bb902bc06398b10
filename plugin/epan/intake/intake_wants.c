/* intake_wants.c
 * Who wants to know what the intake finds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "intake.h"

#include <epan/tap.h>

/* Of whom intake_want() was told. */
static int wanted_protos[3], wanted_taps[3];
static unsigned n_wanted;

void
intake_want(int proto, int tap)
{
    wanted_protos[n_wanted] = proto;
    wanted_taps[n_wanted++] = tap;
}

bool
intake_is_shown(const proto_tree *tree, int proto)
{
    return tree && (tree->tree_data->visible || proto_registrar_get_nth((unsigned)proto)->ref_type != HF_REF_TYPE_NONE);
}

bool
intake_experts_are_listed(void)
{
    static int tap_expert;
    if (!tap_expert)
        tap_expert = find_tap_id("expert"); /* registered after our hand-off */
    return have_tap_listener(tap_expert);
}

bool
intake_wants_any(const proto_tree *tree)
{
    bool wanted = false;
    for (unsigned i = 0; i < n_wanted; i++)
        wanted |= have_tap_listener(wanted_taps[i]) || intake_is_shown(tree, wanted_protos[i]);
    return wanted;
}
