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
from auricle.core.files import write_atomically
from auricle.core.redaction import redact
from auricle.models.environments.spec import EnvironmentSpec
from auricle.models.environments.store import (
    METADATA_FILE,
    Environment,
    compute_digest,
    environment_path,
    environments_folder,
    find,
    read_environment,
)

REQUIRED_PACKAGE = "orjson"
"""What Auricle's own source imports in a worker."""
OLDEST_PYTHON = (3, 11)
VERSION_PATTERN = re.compile(r"\d+(\.\d+)*")
UNHELPFUL_ERROR = "ResolutionImpossible"
"""An error of pip's that only points to a page; the one before it names the packages."""
NOISE_PREFIXES = ("#", "warning:", "[notice]")
"""How lines begin that name no package."""

LogLine = Callable[[str], None]
ExplainFailure = Callable[[Sequence[str]], str]


def _discard_line(_: str) -> None: ...


def create(
    name: str, spec: EnvironmentSpec, *, force: bool = False, log: LogLine = _discard_line
) -> tuple[Environment, bool]:
    """The environment of that name, and whether it was built now or there already."""
    path = environment_path(name)
    environments_folder().mkdir(parents=True, exist_ok=True)
    with _lock_environment(name):
        there = read_environment(path)
        if there.is_finished and not force:
            if differs := there.spec.describe_differences(spec):
                raise SpecError(
                    f"The environment {name!r} is there already, and is another: {differs}. "
                    "Give another name, or --force to build it anew."
                )
            return there, False
        python, version = _find_python(spec.python)
        with _replace(there):
            _build(path, spec, python, log)
            return _finish(path, spec, version), True


def remove(name: str) -> Environment:
    """Delete an environment; the one that was."""
    find(name)
    with _lock_environment(name):
        there = find(name)
        _delete(there.path)
        _delete(_backup_path(there.path))
        return there


def _build(path: Path, spec: EnvironmentSpec, python: str, log: LogLine) -> None:
    path.mkdir(mode=0o700)  # variables may be secrets
    _run([python, "-m", "venv", str(path)], f"{python} cannot make a virtualenv", log, _first_line)
    install = [str(Environment(path).python), "-m", "pip", "install", "--no-input"]
    _run([*install, REQUIRED_PACKAGE, *spec.packages], "pip could not install the packages", log, _last_error)


def _finish(path: Path, spec: EnvironmentSpec, version: str) -> Environment:
    """Tell what came of it, in a file that is there whole or not at all."""
    listed = [str(Environment(path).python), "-m", "pip", "freeze"]
    said = _run(listed, "pip cannot tell what it installed", _discard_line, _last_error)
    installed = [line for line in said if line and not line.lower().startswith(NOISE_PREFIXES)]
    about = {
        "environment": spec.to_dict(),
        "digest": compute_digest(spec, version, installed),
        "python": version,
        "installed": redact({"installed": installed})["installed"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_atomically(path / METADATA_FILE, orjson.dumps(about, option=orjson.OPT_INDENT_2))
    return Environment(path, about)


@contextmanager
def _replace(existing: Environment) -> Iterator[None]:
    """Room for a new environment; what was there comes back if nothing comes of it."""
    path = existing.path
    kept = _backup_path(path)
    if existing.is_finished:
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


def _backup_path(path: Path) -> Path:
    """Where an environment waits while another is built in its place."""
    return path.with_name(f".{path.name}.old")


def _delete(path: Path) -> None:
    """A deletion that is cut short leaves what is unfinished, never what only looks whole."""
    (path / METADATA_FILE).unlink(missing_ok=True)
    if path.exists():
        shutil.rmtree(path)


@contextmanager
def _lock_environment(name: str) -> Iterator[None]:
    """One process at a time makes or removes an environment."""
    import fcntl

    with (environments_folder() / f".{name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SpecError(f"Another process is making or removing the environment {name!r}: wait for it.") from None
        yield


def _find_python(requested: str) -> tuple[str, str]:
    """The Python to build with and its version, if Auricle's own source can be read by it."""
    python = _python_command(requested)
    words = "import platform; print(platform.python_version())"
    said = _run([python, "-c", words], f"{python} cannot be run", _discard_line, _first_line)
    version = said[-1] if said else ""
    if not VERSION_PATTERN.match(version):
        raise SpecError(f"{python} is no Python: asked for its version it said {version!r}.")
    if VERSION_PATTERN.fullmatch(requested) and not f"{version}.".startswith(f"{requested}."):
        raise SpecError(f"python {requested} is wanted; {python} is {version}.")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PYTHON:
        raise SpecError(
            f"{python} is Python {version}: a model's process reads Auricle's own source, "
            f"which needs {'.'.join(map(str, OLDEST_PYTHON))} or later."
        )
    return python, version


def _python_command(requested: str) -> str:
    if not requested:
        return sys.executable
    if "/" in requested:
        return requested
    name = f"python{'.'.join(requested.split('.')[:2])}" if VERSION_PATTERN.fullmatch(requested) else requested
    if found := shutil.which(name):
        return found
    raise SpecError(
        f"There is no {name} on the path. Name an interpreter: --python /path/to/python, or leave "
        "it out for the one Auricle runs under."
    )


def _run(command: Sequence[str], error_prefix: str, log: LogLine, explain: ExplainFailure) -> list[str]:
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
                    log(lines[-1])
            except BaseException:
                running.kill()  # or it would go on writing to what is about to be deleted
                running.wait()
                raise
    except OSError as error:
        raise SpecError(f"{error_prefix}: {error}.") from error
    if running.returncode:
        told = [line.strip() for line in lines if line.strip()]
        words = explain(told) if told else "it said nothing"
        raise SpecError(f"{error_prefix}: {redact({'words': words})['words']}")
    return lines


def _first_line(lines: Sequence[str]) -> str:
    """What a launcher says is wrong; its advice comes after."""
    return lines[0]


def _last_error(lines: Sequence[str]) -> str:
    """The last line in which pip says what is wrong; below it come hints and notices."""
    errors = [line for line in lines if line.startswith("ERROR:") and UNHELPFUL_ERROR not in line]
    failed = [line for line in lines if line.startswith(("×", "error:"))]
    return (errors or failed or list(lines))[-1].removeprefix("ERROR:").strip()
