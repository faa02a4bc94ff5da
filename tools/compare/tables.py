"""Results as Markdown tables, and their place in a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from client import Client, Load, Reported
from truth import Figures

BEGIN = "<!-- comparison:begin -->"
END = "<!-- comparison:end -->"

COLUMNS = (
    "client",
    "version",
    "requests ok",
    "streams kept busy",
    "TTFT p50 / p99 (ms)",
    "error",
    "gap p50 / p99 (ms)",
    "error",
    "total tok/s",
    "error",
    "client CPU s / M tokens",
)


@dataclass(frozen=True)
class Measurement:
    """One client at one load: what it said, what was true, its cost; or why there is none."""

    client: Client
    reported: Reported | None = None
    truth: Figures | None = None
    cpu_s_per_million: float | None = None
    reason: str | None = None


def table(load: Load, measurements: Sequence[Measurement]) -> str:
    """A heading, the table of one stream count, and the server's own figures below."""
    lines = [f"### {load.streams} {'stream' if load.streams == 1 else 'streams'}", ""]
    lines.append(_row(COLUMNS))
    lines.append(_row(["---"] * 2 + ["---:"] * (len(COLUMNS) - 2)))
    lines.extend(_row(_cells(measurement)) for measurement in measurements)
    lines.extend(["", *_server(measurements)])
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(measurement: Measurement) -> list[str]:
    client, reported, truth = measurement.client, measurement.reported, measurement.truth
    if reported is None or truth is None:
        reason = (measurement.reason or "no result").replace("|", "/").replace("\n", " ")
        return [client.name, client.version, f"not measured: {reason}", *["–"] * (len(COLUMNS) - 3)]
    pairs = (
        (reported.ttft_p50_ms, truth.ttft_p50_ms),
        (reported.ttft_p99_ms, truth.ttft_p99_ms),
        (reported.gap_p50_ms, truth.gap_p50_ms),
        (reported.gap_p99_ms, truth.gap_p99_ms),
    )
    values = [_number(said, 2) for said, _ in pairs]
    errors = [_difference(said, true) for said, true in pairs]
    return [
        client.name,
        client.version,
        f"{reported.completed} of {reported.expected}",
        f"{100 * truth.busy:.1f} %",
        f"{values[0]} / {values[1]}",
        f"{errors[0]} / {errors[1]}",
        f"{values[2]} / {values[3]}",
        f"{errors[2]} / {errors[3]}",
        _number(reported.total_tokens_per_s, 1),
        _percent(reported.total_tokens_per_s, truth.total_tokens_per_s),
        _number(measurement.cpu_s_per_million, 1),
    ]


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _difference(said: float | None, true: float) -> str:
    return "–" if said is None else f"{said - true:+,.2f}"


def _percent(said: float | None, true: float) -> str:
    return "–" if said is None else f"{100 * (said / true - 1):+.2f} %"


def _server(measurements: Sequence[Measurement]) -> list[str]:
    """What was true in these runs, as ranges: the server is not the same in each."""
    truths = [m.truth for m in measurements if m.truth is not None]
    if not truths:
        return ["Nothing was measured."]
    spans = [
        ("TTFT p50", [t.ttft_p50_ms for t in truths]),
        ("TTFT p99", [t.ttft_p99_ms for t in truths]),
        ("gap p50", [t.gap_p50_ms for t in truths]),
        ("gap p99", [t.gap_p99_ms for t in truths]),
        ("events sent late by (p99)", [t.lateness_p99_ms for t in truths]),
    ]
    texts = [f"{name} {min(span):.2f} to {max(span):.2f} ms" for name, span in spans]
    remarks = {
        f"{m.client.name}: {m.reported.remark}."
        for m in measurements
        if m.reported is not None and m.reported.remark
    }
    return ["The truth, over these runs: " + ", ".join(texts) + ".", *sorted(remarks)]


def definitions(clients: Sequence[Client]) -> str:
    """What each client's figures are, as a table."""
    rows = [_row(("client", "gap percentiles over", "total", "note")), _row(["---"] * 4)]
    rows += [_row((c.name, c.gaps.value, c.total.value, c.note)) for c in clients]
    return "\n".join(rows) + "\n"


def around(document: Path) -> tuple[str, str]:
    """What a document has before and after its two markers. Ends the program without them."""
    try:
        before, begin, rest = document.read_text(encoding="utf-8").partition(BEGIN)
    except OSError as error:
        raise SystemExit(f"error: cannot read `{document}`: {error}") from error
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"error: `{document}` has no `{BEGIN}` and `{END}`")
    return before, after


def write(document: Path, text: str) -> None:
    """Puts a text between the two markers of a document."""
    before, after = around(document)
    document.write_text(f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}", encoding="utf-8")
