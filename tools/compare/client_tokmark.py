"""tokmark itself: one cell, `tokmark run`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from client import (
    Client,
    Gaps,
    Load,
    Reported,
    Target,
    Total,
    Unavailable,
    Window,
    number,
    pick,
    read_json,
)


class Tokmark(Client):
    """One cell at context 0, read from the run document."""

    key = "tokmark"
    name = "tokmark"
    gaps = Gaps.EACH
    total = Total.WINDOW
    note = "TTFT is that of one launch of all streams at once"

    def __init__(self, program: Path) -> None:
        self._program = program

    def prepare(self) -> None:
        try:
            said = subprocess.run(
                [str(self._program), "--version"], capture_output=True, text=True, timeout=20
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"`{self._program}` does not run: {error}") from error
        self.version = said.stdout.strip().removeprefix("tokmark ")

    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        return [
            str(self._program), "run", target.url,
            "--requests", str(load.streams),
            "--contexts", "0",
            "--prefill", "off",
            "--capacity", "try",
            "--duration", f"{load.window_s:g}s",
            "--seed", str(load.seed),
            "--hardware", "none",
            "--output", str(folder / "run"),
            "--plain", "--yes",
        ]  # fmt: skip

    def read(self, load: Load, folder: Path) -> Reported:
        documents = sorted((folder / "run").glob("*.json"))
        if len(documents) != 1:
            raise Unavailable(f"it left {len(documents)} run documents")
        return self.reported(read_json(documents[0]), load)

    @staticmethod
    def reported(document: Any, load: Load) -> Reported:
        """The figures of the one cell of a run document."""
        cell = pick(document, "decode", 0)
        status = pick(cell, "status")
        if status != "valid":
            raise Unavailable(f"its cell is `{status}`: {pick(cell, 'reason')}")
        p99, remark = number(cell, "launch_ttft", "p99_ms"), None
        if p99 is None:
            p99, remark = number(cell, "launch_ttft", "max_ms"), "TTFT p99 is the maximum"
        start, length = number(cell, "launch_s"), number(cell, "measured_s")
        return Reported(
            ttft_p50_ms=number(cell, "ttft_ms"),
            ttft_p99_ms=p99,
            gap_p50_ms=number(cell, "gaps", "p50_ms"),
            gap_p99_ms=number(cell, "gaps", "p99_ms"),
            total_tokens_per_s=number(cell, "total_tokens_per_s"),
            completed=load.streams - len(pick(cell, "failures") or []),
            expected=load.streams,
            window=None if start is None or length is None else Window(start, length),
            remark=remark,
        )
