"""The metrics of a dataset: Auricle's, those that need a judge, and the evalkit's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from auricle.core.types import Sample
from auricle.engine.scored_language import ScoredLanguage
from auricle.frameworks.kimi.datasets import AUDIO_QA, Dataset
from auricle.frameworks.kimi.judge_metrics import make_evalkit_judge
from auricle.frameworks.kimi.stubs import DATASET_BASE_CLASSES
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Voting
from auricle.metrics.catalogue import METRICS
from auricle.tasks.asr.kind import transcript_metrics

PROFILE = "kimi"
"""Profile under which a task has exactly the evalkit's metrics."""
IFEVAL = ("ifeval", "ifeval_prompt_strict", "ifeval_prompt_loose")
IFEVAL_ALL = (*IFEVAL, "ifeval_instruction_strict", "ifeval_instruction_loose")
UNJUDGED_METRICS = {"advbench": ("refusal",), "ifeval": IFEVAL_ALL}
"""Metrics of the open-ended datasets that need no judge."""
OPEN_AUDIO_BENCH = "OpenAudioBench"
SUBSET_METRICS = {
    "alpaca_eval": ("judge-1-10", "kimi-alpaca"),
    "reasoning_qa": ("judge-solution-1-5", "kimi-reasoning"),
}
"""Subsets of OpenAudioBench that are rated on a scale: Auricle's metric, and the evalkit's."""


@dataclass(frozen=True, slots=True)
class MetricSets:
    """The metrics of a dataset in the situations in which it is scored."""

    default: tuple[str, ...]
    evalkit: Sequence[Metric]
    """Metrics under the evalkit's profile."""
    judged: Sequence[Metric] = ()
    """Metrics added to the default if there is a judge."""
    by_subset: Sequence[Metric] = ()
    """Metrics of single subsets, to which the default does not apply."""
    rated_subsets: tuple[str, ...] = ()

    def restrict(self, metric: Metric) -> Metric:
        """Restrict a default metric to the subsets that have no metric of their own."""
        return _for_subsets(metric, self.rated_subsets, other=True) if self.rated_subsets else metric


def select_metrics(dataset: Dataset, votes: int = 0) -> MetricSets:
    """Return the metrics of a dataset.

    Args:
        dataset: The dataset.
        votes: Number of verdicts per answer. [default: set by the rubric]
    """
    make = partial(_make_metric, dataset, votes)
    if dataset.task == "ASR":
        return MetricSets(transcript_metrics(ScoredLanguage(dataset.lang)), [make("wer")])
    if dataset.task == "MQA":
        return MetricSets(("option_accuracy",), [make("kimi-choice")], judged=[make("judge-choice")])
    if dataset.task == "Open-Ended":
        unjudged = UNJUDGED_METRICS.get(dataset.name.casefold())
        judged = [make("judge-1-5")] if unjudged else []
        return MetricSets(unjudged or ("judge-1-5", "empty"), [make("kimi-open")], judged=judged)
    references = ("judge-reference", "contains", "exact_match")
    if dataset.name != OPEN_AUDIO_BENCH:
        return MetricSets(references, [make("kimi-sd-qa" if dataset.name == "sd-qa" else "kimi-reference")])
    rated = tuple(SUBSET_METRICS)
    return MetricSets(
        references,
        [
            _for_subsets(make("kimi-answer"), rated, other=True),
            *(_for_subsets(make(name), (subset,)) for subset, (_, name) in SUBSET_METRICS.items()),
        ],
        by_subset=[_for_subsets(make(name), (subset,)) for subset, (name, _) in SUBSET_METRICS.items()],
        rated_subsets=rated,
    )


def _make_metric(dataset: Dataset, votes: int, name: str) -> Metric:
    """Return a metric; the evalkit's judges see the spoken or the written question, as the dataset is classified."""
    spoken = None if dataset.series in DATASET_BASE_CLASSES else dataset.interactive == AUDIO_QA
    metric: Metric = make_evalkit_judge(name, spoken=spoken) if name.startswith("kimi-") else METRICS.get(name)
    return metric.with_votes(votes) if votes and isinstance(metric, Voting) else metric


def _for_subsets(metric: Metric, subsets: tuple[str, ...], *, other: bool = False) -> Metric:
    """Restrict a metric to samples of some subsets, or of all others."""

    def applies(sample: Sample) -> bool:
        return (sample.meta.get("subset") in subsets) != other

    return metric.replace(applies=applies)
