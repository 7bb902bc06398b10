/* fuzz-fields.c
 * What Wireshark shows of Channel Access and pvAccess: frames made of the fuzzer's bytes, dissected by libwireshark
 * with the plugin, all fields. Types, values, lists of channels, statuses are read there alone.
 *
 * A session of libwireshark takes longer to begin than an input does. So it has many inputs, each with a client of its
 * own: nothing of what one said concerns another.
 *
 * Input: as circuit_input.h says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE /* setresuid() */
#include <string.h>
#include <unistd.h>

#include <epan/epan.h>
#include <epan/epan_dissect.h>
#include <epan/frame_data.h>
#include <epan/prefs.h>
#include <epan/tvbuff.h>
#include <wiretap/wtap.h>
#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>

#include "circuit_input.h"
#include "mutate.h"

enum { IP_BYTES = 20, TCP_BYTES = 20, UDP_BYTES = 8, MOST_BYTES = 60000, INPUTS_A_SESSION = 4096 };

const struct input_shape input_shape = { 0, HEAD_BYTES, 1 };

void plugin_register(void);

struct packet_provider_data {
    nstime_t time;
};

struct fuzz {
    epan_t *session; /* NULL before the first */
    struct packet_provider_data provider;
    uint32_t inputs, frames; /* of the session */
    guint32 total_bytes;
    uint32_t next[4][2]; /* of the input: sequence numbers, by circuit and direction */
};

static const nstime_t *
frame_time(struct packet_provider_data *provider, guint32 number _U_)
{
    return &provider->time;
}

/* Root may not say where Wireshark's files are: it is somebody else when Wireshark looks who starts it. */
static void
begin_unprivileged(void)
{
    enum { NOBODY = 65534 };
    const bool is_root = geteuid() == 0;
    if (is_root && (setresgid(NOBODY, NOBODY, 0) != 0 || setresuid(NOBODY, NOBODY, 0) != 0))
        g_error("The user cannot be changed.");
    init_process_policies();
    if (is_root && (setresuid(0, 0, 0) != 0 || setresgid(0, 0, 0) != 0))
        g_error("The user cannot be changed back.");
}

static void
begin(void)
{
    static char *preferences[] = { "ca.values:100", "pva.values:100" };
    /* what Wireshark only tells of ends the run; no other plugins, and no user's settings */
    g_setenv("WIRESHARK_ABORT_ON_DISSECTOR_BUG", "1", TRUE);
    g_setenv("WIRESHARK_CONFIG_DIR", "/nonexistent", TRUE);
    /* no files of names, which each session would read anew */
    g_setenv("WIRESHARK_DATA_DIR", "/nonexistent", TRUE);
    begin_unprivileged();
    configuration_init("fuzz-fields", NULL);
    wtap_init(FALSE);
    plugin_register();
    if (!epan_init(NULL, NULL, FALSE))
        g_error("libwireshark does not start.");
    epan_load_settings();
    for (unsigned i = 0; i < G_N_ELEMENTS(preferences); i++) {
        char *wrong = NULL, *preference = g_strdup(preferences[i]);
        if (prefs_set_pref(preference, &wrong) != PREFS_SET_OK)
            g_error("The preference %s cannot be set.", preferences[i]);
        g_free(preference);
    }
    prefs_apply_all();
}

static void
write_u16(uint8_t *to, unsigned number)
{
    to[0] = (uint8_t)(number >> 8);
    to[1] = (uint8_t)number;
}

static void
write_u32(uint8_t *to, uint32_t number)
{
    write_u16(to, number >> 16);
    write_u16(to + 2, number & 0xffff);
}

static void
write_ip(uint8_t *ip, size_t bytes, unsigned flags, uint32_t input)
{
    const uint32_t client = 0x0a000000 + input, server = 0xc0000202;
    ip[0] = 0x45;
    write_u16(ip + 2, (unsigned)bytes);
    ip[8] = 64;
    ip[9] = flags & DATAGRAM ? 17 : 6;
    write_u32(ip + 12, flags & FROM_CLIENT ? client : server);
    write_u32(ip + 16, flags & FROM_CLIENT ? server : client);
}

static void
write_ports(uint8_t *to, unsigned flags)
{
    const unsigned server = flags & DATAGRAM ? (flags & PVA ? 5076 : 5064) : (flags & PVA ? 5075 : 5064);
    const unsigned client = flags & SECOND_CIRCUIT ? 40001 : 40000;
    write_u16(to, flags & FROM_CLIENT ? client : server);
    write_u16(to + 2, flags & FROM_CLIENT ? server : client);
}

static void
write_tcp(uint8_t *tcp, struct fuzz *fuzz, unsigned flags, size_t n)
{
    enum { OFFSET_AND_ACK = 0x5010, FIN = 1, WINDOW = 65535 };
    const bool from_client = flags & FROM_CLIENT;
    uint32_t *next = fuzz->next[input_circuit(flags)];
    if (flags & AFTER_GAP)
        next[from_client] += 64;
    else if (flags & AGAIN)
        next[from_client] -= (uint32_t)n;
    write_u32(tcp + 4, next[from_client]);
    write_u32(tcp + 8, next[!from_client]);
    write_u16(tcp + 12, OFFSET_AND_ACK | (flags & LAST ? FIN : 0));
    write_u16(tcp + 14, WINDOW);
    next[from_client] += (uint32_t)n;
}

static void
dissect(struct fuzz *fuzz, const uint8_t *frame, unsigned captured, unsigned length)
{
    static nstime_t elapsed;
    static const frame_data *reference;
    frame_data data;
    wtap_rec record;
    wtap_rec_init(&record);
    record.rec_type = REC_TYPE_PACKET;
    record.presence_flags = WTAP_HAS_TS | WTAP_HAS_CAP_LEN;
    record.ts = fuzz->provider.time;
    record.rec_header.packet_header.caplen = captured;
    record.rec_header.packet_header.len = length;
    record.rec_header.packet_header.pkt_encap = WTAP_ENCAP_RAW_IP;
    frame_data_init(&data, ++fuzz->frames, &record, 0, fuzz->total_bytes);
    reference = NULL;
    frame_data_set_before_dissect(&data, &elapsed, &reference, NULL);
    epan_dissect_t *dissection = epan_dissect_new(fuzz->session, TRUE, TRUE);
    epan_dissect_run(dissection, WTAP_FILE_TYPE_SUBTYPE_UNKNOWN, &record,
                     tvb_new_real_data(frame, captured, (int)length), &data, NULL);
    frame_data_set_after_dissect(&data, &fuzz->total_bytes);
    epan_dissect_free(dissection);
    frame_data_destroy(&data);
    wtap_rec_cleanup(&record);
}

static void
take(struct fuzz *fuzz, unsigned flags, const uint8_t *bytes, size_t n)
{
    const size_t head = IP_BYTES + (flags & DATAGRAM ? UDP_BYTES : TCP_BYTES);
    const size_t captured = head + (flags & CUT ? n / 2 : n);
    uint8_t *frame = g_malloc0(captured); /* of its own length, for AddressSanitizer */
    write_ip(frame, head + n, flags, fuzz->inputs);
    write_ports(frame + IP_BYTES, flags);
    if (flags & DATAGRAM)
        write_u16(frame + IP_BYTES + 4, (unsigned)(UDP_BYTES + n));
    else
        write_tcp(frame + IP_BYTES, fuzz, flags, n);
    if (captured > head)
        memcpy(frame + head, bytes, captured - head);
    fuzz->provider.time.nsecs = (fuzz->provider.time.nsecs + 1000) % 1000000000;
    fuzz->provider.time.secs += fuzz->provider.time.nsecs == 0;
    dissect(fuzz, frame, (unsigned)captured, (unsigned)(head + n));
    g_free(frame);
}

static void
begin_session(struct fuzz *fuzz)
{
    static const struct packet_provider_funcs functions = { .get_frame_ts = frame_time };
    if (fuzz->session)
        epan_free(fuzz->session);
    else
        begin();
    *fuzz = (struct fuzz){ .provider = { .time = { .secs = 1700000000 } } };
    fuzz->session = epan_new(&fuzz->provider, &functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz fuzz;
    if (!fuzz.session || fuzz.inputs == INPUTS_A_SESSION)
        begin_session(&fuzz);
    fuzz.inputs++;
    memset(fuzz.next, 0, sizeof fuzz.next);
    for (struct input_segment segment; input_next(&data, &size, &segment);)
        take(&fuzz, segment.flags, segment.bytes, MIN(segment.n, MOST_BYTES));
    return 0;
}
