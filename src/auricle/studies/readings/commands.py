"""`auricle audit`: check by hand how answers were read from replies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo, print_json
from auricle.core.errors import SpecError

if TYPE_CHECKING:
    from auricle.studies.readings.document import Audit

SHEET_FILE = "audit.csv"
MAX_REPLY = 300


@click.command()
@click.argument("run", type=opt.existing_directory)
@opt.path(
    "--labels FILE",
    "Store the labels of this sheet, and print how often answers were read right. [default: write a sheet]",
)
@opt.text("--metric NAME", "Metric whose readings are checked. [default: the first that reads answers from replies]")
@opt.count("--count N", "Replies to draw at random of those read from a statement, and of the others.", default=50)
@opt.count("--seed N", "Seed of the draw.", minimum=0, default=0)
@opt.path("-o --out FILE", "Sheet to write; it must not exist. [default: audit.csv in RUN]")
@opt.json_option
def audit(run: Path, labels: Path | None, as_json: bool, **options: Any) -> None:
    """Check by hand how answers were read from the replies of a run.

    Without --labels, write a sheet with 50 replies that were read from a statement and 50 others, drawn at random.
    Fill in its column `label`: right, wrong, or other if it cannot be decided. An answer is read right if it is what
    the reply states, whether or not that is correct. `auricle ui` has the same replies with buttons.
    """
    from auricle.runs.documents import to_plain
    from auricle.studies.readings.document import STATEMENT

    if labels:
        current = _store_labels(run, labels)
        if as_json:
            print_json({"run": str(run), **to_plain(current.summarise()), "wrong_items": to_plain(current.wrong)})
        else:
            echo("\n".join(_format_result(run, current)))
        return
    sheet = options["out"] or run / SHEET_FILE
    current = _draw(run, sheet, options["metric"], count=options["count"], seed=options["seed"])
    if as_json:
        print_json({"run": str(run), "sheet": str(sheet), **to_plain(current)})
        return
    stated, drawn = current.readings[STATEMENT], sum(item.reading == STATEMENT for item in current.items)
    others, drawn_others = sum(current.readings.values()) - stated, len(current.items) - drawn
    echo(
        f"{sheet}: {drawn} of {stated} replies that were read from a statement and {drawn_others} of {others} others, "
        "at random. Fill in the column `label` (right, wrong or other), then run:\n"
        f"auricle audit {run} --labels {sheet}"
    )


def _draw(path: Path, sheet: Path, metric: str | None, *, count: int, seed: int) -> Audit:
    """Draw replies, store them in the run and write the sheet."""
    from auricle import Spec, api
    from auricle.core.files import write_atomically
    from auricle.engine.judge import read_judges
    from auricle.runs.run_directory import Run
    from auricle.scoring.judge_panel import JudgePanel
    from auricle.studies.readings.document import read_audit, write_audit
    from auricle.studies.readings.report import build_sheet, choose_metric, draw_audit

    if sheet.exists():
        raise SpecError(f"{sheet} exists already. Store its labels with --labels {sheet}, or choose another with -o.")
    run = Run.load(path)
    judges = read_judges(run)
    task = api.build_task(Spec.as_scored(run))
    with JudgePanel(run.verdicts_path, judges, {}) as panel:
        chosen = choose_metric(panel.expand(task.metrics), metric)
        drawn = draw_audit(run.records(), chosen, count=count, seed=seed, verdicts=panel)
    if earlier := read_audit(path):
        drawn = drawn.keep_labels(earlier)
    write_audit(path, drawn)
    write_atomically(sheet, build_sheet(drawn, run.records()))
    return drawn


def _store_labels(path: Path, labels: Path) -> Audit:
    """Store the labels of a sheet in the run, and write its report again."""
    from auricle import api
    from auricle.runs.metrics import read_scoring
    from auricle.studies.readings.document import read_audit, write_audit
    from auricle.studies.readings.report import read_sheet

    current = read_audit(path)
    if current is None:
        raise SpecError(f"{path} has no audit. Run `auricle audit {path}` to draw replies.")
    current = current.with_labels(read_sheet(labels))
    write_audit(path, current)
    scoring = read_scoring(path)
    api.score(path, scoring.profiles, task_args=scoring.task_args)
    return current


def _format_result(path: Path, current: Audit) -> Iterator[str]:
    """Yield the accuracy of the reader, and the replies that it read wrongly."""
    from auricle.report.terminal import to_one_line
    from auricle.report.text_format import format_reading
    from auricle.runs.run_directory import Run
    from auricle.studies.readings.report import describe_reply

    yield current.summarise().describe()
    wrong = {item.id: item for item in current.wrong}
    for record in sorted(Run.load(path).records(), key=lambda record: record.row) if wrong else ():
        if item := wrong.get(record.sample.id):
            yield f"{item.id}: read as {item.value or 'no answer'} ({format_reading(item.reading)})"
            yield f"  {to_one_line(describe_reply(record)[2], MAX_REPLY)}"
