/* plain_pcap.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "plain_pcap.h"

#include <stdio.h>
#include <stdio_ext.h>

#include <glib.h>
#include <pcap/pcap.h>

struct plain_pcap {
    pcap_t *pcap;
    uint64_t records;
    int64_t bytes_read;
};

static bool
is_without_pseudo_header(int encapsulation)
{
    return encapsulation == WTAP_ENCAP_ETHERNET || encapsulation == WTAP_ENCAP_RAW_IP ||
           encapsulation == WTAP_ENCAP_NULL || encapsulation == WTAP_ENCAP_LOOP || encapsulation == WTAP_ENCAP_SLL ||
           encapsulation == WTAP_ENCAP_SLL2;
}

/* libpcap reads a record by two fread(): of a stream with a buffer as long as a disk likes, that no other thread reads. */
static FILE *
open_stream(const char *path)
{
    enum { BUFFER_BYTES = 256 * 1024 };
    FILE *file = fopen(path, "rb");
    if (file) {
        setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
        __fsetlocking(file, FSETLOCKING_BYCALLER);
    }
    return file;
}

struct plain_pcap *
plain_pcap_open(const char *path, wtap *wth)
{
    enum { FILE_HEADER_BYTES = 24 };
    char reason[PCAP_ERRBUF_SIZE];
    int type = wtap_file_type_subtype(wth);
    if ((type != wtap_pcap_file_type_subtype() && type != wtap_pcap_nsec_file_type_subtype()) ||
        !is_without_pseudo_header(wtap_file_encap(wth)))
        return NULL;
    FILE *file = open_stream(path);
    if (!file)
        return NULL;
    pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, reason);
    if (!pcap) {
        fclose(file);
        return NULL;
    }
    struct plain_pcap *plain = g_new0(struct plain_pcap, 1);
    *plain = (struct plain_pcap){ .pcap = pcap, .bytes_read = FILE_HEADER_BYTES };
    return plain;
}

void
plain_pcap_close(struct plain_pcap *plain)
{
    if (plain)
        pcap_close(plain->pcap);
    g_free(plain);
}

enum plain_next
plain_pcap_next(struct plain_pcap *plain, struct plain_record *record)
{
    enum { RECORD_HEADER_BYTES = 16, NS_PER_S = 1000000000 };
    struct pcap_pkthdr *header;
    const uint8_t *bytes;
    int got = pcap_next_ex(plain->pcap, &header, &bytes);
    if (got == PCAP_ERROR_BREAK)
        return PLAIN_END;
    if (got != 1 || header->ts.tv_sec < 0 || header->ts.tv_usec < 0 || header->ts.tv_usec >= NS_PER_S)
        return PLAIN_ODD;
    *record = (struct plain_record){
        .bytes = bytes,
        .captured = header->caplen,
        .reported = header->len,
        .seconds = (uint32_t)header->ts.tv_sec,
        .nanoseconds = (uint32_t)header->ts.tv_usec,
    };
    plain->bytes_read += RECORD_HEADER_BYTES + (int64_t)header->caplen;
    plain->records++;
    return PLAIN_RECORD;
}

uint64_t
plain_pcap_records(const struct plain_pcap *plain)
{
    return plain->records;
}

int64_t
plain_pcap_bytes(const struct plain_pcap *plain)
{
    return plain->bytes_read;
}
