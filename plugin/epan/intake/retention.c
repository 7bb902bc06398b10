/* retention.c
 *
 * Who keeps frames visits them again for taps: sharkd, and tshark -2 in its second pass. Only Wireshark's window, and
 * tshark where it reads a capture once, show a tap what a frame has on its first visit. So a tap listener that is
 * called then, for the second frame of a capture, tells which it is. It asks for no tree and has no filter, and goes
 * when it is known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "retention.h"

#include <epan/plugin_if.h>
#include <epan/tap.h>

/* Frames after whose first visit it is known: the listener comes with the first. */
enum { FRAMES_NEEDED = 2 };

static unsigned frames;   /* of this capture that have been visited, as far as they matter */
static bool is_listening; /* the listener is registered */
static bool was_called;   /* the listener: before all frames have been visited once, if it matters */

bool
retention_has_window(void)
{
    ws_info_t *info = NULL;
    plugin_if_get_ws_info(&info);
    return info && info->ws_info_supported;
}

static tap_packet_status
hear(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *frame _U_, tap_flags_t flags _U_)
{
    was_called = true;
    return TAP_PACKET_DONT_REDRAW;
}

static void
stop_listening(void)
{
    if (is_listening)
        remove_tap_listener(&is_listening);
    is_listening = false;
}

void
retention_begin(void)
{
    stop_listening();
    was_called = false;
    frames = 0;
}

void
retention_note_frame(void)
{
    if (frames == FRAMES_NEEDED)
        return;
    if (frames++ > 0 || retention_has_window())
        return;
    GString *error = register_tap_listener("frame", &is_listening, NULL, TL_REQUIRES_NOTHING, NULL, hear, NULL, NULL);
    is_listening = !error;
    if (error)
        g_string_free(error, TRUE);
}

bool
retention_can_tell(void)
{
    return frames == FRAMES_NEEDED;
}

bool
retention_keeps_frames(void)
{
    stop_listening();
    return !was_called;
}
