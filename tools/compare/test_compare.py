"""Tests of the comparison: `python3 -m unittest discover -s tools/compare`."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

import process
import tables
import tokenizer
import truth
from client import Client, Load, Reported, Unavailable, Window
from client_aiperf import Aiperf
from client_guidellm import Guidellm
from client_llama_benchy import LlamaBenchy
from client_tokmark import Tokmark
from client_vllm import VllmRust
from tables import Measurement
from truth import Emission, Request

MS = 1_000_000
HERE = Path()
LOAD = Load(2, 1, 64, 3, 5.0, 1)
TOKMARK = Tokmark(HERE)
VLLM = VllmRust(HERE, None, False)
GUIDELLM = Guidellm(HERE, False)
LLAMA_BENCHY = LlamaBenchy(HERE, HERE, False)


def request(arrival_ms: float, *sent_ms: float, max_tokens: int = 3) -> Request:
    """A request with one token at each of these times, sent 1 ms after it was due."""
    times = [round(at * MS) for at in sent_ms]
    emissions = tuple(Emission(at, at - MS, 1) for at in times)
    ended = times[-1] if times else round(arrival_ms * MS)
    return Request(max_tokens, round(arrival_ms * MS), emissions, ended)


class TruthTest(unittest.TestCase):
    def test_percentiles_interpolate(self) -> None:
        for values, percent, expect in (
            ([5], 99, 5),
            ([1, 2], 50, 1.5),
            ([3, 1, 2], 50, 2),
            (range(101), 99, 99),
        ):
            self.assertEqual(truth.percentile(values, percent), expect)
        with self.assertRaises(Unavailable):
            truth.percentile([], 50)

    def test_an_idle_moment_parts_the_periods(self) -> None:
        first, second, third = request(0, 10, 20), request(15, 25, 30), request(30, 40)
        self.assertEqual(truth.busy_periods([first, second, third]), [[first, second], [third]])

    def test_probes_are_left_out_where_requests_are_counted(self) -> None:
        probe = request(0, 900, max_tokens=1)
        requests = [probe, request(1_000, 1_100, 1_105, 1_110), request(1_000, 1_102, 1_107, 1_120)]
        figures = truth.figures(requests, VLLM, LOAD, None)
        self.assertAlmostEqual(figures.ttft_p50_ms, 101)
        self.assertAlmostEqual(figures.gap_p50_ms, 5)
        self.assertAlmostEqual(figures.gap_p99_ms, 13 - 0.03 * 8)
        self.assertAlmostEqual(figures.total_tokens_per_s, 6 / 0.120)
        self.assertAlmostEqual(figures.busy, (110 + 120) / (2 * 120))
        self.assertAlmostEqual(figures.lateness_p99_ms, 1)
        self.assertEqual((figures.tokens, figures.first_arrival_ns), (6, 1_000 * MS))

    def test_gaps_of_a_request_may_be_a_mean(self) -> None:
        requests = [request(0, 100, 105, 110), request(0, 102, 107, 120)]
        figures = truth.figures(requests, GUIDELLM, LOAD, None)
        self.assertAlmostEqual(figures.gap_p50_ms, (5 + 9) / 2)

    def test_a_window_counts_what_was_sent_inside_it(self) -> None:
        warm_up = request(0, 5, 10)
        requests = [warm_up, request(100, 110, 120, 130, 140), request(101, 111, 121, 131, 141)]
        figures = truth.figures(requests, TOKMARK, LOAD, Window(0.015, 0.020))
        self.assertAlmostEqual(figures.total_tokens_per_s, 4 / 0.020)
        self.assertAlmostEqual(figures.gap_p99_ms, 10)
        self.assertAlmostEqual(figures.busy, 1)
        self.assertEqual(figures.first_arrival_ns, 100 * MS)
        with self.assertRaises(Unavailable):
            truth.figures(requests, TOKMARK, LOAD, None)

    def test_batches_count_alone_and_without_first_tokens(self) -> None:
        requests = [
            request(0, 100, 110, 120),
            request(0, 100, 110, 120),
            request(500, 600, 610, 640),
        ]
        figures = truth.figures(requests, LLAMA_BENCHY, LOAD, None)
        self.assertAlmostEqual(figures.total_tokens_per_s, (4 / 0.020 + 2 / 0.040) / 2)

    def test_nothing_measured_is_said(self) -> None:
        with self.assertRaisesRegex(Unavailable, "no token"):
            truth.figures([request(0, 5, max_tokens=1)], VLLM, LOAD, None)

    def test_the_simulators_file_is_read(self) -> None:
        row = {"max_tokens": 3, "arrival_ns": 7, "ended_ns": None, "emissions": [[9, 8, 1]]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "truth.json")
            path.write_text(json.dumps({"kept": True, "requests": [row]}), encoding="utf-8")
            self.assertEqual(truth.load_requests(path), [Request(3, 7, (Emission(9, 8, 1),), 9)])
            row |= {"tokens": 1, "emissions": []}
            path.write_text(json.dumps({"requests": [row]}), encoding="utf-8")
            with self.assertRaisesRegex(Unavailable, "--truth-events"):
                truth.load_requests(path)
            path.write_text("{}", encoding="utf-8")
            with self.assertRaises(Unavailable):
                truth.load_requests(path)


class ReadTest(unittest.TestCase):
    """The fields of the result files, as the pinned versions write them."""

    def check(self, client: type[Client], document: dict[str, Any], expect: Reported) -> None:
        self.assertEqual(client.reported(document, LOAD), expect)  # type: ignore[attr-defined]

    def test_vllm(self) -> None:
        document = {"completed": 2, "output_throughput": 50.5}
        document |= {"p50_ttft_ms": 1.0, "p99_ttft_ms": 2.0, "p50_itl_ms": 3.0, "p99_itl_ms": 4.0}
        self.check(VllmRust, document, Reported(1.0, 2.0, 3.0, 4.0, 50.5, 2, 2))
        self.check(VllmRust, {}, Reported(None, None, None, None, None, 0, 2))

    def test_aiperf(self) -> None:
        document = {
            "request_count": {"avg": 2.0},
            "time_to_first_token": {"p50": 1.0, "p99": 2.0},
            "inter_chunk_latency": {"p50": 3.0, "p99": 4.0},
            "output_token_throughput": {"avg": 50.5},
        }
        self.check(Aiperf, document, Reported(1.0, 2.0, 3.0, 4.0, 50.5, 2, 2))

    def test_guidellm(self) -> None:
        metrics = {
            "request_totals": {"successful": 2},
            "time_to_first_token_ms": {"successful": {"percentiles": {"p50": 1.0, "p99": 2.0}}},
            "inter_token_latency_ms": {"successful": {"percentiles": {"p50": 3.0, "p99": 4.0}}},
            "output_tokens_per_second": {"successful": {"mean": 50.5}},
        }
        document = {"benchmarks": [{"metrics": metrics}]}
        self.check(Guidellm, document, Reported(1.0, 2.0, 3.0, 4.0, 50.5, 2, 2))

    def test_llama_benchy(self) -> None:
        benchmark = {
            "e2e_ttft": {"values": [1.0, 1.0]},
            "tg_req_throughput": {"values": [200.0, 200.0]},
            "tg_throughput": {"mean": 50.5},
        }
        self.check(
            LlamaBenchy, {"benchmarks": [benchmark]}, Reported(1.0, 1.0, 5.0, 5.0, 50.5, 2, 2)
        )
        with self.assertRaises(Unavailable):
            LlamaBenchy.reported({"benchmarks": []}, LOAD)

    def test_tokmark(self) -> None:
        cell = {
            "status": "valid",
            "ttft_ms": 1.0,
            "launch_ttft": {"max_ms": 2.0},
            "gaps": {"p50_ms": 3.0, "p99_ms": 4.0},
            "total_tokens_per_s": 50.5,
            "failures": [],
            "launch_s": 2.5,
            "measured_s": 5.0,
        }
        expect = Reported(
            1.0, 2.0, 3.0, 4.0, 50.5, 2, 2, Window(2.5, 5.0), "TTFT p99 is the maximum"
        )
        self.check(Tokmark, {"decode": [cell]}, expect)
        cell["launch_ttft"] = {"max_ms": 2.0, "p99_ms": 1.9}
        expect = Reported(1.0, 1.9, 3.0, 4.0, 50.5, 2, 2, Window(2.5, 5.0))
        self.check(Tokmark, {"decode": [cell]}, expect)
        with self.assertRaisesRegex(Unavailable, "queued"):
            Tokmark.reported({"decode": [{"status": "queued", "reason": None}]}, LOAD)


class ProcessTest(unittest.TestCase):
    def test_cpu_is_interpolated_between_samples(self) -> None:
        timeline = process.CpuTimeline([(10.0, 0.0), (12.0, 1.0), (13.5, 1.5)], 2.0)
        for at, expect in ((9.0, 0.0), (11.0, 0.5), (12.75, 1.25), (20.0, 1.5)):
            self.assertAlmostEqual(timeline.until(at), expect)
        self.assertAlmostEqual(timeline.after(12.0), 1.0)
        self.assertAlmostEqual(timeline.longest_pause_s(), 2.0)

    def run_python(self, code: str, timeout_s: float = 60) -> process.CpuTimeline:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", code]
            return process.run(command, {}, Path(folder), None, timeout_s)

    def test_cpu_of_all_processes_counts(self) -> None:
        burn = "import time\nwhile time.process_time() < 0.2: pass\n"
        parent = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burn!r}])"
        self.assertGreaterEqual(self.run_python(parent).total_s, 0.2)

    def test_a_failure_is_told_in_the_clients_words(self) -> None:
        with self.assertRaisesRegex(Unavailable, "ended with 3: no such model"):
            self.run_python("print('no such model'); print('---'); raise SystemExit(3)")

    def test_a_client_out_of_time_is_ended(self) -> None:
        with self.assertRaisesRegex(Unavailable, "did not end within 0 s"):
            self.run_python("import time; time.sleep(600)", timeout_s=0)

    def test_a_missing_program_is_told(self) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            self.assertRaisesRegex(Unavailable, "does not start"),
        ):
            process.run(["/no/such/program"], {}, Path(folder), None, 1)


class TablesTest(unittest.TestCase):
    def test_a_row_has_values_and_errors(self) -> None:
        figures = truth.Figures(100.0, 100.5, 5.0, 5.25, 200.0, 0.995, 0.1, 1_000, 0)
        reported = Reported(100.25, 103.0, 5.0, None, 199.0, 9, 10)
        text = tables.table(LOAD, [Measurement(VLLM, reported, figures, 12.34)])
        row = text.splitlines()[4]
        self.assertIn("| 9 of 10 | 99.5 % | 100.25 / 103.00 | +0.25 / +2.50 |", row)
        self.assertIn("| 5.00 / – | +0.00 / – | 199.0 | -0.50 % | 12.3 |", row)

    def test_a_client_without_result_is_named_with_its_reason(self) -> None:
        text = tables.table(LOAD, [Measurement(GUIDELLM, reason="a | b\nc")])
        row = text.splitlines()[4]
        self.assertTrue(row.startswith("| GuideLLM | 0.8.1 | not measured: a / b c |"))
        self.assertEqual(row.count("|"), text.splitlines()[2].count("|"))

    def test_only_the_text_between_the_markers_changes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.md")
            path.write_text(f"a\n{tables.BEGIN}\nold\n{tables.END}\nz\n", encoding="utf-8")
            tables.write(path, "new\n")
            expect = f"a\n{tables.BEGIN}\n\nnew\n\n{tables.END}\nz\n"
            self.assertEqual(path.read_text(encoding="utf-8"), expect)
            path.write_text("no markers", encoding="utf-8")
            with self.assertRaises(SystemExit):
                tables.write(path, "new")


class TokenizerTest(unittest.TestCase):
    def test_every_word_is_one_piece_of_its_own(self) -> None:
        words = tokenizer.words()
        self.assertEqual(len(words), tokenizer.WORDS)
        self.assertEqual(len(set(words)), tokenizer.WORDS)
        self.assertTrue(all(len(word) <= 6 and word.isalpha() for word in words))

    def test_the_folder_has_what_is_loaded(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tokenizer.build(Path(folder))
            made = json.loads(Path(folder, "tokenizer.json").read_text(encoding="utf-8"))
            vocabulary = made["model"]["vocab"]
            self.assertEqual(sorted(vocabulary.values()), list(range(tokenizer.WORDS + 3)))
            self.assertIn(made["model"]["unk_token"], vocabulary)


if __name__ == "__main__":
    unittest.main()
