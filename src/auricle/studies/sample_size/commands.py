"""`auricle plan`: compute how much data a comparison of two models needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auricle.cli import options as opt
from auricle.cli.output import print_result

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(cls=opt.GroupedCommand)
@opt.task_argument("task", required=False)
@opt.option_group(
    "Goal",
    opt.text(
        "--difference AMOUNT",
        "Difference to detect: 1pp (percentage points), 5% (of the number of the models), or a number in the unit of "
        "the metric.",
        required=True,
    ),
    opt.text("--power SHARE", "Probability of detecting it.", type=SHARE, default=0.8),
    opt.text("--level SHARE", "Significance level; divide it by the number of comparisons.", type=SHARE, default=0.05),
    opt.text("--metric NAME", "Metric to compare by. [default: the first of the task]"),
    opt.flag("--unpaired", "Plan for models that answer different samples. [default: the same samples]"),
)
@opt.option_group("Data", *opt.task_options, opt.cluster_option)
@opt.option_group(
    "Variance",
    opt.text(
        "--pilot RUN",
        "Run that shows how much scores vary; repeat it for a run of another model on the same samples.",
        type=opt.existing_directory,
        multiple=True,
    ),
    opt.number(
        "--correlation NUMBER",
        "Correlation between the scores of the two models on a sample. [default: shown by two pilots, otherwise 0, the "
        "worst case]",
        type=click.FloatRange(0, 1, max_open=True),
    ),
    opt.text("--rate SHARE", "Without a pilot: share of right samples or of wrong words, such as 10%. [default: none]"),
    opt.number(
        "--words NUMBER",
        "Mean number of reference words per sample, if --rate is an error rate. [default: samples are right or wrong]",
        above=True,
    ),
    opt.number(
        "--dispersion FACTOR",
        "How many times larger the variance of errors per sample is than if errors were independent.",
        above=True,
        default=1.0,
    ),
    opt.number(
        "--sd NUMBER", "Without a pilot: standard deviation of the scores of samples. [default: none]", above=True
    ),
    opt.number(
        "--icc NUMBER",
        "Without a pilot: correlation between two samples of a cluster, such as a speaker. [default: none]",
        type=click.FloatRange(0, 1),
    ),
    opt.number("--per-cluster NUMBER", "Samples of each cluster. [default: as in the data]", type=click.FloatRange(1)),
)
@opt.option_group("Output", opt.json_option)
def plan(task: str | None, difference: str, pilot: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Compute how much data shows a difference between two models.

    TASK is the task or data file whose rows are counted; without it, those of the pilot are.
    """
    from auricle.studies.sample_size.api import plan as plan_comparison
    from auricle.studies.sample_size.report import format_plan

    data_options = {name: options.pop(name) for name in ("task_args", "kind")}
    spec = opt.build_spec(task, None, {**data_options, "model_args": ()}) if task else None
    metric = options.pop("metric") or ""
    result = plan_comparison(difference, spec, pilot, metric=metric, **options)
    print_result(as_json, result, format_plan(result))
