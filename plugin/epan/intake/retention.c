/* retention.c
 *
 * A program that keeps no frames still knows the times of three: the reference frame, the one captured before, the one
 * displayed before. So of four frames that have a time it does not know all. frame_data_compare() is the one exported
 * function that asks for the time of another frame: the column "delta time" is a frame's time less that of the frame
 * before. Of two frames that differ in nothing but their times it says so only if that is known: to 4.0 both are 0 if
 * it is not, since 4.6 both are nothing.
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
    const frame_data earlier = { .num = frame + 1, .has_ts = 1, .abs_ts = { .secs = 0 } };
    const frame_data later = { .num = frame + 1, .has_ts = 1, .abs_ts = { .secs = 1 } };
    return frame_data_compare(pinfo->epan, &earlier, &later, COL_DELTA_TIME) < 0;
}

/* 4.0 logs a warning for each frame whose time it does not know. Not to be let through to the user's terminal, nor to
 * abort a run in which warnings are fatal. */
static bool
can_be_asked_quietly(void)
{
    return !ws_log_msg_is_active("Epan", LOG_LEVEL_WARNING);
}

/* tshark -R gives a frame that it drops and the next one the same number. */
void
retention_note(struct retention *retention, const packet_info *pinfo)
{
    if (retention->n_frames > 0 && retention->frames[retention->n_frames - 1] == pinfo->num)
        retention->n_frames--;
    if (retention->n_frames < RETENTION_FRAMES && pinfo->fd->has_ts)
        retention->frames[retention->n_frames++] = pinfo->num;
}

bool
retention_can_tell(const struct retention *retention, const packet_info *pinfo)
{
    return retention->n_frames == RETENTION_FRAMES && pinfo->num > retention->frames[RETENTION_FRAMES - 1];
}

bool
retention_keeps_frames(const struct retention *retention, packet_info *pinfo)
{
    enum ws_log_level level = ws_log_get_level();
    bool kept = true;
    ws_log_set_level(LOG_LEVEL_ERROR);
    /* Where no time is known the question is not understood. */
    if (can_be_asked_quietly() &&
        (time_is_known(pinfo, pinfo->num - 1) || time_is_known(pinfo, retention->frames[0]))) {
        for (unsigned i = 0; i < RETENTION_FRAMES; i++)
            kept &= time_is_known(pinfo, retention->frames[i]);
    }
    ws_log_set_level(level);
    return kept;
}
