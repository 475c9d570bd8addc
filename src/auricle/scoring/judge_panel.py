"""The verdicts of one judge or several, and the metrics that are computed from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auricle.core.closing import Closing
from auricle.core.errors import SpecError
from auricle.core.judge_roles import JudgeRole
from auricle.core.signature import JUDGE_MARK
from auricle.core.types import Record
from auricle.metrics.agreement import make_panel_metrics, make_rank_agreement
from auricle.metrics.base import Metric, Reply
from auricle.metrics.capabilities import Judged, list_members
from auricle.runs.health import DamagedLine
from auricle.runs.metrics import JudgeFacts
from auricle.runs.usage import Price
from auricle.runs.verdicts import Judge, VerdictIndex

NAME_SEPARATOR = "+"


def describe_need(metric: Metric) -> str:
    """State which model a metric needs, with the command that adds it."""
    assert isinstance(metric, Judged)
    model = next(iter(metric.judge_models), "MODEL")
    return f"needs a {metric.judge_role.noun}: auricle score RUN {metric.judge_role.option} {model}"


def format_reply(reply: Reply) -> str:
    """Format a reply for people: a text as it is, numbers with their names."""
    if isinstance(reply, str):
        return reply
    return ", ".join(f"{name} {value:.4g}" for name, value in reply.items())


class JudgePanel(Closing):
    """The verdicts of the judges of a run.

    Args:
        path: The file with the verdicts.
        judges: The judges.
        prices: Prices of judges by their names, as far as they are known.
    """

    def __init__(self, path: Path, judges: Sequence[Judge], prices: Mapping[str, Price]) -> None:
        self._indexes = [VerdictIndex(path, judge, prices.get(judge.name)) for judge in judges]
        self._by_metric: dict[str, tuple[Metric, VerdictIndex]] = {}

    @property
    def damaged(self) -> list[DamagedLine]:
        return self._indexes[0].damaged  # all read the same file

    def expand(self, metrics: Sequence[Metric], *, has_labels: bool = True) -> list[Metric]:
        """Add the judges to the signatures of metrics that use them, and add the metrics derived from these.

        With several judges, a metric keeps its name for the combined score, and there is one for each judge. Numbers
        of several recognisers, or of several models that rate spoken answers, are not combined: there is one for each,
        and how far they agree on the order of the samples.

        Args:
            metrics: Metrics of a task.
            has_labels: Whether any sample has a human label; otherwise companions that need one are left out.
        """
        expanded: list[Metric] = []
        for metric in metrics:
            known = metric if has_labels or not isinstance(metric, Judged) else metric.replace(companions=())
            expanded += self._expand(known)
        return expanded

    def _expand(self, metric: Metric) -> list[Metric]:
        indexes = [index for index in self._indexes if index.judge.serves(metric)]
        if not isinstance(metric, Judged) or not indexes:
            return [metric]
        everyone = f"{JUDGE_MARK}{NAME_SEPARATOR.join(index.judge.identity for index in indexes)}"
        if len(indexes) == 1 or metric.judge_role is JudgeRole.UNREAD:
            self._by_metric[metric.name] = metric, indexes[0]
            return [metric.replace(variant=metric.variant + everyone), *_name_companions(metric, everyone)]
        single = [_name_after_judge(metric, index.judge) for index in indexes]
        self._by_metric |= {own.name: (metric, index) for own, index in zip(single, indexes, strict=True)}
        names = [own.name for own in single]
        if metric.judge_role is JudgeRole.JUDGE:
            combined, alpha = make_panel_metrics(metric, names)
            shared = [member.replace(variant=member.variant + everyone) for member in (combined, alpha)]
            return [shared[0], *_name_companions(metric, everyone), shared[1], *single]
        agreement = make_rank_agreement(metric, names)
        return [*single, agreement.replace(variant=agreement.variant + everyone)]

    def read_replies(self, metric: Metric, record: Record) -> tuple[Reply, ...]:
        """Return the replies that a metric needs for a record.

        Raises:
            Unreadable: if a reply is missing or the judge failed.
            SpecError: if there is no judge of the metric's role.
        """
        if metric.name not in self._by_metric:
            raise SpecError(describe_need(metric))
        requested, index = self._by_metric[metric.name]
        return index.read_replies(requested, record)

    def to_facts(self) -> tuple[JudgeFacts, ...]:
        """Return each judge with the number of its verdicts, their tokens and their cost."""
        return tuple(index.to_facts() for index in self._indexes)

    def close(self) -> None:
        for index in self._indexes:
            index.close()


def _name_companions(metric: Metric, judges: str) -> list[Metric]:
    """Return the companions of a metric, with the judges in their signatures."""
    return [
        companion.replace(
            name=f"{metric.name}.{companion.name.rpartition('.')[2]}",
            variant=companion.variant + judges,
            derived_from=(metric.name,),
        )
        for companion in list_members(metric)[1:]
    ]


def _name_after_judge(metric: Metric, judge: Judge) -> Metric:
    """Return the metric of one of several judges."""
    return metric.replace(
        name=f"{metric.name}{JUDGE_MARK}{judge.name}",
        title=f"{metric.title} ({judge.name})",
        variant=f"{metric.variant}{JUDGE_MARK}{judge.identity}",
        companions=(),
    )
