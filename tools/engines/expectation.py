"""What a right document says about one engine."""

from __future__ import annotations

from dataclasses import dataclass

BY_THE_MACHINE = frozenset({"client_limited"})
"""Statuses that tell about this machine, not about the engine."""


@dataclass(frozen=True)
class Expectation:
    """What is known of an engine from how it was started, never from what tokmark said."""

    name: str
    """The word for the engine."""
    version: str | None
    """None where it is not told."""
    max_length: int | None
    kv_tokens: int | None
    max_sequences: int | None
    """None where it is not told."""
    limit: int | None
    """Requests that it runs at once, when the matrix goes above."""
    counts_tokens: bool = True
    """Whether the server counts prompts, so that their lengths are exact."""
    output_counter: bool = True
    """Whether it has a counter of output tokens that moves while requests run."""
    gauges: bool = True
    """Whether it tells how many requests run."""
    over_capacity: frozenset[tuple[int, int]] = frozenset()
    """Cells (context, requests) whose prompts alone do not fit into its KV cache."""
    over_length: frozenset[int] = frozenset()
    """Contexts that are longer than one of its requests may be."""

    def statuses_of(self, context: int, requests: int) -> frozenset[str]:
        """The statuses that a cell may have."""
        if context in self.over_length:
            return frozenset({"over_length"})
        if (context, requests) in self.over_capacity:
            return frozenset({"over_capacity"})
        if self.limit is None or requests <= self.limit:
            return frozenset({"valid"}) | BY_THE_MACHINE
        # The first level above the limit shows the queue, those above are not run.
        return frozenset({"queued", "over_admission"}) | BY_THE_MACHINE
