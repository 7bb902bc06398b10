/* replay.c
 * `fuzz-replay FILE...`: gives the fuzzer's target inputs that were kept, where there is no libFuzzer. A FILE is a
 * capture whose packets are inputs (*.pcap, made by pack.py), one input, or a folder of such files. Hidden files are
 * none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _DEFAULT_SOURCE /* pcap.h needs u_int and u_char */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>
#include <pcap/pcap.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned count;

static void
give(const void *data, size_t size)
{
    uint8_t *input = g_memdup2(data, size); /* of its own length, for AddressSanitizer */
    LLVMFuzzerTestOneInput(input, size);
    g_free(input);
    count++;
}

/* These return false, and say why, if what stands at the path cannot be read to its end. */

static bool
give_packets(const char *path, pcap_t *pcap)
{
    struct pcap_pkthdr *header;
    const u_char *data;
    int got;
    if (pcap_datalink(pcap) != DLT_USER0) {
        fprintf(stderr, "%s has link type %d; inputs have %d (USER0).\n", path, pcap_datalink(pcap), DLT_USER0);
        return false;
    }
    while ((got = pcap_next_ex(pcap, &header, &data)) == 1) {
        if (header->caplen < header->len) {
            fprintf(stderr, "%s has an input of which only %u of %u bytes are there.\n", path, header->caplen,
                    header->len);
            return false;
        }
        give(data, header->caplen);
    }
    if (got == PCAP_ERROR)
        fprintf(stderr, "%s cannot be read: %s\n", path, pcap_geterr(pcap));
    return got != PCAP_ERROR;
}

static bool
give_capture(const char *path)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline(path, error);
    if (!pcap) {
        fprintf(stderr, "%s cannot be read: %s\n", path, error);
        return false;
    }
    bool whole = give_packets(path, pcap);
    pcap_close(pcap);
    return whole;
}

static bool
give_file(const char *path)
{
    GError *error = NULL;
    char *data;
    size_t size;
    if (g_str_has_suffix(path, ".pcap"))
        return give_capture(path);
    if (!g_file_get_contents(path, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    give(data, size);
    g_free(data);
    return true;
}

static bool
give_folder(const char *path)
{
    GError *error = NULL;
    GDir *folder = g_dir_open(path, 0, &error);
    if (!folder) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    bool whole = true;
    for (const char *name = g_dir_read_name(folder); name && whole; name = g_dir_read_name(folder)) {
        char *file = g_build_filename(path, name, NULL);
        whole = *name == '.' || give_file(file);
        g_free(file);
    }
    g_dir_close(folder);
    return whole;
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fuzz-replay FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++)
        if (!(g_file_test(argv[i], G_FILE_TEST_IS_DIR) ? give_folder : give_file)(argv[i]))
            return 1;
    if (count == 0) {
        fprintf(stderr, "There is no input.\n");
        return 1;
    }
    printf("%u passed, 0 failed\n", count);
    return 0;
}
