/* parts.h
 * The files that a page is made of, as they were when this was built.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

struct page_part {
    const char *begin, *end;
};

extern const struct page_part part_head, part_style, part_body, part_library, part_drawing;

#endif
