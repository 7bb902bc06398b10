/* sighting_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sighting_fields.h"

#include "../../core/analysis.h"
#include "../../core/util/printable.h"
#include "../../table/names.h"
#include "../intake/intake.h"

static int hf_stage = -1;
static int hf_stage_time = -1;
static int hf_stage_time_us = -1;
static int hf_path_time = -1;
static int hf_path_first_in = -1;
static int hf_path_prev_in = -1;
static int hf_process_pid = -1;
static int hf_process_tid = -1;
static int hf_process_name = -1;

static void
show_process(struct view *view, const struct process *process)
{
    if (process->has_pid)
        view_add_uint(view, hf_process_pid, process->pid);
    if (process->tid)
        view_add_uint(view, hf_process_tid, process->tid);
    if (*process->name)
        view_add_string(view, hf_process_name, printable_text(view->pinfo->pool, process->name));
}

void
sighting_fields_show(struct view *view, const struct sighting *sighting)
{
    const struct process *process = analysis_process(sighting);
    const struct sighting *before = path_before(sighting, UINT32_MAX);
    const struct sighting *first = path_first(sighting->path, UINT32_MAX);
    if (before) {
        const char *stage = stage_name(view->pinfo->pool, intake_analysis()->points, before->point, sighting->point);
        view_add_string(view, hf_stage, stage);
        proto_item_append_text(view->item, ": %s, %s", stage,
                               view_us(view->pinfo->pool, sighting->time_ns - before->time_ns));
        view_add_stage(view, hf_stage_time, sighting->time_ns - before->time_ns);
        view_finish(view_put_us(view_tree(view), hf_stage_time_us, view->tvb, sighting->time_ns - before->time_ns),
                    true);
        view_add_stage(view, hf_path_time, sighting->time_ns - first->time_ns);
        view_add_uint(view, hf_path_first_in, first->frame);
        view_add_uint(view, hf_path_prev_in, before->frame);
    }
    if (process)
        show_process(view, process);
}

void
sighting_fields_register(int proto)
{
    static hf_register_info hf[] = {
        TEXT_FIELD(hf_stage, "Stage", "latency.stage", "The previous capture point of the packet, and this one"),
        TIME_FIELD(hf_stage_time, "Stage time", "latency.stage.time", "Since the packet's previous sighting"),
        COLUMN_FIELD(hf_stage_time_us, "Stage time (µs)", "latency.stage.time_us", "In microseconds, for a column"),
        TIME_FIELD(hf_path_time, "Path time", "latency.path.time", "Since the packet's first sighting"),
        FRAME_FIELD(hf_path_first_in, "First sighting in", "latency.path.first_in", FRAMENUM_TYPE(FT_FRAMENUM_NONE),
                    "The packet's first sighting"),
        FRAME_FIELD(hf_path_prev_in, "Previous sighting in", "latency.path.prev_in", FRAMENUM_TYPE(FT_FRAMENUM_NONE),
                    "The packet's previous sighting"),
        UINT_FIELD(hf_process_pid, "Process", "latency.process.pid", "The process that the packet belongs to"),
        UINT_FIELD(hf_process_tid, "Thread", "latency.process.tid", "The thread that the packet belongs to"),
        TEXT_FIELD(hf_process_name, "Process name", "latency.process.name",
                   "The name of the process that the packet belongs to"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
