#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: docs/animation.py BUILD
Makes docs/animation.gif: how a capture is taken, and what a table, the report and Wireshark show of it. The commands and what they print are those
of docs/animation.txt; the report and Wireshark's window are pictures of today's programs in BUILD (build/release). docs/pictures.sh calls this.
"""
import hashlib
import html
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(ROOT / 'tests' / name) for name in ('gui', 'cases')]
import desktop  # noqa: E402

TEXT, GIF, CAPTURE = ROOT / 'docs/animation.txt', ROOT / 'docs/animation.gif', ROOT / 'captures/tcp/shop.pcap'
SLOW_FRAME = '243'  # the answer to the slowest request's call
WIDTH, HEIGHT, CAPTION = 960, 600, 40
TYPED = 3  # frames in which a command is typed
PAUSE, READ, LOOK = 70, 550, 450  # hundredths of a second: while typing, for a table, for a window
STEP = re.compile(r'^(\d) (.*)\n\n((?:    .*\n|\n)+)', re.M)
STYLE = f'''body {{ margin: 0; background: #1b1f24; color: #d8dee6; width: {WIDTH}px; height: {HEIGHT}px; overflow: hidden; position: relative;
                    font: 18.5px/25px "DejaVu Sans Mono", monospace }}
pre {{ font: inherit; margin: 0; padding: 18px 20px }} b {{ color: #7ee787; font-weight: normal }} i {{ color: #ffd866; font-style: normal }}
img {{ display: block; width: {WIDTH}px; height: {HEIGHT - CAPTION}px; object-fit: cover; object-position: top }}
nav {{ position: absolute; bottom: 0; left: 0; right: 0; height: {CAPTION}px; background: #2b313a; color: #8b949e; display: flex;
       font: 18px/{CAPTION}px "DejaVu Sans", sans-serif }} nav span {{ flex: 1; text-align: center }} .now {{ background: #3f6fb5; color: #fff }}'''


def steps():
    """[(what the step is called, its command, what it prints)] of the text."""
    found = []
    for _, name, lines in STEP.findall(TEXT.read_text() + '\n'):
        command, *printed = [line[4:] for line in lines.strip('\n').splitlines()]
        found.append((name, command.removeprefix('$ '), '\n'.join(printed).strip('\n')))
    return found


class Frames:
    """Pictures, each with how long it stays."""

    def __init__(self, folder, names):
        self.folder, self.names, self.made = folder, names, []

    def add(self, step, content, delay):
        bar = ''.join(f'<span{" class=now" if i == step else ""}>{i + 1} {html.escape(name)}</span>' for i, name in enumerate(self.names))
        number = len(self.made)
        page, picture = self.folder / f'{number:02}.html', self.folder / f'{number:02}.png'
        page.write_text(f'<!doctype html><meta charset=utf-8><style>{STYLE}</style>{content}<nav>{bar}</nav>')
        shoot(page, picture, HEIGHT)
        self.made.append((picture, delay))

    def terminal(self, step, lines, delay):
        self.add(step, f'<pre>{lines}</pre>', delay)

    def typed(self, step, before, command, delay):
        """The command comes in pieces behind the prompt, and then stands there; returns the lines."""
        for part in range(1, TYPED + 1):
            shown = command[:len(command) * part // TYPED]
            line = f'{before}<b>$</b> {html.escape(shown)}'
            self.terminal(step, line, delay if part == TYPED else PAUSE)
        return line

    def write(self, path, told):
        pictures = [word for picture, delay in self.made for word in ('-delay', str(delay), str(picture))]
        subprocess.run(['convert', *pictures, '-strip', '-layers', 'OptimizeTransparency', '+dither', '-colors', '96', '-loop', '0', '-set', 'comment', told, str(path)], check=True)


def shoot(page, picture, height):
    subprocess.run(['chromium-headless-shell', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', f'--window-size={WIDTH},{height}', '--virtual-time-budget=5000',
                    f'--screenshot={picture}', page.as_uri()], check=True, stderr=subprocess.DEVNULL)


def report(build, folder):
    """A picture of the page's beginning."""
    page, picture = folder / 'report.html', folder / 'report.png'
    subprocess.run([build / 'bin/latency-scan', '--html', page, CAPTURE], check=True)
    shoot(page, picture, HEIGHT - CAPTION)
    return picture


def window(build, folder):
    """A picture of Wireshark with the answer to the slowest call, and its tree."""
    desktop.WIDTH, desktop.HEIGHT = WIDTH, HEIGHT - CAPTION
    screen, picture = desktop.Desktop(build / 'latency.so', WIDTH), folder / 'window.png'
    try:
        with open(screen.home / '.config/wireshark/profiles/Latency/recent', 'a') as recent:
            recent.write('gui.byte_view_show: FALSE\ngui.packet_list_show: TRUE\n')
        (screen.base / 'slow.pcap').write_bytes(CAPTURE.read_bytes())
        screen.base.chmod(0o755)
        (screen.base / 'slow.pcap').chmod(0o644)
        with desktop.Wireshark(screen, screen.base / 'slow.pcap', '-g', SLOW_FRAME) as wireshark:
            desktop.output('xdotool', 'mousemove', '500', '200', 'click', '--repeat', '2', '--delay', '100', '5')
            wireshark.click(wireshark.main, WIDTH - 300, 150)
            wireshark.keys('End', 'Right', 'Left', 'Right')
            desktop.output('xdotool', 'mousemove', '800', '10')
            wireshark.settle()
            desktop.output('import', '-window', wireshark.main, picture)
    finally:
        screen.close()
    return picture


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build, found = pathlib.Path(sys.argv[1]).resolve(), steps()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        frames = Frames(folder, [name for name, *_ in found])
        (_, capture, _), (_, table, printed), (_, page, _), (_, packet, _) = found
        line = frames.typed(0, '', capture, 2 * PAUSE)
        frames.terminal(0, f'{line}\n^C', PAUSE)
        line = frames.typed(1, f'{line}\n^C\n', table, PAUSE)
        lines = f'{line}\n\n{html.escape(printed)}\n\n'
        frames.terminal(1, lines, READ)
        line = frames.typed(2, lines, page, PAUSE)
        frames.add(2, f'<img src="{report(build, folder)}">', LOOK)
        frames.typed(3, f'{line}\n', packet, PAUSE)
        frames.add(3, f'<img src="{window(build, folder)}">', READ)
        frames.write(GIF, hashlib.sha256(TEXT.read_bytes()).hexdigest())


if __name__ == '__main__':
    main()
