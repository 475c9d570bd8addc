"""What may be said of a manifest with `-T key=value`, in YAML or in Python."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

LIST_OPTIONS = ("metrics", "labels", "stop", "by", "answers")
INTEGER_OPTIONS = ("max_tokens", "votes", "samples")
NESTED_OPTIONS = ("prompt", "shots", "inferencer")
"""Options that may have parts of their own."""
LANGUAGE_ALIASES = {"eng": "en", "cmn": "zh", "zho": "zh", "chi": "zh", "jpn": "ja", "tha": "th"}


@dataclass(frozen=True)
class TaskOptions:
    """What a kind of task takes; what is not said, the kind itself decides."""

    data: str
    name: str = ""
    root: str | None = None
    target: str = ""
    """The column that holds the right answer, where it has a name of its own."""
    rows: str = ""
    """Which rows, as `[from:to]` counted from 0."""
    language: str = ""
    profile: str = ""
    metrics: str | Sequence[str] = ()
    rubric: str = ""
    """A YAML file; a judge's verdicts under it become one more metric."""
    votes: int = 0
    """How often a judge is asked the same; by default as often as its rubric says."""
    prompt: Any = ""
    """A text with fields, a list of messages, or `system`, `examples` and `turns`."""
    question: str = ""
    """Asked of rows that have no question of their own."""
    system: str = ""
    shots: Any = None
    """How many examples, or how they are chosen: `use`, `k`, `pool` and more."""
    inferencer: Any = ""
    """How a model is asked: a name, or `use` and what it takes."""
    max_tokens: int = 512
    temperature: float = 0.0
    stop: str | Sequence[str] = ()
    samples: int = 1
    """How many answers to the same question."""
    answers: str | Sequence[str] = ""
    """Which of several answers counts: vote, mean, best, likeliest, turns, first, last."""
    labels: str | Sequence[str] = ()
    synonyms: bool = True
    """May a model's label mean a label of the task that is another word, as joy and happiness?"""
    cluster: str = ""
    by: str | Sequence[str] = ()
    """Meta fields to break numbers down by; by default all that have few values."""
    config: str | None = None
    split: str = "test"
    revision: str | None = None
    licence: str = ""
    reader: Any = None
    """What makes samples where `data` is no file: a function that published benchmarks bring."""

    @classmethod
    def from_arguments(cls, kind: str, arguments: Mapping[str, Any]) -> TaskOptions:
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in arguments if name not in known]:
            known.remove("reader")  # nothing to be said on a command line
            near = difflib.get_close_matches(unknown[0], known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known)}."
            told = ", ".join(unknown)
            raise SpecError(f"{kind} takes no option {told}. {hint}", location=(unknown[0],))
        if not arguments.get("data"):
            raise SpecError(f"{kind} needs data: `auricle run mine.jsonl --as {kind} -m MODEL`.")
        options = cls(**{name: _parse_option(name, value) for name, value in arguments.items()})
        return replace(options, language=_normalise_language(options.language))


def _parse_option(name: str, value: Any) -> Any:
    """Numbers where text is due are taken as text, as a command line means them."""
    if name == "reader":
        return _check_callable(name, value)
    if value is None or (name in NESTED_OPTIONS and isinstance(value, (Mapping, list, tuple, int))):
        return value
    if name in INTEGER_OPTIONS:
        return _check_number(name, value, int, 1, "a whole number from 1")
    if name == "temperature":
        return float(_check_number(name, value, (int, float), 0, "a number from 0"))
    if name == "synonyms":
        return _check_flag(name, value)
    if name in LIST_OPTIONS and isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    if isinstance(value, (str, int, float, Path)):
        return str(value)
    raise _option_error(name, "text", value)


def _check_number(name: str, value: Any, types: Any, minimum: int, expected: str) -> Any:
    if not isinstance(value, types) or isinstance(value, bool) or value < minimum:
        raise _option_error(name, expected, value)
    return value


def _check_callable(name: str, value: Any) -> Any:
    if not callable(value):
        raise _option_error(name, "a function", value)
    return value


def _check_flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _option_error(name, "true or false", value)
    return value


def _option_error(name: str, expected: str, value: Any) -> SpecError:
    return SpecError(f"{name} should be {expected}, not {value!r}.", location=(name,))


def _normalise_language(language: str) -> str:
    """`zh-CN` and `ZH` are `zh`; what is no language code is refused."""
    code = re.split("[-_]", language.strip().lower())[0]
    if code and not re.fullmatch("[a-z]{2,3}", code):
        raise SpecError(f"language should be a code such as en, zh or de, not {language!r}.", location=("language",))
    return LANGUAGE_ALIASES.get(code, code)


def parse_span(rows: str) -> tuple[int, int | None]:
    """The first row and the one after the last, from `[from:to]`."""
    if not rows:
        return 0, None
    found = re.fullmatch(r"\[(\d*):(\d*)\]", rows.replace(" ", ""))
    if not found:
        raise _option_error("rows", "such as [:100] or [100:200]", rows)
    first, last = found.groups()
    return int(first or 0), int(last) if last else None


def split_list(value: str | Sequence[str]) -> list[str]:
    """Names from a list, or from one text with commas."""
    if isinstance(value, str):
        return [each.strip() for each in value.split(",")] if value else []
    return list(value)
