"""Tests of what is checked: `python3 -m unittest discover -s tools/engines`."""

from __future__ import annotations

import copy
import subprocess
import sys
import unittest
from collections.abc import Callable
from typing import Any

import checks
import server
from engines import ENGINES
from expectation import Expectation

EXPECT = Expectation(
    name="vllm",
    version="0.32.0",
    max_length=16_384,
    kv_tokens=20_480,
    max_sequences=4,
    limit=4,
    over_capacity=frozenset({(6_144, 4)}),
    over_length=frozenset({32_768}),
)


def cell(context: int, requests: int, **other: Any) -> dict[str, Any]:
    """A valid cell: every stream has 80 tokens in 4 s."""
    return {
        "context": context,
        "requests": requests,
        "status": "valid",
        "reason": None,
        "total_tokens_per_s": 20.0 * requests,
        "per_request_tokens_per_s": 20.1,
        "time_between_tokens_ms": 1000 / 20.1,
        "average_active_requests": float(requests),
        "output_tokens": 80 * requests,
        "measured_s": 4.0,
        "stream_tokens": [80] * requests,
        "ci95_low": 19.5 * requests,
        "ci95_high": 20.5 * requests,
        "gaps": {"p50_ms": 49.0, "p95_ms": 60.0, "p99_ms": 70.0, "max_ms": 70.0},
        "server_running": float(requests),
        "sources": {"server_output_tokens": 80 * requests + 1},
        **other,
    }


def without_numbers(context: int, requests: int, status: str) -> dict[str, Any]:
    """A cell that was not run."""
    names = ("total_tokens_per_s", "output_tokens", "average_active_requests")
    nothing = dict.fromkeys(names)
    return cell(context, requests, status=status, reason="because", **nothing)


def queued(context: int) -> dict[str, Any]:
    """Eight requests on a server that runs four."""
    return cell(
        context,
        8,
        status="queued",
        reason="4.0 of 8",
        total_tokens_per_s=80.0,
        output_tokens=320,
        stream_tokens=[80, 80, 80, 80, 0, 0, 0, 0],
        average_active_requests=4.0,
        server_running=4.0,
        ci95_low=None,
        ci95_high=None,
        sources={"server_output_tokens": 320},
    )


def engine() -> dict[str, Any]:
    """What the server tells."""
    return {
        "name": "vllm",
        "version": "0.32.0",
        "max_length": 16_384,
        "max_sequences": 4,
        "kv_budget": {"tokens": 20_480},
    }


def document() -> dict[str, Any]:
    """A run in which everything is right."""
    sample = {
        "prompt_tokens": 1_024,
        "ttft_ms": 512.0,
        "prompt_tokens_per_s": 2_000.0,
        "cached_tokens": 16,
    }
    row = {
        "context": 1_024,
        "status": "valid",
        "reason": None,
        "ttft_ms": 512.0,
        "ttft_ms_min": 500.0,
        "ttft_ms_max": 520.0,
        "samples": [sample],
    }
    return {
        "trust": "measured",
        "complete": True,
        "engine": engine(),
        "plan": {"contexts": [0, 1_024], "requests": [1, 4, 8], "window_s": 4.0},
        "decode": [
            cell(0, 1),
            cell(0, 4),
            queued(0),
            cell(1_024, 1),
            cell(1_024, 4),
            queued(1_024),
        ],
        "prefill": [row],
        "admission_limit": 4,
        "notes": [{"code": "hint_more_requests"}],
    }


def faults(change: Callable[[dict[str, Any]], Any]) -> list[str]:
    """What is found in the right run after one change."""
    changed = copy.deepcopy(document())
    change(changed)
    return checks.all_faults(changed, {"engine": engine()}, EXPECT)


class ChecksTest(unittest.TestCase):
    def test_a_right_run_has_no_fault(self) -> None:
        self.assertEqual(faults(lambda run: None), [])

    def test_every_change_is_found(self) -> None:
        def first(**changes: Any) -> Callable[[dict[str, Any]], None]:
            return lambda run: run["decode"][1].update(changes)

        def row(**changes: Any) -> Callable[[dict[str, Any]], None]:
            return lambda run: run["prefill"][0].update(changes)

        def sample(**changes: Any) -> Callable[[dict[str, Any]], None]:
            return lambda run: run["prefill"][0]["samples"][0].update(changes)

        def told(**changes: Any) -> Callable[[dict[str, Any]], None]:
            return lambda run: run["engine"].update(changes)

        for change, words in (
            (told(name="openai"), "name is 'openai'"),
            (told(version=None), "version is None"),
            (told(max_length=4_096), "maximum length"),
            (told(kv_budget=None), "KV budget is None"),
            (told(max_sequences=None), "requests at once is None"),
            (lambda run: run["decode"].pop(), "cells are"),
            (lambda run: run.update(complete=False), "did not go through"),
            (lambda run: run.update(trust="self_reported"), "not measured"),
            (first(status="queued", reason="x"), "status is queued (x)"),
            (first(status="failed", reason="x"), "status failed with a total"),
            (first(status="looped"), "without a reason"),
            (first(measured_s=3.0), "measured for 3.0 s"),
            (first(output_tokens=300), "total x time"),
            (first(stream_tokens=[80, 80, 80, 79]), "its streams"),
            (first(stream_tokens=[320]), "its streams"),
            (first(per_request_tokens_per_s=30.0, time_between_tokens_ms=1000 / 30), "4.00 active"),
            (first(per_request_tokens_per_s=None), "no rate of a request"),
            (first(time_between_tokens_ms=20.0), "ms between tokens"),
            (first(average_active_requests=4.5), "4.5 of 4"),
            (first(average_active_requests=3.0), "it is valid with 3.0"),
            (first(ci95_low=85.0), "outside its interval"),
            (first(gaps={"p50_ms": 9, "p95_ms": 8, "p99_ms": 9, "max_ms": 9}), "fall"),
            (first(sources={"server_output_tokens": 400}), "counter says 400"),
            (first(sources={"server_output_tokens": None}), "counter says None"),
            (first(server_running=1.0), "gauge says 1.00"),
            (first(server_running=None), "gauge of running requests says None"),
            (row(status="partly_cached", reason="x"), "partly_cached"),
            (row(ttft_ms=530.0), "is not between"),
            (sample(prompt_tokens_per_s=2_100.0), "is not 2000.0"),
            (sample(prompt_tokens=1_100, prompt_tokens_per_s=1_100 / 0.512), "has 1100 tokens"),
            (sample(cached_tokens=1_000), "came from the cache"),
            (lambda run: run.update(admission_limit=None), "measured to run None"),
            (lambda run: run.update(notes=[]), "its notes are []"),
        ):
            found = faults(change)
            self.assertTrue(any(words in fault for fault in found), f"{words}: {found}")

    def test_no_token_at_all_is_a_fault(self) -> None:
        nothing = {"total_tokens_per_s": 0.0, "output_tokens": 0, "stream_tokens": [0] * 4}
        found = faults(lambda run: run["decode"][1].update(nothing))
        self.assertTrue(any("no token arrived" in fault for fault in found), found)

    def test_statuses_follow_from_limits(self) -> None:
        for context, requests, expected in (
            (0, 4, {"valid", "client_limited"}),
            (0, 8, {"queued", "over_admission", "client_limited"}),
            (6_144, 2, {"valid", "client_limited"}),
            (6_144, 4, {"over_capacity"}),
            (32_768, 1, {"over_length"}),
        ):
            self.assertEqual(EXPECT.statuses_of(context, requests), expected)

    def test_cells_that_were_not_run_have_no_numbers(self) -> None:
        right = without_numbers(6_144, 4, "over_capacity")
        self.assertEqual(list(checks.status(right, EXPECT)), [])
        self.assertEqual(list(checks.numbers(right, {"window_s": 4.0})), [])
        self.assertEqual(list(checks.gauges(right, EXPECT)), [])
        wrong = {**right, "total_tokens_per_s": 1.0}
        self.assertEqual(len(list(checks.status(wrong, EXPECT))), 1)

    def test_a_server_without_counters_may_not_have_any(self) -> None:
        silent = Expectation("x", None, None, None, None, None, gauges=False, output_counter=False)
        found = list(checks.gauges(cell(0, 1), silent))
        self.assertEqual(len(found), 2, found)
        nothing = cell(0, 1, server_running=None, sources={"server_output_tokens": None})
        self.assertEqual(list(checks.gauges(nothing, silent)), [])


class EnginesTest(unittest.TestCase):
    def test_every_engine_has_its_script(self) -> None:
        for engine in ENGINES.values():
            path = engine.command("install", server.Path("/x"))[1]
            self.assertTrue(server.Path(path).is_file(), path)


@unittest.skipUnless(server.Path("/proc/self/stat").exists(), "processes are found in /proc")
class ServerTest(unittest.TestCase):
    def test_a_process_may_be_called_anything(self) -> None:
        line = "17 (a) b) R 5 17 12 0 -1 4194560 1 0"
        self.assertEqual(server.parse_stat(line), ("R", 12))

    def test_workers_are_ended_with_their_server(self) -> None:
        worker = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
        start = (
            "import subprocess, sys\n"
            f"subprocess.Popen([sys.executable, '-c', {worker!r}])\n"
            "print('begun', flush=True)\n"
            "import signal; signal.pause()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", start], stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdout is not None
        with process.stdout:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            self.assertEqual(len(server.members(process.pid)), 2)
            killed = server.stop(process, patience_s=0.0)
        self.assertTrue(killed)
        self.assertIsNotNone(process.returncode)
        self.assertEqual(server.members(process.pid), [])

    def test_a_server_that_ends_is_not_waited_for(self) -> None:
        process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
        process.wait()
        with self.assertRaisesRegex(server.NotReady, "ended with 3"):
            server.wait_until(lambda: False, process, 60.0)


if __name__ == "__main__":
    unittest.main()
