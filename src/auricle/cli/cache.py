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
from auricle.report.terminal import format_table
from auricle.runs.response_cache import ModelEntries, clear, default_cache_path, list_entries_by_model

SECONDS_PER_DAY = 86_400.0
HEADER = ("model", "answers", "MB", "oldest", "newest")


def show_cache(cache_path: Path | None, as_json: bool) -> None:
    path = cache_path or default_cache_path()
    held = list_entries_by_model(path)
    if as_json:
        click.echo(orjson.dumps(_to_dict(path, held), option=orjson.OPT_INDENT_2))
        return
    if not held:
        click.echo(f"{path} holds no answers.")
        return
    rows = [(each.model, f"{each.entries:,}", _format_megabytes(each.bytes), *_format_dates(each)) for each in held]
    entries = sum(each.entries for each in held)
    click.echo(f"{path}: {entries:,} answers, {_format_megabytes(_size_on_disk(path))} MB\n")
    for line in format_table(HEADER, rows):
        click.echo(line)


def clear_cache(cache_path: Path | None, model: str | None, days: float | None, as_json: bool) -> None:
    path = cache_path or default_cache_path()
    known = [each.model for each in list_entries_by_model(path)]
    if model and model not in known:
        raise SpecError(f"{path} holds no answers of {model}; it holds answers of {', '.join(known) or 'none'}.")
    gone = clear(path, model, None if days is None else time.time() - days * SECONDS_PER_DAY)
    if as_json:
        click.echo(orjson.dumps({"path": str(path), "cleared": gone}))
    else:
        click.echo(f"{gone:,} answer{'' if gone == 1 else 's'} cleared from {path}.")


def _to_dict(path: Path, model_entries: Sequence[ModelEntries]) -> dict[str, Any]:
    return {
        "path": str(path),
        "entries": sum(each.entries for each in model_entries),
        "megabytes": round(_size_on_disk(path) / 1e6, 3),
        "models": [asdict(each) for each in model_entries],
    }


def _size_on_disk(path: Path) -> int:
    """Bytes on disk, with what SQLite has yet to move into the file."""
    files = (path.with_name(path.name + suffix) for suffix in ("", "-wal"))
    return sum(each.stat().st_size for each in files if each.exists())


def _format_megabytes(byte_count: int) -> str:
    return f"{byte_count / 1e6:,.1f}"


def _format_dates(entry: ModelEntries) -> tuple[str, str]:
    oldest, newest = (
        datetime.fromtimestamp(moment).astimezone().strftime("%Y-%m-%d %H:%M")
        for moment in (entry.oldest, entry.newest)
    )
    return oldest, newest
