/* parts.c
 * CMakeLists.txt defines where the files are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "parts.h"

#define PART(name, path)                                                                                               \
    __asm__(".section .rodata\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n.byte 0\n.previous\n");         \
    extern const char name##_begin[], name##_end[];                                                                    \
    const struct page_part part_##name = { name##_begin, name##_end };

PART(head, REPORT_FOLDER "/head.html")
PART(style, REPORT_FOLDER "/report.css")
PART(body, REPORT_FOLDER "/body.html")
PART(drawing, REPORT_FOLDER "/report.js")
PART(library, REPORT_LIBRARY)
