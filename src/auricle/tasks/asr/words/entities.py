"""Precision, recall and F1 of entities: names and other words or phrases of a list.

Every place of a reference at which an entity of the list stands is an occurrence; where several begin, the longest
counts. It is recognised if the alignment of the word error rate matches all its words, with nothing between them. What
the answer has of the list in other places lowers the precision.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from rapidfuzz.distance import Levenshtein

from auricle.core.types import Sample
from auricle.metrics.base import Array, Codes, Details, Metric, RatioAggregator, Stats, SumAggregator
from auricle.metrics.capabilities import Restricted
from auricle.metrics.f_measure import PooledF1
from auricle.metrics.scales import Scale
from auricle.metrics.targets import reference_text
from auricle.metrics.texts import CountedText
from auricle.tasks.asr.words.alignment import align
from auricle.tasks.asr.words.word_lists import Occurrence, PhraseFinder, WordList, build_finder, read_row_entries

COLUMNS = ("entities",)
"""Columns with the entities of a row."""
NO_LABEL = ""
EntityStat: TypeAlias = tuple[Any, ...]
"""The labels of a sample, each followed by its `EntityCounts`."""


class EntityCounts(NamedTuple):
    """Entities of one label in a sample."""

    recognised: int
    spoken: int
    right: int
    """Occurrences in the answer that are aligned with one in the reference."""
    written: int
    edits: int
    """Edits of characters between the entities of the reference and the words aligned with them."""
    characters: int


def count_entities(
    reference: Sequence[str], hypothesis: Sequence[str], finder: PhraseFinder
) -> dict[str, EntityCounts]:
    """Count the entities of both sides, by label.

    >>> finder = PhraseFinder({("ann", "lee"): "person", ("turin",): "place"})
    >>> counts = count_entities("ann lee in turin".split(), "ann lee in touring".split(), finder)
    >>> counts["person"].recognised, counts["place"].recognised, counts["place"].edits
    (1, 0, 2)
    """
    partners = {
        pair.reference: pair.hypothesis
        for pair in align(reference, hypothesis)
        if pair.reference is not None and pair.hypothesis is not None
    }
    spoken, written = finder.find(reference), finder.find(hypothesis)
    recognised = {place: _match(reference, hypothesis, partners, place) for place in spoken}
    counts = {label: [0] * len(EntityCounts._fields) for label in {place.label for place in (*spoken, *written)}}
    for place, partner in recognised.items():
        row = counts[place.label]
        row[0] += partner is not None
        row[1] += 1
        text = " ".join(reference[place.start : place.end])
        row[4] += 0 if partner else Levenshtein.distance(text, _aligned_text(hypothesis, partners, place))
        row[5] += len(text)
    for place in written:
        counts[place.label][2] += place in recognised.values()
        counts[place.label][3] += 1
    return {label: EntityCounts(*row) for label, row in counts.items()}


def _match(
    reference: Sequence[str], hypothesis: Sequence[str], partners: Mapping[int, int], place: Occurrence
) -> Occurrence | None:
    """Return where the answer has the words of an entity at their place; None if it has not."""
    start = partners.get(place.start)
    if start is None:
        return None
    end = start + place.end - place.start
    is_in_line = all(partners.get(at) == start + at - place.start for at in range(place.start, place.end))
    is_equal = list(reference[place.start : place.end]) == list(hypothesis[start:end])
    return Occurrence(start, end, place.label) if is_in_line and is_equal else None


def _aligned_text(hypothesis: Sequence[str], partners: Mapping[int, int], place: Occurrence) -> str:
    """Return the words of the answer from the first to the last that is aligned with an entity."""
    positions = [partners[at] for at in range(place.start, place.end) if at in partners]
    return " ".join(hypothesis[positions[0] : positions[-1] + 1]) if positions else ""


# --- aggregation ---------------------------------------------------------------------------------


class LabelledAggregator:
    """A number of the sums over all labels, with the same number by label in the details.

    A statistic has the counts of every label in a row, each after its label; so it can be stored and compared.

    Args:
        total: Aggregates the counts of all labels.
        names: Names of the counts in the details.
    """

    def __init__(self, total: SumAggregator, names: Sequence[str]) -> None:
        self._total = total
        self._names = names

    def __call__(self, stats: Stats) -> float:
        return self._total(self._add_labels(stats))

    def prepare_weighted(self, stats: Stats) -> Callable[[Array], float]:
        """Return the aggregate as a function of the weight of each statistic."""
        return self._total.prepare_weighted(self._add_labels(stats))

    def value_each(self, stats: Stats) -> Array:
        """Return the number of each sample alone; NaN where it has none."""
        return self._total.value_each(self._add_labels(stats))

    def choose_scale(self, stats: Stats, units: Codes) -> Scale:
        """Return the scale of the number."""
        return self._total.choose_scale(self._add_labels(stats), units)

    def details(self, stats: Stats) -> Details:
        """Return the counts, and those of each label with its number if there are labels."""
        rows = [self._split_labels(stat) for stat in stats]
        labels = sorted({row[0] for stat in rows for row in stat})
        by_label = {label: [sum((row for row in stat if row[0] == label), ()) for stat in rows] for label in labels}
        table = {label or "without label": {**self._count(own), "value": self(own)} for label, own in by_label.items()}
        return {**self._count(stats), **({"by_label": table} if set(labels) - {NO_LABEL} else {})}

    def _count(self, stats: Stats) -> dict[str, int]:
        totals = [sum(column) for column in zip(*self._add_labels(stats), strict=True)]
        return {name: int(total) for name, total in zip(self._names, totals, strict=True)}

    def _add_labels(self, stats: Stats) -> list[list[float]]:
        size = 1 + len(self._names)
        return [[float(sum(stat[column::size])) for column in range(1, size)] for stat in stats]

    def _split_labels(self, stat: Sequence[Any]) -> list[tuple[Any, ...]]:
        size = 1 + len(self._names)
        return [tuple(stat[start : start + size]) for start in range(0, len(stat), size)]


_AGGREGATES: Mapping[str, tuple[str, SumAggregator, bool]] = {
    "entity_f1": ("Entity F1", PooledF1((0, 2), (1, 3)), True),
    "entity_recall": ("Entity recall", RatioAggregator((0,), 1, is_share=True), True),
    "entity_precision": ("Entity precision", RatioAggregator((2,), 3, is_share=True), True),
    "entity_cer": ("Entity CER", RatioAggregator((4,), 5), False),
}


class EntityMetric(CountedText):
    """A metric of entities; all have the same statistic.

    Args:
        name: `entity_f1`, `entity_recall`, `entity_precision` or `entity_cer`.
        word_list: The entities of all samples. By default, every row has its own.
        profile_name: Text normaliser.
    """

    unit = "share"

    def __init__(self, name: str, word_list: WordList | None = None, profile_name: str = "basic") -> None:
        self.convention = f"aligned.{f'list-{word_list.digest}' if word_list else 'rows'}"
        self._word_list = word_list
        title, total, higher_is_better = _AGGREGATES[name]
        aggregate = LabelledAggregator(total, EntityCounts._fields)
        super().__init__(name, profile_name, aggregate=aggregate, higher_is_better=higher_is_better, title=title)

    def _set_profile(self, name: str) -> None:
        super()._set_profile(name)
        vars(self).pop("_common_finder", None)  # that of the profile before

    @cached_property
    def _common_finder(self) -> PhraseFinder:
        return build_finder(self._word_list.entries if self._word_list else (), self.split)

    def _find_list(self, sample: Sample) -> PhraseFinder:
        if self._word_list:
            return self._common_finder
        return build_finder(read_row_entries(sample.meta, COLUMNS) or (), self.split)

    def count(self, sample: Sample, text: str) -> EntityStat:
        counts = count_entities(self.split(reference_text(sample.target)), self.split(text), self._find_list(sample))
        return tuple(value for label, row in sorted(counts.items()) for value in (label, *row))

    def badness(self, stat: EntityStat) -> float:
        """Return how many entities were not recognised or should not have been written."""
        size = 1 + len(EntityCounts._fields)
        recognised, spoken, right, written, *_ = (sum(stat[column::size]) for column in range(1, size))
        return float(spoken - recognised + written - right)


class RowEntityMetric(EntityMetric, Restricted):
    """A metric of entities that each row lists itself."""

    def applies(self, sample: Sample) -> bool:
        return has_row_entities(sample)


def has_row_entities(sample: Sample) -> bool:
    """Return whether a row has entities of its own."""
    return any(sample.meta.get(name) is not None for name in COLUMNS)


def entity_metrics(word_list: WordList | None = None, profile_name: str = "basic") -> tuple[Metric, ...]:
    """Make all metrics of entities."""
    make = EntityMetric if word_list else RowEntityMetric
    return tuple(make(name, word_list, profile_name) for name in _AGGREGATES)


entity_f1, entity_recall, entity_precision, entity_cer = entities = entity_metrics()
