"""Examples shown before a sample: who chooses them, from which pool, and how many fit.

They are chosen where samples come from, so that a sample carries the ids of its examples into
the journal; rendering only looks these up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any, Protocol

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Rejected, Sample
from auricle.prompts.budget import Budget, Shown
from auricle.prompts.few_shot_options import pool_named as pool_named
from auricle.prompts.few_shot_options import read
from auricle.prompts.pool import Others, Pool
from auricle.prompts.pool import Shot as Shot

CHOSEN = "shots"
"""The meta field that tells the ids of a sample's examples, in the order shown."""
DROPPED = "shots_dropped"
"""The meta field that tells how many examples a budget left out, where it did."""


class Retriever(Protocol):
    """Whoever ranks a pool for a sample: places in the pool, best first, as many as are wanted.

    A class with `rank` alone will do. What it ranks that is not allowed is passed over.
    """

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]: ...


@dataclass(frozen=True, eq=False, repr=False)
class Shots:
    """A sample's examples. Its `repr` is its signature, and so part of what a run is."""

    retriever: Retriever
    pool: Pool
    k: int
    called: str
    """The retriever's name and options, for the signature."""
    order: str = "nearest-last"
    seed: int = 0
    same: tuple[str, ...] = ()
    """Fields whose value an example must not share with the sample, such as `speaker`."""
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def from_options(
        cls,
        given: Any,
        pool: Iterable[Sample | Rejected],
        answer: Callable[[Sample], str],
        shown: Shown | None = None,
    ) -> Shots:
        """Examples as a task's `shots` asks for them: `3`, `bm25:4` or options by name.

        `answer` writes the right answer to a sample of the pool; `shown` tells the parts an
        example is shown as, for a budget: without it all its inputs and its answer are counted.
        """
        options = read(given)
        return cls(
            options.retriever(),
            Pool(pool, answer),
            options.k,
            options.called,
            options.order,
            options.seed,
            options.same,
            options.budget(shown),
        )

    def over(self, samples: Iterable[Sample | Rejected]) -> WithShots:
        """The same samples, each with the ids of its examples."""
        return WithShots(samples, self)

    def of(self, sample: Sample) -> tuple[Shot, ...]:
        """The examples of a sample; one that carries no ids has them chosen here."""
        if not self.k:
            return ()
        ids = sample.meta.get(CHOSEN)
        if not isinstance(ids, (list, tuple)):
            ids, _ = self.chosen(sample)
        return tuple(self.pool.shot(str(each)) for each in ids)

    def chosen(self, sample: Sample) -> tuple[list[str], int]:
        """Ids of a sample's examples in the order shown, and how many a budget left out."""
        if not self.k:
            return [], 0
        ranked = self._ranked(sample)
        kept = self.budget.fitting([self.pool.shots[place] for place in ranked])
        ids = [shot.id for shot in kept]
        if self.order == "nearest-last":
            ids.reverse()
        elif self.order == "random":
            Random(f"order {self.seed} {sample.id}").shuffle(ids)
        return ids, len(ranked) - len(kept)

    def _ranked(self, sample: Sample) -> list[int]:
        """The best places that may be shown, however a retriever came by them."""
        fitted = self._fitted
        allowed = Others(len(self.pool.samples), self.pool.forbidden(sample, self.same))
        asked = replace(sample, target=None)  # whoever chooses examples is not told the answer
        found: dict[int, None] = {}
        for place in fitted.rank(asked, allowed):
            if place in allowed:
                found[int(place)] = None
            elif place not in self._everywhere:
                raise self._astray(place)
            if len(found) == self.k:
                break
        return list(found)

    @cached_property
    def _everywhere(self) -> range:
        return range(len(self.pool.samples))

    def _astray(self, place: object) -> SpecError:
        return SpecError(
            f"The retriever {self.called} should rank places in the pool, which are whole numbers "
            f"below {len(self.pool.samples)}; it gave {place!r}.",
            where=("shots", "use"),
        )

    @cached_property
    def _fitted(self) -> Retriever:
        samples = self.pool.samples
        self.pool.refuse_unknown(self.same)
        try:
            if fit := getattr(self.retriever, "fit", None):
                fit(samples)
        except SampleError as error:
            raise SpecError(f"The pool of examples: {error}", where=("shots", "pool")) from error
        return self.retriever

    def ready(self) -> None:
        """Refuse a pool that cannot serve, before anything is asked."""
        if self.k:
            self.budget.ready()
            assert self._fitted

    def __repr__(self) -> str:
        if not self.k:
            return "Shots(zero)"
        without = ("itself", *self.same)
        budget = f", {self.budget}" if str(self.budget) else ""
        return (
            f"Shots({self.called}, k={self.k}, seed={self.seed}, without={'+'.join(without)}, "
            f"order={self.order}{budget}, pool={self.pool.revision})"
        )


@dataclass(frozen=True, eq=False)
class WithShots:
    """Samples that carry the ids of their examples; otherwise as the samples they come from."""

    samples: Iterable[Sample | Rejected]
    shots: Shots

    def __iter__(self) -> Iterator[Sample | Rejected]:
        return map(self._with_shots, self.samples)

    def __len__(self) -> int:
        return len(self.samples)  # type: ignore[arg-type] # if they have no length, nor has this

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying asks for these before there are samples
            raise AttributeError(name)
        return getattr(self.samples, name)

    def peek(self) -> None:
        """Refuse data, or a pool, that is wrong as a whole."""
        if look := getattr(self.samples, "peek", None):
            look()
        self.shots.ready()

    def notes(self) -> list[str]:
        """What a reader must know of the data, and of the pool."""
        of_samples: Callable[[], Sequence[str]] = getattr(self.samples, "notes", list)
        return [*of_samples(), *(self.shots.pool.notes() if self.shots.k else ())]

    def _with_shots(self, sample: Sample | Rejected) -> Sample | Rejected:
        if isinstance(sample, Rejected):
            return sample
        try:
            ids, dropped = self.shots.chosen(sample)
        except SampleError:  # told again when it is rendered, and kept with its sample there
            return sample
        told: Mapping[str, Any] = {CHOSEN: ids, **({DROPPED: dropped} if dropped else {})}
        return replace(sample, meta={**sample.meta, **told})
