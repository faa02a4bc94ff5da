"""Runs one client on its core, bounded in time, and measures the CPU of all its processes."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from client import Unavailable

SAMPLE_S = 0.02
RESCAN_S = 1.0
ORPHAN_PATIENCE_S = 3.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Cores:
    """Which core the server and the client get; None where there is only one."""

    server: int | None
    client: int | None
    script: int | None

    @staticmethod
    def of_this_machine() -> Cores:
        """The first two usable cores; the script takes a third, or the server's."""
        if not hasattr(os, "sched_getaffinity"):
            return Cores(None, None, None)
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) < 2:
            return Cores(None, None, None)
        return Cores(usable[0], usable[1], usable[2] if len(usable) > 2 else usable[0])


def pin(core: int | None) -> Callable[[], None] | None:
    """What a child does before it starts, so that it and all that it starts stay on one core."""
    if core is None:
        return None
    return lambda: os.sched_setaffinity(0, {core})


@dataclass
class CpuTimeline:
    """CPU time of a client's processes, over time."""

    samples: list[tuple[float, float]] = field(default_factory=list)
    """Monotonic time and CPU seconds so far."""
    total_s: float = 0.0
    """CPU seconds at the end, as the kernel accounts them for all that was waited for."""

    def longest_pause_s(self) -> float:
        """Longest time between two samples: how long this script itself was kept from running."""
        times = [at for at, _ in self.samples]
        return max((later - earlier for earlier, later in itertools.pairwise(times)), default=0.0)

    def until(self, at: float) -> float:
        """CPU seconds until a moment, interpolated between the samples."""
        before = (self.samples[0][0], 0.0) if self.samples else (at, 0.0)
        for when, used in self.samples:
            if when >= at:
                share = (at - before[0]) / (when - before[0]) if when > before[0] else 0.0
                return before[1] + (used - before[1]) * min(max(share, 0.0), 1.0)
            before = (when, used)
        return before[1]

    def after(self, at: float) -> float:
        """CPU seconds from a moment to the end."""
        return max(0.0, self.total_s - self.until(at))


class Meter:
    """Reads the CPU clocks of all processes of one session."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._used: dict[int, float] = {}
        self._scanned = -RESCAN_S

    def read(self, now: float) -> float:
        """CPU seconds so far; a process that has ended keeps what it had used."""
        if now - self._scanned >= RESCAN_S or not self._used:
            self._scanned = now
            for pid in _session_members(self._session):
                self._used.setdefault(pid, 0.0)
        for pid, used in self._used.items():
            try:
                self._used[pid] = max(used, time.clock_gettime(_cpu_clock(pid)))
            except OSError:
                continue
        return sum(self._used.values())


def _cpu_clock(pid: int) -> int:
    """The id of a process's CPU clock (clock_getcpuclockid of Linux): all threads, in ns."""
    return (~pid << 3) | 2


def _session_members(session: int) -> list[int]:
    members = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path("/proc", entry, "stat").read_bytes()
        except OSError:
            continue
        fields = stat[stat.rfind(b")") + 2 :].split()
        if int(fields[3]) == session:
            members.append(int(entry))
    return members


def adopt_orphans() -> None:
    """Makes this process the parent of whatever its descendants leave behind."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    core: int | None,
    timeout_s: float,
) -> CpuTimeline:
    """Runs a client to its end. Raises `Unavailable` when it fails or takes too long."""
    log = folder / "output.txt"
    with log.open("wb") as output:
        try:
            child = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=pin(core),
            )
        except OSError as error:
            raise Unavailable(f"`{command[0]}` does not start: {error}") from error
    try:
        code, timeline = _watch(child, timeout_s)
    finally:
        _end_group(child.pid)
        if child.returncode is None:
            child.returncode = -signal.SIGKILL
    if code is None:
        raise Unavailable(f"it did not end within {timeout_s:.0f} s")
    if code != 0:
        raise Unavailable(f"it ended with {code}: {last_line(log)}")
    return timeline


def _watch(child: subprocess.Popen[bytes], timeout_s: float) -> tuple[int | None, CpuTimeline]:
    """Samples the CPU until the client ends; the code is None when it is out of time."""
    meter, timeline = Meter(child.pid), CpuTimeline()
    deadline = time.monotonic() + timeout_s
    while True:
        now = time.monotonic()
        timeline.samples.append((now, meter.read(now)))
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid == child.pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            timeline.total_s = usage.ru_utime + usage.ru_stime + _reap_orphans(child.pid)
            return child.returncode, timeline
        if now > deadline:
            return None, timeline
        time.sleep(SAMPLE_S)


def _reap_orphans(group: int) -> float:
    """CPU seconds of what the client left running, which gets a little time to end by itself."""
    used, deadline = 0.0, time.monotonic() + ORPHAN_PATIENCE_S
    while True:
        try:
            pid, _, usage = os.wait4(-group, os.WNOHANG)
        except ChildProcessError:
            return used
        if pid:
            used += usage.ru_utime + usage.ru_stime
        elif time.monotonic() > deadline:
            _end_group(group)
        else:
            time.sleep(SAMPLE_S)


def _end_group(group: int) -> None:
    """Ends what is left of a client's process group and waits for it."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
    while True:
        try:
            os.wait4(-group, 0)
        except ChildProcessError:
            return


def last_line(log: Path) -> str:
    """The last line of an output that says something."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    said = [line.strip() for line in lines if any(letter.isalnum() for letter in line)]
    return said[-1][:200] if said else "it said nothing"
