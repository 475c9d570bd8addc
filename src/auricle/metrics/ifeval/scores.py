"""The five metrics of IFEval: prompt and instruction accuracy, strict and loose, and their mean."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from auricle.core.errors import MissingExtra, Unreadable
from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Details, Metric, SumAggregator, constant_bounds, divide, mean, ratio
from auricle.metrics.ifeval.instructions import InstructionResults, check_instructions, get_instructions

if TYPE_CHECKING:
    from auricle.metrics.base import Array

if find_spec("langdetect") is None:  # at import, so that it is reported before the run starts
    raise MissingExtra("IFEval", "ifeval")

Strictness = Literal["strict", "loose"]
PROMPT_STRICT, PROMPT_LOOSE, STRICT, LOOSE, COUNT = range(5)


def _select_results(strictness: Strictness, results: InstructionResults) -> tuple[bool, ...]:
    return results.strict if strictness == "strict" else results.loose


def prompt_metric(strictness: Strictness) -> Metric:
    """Make a metric of the share of prompts whose instructions are all followed."""

    def score(sample: Sample, output: Generation) -> float:
        return float(all(_select_results(strictness, check_instructions(sample, output.text))))

    name = f"ifeval_prompt_{strictness}"
    title = f"IFEval prompts, {strictness}"
    return Metric(name, score, mean, title=title, bounds=constant_bounds((0.0, 1.0)), unit="share", credit=float)


def instruction_metric(strictness: Strictness) -> Metric:
    """Make a metric of the share of instructions followed, pooled over all prompts."""

    def score(sample: Sample, output: Generation) -> tuple[int, int]:
        results = _select_results(strictness, check_instructions(sample, output.text))
        return sum(results), len(results)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        count = _instruction_count(sample)
        return (0, count), (count, count)

    name = f"ifeval_instruction_{strictness}"
    return Metric(name, score, ratio, title=f"IFEval instructions, {strictness}", bounds=bounds, unit="share")


def _instruction_count(sample: Sample) -> int:
    """Return the number of instructions of a sample; 0 if they cannot be read."""
    try:
        return len(get_instructions(sample))
    except Unreadable:
        return 0


def _score_all(sample: Sample, output: Generation) -> tuple[int, ...]:
    results = check_instructions(sample, output.text)
    strict, loose = results.strict, results.loose
    return int(all(strict)), int(all(loose)), sum(strict), sum(loose), len(strict)


def _score_all_bounds(sample: Sample) -> tuple[Stat, Stat]:
    count = _instruction_count(sample)
    return (0, 0, 0, 0, count), (1, 1, count, count, count)


def _four_accuracies(totals: Array) -> dict[str, float]:
    prompts, count = totals[-1], totals[COUNT]
    return {
        "prompt_strict": divide(totals[PROMPT_STRICT], prompts),
        "prompt_loose": divide(totals[PROMPT_LOOSE], prompts),
        "instruction_strict": divide(totals[STRICT], count),
        "instruction_loose": divide(totals[LOOSE], count),
    }


def _mean_accuracy(totals: Array) -> float:
    return sum(_four_accuracies(totals).values()) / 4


def _details(totals: Array) -> Details:
    return {**_four_accuracies(totals), "instructions": int(totals[COUNT])}


ifeval_prompt_strict = prompt_metric("strict")
ifeval_prompt_loose = prompt_metric("loose")
ifeval_instruction_strict = instruction_metric("strict")
ifeval_instruction_loose = instruction_metric("loose")
ifeval = Metric(
    "ifeval",
    _score_all,
    SumAggregator(_mean_accuracy, _details),
    title="IFEval",
    bounds=_score_all_bounds,
    unit="share",
)
