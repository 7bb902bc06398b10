/* test-foreign.c
 * What no parser reads: foreign/dialogs.txt, each dialogue cut anywhere, from its beginning and from its middle, on
 * ports of protocols that look alike. No parser may be believed, none is a handshake, and each turn has its request
 * with its answer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "unit.h"

#include <string.h>

#include "core/protocol/tls/tls_handshake.h"
#include "core/request/request.h"
#include "scene.h"

struct turn {
    bool from_client;
    GString *bytes;
};

struct dialog {
    char *name;
    GPtrArray *turns; /* of struct turn; they alternate */
};

static enum port_kind
port_kind(uint16_t port)
{
    enum { CLIENT = 1000 };
    return port == CLIENT ? PORT_PLAIN : PORT_CONFIGURED;
}

static const struct turn *
turn_at(const struct dialog *dialog, unsigned i)
{
    return dialog->turns->pdata[i];
}

/* From the turn `first` on, of which a client's begins; turn `cut_turn` is sent in two segments. */
static void
play(const struct dialog *dialog, uint16_t port, unsigned first, unsigned cut_turn, size_t cut)
{
    struct scene scene;
    unsigned asked = 0;
    scene_open(&scene, port, 1000);
    scene.settings.port_kind = port_kind;
    if (first == 0)
        scene_shake_hands(&scene);
    for (unsigned i = first; i < dialog->turns->len; i++) {
        const struct turn *turn = turn_at(dialog, i);
        const size_t begin = i == cut_turn ? cut : 0;
        asked += turn->from_client;
        scene_send(&scene, turn->from_client, turn->bytes->str, begin, begin);
        scene_send(&scene, turn->from_client, turn->bytes->str + begin, turn->bytes->len - begin,
                   turn->bytes->len - begin);
    }
    analysis_end(scene.analysis);
    bool holds = scene.connection->session != SESSION_MESSAGES && scene.connection->n_requests == asked;
    holds &= !scene.connection->tcp->handshake || !scene.connection->tcp->handshake->number;
    for (uint32_t i = 0; i < scene.connection->n_requests; i++)
        holds &= scene.connection->requests[i]->response.first_frame > 0 &&
                 tls_turn_role(scene.connection->requests[i]) == TLS_NONE;
    if (!holds)
        g_test_message("%s, port %u, from turn %u, turn %u cut at %zu: %u rows of %u, framing %u", dialog->name, port,
                       first, cut_turn, cut, scene.connection->n_requests, asked, scene.connection->exchanges.protocol);
    g_assert_true(holds);
    scene_close(&scene);
}

static void
test_dialog(const void *data)
{
    static const uint16_t ports[] = { 9092, 3306, 11211, 443, 9999 };
    const struct dialog *dialog = data;
    for (unsigned port = 0; port < G_N_ELEMENTS(ports); port++)
        for (unsigned first = 0; first < dialog->turns->len; first++) {
            if (!turn_at(dialog, first)->from_client)
                continue;
            for (unsigned i = first; i < dialog->turns->len; i++)
                for (size_t cut = 0; cut < turn_at(dialog, i)->bytes->len; cut++)
                    play(dialog, ports[port], first, i, cut);
        }
}

static void
free_dialog(void *data)
{
    struct dialog *dialog = data;
    for (unsigned i = 0; i < dialog->turns->len; i++) {
        struct turn *turn = dialog->turns->pdata[i];
        g_string_free(turn->bytes, TRUE);
        g_free(turn);
    }
    g_ptr_array_free(dialog->turns, TRUE);
    g_free(dialog->name);
    g_free(dialog);
}

/* Text with \r, \n, \0, \\ and \xNN; a blank is one. */
static GString *
unescape(const char *text)
{
    static const char letters[] = "rn0\\", bytes[] = "\r\n\0\\";
    GString *out = g_string_new("");
    for (; *text; text++) {
        const char *letter = *text == '\\' ? strchr(letters, text[1]) : NULL;
        if (*text == '\\' && text[1] == 'x') {
            g_string_append_c(out, (char)(g_ascii_xdigit_value(text[2]) << 4 | g_ascii_xdigit_value(text[3])));
            text += 3;
        } else if (letter) {
            g_string_append_c(out, bytes[letter - letters]);
            text++;
        } else {
            g_string_append_c(out, *text);
        }
    }
    return out;
}

static void
add_line(struct dialog **dialog, const char *line)
{
    if (*line == '=') {
        *dialog = g_new0(struct dialog, 1);
        (*dialog)->name = g_strdup_printf("/foreign/%s", line + 2);
        (*dialog)->turns = g_ptr_array_new();
        g_test_add_data_func_full((*dialog)->name, *dialog, test_dialog, free_dialog);
    } else if (*dialog && (*line == '>' || *line == '<')) {
        struct turn *turn = g_new0(struct turn, 1);
        turn->from_client = *line == '>';
        turn->bytes = unescape(line + 2);
        g_ptr_array_add((*dialog)->turns, turn);
    }
}

void
foreign_tests_add(const char *folder)
{
    char *path = g_build_filename(folder, "..", "foreign", "dialogs.txt", NULL), *text = NULL;
    struct dialog *dialog = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        add_line(&dialog, *line);
    g_strfreev(lines);
    g_free(text);
    g_free(path);
}
