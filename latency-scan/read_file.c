/* read_file.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "read_file.h"

#include <errno.h>
#include <string.h>

#include "interrupt.h"
#include "say.h"

enum { NS_PER_S = 1000000000 };

/* Times are within 2^62 ns: a difference of two never overflows. */
static const int64_t furthest_s = (INT64_C(1) << 62) / NS_PER_S - 1;

static const char *
name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* A sentence about an error of wiretap's; `reason`, which it frees, may be NULL. */
static void
say_error(const char *path, int error, char *reason)
{
    if (error == WTAP_ERR_FILE_UNKNOWN_FORMAT)
        say("\"%s\" is not a capture file that Wireshark can open.", name_of(path));
    else if (error == WTAP_ERR_SHORT_READ)
        say("\"%s\" is cut short in the middle of a packet; the tables are of what comes before.", name_of(path));
    else if (error > 0)
        say("\"%s\" cannot be read: %s.", name_of(path), g_strerror(error));
    else
        say("\"%s\" cannot be read: %s%s%s%s", name_of(path), wtap_strerror(error), reason ? " (" : "",
            reason ? reason : "", reason ? ")." : ".");
    g_free(reason);
}

void
read_file_free(void *data)
{
    struct read_file *file = data;
    if (file->wth)
        wtap_close(file->wth);
    plain_pcap_close(file->plain);
    compat_record_clear(&file->record);
    g_free(file);
}

static void
describe(struct read_file *file, const uint8_t *bytes)
{
    const wtap_rec *rec = &file->record.rec;
    bool is_packet = rec->rec_type == REC_TYPE_PACKET;
    file->next = (struct frame){
        .rec = rec,
        .bytes = bytes,
        .captured = is_packet ? rec->rec_header.packet_header.caplen : 0,
        .reported = is_packet ? rec->rec_header.packet_header.len : 0,
        .encapsulation = is_packet ? rec->rec_header.packet_header.pkt_encap : WTAP_ENCAP_UNKNOWN,
        .has_time = rec->presence_flags & WTAP_HAS_TS,
        .origin = file,
    };
    if (file->next.reported < file->next.captured)
        file->next.reported = file->next.captured;
    if (file->next.has_time)
        file->next.time_ns = CLAMP((int64_t)rec->ts.secs, -furthest_s, furthest_s) * NS_PER_S + rec->ts.nsecs;
}

/* Whether there was not a byte to read. */
static bool
is_empty(const struct read_file *file)
{
    return file->wth && !file->plain && wtap_read_so_far(file->wth) == 0;
}

/* `reason`: freed. */
static void
end(struct read_file *file, int error, char *reason)
{
    file->has_next = false;
    if ((error || is_empty(file)) && !interrupt_has_come()) {
        *file->has_failed = true;
        if (error)
            say_error(file->path, error, reason);
        else
            say("\"%s\" is empty: it does not even have the header of a capture file.", name_of(file->path));
    }
    wtap_close(file->wth);
    file->wth = NULL;
    plain_pcap_close(file->plain);
    file->plain = NULL;
}

static void
read_by_wiretap(struct read_file *file)
{
    int error = 0;
    char *reason = NULL;
    wtap_rec_reset(&file->record.rec);
    file->has_next = compat_read(file->wth, &file->record, &error, &reason);
    if (file->has_next)
        describe(file, compat_record_bytes(&file->record));
    else
        end(file, error, reason);
}

/* From the second record on. */
static void
open_plain(struct read_file *file)
{
    struct plain_record first;
    file->plain = file->is_regular ? plain_pcap_open(file->path, file->wth) : NULL;
    if (!file->plain || plain_pcap_next(file->plain, &first) == PLAIN_RECORD)
        return;
    plain_pcap_close(file->plain);
    file->plain = NULL;
}

/* wiretap has read the first record. */
static void
leave_plain(struct read_file *file)
{
    uint64_t passed = plain_pcap_records(file->plain);
    plain_pcap_close(file->plain);
    file->plain = NULL;
    for (uint64_t i = 1; i < passed && file->has_next; i++)
        read_by_wiretap(file);
    if (file->has_next)
        read_by_wiretap(file);
}

/* All else is as in the first one. */
static void
read_plain(struct read_file *file)
{
    struct plain_record record;
    switch (plain_pcap_next(file->plain, &record)) {
    case PLAIN_RECORD:
        file->next.is_plain = true;
        file->next.bytes = record.bytes;
        file->next.captured = record.captured;
        file->next.reported = MAX(record.captured, record.reported);
        file->next.time_ns = (int64_t)record.seconds * NS_PER_S + record.nanoseconds;
        break;
    case PLAIN_END:
        end(file, 0, NULL);
        break;
    case PLAIN_ODD:
        leave_plain(file);
        break;
    }
}

void
read_file_next(struct read_file *file)
{
    bool is_first = !file->has_next;
    if (file->plain)
        read_plain(file);
    else
        read_by_wiretap(file);
    if (is_first && file->has_next)
        open_plain(file);
}

void
read_file_end(struct read_file *file)
{
    end(file, 0, NULL);
}

bool
read_file_begin(struct read_file *file)
{
    int error = 0;
    char *reason = NULL;
    file->is_awaited = false;
    file->wth = wtap_open_offline(file->path, WTAP_TYPE_AUTO, &error, &reason, FALSE);
    if (file->wth)
        return true;
    *file->has_failed = true;
    if (error == WTAP_ERR_SHORT_READ)
        say("\"%s\" is too short for a capture file: its header is not complete.", name_of(file->path));
    else
        say_error(file->path, error, reason);
    return false;
}

struct read_file *
read_file_open(const char *path, bool *has_failed)
{
    struct read_file *file = g_new0(struct read_file, 1);
    int error = 0;
    file->path = path;
    file->has_failed = has_failed;
    file->is_regular = g_file_test(path, G_FILE_TEST_IS_REGULAR);
    compat_record_init(&file->record);
    if (!read_file_begin(file)) {
        read_file_free(file);
        return NULL;
    }
    if (file->is_regular)
        file->bytes = MAX(wtap_file_size(file->wth, &error), 0);
    return file;
}

int64_t
read_file_done_bytes(const struct read_file *file)
{
    if (file->plain)
        return plain_pcap_bytes(file->plain);
    return file->wth ? wtap_read_so_far(file->wth) : file->bytes;
}

const char *
reading_interface_name(const struct frame *frame, uint32_t interface, uint32_t section)
{
    const struct read_file *file = frame->origin;
    wtapng_iface_descriptions_t *interfaces = wtap_file_get_idb_info(file->wth);
    uint32_t number = compat_interface(file->wth, interface, section);
    char *name = NULL;
    if (number < interfaces->interface_data->len) {
        wtap_block_t block = g_array_index(interfaces->interface_data, wtap_block_t, number);
        if (wtap_block_get_string_option_value(block, OPT_IDB_NAME, &name) != WTAP_OPTTYPE_SUCCESS &&
            wtap_block_get_string_option_value(block, OPT_IDB_DESCRIPTION, &name) != WTAP_OPTTYPE_SUCCESS)
            name = NULL;
    }
    g_free(interfaces);
    return name;
}
