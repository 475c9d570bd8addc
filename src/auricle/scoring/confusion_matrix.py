"""Confusion matrices, from the details of a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auricle.metrics.label_alignment import display_label

MAX_MATRIX_LABELS = 30
"""A matrix with more labels is not readable."""
UNREADABLE = "unreadable"
TIER_DESCRIPTIONS = {"family": "by word stem", "synonym": "as synonyms"}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How many samples of a true label were predicted as another."""

    row: int
    column: int
    count: int
    support: int
    """Samples of the true label."""
    is_hit: bool

    @property
    def share(self) -> float:
        return self.count / self.support if self.support else 0.0


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """True labels against predicted ones; the shared labels come first on both axes."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    """Labels as the data and the model spell them; the last may be `UNREADABLE`."""
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    """Labels in English, for display."""
    shared: int
    counts: tuple[tuple[int, ...], ...]
    has_unreadable: bool
    """Whether some answers were unreadable; they are in the last column."""
    tiers: tuple[str, ...]
    """How each pair of shared labels was matched."""

    @classmethod
    def from_details(cls, details: Mapping[str, Any]) -> ConfusionMatrix:
        matrix = details["matrix"]
        extra = (UNREADABLE,) if any(matrix["unreadable"]) else ()
        return cls(
            rows=tuple(matrix["rows"]),
            columns=(*matrix["columns"], *extra),
            row_names=tuple(matrix["rows_shown"]),
            column_names=(*matrix["columns_shown"], *extra),
            shared=matrix["shared"],
            counts=tuple(
                (*row, unreadable) if extra else tuple(row)
                for row, unreadable in zip(matrix["counts"], matrix["unreadable"], strict=True)
            ),
            has_unreadable=bool(extra),
            tiers=tuple(matrix["tiers"]),
        )

    @property
    def predicted_labels(self) -> tuple[str, ...]:
        return self.columns[:-1] if self.has_unreadable else self.columns

    def find_cell(self, true: str | None, predicted: str | None) -> tuple[int, int] | None:
        """Return row and column of a cell by its labels; None if the matrix lacks one of them."""
        if true not in self.rows or predicted not in self.columns:
            return None
        return self.rows.index(true), self.columns.index(predicted)

    @property
    def is_readable(self) -> bool:
        """Whether the matrix has few enough labels to be drawn."""
        return max(len(self.rows), len(self.predicted_labels)) <= MAX_MATRIX_LABELS

    @property
    def cells(self) -> list[list[MatrixCell]]:
        return [
            [MatrixCell(row, at, count, sum(counts), row == at < self.shared) for at, count in enumerate(counts)]
            for row, counts in enumerate(self.counts)
        ]

    def frequent_confusions(self, limit: int) -> list[MatrixCell]:
        """Return the cells of the most frequent confusions."""
        missed = [cell for row in self.cells for cell in row if cell.count and not cell.is_hit]
        missed.sort(key=lambda cell: -cell.count)
        return missed[:limit]

    def describe_label_matches(self) -> list[str]:
        """List labels that were matched although they are spelled differently."""
        pairs = list(zip(self.rows, self.columns, self.tiers, strict=False))
        sentences = []
        for tier, how in TIER_DESCRIPTIONS.items():
            those = [f"{true} – {display_label(predicted)}" for true, predicted, own in pairs if own == tier]
            if those:
                sentences.append(f"Matched {how}: {', '.join(those)}.")
        return sentences
