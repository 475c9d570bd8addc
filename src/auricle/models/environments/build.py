"""Create virtual environments and remove them.

A virtual environment cannot be moved, so it is built in its final place. `environment.json` is written last: an
environment without it is unfinished.
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
from auricle.models.environments.installers import FIRST_LINE, Explain, select_installer
from auricle.models.environments.spec import EnvironmentSpec
from auricle.models.environments.store import (
    METADATA_NAME,
    Environment,
    compute_digest,
    environment_path,
    environments_folder,
    find,
    read_environment,
)

REQUIRED_PACKAGE = "orjson"  # package that Auricle's own code needs in a worker
OLDEST_PYTHON = (3, 11)
VERSION_PATTERN = re.compile(r"\d+(\.\d+)*")

LogLine = Callable[[str], None]


def _discard_line(_: str) -> None: ...


def create(
    name: str, spec: EnvironmentSpec, *, force: bool = False, log: LogLine = _discard_line
) -> tuple[Environment, bool]:
    """Create an environment.

    Returns:
        The environment, and whether it was built now (False if it already existed).
    """
    path = environment_path(name)
    environments_folder().mkdir(parents=True, exist_ok=True)
    with _lock_environment(name):
        existing = read_environment(path)
        if existing.is_finished and not force:
            if difference := existing.spec.describe_differences(spec):
                raise SpecError(
                    f"The environment {name!r} already exists with a different definition: {difference}. "
                    "Choose another name, or use --force to rebuild it."
                )
            return existing, False
        python, version = _find_python(spec.python)
        with _replace(existing):
            installed = _build(path, spec, python, log)
            return _finish(path, spec, version, installed), True


def remove(name: str) -> Environment:
    """Delete an environment and return it."""
    find(name)
    with _lock_environment(name):
        environment = find(name)
        _delete(environment.path)
        _delete(_backup_path(environment.path))
        return environment


def _build(path: Path, spec: EnvironmentSpec, python: str, log: LogLine) -> list[str]:
    """Create the environment, install the packages and return all that are installed."""
    path.mkdir(mode=0o700)  # variables may contain secrets
    tool = select_installer(python, path)
    _run(tool.create_command, f"{python} cannot create a virtual environment", log, tool.explain_creation)
    packages = (REQUIRED_PACKAGE, *spec.packages)
    _run([*tool.install_command, *packages], f"{tool.name} could not install the packages", log, tool.explain)
    error_prefix = f"{tool.name} could not list the installed packages"
    return tool.parse_list(_run(tool.list_command, error_prefix, _discard_line, tool.explain))


def _finish(path: Path, spec: EnvironmentSpec, version: str, installed: list[str]) -> Environment:
    """Write the metadata file atomically, which marks the environment as finished."""
    metadata = {
        "environment": spec.to_dict(),
        "digest": compute_digest(spec, version, installed),
        "python": version,
        "installed": redact({"installed": installed})["installed"],
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_atomically(path / METADATA_NAME, orjson.dumps(metadata, option=orjson.OPT_INDENT_2))
    return Environment(path, metadata)


@contextmanager
def _replace(existing: Environment) -> Iterator[None]:
    """Move an existing environment aside while a new one is built, and restore it on failure."""
    path = existing.path
    backup = _backup_path(path)
    if existing.is_finished:
        _delete(backup)
        path.rename(backup)
    else:
        _delete(path)
    try:
        yield
    except BaseException:
        _delete(path)
        if backup.exists():
            backup.rename(path)
        raise
    _delete(backup)


def _backup_path(path: Path) -> Path:
    """Return the path of the previous environment during a rebuild."""
    return path.with_name(f".{path.name}.old")


def _delete(path: Path) -> None:
    """Delete an environment, metadata first, so that an interrupted deletion leaves it unfinished."""
    (path / METADATA_NAME).unlink(missing_ok=True)
    if path.exists():
        shutil.rmtree(path)


@contextmanager
def _lock_environment(name: str) -> Iterator[None]:
    """Allow only one process at a time to create or remove an environment."""
    import fcntl

    with (environments_folder() / f".{name}.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SpecError(
                f"Another process is creating or removing the environment {name!r}. Try again later."
            ) from None
        yield


def _find_python(requested: str) -> tuple[str, str]:
    """Return the Python to build with and its version, if it can run Auricle's code."""
    python = _python_command(requested)
    code = "import platform; print(platform.python_version())"
    output = _run([python, "-c", code], f"{python} cannot be run", _discard_line, FIRST_LINE)
    version = output[-1] if output else ""
    if not VERSION_PATTERN.match(version):
        raise SpecError(f"{python} is not a Python interpreter: it reported the version {version!r}.")
    if VERSION_PATTERN.fullmatch(requested) and not f"{version}.".startswith(f"{requested}."):
        raise SpecError(f"Python {requested} was requested, but {python} is {version}.")
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_PYTHON:
        raise SpecError(
            f"{python} is Python {version}, but the process of a model runs Auricle's own code, "
            f"which needs Python {'.'.join(map(str, OLDEST_PYTHON))} or later."
        )
    return python, version


def _python_command(requested: str) -> str:
    if not requested:
        return sys.executable
    if "/" in requested:
        return requested
    name = f"python{'.'.join(requested.split('.')[:2])}" if VERSION_PATTERN.fullmatch(requested) else requested
    if executable := shutil.which(name):
        return executable
    raise SpecError(
        f"{name} is not on the PATH. Set an interpreter with --python /path/to/python, or omit the option to use "
        "the one that runs Auricle."
    )


def _run(command: Sequence[str], error_prefix: str, log: LogLine, explain: Explain) -> list[str]:
    """Run a command, log its output line by line and return it; on failure raise with the explaining line."""
    # Packages importable here must not count as installed in the new environment.
    excluded = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in excluded}
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
        ) as process:
            assert process.stdout
            try:
                for line in process.stdout:
                    lines.append(line.rstrip())
                    log(lines[-1])
            except BaseException:
                process.kill()  # otherwise it would keep writing to a folder that is about to be deleted
                process.wait()
                raise
    except OSError as error:
        raise SpecError(f"{error_prefix}: {error}.") from error
    if process.returncode:
        messages = [line.strip() for line in lines if line.strip()]
        reason = explain(messages) if messages else "no output"
        raise SpecError(f"{error_prefix}: {redact({'words': reason})['words']}")
    return lines
