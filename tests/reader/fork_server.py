# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of tshark and sharkd that do not start them anew: the client of fork_server.c."""
import io
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import threading

SOURCE = pathlib.Path(__file__).with_name('fork_server.c')
PATIENCE = 600  # seconds
STATUS = struct.Struct('i')
# Options of tshark with a value, those that it reads before it registers dissectors, and those that are no reading of a file.
VALUED = set('abBcCdeEfFHijJKlMNoOQrRsStTuUwWXyYz') - {'l', 'Q'}
EARLY, EARLY_VALUED = {'-P', '-V', '-x'}, {'-C', '-O', '-X'}
OTHER_WAYS = {'-D', '-G', '-h', '-i', '-L', '-v', '--help', '--version', '-w'}
# The capture's name for the server: a link to the file that a run reads.
LINK = 'capture'


def build(folder):
    """The library to preload."""
    library = pathlib.Path(folder) / 'fork_server.so'
    subprocess.run(['cc', '-shared', '-fPIC', '-fvisibility=hidden', '-O1', '-Wall', '-Wextra', '-o', library, SOURCE], check=True)
    return library


def split(arguments):
    """What tshark reads early of its arguments, and the capture; None where it reads no file."""
    early, capture, words = [], None, iter(arguments)
    for word in words:
        if word in OTHER_WAYS:
            return None
        if word in EARLY:
            early.append(word)
        elif len(word) == 2 and word[0] == '-' and word[1] in VALUED:
            value = next(words, None)
            if word == '-r':
                capture = value
            elif word in EARLY_VALUED:
                early += [word, value]
    return (tuple(early), capture) if capture and capture != '-' else None


def text(file):
    """As subprocess reads it with text=True."""
    return io.TextIOWrapper(file, errors='replace').read()


class Result:
    """Like subprocess.CompletedProcess."""

    def __init__(self, returncode, stdout, stderr):
        self.returncode, self.stdout, self.stderr = returncode, stdout, stderr


class Server:
    """A tshark or sharkd that waits for runs. `said`: what it wrote to stderr until then, which every run begins with."""

    def __init__(self, command, folder):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.folder.chmod(0o755)
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.errors = tempfile.TemporaryFile()
        with theirs:
            self.process = subprocess.Popen([*command, *self.capture()], stdin=theirs, stdout=subprocess.DEVNULL, stderr=self.errors,
                                            start_new_session=True)
        self.socket.settimeout(PATIENCE)
        self.said = None

    def capture(self):
        return ['-r', str(self.folder / LINK)]

    def run(self, words, capture=None, stdin=''):
        """Raises subprocess.TimeoutExpired, and RuntimeError if the server is gone."""
        if capture:
            link = self.folder / LINK
            link.unlink(missing_ok=True)
            link.symlink_to(os.path.abspath(capture))
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            given.write(stdin.encode())
            given.seek(0)
            status = self.ask(b''.join(os.fsencode(word) + b'\0' for word in words), [file.fileno() for file in (given, output, errors)])
            output.seek(0)
            errors.seek(0)
            name = str(self.folder / LINK)
            return Result(os.waitstatus_to_exitcode(status), text(output), (self.said + text(errors)).replace(name, str(capture)))

    def ask(self, request, files):
        try:
            socket.send_fds(self.socket, [request], files)
            answer = self.socket.recv(STATUS.size)
        except TimeoutError:
            self.close()
            raise subprocess.TimeoutExpired(request.split(b'\0'), PATIENCE) from None
        except OSError as error:
            answer, self.said = b'', str(error)
        if self.said is None or not answer:
            self.errors.seek(0)
            self.said = self.errors.read().decode(errors='replace')
        if not answer:
            self.close()
            raise RuntimeError(f'{self.process.args}: the server has ended: {self.said}')
        return STATUS.unpack(answer)[0]

    def close(self):
        self.socket.close()
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # runs that hang, too
        except ProcessLookupError:
            pass
        self.process.wait()


class SharkdServer(Server):
    """sharkd is given its captures through standard input."""

    def capture(self):
        return ['-']


class Servers:
    """One server a thread and way to start; a process that forks leaves those of its parent alone."""

    def __init__(self, folder):
        self.folder, self.library, self.kept = folder, build(folder), {}

    def get(self, kind, command):
        """`command` starts the program, less its capture; it has the library in LD_PRELOAD."""
        key = os.getpid(), threading.get_ident(), tuple(command)
        server = self.kept.get(key)
        if not server or server.process.poll() is not None:
            server = self.kept[key] = kind(command, self.folder)
        return server

    def close(self):
        for (process, *_), server in self.kept.items():
            if process == os.getpid():
                server.close()
