/* tls_fields.c
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tls_fields.h"

#include "../../core/quic/quic.h"

static int hf_sni = -1;
static int hf_alpn = -1;
static int hf_alpn_chosen = -1;
static int hf_version = -1;
static int hf_hello = -1;
static int hf_handshake = -1;
static int hf_hello_in = -1;
static int hf_result = -1;
static int hf_alert = -1;
static int hf_resumed = -1;
static int hf_retried = -1;
static int hf_quic_version = -1;
static int hf_quic_retry = -1;
static int hf_quic_early_data = -1;
static int hf_quic_spin_rtt = -1;
static int hf_quic_spin_believed = -1;
static int hf_quic_spin_rounds = -1;

static void
show_text(struct view *view, int hf, const char *text)
{
    if (*text)
        view_add_string(view, hf, text);
}

static void
show_asked(struct view *view, const struct tls_handshake *handshake)
{
    show_text(view, hf_sni, handshake->host);
    show_text(view, hf_alpn, handshake->alpn);
}

static void
show_chosen(struct view *view, const struct tls_handshake *handshake)
{
    show_text(view, hf_version, handshake->version);
    show_text(view, hf_alpn_chosen, handshake->chosen);
}

static void
show_result(struct view *view, const struct tls_handshake *handshake)
{
    view_add_word(view, hf_result, handshake->result, tls_result_name(handshake->result), false);
}

static void
show_end(struct view *view, const struct tls_handshake *handshake)
{
    if (tls_handshake_time_ns(handshake) >= 0)
        view_add_time(view, hf_handshake, tls_handshake_time_ns(handshake));
    show_result(view, handshake);
    show_text(view, hf_alert, handshake->alert);
    view_add_uint(view, hf_hello_in, handshake->hello_frame);
    if (handshake->resumed)
        view_add_flag(view, hf_resumed);
    if (handshake->retried)
        view_add_flag(view, hf_retried);
}

/* Says of a connection of QUIC what TLS does not. */
static void
show_quic(struct view *view, const struct quic *quic)
{
    show_text(view, hf_quic_version, quic_version_name(quic->version));
    if (quic->retried)
        view_add_flag(view, hf_quic_retry);
    if (quic->has_early_data)
        view_add_flag(view, hf_quic_early_data);
}

void
tls_fields_show(struct view *view, const struct connection *connection)
{
    const struct tls_handshake *handshake = connection->tcp->handshake;
    const uint32_t frame = view->pinfo->num;
    bool asks = frame == handshake->hello_frame, answers = frame == handshake->answer_frame;
    bool ends = frame == handshake->end_frame;
    if (!asks && !answers && !ends)
        return;
    if (asks || ends)
        show_asked(view, handshake);
    if (answers || ends)
        show_chosen(view, handshake);
    if (answers)
        view_add_time(view, hf_hello, tls_handshake_hello_ns(handshake));
    if (answers && connection->tcp->quic)
        show_quic(view, connection->tcp->quic);
    if (ends)
        show_end(view, handshake);
    else if (asks && PINFO_FD_VISITED(view->pinfo))
        show_result(view, handshake);
    const char *time = ends && tls_handshake_time_ns(handshake) >= 0
                           ? view_ms(view->pinfo->pool, tls_handshake_time_ns(handshake))
                           : NULL;
    if (view->item)
        proto_item_append_text(view->item, ": TLS handshake%s%s%s%s", *handshake->host ? ", " : "", handshake->host,
                               time ? ", " : "", time ? time : "");
}

void
tls_fields_show_spin(struct view *view, const struct item *item)
{
    view_add_time(view, hf_quic_spin_rtt, item->spacing_ns);
    view_add_uint(view, hf_quic_spin_believed, item->n_believed);
    view_add_uint(view, hf_quic_spin_rounds, item->n_rounds);
}

void
tls_fields_register(int proto)
{
    static hf_register_info hf[] = {
        TEXT_FIELD(hf_sni, "SNI", "latency.tls.sni", "The host that the client asks for"),
        TEXT_FIELD(hf_alpn, "ALPN", "latency.tls.alpn", "The protocols that the client offers"),
        TEXT_FIELD(hf_alpn_chosen, "ALPN chosen", "latency.tls.alpn.chosen",
                   "The protocol that the server chose, if it said so unencrypted"),
        TEXT_FIELD(hf_version, "TLS version", "latency.tls.version", "The version that the server chose"),
        TIME_FIELD(hf_hello, "TLS hello", "latency.tls.hello", "From the ClientHello to the ServerHello"),
        TIME_FIELD(hf_handshake, "TLS handshake", "latency.tls.handshake",
                   "From the ClientHello until the client may send data"),
        FRAME_FIELD(hf_hello_in, "ClientHello in", "latency.tls.hello_in", FRAMENUM_TYPE(FT_FRAMENUM_REQUEST),
                    "The frame of the ClientHello"),
        { &hf_result,
          { "TLS result", "latency.tls.result", FT_UINT8, BASE_DEC, VALS(tls_result_strings), 0,
            "How the handshake ended", HFILL } },
        TEXT_FIELD(hf_alert, "TLS alert", "latency.tls.alert", "The alert with which the handshake failed"),
        FLAG_FIELD(hf_resumed, "TLS resumed", "latency.tls.resumed", "The handshake resumes an earlier session"),
        FLAG_FIELD(hf_retried, "TLS retried", "latency.tls.retried",
                   "The server asked for a second ClientHello (HelloRetryRequest)"),
        TEXT_FIELD(hf_quic_version, "QUIC version", "latency.quic.version", "The version that the server speaks"),
        FLAG_FIELD(hf_quic_retry, "QUIC retry", "latency.quic.retry",
                   "The server made the client prove its address first (Retry)"),
        FLAG_FIELD(hf_quic_early_data, "QUIC 0-RTT", "latency.quic.early_data",
                   "The client sent data before the handshake was complete"),
        TIME_FIELD(hf_quic_spin_rtt, "QUIC spin RTT", "latency.quic.spin_rtt",
                   "The round trip that the spin bit gives"),
        UINT_FIELD(hf_quic_spin_believed, "QUIC spins believed", "latency.quic.spin_believed",
                   "How many of the rounds so far are believed"),
        UINT_FIELD(hf_quic_spin_rounds, "QUIC spin rounds", "latency.quic.spin_rounds",
                   "How many rounds the spin bit has made so far"),
    };
    proto_register_field_array(proto, hf, G_N_ELEMENTS(hf));
}
