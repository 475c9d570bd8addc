"""Report errors in one line, and write a log of those that no command expects.

The log has the traceback, versions and the command line. It is in the folder of the run, if there is one, or else in
the user's state folder.
"""

from __future__ import annotations

import errno
import os
import platform
import select
import shlex
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir

import click

from auricle.cli import DEBUG_VARIABLE, TRACEBACK_OPTION
from auricle.cli.output import echo, print_json
from auricle.core.errors import AuricleError, ExitStatus, describe, kind_of, safe_text
from auricle.core.redaction import HIDDEN, redact, redact_text

PACKAGES = (
    *("auricle", "click", "numpy", "orjson", "pydantic", "soundfile", "soxr", "av"),
    *("aiohttp", "torch", "transformers", "ray", "streamlit"),
)
"""Packages whose versions are in the log, if they are installed."""
MAX_MESSAGE_LENGTH = 400
JSON_OPTION = "--json"
CLOSED_PIPE_STATUS = 128 + getattr(signal, "SIGPIPE", 13)  # Windows has no such signal
"""Exit code of a program that is ended because nothing reads its output."""


@contextmanager
def log_errors_in(run: Path) -> Iterator[None]:
    """Write the log of an unexpected error inside this block into the folder of a run."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        with suppress(Exception):  # an error of foreign code may refuse attributes
            error.__dict__.setdefault("run_folder", run)
        raise


def report_error(error: BaseException) -> int:
    """Print an error on standard error, with --json also as a document on standard output; return the exit code."""
    if isinstance(error, BrokenPipeError) and _is_output_closed():
        return CLOSED_PIPE_STATUS
    if os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0"):
        echo(_format_log(error), err=True)
    if isinstance(error, click.ClickException):
        message = error.format_message()
        error.show()
    else:
        message = _explain(error)
        echo(f"auricle: {message}", err=True)
    if JSON_OPTION in sys.argv[1:]:
        kind = kind_of(error)
        print_json({"error": {"type": kind, "message": message, "exit_code": int(ExitStatus.ERROR)}})
    return ExitStatus.ERROR


def _explain(error: BaseException) -> str:
    """Describe what happened and what to do; for an unexpected error, write the log and say where it is."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        file = f": {error.filename}" if error.filename else ""
        return f"The disk is full{file}. Free some space and run the same command again; no completed sample is lost."
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {error.filename}"
    is_clear = isinstance(error, (AuricleError, OSError)) and not isinstance(error, BrokenPipeError)
    if is_clear and (text := safe_text(error)):
        return text
    run: Path | None = None
    with suppress(Exception):  # an error of foreign code may refuse attributes
        run = error.__dict__.get("run_folder")
    if isinstance(error, MemoryError):
        problem = "Out of memory. Try a smaller --batch-size, --concurrency or --replicas."
    else:
        problem = f"Unexpected {kind_of(error)}: {_describe_on_one_line(error)}."
    path = _write_log(_format_log(error), run)
    place = f"The traceback is in {path}; add it if you report the error." if path else "The log could not be written."
    resume = " No completed sample is lost: run the same command again to resume." if run else ""
    return f"{problem} {place} Use {TRACEBACK_OPTION} to print it.{resume}"


def _format_log(error: BaseException) -> str:
    try:
        trace = traceback.format_exception(error)
    except Exception:  # noqa: BLE001 - an error of foreign code may fail to describe itself
        trace = [*traceback.format_tb(error.__traceback__), _describe_on_one_line(error)]
    lines = [
        f"time: {datetime.now().astimezone().isoformat(timespec='seconds')}",
        f"command: {format_command(sys.argv[1:])}",
        f"system: Python {platform.python_version()}, {platform.platform()}",
        f"packages: {', '.join(f'{name} {number}' for name, number in _installed_versions())}",
        "",
        *trace,
    ]
    return _redact_text("\n".join(lines))


def format_command(words: Iterable[str]) -> str:
    """Return a command line without secrets."""
    return shlex.join(["auricle", *map(_redact_argument, words)])


def _redact_argument(argument: str) -> str:
    """Hide the value of an argument such as `api_key=…`."""
    from auricle.core.serialization import dumps
    from auricle.engine.spec import parse_arguments

    option, pair = (argument[:2], argument[2:]) if argument.startswith(("-M", "-J")) else ("", argument)
    if "=" not in pair or pair.startswith(("-", "=")):
        return argument
    parsed = parse_arguments([pair])
    redacted = redact(parsed)
    if redacted == parsed:
        return argument
    ((name, value),) = redacted.items()
    return f"{option}{name}={value if isinstance(value, str) else dumps(value).decode().strip()}"


def _redact_text(text: str) -> str:
    """Remove the secrets of the command line, registered ones, and those in URLs."""
    for argument in sys.argv[1:]:
        _, equals, value = argument.partition("=")
        if equals and value and _redact_argument(argument) != argument:
            text = text.replace(value, HIDDEN)
    return redact_text(text)


def _describe_on_one_line(error: BaseException) -> str:
    try:
        text = _redact_text(describe(error))
    except Exception:  # noqa: BLE001 - an error of foreign code may fail to describe itself
        return "its message cannot be shown"
    printable = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return printable if len(printable) <= MAX_MESSAGE_LENGTH else f"{printable[:MAX_MESSAGE_LENGTH]}…"


def _installed_versions() -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            yield name, version(name)


def _write_log(text: str, run: Path | None) -> Path | None:
    """Write a log that only its owner can read, where that is possible; return None if it is not."""
    state_folder = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "auricle"
    run_folders = [run / "logs"] if run and run.is_dir() else []
    for folder in (*run_folders, state_folder, Path(gettempdir())):
        prefix = f"error-{datetime.now().astimezone():%Y%m%d-%H%M%S}-"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile("wb", dir=folder, prefix=prefix, suffix=".log", delete=False) as file:
                file.write(text.encode(errors="replace"))
            return folder / Path(file.name).name
        except OSError:
            continue
    return None


def _is_output_closed() -> bool:
    """Return whether nothing reads standard output any more, as after `auricle samples RUN | head`."""
    try:
        output = sys.stdout.fileno()
    except (OSError, ValueError):  # not a file, or closed
        return False
    if not hasattr(select, "poll"):  # on Windows
        return False
    poll = select.poll()
    poll.register(output, select.POLLOUT)
    if not any(event & select.POLLERR for _, event in poll.poll(0)):
        return False
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), output)  # for what is still buffered and is written when Python exits
    return True
