"""The samples that make the difference: those that went from right to wrong, or moved the most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.comparison.rows import Matched
from auricle.comparison.sides import Pairs, Side
from auricle.metrics.base import Metric
from auricle.report.worst import MOST_SHOWN, Shown, shown
from auricle.types import Record


@dataclass(frozen=True, slots=True)
class Flip:
    """One sample both runs answered, and not equally well."""

    id: str
    origin: str
    became: str
    """What B's answer is beside A's: `better` or `worse`."""
    target: str | None
    answer_a: str
    answer_b: str
    score_a: str
    score_b: str
    stat_a: Any
    stat_b: Any


def flips(matched: Matched, sides: tuple[Side, Side], pairs: Pairs, most: int) -> list[Flip]:
    """Those that became worse, most first, then those that became better; `most` of each."""
    import numpy as np

    order = np.argsort(matched.change, kind="stable")
    better = [int(at) for at in order[:most] if matched.change[at] < 0]
    order = np.argsort(-matched.change, kind="stable")
    worse = [int(at) for at in order[:most] if matched.change[at] > 0]
    chosen = worse + better
    ids = _ids(sides[0], [int(pairs.a[matched.pairs[at]]) for at in chosen])
    stats = [
        {sample: _plain(held[at]) for sample, at in zip(ids, chosen, strict=True)}
        for held in (matched.a, matched.b)
    ]
    looks = [_looks(side, ids, matched.metric, own) for side, own in zip(sides, stats, strict=True)]
    return [
        _flip(sample, "worse" if at in worse else "better", looks, stats)
        for sample, at in zip(ids, chosen, strict=True)
        if sample in looks[0] and sample in looks[1]
    ]


def _ids(side: Side, places: Sequence[int]) -> list[str]:
    wanted = set(places)
    names = {place: sample for sample, place in side.place.items() if place in wanted}
    return [names[place] for place in places]


def _plain(stat: Any) -> Any:
    return stat.tolist() if hasattr(stat, "tolist") else stat


def _looks(
    side: Side, ids: Sequence[str], metric: Metric, stats: Mapping[str, Any]
) -> dict[str, Shown]:
    return {each.id: each for each in looks(records(side, ids), metric, stats, audio=False)}


def records(side: Side, ids: Sequence[str]) -> list[Record]:
    """These samples as the journal has them now."""
    with side.run.held() as held:
        return [record for sample in ids if (record := held.get(sample))]


def looks(
    found: Sequence[Record], metric: Metric, stats: Mapping[str, Any], *, audio: bool
) -> list[Shown]:
    """What to show of any number of records; with sounds, of as many as a page holds."""
    if audio:
        return shown(found, metric, stats)
    return [
        each
        for start in range(0, len(found), MOST_SHOWN)
        for each in shown(found[start : start + MOST_SHOWN], metric, stats, audio=False)
    ]


def _flip(
    sample: str,
    became: str,
    looks: Sequence[Mapping[str, Shown]],
    stats: Sequence[Mapping[str, Any]],
) -> Flip:
    a, b = (side[sample] for side in looks)
    return Flip(
        id=sample,
        origin=a.origin,
        became=became,
        target=a.target,
        answer_a=_answer(a),
        answer_b=_answer(b),
        score_a=a.score,
        score_b=b.score,
        stat_a=stats[0][sample],
        stat_b=stats[1][sample],
    )


def _answer(look: Shown) -> str:
    """What was said, or the labels that were given the highest scores."""
    if look.said:
        return " | ".join(text for who, text in look.said if who.startswith("Answer"))
    return look.answer or ", ".join(f"{name} {value:.3g}" for name, value in look.values)
