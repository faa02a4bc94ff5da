"""The engines that are measured: how each is started, and what has to come out.

What stands here was read from the scripts beside it and from the servers' own logs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from expectation import Expectation

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Engine:
    """An engine: its script, what is measured on it, what has to come out."""

    title: str
    script: str
    contexts: str
    requests: str
    expect: Expectation
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the script."""

    def command(self, verb: str, folder: Path, *more: str) -> list[str]:
        """A call of the script."""
        return ["bash", str(HERE / self.script), verb, str(folder), *more]


ENGINES: Mapping[str, Engine] = {
    "llama.cpp": Engine(
        title="llama.cpp b11434",
        script="llama-cpp.sh",
        contexts="0,1k,16k",
        requests="1,2,4,8",
        expect=Expectation(
            name="llamacpp",
            version="b11434-unknown",
            max_length=16_384,
            kv_tokens=4 * 16_384,
            max_sequences=4,
            limit=4,
            # It counts when a request ends.
            output_counter=False,
            over_length=frozenset({16_384}),
        ),
    ),
    "vllm": Engine(
        title="vLLM 0.32.0",
        script="vllm.sh",
        contexts="0,1k,6k",
        requests="1,2,4",
        expect=Expectation(
            name="vllm",
            version="0.32.0",
            max_length=16_384,
            kv_tokens=160 * 128,
            max_sequences=16,
            limit=None,
            over_capacity=frozenset({(6_144, 4)}),
        ),
    ),
    "sglang": Engine(
        title="SGLang 0.5.23",
        script="sglang.sh",
        contexts="0,1k,4k",
        requests="1,2,8",
        expect=Expectation(
            name="sglang",
            version="0.5.23",
            max_length=4_096,
            kv_tokens=16_384,
            max_sequences=4,
            limit=4,
            over_length=frozenset({4_096}),
        ),
    ),
    "transformers": Engine(
        title="transformers serve 5.19.0",
        script="transformers.sh",
        contexts="0,1k",
        requests="1,2,4",
        expect=Expectation(
            name="transformers",
            version=None,
            max_length=None,
            kv_tokens=None,
            max_sequences=1,
            limit=1,
            counts_tokens=False,
            output_counter=False,
            gauges=False,
        ),
    ),
    "transformers-batching": Engine(
        title="transformers serve 5.19.0, continuous batching",
        script="transformers.sh",
        contexts="0,1k",
        requests="1,2,4",
        expect=Expectation(
            name="transformers",
            version=None,
            max_length=None,
            kv_tokens=None,
            max_sequences=None,
            limit=None,
            counts_tokens=False,
            output_counter=False,
            gauges=False,
        ),
        environment={"TOKMARK_BATCHING": "1"},
    ),
}
