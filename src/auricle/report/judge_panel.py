"""The verdicts of one judge or several, and the metrics that are computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from auricle.core.closing import Closing
from auricle.core.errors import SpecError
from auricle.core.signature import JUDGE_MARK
from auricle.core.types import Record
from auricle.metrics.agreement import make_panel_metrics
from auricle.metrics.base import Metric
from auricle.runs.health import DamagedLine
from auricle.runs.metrics import JudgeFacts
from auricle.runs.usage import Price
from auricle.runs.verdicts import Judge, VerdictIndex

NAME_SEPARATOR = "+"
NEEDS_JUDGE = "needs a judge: auricle score RUN --judge MODEL"


class JudgePanel(Closing):
    """The verdicts of the judges of a run.

    Args:
        path: The file with the verdicts.
        judges: The judges.
        prices: Prices of judges by their names, as far as they are known.
    """

    def __init__(self, path: Path, judges: Sequence[Judge], prices: Mapping[str, Price]) -> None:
        indexes = [VerdictIndex(path, judge, prices.get(judge.name)) for judge in judges]
        self._indexes = [index for index in indexes if not index.judge.reads_unread]
        self._unread_index = next((index for index in indexes if index.judge.reads_unread), None)
        self._by_metric: dict[str, tuple[Metric, VerdictIndex]] = {}

    @property
    def damaged(self) -> list[DamagedLine]:
        return self._all_indexes[0].damaged  # all read the same file

    @property
    def _all_indexes(self) -> list[VerdictIndex]:
        return [*self._indexes, *([self._unread_index] if self._unread_index else [])]

    def expand(self, metrics: Sequence[Metric], *, has_labels: bool = True) -> list[Metric]:
        """Add the judges to the signatures of metrics that use them, and add the metrics derived from these.

        With several judges, a metric keeps its name for the combined score, and there is one for each judge.

        Args:
            metrics: Metrics of a task.
            has_labels: Whether any sample has a human label; otherwise companions that need one are left out.
        """
        expanded: list[Metric] = []
        for metric in metrics:
            known = metric if has_labels else replace(metric, companions=())
            expanded += self._expand(known) if metric.judge_requests else [metric]
        return expanded

    def _expand(self, metric: Metric) -> list[Metric]:
        if metric.reader and self._unread_index:
            by = f"{JUDGE_MARK}{self._unread_index.judge.name}"
            self._by_metric[metric.name] = metric, self._unread_index
            return [replace(metric, variant=metric.variant + by)]
        if metric.reader or not self._indexes:
            return [metric]
        names = [index.judge.name for index in self._indexes]
        everyone = f"{JUDGE_MARK}{NAME_SEPARATOR.join(names)}"
        companions = [
            replace(
                companion,
                name=f"{metric.name}.{companion.name.rpartition('.')[2]}",
                variant=companion.variant + everyone,
                derived_from=(metric.name,),
            )
            for companion in metric.companions
        ]
        if len(names) == 1:
            self._by_metric[metric.name] = metric, self._indexes[0]
            return [replace(metric, variant=metric.variant + everyone), *companions]
        single = [
            replace(
                metric,
                name=f"{metric.name}{JUDGE_MARK}{name}",
                title=f"{metric.title} ({name})",
                variant=f"{metric.variant}{JUDGE_MARK}{name}",
                companions=(),
            )
            for name in names
        ]
        self._by_metric |= {own.name: (metric, index) for own, index in zip(single, self._indexes, strict=True)}
        combined, alpha = make_panel_metrics(metric, [own.name for own in single])
        shared = [replace(member, variant=member.variant + everyone) for member in (combined, alpha)]
        return [shared[0], *companions, shared[1], *single]

    def read_replies(self, metric: Metric, record: Record) -> tuple[str, ...]:
        """Return the replies that a metric needs for a record.

        Raises:
            Unreadable: if a reply is missing or the judge failed.
            SpecError: if no judge scores answers.
        """
        if metric.name not in self._by_metric:
            raise SpecError(NEEDS_JUDGE)
        requested, index = self._by_metric[metric.name]
        return index.read_replies(requested, record)

    def to_facts(self) -> tuple[JudgeFacts, ...]:
        """Return each judge with the number of its verdicts, their tokens and their cost."""
        return tuple(index.to_facts() for index in self._all_indexes)

    def close(self) -> None:
        for index in self._all_indexes:
            index.close()
