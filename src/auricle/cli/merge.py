"""`auricle merge`: compute the numbers of a sharded run."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.core.errors import ExitStatus


@click.command()
@click.argument("runs", nargs=-1, required=True, type=opt.Location())
@opt.text(
    "-o --out DIR|URL",
    "Folder or URL in which to collect the shards of several runs. [default: the first of them]",
    type=opt.Location(),
)
@opt.json_option
def merge(runs: tuple[Path | str, ...], out: Path | str | None, as_json: bool) -> None:
    """Compute the numbers of a sharded run from the shards that are completed.

    RUN is a folder or a URL. Several are runs of the same data with different --shard I/N, whose shards are collected
    first.
    """
    from auricle import api
    from auricle.cli.show import print_metrics

    folder, metrics, status = api.merge_shards(runs, out)
    print_metrics([(folder, metrics)], as_json)
    if not status.complete:
        missing = status.shards - status.done
        echo(f"{missing} of {status.shards} shards are not completed; the numbers are those of the others.", err=True)
        sys.exit(ExitStatus.FAILURES)
    if metrics.outcomes.failed or not metrics.journal.is_intact:
        sys.exit(ExitStatus.FAILURES)
