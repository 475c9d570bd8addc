"""Print on the terminal: everything a command shows goes through here."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

import click

from auricle.core.redaction import RedactingStream
from auricle.core.terminal import clean_json, clean_text


def echo(message: object, *, err: bool = False, nl: bool = True, bold: bool = False, dim: bool = False) -> None:
    """Print a text, or JSON as bytes, without secrets and control sequences of models, servers and data."""
    if isinstance(message, bytes):
        click.echo(clean_json(message), err=err, nl=nl)
    else:
        click.secho(clean_text(str(message)), err=err, nl=nl, bold=bold or None, dim=dim or None)


def print_note(note: str) -> None:
    """Print a note to standard error, unless this command has printed it already, as for another part of a suite."""
    printed = list_printed_notes()
    if note not in printed:
        echo(f"Note: {note}", err=True)
    printed[note] = None


def list_printed_notes() -> dict[str, None]:
    """Return the notes that this command has printed."""
    context = click.get_current_context(silent=True)
    return context.find_root().meta.setdefault("auricle.notes", {}) if context else {}


def write_utf8() -> None:
    """Write UTF-8 on Windows too, where redirected output has an encoding without the characters of our tables."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8")


@contextmanager
def foreign_output() -> Iterator[None]:
    """Send what models print to standard error, without secrets: standard output is for results."""
    stream = RedactingStream(sys.stderr)
    with redirect_stdout(stream), redirect_stderr(stream):
        yield


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    from auricle.runs.documents import encode_document

    echo(encode_document(value))


def print_json_array(elements: Iterable[bytes]) -> None:
    """Print encoded elements, such as samples, as one JSON array with a line for each."""
    separator = "["
    for element in elements:
        echo(separator)
        echo(element.rstrip(b"\n"), nl=False)
        separator = ","
    echo("[]" if separator == "[" else "\n]")


def print_result(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """Print a document as JSON, or else the lines that describe it."""
    if as_json:
        print_json(document)
    else:
        echo("\n".join(lines))


CHECK_MARKS = {True: "ok ", False: "NO ", None: "-  "}


def format_check(passed: bool | None, text: str) -> str:
    """Format the result of a check: passed, failed or, with None, a note."""
    return f"{CHECK_MARKS[passed]} {text}"


def print_checks(results: Iterable[tuple[bool | None, str]]) -> None:
    """Print the results of checks as JSON."""
    checks = [{"passed": passed, "text": text} for passed, text in results]
    print_json({"passed": all(check["passed"] is not False for check in checks), "checks": checks})
