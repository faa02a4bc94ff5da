"""Installs real engines, measures a small matrix on each and checks what comes out.

    python3 tools/engines ENGINE --folder FOLDER --tokmark PROGRAM

Python 3.11 or later, its standard library, Linux. An engine that lies in the folder already is used
as it is. The exit code is 77, the reason last on stderr, where an engine cannot be had here.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import checks
import server
from engines import ENGINES, Engine

UNAVAILABLE = 77
READY_S = 1200.0
"""vLLM and SGLang start within a minute, and within ten on a machine that has other work."""
PROBE_S = 60.0
RUN_S = 1800.0
WINDOW = "4s"
LONGEST_OUTPUT = "1024"
LAST_LINES = 30


class Failed(Exception):
    """What went wrong."""


def main() -> int:
    """Measures one engine; 0 when everything holds, 1 when not, 77 when there is no engine."""
    if sys.version_info < (3, 11):
        raise SystemExit("error: Python 3.11 or later is needed")
    options = parse(sys.argv[1:])
    # So that a server of ours is ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    engine = ENGINES[options.engine]
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    installed = call(engine, engine.command("install", folder)).wait()
    if installed:
        return UNAVAILABLE if installed == UNAVAILABLE else 1
    if options.install_only:
        return 0
    with tempfile.TemporaryDirectory(prefix="tokmark-engine-") as place:
        output = options.output or Path(place)
        output.mkdir(parents=True, exist_ok=True)
        try:
            faults = measured(engine, options.tokmark.resolve(), folder, output)
        except (Failed, server.NotReady) as error:
            faults = [str(error), *last_lines(output / "server.log")]
    for fault in faults:
        print(f"fault: {fault}")
    return 1 if faults else 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tools/engines", description=__doc__.splitlines()[0])
    parser.add_argument("engine", choices=list(ENGINES))
    parser.add_argument("--folder", type=Path, default=Path("target/engines"))
    parser.add_argument("--tokmark", type=Path, default=Path("target/debug/tokmark"))
    parser.add_argument("--output", type=Path, help="where log and results stay; else nowhere")
    parser.add_argument("--install-only", action="store_true")
    return parser.parse_args(arguments)


def call(engine: Engine, command: list[str], **more: Any) -> subprocess.Popen[bytes]:
    """One of the engine's scripts, begun."""
    environment = {**os.environ, **engine.environment}
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, **more)


def measured(engine: Engine, tokmark: Path, folder: Path, output: Path) -> list[str]:
    """Starts the engine, measures it, ends it; what does not hold."""
    port = server.free_port()
    url = f"http://127.0.0.1:{port}"
    command = engine.command("serve", folder, str(port))
    with (output / "server.log").open("wb") as log:
        process = call(
            engine, command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            took = server.wait_until(lambda: answers(tokmark, url), process, READY_S)
            print(f"{engine.title}: answers after {took:.0f} s", flush=True)
            faults = checked(engine, tokmark, url, output)
        finally:
            killed = server.stop(process)
    if killed:
        faults.append(f"{len(killed)} of its processes had to be killed: {killed}")
    return faults


def answers(tokmark: Path, url: str) -> bool:
    """Whether the server can be probed."""
    return tokmark_says(tokmark, "probe", url, "--json").returncode == 0


def checked(engine: Engine, tokmark: Path, url: str, output: Path) -> list[str]:
    """Probe, run, verify, and every check."""
    probe = tokmark_says(tokmark, "probe", url, "--json")
    if probe.returncode:
        raise Failed(f"`tokmark probe` ended with {probe.returncode}: {probe.stderr.strip()}")
    results = output / "run"
    run = [str(tokmark), "run", url, "--contexts", engine.contexts, "--requests", engine.requests]
    # The usual 8K besides would take minutes on a processor.
    run += ["--prefill-contexts", "1k"]
    run += ["--duration", WINDOW, "--max-output", LONGEST_OUTPUT, "--plain", "--yes"]
    run += ["--output", str(results)]
    code = subprocess.run(run, stdin=subprocess.DEVNULL, timeout=RUN_S).returncode
    if code:
        raise Failed(f"`tokmark run` ended with {code}")
    [document] = results.glob("*.json")
    verified = tokmark_says(tokmark, "verify", str(document))
    print(verified.stdout.strip(), flush=True)
    told = json.loads(probe.stdout)
    faults = checks.all_faults(json.loads(document.read_bytes()), told, engine.expect)
    if verified.returncode:
        faults.insert(0, f"`tokmark verify` ended with {verified.returncode}: {verified.stderr}")
    return faults


def tokmark_says(tokmark: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of its commands to the end."""
    return subprocess.run(
        [str(tokmark), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PROBE_S,
    )


def last_lines(log: Path) -> list[str]:
    """The end of the server's log."""
    if not log.exists():
        return []
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"its log: {line}" for line in lines[-LAST_LINES:]]


if __name__ == "__main__":
    sys.exit(main())
