"""Create virtual environments and remove them: with uv where it is on the PATH, else with venv and pip.

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
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import orjson

from auricle.core.errors import SpecError
from auricle.core.file_lock import try_lock
from auricle.core.files import write_atomically
from auricle.core.platform_support import require_posix
from auricle.core.redaction import redact_text
from auricle.models.environments import (
    METADATA_NAME,
    RESERVED_VARIABLES,
    Environment,
    EnvironmentSpec,
    compute_digest,
    environment_path,
    environments_folder,
    find,
    read_environment,
)

REQUIRED_PACKAGE = "orjson"  # package that Auricle's own code needs in a worker
OLDEST_PYTHON = (3, 11)
VERSION_PATTERN = re.compile(r"\d+(\.\d+)*")
PIP_SOURCES = (".index-url=", ".extra-index-url=", ".find-links=", ".no-index=")
"""Settings of pip that decide where packages come from; uv does not read them."""
UNHELPFUL_ERROR = "ResolutionImpossible"
"""A pip error that only links to a page; the error before it names the packages."""
ERROR_PREFIXES = (("ERROR:",), ("error:", "×"))
UV_CAUSE = re.compile(r"^(?:cause:|╰─▶)")

SEEDED_PACKAGES = ("pip", "setuptools", "wheel")  # part of a new environment, depending on the tool

LogLine = Callable[[str], None]


class Installer(NamedTuple):
    """Commands of a tool for one environment."""

    name: str
    create_command: tuple[str, ...]
    install_command: tuple[str, ...]
    """Command to which the packages are appended."""


def create(
    name: str, spec: EnvironmentSpec, *, force: bool = False, log: LogLine | None = None
) -> tuple[Environment, bool]:
    """Create an environment.

    Args:
        name: Name of the environment.
        spec: What to install.
        force: Rebuild the environment if it exists.
        log: Called with each line that the installer prints.

    Returns:
        The environment, and whether it was built now (False if it already existed).
    """
    require_posix("Environments of models")
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
            return _build(path, spec, python, version, log), True


def remove(name: str) -> Environment:
    """Delete an environment and return it."""
    find(name)
    with _lock_environment(name):
        environment = find(name)
        _delete(environment.path)
        _delete(_backup_path(environment.path))
        return environment


def _build(path: Path, spec: EnvironmentSpec, python: str, version: str, log: LogLine | None) -> Environment:
    """Create the environment and install the packages; the metadata file marks it as finished."""
    path.mkdir(mode=0o700)  # variables may contain secrets
    tool = select_installer(python, path)
    _run(tool.create_command, f"{python} cannot create a virtual environment", log)
    packages = (REQUIRED_PACKAGE, *spec.packages)
    _run([*tool.install_command, *packages], f"{tool.name} could not install the packages", log, default_line=-1)
    installed = list_packages(path)
    metadata = {
        "environment": spec.to_dict(),
        "digest": compute_digest(spec, version, installed),
        "python": version,
        "installed": [redact_text(package) for package in installed],
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
    with (environments_folder() / f".{name}.lock").open("a", encoding="utf-8") as lock:
        if not try_lock(lock):
            raise SpecError(f"Another process is creating or removing the environment {name!r}. Try again later.")
        yield


def _find_python(requested: str) -> tuple[str, str]:
    """Return the Python to build with and its version, if it can run Auricle's code."""
    python = _python_command(requested)
    output = _run([python, "-c", "import platform; print(platform.python_version())"], f"{python} cannot be run")
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


def select_installer(python: str, path: Path) -> Installer:
    """Return uv for the environment at this path, or pip if uv is missing or pip has package sources of its own."""
    environment_python = str(path / "bin" / "python")
    if (uv := shutil.which("uv")) and not _has_pip_sources(python):
        install = (uv, "pip", "install", "--python", environment_python)
        return Installer("uv", (uv, "venv", "--python", python, str(path)), install)
    install = (environment_python, "-m", "pip", "install", "--no-input")
    return Installer("pip", (python, "-m", "venv", str(path)), install)


def _has_pip_sources(python: str) -> bool:
    """Return whether pip is configured with an index or a folder; without pip there is no configuration."""
    command = [python, "-m", "pip", "config", "list"]
    settings = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8")  # noqa: S603 - the user names the Python
    return not settings.returncode and any(source in settings.stdout for source in PIP_SOURCES)


def list_packages(path: Path) -> list[str]:
    """List the installed packages as `pip freeze` does, whichever tool installed them."""
    folders = [str(folder) for folder in path.glob("lib/python*/site-packages")]
    pins = [_pin(package) for package in distributions(path=folders) if package.name not in SEEDED_PACKAGES]
    return sorted(pins, key=str.lower)


def _pin(package: Distribution) -> str:
    """Return `name==version`, or the origin of a package that comes from no index; archives by their content."""
    origin = orjson.loads(package.read_text("direct_url.json") or "{}")
    if not origin:
        return f"{package.name}=={package.version}"
    location = urlsplit(origin["url"])
    archive = Path(unquote(location.path))
    if vcs := origin.get("vcs_info"):
        return f"{package.name} @ {vcs['vcs']}+{origin['url']}@{vcs['commit_id']}"
    is_local_archive = location.scheme == "file" and archive.is_file()
    digest = f"#sha256={sha256(archive.read_bytes()).hexdigest()}" if is_local_archive else ""
    return f"{package.name} @ {origin['url']}{digest}"


def _run(command: Sequence[str], error_prefix: str, log: LogLine | None = None, *, default_line: int = 0) -> list[str]:
    """Run a command, log its output line by line and return it; on failure raise with the explaining line."""
    # Packages importable here must not count as installed in the new environment.
    environment = {name: value for name, value in os.environ.items() if name not in RESERVED_VARIABLES}
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
                    if log:
                        log(lines[-1])
            except BaseException:
                process.kill()  # otherwise it would keep writing to a folder that is about to be deleted
                process.wait()
                raise
    except OSError as error:
        raise SpecError(f"{error_prefix}: {error}.") from error
    if process.returncode:
        reason = explain_failure([line.strip() for line in lines if line.strip()], default_line)
        raise SpecError(f"{error_prefix}: {redact_text(reason)}")
    return lines


def explain_failure(lines: Sequence[str], default_line: int = -1) -> str:
    """Return the reason that pip, uv or a launcher printed; hints and notices follow it."""
    for index, line in enumerate(lines):
        if UV_CAUSE.match(line):  # the cause may continue on further lines
            continued = [part for part in lines[index + 1 :] if not part.startswith(("hint:", "help:"))]
            return " ".join([UV_CAUSE.sub("", line).strip(), *continued])
    for prefixes in ERROR_PREFIXES:
        if errors := [line for line in lines if line.startswith(prefixes) and UNHELPFUL_ERROR not in line]:
            return errors[-1].removeprefix("ERROR:").removeprefix("error:").strip()
    return lines[default_line] if lines else "no output"
