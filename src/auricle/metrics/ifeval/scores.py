"""The five numbers of IFEval: prompts and instructions, strict and loose, and their mean."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from auricle.core.errors import MissingExtra, Unreadable
from auricle.core.types import Generation, Sample, Stat
from auricle.metrics.base import Details, Metric, Sums, divide, mean, ratio, within
from auricle.metrics.ifeval.check_sample import Verdict, instructions, verdict

if TYPE_CHECKING:
    from auricle.metrics.base import Array

if find_spec("langdetect") is None:  # told when the metric is looked up, not after the run
    raise MissingExtra("IFEval", "ifeval")

Manner = Literal["strict", "loose"]
PROMPT_STRICT, PROMPT_LOOSE, STRICT, LOOSE, COUNT = range(5)


def _in(manner: Manner, found: Verdict) -> tuple[bool, ...]:
    return found.strict if manner == "strict" else found.loose


def by_prompt(manner: Manner) -> Metric:
    """The share of prompts all of whose instructions were followed."""

    def score(sample: Sample, output: Generation) -> float:
        return float(all(_in(manner, verdict(sample, output.text))))

    name = f"ifeval_prompt_{manner}"
    return Metric(name, score, mean, bounds=within((0.0, 1.0)), unit="share")


def by_instruction(manner: Manner) -> Metric:
    """The share of instructions followed, pooled over all prompts."""

    def score(sample: Sample, output: Generation) -> tuple[int, int]:
        found = _in(manner, verdict(sample, output.text))
        return sum(found), len(found)

    def bounds(sample: Sample) -> tuple[Stat, Stat]:
        count = _count(sample)
        return (0, count), (count, count)

    name = f"ifeval_instruction_{manner}"
    return Metric(name, score, ratio, bounds=bounds, unit="share")


def _count(sample: Sample) -> int:
    """How many instructions a sample has; one that cannot be scored weighs nothing."""
    try:
        return len(instructions(sample))
    except Unreadable:
        return 0


def _all_five(sample: Sample, output: Generation) -> tuple[int, ...]:
    found = verdict(sample, output.text)
    strict, loose = found.strict, found.loose
    return int(all(strict)), int(all(loose)), sum(strict), sum(loose), len(strict)


def _all_five_bounds(sample: Sample) -> tuple[Stat, Stat]:
    count = _count(sample)
    return (0, 0, 0, 0, count), (1, 1, count, count, count)


def _four(totals: Array) -> dict[str, float]:
    prompts, count = totals[-1], totals[COUNT]
    return {
        "prompt_strict": divide(totals[PROMPT_STRICT], prompts),
        "prompt_loose": divide(totals[PROMPT_LOOSE], prompts),
        "instruction_strict": divide(totals[STRICT], count),
        "instruction_loose": divide(totals[LOOSE], count),
    }


def _mean_of_four(totals: Array) -> float:
    return sum(_four(totals).values()) / 4


def _details(totals: Array) -> Details:
    return {**_four(totals), "instructions": int(totals[COUNT])}


ifeval_prompt_strict = by_prompt("strict")
ifeval_prompt_loose = by_prompt("loose")
ifeval_instruction_strict = by_instruction("strict")
ifeval_instruction_loose = by_instruction("loose")
ifeval = Metric(
    "ifeval", _all_five, Sums(_mean_of_four, _details), bounds=_all_five_bounds, unit="share"
)
