"""`auricle compare`: compare two runs, or two folders of another kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.folder_kinds import find_folder_kind
from auricle.cli.output import echo, print_result
from auricle.core.errors import ExitStatus, SpecError


@click.command()
@click.argument("a", type=opt.existing_directory)
@click.argument("b", type=opt.existing_directory, required=False)
@opt.repeated(
    "--metric metrics NAME", "Compare only this metric; repeat for several. [default: all metrics of both runs]"
)
@opt.flag("--all show_all", "Print every metric. [default: the headline metrics, if there are many]")
@opt.text("--by FIELD", "Also compare per value of this metadata field, such as subset. [default: none]")
@opt.text(
    "--cluster FIELD|none",
    "Metadata field whose values, not the samples, are independent, such as speaker; none treats all samples as "
    "independent. [default: the field that both runs were scored by]",
)
@click.option(
    "--unpaired",
    is_flag=True,
    help="Compare A and B as independent groups of samples. [default: only if they have no sample in common]",
)
@opt.text(
    "--between FIELD=X,Y",
    "Compare two groups of different samples: those of A with FIELD=X, and those of B, or else of A, with FIELD=Y. "
    "[default: none]",
)
@opt.text(
    "--names A,B",
    "What the samples of A and B are, such as human,generated, to describe the difference of their confusion matrices. "
    "[default: the values of --between]",
)
@opt.count(
    "--flips N", "Number of samples to list that changed in each direction (better, worse).", minimum=0, default=5
)
@opt.text(
    "--html FILE",
    "Also write the comparison to this HTML file. [default: none]",
    type=click.Path(path_type=Path, dir_okay=False),
)
@opt.repeated(
    "--fail-if conditions CONDITION",
    "Exit with code 3 if the change from A to B meets this, such as 'wer>+1pp' (percentage points), 'accuracy<-2%' (of "
    "A) or 'mos<-0.1'; may be repeated.",
)
@click.option(
    "--gate",
    is_flag=True,
    help="Exit with code 4 if a number of load test B is significantly worse than in A, or a load is missing or "
    "not valid in B.",
)
@opt.json_option
def compare(a: Path, b: Path | None, **options: Any) -> None:
    """Compare run B with baseline run A, or two groups of samples.

    Statistics are paired: they are computed over the samples that both runs answered, unless the runs have none in
    common. A and B may also be the folders of two `auricle perf` measurements.
    """
    if b is None and not options["between"]:
        raise click.UsageError("Missing argument 'B'. To compare two groups of samples of A, use --between FIELD=X,Y.")
    b = b or a
    if kind := find_folder_kind(a, b):
        sys.exit(kind.compare(a, b, **options))
    compare_runs((a, b), **options)


def compare_runs(
    runs: tuple[Path, Path], *, flips: int, html: Path | None, as_json: bool, show_all: bool, **options: Any
) -> None:
    """Print how the second run differs from the first, and what cannot be compared."""
    from auricle import api
    from auricle.report.comparison_text import format_comparison, format_samples
    from auricle.scoring.compare.conditions import Condition

    if options["gate"]:
        raise SpecError("--gate applies to measurements of `auricle perf`. For runs, use `auricle gate` or --fail-if.")
    conditions = [Condition.parse(text) for text in options["conditions"]]
    unpaired = options.pop("between") or options.pop("unpaired")
    comparison = api.compare(
        *runs,
        options["metrics"],
        options["by"],
        cluster=options["cluster"],
        unpaired=unpaired,
        max_flips=flips,
        names=_parse_names(options["names"]),
    )
    if html:
        comparison.write_html(html)
    lines = [*format_comparison(comparison, show_all=show_all), *format_samples(comparison)]
    if html:
        lines.append(f"\nPage: {html.resolve()}")
    print_result(as_json, comparison, lines)
    violations = [text for condition in conditions if (text := condition.find_violation(comparison.rows))]
    for text in violations:
        echo(f"Failed: {text}.", err=True)
    if violations or not (comparison.a.journal.is_intact and comparison.b.journal.is_intact):
        sys.exit(ExitStatus.FAILURES)


def _parse_names(text: str | None) -> tuple[str, str] | None:
    """Parse `A,B`."""
    if not text:
        return None
    a, _, b = (part.strip() for part in text.partition(","))
    if not a or not b or "," in b:
        raise SpecError(f"Invalid names {text!r}: expected two, separated by a comma, such as human,generated.")
    return a, b
