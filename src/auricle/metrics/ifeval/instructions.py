"""A sample's instructions, and which of them its answer follows: strictly, or in any variant."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from auricle.core.errors import Unreadable
from auricle.core.types import Json, Sample
from auricle.metrics.ifeval.checks import CHECKS

ID_FIELDS = ("instruction_id_list", "instruction")
"""IFEval's own name, then Kimi-Audio-Evalkit's; so for the arguments."""
ARGUMENT_FIELDS = ("kwargs", "instruction_kwargs")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One thing an answer should do, with the arguments its check takes."""

    name: str
    arguments: Mapping[str, Any]

    def is_followed(self, answer: str) -> bool:
        """Does this answer do it? One with nothing in it never does."""
        if not answer.strip():
            return False
        try:
            return CHECKS[self.name](answer, **self.arguments)
        except (TypeError, ValueError, AttributeError) as error:
            raise Unreadable(f"{self.name} cannot take {dict(self.arguments)}: {error}") from error


@dataclass(frozen=True, slots=True)
class InstructionResults:
    """For each instruction, whether it was followed."""

    strict: tuple[bool, ...]
    loose: tuple[bool, ...]


def check_instructions(sample: Sample, answer: str) -> InstructionResults:
    """What the answer follows; an instruction nobody can check makes the sample unscored."""
    names, arguments = _read_field(sample, ID_FIELDS), _read_field(sample, ARGUMENT_FIELDS)
    return _check_cached(answer, orjson.dumps([names, arguments]))


@lru_cache(maxsize=16)  # five metrics ask about the same answer, one after the other
def _check_cached(answer: str, instructions_json: bytes) -> InstructionResults:
    told = _build_instructions(*orjson.loads(instructions_json))
    variants = _loose_variants(answer)
    return InstructionResults(
        tuple(each.is_followed(answer) for each in told), tuple(any(map(each.is_followed, variants)) for each in told)
    )


def get_instructions(sample: Sample) -> list[Instruction]:
    """What a sample's `meta` asks for, by IFEval's field names or by Kimi-Audio-Evalkit's."""
    return _build_instructions(_read_field(sample, ID_FIELDS), _read_field(sample, ARGUMENT_FIELDS))


def _build_instructions(names: Any, arguments: Any) -> list[Instruction]:
    if not isinstance(names, list) or not names:
        raise Unreadable(f"no instructions to check: a list of ids is due as {ID_FIELDS[0]}")
    arguments = [{}] * len(names) if arguments is None else arguments
    if not isinstance(arguments, list) or len(arguments) != len(names):
        raise Unreadable(f"{ARGUMENT_FIELDS[0]} should be a list of {len(names)}, one an id")
    return [_build_instruction(*pair) for pair in zip(names, arguments, strict=True)]


def _build_instruction(name: Any, arguments: Any) -> Instruction:
    if name not in CHECKS:
        raise Unreadable(f"no check for {name!r}; docs/open-answers.md lists those there are")
    if not isinstance(arguments or {}, dict):
        raise Unreadable(f"the arguments of {name} should be an object, not {arguments!r}")
    arguments = {key: value for key, value in (arguments or {}).items() if value is not None}
    needed = _required_arguments(name)
    if missing := [each for each in needed if each not in arguments]:
        raise Unreadable(f"{name} needs {', '.join(missing)}")
    return Instruction(name, {each: arguments[each] for each in needed})


@lru_cache
def _required_arguments(name: str) -> tuple[str, ...]:
    return tuple(inspect.signature(CHECKS[name]).parameters)[1:]


def _read_field(sample: Sample, names: tuple[str, ...]) -> Json:
    """The first of these fields a sample has; a list or an object may be spelt as JSON text."""
    value = next((sample.meta[name] for name in names if sample.meta.get(name) is not None), None)
    if not isinstance(value, str):
        return value
    try:
        parsed: Json = orjson.loads(value)
    except orjson.JSONDecodeError:
        return [value]  # one id, by itself
    return parsed


def _loose_variants(answer: str) -> list[str]:
    """The answer without its first line, its last, both; and each of these without asterisks."""
    lines = answer.split("\n")
    cut = [answer, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    return list(dict.fromkeys([*cut, *(text.replace("*", "") for text in cut)]))
