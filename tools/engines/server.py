"""One server of ours, in a session of its own: waited for, and ended with its workers."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 45.0
"""Time to end after the request to do so: SGLang takes 20 s and more."""
STEP_S = 0.2


class NotReady(Exception):
    """The server ended or never answered."""


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until(
    is_ready: Callable[[], bool], process: subprocess.Popen[bytes], patience_s: float
) -> float:
    """Waits for the server; the seconds that it took. Raises `NotReady`."""
    began = time.monotonic()
    while True:
        if process.poll() is not None:
            raise NotReady(f"the server ended with {process.returncode} before it answered")
        if is_ready():
            return time.monotonic() - began
        if time.monotonic() - began > patience_s:
            raise NotReady(f"the server did not answer within {patience_s:.0f} s")
        time.sleep(1.0)


def stop(process: subprocess.Popen[bytes], patience_s: float = PATIENCE_S) -> list[int]:
    """Ends the server by its own id, then what its session still has; those that had to be killed.

    Everything that is signalled was started by the server: it is in the session that began with it.
    """
    session = process.pid
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        if process.poll() is not None and not members(session):
            return []
        time.sleep(STEP_S)
    left = members(session)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    # What is killed is gone a moment later: its parent has to be told first.
    deadline = time.monotonic() + PATIENCE_S
    while members(session) and time.monotonic() < deadline:
        time.sleep(STEP_S)
    return left


def members(session: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        state, of_session = parse_stat(text)
        if of_session == session and state not in "ZX":
            found.append(int(entry))
    return found


def parse_stat(text: str) -> tuple[str, int]:
    """State and session of a line of `/proc/PID/stat`; the name in it may hold anything."""
    fields = text[text.rindex(")") + 2 :].split()
    return fields[0], int(fields[3])
