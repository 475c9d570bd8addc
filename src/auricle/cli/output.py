"""Print results on standard output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    from auricle.runs.documents import encode_document

    click.echo(encode_document(value))


def print_result(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """Print a document as JSON, or else the lines that describe it."""
    if as_json:
        print_json(document)
    else:
        click.echo("\n".join(lines))
