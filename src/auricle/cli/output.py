"""Print results on standard output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
import orjson


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def print_result(as_json: bool, document: Any, lines: Iterable[str]) -> None:
    """Print a document as JSON, or else the lines that describe it."""
    if as_json:
        print_json(document)
    else:
        click.echo("\n".join(lines))
