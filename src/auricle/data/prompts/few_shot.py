"""Parse the `shots` option of a task and select few-shot examples for each sample.

Examples are selected when samples are read, so that a sample carries the ids of its examples into the journal;
rendering only looks them up.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Protocol

from auricle.core.errors import SampleError, SpecError
from auricle.core.types import RejectedRow, Sample
from auricle.core.user_code import UserCall, wrap_errors
from auricle.data.file_formats import file_revision
from auricle.data.prompts.catalogue import RETRIEVERS
from auricle.data.prompts.example_pool import (
    AllowedIndices,
    Example,
    ExampleBudget,
    ExamplePool,
    ExampleRenderer,
    all_parts,
)

COMMON_OPTIONS = (
    "use",
    "k",
    "pool",
    "seed",
    "differs_in",
    "matches",
    "order",
    "max_tokens",
    "max_seconds",
    "tokenizer",
)
ORDERS = ("nearest-last", "nearest-first", "random")
NAMED_PARAMETER_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
DEFAULT_RETRIEVER = "random"  # used if only a number is given
Parameters = Mapping[str, inspect.Parameter]


def pool_path(raw_options: Any) -> str:
    """Return the file with the pool of examples; empty if the pool is the data itself."""
    pool = raw_options.get("pool") if isinstance(raw_options, Mapping) else None
    return str(pool) if pool else ""


@dataclass(frozen=True)
class FewShotOptions:
    retriever: Any
    signature: str
    """The retriever with all its arguments, defaults included."""
    k: int
    order: str
    seed: int
    differs_in: tuple[str, ...]
    """Fields in which an example must differ from the sample, such as `speaker`."""
    matches: tuple[str, ...]
    """Fields in which an example must equal the sample, such as `language`."""
    budget: ExampleBudget


def parse_few_shot_options(raw_options: Any) -> FewShotOptions:
    """Parse `3`, `bm25:4` or a mapping; raise `SpecError` if an option is unknown, missing or invalid."""
    options = _as_mapping(raw_options)
    name = str(options.get("use") or DEFAULT_RETRIEVER)
    retriever_class = _load_retriever_class(name)
    # A class without its own `__init__` has no parameters.
    has_parameters = retriever_class.__init__ is not object.__init__
    parameters = inspect.signature(retriever_class).parameters if has_parameters else {}
    arguments = {option: value for option, value in options.items() if option not in COMMON_OPTIONS}
    _check_arguments(name, parameters, arguments)
    order = options.get("order") or getattr(retriever_class, "order", "nearest-last")
    if order not in ORDERS:
        raise _options_error(f"has the unknown order {order!r}; expected one of {', '.join(ORDERS)}", "order")
    k, seed = _parse_count(options, name, arguments), _parse_int(options, "seed", 0) or 0
    return FewShotOptions(
        retriever=retriever_class(**arguments, **({"seed": seed} if "seed" in parameters else {})),
        signature=_format_signature(name, parameters, arguments),
        k=k,
        order=str(order),
        seed=seed,
        differs_in=_parse_names(options.get("differs_in") or ()),
        matches=_parse_names(options.get("matches") or ()),
        budget=ExampleBudget(
            _parse_int(options, "max_tokens", 1), _parse_max_seconds(options), str(options.get("tokenizer") or "")
        ),
    )


def _format_signature(name: str, parameters: Parameters, arguments: Mapping[str, Any]) -> str:
    named = {option: parameter for option, parameter in parameters.items() if parameter.kind in NAMED_PARAMETER_KINDS}
    defaults = {option: parameter.default for option, parameter in named.items() if option != "seed"}
    settings = sorted({**defaults, **arguments}.items())
    return f"{_portable_value(name)}({', '.join(f'{option}={_portable_value(value)!r}' for option, value in settings)})"


def _portable_value(value: Any) -> Any:
    """Replace the path of a Python file by its name and a hash of its content."""
    file, suffix, attribute = value.partition(".py:") if isinstance(value, str) else ("", "", "")
    path = Path(f"{file}.py")
    return f"{path.name}@{file_revision(path)}:{attribute}" if suffix and path.is_file() else value


def _as_mapping(raw_options: Any) -> Mapping[str, Any]:
    if isinstance(raw_options, Mapping):
        return {str(name): value for name, value in raw_options.items()}
    if isinstance(raw_options, int) and not isinstance(raw_options, bool):
        return {"k": raw_options}
    if not isinstance(raw_options, str) or not raw_options:
        raise _options_error(f"must be a number, a retriever such as bm25:4, or a mapping, not {raw_options!r}")
    if raw_options.lstrip("-").isdigit():
        return {"k": int(raw_options)}
    retriever_name, _, count = raw_options.rpartition(":")
    return {"use": retriever_name, "k": int(count)} if retriever_name and count.isdigit() else {"use": raw_options}


def _load_retriever_class(retriever_name: str) -> Any:
    try:
        retriever_class = RETRIEVERS.get(retriever_name)
    except SpecError as error:
        error.location = ("shots", "use")
        raise
    if not hasattr(retriever_class, "rank"):
        raise _options_error(f"names {retriever_name}, which is not a class with a method `rank`", "use")
    return retriever_class


def _check_arguments(retriever_name: str, parameters: Parameters, arguments: Mapping[str, Any]) -> None:
    accepted = list(dict.fromkeys([*COMMON_OPTIONS, *parameters]))
    for name in arguments:
        if name not in accepted:
            matches = difflib.get_close_matches(name, accepted, n=1)
            hint = f"did you mean {matches[0]}?" if matches else f"{retriever_name} accepts {', '.join(accepted)}"
            raise _options_error(f"has no option {name!r}; {hint}", name)
    for name, parameter in parameters.items():
        required = parameter.default is parameter.empty and parameter.kind in NAMED_PARAMETER_KINDS
        if required and name not in (*arguments, "seed"):
            raise _options_error(f"lacks {name}, which {retriever_name} requires", name)


def _parse_count(options: Mapping[str, Any], retriever_name: str, arguments: Mapping[str, Any]) -> int:
    if retriever_name == "zero":
        return 0
    if "k" in options:
        return _parse_int(options, "k", 0) or 0
    if ids := arguments.get("ids"):
        return len(_parse_names(ids))
    raise _options_error(f"lacks the number of examples: set k, or write {retriever_name}:4", "k")


def _parse_int(options: Mapping[str, Any], name: str, minimum: int) -> int | None:
    value = options.get(name)
    if isinstance(value, str) and value.isdigit():  # from the command line
        value = int(value)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise _options_error(f"has {name}: {value!r}, which must be a whole number of at least {minimum}", name)
    return value


def _parse_max_seconds(options: Mapping[str, Any]) -> float | None:
    value = options.get("max_seconds")
    try:
        seconds = None if value is None else float(value)
    except (TypeError, ValueError):
        seconds = 0.0
    if seconds is not None and not seconds > 0:
        raise _options_error(f"has max_seconds: {value!r}, which must be above 0", "max_seconds")
    return seconds


def _parse_names(value: Any) -> tuple[str, ...]:
    """Parse a name, a list of names, or names separated by commas."""
    names = value if isinstance(value, (list, tuple)) else str(value).split(",")
    return tuple(str(name).strip() for name in names)


def _options_error(problem: str, *where: str) -> SpecError:
    end = "" if problem.endswith("?") else "."
    return SpecError(f"`shots` {problem}{end}", location=("shots", *where))


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
        return cls(options, ExamplePool(pool, format_answer), budget)

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
        excluded = self.pool.excluded_indices(sample, self.options.differs_in, self.options.matches)
        allowed = AllowedIndices(len(self.pool.samples), excluded)
        query = replace(sample, target=None)  # retrievers must not see the answer
        indices: dict[int, None] = {}
        name = f"the retriever {type(retriever).__name__}"
        with wrap_errors(name, SampleError), UserCall(name):
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
        self.pool.check_fields("differs_in", self.options.differs_in)
        self.pool.check_fields("matches", self.options.matches)
        try:
            if fit := getattr(self.options.retriever, "fit", None):
                with wrap_errors(f"fit of the retriever {type(self.options.retriever).__name__}"):
                    fit(samples)
        except SampleError as error:
            raise SpecError(f"Example pool: {error}", location=("shots", "pool")) from error
        retriever: Retriever = self.options.retriever
        return retriever

    def validate(self) -> None:
        """Raise if the pool, the retriever or the budget cannot be used."""
        if self.options.k:
            self.budget.validate()
            assert self._fitted_retriever

    def __repr__(self) -> str:
        options = self.options
        if not options.k:
            return "Shots(zero)"
        excluded = ("itself", *options.differs_in)
        matches = f", matches={'+'.join(options.matches)}" if options.matches else ""
        budget = f", {self.budget}" if str(self.budget) else ""
        return (
            f"Shots({options.signature}, k={options.k}, seed={options.seed}, without={'+'.join(excluded)}{matches}, "
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
