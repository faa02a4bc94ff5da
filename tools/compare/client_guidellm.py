"""GuideLLM, `guidellm run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import install
from client import Client, Gaps, Load, Reported, Target, Total, number, pick, read_json

REQUIREMENT = "guidellm==0.8.1"


class Guidellm(Client):
    """Requests of fixed length at a fixed concurrency, read from its JSON report."""

    key = "guidellm"
    name = "GuideLLM"
    version = REQUIREMENT.partition("==")[2]
    gaps = Gaps.MEAN_PER_REQUEST
    total = Total.WHOLE_RUN
    note = "gap is the mean of each request, which hides jitter"

    def __init__(self, cache: Path, may_install: bool) -> None:
        self._cache = cache
        self._may_install = may_install
        self._program = Path()

    def prepare(self) -> None:
        folder = install.environment(self._cache, REQUIREMENT, self._may_install)
        self.version = install.installed_version(folder, "guidellm")
        self._program = folder / "bin/guidellm"

    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        backend = f"kind=openai_http,target={target.url},model={target.model}"
        lengths = f"prompt_tokens={load.prompt_tokens},output_tokens={load.output_tokens}"
        return [
            str(self._program), "run",
            "--backend", f"{backend},request_format=/v1/chat/completions",
            "--profile", f"kind=concurrent,streams={load.streams}",
            "--constraint", f"kind=max_requests,count={load.requests}",
            "--tokenizer", f"kind=huggingface_auto,model={target.tokenizer}",
            "--data", f"kind=synthetic_text,{lengths}",
            "--seed", f"kind=static,value={load.seed}",
            "--output", f"kind=json,path={folder / 'result.json'}",
            "--disable-console-interactive",
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

    def read(self, load: Load, folder: Path) -> Reported:
        return self.reported(read_json(folder / "result.json"), load)

    @staticmethod
    def reported(document: Any, load: Load) -> Reported:
        """The figures of a report's one benchmark, over its successful requests."""
        metrics = pick(document, "benchmarks", 0, "metrics")

        def percentile(metric: str, which: str) -> float | None:
            return number(metrics, metric, "successful", "percentiles", which)

        return Reported(
            ttft_p50_ms=percentile("time_to_first_token_ms", "p50"),
            ttft_p99_ms=percentile("time_to_first_token_ms", "p99"),
            gap_p50_ms=percentile("inter_token_latency_ms", "p50"),
            gap_p99_ms=percentile("inter_token_latency_ms", "p99"),
            total_tokens_per_s=number(metrics, "output_tokens_per_second", "successful", "mean"),
            completed=int(number(metrics, "request_totals", "successful") or 0),
            expected=load.requests,
        )
