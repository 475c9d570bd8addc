"""`auricle cache`: what the answer cache holds, and making room in it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import orjson

from auricle.core.errors import SpecError
from auricle.report.terminal import aligned
from auricle.runs.response_cache import Held, clear, contents, default_path

DAY = 86_400.0
HEADER = ("model", "answers", "MB", "oldest", "newest")


def show_cache(given: Path | None, as_json: bool) -> None:
    path = given or default_path()
    held = contents(path)
    if as_json:
        click.echo(orjson.dumps(_plain(path, held), option=orjson.OPT_INDENT_2))
        return
    if not held:
        click.echo(f"{path} holds no answers.")
        return
    rows = [
        (each.model, f"{each.entries:,}", _megabytes(each.bytes), *_days(each)) for each in held
    ]
    entries = sum(each.entries for each in held)
    click.echo(f"{path}: {entries:,} answers, {_megabytes(_size(path))} MB\n")
    for line in aligned(HEADER, rows):
        click.echo(line)


def clear_cache(given: Path | None, model: str | None, days: float | None, as_json: bool) -> None:
    path = given or default_path()
    known = [each.model for each in contents(path)]
    if model and model not in known:
        raise SpecError(
            f"{path} holds no answers of {model}; it holds answers of {', '.join(known) or 'none'}."
        )
    gone = clear(path, model, None if days is None else time.time() - days * DAY)
    if as_json:
        click.echo(orjson.dumps({"path": str(path), "cleared": gone}))
    else:
        click.echo(f"{gone:,} answer{'' if gone == 1 else 's'} cleared from {path}.")


def _plain(path: Path, held: Sequence[Held]) -> dict[str, Any]:
    return {
        "path": str(path),
        "entries": sum(each.entries for each in held),
        "megabytes": round(_size(path) / 1e6, 3),
        "models": [asdict(each) for each in held],
    }


def _size(path: Path) -> int:
    """Bytes on disk, with what SQLite has yet to move into the file."""
    files = (path.with_name(path.name + suffix) for suffix in ("", "-wal"))
    return sum(each.stat().st_size for each in files if each.exists())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}"


def _days(held: Held) -> tuple[str, str]:
    oldest, newest = (
        datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M")
        for moment in (held.oldest, held.newest)
    )
    return oldest, newest
