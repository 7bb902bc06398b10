# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window in a virtual display, driven with keys and clicks."""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILE = ROOT / 'profiles/Latency'
PROGRAMS = 'Xvfb', 'wireshark', 'tshark', 'mergecap', 'xdotool', 'import', 'convert'
WIDTH, HEIGHT = 1400, 800
PATIENCE = 60  # seconds


def output(*command, text=True):
    return subprocess.run(list(map(str, command)), capture_output=True, text=text, check=True, timeout=PATIENCE).stdout


def pixels():
    return output('import', '-window', 'root', '-depth', '8', 'rgb:-', text=False)


def wait_for(what, condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise RuntimeError(f'{what}: not within {patience} s')
        time.sleep(0.2)


class Desktop:
    """A virtual display, and a home folder that has the plugin and the profile."""

    def __init__(self, plugin):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix='latency-gui-'))
        self.home = self.base / 'home'
        version = re.search(r'\d+\.\d+', output('tshark', '--version')).group()
        plugins, config = self.home / '.local/lib/wireshark/plugins' / version / 'epan', self.home / '.config/wireshark'
        plugins.mkdir(parents=True)
        shutil.copy(plugin, plugins / 'latency.so')
        shutil.copytree(PROFILE, config / 'profiles/Latency')
        (config / 'recent_common').write_text(
            f'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: {WIDTH}\ngui.geometry_main_height: {HEIGHT}\n')
        # No plugins of the system's: ours may be installed there too.
        self.user = ['env', f'HOME={self.home}', f'XDG_RUNTIME_DIR={self.home}', f'WIRESHARK_PLUGIN_DIR={self.base}/none',
                     'TZ=UTC', 'LC_ALL=C.UTF-8']
        if os.geteuid() == 0:  # Wireshark loads no personal plugins for root
            self.user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] + self.user
            subprocess.run(['chown', '-R', '65534:65534', self.base], check=True)
        self.home.chmod(0o700)
        reader, writer = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(writer), '-screen', '0', f'{WIDTH}x{HEIGHT}x24', '-nolisten', 'tcp'],
                                       pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError('Xvfb did not start')
        os.environ['DISPLAY'] = f':{number}'

    def close(self):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.base, ignore_errors=True)

    def tshark(self, *arguments):
        return output(*self.user, 'tshark', '-C', 'Latency', *arguments)


class Wireshark:
    """Wireshark with a capture loaded; leaves by Ctrl+Q."""

    def __init__(self, desktop, capture, *arguments):
        self.capture, self.errors = pathlib.Path(capture), desktop.base / 'errors'
        with open(self.errors, 'w') as errors:
            self.process = subprocess.Popen([*desktop.user, 'wireshark', '-C', 'Latency', *arguments, str(capture)],
                                            stdout=errors, stderr=errors)

    def __enter__(self):
        self.main = self.window(f'^(\\[.*\\])?{re.escape(self.capture.name)}')
        self.settle()
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()

    def windows(self):
        """The titles of the windows to be seen, by id."""
        found = subprocess.run(['xdotool', 'search', '--onlyvisible', '--name', '.'], capture_output=True, text=True).stdout.split()
        names = {window: subprocess.run(['xdotool', 'getwindowname', window], capture_output=True, text=True).stdout.strip()
                 for window in found}
        return {window: name for window, name in names.items() if name}

    def window(self, pattern):
        def find():
            if self.process.poll() is not None:
                raise RuntimeError(f'Wireshark exited with {self.process.returncode}: {self.errors.read_text()}')
            return next((window for window, name in self.windows().items() if re.search(pattern, name)), None)
        return wait_for(f'a window called {pattern}', find)

    def settle(self):
        """Until two looks a second apart are the same."""
        def still():
            before = pixels()
            time.sleep(1)
            return before == pixels()
        wait_for('a picture that stays', still)

    def keys(self, *keys):
        output('xdotool', 'key', '--delay', '80', *keys)

    def click(self, window, right, bottom):
        """At that many pixels from the window's right and bottom edge."""
        size = dict(line.split('=') for line in output('xdotool', 'getwindowgeometry', '--shell', window).split())
        output('xdotool', 'mousemove', '--window', window, int(size['WIDTH']) - right, int(size['HEIGHT']) - bottom, 'click', '1')
        time.sleep(0.7)

    def save(self, dialog, path):
        output('xdotool', 'windowfocus', '--sync', dialog, 'key', 'alt+n', 'type', '--delay', '30', str(path))
        self.keys('Return')
        file = path.with_suffix('.csv')
        wait_for(file, lambda: file.exists() and dialog not in self.windows())
        with open(file, newline='') as lines:
            return list(csv.reader(lines))

    def export_list(self, path):
        """File > Export Packet Dissections > As CSV…"""
        output('xdotool', 'windowfocus', '--sync', self.main)
        self.keys('alt+f', *['Down'] * 8, 'Right', 'Down', 'Return')
        return self.save(self.window('Export Packet Dissections'), path)

    def save_table(self, title, path):
        """Save as…, with the second of the types of file, which is CSV."""
        self.click(self.window(title), 143, 23)
        dialog = self.window('Save Statistics')
        self.click(dialog, 315, 23)
        self.keys('Down', 'Return')
        return self.save(dialog, path)

    def complaints(self):
        words = re.compile(r'latency|warn|error|critical|profile|filter|column|crash|assert', re.I)
        return [line for line in self.errors.read_text().splitlines() if words.search(line)]

    def leave(self):
        output('xdotool', 'windowfocus', '--sync', self.main)
        self.keys('ctrl+q')
        wait_for('Wireshark to leave', lambda: self.process.poll() is not None, 20)
        return self.process.returncode
