"""`auricle listen`: check whether a model uses the sound."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.cli.run import build_config, print_results, run_plans, take_run_options
from auricle.core.errors import ExitStatus, SpecError

if TYPE_CHECKING:
    from auricle.engine.config import RunConfig
    from auricle.engine.plan import ModelPlan
    from auricle.runs.metrics import Metrics
    from auricle.runs.result import RunResult

SAMPLES_SHOWN = 10


@click.command(cls=opt.GroupedCommand)
@take_run_options
@opt.option_group(
    "Data",
    opt.flag("--quick", "Run the cheapest controls only: one without sound, another sample's sound, one other order."),
)
@click.pass_context
def listen(context: click.Context, /, **options: Any) -> None:
    """Check whether a model uses the sound of TASK.

    The same questions are asked without the audio, with silence, noise or another sample's recording in its place, with
    shuffled pieces of it, with its transcript, and with the options in other orders, as far as that applies. The folder
    contains a run for each, and how much better the model is with the sound.
    """
    is_quick = options.pop("quick")
    given = [name for name in opt.given_options(context) if name != "quick"]
    config = build_config({**options, "print_config": False, "dry_run": False, "perturb": ()}, given)
    results, scored = run_plans(config, [_plan_model(config, index, is_quick) for index in range(len(config.model))])
    print_results(results, scored, options["as_json"])
    if not options["as_json"]:
        for folder, metrics in scored:
            _print_samples(folder, metrics)
    sys.exit(choose_exit_status(results))


def _plan_model(config: RunConfig, index: int, is_quick: bool) -> ModelPlan:
    """Plan all tasks with their controls for one of the models."""
    model = {"model": config.model[index : index + 1], "label": config.label[index : index + 1]}
    plans = [_plan_controls(config.model_copy(update={**model, "task": (task,)}), is_quick) for task in config.task]
    return replace(plans[0], groups=[group for plan in plans for group in plan.groups])


def _plan_controls(config: RunConfig, is_quick: bool) -> ModelPlan:
    """Plan one task with its controls for one model, and print how many requests that is."""
    from auricle.studies.listening import LISTENING
    from auricle.studies.listening.controls import plan_controls

    (evaluation, *others) = config.plan()[0].evaluations
    if others:
        raise SpecError(f"{config.task[0]} stands for several tasks. Name one of them.")
    plan = plan_controls(evaluation, quick=is_quick)
    if not plan.controls:
        raise SpecError(f"None of the first samples of {evaluation.task.name} has audio, so nothing can be taken away.")
    count, conditions = evaluation.sample_count, len(plan.controls) + 1
    size = "an unknown number of samples"
    if count is not None:
        size = f"{count:,} samples, about {round(conditions * count * plan.requests_per_sample):,} requests"
    echo(f"Estimate for {evaluation.title}: {conditions} conditions of {size}.", err=True)
    echo(f"Controls: {', '.join(plan.controls)}.", err=True)
    (planned,) = config.model_copy(update={"perturb": plan.controls}).plan()
    return replace(planned, groups=[group.with_purpose(LISTENING) for group in planned.groups])


def choose_exit_status(results: Sequence[RunResult]) -> ExitStatus:
    """Return the highest exit status of the runs; a control that no sample fits or answers is a result of the check."""
    from auricle.engine.conditions import CLEAN

    relevant = [
        result
        for result in results
        if result.path.name == CLEAN or not result.complete or (result.metrics and _has_lost_answers(result.metrics))
    ]
    return max((result.exit_status for result in relevant), default=ExitStatus.OK)


def _has_lost_answers(metrics: Metrics) -> bool:
    """Return whether some samples were answered and others failed."""
    from auricle.core.types import RejectedRow

    lost = sum(failure.count for failure in metrics.failures if failure.kind != RejectedRow.__name__)
    return bool(lost and metrics.outcomes.answered)


def _print_samples(folder: Path, metrics: Metrics) -> None:
    """Print the first samples that are right in every control without the sound."""
    from auricle.studies.listening.numbers import SAMPLES_FILE
    from auricle.studies.listening.table import format_samples

    path = folder / SAMPLES_FILE
    lines: Iterable[str] = format_samples(path, metrics, SAMPLES_SHOWN) if path.exists() else ()
    for line in lines:
        echo(line)
