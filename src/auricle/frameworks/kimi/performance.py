"""The evalkit's `performance.json`: the numbers of each subset, in its fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auricle.frameworks.exchange.result_export import TextRun
from auricle.frameworks.kimi.model import EVALKIT_TASKS
from auricle.runs.metrics import Metrics, Number

ACCURACIES = ("kimi-choice", "kimi-reference", "kimi-sd-qa", "vb-mcq")
SCORES = ("kimi-open", "kimi-alpaca", "kimi-reasoning")
IFEVAL_FIELDS = {
    "ifeval_prompt_strict": "strict-prompt",
    "ifeval_instruction_strict": "strict-instruction",
    "ifeval_prompt_loose": "loose-prompt",
    "ifeval_instruction_loose": "loose-instruction",
    "ifeval": "final",
}
EVAL_METHOD = "auricle"


def build_performance(text_run: TextRun, metrics: Metrics) -> dict[str, Any]:
    """Build the document of the evalkit's scorer with Auricle's numbers.

    Metrics that the evalkit has get its fields and units; all others keep their name and value.
    """
    dataset = str(text_run.task.extra_context.get("dataset_name") or text_run.dataset)
    sizes = Counter(str(record.sample.meta.get("subset", dataset)) for record in text_run.records)
    if not any(number.field == "subset" for number in metrics.numbers):  # not broken down by subset
        sizes = Counter({dataset: len(text_run.records)} if len(sizes) > 1 else sizes)
        numbers = dict.fromkeys(sizes, metrics.overall)
    else:
        numbers = {
            subset: tuple(number for number in metrics.numbers if number.field == "subset" and number.group == subset)
            for subset in sizes
        }
    return {
        "task": text_run.task.extra_context.get("task") or EVALKIT_TASKS.get(text_run.kind, "Open-Ended"),
        "dataset": dataset,
        "model": text_run.model,
        "date": str(text_run.created),
        "performance": {subset: _build_fields(sizes[subset], numbers[subset]) for subset in sorted(sizes)},
        "eval_method": EVAL_METHOD,
    }


def _build_fields(size: int, numbers: Sequence[Number]) -> dict[str, Any]:
    fields: dict[str, Any] = {"total": size}
    for number in numbers:
        fields |= _convert(number)
    return fields


def _convert(number: Number) -> Mapping[str, Any]:
    """Return a number in the evalkit's fields, or under its own name if the evalkit has no such number."""
    name, value = number.metric, number.value
    if value is None or not number.scored:
        return {}
    invalid = number.total - number.scored
    if name == "wer":
        return {"wer": round(100 * value, 2), "total": number.scored}
    if name in ACCURACIES:
        correct = round(value * number.scored)
        return {"acc": round(100 * value, 2), "valid": number.scored, "total": number.total, "correct": correct}
    if name == "kimi-answer":
        return {"acc": round(100 * value, 2), "total": number.total, "invalid": invalid}
    if name in SCORES:
        return {"score": round(value, 2), "total": number.total, "invalid": invalid}
    return {IFEVAL_FIELDS.get(name, name): value}
