/* retention.c
 *
 * A program that keeps no frames still knows the times of three: the reference frame, the one captured before, the one
 * displayed before. So of the first four frames it does not know all. frame_data_compare() is the one exported function
 * that asks for the time of another frame: the column "delta time" is a frame's time less that of the frame before, and
 * 0 if that is not known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "retention.h"

#include <epan/column-utils.h>
#include <epan/frame_data.h>
#include <wsutil/wslog.h>

static bool
time_is_known(packet_info *pinfo, uint32_t frame)
{
    const frame_data after = { .num = frame + 1, .abs_ts = { .secs = -(INT64_C(1) << 40) } };
    const frame_data first = { .num = 1 };
    return frame_data_compare(pinfo->epan, &after, &first, COL_DELTA_TIME) < 0;
}

/* 4.0 logs a warning for each frame whose time it does not know. Not to be let through to the user's terminal, nor to
 * abort a run in which warnings are fatal. */
static bool
can_be_asked_quietly(void)
{
    return !ws_log_msg_is_active("Epan", LOG_LEVEL_WARNING);
}

bool
retention_keeps_frames(packet_info *pinfo)
{
    enum ws_log_level level = ws_log_get_level();
    bool kept = true;
    ws_log_set_level(LOG_LEVEL_ERROR);
    if (can_be_asked_quietly() && time_is_known(pinfo, pinfo->num - 1)) {
        for (uint32_t frame = 1; frame <= RETENTION_FRAMES; frame++)
            kept &= time_is_known(pinfo, frame);
    }
    ws_log_set_level(level);
    return kept;
}
