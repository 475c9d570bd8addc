"""Print results on standard output."""

from __future__ import annotations

from typing import Any

import click
import orjson


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))
