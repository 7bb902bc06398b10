# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's window in a virtual display, driven with keys and clicks."""
import contextlib
import csv
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILES = ROOT / 'profiles'
PROFILE = PROFILES / 'Latency'
PREFERENCES_4_4 = ROOT / 'cmake/profile-4.4-preferences'
PROGRAMS = 'Xvfb', 'wireshark', 'tshark', 'capinfos', 'editcap', 'mergecap', 'xdotool', 'import', 'convert'
WIDTH, HEIGHT = 1400, 800
PATIENCE, LOOK = 60, 0.05  # seconds
CURSOR = 200  # bytes of a picture at most, of a text cursor that blinks


def output(*command, text=True):
    return subprocess.run(list(map(str, command)), capture_output=True, text=text, check=True, timeout=PATIENCE).stdout


def difference(before, after):
    """How many bytes of two pictures are not the same."""
    if len(before) != len(after):
        return max(len(before), len(after))
    both = int.from_bytes(before, 'little') ^ int.from_bytes(after, 'little')
    return len(before) - both.to_bytes(len(before), 'little').count(0)


def wait_for(what, condition, patience=PATIENCE):
    end = time.monotonic() + patience
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise RuntimeError(f'{what}: not within {patience} s')
        time.sleep(LOOK)


def insist(what, act, condition, undo=lambda _: None):
    """Does something until it has had its effect: a window that is busy or not yet drawn loses keys and clicks."""
    for patience in 15, 30, PATIENCE:
        result = act()
        try:
            return wait_for(what, lambda: condition(result), patience)
        except RuntimeError:
            if patience == PATIENCE:
                raise
            undo(result)


class Desktop:
    """A virtual display, and a home folder that has the plugin, compiled or Lua, and the profile."""

    def __init__(self, plugin, width=WIDTH):
        plugin = pathlib.Path(plugin)
        self.base = pathlib.Path(tempfile.mkdtemp(prefix='latency-gui-'))
        self.home = self.base / 'home'
        self.version = version = re.search(r'\d+\.\d+', output('tshark', '--version')).group()
        self.lua_plugins, config = self.home / '.local/lib/wireshark/plugins', self.home / '.config/wireshark'
        plugins = self.lua_plugins if plugin.suffix == '.lua' else self.lua_plugins / version / 'epan'
        plugins.mkdir(parents=True)
        shutil.copy(plugin, plugins / f'latency{plugin.suffix}')
        shutil.copytree(PROFILES, config / 'profiles')
        if version != '4.0':  # as CMakeLists.txt does
            for profile in (config / 'profiles').iterdir():
                with open(profile / 'preferences', 'a') as preferences:
                    preferences.write(PREFERENCES_4_4.read_text())
        (config / 'recent_common').write_text(
            f'gui.geometry_main_x: 0\ngui.geometry_main_y: 0\ngui.geometry_main_width: {WIDTH}\ngui.geometry_main_height: {HEIGHT}\n')
        # No plugins of the system's: ours may be installed there too.
        self.user = ['env', f'HOME={self.home}', f'XDG_RUNTIME_DIR={self.home}', f'WIRESHARK_PLUGIN_DIR={self.base}/none',
                     f'WIRESHARK_EXTCAP_DIR={self.base}/none',  # one of them hangs below a sanitizer
                     'TZ=UTC', 'LC_ALL=C.UTF-8']
        if os.geteuid() == 0:  # Wireshark loads no personal plugins for root
            self.user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'] + self.user
            subprocess.run(['chown', '-R', '65534:65534', self.base], check=True)
        self.home.chmod(0o700)
        reader, writer = os.pipe()
        self.server = subprocess.Popen(['Xvfb', '-displayfd', str(writer), '-screen', '0', f'{width}x{HEIGHT}x24', '-nolisten', 'tcp', '-noreset',
                                        '-fbdir', self.base], pass_fds=[writer], stderr=subprocess.DEVNULL)
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

    def picture(self):
        """What the screen shows, four bytes a pixel: Xvfb has it in a file, whose head is of big-endian words."""
        data = (self.base / 'Xvfb_screen0').read_bytes()
        words = struct.unpack_from('>25I', data)
        return data[words[0] + 12 * words[19]:]

    def pixels(self):
        """Three bytes a pixel: red, green, blue."""
        picture = self.picture()
        found = bytearray(len(picture) // 4 * 3)
        found[::3], found[1::3], found[2::3] = picture[2::4], picture[1::4], picture[::4]
        return found

    def tshark(self, *arguments):
        return output(*self.user, 'tshark', '-C', 'Latency', *arguments)


class Wireshark:
    """Wireshark with a capture loaded; leaves by Ctrl+Q."""
    patience = PATIENCE

    def __init__(self, desktop, capture, *arguments, patience=PATIENCE):
        self.desktop, self.errors, self.patience = desktop, desktop.base / 'errors', patience
        self.title = f'^(\\[.*\\])?{re.escape(pathlib.Path(capture).name)}'
        self.start(desktop, *arguments, str(capture))

    def start(self, desktop, *arguments):
        with open(self.errors, 'w') as errors:
            self.process = subprocess.Popen([*desktop.user, 'wireshark', '-C', 'Latency', '-o', 'gui.ask_unsaved:FALSE', *arguments],
                                            stdout=errors, stderr=errors)

    def __enter__(self):
        try:
            self.main = wait_for('the capture in the window', lambda: self.found(self.title), self.patience)
            self.settle()
        except (RuntimeError, subprocess.SubprocessError):
            self.__exit__()
            raise
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

    def window(self, pattern, known=()):
        """A window of that title that is not a known one."""
        return wait_for(f'a window called {pattern}', lambda: self.found(pattern, known))

    def found(self, pattern, known=()):
        """Such a window, if there is one."""
        if self.process.poll() is not None:
            raise RuntimeError(f'Wireshark exited with {self.process.returncode}: {self.errors.read_text()}')
        return next((window for window, name in self.windows().items() if re.search(pattern, name) and window not in known), None)

    def is_busy(self):
        """Whether a thread of it wants a processor, which on a busy machine others may have."""
        for stat in pathlib.Path('/proc', str(self.process.pid), 'task').glob('*/stat'):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                if stat.read_text().rpartition(')')[2].split()[0] in 'RD':
                    return True
        return False

    def settle(self, pause=1):
        """Until for that many seconds nothing but a cursor has changed, and Wireshark has had nothing to do."""
        picture, since = b'', 0

        def still():
            nonlocal picture, since
            now = self.desktop.picture()
            if difference(picture, now) > CURSOR or self.is_busy():
                picture, since = now, time.monotonic()
            return time.monotonic() >= since + pause
        wait_for('a picture that stays', still, self.patience)

    def focus(self, window):
        output('xdotool', 'windowfocus', '--sync', window)

    def keys(self, *keys):
        output('xdotool', 'key', '--delay', '50', *keys)

    def size(self, window):
        size = dict(line.split('=') for line in output('xdotool', 'getwindowgeometry', '--shell', window).split())
        return int(size['WIDTH']), int(size['HEIGHT'])

    def click(self, window, right, bottom):
        """At that many pixels from the window's right and bottom edge."""
        width, height = self.size(window)
        self.point(window, width - right, height - bottom)

    def point(self, window, left, top, button='1'):
        """At that many pixels from the window's left and top edge."""
        output('xdotool', 'mousemove', '--window', window, left, top, 'click', button)
        self.settle(0.3)

    def place(self, window, top, height, width=WIDTH):
        output('xdotool', 'windowmove', window, '0', top, 'windowsize', '--sync', window, width, height)

    def save(self, open_dialog, path, suffix='.csv'):
        """Answers a file dialog; returns the file's text."""
        file = path.with_suffix(suffix)

        def answer():
            dialog = open_dialog()
            output('xdotool', 'windowfocus', '--sync', dialog, 'key', 'alt+n', 'type', '--delay', '5', str(path))
            self.keys('Return')
            return dialog

        def give_up(dialog):
            if dialog in self.windows():
                output('xdotool', 'windowfocus', '--sync', dialog, 'key', '--repeat', '2', 'Escape')  # a list of completions, the dialog
                wait_for('a dialog closed', lambda: dialog not in self.windows())

        def written():
            size = file.stat().st_size
            time.sleep(LOOK)
            return 0 < size == file.stat().st_size and not self.is_busy()  # where /proc is not, it is never busy

        insist(file, answer, lambda dialog: file.exists() and dialog not in self.windows(), give_up)
        wait_for('a file that is whole', written)
        text = file.read_text()
        file.unlink()
        return text

    def opened(self, title, act, known=()):
        """The window that an action opens."""
        return insist(f'a window called {title}', act, lambda _: self.found(title, known))

    def menu_keys(self, *steps):
        self.focus(self.main)
        self.keys('Escape', 'Escape')  # a menu that is open
        for keys in steps:
            self.keys(*keys)
            self.settle(0.2)

    def export_list(self, path):
        """File > Export Packet Dissections > As CSV…"""
        def open_dialog():
            return self.opened('Export Packet Dissections', lambda: self.menu_keys(['alt+f', *['Down'] * 8, 'Right', 'Down', 'Return']))
        return list(csv.reader(self.save(open_dialog, path).splitlines()))

    def leave(self):
        self.focus(self.main)
        self.keys('ctrl+q')
        self.once_more()
        wait_for('Wireshark to leave', lambda: self.process.poll() is not None, 20)
        return self.process.returncode

    def once_more(self):
        """What it takes to leave after Ctrl+Q."""

    # The windows of statistics tables.

    FORMATS = '.txt', '.csv', '.xml', '.yaml'  # in the order of the file dialog

    def menu(self, title, entry, known=()):
        """Tools > Latency, above Lua's own menu at the end, > the entry that many steps down; of EPICS, whose menu is the last one there, so many
        steps down in that. Returns its window, which is not a known one."""
        is_of_epics, steps = entry
        keys = [['alt+t'], ['Up'], ['Up'], ['Right'], *([['Up'], ['Right']] if is_of_epics else []), [*['Down'] * steps, 'Return']]
        return self.opened(title, lambda: self.menu_keys(*keys), known)

    def save_table(self, window, path, suffix='.csv'):
        """Save as…"""
        def open_dialog():
            dialog = self.opened('Save Statistics', lambda: self.click(window, 143, 23))
            self.settle(0.3)
            self.click(dialog, 315, 23)
            self.keys(*['Down'] * self.FORMATS.index(suffix), 'Return')
            return dialog
        return self.save(open_dialog, path, suffix)

    def sort(self, window, column):
        """A click on the column's head."""
        output('xdotool', 'windowraise', window)
        self.settle(0.3)
        line = output('import', '-window', window, '-crop', f'{WIDTH}x1+0+13', '-depth', '8', 'gray:-', text=False)
        edges = [at for at, grey in enumerate(line) if grey < 0xe0]  # one pixel between heads, at a height without letters
        width, height = self.size(window)
        self.click(window, width - (edges[column] + edges[column + 1]) // 2, height - 22)

    def filter(self, window, text):
        """Apply, after typing."""
        output('xdotool', 'windowraise', window)
        self.focus(window)
        self.click(window, 500, 55)
        output('xdotool', 'key', 'ctrl+a', 'type', '--delay', '20', text)
        self.settle(0.3)
        self.apply(window)

    def apply(self, window):
        self.click(window, 45, 55)
        self.settle(0.5)

    def close(self, window):
        insist('a window closed', lambda: self.click(window, 45, 23), lambda _: window not in self.windows())

    def complaints(self):
        words = re.compile(r'latency|warn|error|critical|profile|filter|column|crash|assert|sanitizer', re.I)
        # Without the plugin, too, where a stream is followed and two tables of Wireshark's own are open when all is loaded again.
        # Elsewhere nobody may capture, which 4.6 says; and Qt 6 of threads, at the end.
        own = re.compile(r'Failing due to nested process_specified_records|There are no interfaces on which a capture can be done|'
                         'QThreadStorage: Thread')
        return [line for line in self.errors.read_text().splitlines() if words.search(line) and not own.search(line) and not self.is_said_by_4_2(line)]

    def is_said_by_4_2(self, line):
        """Whether Wireshark 4.2 says it, without the plugin, too: of each of the I/O Graphs when they close, and of a capture that is stopped."""
        return self.desktop.version == '4.2' and line.endswith(('remove_tap_listener(): no listener found with that tap data', 'capture_input_closed(): '))


class LiveWireshark(Wireshark):
    """Wireshark that captures from a pipe, to which a capture is written bit by bit."""

    def __init__(self, desktop, *arguments):
        self.desktop, self.errors, pipe = desktop, desktop.base / 'errors', desktop.base / 'pipe'
        self.title = '^Capturing from '
        os.mkfifo(pipe)
        pipe.chmod(0o666)
        self.start(desktop, '-k', '-i', str(pipe), *arguments)
        self.pipe = os.fdopen(os.open(pipe, os.O_RDWR), 'wb', 0)  # so does not wait for a reader

    def once_more(self):
        """Wireshark 4.2 stops the capture with the first Ctrl+Q, with the plugin and without, and leaves with the second."""
        if self.desktop.version == '4.2':
            wait_for('the capture to stop', lambda: not self.found(self.title))
            self.settle()
            self.focus(self.main)
            self.keys('ctrl+q')

    def write(self, data):
        self.pipe.write(data)

    def __exit__(self, *error):
        super().__exit__(*error)
        self.pipe.close()
