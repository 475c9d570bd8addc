"""The samples that make the difference: those that went from right to wrong, or moved the most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.report.compare.loading import Pairs, Side
from auricle.report.compare.metric_rows import Matched
from auricle.report.worst_samples import MOST_SHOWN, Shown, shown


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


def flips(
    matched: Sequence[Matched], sides: tuple[Side, Side], pairs: Pairs, most: int
) -> dict[str, tuple[Flip, ...]]:
    """Of each metric, those that became worse, most first, then the better ones; `most` of each."""
    chosen = {each.metric.name: _chosen(each, most) for each in matched}
    places = {
        name: [int(pairs.a[each.pairs[at]]) for at in chosen[name]]
        for each in matched
        for name in (each.metric.name,)
    }
    ids = _ids(sides[0], {place for held in places.values() for place in held})
    held = [
        {record.sample.id: record for record in records(side, list(ids.values()))} for side in sides
    ]
    return {
        each.metric.name: tuple(
            _flips(
                each, chosen[each.metric.name], [ids[at] for at in places[each.metric.name]], held
            )
        )
        for each in matched
    }


def _chosen(matched: Matched, most: int) -> list[int]:
    import numpy as np

    change = matched.change
    worse = [int(at) for at in np.argsort(-change, kind="stable")[:most] if change[at] > 0]
    return worse + [int(at) for at in np.argsort(change, kind="stable")[:most] if change[at] < 0]


def _flips(
    matched: Matched,
    chosen: Sequence[int],
    ids: Sequence[str],
    held: Sequence[Mapping[str, Record]],
) -> Iterator[Flip]:
    stats = [
        {sample: _plain(side[at]) for sample, at in zip(ids, chosen, strict=True)}
        for side in (matched.a, matched.b)
    ]
    seen = [
        {
            look.id: look
            for look in looks(
                [side[sample] for sample in ids if sample in side], matched.metric, own, audio=False
            )
        }
        for side, own in zip(held, stats, strict=True)
    ]
    for sample, at in zip(ids, chosen, strict=True):
        if sample in seen[0] and sample in seen[1]:
            became = "worse" if matched.change[at] > 0 else "better"
            yield _flip(sample, became, seen, stats)


def _ids(side: Side, places: set[int]) -> dict[int, str]:
    return {place: sample for sample, place in side.place.items() if place in places}


def _plain(stat: Any) -> Any:
    return stat.tolist() if hasattr(stat, "tolist") else stat


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
