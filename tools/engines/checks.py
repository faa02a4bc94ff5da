"""What must hold of a run document: its identities, and what is known about the engine.

Everything here is a function of the document, what `probe` said, and an `Expectation`; each check
gives sentences about what does not hold. The identities are those of `docs/methodology.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from expectation import Expectation

Json = Mapping[str, Any]

ROUNDING = 1e-6
"""Relative: figures of a document are not rounded, but written as binary floating point."""
COUNTER_SLACK = 0.05
"""How far the server's own counter may be away: it is read about once a second and interpolated."""
ACTIVE = 0.95
"""Share of the requests that decode in a cell without a queue (methodology, status of a cell)."""
WITHOUT_NUMBERS = frozenset(
    "not_planned skipped over_length over_capacity over_admission busy_server not_ready interrupted"
    " failed".split()
)


def all_faults(document: Json, probe: Json, expect: Expectation) -> list[str]:
    """Every sentence of every check."""
    faults = [*identity(probe["engine"], expect, "probe"), *identity(document["engine"], expect)]
    faults += shape(document)
    for cell in document["decode"]:
        place = f"cell {cell['context']} x {cell['requests']}"
        for check in (status(cell, expect), numbers(cell, document["plan"]), gauges(cell, expect)):
            faults += [f"{place}: {fault}" for fault in check]
    for row in document["prefill"]:
        faults += [f"prefill {row['context']}: {fault}" for fault in prefill(row, expect)]
    return [*faults, *limit(document, expect)]


def identity(engine: Json, expect: Expectation, source: str = "document") -> Iterator[str]:
    """Name, version and limits, each as it is or honestly unknown."""
    budget = engine["kv_budget"]
    for what, found, wanted in (
        ("name", engine["name"], expect.name),
        ("version", engine["version"], expect.version),
        ("maximum length", engine["max_length"], expect.max_length),
        ("KV budget", budget and budget["tokens"], expect.kv_tokens),
        ("requests at once", engine["max_sequences"], expect.max_sequences),
    ):
        if found != wanted:
            yield f"{source}: {what} is {found!r}, not {wanted!r}"


def shape(document: Json) -> Iterator[str]:
    """Every cell of the plan once, and a run that went through its plan."""
    plan = document["plan"]
    wanted = [(c, r) for c in plan["contexts"] for r in plan["requests"]]
    found = [(cell["context"], cell["requests"]) for cell in document["decode"]]
    if sorted(found) != sorted(wanted):
        yield f"cells are {sorted(found)}, not {sorted(wanted)}"
    if not document["complete"]:
        yield "the run did not go through its plan"
    if document["trust"] != "measured":
        yield f"the document is {document['trust']!r}, not measured"


def status(cell: Json, expect: Expectation) -> Iterator[str]:
    """A status that is right for this engine, with a reason where it is not valid."""
    found = cell["status"]
    allowed = expect.statuses_of(cell["context"], cell["requests"])
    if found not in allowed:
        yield f"status is {found} ({cell['reason']}), not {' or '.join(sorted(allowed))}"
    if found != "valid" and not cell["reason"]:
        yield f"status is {found} without a reason"
    if (found in WITHOUT_NUMBERS) != (cell["total_tokens_per_s"] is None):
        yield f"status {found} with a total of {cell['total_tokens_per_s']}"


def numbers(cell: Json, plan: Json) -> Iterator[str]:
    """The identities of a cell's figures."""
    total = cell["total_tokens_per_s"]
    if total is None:
        return
    tokens, seconds, streams = cell["output_tokens"], cell["measured_s"], cell["stream_tokens"]
    if not near(seconds, plan["window_s"]):
        yield f"it was measured for {seconds} s, not {plan['window_s']} s"
    if not near(total * seconds, tokens):
        yield f"total x time is {total * seconds}, not {tokens} tokens"
    if len(streams) != cell["requests"] or sum(streams) != tokens:
        yield f"its streams {streams} are not {tokens} tokens in {cell['requests']} streams"
    if total <= 0:
        yield "no token arrived"
        return
    yield from rates(cell)
    low, high = cell["ci95_low"], cell["ci95_high"]
    if low is not None and not low <= total <= high:
        yield f"the total {total} is outside its interval {low} to {high}"
    gaps = cell["gaps"]
    if gaps:
        rising = [gaps[name] for name in ("p50_ms", "p95_ms", "p99_ms", "max_ms")]
        if any(one > other for one, other in pairwise(rising)):
            yield f"percentiles of its gaps fall: {rising}"


def rates(cell: Json) -> Iterator[str]:
    """Total = average active x rate of one request, as far as the streams are alike.

    The rate of one request is the median of the streams that decode, each from its first event in
    the window to its last: each end may lose a token, and streams differ as much as they do.
    """
    total, each = cell["total_tokens_per_s"], cell["per_request_tokens_per_s"]
    active, seconds = cell["average_active_requests"], cell["measured_s"]
    if each is None or active is None:
        yield "it has a total, but no rate of a request or no average of active ones"
        return
    if not near(cell["time_between_tokens_ms"] * each, 1000.0):
        yield f"{cell['time_between_tokens_ms']} ms between tokens at {each} tok/s"
    if not 0 < active <= cell["requests"] * (1 + ROUNDING):
        yield f"{active} of {cell['requests']} requests were active"
    decoding = [tokens for tokens in cell["stream_tokens"] if tokens]
    spread = (max(decoding) - min(decoding)) / max(decoding)
    # Two tokens a stream at the edges, and the time that they stand for.
    edges = 2.0 * len(decoding) / (total * seconds)
    slack = total * (ROUNDING + spread + 2.0 * edges)
    if abs(active * each - total) > slack:
        yield f"{active:.2f} active x {each:.1f} tok/s is not {total:.1f} tok/s (+-{slack:.1f})"


def gauges(cell: Json, expect: Expectation) -> Iterator[str]:
    """The server's own counter and gauges beside what arrived."""
    if cell["total_tokens_per_s"] is None:
        return
    told, tokens = cell["sources"]["server_output_tokens"], cell["output_tokens"]
    if (told is not None) != expect.output_counter:
        yield f"the server's own counter says {told}"
    elif told is not None:
        # Read a moment before and after: each stream may be a token or two further by then.
        slack = tokens * COUNTER_SLACK + 2 * cell["requests"] + 2
        if abs(told - tokens) > slack:
            yield f"{tokens} tokens arrived, the server's own counter says {told}"
    running, active = cell["server_running"], cell["average_active_requests"]
    if (running is not None) != expect.gauges:
        yield f"the server's gauge of running requests says {running}"
    elif running is not None and active is not None and abs(running - active) > 0.1 * active + 0.5:
        yield f"{active:.2f} requests decoded, the server's gauge says {running:.2f}"
    if cell["status"] == "valid" and (active or 0) < ACTIVE * cell["requests"]:
        yield f"it is valid with {active} of {cell['requests']} active"


def prefill(row: Json, expect: Expectation) -> Iterator[str]:
    """A row's figures from its samples."""
    if row["status"] != "valid":
        yield f"status is {row['status']} ({row['reason']})"
        return
    for sample in row["samples"]:
        rate = sample["prompt_tokens"] / sample["ttft_ms"] * 1000
        if not near(sample["prompt_tokens_per_s"], rate):
            yield f"{sample['prompt_tokens_per_s']} tok/s is not {rate} tok/s"
        off = abs(sample["prompt_tokens"] - row["context"]) / row["context"]
        if off > (0.005 if expect.counts_tokens else 0.06):
            yield f"a prompt has {sample['prompt_tokens']} tokens"
        cached = sample["cached_tokens"]
        if cached is not None and cached > max(0.02 * row["context"], 144):
            yield f"{cached} tokens of a cold prompt came from the cache"
    low, high = row["ttft_ms_min"], row["ttft_ms_max"]
    if not low <= row["ttft_ms"] <= high:
        yield f"the median {row['ttft_ms']} ms is not between {low} and {high}"


def limit(document: Json, expect: Expectation) -> Iterator[str]:
    """The measured limit, and the hint that goes with it."""
    found = document["admission_limit"]
    if found != expect.limit:
        yield f"the server was measured to run {found} requests at once, not {expect.limit}"
    codes = [note["code"] for note in document["notes"]]
    if ("hint_more_requests" in codes) != (expect.limit is not None):
        yield f"its notes are {codes}"


def near(one: float, other: float) -> bool:
    """Whether two figures are the same but for rounding."""
    return math.isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
