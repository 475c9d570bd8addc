"""From stats to numbers. Every number carries its count, its interval, its losses and its name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auricle.core.errors import told
from auricle.metrics.statistics import interval
from auricle.report.columns import Column
from auricle.report.score import Scoreboard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Number:
    """A metric's value over some samples, and how far to trust it."""

    metric: str
    details: dict[str, Any]
    field: str
    """The meta field the samples share a value of; empty for all of them together."""
    group: str
    value: float
    low: float
    high: float
    interval: str
    scored: int
    total: int
    failed: int
    unreadable: int
    worst: float
    """The value had every failed sample gone as badly as can be; `value` if none failed."""
    best: float
    higher_is_better: bool
    unit: str
    signature: str

    @property
    def coverage(self) -> float:
        return self.scored / self.total if self.total else math.nan


def summarise(board: Scoreboard, prefix: str = "", suffix: str = "") -> list[Number]:
    """Each metric over all samples, then by subset, then by every other field."""
    rank = _ranks(board)
    return [
        replace(number, signature=f"{prefix}|{number.signature}|{suffix}".strip("|"))
        for field, group, members in groups(board)
        for number in _numbers(board, Group(field, group, members), rank)
    ]


def _ranks(board: Scoreboard) -> Places:
    """For each place in the scoreboard, its place in the data."""
    import numpy as np

    order = np.argsort(_array(board.rows), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def groups(board: Scoreboard) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Field, value and who belongs: everybody first, then subsets, then the rest by name."""
    import numpy as np

    yield "", "all", np.ones(board.total, dtype=bool)
    for name in sorted(board.fields, key=lambda each: (each != "subset", each)):
        codes = np.frombuffer(board.fields[name].codes, dtype=np.int64)
        values = board.fields[name].values
        if name != "subset" and not 1 < len(values) < board.total:
            continue
        for value, code in sorted(values.items(), key=lambda item: _natural(item[0])):
            yield name, value, codes == code


def _natural(text: str) -> tuple[int, float, str]:
    """Numbers in their own order, before words."""
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text


@dataclass(frozen=True, slots=True)
class Group:
    """Samples that share a value of a meta field, or all of them."""

    field: str
    value: str
    members: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Share:
    """A metric's stats within a group, in data order, and the places they belong to."""

    column: Column
    stats: Any
    places: Places


def _numbers(board: Scoreboard, group: Group, rank: Places) -> list[Number]:
    return _told_once(_with_ceiling(list(_made(board, group, rank)), board))


def _with_ceiling(numbers: list[Number], board: Scoreboard) -> list[Number]:
    """Numbers that a label without a counterpart holds down, with how high they can rise."""
    matrices = [each.details["matrix"] for each in numbers if "matrix" in each.details]
    if not matrices or not matrices[0]["ceiling"] < 1.0:
        return numbers
    capped = {column.metric.name for column in board.columns if column.metric.capped}
    ceiling = {"ceiling": matrices[0]["ceiling"]}
    return [
        replace(each, details={**each.details, **ceiling}) if each.metric in capped else each
        for each in numbers
    ]


def _told_once(numbers: list[Number]) -> list[Number]:
    """A matrix stands beside the first of the numbers that are made from it."""
    matrices: list[Any] = []
    told = []
    for number in numbers:
        details = number.details
        if (found := details.get("matrix")) in matrices:
            told.append(replace(number, details=_without(details, "matrix", "classes", "notes")))
            continue
        matrices += [found] if found else []
        told.append(number)
    return told


def _without(details: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in details.items() if name not in names}


def _made(board: Scoreboard, group: Group, rank: Places) -> Iterator[Number]:
    for column in board.columns:
        if column.refused or not (share := _share(column, group, rank)):
            continue
        try:
            yield _number(board, group, share)
        except Exception as error:  # noqa: BLE001 - a fold of somebody's own; told beside the rest
            column.refused = f"its fold raised {type(error).__name__}: {told(error)}"


def _share(column: Column, group: Group, rank: Places) -> Share | None:
    import numpy as np

    places = _array(column.places)
    which = np.flatnonzero(group.members[places])
    if not len(which):
        return None
    which = which[np.argsort(rank[places[which]], kind="stable")]
    return Share(column, column.stats[which], places[which])


def _number(board: Scoreboard, group: Group, share: Share) -> Number:
    metric, members = share.column.settled(), _about(share.column, group.members)
    spread = interval(share.stats, metric.fold, clusters=_clusters(board, share.places))
    value = float(metric.fold(share.stats))
    worst, best = _bounds(share.column, share.stats, members, value)
    return Number(
        metric=metric.name,
        field=group.field,
        group=group.value,
        value=value,
        low=spread.low,
        high=spread.high,
        interval=spread.method,
        scored=len(share.places),
        total=int(members.sum()),
        failed=int(members[_array(board.failed)].sum()),
        unreadable=int(members[_array(share.column.unreadable)].sum()),
        worst=worst,
        best=best,
        higher_is_better=metric.higher_is_better,
        unit=metric.unit,
        signature=metric.signature,
        details={
            **metric.details(share.stats),
            **({} if group.field else metric.drawn(share.stats)),
        },
    )


def _about(column: Column, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of a group that a metric is about."""
    if not column.others:
        return members
    found = members.copy()
    found[_array(column.others)] = False
    return found


def _clusters(board: Scoreboard, places: Places) -> Places | None:
    """Cluster codes from 0 without gaps, or nothing where every sample stands for itself."""
    import numpy as np

    if not board.clustered:
        return None
    codes = _array(board.clusters.codes)[places]
    found, first, members = np.unique(codes, return_index=True, return_inverse=True)
    if len(found) < 2:
        return None  # within one cluster, samples are all there is
    order = np.argsort(np.argsort(first))  # by first appearance in the data, not in the journal
    return order[members]


def _bounds(
    column: Column, stats: Any, members: NDArray[np.bool_], value: float
) -> tuple[float, float]:
    """The value had every failed sample been as bad, or as good, as can be."""
    import numpy as np

    which = np.flatnonzero(members[_array(column.lost)])
    if not len(which):
        return value, value
    worst, best = (
        float(column.metric.fold([*stats, *lost[which]])) for lost in (column.worst, column.best)
    )
    return worst, best


def _array(places: Any) -> Places:
    import numpy as np

    return np.frombuffer(places, dtype=np.int64) if len(places) else np.empty(0, dtype=np.int64)
