/* page.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "page.h"

#include "figures.h"
#include "parts.h"

static void
write_part(FILE *file, const struct page_part *part)
{
    fwrite(part->begin, 1, (size_t)(part->end - part->begin), file);
}

/* Within a script: a "<" of a text must not begin what ends it. */
static void
write_figures(FILE *file, struct gathering *gathering, const GPtrArray *names)
{
    GString *figures = figures_new(gathering, names);
    g_string_replace(figures, "<", "\\u003c", 0);
    fwrite(figures->str, 1, figures->len, file);
    g_string_free(figures, TRUE);
}

void
page_write(struct gathering *gathering, const GPtrArray *names, FILE *file)
{
    write_part(file, &part_head);
    fputs("<style>\n", file);
    write_part(file, &part_style);
    fputs("</style>\n", file);
    write_part(file, &part_body);
    fputs("<script type=\"application/json\" id=\"figures\">\n", file);
    write_figures(file, gathering, names);
    fputs("</script>\n<script>\n", file);
    write_part(file, &part_library);
    fputs("</script>\n<script>\n", file);
    write_part(file, &part_drawing);
    fputs("</script>\n</body>\n</html>\n", file);
}
