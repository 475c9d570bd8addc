"""The five metrics of IFEval: prompt and instruction accuracy, strict and loose, and their mean.

The instructions of a sample are in its metadata; `checks` has one function for each.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import orjson

from auricle.core.errors import MissingExtra, Unreadable
from auricle.core.types import Generation, Json, Sample, Stat
from auricle.metrics.base import Array, Metric, RatioAggregator, SumAggregator, constant_bounds, divide, mean
from auricle.metrics.capabilities import Bounded, Credited
from auricle.metrics.scales import SHARE
from auricle.tasks.questions.ifeval.checks import CHECKS

if find_spec("langdetect") is None:  # at import, so that it is reported before the run starts
    raise MissingExtra("IFEval", "ifeval")

Strictness = Literal["strict", "loose"]
PROMPT_STRICT, PROMPT_LOOSE, STRICT, LOOSE, COUNT = range(5)
ID_FIELDS = ("instruction_id_list", "instruction")
"""Field names of the instruction ids in IFEval and in Kimi-Audio-Evalkit."""
ARGUMENT_FIELDS = ("kwargs", "instruction_kwargs")
"""Field names of the arguments, in the same order."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction with the arguments of its check."""

    name: str
    arguments: Mapping[str, Any]

    def is_followed(self, answer: str) -> bool:
        """Return whether an answer follows the instruction; an empty answer never does."""
        if not answer.strip():
            return False
        try:
            return CHECKS[self.name](answer, **self.arguments)
        except (TypeError, ValueError, AttributeError) as error:
            raise Unreadable(f"invalid arguments of {self.name}: {dict(self.arguments)}: {error}") from error


class InstructionResults(NamedTuple):
    """Whether each instruction is followed, in the answer itself or in any of its loose variants."""

    strict: tuple[bool, ...]
    loose: tuple[bool, ...]


def check_instructions(sample: Sample, answer: str) -> InstructionResults:
    """Check an answer; an instruction without a check makes the sample unreadable."""
    names, arguments = _read_field(sample, ID_FIELDS), _read_field(sample, ARGUMENT_FIELDS)
    return _check_cached(answer, orjson.dumps([names, arguments]))


@lru_cache(maxsize=16)  # five metrics check the same answer one after another
def _check_cached(answer: str, instructions_json: bytes) -> InstructionResults:
    instructions = _build_instructions(*orjson.loads(instructions_json))
    variants = _loose_variants(answer)
    return InstructionResults(
        strict=tuple(instruction.is_followed(answer) for instruction in instructions),
        loose=tuple(any(map(instruction.is_followed, variants)) for instruction in instructions),
    )


def get_instructions(sample: Sample) -> list[Instruction]:
    """Return the instructions in the metadata of a sample, with field names of IFEval or Kimi-Audio-Evalkit."""
    return _build_instructions(_read_field(sample, ID_FIELDS), _read_field(sample, ARGUMENT_FIELDS))


def _build_instructions(names: Any, arguments: Any) -> list[Instruction]:
    if not isinstance(names, list) or not names:
        raise Unreadable(f"no instructions to check: expected a list of ids in {ID_FIELDS[0]}")
    arguments = [{}] * len(names) if arguments is None else arguments
    if not isinstance(arguments, list) or len(arguments) != len(names):
        raise Unreadable(f"{ARGUMENT_FIELDS[0]} should be a list of {len(names)} objects, one per id")
    return [_build_instruction(*pair) for pair in zip(names, arguments, strict=True)]


def _build_instruction(name: Any, arguments: Any) -> Instruction:
    if name not in CHECKS:
        raise Unreadable(f"unknown instruction {name!r}; see docs/open-answers.md for the list")
    if not isinstance(arguments or {}, dict):
        raise Unreadable(f"the arguments of {name} should be an object, not {arguments!r}")
    arguments = {key: value for key, value in (arguments or {}).items() if value is not None}
    required = _required_arguments(name)
    if missing := [key for key in required if key not in arguments]:
        raise Unreadable(f"{name} needs {', '.join(missing)}")
    return Instruction(name, {key: arguments[key] for key in required})


@lru_cache
def _required_arguments(name: str) -> tuple[str, ...]:
    return tuple(inspect.signature(CHECKS[name]).parameters)[1:]


def _read_field(sample: Sample, names: tuple[str, ...]) -> Json:
    """Return the first of these metadata fields; text is parsed as JSON if possible."""
    value = next((sample.meta[name] for name in names if sample.meta.get(name) is not None), None)
    if not isinstance(value, str):
        return value
    try:
        parsed: Json = orjson.loads(value)
    except orjson.JSONDecodeError:
        return [value]  # a single id
    return parsed


def _loose_variants(answer: str) -> list[str]:
    """Return the answer, also without its first or last line or both, and each of these without asterisks."""
    lines = answer.split("\n")
    trimmed = [answer, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return list(dict.fromkeys([*trimmed, *(text.replace("*", "") for text in trimmed)]))


# --- metrics ------------------------------------------------------------------------------


class PromptAccuracy(Metric, Bounded, Credited):
    """The share of prompts whose instructions are all followed."""

    unit, aggregate = "share", mean
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)

    def __init__(self, strictness: Strictness) -> None:
        super().__init__(f"ifeval_prompt_{strictness}", title=f"IFEval prompts, {strictness}")
        self._strictness = strictness

    def score(self, sample: Sample, output: Generation) -> float:
        return float(all(getattr(check_instructions(sample, output.text), self._strictness)))


class InstructionAccuracy(Metric, Bounded):
    """The share of instructions followed, pooled over all prompts."""

    unit, aggregate = "share", RatioAggregator(is_share=True)

    def __init__(self, strictness: Strictness) -> None:
        super().__init__(f"ifeval_instruction_{strictness}", title=f"IFEval instructions, {strictness}")
        self._strictness = strictness

    def score(self, sample: Sample, output: Generation) -> tuple[int, int]:
        results = getattr(check_instructions(sample, output.text), self._strictness)
        return sum(results), len(results)

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        count = _instruction_count(sample)
        return (0, count), (count, count)


def _instruction_count(sample: Sample) -> int:
    """Return the number of instructions of a sample; 0 if they cannot be read."""
    try:
        return len(get_instructions(sample))
    except Unreadable:
        return 0


def _four_accuracies(totals: Array) -> dict[str, float]:
    prompts, count = totals[-1], totals[COUNT]
    return {
        "prompt_strict": divide(totals[PROMPT_STRICT], prompts),
        "prompt_loose": divide(totals[PROMPT_LOOSE], prompts),
        "instruction_strict": divide(totals[STRICT], count),
        "instruction_loose": divide(totals[LOOSE], count),
    }


class IfEval(Metric, Bounded):
    """The mean of the four accuracies."""

    name, title, unit = "ifeval", "IFEval", "share"
    aggregate = SumAggregator(
        lambda totals: sum(_four_accuracies(totals).values()) / 4,
        lambda totals: {**_four_accuracies(totals), "instructions": int(totals[COUNT])},
        SHARE,
    )

    def score(self, sample: Sample, output: Generation) -> tuple[int, ...]:
        results = check_instructions(sample, output.text)
        strict, loose = results.strict, results.loose
        return int(all(strict)), int(all(loose)), sum(strict), sum(loose), len(strict)

    def bounds(self, sample: Sample) -> tuple[Stat, Stat]:
        count = _instruction_count(sample)
        return (0, 0, 0, 0, count), (1, 1, count, count, count)


ifeval_prompt_strict = PromptAccuracy("strict")
ifeval_prompt_loose = PromptAccuracy("loose")
ifeval_instruction_strict = InstructionAccuracy("strict")
ifeval_instruction_loose = InstructionAccuracy("loose")
ifeval = IfEval()
