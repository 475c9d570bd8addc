"""Read TextGrid files of Praat and of forced aligners: the intervals of a tier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from auricle.core.errors import SampleError
from auricle.core.types import Segment

WORD_TIERS = ("words", "word", "wrd")
"""Names of the tier with words; `speaker - words` is one, too."""
SILENCE_LABELS = frozenset({"", "sil", "sp", "<sil>", "<eps>", "<p:>"})
"""Labels of intervals in which nothing is spoken."""
INTERVAL_TIER, POINT_TIER = '"IntervalTier"', '"TextTier"'
TOKEN = re.compile(r'"(?:[^"]|"")*"|\S+')
NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def read_textgrid(path: Path, tier: str = "") -> tuple[Segment, ...]:
    """Return the labelled intervals of a tier, in order; silences are left out.

    Args:
        path: A TextGrid file in the long or the short text format.
        tier: Name of the tier. [default: the tier of words, or the only interval tier]

    Raises:
        SampleError: if the file cannot be read, or has no such tier.
    """
    try:
        content = path.read_bytes()
        text = content.decode(BYTE_ORDER_MARKS.get(content[:2], "utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise SampleError(f"cannot read {path}: {error}") from error
    try:
        tiers = parse_textgrid(text)
    except (IndexError, ValueError) as error:
        raise SampleError(f"{path} is not a TextGrid file in text format: {error}") from error
    return _choose_tier(path, tiers, tier)


def parse_textgrid(text: str) -> dict[str, tuple[Segment, ...]]:
    """Return the interval tiers of a TextGrid by name.

    Both text formats have the same values in the same order: quoted texts and numbers that stand for themselves.
    Anything between them, such as `xmin =` or `intervals [1]:`, is a comment.

    Raises:
        ValueError: if a value is missing or of another kind.
    """
    values = iter([token for token in TOKEN.findall(text) if token.startswith('"') or NUMBER.fullmatch(token)])
    head = [next(values, "") for _ in range(5)]
    if head[1] != '"TextGrid"':
        raise ValueError('it does not begin with "TextGrid"')
    tiers: dict[str, tuple[Segment, ...]] = {}
    for _ in range(_to_count(head[4])):
        kind, name = _take(values, 2)
        _, _, size = _take(values, 3)
        if kind == POINT_TIER:
            _take(values, 2 * _to_count(size))
        elif kind == INTERVAL_TIER:
            tiers[_unquote(name)] = tuple(_read_interval(values) for _ in range(_to_count(size)))
        else:
            raise ValueError(f"unknown tier {kind}")
    return tiers


def _read_interval(values: Iterator[str]) -> Segment:
    start, end, label = _take(values, 3)
    return Segment(float(start), float(end), _unquote(label).strip())


def _take(values: Iterator[str], count: int) -> list[str]:
    taken = [value for _, value in zip(range(count), values, strict=False)]
    if len(taken) < count:
        raise ValueError("it ends too early")
    return taken


def _to_count(value: str) -> int:
    if not value.isdecimal():
        raise ValueError(f"expected a number of items, got {value}")
    return int(value)


def _unquote(value: str) -> str:
    if not value.startswith('"'):
        raise ValueError(f"expected a text in quotes, got {value}")
    return value[1:-1].replace('""', '"')


def _choose_tier(path: Path, tiers: dict[str, tuple[Segment, ...]], name: str) -> tuple[Segment, ...]:
    names: Sequence[str] = [name] if name else [tier for tier in tiers if _has_words(tier)] or list(tiers)
    if len(names) != 1 or names[0] not in tiers:
        problem = f"no tier {name!r}" if name else "no single tier of words"
        raise SampleError(f"{path} has {problem}. Interval tiers: {', '.join(map(repr, tiers)) or 'none'}")
    return tuple(segment for segment in tiers[names[0]] if segment.text.casefold() not in SILENCE_LABELS)


def _has_words(tier: str) -> bool:
    return tier.rpartition(" - ")[2].casefold() in WORD_TIERS
