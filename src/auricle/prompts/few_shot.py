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
from auricle.core.types import RejectedRow, Sample
from auricle.prompts.example_budget import ExampleBudget, ExampleRenderer
from auricle.prompts.example_pool import AllowedIndices, ExamplePool
from auricle.prompts.example_pool import Example as Example
from auricle.prompts.few_shot_options import parse_few_shot_options
from auricle.prompts.few_shot_options import pool_path as pool_path

EXAMPLE_IDS_KEY = "shots"
"""The meta field that tells the ids of a sample's examples, in the order shown."""
DROPPED_COUNT_KEY = "shots_dropped"
"""The meta field that tells how many examples a budget left out, where it did."""


class Retriever(Protocol):
    """Whoever ranks a pool for a sample: places in the pool, best first, as many as are wanted.

    A class with `rank` alone will do. What it ranks that is not allowed is passed over.
    """

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]: ...


@dataclass(frozen=True, eq=False, repr=False)
class FewShotSelector:
    """A sample's examples. Its `repr` is its signature, and so part of what a run is."""

    retriever: Retriever
    pool: ExamplePool
    k: int
    retriever_signature: str
    """The retriever's name and options, for the signature."""
    order: str = "nearest-last"
    seed: int = 0
    disjoint_fields: tuple[str, ...] = ()
    """Fields whose value an example must not share with the sample, such as `speaker`."""
    budget: ExampleBudget = field(default_factory=ExampleBudget)

    @classmethod
    def from_options(
        cls,
        raw_options: Any,
        pool: Iterable[Sample | RejectedRow],
        format_answer: Callable[[Sample], str],
        render_example: ExampleRenderer | None = None,
    ) -> FewShotSelector:
        """Examples as a task's `shots` asks for them: `3`, `bm25:4` or options by name.

        `answer` writes the right answer to a sample of the pool; `shown` tells the parts an
        example is shown as, for a budget: without it all its inputs and its answer are counted.
        """
        options = parse_few_shot_options(raw_options)
        return cls(
            options.build_retriever(),
            ExamplePool(pool, format_answer),
            options.k,
            options.signature,
            options.order,
            options.seed,
            options.disjoint_fields,
            options.build_budget(render_example),
        )

    def attach_to(self, samples: Iterable[Sample | RejectedRow]) -> SamplesWithExamples:
        """The same samples, each with the ids of its examples."""
        return SamplesWithExamples(samples, self)

    def examples_for(self, sample: Sample) -> tuple[Example, ...]:
        """The examples of a sample; one that carries no ids has them chosen here."""
        if not self.k:
            return ()
        ids = sample.meta.get(EXAMPLE_IDS_KEY)
        if not isinstance(ids, (list, tuple)):
            ids, _ = self.select_ids(sample)
        return tuple(self.pool.get_example(str(each)) for each in ids)

    def select_ids(self, sample: Sample) -> tuple[list[str], int]:
        """Ids of a sample's examples in the order shown, and how many a budget left out."""
        if not self.k:
            return [], 0
        ranked = self._rank_pool(sample)
        kept = self.budget.select_fitting([self.pool.examples[place] for place in ranked])
        ids = [shot.id for shot in kept]
        if self.order == "nearest-last":
            ids.reverse()
        elif self.order == "random":
            Random(f"order {self.seed} {sample.id}").shuffle(ids)
        return ids, len(ranked) - len(kept)

    def _rank_pool(self, sample: Sample) -> list[int]:
        """The best places that may be shown, however a retriever came by them."""
        fitted = self._fitted_retriever
        allowed = AllowedIndices(len(self.pool.samples), self.pool.excluded_indices(sample, self.disjoint_fields))
        asked = replace(sample, target=None)  # whoever chooses examples is not told the answer
        found: dict[int, None] = {}
        for place in fitted.rank(asked, allowed):
            if place in allowed:
                found[int(place)] = None
            elif place not in self._all_indices:
                raise self._invalid_index_error(place)
            if len(found) == self.k:
                break
        return list(found)

    @cached_property
    def _all_indices(self) -> range:
        return range(len(self.pool.samples))

    def _invalid_index_error(self, index: object) -> SpecError:
        return SpecError(
            f"The retriever {self.retriever_signature} should rank places in the pool, which are whole numbers "
            f"below {len(self.pool.samples)}; it gave {index!r}.",
            location=("shots", "use"),
        )

    @cached_property
    def _fitted_retriever(self) -> Retriever:
        samples = self.pool.samples
        self.pool.check_fields(self.disjoint_fields)
        try:
            if fit := getattr(self.retriever, "fit", None):
                fit(samples)
        except SampleError as error:
            raise SpecError(f"The pool of examples: {error}", location=("shots", "pool")) from error
        return self.retriever

    def validate(self) -> None:
        """Refuse a pool that cannot serve, before anything is asked."""
        if self.k:
            self.budget.validate()
            assert self._fitted_retriever

    def __repr__(self) -> str:
        if not self.k:
            return "Shots(zero)"
        without = ("itself", *self.disjoint_fields)
        budget = f", {self.budget}" if str(self.budget) else ""
        return (
            f"Shots({self.retriever_signature}, k={self.k}, seed={self.seed}, without={'+'.join(without)}, "
            f"order={self.order}{budget}, pool={self.pool.revision})"
        )


@dataclass(frozen=True, eq=False)
class SamplesWithExamples:
    """Samples that carry the ids of their examples; otherwise as the samples they come from."""

    samples: Iterable[Sample | RejectedRow]
    selector: FewShotSelector

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return map(self._add_example_ids, self.samples)

    def __len__(self) -> int:
        return len(self.samples)  # type: ignore[arg-type] # if they have no length, nor has this

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copying asks for these before there are samples
            raise AttributeError(name)
        return getattr(self.samples, name)

    def validate(self) -> None:
        """Refuse data, or a pool, that is wrong as a whole."""
        if look := getattr(self.samples, "validate", None):
            look()
        self.selector.validate()

    def notes(self) -> list[str]:
        """What a reader must know of the data, and of the pool."""
        of_samples: Callable[[], Sequence[str]] = getattr(self.samples, "notes", list)
        return [*of_samples(), *(self.selector.pool.notes() if self.selector.k else ())]

    def _add_example_ids(self, sample: Sample | RejectedRow) -> Sample | RejectedRow:
        if isinstance(sample, RejectedRow):
            return sample
        try:
            ids, dropped = self.selector.select_ids(sample)
        except SampleError:  # told again when it is rendered, and kept with its sample there
            return sample
        told: Mapping[str, Any] = {EXAMPLE_IDS_KEY: ids, **({DROPPED_COUNT_KEY: dropped} if dropped else {})}
        return replace(sample, meta={**sample.meta, **told})
