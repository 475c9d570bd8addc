"""Group the conditions of a suite into families: the same change at several levels, from the easiest to the hardest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from auricle.engine.conditions import Condition
from auricle.runs.metrics import FamilyFacts


def list_families(conditions: Mapping[str, str]) -> list[FamilyFacts]:
    """Return the families of some conditions, in the order in which they first occur.

    A family with levels on both sides of the one that changes nothing becomes two: slower and faster speech are two
    curves.

    >>> [family.parts for family in list_families({"a": "noise:snr=0", "b": "noise:snr=20", "c": "reverb:t60=0.5"})]
    [('b', 'a'), ('c',)]

    Args:
        conditions: The condition of each part, by its name.
    """
    members: dict[tuple[str, bool], list[tuple[str, Condition]]] = {}
    for part, text in conditions.items():
        condition = Condition.parse(text)
        has_level = isinstance(condition.level, (int, float))
        name = condition.family if has_level else str(condition)
        members.setdefault((name, has_level), []).append((part, condition))
    return [family for (name, _), parts in members.items() for family in _split_family(name, parts)]


def _split_family(name: str, parts: Sequence[tuple[str, Condition]]) -> Iterator[FamilyFacts]:
    first = parts[0][1]
    if not isinstance(first.level, (int, float)):
        yield FamilyFacts(name, tuple(part for part, _ in parts))
        return
    levels = [(float(condition.level or 0), part) for part, condition in parts]
    clean = first.clean_level
    if clean is None:
        yield _build_family(name, levels, first, is_harder_if_higher=first.is_harder_if_higher)
        return
    sides = {
        "below": [pair for pair in levels if pair[0] < clean],
        "above": [pair for pair in levels if pair[0] >= clean],
    }
    for side, pairs in sides.items():
        if pairs:
            label = f"{name} {side} {clean:g}" if all(sides.values()) else name
            yield _build_family(label, pairs, first, is_harder_if_higher=side == "above")


def _build_family(
    name: str, levels: Sequence[tuple[float, str]], condition: Condition, *, is_harder_if_higher: bool
) -> FamilyFacts:
    ordered = sorted(levels, key=lambda pair: pair[0], reverse=not is_harder_if_higher)
    return FamilyFacts(
        name,
        tuple(part for _, part in ordered),
        tuple(level for level, _ in ordered),
        condition.unit,
        is_harder_if_higher,
        condition.is_logarithmic,
        condition.clean_level,
    )
