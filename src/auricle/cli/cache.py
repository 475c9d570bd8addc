"""`auricle cache`: show or clear the response cache."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result
from auricle.core.errors import SpecError
from auricle.report.text_table import format_table
from auricle.runs.response_cache import ModelEntries, clear, default_cache_path, list_entries_by_model

SECONDS_PER_DAY = 86_400.0
HEADER = ("model", "answers", "MB", "oldest", "newest")

cache_path_option = opt.path(
    "--cache-path FILE", "Response cache file. [default: $AURICLE_CACHE, or ~/.cache/auricle/answers.sqlite]"
)


@click.group(invoke_without_command=True)
@cache_path_option
@opt.json_option
@click.pass_context
def cache(context: click.Context, cache_path: Path | None, as_json: bool) -> None:
    """Show or clear the response cache."""
    if context.invoked_subcommand is None:
        context.invoke(cache_show, cache_path=cache_path, as_json=as_json)


@cache.command(name="show")
@cache_path_option
@opt.json_option
def cache_show(cache_path: Path | None, as_json: bool) -> None:
    """Show the path and size of the cache and its entries per model."""
    path = cache_path or default_cache_path()
    models = list_entries_by_model(path)
    entry_count, size = sum(model.entries for model in models), _size_on_disk(path)
    document = {"path": str(path), "entries": entry_count, "megabytes": round(size / 1e6, 3)}
    rows = [(model.model, f"{model.entries:,}", f"{model.bytes / 1e6:,.1f}", *_format_dates(model)) for model in models]
    title = f"{path}: {entry_count:,} responses, {size / 1e6:,.1f} MB\n"
    lines = [title, *format_table(HEADER, rows)] if models else [f"The response cache is empty: {path}"]
    print_result(as_json, {**document, "models": [asdict(model) for model in models]}, lines)


@cache.command(name="clear")
@opt.text("--model NAME", "Delete only responses of this model. [default: all models]")
@opt.number("--older-than days DAYS", "Delete only responses older than this many days. [default: any age]")
@cache_path_option
@opt.json_option
def cache_clear(model: str | None, days: float | None, cache_path: Path | None, as_json: bool) -> None:
    """Delete cached responses."""
    path = cache_path or default_cache_path()
    cached_models = [entry.model for entry in list_entries_by_model(path)]
    if model and model not in cached_models:
        raise SpecError(f"No responses of {model!r} in {path}. Cached models: {', '.join(cached_models) or 'none'}.")
    cleared = clear(path, model, None if days is None else time.time() - days * SECONDS_PER_DAY)
    line = f"Deleted {cleared:,} response{'' if cleared == 1 else 's'} from {path}."
    print_result(as_json, {"path": str(path), "cleared": cleared}, [line])


def _size_on_disk(path: Path) -> int:
    """Return the size of the cache in bytes, including SQLite's write-ahead log."""
    files = (path.with_name(path.name + suffix) for suffix in ("", "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _format_dates(entry: ModelEntries) -> list[str]:
    moments = (datetime.fromtimestamp(timestamp).astimezone() for timestamp in (entry.oldest, entry.newest))
    return [moment.strftime("%Y-%m-%d %H:%M") for moment in moments]
