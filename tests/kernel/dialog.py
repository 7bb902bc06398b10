# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel-stages in Wireshark's window: a port is typed and two stages are ticked in the interface's dialog, and Wireshark captures so: nothing
else may be in its file.
"""
import functools
import re
import shutil
import socket
import subprocess
import threading
import time

from desktop import PROGRAMS, WIDTH, Desktop, Wireshark, output, wait_for
from live import PORT, lacking, skip
from outline import Group

ROW = 238  # the welcome page's first interface, from the top
GEAR, BLUE = 181, 900  # from the left: its button, and where it is blue for being selected
STOP = '53', '41'
PORT_FIELD = 300, 62  # in the dialog, from its left and top: the first field
TX_IP, TX_QUEUE, SAVE = (384, 150), (384, 116), (224, 22)  # from its right and bottom, where its list stands


class WelcomePage(Wireshark):
    """Of the interfaces only kernel-stages is shown."""

    def __init__(self, desktop, program):
        self.desktop, self.errors, self.title = desktop, desktop.base / 'errors', '^The Wireshark Network Analyzer$'
        self.files, extcap = desktop.base / 'files', desktop.base / 'extcap'
        for folder in self.files, extcap:
            folder.mkdir()
        subprocess.run(['setcap', 'cap_bpf,cap_perfmon,cap_net_admin+ep', shutil.copy(program, extcap)], check=True)
        desktop.base.chmod(0o755)
        desktop.user += [f'WIRESHARK_EXTCAP_DIR={extcap}', f'TMPDIR={self.files}']
        listed = output(*desktop.user, 'tshark', '-D')
        others = [name for name in re.findall(r'^\d+\. (\S+)', listed, re.M) if name != 'kernel-stages']
        # In its own profile, which Wireshark writes to when the dialog is saved.
        self.preferences = desktop.home / '.config/wireshark/profiles/Latency/preferences'
        self.preferences.write_text(self.preferences.read_text() + f'\ncapture.devices_hide: {",".join(others)}\n')
        subprocess.run(['chown', '-R', '65534:65534', desktop.home, self.files], check=True)
        self.start(desktop)

    def has_listed(self):
        """It ends at a click before its interfaces are listed; the first of them is then selected."""
        picture, at = self.desktop.pixels(), (ROW * WIDTH + BLUE) * 3
        return picture[at + 2] > picture[at] + 60

    def choose(self, port):
        wait_for('the list of interfaces', self.has_listed)
        self.settle()
        output('xdotool', 'mousemove', str(GEAR), str(ROW), 'click', '1')
        dialog = self.window('Interface Options')
        self.settle()
        self.focus(dialog)
        self.point(dialog, *PORT_FIELD)
        output('xdotool', 'key', 'ctrl+a', 'type', '--delay', '50', str(port))
        for place in TX_IP, TX_QUEUE, SAVE:
            self.click(dialog, *place)
        wait_for('the end of the dialog', lambda: dialog not in self.windows())
        saved = dict(re.findall(r'^extcap\.kernel_stages\.(\w+): *(.*)', self.preferences.read_text(), re.M))
        if saved != {'port': str(port), 'stages': 'tx:ip,tx:queue'}:
            raise RuntimeError(f'the dialog has saved {saved}')

    def capture(self, traffic):
        """The file, when Wireshark has captured some packets of the traffic and is told to stop."""
        output('xdotool', 'mousemove', str(GEAR + 200), str(ROW), 'click', '--repeat', '2', '--delay', '100', '1')
        self.main = self.window('^Capturing from ')

        def file():
            traffic()
            return next((file for file in self.files.glob('*.pcapng') if file.stat().st_size > 10000), None)
        found = wait_for('packets', file)
        output('xdotool', 'mousemove', *STOP, 'click', '1')
        self.main = self.window('^(?!Capturing)')
        return found


def exchange(ports):
    """A connection to each, with some bytes in both directions."""
    for port in ports:
        with socket.create_server(('127.0.0.1', port)) as server:
            def serve():
                with server.accept()[0] as accepted:
                    accepted.sendall(accepted.recv(100))
            thread = threading.Thread(target=serve)
            thread.start()
            with socket.create_connection(('127.0.0.1', port)) as client:
                client.sendall(b'x' * 100)
                client.recv(100)
            thread.join()
    time.sleep(0.2)


def problems(plugin, program):
    desktop = Desktop(plugin)
    try:
        with WelcomePage(desktop, program) as wireshark:
            wireshark.choose(PORT)
            file = wireshark.capture(lambda: exchange([PORT, PORT + 1]))
            fields = desktop.tshark('-r', file, '-T', 'fields', '-e', 'frame.interface_name', '-e', 'tcp.srcport', '-e', 'tcp.dstport')
            rows = [line.split('\t') for line in fields.splitlines()]
            stages = {stage for stage, *_ in rows}
            if stages != {'tx:ip', 'tx:queue'}:
                yield f'stages {stages}'
            if not rows or any(str(PORT) not in ports for _, *ports in rows):
                yield f'ports {rows}'
            yield from (line for line in wireshark.complaints() if 'MESSAGE] -- File:' not in line)
            code = wireshark.leave()
            if code:
                yield f'exit code {code}'
    finally:
        desktop.close()


def cases(plugin, program):
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    reason = f'no {", ".join(missing)}' if missing else lacking(program)
    yield 'the dialog', functools.partial(skip, reason) if reason else lambda: list(problems(plugin, program))


def groups(context):
    yield Group('', functools.partial(cases, context.plugin, context.builds / 'release/bin/kernel-stages'))
