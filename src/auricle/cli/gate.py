"""`auricle gate`: decide whether a candidate may replace a baseline, with an exit code for pipelines."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.folder_kinds import find_folder_kind
from auricle.cli.output import print_result

output_file = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=opt.GroupedCommand)
@click.argument("baseline", type=opt.existing_directory)
@click.argument("candidate", type=opt.existing_directory)
@opt.option_group(
    "Decision",
    opt.repeated(
        "--metric metrics NAME", "Decide on this metric; repeat for several. [default: the first metric of both runs]"
    ),
    opt.repeated(
        "--margin margins [METRIC=]AMOUNT",
        "Loss that is tolerated: 0.5 (percentage points for shares and error rates), 2% (of the baseline) or "
        "wer=0.5pp; repeat for several metrics. [default: none]",
    ),
    opt.text("--by FIELD", "Also decide per value of this metadata field, such as subset. [default: none]"),
    opt.text(
        "--cluster FIELD|none",
        "Metadata field whose values, not the samples, are independent, such as speaker. [default: the field that both "
        "runs were scored by]",
    ),
    click.option(
        "--min-coverage",
        type=click.FloatRange(0, 1),
        default=0.95,
        show_default=True,
        help="Share of the samples that the candidate has to answer.",
    ),
    opt.count("--min-pairs N", "Fewest samples that both runs answered.", minimum=0, default=0),
    opt.flag("--allow-undecided", "Pass if there are too few samples to decide. [default: exit with code 5]"),
)
@opt.option_group(
    "Output",
    opt.text(
        "--markdown FILE", "Also write a summary for a pull request to this file. [default: none]", type=output_file
    ),
    opt.text("--junit FILE", "Also write JUnit XML to this file. [default: none]", type=output_file),
    opt.json_option,
)
def gate(baseline: Path, candidate: Path, *, as_json: bool, **options: Any) -> None:
    """Decide whether run CANDIDATE may replace run BASELINE.

    The runs are compared sample by sample. The candidate is better, not worse by the margin, worse (exit code 4), or
    there are too few samples to decide (exit code 5); then the number is printed that would decide. Both may also be
    measurements of `auricle perf`, which are compared load by load.
    """
    if kind := find_folder_kind(baseline, candidate):
        sys.exit(kind.gate(baseline, candidate, as_json=as_json, **options))
    from auricle import api
    from auricle.report.gate_formats import format_gate, to_junit, to_markdown

    result = api.gate(
        baseline,
        candidate,
        options["metrics"],
        options["margins"],
        by=options["by"],
        cluster=options["cluster"],
        min_coverage=options["min_coverage"],
        min_pairs=options["min_pairs"],
    )
    _write(options["markdown"], to_markdown(result).encode())
    _write(options["junit"], to_junit(result, allow_undecided=options["allow_undecided"]))
    print_result(as_json, {"verdict": result.verdict, **asdict(result)}, format_gate(result))
    sys.exit(result.exit_status(allow_undecided=options["allow_undecided"]))


def _write(path: Path | None, content: bytes) -> None:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
