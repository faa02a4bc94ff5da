"""llama-benchy."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import install
import tokenizer
from client import Client, Gaps, Load, Reported, Target, Total, Unavailable, number, pick, read_json
from truth import percentile

REQUIREMENT = "llama-benchy==0.4.0"
BOOK = "file:words"
BOOK_WORDS = 20_000


class LlamaBenchy(Client):
    """Batches of requests, each batch sent at once, read from its JSON report."""

    key = "llama-benchy"
    name = "llama-benchy"
    version = REQUIREMENT.partition("==")[2]
    gaps = Gaps.MEAN_PER_REQUEST
    total = Total.DECODE
    note = "reports means; its percentiles and gaps are computed from its values of each request"

    def __init__(self, cache: Path, home: Path, may_install: bool) -> None:
        self._cache = cache
        self._home = home
        self._may_install = may_install
        self._program = Path()

    def prepare(self) -> None:
        folder = install.environment(self._cache, REQUIREMENT, self._may_install)
        self.version = install.installed_version(folder, "llama-benchy")
        self._program = folder / "bin/llama-benchy"
        self._write_book()

    def _write_book(self) -> None:
        """Puts a text where the client keeps the book that it would download."""
        name = hashlib.md5(BOOK.encode(), usedforsecurity=False).hexdigest()
        path = self._home / ".cache/llama-benchy" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        source, words = random.Random(1), tokenizer.words()
        text = " ".join(source.choice(words) for _ in range(BOOK_WORDS))
        path.write_text(f" {text}", encoding="utf-8")

    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        return [
            str(self._program),
            "--base-url", f"{target.url}/v1",
            "--model", target.model,
            "--tokenizer", str(target.tokenizer),
            "--book-url", BOOK,
            "--pp", str(load.prompt_tokens),
            "--tg", str(load.output_tokens),
            "--exact-tg",
            "--depth", "0",
            "--runs", str(load.requests_per_stream),
            "--concurrency", str(load.streams),
            "--no-cache",
            "--latency-mode", "none",
            "--no-warmup",
            "--no-adapt-prompt",
            "--skip-coherence",
            "--format", "json",
            "--save-result", str(folder / "result.json"),
        ]  # fmt: skip

    def read(self, load: Load, folder: Path) -> Reported:
        return self.reported(read_json(folder / "result.json"), load)

    @staticmethod
    def reported(document: Any, load: Load) -> Reported:
        """The figures of a report: of the values that it lists for each request."""
        benchmark = pick(document, "benchmarks", 0)
        ttfts = pick(benchmark, "e2e_ttft", "values") or []
        rates = pick(benchmark, "tg_req_throughput", "values") or []
        if not ttfts or not rates:
            raise Unavailable("its report has no values of requests")
        gaps = [1000 / rate for rate in rates if rate > 0]
        return Reported(
            ttft_p50_ms=percentile(ttfts, 50),
            ttft_p99_ms=percentile(ttfts, 99),
            gap_p50_ms=percentile(gaps, 50),
            gap_p99_ms=percentile(gaps, 99),
            total_tokens_per_s=number(benchmark, "tg_throughput", "mean"),
            completed=len(ttfts),
            expected=load.requests,
        )
