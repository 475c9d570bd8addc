"""Folds over samples that have a stat for each of several answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, Fold, Weighable, Weighed

if TYPE_CHECKING:
    from auricle.metrics.base import Array


class Answers:
    """A fold over samples with a stat an answer: a sample's stat is (noted, stats)."""

    def __init__(self, fold: Fold, noted: str, *, alike: bool = False, single: bool = False):
        self.fold = fold
        self.single = single
        """Has every sample one stat, so that `bare` ones tell the same?"""
        self._noted = noted
        self._alike = alike  # a sample weighs one, however often it was answered

    def around(self, fold: Fold) -> Answers:
        """The same over another fold."""
        return type(self)(fold, self._noted, alike=self._alike, single=self.single)

    def bare(self, stats: Sequence[Any]) -> list[Any]:
        """The stats of all answers, in order."""
        return [stat for _, held in stats for stat in held]

    def __call__(self, stats: Sequence[Any]) -> float:
        return self.fold(self.bare(stats))

    def details(self, stats: Sequence[Any]) -> Details:
        """What the fold itself has to tell, and how many answers there were."""
        own = getattr(self.fold, "details", None)
        bare = self.bare(stats)
        told = dict(own(bare)) if own and bare else {}
        if not self.single:
            told["answers"] = len(bare)
        return {**told, self._noted: int(sum(noted for noted, _ in stats))}


class WeighableAnswers(Answers):
    """The same over a fold that can weigh its stats."""

    fold: Weighable

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.weigh(stats)(np.ones(len(stats)))

    def weigh(self, stats: Sequence[Any]) -> Weighed:
        import numpy as np

        value = self.fold.weigh(self.bare(stats))
        lengths = np.array([len(held) for _, held in stats])
        share = 1.0 / lengths if self._alike else np.ones(len(lengths))

        def weighed(weights: Array) -> float:
            return value(np.repeat(weights * share, lengths))

        return weighed


def folded(fold: Fold, noted: str, *, alike: bool = False, single: bool = False) -> Answers:
    """A fold over samples with several answers; it weighs if the other does."""
    kind = WeighableAnswers if isinstance(fold, Weighable) else Answers
    return kind(fold, noted, alike=alike, single=single)
