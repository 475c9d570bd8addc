"""Select few-shot examples for each sample.

Examples are selected when samples are read, so that a sample carries the ids of its examples into the journal;
rendering only looks them up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, Protocol

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.prompts.example_budget import ExampleBudget, ExampleRenderer, all_parts
from auricle.prompts.example_pool import AllowedIndices, ExamplePool
from auricle.prompts.example_pool import Example as Example
from auricle.prompts.few_shot_options import FewShotOptions, parse_few_shot_options

EXAMPLE_IDS_KEY = "shots"  # metadata field with the ids of a sample's examples, in the order shown
DROPPED_COUNT_KEY = "shots_dropped"  # metadata field with the number of examples that the budget left out, if any


class Retriever(Protocol):
    """Ranks the rows of a pool for a sample.

    Only `rank` is required. It returns indices of the pool, best first; indices that are not allowed are skipped.
    """

    def fit(self, pool: Sequence[Sample]) -> None: ...

    def rank(self, sample: Sample, allowed: Sequence[int]) -> Iterable[int]: ...


@dataclass(frozen=True, eq=False, repr=False)
class FewShotSelector:
    """Selects the examples of a sample. Its `repr` is part of the signature of a run."""

    options: FewShotOptions
    pool: ExamplePool
    budget: ExampleBudget
    retriever: Retriever

    @classmethod
    def from_options(
        cls,
        raw_options: Any,
        pool: Iterable[Sample | RejectedRow],
        format_answer: Callable[[Sample], str],
        render_example: ExampleRenderer | None = None,
    ) -> FewShotSelector:
        """Build a selector from the `shots` of a task: `3`, `bm25:4` or a mapping of options.

        `format_answer` writes the correct answer to a sample of the pool. `render_example` returns the parts that count
        towards the budget; by default all inputs and the answer.
        """
        options = parse_few_shot_options(raw_options)
        budget = replace(options.budget, render_example=render_example or all_parts)
        return cls(options, ExamplePool(pool, format_answer), budget, options.build_retriever())

    def attach_to(self, samples: Iterable[Sample | RejectedRow]) -> SamplesWithExamples:
        """Return the same samples, each with the ids of its examples."""
        return SamplesWithExamples(samples, self)

    def examples_for(self, sample: Sample) -> tuple[Example, ...]:
        """Return the examples of a sample; select them now if it carries no ids."""
        if not self.options.k:
            return ()
        ids = sample.meta.get(EXAMPLE_IDS_KEY)
        if not isinstance(ids, (list, tuple)):
            ids, _ = self.select_ids(sample)
        return tuple(self.pool.get_example(str(example_id)) for example_id in ids)

    def select_ids(self, sample: Sample) -> tuple[list[str], int]:
        """Return the ids of a sample's examples in the order shown, and how many the budget left out."""
        if not self.options.k:
            return [], 0
        ranked = self._rank_pool(sample)
        selected = self.budget.select_fitting([self.pool.examples[index] for index in ranked])
        ids = [example.id for example in selected]
        if self.options.order == "nearest-last":
            ids.reverse()
        elif self.options.order == "random":
            Random(f"order {self.options.seed} {sample.id}").shuffle(ids)
        return ids, len(ranked) - len(selected)

    def _rank_pool(self, sample: Sample) -> list[int]:
        """Return the indices of the best `k` rows that may be shown."""
        retriever = self._fitted_retriever
        allowed = AllowedIndices(
            len(self.pool.samples), self.pool.excluded_indices(sample, self.options.disjoint_fields)
        )
        query = replace(sample, target=None)  # retrievers must not see the answer
        indices: dict[int, None] = {}
        for index in retriever.rank(query, allowed):
            if index in allowed:
                indices[int(index)] = None
            elif index not in range(len(self.pool.samples)):
                raise SpecError(
                    f"The retriever {self.options.signature} returned {index!r}; expected indices of the pool, "
                    f"which are whole numbers below {len(self.pool.samples)}.",
                    location=("shots", "use"),
                )
            if len(indices) == self.options.k:
                break
        return list(indices)

    @cached_property
    def _fitted_retriever(self) -> Retriever:
        samples = self.pool.samples
        self.pool.check_fields(self.options.disjoint_fields)
        try:
            if fit := getattr(self.retriever, "fit", None):
                fit(samples)
        except SampleError as error:
            raise SpecError(f"Example pool: {error}", location=("shots", "pool")) from error
        return self.retriever

    def validate(self) -> None:
        """Raise if the pool, the retriever or the budget cannot be used."""
        if self.options.k:
            self.budget.validate()
            assert self._fitted_retriever

    def __repr__(self) -> str:
        options = self.options
        if not options.k:
            return "Shots(zero)"
        excluded = ("itself", *options.disjoint_fields)
        budget = f", {self.budget}" if str(self.budget) else ""
        return (
            f"Shots({options.signature}, k={options.k}, seed={options.seed}, without={'+'.join(excluded)}, "
            f"order={options.order}{budget}, pool={self.pool.revision})"
        )


@dataclass(frozen=True, eq=False)
class SamplesWithExamples:
    """Samples with the ids of their examples; otherwise like the samples they wrap."""

    samples: Iterable[Sample | RejectedRow]
    selector: FewShotSelector

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return map(self._add_example_ids, self.samples)

    def __len__(self) -> int:
        return len(self.samples)  # type: ignore[arg-type] # raises if the samples have no length

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # copy() looks these up before the instance has attributes
            raise AttributeError(name)
        return getattr(self.samples, name)

    def validate(self) -> None:
        """Raise if the data or the pool cannot be used as a whole."""
        if validate_samples := getattr(self.samples, "validate", None):
            validate_samples()
        self.selector.validate()

    def notes(self) -> list[str]:
        """Return notes on the data and on the pool."""
        sample_notes: Callable[[], Sequence[str]] = getattr(self.samples, "notes", list)
        return [*sample_notes(), *(self.selector.pool.notes() if self.selector.options.k else ())]

    def _add_example_ids(self, sample: Sample | RejectedRow) -> Sample | RejectedRow:
        if isinstance(sample, RejectedRow):
            return sample
        try:
            ids, dropped = self.selector.select_ids(sample)
        except SampleError:  # raised again, and recorded with the sample, when it is rendered
            return sample
        fields: Mapping[str, Any] = {EXAMPLE_IDS_KEY: ids, **({DROPPED_COUNT_KEY: dropped} if dropped else {})}
        return replace(sample, meta={**sample.meta, **fields})
