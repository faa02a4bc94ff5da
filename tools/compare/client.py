"""What every benchmark client that is compared has in common."""

from __future__ import annotations

import enum
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Unavailable(Exception):
    """A client that cannot be installed, cannot run, or left no usable result; says why."""


class Gaps(enum.Enum):
    """What a client's gap percentiles are taken over; the truth is taken over the same."""

    EACH = "every gap"
    MEAN_PER_REQUEST = "mean gap of each request"


class Total(enum.Enum):
    """What a client's total is; the truth is computed in the same way."""

    WINDOW = "tokens that arrive in a window / its length"
    WHOLE_RUN = "all tokens / first request to last token"
    DECODE = "tokens after the first of each request / first to last token, mean over batches"


@dataclass(frozen=True)
class Load:
    """One measurement: so many streams, kept busy with equal requests."""

    streams: int
    requests_per_stream: int
    prompt_tokens: int
    output_tokens: int
    window_s: float
    seed: int

    @property
    def requests(self) -> int:
        """Requests of a client that counts requests."""
        return self.streams * self.requests_per_stream


@dataclass(frozen=True)
class Target:
    """The server that is measured."""

    url: str
    model: str
    tokenizer: Path


@dataclass(frozen=True)
class Window:
    """The span that a client measured, from the arrival of its first request."""

    start_s: float
    length_s: float


@dataclass(frozen=True)
class Reported:
    """What a client says of the server. Times in ms; None where it says nothing."""

    ttft_p50_ms: float | None
    ttft_p99_ms: float | None
    gap_p50_ms: float | None
    gap_p99_ms: float | None
    total_tokens_per_s: float | None
    completed: int
    """Requests that ended well, or that streamed through the whole window."""
    expected: int
    window: Window | None = None
    remark: str | None = None


class Client(ABC):
    """A benchmark client: how it is had, called and read."""

    key: str
    """Its name on the command line and as a folder."""
    name: str
    gaps: Gaps
    total: Total
    note: str
    """What a reader has to know about its figures."""
    version: str = "?"

    @abstractmethod
    def prepare(self) -> None:
        """Installs what is missing and learns the version. Raises `Unavailable`."""

    @abstractmethod
    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        """The command line; everything it writes goes into `folder`."""

    def environment(self) -> dict[str, str]:
        """Variables besides those that every client gets."""
        return {}

    @abstractmethod
    def read(self, load: Load, folder: Path) -> Reported:
        """Reads the client's own result file. Raises `Unavailable` when it cannot be used."""


def read_json(path: Path) -> Any:
    """A JSON file of a client."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unavailable(f"it left no `{path.name}`") from error
    except ValueError as error:
        raise Unavailable(f"its `{path.name}` is not JSON: {error}") from error


def pick(document: Any, *steps: str | int) -> Any:
    """The value at a path of a document; None where the path ends early."""
    for step in steps:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def number(document: Any, *steps: str | int) -> float | None:
    """The number at a path of a document; None where there is none."""
    value = pick(document, *steps)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)
