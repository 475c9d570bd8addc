"""`auricle.plan`: how much data a comparison of two models needs, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from auricle import api
from auricle.engine.spec import Spec
from auricle.engine.task import Task
from auricle.studies.sample_size.basis import PlanKeywords, PlanRequest
from auricle.studies.sample_size.report import SampleSizePlan, plan_sample_size


def plan(
    difference: str | float,
    task: Spec | Task | None = None,
    pilot: str | Path | Sequence[str | Path] = (),
    **options: Unpack[PlanKeywords],
) -> SampleSizePlan:
    """Plan a comparison of two models: how many samples or speakers it needs, and what the data at hand can show.

    Args:
        difference: The difference to detect: `1pp` (percentage points), `5%` (of the number of the models), or a number
            in the unit of the metric.
        task: The task, or a spec with it, whose rows are counted. Default: the rows of the pilot.
        pilot: A run, or two runs of different models, that show how much scores vary.
        options: `power` (0.8 by default), `level` of significance (0.05), `metric`, `unpaired` if the models answer
            different samples, `cluster` (a metadata field whose values are independent, or `none`), `per_cluster`
            (samples of each), and without two pilots: `correlation` between the scores of two models; without any:
            `rate` (such as `10%`), with `words` per sample and `dispersion` for error rates, or `sd`, and `icc`, the
            correlation between two samples of a cluster. See `auricle plan --help`.

    Examples:
        >>> plan("5pp", rate="20%", correlation=0.5).needed.samples
        505
    """
    request = PlanRequest(difference=difference, **options)
    paths = [pilot] if isinstance(pilot, (str, Path)) else pilot
    pilots = [(Path(path), api.load_metrics(path)) for path in paths]
    built_task = api.build_task(task.resolved()) if isinstance(task, Spec) else task
    return plan_sample_size(request, pilots, built_task)
