"""`auricle status`: show what has been done in a run, and what is left, while it is executed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.core.errors import DataError
from auricle.core.storage import is_remote

if TYPE_CHECKING:
    from auricle.runs.run_summary import RunSummary
    from auricle.runs.shards.status import ShardStatus

MAX_ACTIVE = 10
"""Active shards that are listed."""
WATCH_SECONDS = 5.0
CLEAR_SCREEN = "\x1b[2J\x1b[H"


@click.command()
@click.argument("run", type=opt.Location())
@opt.flag("--watch", "Show the state again every few seconds, until the run is completed.")
@opt.json_option
def status(run: Path | str, watch: bool, as_json: bool) -> None:
    """Show what has been done in RUN, and what is left.

    RUN is a folder, or the URL of a sharded run. Of a sharded run, shards, workers, rates and stragglers are shown;
    nothing of what workers do is slowed down by it.
    """
    read, format_state = _open(run)
    state = read()
    while watch and not _is_over(state):
        _print_state(state, format_state, as_json=as_json, clear=True)
        time.sleep(WATCH_SECONDS)
        state = read()
    _print_state(state, format_state, as_json=as_json, clear=watch)


def _open(run: Path | str) -> tuple[Callable[[], Any], Callable[[Any], Iterator[str]]]:
    """Return what reads the state of a run, and what formats it."""
    from auricle.runs.shards.locations import contains_sharded_run

    if is_remote(run) or contains_sharded_run(Path(run)):
        from auricle.engine.settings import DEFAULT_LEASE_SECONDS
        from auricle.runs.shards.status import StatusReader
        from auricle.runs.shards.store import ShardStore

        reader = StatusReader(ShardStore.open(run))
        return lambda: reader.read(DEFAULT_LEASE_SECONDS), format_shards
    from auricle.runs.run_directory import contains_run
    from auricle.runs.run_summary import summarise_run

    folder = Path(run).resolve()
    if not contains_run(folder):
        raise DataError(f"Not a run directory: {run}. See `auricle runs` for a list of runs.")
    return lambda: summarise_run(folder.parent, folder), format_summary


def _is_over(state: ShardStatus | RunSummary) -> bool:
    """Return whether nothing is left to wait for."""
    from auricle.runs.run_summary import RunSummary

    return state.status != "running" if isinstance(state, RunSummary) else state.complete


def _print_state(state: Any, format_state: Callable[[Any], Iterator[str]], *, as_json: bool, clear: bool) -> None:
    if as_json:
        print_json(_to_document(state))
        return
    if clear and sys.stdout.isatty():
        click.echo(CLEAR_SCREEN, nl=False)
    echo("\n".join(format_state(state)))


def _to_document(state: ShardStatus | RunSummary) -> Any:
    from auricle.report.run_list import run_to_dict
    from auricle.runs.run_summary import RunSummary

    return run_to_dict(state) if isinstance(state, RunSummary) else state


def format_shards(state: ShardStatus) -> Iterator[str]:
    """Yield the lines that describe a sharded run."""
    counts = {"leased": state.leased, "expired": state.expired, "open": state.open}
    others = "".join(f", {count} {name}" for name, count in counts.items() if count)
    yield f"{state.run}: {state.done} of {state.shards} shards completed{others}"
    yield _format_samples(state)
    if line := _format_usage(state):
        yield line
    if state.active:
        yield ""
        yield from _format_active(state)
    for entry in state.slow:
        seconds = format_seconds(entry.seconds)
        yield f"Slow: shard {entry.shard} took {seconds} for {entry.rows:,} samples ({entry.worker})."
    if not state.complete and not state.leased:
        yield "No worker is active. Run the same `auricle run` command again to continue."


def _format_samples(state: ShardStatus) -> str:
    total = f" of about {state.total:,}" if state.total is not None and not state.complete else ""
    parts = [f"{state.rows:,}{total} samples"]
    if state.rate:
        parts.append(f"{state.rate:.3g}/s")
    if state.eta_seconds is not None:
        parts.append(f"{format_seconds(state.eta_seconds)} left")
    parts.append(f"{state.failed:,} failed")
    return ", ".join(parts)


def _format_usage(state: ShardStatus) -> str:
    from auricle.runs.metrics import format_money

    parts = []
    if state.audio_seconds:
        parts.append(f"{state.audio_seconds / 3600:,.2f} h of audio")
    if state.cost is not None:
        parts.append(format_money(state.cost, state.currency or "USD"))
    if state.attempts > state.answered + state.failed:
        parts.append(f"{state.attempts - state.answered - state.failed:,} requests repeated")
    if state.unused_lines:
        parts.append(f"{state.unused_lines:,} results written in vain")
    return ", ".join(parts)


def _format_active(state: ShardStatus) -> Iterator[str]:
    usual = f", usually {format_seconds(state.shard_seconds)}" if state.shard_seconds is not None else ""
    yield f"Active shards, the longest first{usual}:"
    for entry in state.active[:MAX_ACTIVE]:
        rows = "" if entry.rows is None else f", {entry.rows:,} samples"
        mark = " straggler" if entry.shard in state.stragglers else ""
        yield f"  {entry.shard:>6}  {format_seconds(entry.seconds):>8}  {entry.worker} on {entry.host}{rows}{mark}"
    if len(state.active) > MAX_ACTIVE:
        yield f"  and {len(state.active) - MAX_ACTIVE} more"


def format_summary(state: RunSummary) -> Iterator[str]:
    """Yield the lines that describe a run without shards."""
    phase = f" ({state.phase})" if state.phase else ""
    total = f" of {state.total:,}" if state.total is not None and state.status != "done" else ""
    yield f"{state.path}: {state.status}{phase}, {state.model} on {state.task}"
    parts = [f"{state.done or 0:,}{total} samples", f"{state.failed or 0:,} failed"]
    if state.dropped:
        parts.append(f"{state.dropped:,} {'call' if state.dropped == 1 else 'calls'} dropped")
    if state.seconds:
        parts.append(f"{format_seconds(state.seconds)} of completed passes")
    yield ", ".join(parts)
    if state.error:
        yield state.error


def format_seconds(seconds: float) -> str:
    """Format a duration in the unit that suits it.

    >>> [format_seconds(seconds) for seconds in (3.2, 125.0, 7500.0, 200_000.0)]
    ['3 s', '2 min', '2.1 h', '2.3 d']
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 86400 else f"{seconds / 86400:.1f} d"
