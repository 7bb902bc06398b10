/* reading.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "reading.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>

#include "ahead.h"
#include "compat_wiretap.h"
#include "core/util/seldom.h"
#include "plain_pcap.h"
#include "say.h"

/* A file, or pipe. */
struct read_file {
    const char *path;
    bool is_regular;
    bool *has_failed;         /* borrowed: set by what ends the file too early */
    struct plain_pcap *plain; /* reads it, into: */
    struct plain_record plain_record;
    wtap_rec plain_rec;  /* what wiretap would say of it */
    wtap *wth;           /* reads it if that is NULL; both are before its beginning and after its end */
    struct ahead *ahead; /* its thread, from the second record on; NULL if there is none */
    bool may_read_ahead;
    bool is_awaited;  /* its turn has not come; it is opened anew then */
    int64_t first_ns; /* of its first frame, if it is awaited */
    bool has_record;  /* wiretap's: */
    struct read_record record;
    struct frame next; /* valid if has_next */
    bool has_next;
    int64_t bytes; /* 0 if that is not known */
};

struct reading {
    GPtrArray *files;       /* of struct read_file; those awaited in the order of their first frames */
    GPtrArray *open;        /* those that are being read */
    unsigned n_begun;       /* of the files; the others are awaited */
    struct read_file *last; /* whose frame has been handed out; NULL before the first */
    bool has_failed;
};

/* What a signal's handler may write to. */
static volatile sig_atomic_t interrupted;

static void
note_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* Without SA_RESTART a read that waits for a pipe ends, too. */
static void
catch_signal(int number, int flags)
{
    struct sigaction action = { .sa_handler = note_interrupt, .sa_flags = flags };
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void
reading_catch_interrupt(void)
{
    catch_signal(SIGINT, (int)SA_RESETHAND);
}

void
reading_catch_all(void)
{
    catch_signal(SIGINT, 0);
    catch_signal(SIGTERM, 0);
    catch_signal(SIGHUP, 0);
    catch_signal(SIGQUIT, 0);
}

bool
reading_is_interrupted(void)
{
    return interrupted;
}

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
        say("\"%s\" ends in the middle of a packet; the tables show what comes before.", name_of(path));
    else if (error > 0)
        say("\"%s\" cannot be read: %s.", name_of(path), g_strerror(error));
    else
        say("\"%s\" cannot be read: %s%s%s%s", name_of(path), wiretap()->wtap_strerror(error), reason ? " (" : "",
            reason ? reason : "", reason ? ")." : ".");
    g_free(reason);
}

static void
stop_reading_ahead(struct read_file *file)
{
    if (file->ahead)
        ahead_end(file->ahead);
    file->ahead = NULL;
}

static void
read_file_free(void *data)
{
    struct read_file *file = data;
    stop_reading_ahead(file);
    if (file->wth)
        wiretap()->wtap_close(file->wth);
    plain_pcap_close(file->plain);
    if (file->has_record)
        compat_record_clear(&file->record);
    g_free(file);
}

static void
describe(struct read_file *file, struct read_record *record)
{
    const wtap_rec *rec = &record->rec;
    bool is_packet = rec->rec_type == REC_TYPE_PACKET;
    file->next = (struct frame){
        .rec = rec,
        .bytes = compat_record_bytes(record),
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

static bool
is_open(const struct read_file *file)
{
    return file->plain || file->wth;
}

/* Whether there was not a byte to read. */
static bool
is_empty(const struct read_file *file)
{
    return file->wth && wiretap()->wtap_read_so_far(file->wth) == 0;
}

/* `reason`: freed. */
static void
read_file_end(struct read_file *file, int error, char *reason)
{
    file->has_next = false;
    stop_reading_ahead(file);
    if ((error || is_empty(file)) && !reading_is_interrupted()) {
        *file->has_failed = true;
        if (error)
            say_error(file->path, error, reason);
        else
            say("\"%s\" is empty: it is not a capture file.", name_of(file->path));
    }
    if (file->wth)
        wiretap()->wtap_close(file->wth);
    file->wth = NULL;
    plain_pcap_close(file->plain);
    file->plain = NULL;
}

/* Of several files the first records are looked at, and nothing more as long as they wait for their turn. */
static struct read_record *
next_record(struct read_file *file, int *error, char **reason)
{
    if (!file->ahead && file->may_read_ahead && file->has_next)
        file->ahead = ahead_begin(file->wth);
    if (file->ahead)
        return ahead_next(file->ahead, error, reason);
    wiretap()->wtap_rec_reset(&file->record.rec);
    return compat_read(file->wth, &file->record, error, reason) ? &file->record : NULL;
}

static void
read_by_wiretap(struct read_file *file)
{
    int error = 0;
    char *reason = NULL;
    struct read_record *record = next_record(file, &error, &reason);
    file->has_next = record;
    if (record)
        describe(file, record);
    else
        read_file_end(file, error, reason);
}

/* False, having said why, if it cannot be opened. */
static bool
open_by_wiretap(struct read_file *file)
{
    int error = 0;
    char *reason = NULL;
    if (!file->has_record)
        compat_record_init(&file->record);
    file->has_record = true;
    file->wth = wiretap()->wtap_open_offline(file->path, WTAP_TYPE_AUTO, &error, &reason, FALSE);
    if (file->wth)
        return true;
    *file->has_failed = true;
    if (error == WTAP_ERR_SHORT_READ)
        say("\"%s\" is too short for a capture file: its header is not complete.", name_of(file->path));
    else
        say_error(file->path, error, reason);
    return false;
}

/* From the next record on the file is wiretap's. */
static void
leave_plain(struct read_file *file)
{
    const uint64_t passed = plain_pcap_records(file->plain);
    plain_pcap_close(file->plain);
    file->plain = NULL;
    file->has_next = open_by_wiretap(file);
    for (uint64_t i = 0; i <= passed && file->has_next; i++)
        read_by_wiretap(file);
}

/* The first frame is looked at for what its record says, as wiretap's are. */
static inline void
describe_plain(struct read_file *file)
{
    const struct plain_record *record = &file->plain_record;
    struct frame *frame = &file->next;
    frame->rec = &file->plain_rec;
    file->plain_rec.rec_header.packet_header.interface_id = record->interface;
    frame->options = record->options.bytes ? &record->options : NULL;
    frame->encapsulation = record->encapsulation;
    /* SLL2 names a device in each packet. */
    frame->is_plain =
        file->has_next && !record->tells && record->interface == 0 && record->encapsulation != WTAP_ENCAP_SLL2;
    frame->has_time = record->has_time;
    frame->origin = file;
    frame->bytes = record->bytes;
    frame->captured = record->captured;
    frame->reported = MAX(record->captured, record->reported);
    frame->time_ns = record->time_ns;
    file->has_next = true;
}

static SELDOM void
describe_custom(struct read_file *file)
{
    static const wtap_rec rec = { .rec_type = REC_TYPE_CUSTOM_BLOCK };
    file->next = (struct frame){ .rec = &rec, .encapsulation = WTAP_ENCAP_UNKNOWN, .origin = file };
    file->has_next = true;
}

static inline void
read_plain(struct read_file *file)
{
    switch (plain_pcap_next(file->plain, &file->plain_record)) {
    case PLAIN_RECORD:
        describe_plain(file);
        break;
    case PLAIN_CUSTOM:
        describe_custom(file);
        break;
    case PLAIN_END:
        read_file_end(file, 0, NULL);
        break;
    case PLAIN_ODD:
        leave_plain(file);
        break;
    }
}

static void
read_file_next(struct read_file *file)
{
    if (file->plain)
        read_plain(file);
    else
        read_by_wiretap(file);
}

/* Opens it, again from its beginning: false, having said why, if that cannot be. */
static bool
read_file_begin(struct read_file *file)
{
    file->is_awaited = false;
    file->plain = file->is_regular ? plain_pcap_open(file->path) : NULL;
    if (!file->plain)
        return open_by_wiretap(file);
    file->plain_rec.rec_type = REC_TYPE_PACKET;
    file->plain_rec.presence_flags = plain_pcap_has_interfaces(file->plain) ? WTAP_HAS_INTERFACE_ID : 0;
    return true;
}

/* NULL, having said why, if it cannot be opened. */
static struct read_file *
read_file_open(const char *path, bool may_read_ahead, bool *has_failed)
{
    struct read_file *file = g_new0(struct read_file, 1);
    GStatBuf status;
    file->path = path;
    file->has_failed = has_failed;
    file->is_regular = g_file_test(path, G_FILE_TEST_IS_REGULAR);
    file->may_read_ahead = may_read_ahead && file->is_regular;
    if (!read_file_begin(file)) {
        read_file_free(file);
        return NULL;
    }
    if (file->is_regular && g_stat(path, &status) == 0)
        file->bytes = status.st_size;
    return file;
}

/* Between these, wiretap may be asked. */
static void
hold(const struct read_file *file)
{
    if (file->ahead)
        ahead_lock(file->ahead);
}

static void
release(const struct read_file *file)
{
    if (file->ahead)
        ahead_unlock(file->ahead);
}

static int64_t
read_file_done_bytes(const struct read_file *file)
{
    if (file->plain)
        return plain_pcap_bytes(file->plain);
    hold(file);
    const int64_t done = file->wth ? wiretap()->wtap_read_so_far(file->wth) : file->bytes;
    release(file);
    return done;
}

static const char *
name_by_wiretap(const struct read_file *file, uint32_t interface, uint32_t section)
{
    wtapng_iface_descriptions_t *interfaces = wiretap()->wtap_file_get_idb_info(file->wth);
    uint32_t number = compat_interface(file->wth, interface, section);
    char *name = NULL;
    if (number < (file->ahead ? ahead_interfaces(file->ahead) : interfaces->interface_data->len)) {
        wtap_block_t block = g_array_index(interfaces->interface_data, wtap_block_t, number);
        if (wiretap()->wtap_block_get_string_option_value(block, OPT_IDB_NAME, &name) != WTAP_OPTTYPE_SUCCESS &&
            wiretap()->wtap_block_get_string_option_value(block, OPT_IDB_DESCRIPTION, &name) != WTAP_OPTTYPE_SUCCESS)
            name = NULL;
    }
    g_free(interfaces);
    return name;
}

const char *
reading_interface_name(const struct frame *frame, uint32_t interface, uint32_t section)
{
    const struct read_file *file = frame->origin;
    if (file->plain)
        return plain_pcap_interface(file->plain, interface);
    if (!file->wth)
        return NULL;
    hold(file);
    const char *name = name_by_wiretap(file, interface, section);
    release(file);
    return name;
}

/* NULL if nobody has been described. */
static const struct described *
described_in(const struct frame *frame)
{
    const struct read_file *file = frame->origin;
    return file->plain ? plain_pcap_described(file->plain) : NULL;
}

void
reading_process_block(const struct frame *frame, uint32_t block, uint32_t section, struct process *process)
{
    const struct described *described = described_in(frame);
    (void)section; /* a plain file has one */
    if (described)
        described_read_numbered(described, block, process);
}

bool
reading_process_of_pid(const struct frame *frame, uint32_t pid, struct process *process)
{
    const struct described *described = described_in(frame);
    return described && described_read_pid(described, pid, frame->time_ns, process);
}

static int
compare_begins(const void *a, const void *b)
{
    const struct read_file *x = *(struct read_file *const *)a;
    const struct read_file *y = *(struct read_file *const *)b;
    return (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

/* Several files: each is looked at, and waits for its turn, so that a ring buffer's thousands are not open at once. A
 * pipe cannot be opened twice. */
static void
await_files(struct reading *reading)
{
    for (unsigned i = 0; i < reading->files->len; i++) {
        struct read_file *file = g_ptr_array_index(reading->files, i);
        read_file_next(file);
        file->first_ns = file->has_next && file->next.has_time ? file->next.time_ns : INT64_MIN;
        if (!is_open(file) || !file->is_regular)
            continue;
        read_file_end(file, 0, NULL);
        file->is_awaited = true;
    }
    g_ptr_array_sort(reading->files, compare_begins);
}

struct reading *
reading_open(char **paths, bool may_read_ahead, bool *failed)
{
    struct reading *reading = g_new0(struct reading, 1);
    reading->files = g_ptr_array_new_with_free_func(read_file_free);
    reading->open = g_ptr_array_new();
    for (; *paths; paths++) {
        struct read_file *file = read_file_open(*paths, may_read_ahead, &reading->has_failed);
        if (file)
            g_ptr_array_add(reading->files, file);
    }
    *failed = reading->has_failed;
    if (reading->files->len == 0) {
        reading_close(reading);
        return NULL;
    }
    if (reading->files->len > 1)
        await_files(reading);
    return reading;
}

void
reading_close(struct reading *reading)
{
    g_ptr_array_free(reading->files, TRUE);
    g_ptr_array_free(reading->open, TRUE);
    g_free(reading);
}

/* Whether its next frame comes before the other's. What has no time stays where it is. */
static bool
is_before(const struct read_file *file, const struct read_file *other)
{
    return !file->next.has_time || (other->next.has_time && file->next.time_ns < other->next.time_ns);
}

/* The file whose next frame comes first, among those that are open; NULL if there is none. */
static struct read_file *
earliest(const struct reading *reading)
{
    struct read_file *found = NULL;
    for (unsigned i = 0; i < reading->open->len; i++) {
        struct read_file *file = g_ptr_array_index(reading->open, i);
        if (file->has_next && (!found || is_before(file, found)))
            found = file;
    }
    return found;
}

/* Begins the files that are due before a frame of `found`, and returns the one whose frame that now is. */
static struct read_file *
begin_due(struct reading *reading, struct read_file *found)
{
    while (reading->n_begun < reading->files->len) {
        struct read_file *file = g_ptr_array_index(reading->files, reading->n_begun);
        if (found && found->next.has_time && found->next.time_ns < file->first_ns)
            break;
        reading->n_begun++;
        if (file->is_awaited && read_file_begin(file))
            read_file_next(file);
        g_ptr_array_add(reading->open, file);
        found = earliest(reading);
    }
    return found;
}

static struct frame *
next_of_several(struct reading *reading)
{
    struct read_file *last = reading->last;
    if (last && is_open(last))
        read_file_next(last);
    if (last && !last->has_next)
        g_ptr_array_remove(reading->open, last);
    reading->last = begin_due(reading, earliest(reading));
    return reading->last ? &reading->last->next : NULL;
}

inline struct frame *
reading_next(struct reading *reading)
{
    if (reading->files->len > 1)
        return next_of_several(reading);
    struct read_file *file = g_ptr_array_index(reading->files, 0);
    if (is_open(file))
        read_file_next(file);
    return file->has_next ? &file->next : NULL;
}

bool
reading_is_live(const struct reading *reading)
{
    for (unsigned i = 0; i < reading->files->len; i++)
        if (!((const struct read_file *)g_ptr_array_index(reading->files, i))->is_regular)
            return true;
    return false;
}

bool
reading_has_failed(const struct reading *reading)
{
    return reading->has_failed;
}

int64_t
reading_done_bytes(const struct reading *reading)
{
    int64_t done = 0;
    for (unsigned i = 0; i < reading->files->len; i++) {
        const struct read_file *file = g_ptr_array_index(reading->files, i);
        if (!file->is_awaited)
            done += read_file_done_bytes(file);
    }
    return done;
}

int64_t
reading_all_bytes(const struct reading *reading)
{
    int64_t all = 0;
    for (unsigned i = 0; i < reading->files->len; i++) {
        const struct read_file *file = g_ptr_array_index(reading->files, i);
        if (file->bytes == 0)
            return 0;
        all += file->bytes;
    }
    return all;
}
