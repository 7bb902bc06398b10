/* page.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "page.h"

#include <gio/gio.h>

#include "figures.h"

/* Writes one of the files that report.gresource.xml.in lists. */
static void
write_part(FILE *file, const char *path)
{
    GBytes *part = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    fwrite(g_bytes_get_data(part, NULL), 1, g_bytes_get_size(part), file);
    g_bytes_unref(part);
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
    write_part(file, "/latency-report/head.html");
    fputs("<style>\n", file);
    write_part(file, "/latency-report/report.css");
    fputs("</style>\n", file);
    write_part(file, "/latency-report/body.html");
    fputs("<script type=\"application/json\" id=\"figures\">\n", file);
    write_figures(file, gathering, names);
    fputs("</script>\n<script>\n", file);
    write_part(file, "/latency-report/chart.js");
    fputs("</script>\n<script>\n", file);
    write_part(file, "/latency-report/report.js");
    fputs("</script>\n</body>\n</html>\n", file);
}
