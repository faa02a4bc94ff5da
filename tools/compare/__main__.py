"""Runs benchmark clients against the simulated server and prints what each says beside the truth.

    python3 tools/compare --vllm PATH --streams 1,16,64,256 --write

Python 3.11 or later, its standard library, Linux. Clients are installed from PyPI into the cache.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import install
import process
import tables
import tokenizer
import truth
from client import Client, Load, Target, Unavailable
from client_aiperf import Aiperf
from client_guidellm import Guidellm
from client_llama_benchy import LlamaBenchy
from client_tokmark import Tokmark
from client_vllm import VllmPython, VllmRust
from simulator import simulator
from tables import Measurement

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENT = REPOSITORY / "docs/comparison.md"
PROGRAM = REPOSITORY / "target/release/tokmark"
PACE = "--pace 5ms --first 100ms --truth-events"
KEPT_VARIABLES = ("PATH", "LANG", "LD_LIBRARY_PATH")
CLIENTS = tuple(
    client.key for client in (Tokmark, VllmRust, VllmPython, Aiperf, Guidellm, LlamaBenchy)
)
TRIES = 3
LONGEST_PAUSE_S = 1.0
"""A script that sleeps for 20 ms and wakes after this long was not kept waiting by the client."""


class StoodStill(Unavailable):
    """The machine, or the server's core, did nothing for a while: there is nothing to compare."""


def main() -> int:
    """Measures what was asked for; 1 when some client gave nothing."""
    if sys.version_info < (3, 11):
        raise SystemExit("error: Python 3.11 or later is needed")
    options = parse(sys.argv[1:])
    if not options.tokmark.exists():
        raise SystemExit(f"error: there is no `{options.tokmark}`: cargo build --release")
    if options.write:
        tables.around(options.write)
    options.cache.mkdir(parents=True, exist_ok=True)
    process.adopt_orphans()
    cores = process.Cores.of_this_machine()
    if cores.script is not None:
        os.sched_setaffinity(0, {cores.script})
    clients = make_clients(options)
    broken = prepare(clients)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="tokmark-compare-"))
    about = conditions(options, cores, clients)
    parts, complete = [], True
    for streams in options.streams:
        load = make_load(options, streams)
        results = [
            Measurement(client, reason=broken[client.key])
            if client.key in broken
            else measure(client, load, options, cores, folder / f"{streams}-{client.key}")
            for client in clients
        ]
        complete = complete and all(result.reported is not None for result in results)
        parts.append(tables.table(load, results))
        print(parts[-1], flush=True)
    if options.write:
        tables.write(options.write, "\n".join([about, *parts]))
    install.say(f"every client's own files are in {folder}")
    return 0 if complete else 1


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokmark-compare"
    parser = argparse.ArgumentParser(
        prog="compare",
        description=__doc__.partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    what = parser.add_argument_group("what is measured").add_argument
    what("--clients", type=names, default=",".join(CLIENTS), metavar="LIST", help="which clients")
    what("--streams", type=counts, default="1,16,64,256", metavar="LIST", help="requests at once")
    what(
        "--requests-per-stream",
        type=positive,
        default=5,
        metavar="N",
        help="length of a measurement",
    )
    what("--prompt-tokens", type=positive, default=64, metavar="N", help="length of a prompt")
    what("--output-tokens", type=positive, default=200, metavar="N", help="length of an answer")
    what("--window", type=float, default=5.0, metavar="S", help="tokmark's window in seconds")
    what("--seed", type=int, default=1, metavar="N", help="seed of the prompts")
    what("--timeout", type=float, default=300.0, metavar="S", help="longest time of one client")
    programs = parser.add_argument_group("programs").add_argument
    programs("--tokmark", type=absolute, default=PROGRAM, metavar="PROGRAM", help="the binary")
    programs("--simulator", default=PACE, metavar="ARGUMENTS", help="what `tokmark sim` gets")
    programs("--cache", type=absolute, default=cache, metavar="DIR", help="for installed clients")
    programs("--vllm", type=absolute, metavar="DIR", help="environment that has vLLM (or 9 GB)")
    programs("--tokenizer", type=absolute, metavar="DIR", help="instead of one like the server's")
    programs("--no-install", action="store_true", help="use what the cache has, name the rest")
    output = parser.add_argument_group("output").add_argument
    output("--keep", type=absolute, metavar="DIR", help="where the clients' own files go")
    output("--write", type=absolute, nargs="?", const=DOCUMENT, metavar="FILE",
           help=f"put the tables between the markers of a document, {DOCUMENT.name}")  # fmt: skip
    return parser.parse_args(arguments)


def positive(text: str) -> int:
    """A count of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is less than 1")
    return number


def absolute(text: str) -> Path:
    """A path that stays right in another folder."""
    return Path(text).absolute()


def names(text: str) -> list[str]:
    """A list of clients."""
    asked = text.split(",")
    for name in asked:
        if name not in CLIENTS:
            raise argparse.ArgumentTypeError(f"`{name}` is not one of {', '.join(CLIENTS)}")
    return asked


def counts(text: str) -> list[int]:
    """A list of stream counts."""
    return [positive(part) for part in text.split(",")]


def make_load(options: argparse.Namespace, streams: int) -> Load:
    """The load of one table."""
    return Load(
        streams=streams,
        requests_per_stream=options.requests_per_stream,
        prompt_tokens=options.prompt_tokens,
        output_tokens=options.output_tokens,
        window_s=options.window,
        seed=options.seed,
    )


def make_clients(options: argparse.Namespace) -> list[Client]:
    """The clients that were asked for, in the order of the tables."""
    cache, may_install = options.cache, not options.no_install
    every: list[Client] = [
        Tokmark(options.tokmark),
        VllmRust(cache, options.vllm, may_install),
        VllmPython(cache, options.vllm, may_install),
        Aiperf(cache, may_install),
        Guidellm(cache, may_install),
        LlamaBenchy(cache, home(cache), may_install),
    ]
    return [client for client in every if client.key in options.clients]


def prepare(clients: Sequence[Client]) -> dict[str, str]:
    """Installs the clients; returns the reasons of those that cannot be used."""
    broken = {}
    for client in clients:
        try:
            client.prepare()
        except Unavailable as error:
            install.say(f"{client.name}: {error}")
            broken[client.key] = str(error)
    return broken


def measure(
    client: Client,
    load: Load,
    options: argparse.Namespace,
    cores: process.Cores,
    folder: Path,
) -> Measurement:
    """One client at one load; again when the machine stood still meanwhile."""
    for attempt in range(1, TRIES + 1):
        try:
            return measure_once(client, load, options, cores, folder / str(attempt))
        except StoodStill as error:
            reason = str(error)
            install.say(f"{client.name}: {reason}")
        except Unavailable as error:
            return Measurement(client, reason=str(error))
    return Measurement(client, reason=f"{reason}, {TRIES} times")


def measure_once(
    client: Client,
    load: Load,
    options: argparse.Namespace,
    cores: process.Cores,
    folder: Path,
) -> Measurement:
    """One client at one load, against a simulator of its own. Raises `Unavailable`."""
    install.say(f"{client.name} {client.version} at {load.streams}")
    folder.mkdir(parents=True, exist_ok=True)
    arguments = shlex.split(options.simulator)
    made = options.tokenizer or tokenizer.build(options.cache / "tokenizer")
    with simulator(options.tokmark, arguments, folder, cores.server) as server:
        timeline = process.run(
            client.command(load, Target(server.url, server.model, made), folder),
            environment(options.cache, client.environment()),
            folder,
            cores.client,
            options.timeout,
        )
    pause_s = timeline.longest_pause_s()
    if pause_s > LONGEST_PAUSE_S:
        raise StoodStill(f"the machine stood still for {pause_s:.1f} s")
    reported = client.read(load, folder)
    true = truth.figures(server.requests, client, load, reported.window)
    cpu_s = timeline.after(server.monotonic(true.first_arrival_ns))
    return Measurement(client, reported, true, 1e6 * cpu_s / true.tokens)


def home(cache: Path) -> Path:
    """The home folder that the clients see, so that they leave the user's alone."""
    return cache / "home"


def environment(cache: Path, more: Mapping[str, str]) -> dict[str, str]:
    """The variables of a client: no proxy, no statistics, nothing of the user's home."""
    kept = {key: os.environ[key] for key in KEPT_VARIABLES if key in os.environ}
    place = home(cache)
    place.mkdir(parents=True, exist_ok=True)
    return {
        **kept,
        "HOME": str(place),
        "NO_PROXY": "*",
        "DO_NOT_TRACK": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        **more,
    }


def conditions(options: argparse.Namespace, cores: process.Cores, clients: Sequence[Client]) -> str:
    """What the tables stand for: date, machine, load, definitions."""
    pinned = (
        "not pinned: there is one core"
        if cores.client is None
        else f"server on core {cores.server}, client on core {cores.client}"
    )
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    server = f"tokmark sim {options.simulator}".strip()
    lines = [
        f"Measured on {today}: {os.cpu_count()} cores of {processor()}, Linux "
        f"{platform.release()}, Python {platform.python_version()}; {pinned}; load average at the "
        f"start {os.getloadavg()[0]:.1f}.",
        f"Server: `{server}`. Load: {options.requests_per_stream} requests "
        f"for each stream, prompts of {options.prompt_tokens} tokens, answers of "
        f"{options.output_tokens}; tokmark a window of {options.window:g} s.",
        "",
        tables.definitions(clients),
    ]
    return "\n".join(lines)


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())


if __name__ == "__main__":
    sys.exit(main())
