/* replay.c
 * `fuzz-replay DIR`: gives the fuzzer's target every file of DIR, where there is no libFuzzer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdint.h>

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
main(int argc, char **argv)
{
    unsigned count = 0;
    GError *error = NULL;
    GDir *folder = argc == 2 ? g_dir_open(argv[1], 0, &error) : NULL;
    if (!folder) {
        g_printerr("%s\n", error ? error->message : "usage: fuzz-replay DIR");
        return 2;
    }
    for (const char *name = g_dir_read_name(folder); name; name = g_dir_read_name(folder)) {
        char *path = g_build_filename(argv[1], name, NULL);
        char *data;
        size_t size;
        if (!g_file_get_contents(path, &data, &size, &error)) {
            g_printerr("%s\n", error->message);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)data, size);
        g_free(data);
        g_free(path);
        count++;
    }
    g_dir_close(folder);
    g_print("%u passed, 0 failed\n", count);
    return 0;
}
