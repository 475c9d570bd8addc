"""`auricle audiogram`: run a task under a standard set of conditions."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auricle.cli import options as opt
from auricle.cli.output import echo
from auricle.cli.run import build_config, find_folder, print_config_checks, print_results, run_plans, take_run_options
from auricle.core.errors import DataError
from auricle.runs.metrics import ModelFacts, Throughput, read_metrics

if TYPE_CHECKING:
    from auricle.cli.evaluation import SampledWorkload
    from auricle.engine.config import RunConfig
    from auricle.engine.plan import EvaluationGroup
    from auricle.runs.result import RunResult

STANDARD_CONDITIONS = (
    "noise:snr=20,10,5,0,-5",
    "noise:kind=speech,snr=20,10,5,0,-5",
    "reverb:t60=0.2,0.4,0.8,1.2,2",
    "band:high=4000,3000,2000,1500,1000",
    "codec:opus@24k,opus@16k,opus@12k,opus@8k,opus@6k",
    "loss:rate=0.02,0.05,0.1,0.2,0.3",
    "tempo:factor=1.2,1.4,1.6,1.8,2",
)
"""White and speech-shaped noise, reverberation, low-pass filters, Opus, packet loss and fast speech. None of them needs
recordings of other speakers."""
QUICK_CONDITIONS = ("noise:snr=20,10,0", "reverb:t60=0.3,0.6,1.2", "codec:opus@24k,opus@12k,opus@6k")


@click.command(cls=opt.GroupedCommand)
@take_run_options
@opt.option_group("Data", opt.flag("--quick", "Run 3 families of conditions at 3 levels instead of 7 at 5."))
@opt.option_group(
    "Output",
    opt.flag("--dry-run", "Check task, data, model and settings, and exit. No model is loaded and nothing is sent."),
)
@click.pass_context
def audiogram(context: click.Context, /, **options: Any) -> None:
    """Measure how a model copes with noise, reverberation, codecs and more, level by level.

    TASK is the same as in `auricle run`, whose --perturb runs any other set of conditions. The folder contains a run
    for each condition.
    """
    conditions = QUICK_CONDITIONS if options.pop("quick") else STANDARD_CONDITIONS
    given = [name for name in opt.given_options(context) if name != "quick"]
    config = build_config({**options, "print_config": False, "perturb": conditions}, [*given, "perturb"])
    if options["dry_run"]:
        sys.exit(print_config_checks(config, as_json=options["as_json"]))
    plans = config.plan()
    groups = [group for plan in plans for group in plan.groups]
    for group in groups:
        folder, _ = find_folder(group, config, is_single=len(groups) == 1)
        echo(Estimate(group, folder, config).format(), err=True)
    results, scored = run_plans(config, plans, after_part=lambda *part: _report_time(config, *part))
    print_results(results, scored, options["as_json"])
    sys.exit(max(result.exit_status for result in results))


def _report_time(config: RunConfig, group: EvaluationGroup, folder: Path, result: RunResult) -> None:
    """Print how long the conditions take, as soon as the clean part shows how fast the model is."""
    speed = result.metrics.speed if result.metrics else None
    if result.path != group.list_folders(folder)[0][1] or speed is None:
        return
    remaining = Estimate(group, folder, config).remaining
    if remaining and (time := format_time(remaining, speed)):
        echo(f"Estimate: {remaining:,} further samples, {time} at the speed of the clean part.", err=True)


@dataclass(frozen=True)
class Estimate:
    """What a suite of conditions is going to take.

    Args:
        group: The conditions.
        folder: The folder of the suite, which may contain answers already.
        config: How it is run.
    """

    group: EvaluationGroup
    folder: Path
    config: RunConfig

    @cached_property
    def remaining(self) -> int | None:
        """Number of samples without an answer, over all conditions; None if the size of the data is unknown."""
        from auricle.cli.evaluation import count_completed

        counts = [
            None if (count := evaluation.sample_count) is None else max(0, count - count_completed(path))
            for evaluation, path in self.group.list_folders(self.folder)
        ]
        return None if None in counts else sum(count or 0 for count in counts)

    @cached_property
    def _workload(self) -> SampledWorkload:
        from auricle.cli.evaluation import inspect_workload

        first = self.group.evaluations[0]
        return inspect_workload(first, first.sample_count)

    def format(self) -> str:
        """Return one line: requests, audio, cost and time, as far as they can be estimated."""
        from auricle.cli.evaluation import format_amounts
        from auricle.engine.factory import model_label

        spec = self.group.evaluations[0].spec
        title = f"Estimate for {model_label(spec)} under {len(self.group.evaluations)} conditions"
        if self.remaining is None or not self._workload.samples:
            return f"{title}: an unknown number of requests."
        if not self.remaining:
            return f"{title}: all samples are answered already."
        requests = round(self.remaining * self._workload.requests / self._workload.samples)
        budget = opt.build_budget(self.config.prices, None, (), (spec.model, spec.model_args))
        amounts = format_amounts(self._workload, budget.price if budget else None, self.remaining)
        return f"{title}: {', '.join([f'{requests:,} requests', *amounts, self._describe_time()])}."

    def _describe_time(self) -> str:
        from auricle.core.redaction import redact
        from auricle.engine.factory import model_label

        spec = self.group.evaluations[0].spec
        model = ModelFacts(model_label(spec), dict(redact(spec.model_args)))
        run, speed = find_speed(self.folder.parent, model)
        if speed and (time := format_time(self.remaining or 0, speed)):
            return f"{time} at the speed of {run}"
        return "the time is estimated after the clean part"


def find_speed(folder: Path, model: ModelFacts) -> tuple[Path, Throughput | None]:
    """Return the newest run of a model in a folder, or in a suite in it, and how fast it was."""
    candidates = []
    for path in (*folder.glob("*/metrics.json"), *folder.glob("*/clean/metrics.json")):
        try:
            metrics = read_metrics(path.parent)
        except DataError:  # of another version, or damaged; it only serves as an estimate
            continue
        if metrics.model == model and metrics.speed and metrics.speed.samples_per_second:
            candidates.append((metrics.created, path.parent, metrics.speed))
    newest = max(candidates, key=lambda candidate: candidate[:2], default=("", folder, None))
    return newest[1], newest[2]


def format_time(samples: int, speed: Throughput) -> str:
    """Format how long a number of samples takes: `about 12 min`."""
    if not speed.samples_per_second:
        return ""
    minutes = samples / speed.samples_per_second / 60
    return f"about {minutes / 60:.1f} h" if minutes >= 90 else f"about {max(1, round(minutes))} min"
