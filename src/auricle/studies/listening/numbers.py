"""Whether a model listens: its scores with the sound against those under controls, paired sample by sample.

The parts of the suite are conditions of one task. Those without the sound of the sample (`no-audio` and `replace`) show
what is answered without listening, `options` whether the position of an option decides. See `docs/listening.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from auricle.core.types import Generation, Sample
from auricle.engine.conditions import CLEAN
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Credited, Tokenized
from auricle.metrics.intervals import compute_interval
from auricle.runs.metrics import PART_FIELD, Number
from auricle.runs.suites import SuiteRun
from auricle.scoring.compare.metric_selection import load_metrics
from auricle.scoring.suite_kinds import PartRuns, SuiteKind, SuiteNumbers
from auricle.studies.listening.answers import NO_INTERVAL, ListeningAnswers
from auricle.studies.listening.gains import compute_gain_against_best, compute_gains
from auricle.studies.listening.items import Item, load_items
from auricle.studies.listening.options import compute_order_numbers, compute_positions
from auricle.tasks.asr.hallucination import WordsPerMinute

SAMPLES_FILE = "listening_samples.jsonl"
"""The samples that are right in every control without the sound, one per line."""
SWAPPED = "replace:other"
NONSPEECH_CONTROLS = ("replace:silence", "replace:noise")


class ListeningCheck(SuiteKind):
    """The controls of a listening check, and a file with the samples that need no sound."""

    def compute(self, suite: SuiteRun, runs: PartRuns) -> SuiteNumbers:
        return check_listening(suite, runs)


def check_listening(suite: SuiteRun, parts: PartRuns) -> SuiteNumbers:
    """Compute what a listening check shows.

    Args:
        suite: The conditions that were to be run.
        parts: The run directory and the numbers of each condition that was run, by its name.
    """
    if CLEAN not in parts or not parts[CLEAN][1].overall:
        return SuiteNumbers(
            (), {"the listening gain": "the task has no score with its sound."}, lines={SAMPLES_FILE: ()}
        )
    path, results = parts[CLEAN]
    signatures = {number.metric: number.signature.metric for number in results.overall}
    metrics = [metric for metric in load_metrics((path, path), signatures) if not metric.is_model_independent]
    cluster = results.task.cluster
    items = {name: load_items(folder, metrics, cluster) for name, (folder, _) in parts.items()}
    answers = ListeningAnswers(suite, {name: numbers for name, (_, numbers) in parts.items()}, metrics, items)
    undefined = answers.explain_undefined()
    return SuiteNumbers(
        list(compute_numbers(answers)),
        undefined,
        unanswered=frozenset(undefined.keys() & parts.keys()),
        lines={SAMPLES_FILE: list_samples(answers)},
    )


def compute_numbers(answers: ListeningAnswers) -> Iterator[Number]:
    """Yield all numbers, headlines first."""
    gains = {metric.name: compute_gains(answers, metric) for metric in answers.metrics}
    best = [number for metric in answers.metrics if (number := compute_gain_against_best(answers, metric))]
    yield from best[:1]
    yield from _compute_chance(answers)
    yield from compute_order_numbers(answers)
    swapped = [number for number in _compute_flip_rates(answers) if number.group == SWAPPED]
    yield from (replace(number, field="", group="all") for number in swapped)
    yield from _compute_share_without_listening(answers)
    yield from best[1:]
    for part in [CLEAN, *answers.controls]:
        yield from (
            replace(number, field=PART_FIELD, group=part, details={}, plot="")
            for number in answers.results[part].overall
            if number.metric in gains
        )
    for numbers in gains.values():
        yield from numbers
    yield from _compute_flip_rates(answers)
    yield from _compute_changes(answers)
    yield from _compute_words(answers)
    yield from compute_positions(answers)


def _compute_chance(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute the share that is right by guessing, if every sample offers options."""
    counts = [item.option_count for item in answers.clean.values()]
    metric = answers.metrics[0] if answers.metrics else None
    if isinstance(metric, Credited) and counts and min(counts) > 1:
        value = sum(1 / count for count in counts) / len(counts)
        number = answers.make_number("chance", "Chance level", value, NO_INTERVAL)
        yield replace(number, scored=len(counts), total=len(counts), unit="share")


# --- answers --------------------------------------------------------------------------------


def _compute_flip_rates(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute the share of samples whose answer is another one in each control."""
    for control in answers.controls:
        others = answers.items[control]
        ids = [
            sample
            for sample, item in answers.clean.items()
            if item.answer.content is not None and sample in others and others[sample].answer.content is not None
        ]
        if ids:
            is_changed = partial(_has_other_answer, answers.clean, others)
            yield answers.make_share("flip_rate", "Answers that change", ids, is_changed, group=control)


def _has_other_answer(items: Mapping[str, Item], others: Mapping[str, Item], sample: str) -> bool:
    return items[sample].answer.content != others[sample].answer.content


def _compute_changes(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute how far predicted numbers and ratings are from those with the sound."""
    names = dict.fromkeys(name for item in answers.clean.values() for name in item.answer.values or ())
    for control in answers.controls:
        for name in names:
            if changes := _list_changes(answers.clean, answers.items[control], name):
                title = f"Mean absolute change of {name}"
                yield answers.make_mean(f"change.{name}", title, changes, group=control)


def _list_changes(items: Mapping[str, Item], others: Mapping[str, Item], name: str) -> list[tuple[str, float]]:
    """List how far a number of each sample is from that under another condition."""
    changes = []
    for sample, item in items.items():
        values = [side.answer.values or {} for side in (item, others.get(sample)) if side]
        if len(values) == 2 and all(name in side for side in values):
            changes.append((sample, abs(values[0][name] - values[1][name])))
    return changes


def _compute_words(answers: ListeningAnswers) -> Iterator[Number]:
    """Compute what a recogniser writes per minute of silence and noise."""
    recognition = next((metric for metric in answers.metrics if isinstance(metric, Tokenized)), None)
    if recognition is None:
        return
    metric = WordsPerMinute(profile_name=recognition.profile or "basic")
    for control in (name for name in answers.controls if name in NONSPEECH_CONTROLS):
        items = {sample: item for sample, item in answers.items[control].items() if item.seconds}
        stats = [_score_words(metric, item) for item in items.values()]
        if stats:
            interval = compute_interval(stats, metric.aggregate, clusters=answers.encode_clusters(list(items)))
            number = answers.make_number(
                metric.name,
                metric.title,
                float(metric.aggregate(stats)),
                interval,
                group=control,
                details=dict(metric.details(stats)),
                higher_is_better=False,
            )
            yield replace(number, scored=len(stats), total=len(stats), unit=metric.unit)


def _score_words(metric: Metric, item: Item) -> Any:
    sample = Sample(id=item.id, inputs={}, target="")
    return metric.score(sample, Generation(text=item.text), audio_seconds=item.seconds)


# --- samples that need no sound -------------------------------------------------------------


def list_samples(answers: ListeningAnswers) -> list[dict[str, Any]]:
    """List the samples that are right in every control without the sound, in the order of the data."""
    metric, controls = answers.hit_metric, answers.hit_controls
    return [
        {
            "id": sample,
            "target": answers.clean[sample].target,
            "answers": {name: _format_answer(answers.items[name][sample]) for name in controls},
            "right_with_sound": metric is not None and answers.is_right(metric, CLEAN, sample),
        }
        for sample in _list_scored_without_sound(answers)
        if _is_right_without_sound(answers, sample)
    ]


def _format_answer(item: Item) -> str:
    return item.text if item.answer.content is None else item.answer.content


def _list_scored_without_sound(answers: ListeningAnswers) -> list[str]:
    metric, controls = answers.hit_metric, answers.hit_controls
    return answers.list_scored(metric, [CLEAN, *controls]) if metric and controls else []


def _is_right_without_sound(answers: ListeningAnswers, sample: str) -> bool:
    metric = answers.hit_metric
    return metric is not None and all(answers.is_right(metric, name, sample) for name in answers.hit_controls)


def _compute_share_without_listening(answers: ListeningAnswers) -> Iterator[Number]:
    if ids := _list_scored_without_sound(answers):
        yield answers.make_share(
            "right_without_listening",
            "Right in every control without the sound",
            ids,
            partial(_is_right_without_sound, answers),
            higher_is_better=False,
        )
