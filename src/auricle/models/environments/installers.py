"""Create virtual environments and install packages: with uv where it is on the PATH, else with venv and pip."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import distributions
from operator import itemgetter
from pathlib import Path
from urllib.parse import unquote, urlsplit

PIP_SOURCES = (".index-url=", ".extra-index-url=", ".find-links=", ".no-index=")
"""Settings of pip that decide where packages come from; uv does not read them."""
UNHELPFUL_ERROR = "ResolutionImpossible"
"""A pip error that only links to a page; the error before it names the packages."""
NOISE_PREFIXES = ("#", "warning:", "[notice]", "using ")
"""Prefixes of listed lines that are not packages."""
UV_CAUSE = re.compile(r"^(?:cause:|╰─▶)")

Explain = Callable[[Sequence[str]], str]
"""Returns the reason of a failure from the lines that a command printed."""
FIRST_LINE: Explain = itemgetter(0)  # in which a launcher states the problem


@dataclass(frozen=True, slots=True)
class Installer:
    """Commands of a tool for one environment."""

    name: str
    create_command: tuple[str, ...]
    install_command: tuple[str, ...]
    """Command to which the packages are appended."""
    list_command: tuple[str, ...]
    explain_creation: Explain
    explain: Explain
    parse_list: Callable[[Sequence[str]], list[str]]
    """Returns the installed packages, as pip writes them, from the lines that `list_command` printed."""


def select_installer(python: str, path: Path) -> Installer:
    """Return uv for the environment at this path, or pip if uv is missing or pip has package sources of its own."""
    environment_python = str(path / "bin" / "python")
    uv = shutil.which("uv")
    if uv and not _has_pip_sources(python):
        return Installer(
            "uv",
            (uv, "venv", "--python", python, str(path)),
            (uv, "pip", "install", "--python", environment_python),
            (uv, "pip", "freeze", "--python", environment_python),
            explain_uv,
            explain_uv,
            lambda lines: list(_write_as_pip(_list_packages(lines), path)),
        )
    pip = (environment_python, "-m", "pip")
    return Installer(
        "pip",
        (python, "-m", "venv", str(path)),
        (*pip, "install", "--no-input"),
        (*pip, "freeze"),
        FIRST_LINE,
        explain_pip,
        _list_packages,
    )


def _has_pip_sources(python: str) -> bool:
    """Return whether pip is configured with an index or a folder; without pip there is no configuration."""
    command = [python, "-m", "pip", "config", "list"]
    settings = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, encoding="utf-8")  # noqa: S603 - the user names the Python
    return not settings.returncode and any(source in settings.stdout for source in PIP_SOURCES)


def explain_pip(lines: Sequence[str]) -> str:
    """Return the last error line of pip; hints and notices follow it."""
    errors = [line for line in lines if line.startswith("ERROR:") and UNHELPFUL_ERROR not in line]
    failed = [line for line in lines if line.startswith(("×", "error:"))]
    return (errors or failed or list(lines))[-1].removeprefix("ERROR:").strip()


def explain_uv(lines: Sequence[str]) -> str:
    """Return the cause that uv states, which may continue on further lines, or else its error."""
    for index, line in enumerate(lines):
        if UV_CAUSE.match(line):
            continued = [part for part in lines[index + 1 :] if not part.startswith(("hint:", "help:"))]
            return " ".join([UV_CAUSE.sub("", line).strip(), *continued])
    errors = [line for line in lines if line.startswith(("error:", "×"))]
    return (errors or list(lines))[-1].removeprefix("error:").strip()


def _list_packages(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line and not line.lower().startswith(NOISE_PREFIXES)]


def _write_as_pip(lines: Sequence[str], path: Path) -> Iterator[str]:
    """Yield uv's lines with names spelled as pip does and wheels identified by content, so that digests agree."""
    folders = [str(folder) for folder in path.glob("lib/python*/site-packages")]
    names = {_normalise(distribution.name): distribution.name for distribution in distributions(path=folders)}
    for line in lines:
        name, rest = re.split(r"(?=[ =@])", line, maxsplit=1)
        digest = _digest_local_archive(rest.partition("@ ")[2])
        yield f"{names.get(_normalise(name), name)}{rest}{digest}"


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _digest_local_archive(url: str) -> str:
    location = urlsplit(url)
    file = Path(unquote(location.path))
    is_local = location.scheme == "file" and not location.fragment and file.is_file()
    return f"#sha256={sha256(file.read_bytes()).hexdigest()}" if is_local else ""
