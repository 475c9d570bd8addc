"""What a metric can do beside scoring and aggregating: it implements the methods of any of these protocols.

A metric that has a capability names its protocol as a base class, `class Mine(Metric, Bounded)`; callers ask with
`isinstance(metric, Bounded)`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from auricle.core.judge_roles import JudgeRole
from auricle.core.types import Output, Sample, Stat

if TYPE_CHECKING:
    from auricle.metrics.agreement import JudgeScale
    from auricle.metrics.base import Metric
    from auricle.text.reading import Reading


@runtime_checkable
class Profiled(Protocol):
    """A metric of normalised texts."""

    def with_profile(self, profile: str, /) -> Metric:
        """Return the same metric with another normaliser profile."""


@runtime_checkable
class Localized(Protocol):
    """A metric that depends on the language of the texts."""

    def with_language(self, language: str, /) -> Metric:
        """Return the same metric for texts in a language, by its code; an empty one selects no language."""


@runtime_checkable
class Tokenized(Protocol):
    """A metric that compares the tokens of two texts."""

    def tokenize(self, text: str, /) -> list[str]:
        """Split a text into the tokens that the metric compares; used to show differences."""


@runtime_checkable
class Bounded(Protocol):
    """A metric that knows what a sample without an answer could have scored."""

    def bounds(self, sample: Sample, /) -> tuple[Stat, Stat]:
        """Return the worst and the best statistic that a sample could have."""


@runtime_checkable
class Credited(Protocol):
    """A metric that counts samples as right or wrong."""

    def credit(self, stat: Any, /) -> float:
        """Return 1 for the statistic of a right sample, 0 for a wrong one, a value between for partial credit."""


@runtime_checkable
class Restricted(Protocol):
    """A metric that applies only to some samples, as far as that is known before they are answered."""

    def applies(self, sample: Sample, /) -> bool:
        """Return whether the metric applies to a sample; others are skipped, neither scored nor unreadable.

        `score` may also return None to skip a sample.
        """


@runtime_checkable
class ReadsAnswer(Protocol):
    """A metric that reads one answer from an output."""

    def read_answer(self, sample: Sample, output: Any, /) -> str | None:
        """Return the answer, or None. Outputs with equal answers vote together."""


@runtime_checkable
class ReadsReply(Protocol):
    """A metric that reads an answer from a reply, and does not compare the whole text."""

    def reader(self, sample: Sample, /, *outputs: Any) -> Reading[Any]:
        """Return the answer that `score` reads from the replies, and how firmly they state it."""


@runtime_checkable
class Choosing(Protocol):
    """A metric whose answers are among options; one that reads numbers has none."""

    def options(self, sample: Sample, /) -> Mapping[str, str]:
        """Return the answers that a reply to a sample may give, by the shortest reply that gives it."""


@runtime_checkable
class UsesSynonyms(Protocol):
    """A metric for which synonyms of a label count as that label."""

    def without_synonyms(self) -> Metric:
        """Return the same metric with synonyms of a label treated as different labels."""


@runtime_checkable
class CountsLeftOut(Protocol):
    """A metric that cannot decide some parts of a sample, such as turns of a call."""

    def left_out(self, sample: Sample, output: Output, /) -> Mapping[str, int]:
        """Count, by reason, what of a sample is in no statistic."""


@runtime_checkable
class Stratified(Protocol):
    """A metric whose worst samples of each kind are listed, such as trials of the same speaker and of different ones.

    Its aggregator has a method `rate`, which compares statistics of different kinds.
    """

    def stratum(self, stat: Any, /) -> Hashable:
        """Return the kind of a statistic."""


@runtime_checkable
class Judged(Protocol):
    """A metric that asks another model about the outputs.

    `score` receives the replies as `verdicts`: texts, or numbers by name.
    """

    judge_role: JudgeRole = JudgeRole.JUDGE
    """Which models the requests are for, such as recognisers."""
    judge_models: tuple[str, ...] = ()
    """Names of the models that can answer the requests; any of the role, if empty."""
    judge_scale: JudgeScale | None = None
    """How the scores of several judges are combined. [default: their mean]"""
    companions: tuple[Metric, ...] = ()
    """Further metrics that are derived from this one and reported with it, if there is a judge."""

    def judge_requests(self, sample: Sample, /, *outputs: Any) -> tuple[Any, ...]:
        """Return the requests for the judge, `Generate` or `Predict`, one per verdict. Two equal ones are two votes."""


@runtime_checkable
class Voting(Protocol):
    """A judged metric that may ask several times."""

    def with_votes(self, votes: int, /) -> Metric:
        """Return the same metric with another number of votes."""


@runtime_checkable
class Pairwise(Protocol):
    """A judged metric that compares two answers."""

    def read_pair_verdict(self, reply: str, /) -> float:
        """Read a reply on two answers: 1 if the first one won, 0.5 for a tie."""


CAPABILITIES = (
    Profiled, Localized, Tokenized, Bounded, Credited, Restricted, ReadsAnswer, ReadsReply, Choosing, UsesSynonyms,
    CountsLeftOut, Stratified, Judged, Voting, Pairwise,
)  # fmt: skip


def list_members(metric: Metric) -> tuple[Metric, ...]:
    """Return a metric and its companions."""
    return (metric, *metric.companions) if isinstance(metric, Judged) else (metric,)
