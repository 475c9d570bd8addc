"""What may be said of a manifest with `-T key=value`, in YAML or in Python."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError

LISTS = ("metrics", "labels", "stop", "by", "answers")
WHOLE = ("max_tokens", "votes", "samples")
NESTED = ("prompt", "shots", "inferencer")
"""Options that may have parts of their own."""
CODES = {"eng": "en", "cmn": "zh", "zho": "zh", "chi": "zh", "jpn": "ja", "tha": "th"}


@dataclass(frozen=True)
class Options:
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
    def of(cls, kind: str, given: Mapping[str, Any]) -> Options:
        known = [each.name for each in fields(cls)]
        if unknown := [name for name in given if name not in known]:
            known.remove("reader")  # nothing to be said on a command line
            near = difflib.get_close_matches(unknown[0], known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It takes {', '.join(known)}."
            told = ", ".join(unknown)
            raise SpecError(f"{kind} takes no option {told}. {hint}", where=(unknown[0],))
        if not given.get("data"):
            raise SpecError(f"{kind} needs data: `auricle run mine.jsonl --as {kind} -m MODEL`.")
        options = cls(**{name: _option(name, value) for name, value in given.items()})
        return replace(options, language=_code(options.language))


def _option(name: str, value: Any) -> Any:
    """Numbers where text is due are taken as text, as a command line means them."""
    if name == "reader":
        return _callable(name, value)
    if value is None or (name in NESTED and isinstance(value, (Mapping, list, tuple, int))):
        return value
    if name in WHOLE:
        return _number(name, value, int, 1, "a whole number from 1")
    if name == "temperature":
        return float(_number(name, value, (int, float), 0, "a number from 0"))
    if name == "synonyms":
        return _flag(name, value)
    if name in LISTS and isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    if isinstance(value, (str, int, float, Path)):
        return str(value)
    raise _wrong(name, "text", value)


def _number(name: str, value: Any, kind: Any, least: int, due: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool) or value < least:
        raise _wrong(name, due, value)
    return value


def _callable(name: str, value: Any) -> Any:
    if not callable(value):
        raise _wrong(name, "a function", value)
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false", value)
    return value


def _wrong(name: str, due: str, value: Any) -> SpecError:
    return SpecError(f"{name} should be {due}, not {value!r}.", where=(name,))


def _code(language: str) -> str:
    """`zh-CN` and `ZH` are `zh`; what is no language code is refused."""
    code = re.split("[-_]", language.strip().lower())[0]
    if code and not re.fullmatch("[a-z]{2,3}", code):
        raise SpecError(
            f"language should be a code such as en, zh or de, not {language!r}.",
            where=("language",),
        )
    return CODES.get(code, code)


def span_of(rows: str) -> tuple[int, int | None]:
    """The first row and the one after the last, from `[from:to]`."""
    if not rows:
        return 0, None
    found = re.fullmatch(r"\[(\d*):(\d*)\]", rows.replace(" ", ""))
    if not found:
        raise _wrong("rows", "such as [:100] or [100:200]", rows)
    first, last = found.groups()
    return int(first or 0), int(last) if last else None


def listed(value: str | Sequence[str]) -> list[str]:
    """Names from a list, or from one text with commas."""
    if isinstance(value, str):
        return [each.strip() for each in value.split(",")] if value else []
    return list(value)
