"""What the simulated server says of itself: the figures that a client should have reported."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client import Client, Gaps, Load, Total, Unavailable, Window

NS_PER_MS = 1e6
NS_PER_S = 1e9


@dataclass(frozen=True)
class Emission:
    """One event with tokens: when it was sent and when it was due, in ns; how many tokens."""

    at: int
    produced: int
    tokens: int


@dataclass(frozen=True)
class Request:
    """One request as the server saw it. Times in ns since the server's start."""

    max_tokens: int
    arrival: int
    emissions: tuple[Emission, ...]
    ended: int

    @property
    def tokens(self) -> int:
        """Tokens that were sent."""
        return sum(emission.tokens for emission in self.emissions)

    def gaps(self) -> list[tuple[int, int]]:
        """When each event after the first was sent, and the time since the one before."""
        times = [emission.at for emission in self.emissions]
        return [(later, later - earlier) for earlier, later in itertools.pairwise(times)]


@dataclass(frozen=True)
class Figures:
    """The truth of one measurement, by the client's own definitions."""

    ttft_p50_ms: float
    ttft_p99_ms: float
    gap_p50_ms: float
    gap_p99_ms: float
    total_tokens_per_s: float
    busy: float
    """Mean number of requests in the server / streams asked for: the load that was kept up."""
    lateness_p99_ms: float
    """How late the server itself was with its events."""
    tokens: int
    first_arrival_ns: int


def load_requests(path: Path) -> list[Request]:
    """Reads the file that `tokmark sim --truth` writes at its end, in the order of arrival."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rows = document["requests"]
    except (OSError, ValueError, KeyError) as error:
        raise Unavailable(f"the simulator left no usable truth: {error}") from error
    return sorted((_request(row) for row in rows), key=lambda request: request.arrival)


def _request(row: dict[str, Any]) -> Request:
    emissions = tuple(Emission(at, due, tokens) for at, due, tokens in row["emissions"])
    if row.get("tokens") and not emissions:
        raise Unavailable("the simulator kept no token times; start it with `--truth-events`")
    last = emissions[-1].at if emissions else row["arrival_ns"]
    return Request(row["max_tokens"], row["arrival_ns"], emissions, row["ended_ns"] or last)


def figures(
    requests: Sequence[Request], client: Client, load: Load, window: Window | None
) -> Figures:
    """The truth for a client: over its own requests, interval and definitions."""
    measured = [request for request in _measured(requests, client, load) if request.emissions]
    if not measured:
        raise Unavailable("the server sent no token of the measured requests")
    first = measured[0].arrival
    spans = _spans(measured, client, first, window)
    ttfts = [request.emissions[0].at - request.arrival for request in measured]
    gaps = list(_gaps(measured, client, spans))
    lateness = [e.at - e.produced for request in measured for e in request.emissions]
    length = sum(end - start for start, end in spans)
    return Figures(
        ttft_p50_ms=percentile(ttfts, 50) / NS_PER_MS,
        ttft_p99_ms=percentile(ttfts, 99) / NS_PER_MS,
        gap_p50_ms=percentile(gaps, 50) / NS_PER_MS,
        gap_p99_ms=percentile(gaps, 99) / NS_PER_MS,
        total_tokens_per_s=_total(measured, client, spans),
        busy=_active_ns(measured, spans) / (load.streams * max(length, 1)),
        lateness_p99_ms=percentile(lateness, 99) / NS_PER_MS,
        tokens=sum(request.tokens for request in measured),
        first_arrival_ns=first,
    )


def percentile(values: Iterable[float], percent: float) -> float:
    """Percentile by linear interpolation between closest ranks."""
    ranked = sorted(values)
    if not ranked:
        raise Unavailable("the server's truth has nothing to take a percentile of")
    place = (len(ranked) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def busy_periods(requests: Sequence[Request]) -> list[list[Request]]:
    """Requests grouped by the periods in which the server was never idle."""
    periods: list[list[Request]] = []
    end = 0
    for request in requests:
        if not periods or request.arrival >= end:
            periods.append([])
        periods[-1].append(request)
        end = max(end, request.ended)
    return periods


def _measured(requests: Sequence[Request], client: Client, load: Load) -> list[Request]:
    """Without probes and warm-ups: the last cell, or the requests of full length."""
    if client.total is Total.WINDOW:
        periods = busy_periods(requests)
        return periods[-1] if periods else []
    return [request for request in requests if request.max_tokens == load.output_tokens]


def _spans(
    requests: Sequence[Request], client: Client, first: int, window: Window | None
) -> list[tuple[int, int]]:
    """The intervals that the client's total covers, in ns."""
    if client.total is Total.WINDOW:
        if window is None:
            raise Unavailable("it does not say which window it measured")
        start = first + round(window.start_s * NS_PER_S)
        return [(start, start + round(window.length_s * NS_PER_S))]
    if client.total is Total.WHOLE_RUN:
        return [(first, _last_token(requests))]
    return [(_first_token(batch), _last_token(batch)) for batch in busy_periods(requests)]


def _first_token(requests: Sequence[Request]) -> int:
    return min(request.emissions[0].at for request in requests)


def _last_token(requests: Sequence[Request]) -> int:
    return max(request.emissions[-1].at for request in requests)


def _gaps(
    requests: Sequence[Request], client: Client, spans: list[tuple[int, int]]
) -> Iterator[float]:
    if client.gaps is Gaps.MEAN_PER_REQUEST:
        for request in requests:
            length = request.emissions[-1].at - request.emissions[0].at
            if request.tokens > 1:
                yield length / (request.tokens - 1)
        return
    inside = spans if client.total is Total.WINDOW else [(0, _last_token(requests) + 1)]
    for request in requests:
        for at, gap in request.gaps():
            if any(start <= at < end for start, end in inside):
                yield gap


def _total(requests: Sequence[Request], client: Client, spans: list[tuple[int, int]]) -> float:
    if client.total is Total.DECODE:
        batches = zip(busy_periods(requests), spans, strict=True)
        rates = [
            sum(request.tokens - request.emissions[0].tokens for request in batch) / (end - start)
            for batch, (start, end) in batches
            if end > start
        ]
        if not rates:
            raise Unavailable("no batch has more than one token")
        return NS_PER_S * sum(rates) / len(rates)
    [(start, end)] = spans
    last = end + 1 if client.total is Total.WHOLE_RUN else end
    tokens = sum(e.tokens for r in requests for e in r.emissions if start <= e.at < last)
    return NS_PER_S * tokens / max(end - start, 1)


def _active_ns(requests: Sequence[Request], spans: list[tuple[int, int]]) -> int:
    """Time that requests spent in the server, summed over the requests, inside the spans."""
    return sum(
        max(0, min(end, request.ended) - max(start, request.arrival))
        for request in requests
        for start, end in spans
    )
