/* blocks.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "blocks.h"

void
blocks_pass(struct blocks *blocks, const struct frame *frame)
{
    if (blocks->length_ns == 0 || !frame->has_time)
        return;
    if (!blocks->has_begun)
        blocks->from_ns = frame->time_ns;
    blocks->has_begun = true;
    int64_t passed_ns = frame->time_ns - blocks->from_ns;
    if (passed_ns < blocks->length_ns)
        return;
    outputs_print_block(blocks->outputs, blocks->from_ns, blocks->from_ns + blocks->length_ns);
    blocks->from_ns += passed_ns - passed_ns % blocks->length_ns;
}

bool
blocks_finish(struct blocks *blocks)
{
    if (!blocks->has_begun)
        return false;
    outputs_print_block(blocks->outputs, blocks->from_ns, blocks->from_ns + blocks->length_ns);
    return true;
}
