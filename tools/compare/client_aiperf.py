"""AIPerf, `aiperf profile`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import install
from client import Client, Gaps, Load, Reported, Target, Total, number, read_json

REQUIREMENT = "aiperf==0.13.0"


class Aiperf(Client):
    """Requests of fixed length at a fixed concurrency, read from its JSON export."""

    key = "aiperf"
    name = "AIPerf"
    version = REQUIREMENT.partition("==")[2]
    gaps = Gaps.EACH
    total = Total.WHOLE_RUN
    note = "gap is its inter-chunk latency; it is made for many cores, and has one here"

    def __init__(self, cache: Path, may_install: bool) -> None:
        self._cache = cache
        self._may_install = may_install
        self._program = Path()

    def prepare(self) -> None:
        folder = install.environment(self._cache, REQUIREMENT, self._may_install)
        self.version = install.installed_version(folder, "aiperf")
        self._program = folder / "bin/aiperf"

    # It does not take a local tokenizer when HF_HUB_OFFLINE is set, so nothing sets it here.
    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        return [
            str(self._program), "profile",
            "--model", target.model,
            "--url", target.url,
            "--endpoint-type", "chat",
            "--streaming",
            "--tokenizer", str(target.tokenizer),
            "--concurrency", str(load.streams),
            "--request-count", str(load.requests),
            "--isl", str(load.prompt_tokens), "--isl-stddev", "0",
            "--osl", str(load.output_tokens), "--osl-stddev", "0",
            "--extra-inputs", "ignore_eos:true",
            "--artifact-dir", str(folder / "aiperf"),
            "--ui", "none",
            "--random-seed", str(load.seed),
            "--no-gpu-telemetry",
            "--no-server-metrics",
        ]  # fmt: skip

    def read(self, load: Load, folder: Path) -> Reported:
        return self.reported(read_json(folder / "aiperf/profile_export_aiperf.json"), load)

    @staticmethod
    def reported(document: Any, load: Load) -> Reported:
        """The figures of a JSON export."""
        return Reported(
            ttft_p50_ms=number(document, "time_to_first_token", "p50"),
            ttft_p99_ms=number(document, "time_to_first_token", "p99"),
            gap_p50_ms=number(document, "inter_chunk_latency", "p50"),
            gap_p99_ms=number(document, "inter_chunk_latency", "p99"),
            total_tokens_per_s=number(document, "output_token_throughput", "avg"),
            completed=int(number(document, "request_count", "avg") or 0),
            expected=load.requests,
        )
