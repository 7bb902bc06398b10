/* datagram_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "datagram_fields.h"

static int hf_attempts = -1;

void
datagram_fields_show(struct view *view, const struct request *request)
{
    const uint32_t frame = view->pinfo->num;
    const bool is_unanswered =
        !request->response.p0_frame && frame == request->q0_frame && PINFO_FD_VISITED(view->pinfo);
    const uint32_t attempts = request_attempts(request);
    if (attempts > 0 && (frame == request->response.p0_frame || is_unanswered))
        view_add_uint(view, hf_attempts, attempts);
}

void
datagram_fields_register(int proto)
{
    static hf_register_info hf[] = {
        { &hf_attempts,
          { "Attempts", "latency.attempts", FT_UINT32, BASE_DEC, NULL, 0,
            "How often the query was sent until it was answered (DNS over UDP)", HFILL } },
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
