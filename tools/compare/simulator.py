"""The simulated server: started for one measurement, asked for its truth at the end."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Unavailable
from process import pin
from truth import Request, load_requests

START_S = 20.0
STOP_S = 60.0


@dataclass
class Simulator:
    """A running simulator, and after its end what it knows."""

    url: str
    model: str
    probe_sent: float
    """Monotonic time at which the probe, its first request, was sent."""
    requests: list[Request]
    """Filled when the simulator has ended."""

    def monotonic(self, server_ns: int) -> float:
        """The monotonic time of a moment on the server's clock, good to about a millisecond."""
        return self.probe_sent + (server_ns - self.requests[0].arrival) / 1e9


@contextmanager
def simulator(
    program: Path, arguments: Sequence[str], folder: Path, core: int | None
) -> Iterator[Simulator]:
    """Serves on a free port for as long as the context lasts; then the truth is read."""
    truth = folder / "truth.json"
    command = [str(program), "sim", "--port", "0", "--truth", str(truth), *arguments]
    errors = folder / "simulator.txt"
    with errors.open("wb") as sink:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=sink,
            start_new_session=True,
            preexec_fn=pin(core),
        )
    try:
        url = _address(child, errors)
        model = _json(f"{url}/v1/models")["data"][0]["id"]
        running = Simulator(url, model, time.monotonic(), [])
        _json(f"{url}/v1/completions", {"model": model, "prompt": "one", "max_tokens": 1})
        yield running
    finally:
        _stop(child)
    running.requests = load_requests(truth)
    if not running.requests:
        raise Unavailable("the simulator's truth is empty")


def _address(child: subprocess.Popen[bytes], errors: Path) -> str:
    """The address, which is the first line that the simulator prints."""
    ready: list[Any] = []
    if child.stdout is not None:
        ready, _, _ = select.select([child.stdout], [], [], START_S)
    line = child.stdout.readline().decode().strip() if child.stdout and ready else ""
    if not line.startswith("http"):
        said = errors.read_text(encoding="utf-8", errors="replace").strip()
        raise SystemExit(f"error: the simulator did not print its address: {said or line}")
    return line


def _json(url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=START_S) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ValueError) as error:
        raise Unavailable(f"the simulator does not answer `{url}`: {error}") from error


def _stop(child: subprocess.Popen[bytes]) -> None:
    """Asks the simulator to end, so that it writes its truth; ends it if it does not."""
    child.send_signal(signal.SIGINT)
    try:
        child.wait(STOP_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()
