"""Making environments with the standard library's venv and each one's own pip, and removing them.

A virtualenv cannot be moved, so it is built where it will be. What tells a finished one from
any other is `environment.json`, written last.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import orjson

from auricle.core.errors import SpecError
from auricle.core.files import write_whole
from auricle.core.redaction import redacted
from auricle.models.environments.requirements import Block
from auricle.models.environments.store import (
    ABOUT,
    Environment,
    digest_of,
    find,
    folder,
    look,
    place,
)

NEEDED = "orjson"
"""What Auricle's own source imports in a worker."""
OLDEST = (3, 11)
VERSION = re.compile(r"\d+(\.\d+)*")
UNTOLD = "ResolutionImpossible"
"""An error of pip's that only points to a page; the one before it names the packages."""
CHATTER = ("#", "warning:", "[notice]")
"""How lines begin that name no package."""

Say = Callable[[str], None]
Why = Callable[[Sequence[str]], str]


def _quietly(_: str) -> None: ...


def create(
    name: str, block: Block, *, force: bool = False, say: Say = _quietly
) -> tuple[Environment, bool]:
    """The environment of that name, and whether it was built now or there already."""
    path = place(name)
    folder().mkdir(parents=True, exist_ok=True)
    with _held(name):
        there = look(path)
        if there.finished and not force:
            if differs := there.block.differences(block):
                raise SpecError(
                    f"The environment {name!r} is there already, and is another: {differs}. "
                    "Give another name, or --force to build it anew."
                )
            return there, False
        python, version = _interpreter(block.python)
        with _in_place_of(there):
            _build(path, block, python, say)
            return _finish(path, block, version), True


def remove(name: str) -> Environment:
    """Delete an environment; the one that was."""
    find(name)
    with _held(name):
        there = find(name)
        _delete(there.path)
        _delete(_old(there.path))
        return there


def _build(path: Path, block: Block, python: str, say: Say) -> None:
    path.mkdir(mode=0o700)  # variables may be secrets
    _run([python, "-m", "venv", str(path)], f"{python} cannot make a virtualenv", say, _first_line)
    install = [str(Environment(path).python), "-m", "pip", "install", "--no-input"]
    _run(
        [*install, NEEDED, *block.packages], "pip could not install the packages", say, _last_error
    )


def _finish(path: Path, block: Block, version: str) -> Environment:
    """Tell what came of it, in a file that is there whole or not at all."""
    listed = [str(Environment(path).python), "-m", "pip", "freeze"]
    said = _run(listed, "pip cannot tell what it installed", _quietly, _last_error)
    installed = [line for line in said if line and not line.lower().startswith(CHATTER)]
    about = {
        "environment": block.plain(),
        "digest": digest_of(block, version, installed),
        "python": version,
        "installed": redacted({"installed": installed})["installed"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_whole(path / ABOUT, orjson.dumps(about, option=orjson.OPT_INDENT_2))
    return Environment(path, about)


@contextmanager
def _in_place_of(there: Environment) -> Iterator[None]:
    """Room for a new environment; what was there comes back if nothing comes of it."""
    path = there.path
    kept = _old(path)
    if there.finished:
        _delete(kept)
        path.rename(kept)
    else:
        _delete(path)
    try:
        yield
    except BaseException:
        _delete(path)
        if kept.exists():
            kept.rename(path)
        raise
    _delete(kept)


def _old(path: Path) -> Path:
    """Where an environment waits while another is built in its place."""
    return path.with_name(f".{path.name}.old")


def _delete(path: Path) -> None:
    """A deletion that is cut short leaves what is unfinished, never what only looks whole."""
    (path / ABOUT).unlink(missing_ok=True)
    if path.exists():
        shutil.rmtree(path)


@contextmanager
def _held(name: str) -> Iterator[None]:
    """One process at a time makes or removes an environment."""
    import fcntl

    with (folder() / f".{name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SpecError(
                f"Another process is making or removing the environment {name!r}: wait for it."
            ) from None
        yield


def _interpreter(wanted: str) -> tuple[str, str]:
    """The Python to build with and its version, if Auricle's own source can be read by it."""
    python = _named(wanted)
    words = "import platform; print(platform.python_version())"
    said = _run([python, "-c", words], f"{python} cannot be run", _quietly, _first_line)
    version = said[-1] if said else ""
    if not VERSION.match(version):
        raise SpecError(f"{python} is no Python: asked for its version it said {version!r}.")
    if VERSION.fullmatch(wanted) and not f"{version}.".startswith(f"{wanted}."):
        raise SpecError(f"python {wanted} is wanted; {python} is {version}.")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise SpecError(
            f"{python} is Python {version}: a model's process reads Auricle's own source, "
            f"which needs {'.'.join(map(str, OLDEST))} or later."
        )
    return python, version


def _named(wanted: str) -> str:
    if not wanted:
        return sys.executable
    if "/" in wanted:
        return wanted
    name = f"python{'.'.join(wanted.split('.')[:2])}" if VERSION.fullmatch(wanted) else wanted
    if found := shutil.which(name):
        return found
    raise SpecError(
        f"There is no {name} on the path. Name an interpreter: --python /path/to/python, or leave "
        "it out for the one Auricle runs under."
    )


def _run(command: Sequence[str], trouble: str, say: Say, why: Why) -> list[str]:
    """What a command printed, each line said as it comes; or the line that tells why it failed."""
    # What is importable here must not be taken for what is installed there.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    lines: list[str] = []
    try:
        with subprocess.Popen(  # noqa: S603 - the user names the Python
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
            encoding="utf-8",
            errors="replace",
        ) as running:
            assert running.stdout
            try:
                for line in running.stdout:
                    lines.append(line.rstrip())
                    say(lines[-1])
            except BaseException:
                running.kill()  # or it would go on writing to what is about to be deleted
                running.wait()
                raise
    except OSError as error:
        raise SpecError(f"{trouble}: {error}.") from error
    if running.returncode:
        told = [line.strip() for line in lines if line.strip()]
        words = why(told) if told else "it said nothing"
        raise SpecError(f"{trouble}: {redacted({'words': words})['words']}")
    return lines


def _first_line(told: Sequence[str]) -> str:
    """What a launcher says is wrong; its advice comes after."""
    return told[0]


def _last_error(told: Sequence[str]) -> str:
    """The last line in which pip says what is wrong; below it come hints and notices."""
    errors = [line for line in told if line.startswith("ERROR:") and UNTOLD not in line]
    failed = [line for line in told if line.startswith(("×", "error:"))]
    return (errors or failed or list(told))[-1].removeprefix("ERROR:").strip()
