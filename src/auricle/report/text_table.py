"""Tables of text that fit the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence

from auricle.core.terminal import SCREEN

RIGHT_ALIGNED = {
    *(
        "value",
        "n",
        "coverage",
        "A",
        "B",
        "n in A",
        "n in B",
        "B − A",
        "others",
        "difference",
        "detectable",
        "p",
        "adjusted p",
        "Cohen's d",
        "better",
        "worse",
        "score",
        "gain",
        "answers that change",
        "words per minute",
        "lost",
        "of",
        "share",
        "substituted",
        "deleted",
        "times",
    )
}
"""Titles of columns with numbers."""
NAMES = ("family", "model", "metric", "group")
"""Titles of columns that name rows, and are repeated where columns follow in a second table."""
NOTES = "notes"
"""Title of the column that moves beneath its rows where there is no space beside them."""
EXTRA_COLUMNS = (
    *(("method",), ("profile",), ("curve",), ("better", "worse"), ("before screening",), ("n in A", "n in B")),
    ("date",),
)
"""Titles of columns that are left out of a table that is too wide, the first ones first."""
SECONDARY_COLUMNS = (("p",), ("degradation",), ("coverage",), ("n",), ("failed",))
"""Titles of columns that are left out if long text has been folded and the table is still too wide."""
FOLDED_WIDTH, MIN_FOLDED_WIDTH = 20, 12
"""Characters to which text is folded before columns are left out, and after that."""
GAP = "  "


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[str] = RIGHT_ALIGNED
) -> list[str]:
    """Align columns to their widest cell, omit empty columns, and fit the table to the terminal, if there is one.

    A table that is too wide has its notes beneath the rows, long text on several lines and fewer columns, by
    `EXTRA_COLUMNS`; what is left out is added to that of `SCREEN`. If all of that is not enough, further columns follow
    in a second table.

    Args:
        header: The titles of the columns.
        rows: The cells.
        numeric: Titles of columns that are aligned to the right and never folded.
    """
    table = TextTable(header, rows, numeric)
    if (screen := SCREEN.get()) is None:
        return list(table.lines(table.used))
    screen.left_out.update(dict.fromkeys(table.fit(screen.width)))
    blocks = [list(table.lines(block)) for block in table.split(screen.width)]
    return [line for at, block in enumerate(blocks) for line in (["", *block] if at else block)]


class TextTable:
    """The columns of a table that are shown, and their widths."""

    def __init__(self, header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Collection[str]) -> None:
        self.header, self.rows = header, rows
        self.used = [at for at, _ in enumerate(header) if any(row[at] for row in rows)]
        self.numeric = {at for at in self.used if header[at] in numeric}
        self.cell_widths = {at: max(len(row[at]) for row in rows) for at in self.used}
        self.widths = {at: max(len(header[at]), self.cell_widths[at]) for at in self.used}
        self.beneath: int | None = None

    def total_width(self, columns: Sequence[int] | None = None) -> int:
        columns = self.used if columns is None else columns
        return sum(self.widths[at] for at in columns) + len(GAP) * (len(columns) - 1)

    def fit(self, width: int) -> list[str]:
        """Make the table fit a width as far as possible, and return the titles of columns that are left out."""
        if self.total_width() <= width:
            return []
        if NOTES in self.header and (notes := self.header.index(NOTES)) in self.used:
            self.used.remove(notes)
            self.beneath = notes
        for at in self.used:  # titles of several words take several lines
            self.widths[at] = max([self.cell_widths[at], *map(len, self.header[at].split())])
        left_out = []
        for groups, folded_width in ((EXTRA_COLUMNS, FOLDED_WIDTH), (SECONDARY_COLUMNS, MIN_FOLDED_WIDTH)):
            for titles in groups:
                if self.total_width() - sum(self._spare(at, folded_width) for at in self.used) <= width:
                    break
                left_out += [self.header[at] for at in self.used if self.header[at] in titles]
                self.used = [at for at in self.used if self.header[at] not in titles]
        self._fold(width)
        return left_out

    def _fold(self, width: int) -> None:
        """Make the widest texts narrower until the table fits; if it cannot fit, only the longest of them."""
        spare = sum(self._spare(at, MIN_FOLDED_WIDTH) for at in self.used)
        narrowest = MIN_FOLDED_WIDTH if self.total_width() - spare <= width else FOLDED_WIDTH
        while self.total_width() > width:
            widest = max(self.used, key=lambda at: (self._spare(at, narrowest), self.widths[at]))
            if not self._spare(widest, narrowest):
                break
            self.widths[widest] -= 1

    def _spare(self, at: int, folded_width: int) -> int:
        """Return how much narrower a column can be; metrics, numbers and intervals stay on one line."""
        if self.header[at] == "adjusted p":
            folded_width = len("borderline")
        elif at in self.numeric or self.header[at] == "metric" or "interval" in self.header[at]:
            return 0
        return max(0, self.widths[at] - folded_width)

    def split(self, width: int) -> Iterator[list[int]]:
        """Yield the columns of each of the tables that are needed; all begin with those that name the rows."""
        names, others = self._names, [at for at in self.used if at not in self._names]
        block = [*names]
        for at in others:
            if len(block) > len(names) and self.total_width([*block, at]) > width:
                yield block
                block = [*names]
            block.append(at)
        yield block

    @property
    def _names(self) -> list[int]:
        """The columns that name rows: the first, and those of `NAMES`."""
        return [at for at in self.used if at == self.used[0] or self.header[at] in NAMES]

    def lines(self, columns: Sequence[int]) -> Iterator[str]:
        """Yield the lines of a table with these columns."""
        yield from self._format_row(self.header, columns)
        yield GAP.join("─" * self.widths[at] for at in columns)
        is_first = columns == self.used[: len(columns)]
        for row in self.rows if is_first else self._further_rows(columns):
            yield from self._format_row(row, columns)
            if self.beneath is not None and columns[-1] == self.used[-1]:
                indent = " " * 4
                width = max(MIN_FOLDED_WIDTH, self.total_width(columns))
                yield from textwrap.wrap(row[self.beneath], width, initial_indent=indent, subsequent_indent=indent)

    def _further_rows(self, columns: Sequence[int]) -> Iterator[Sequence[str]]:
        """Yield the rows of a second table, which have something in its columns, under the name above them."""
        first, name = self.used[0], ""
        for row in self.rows:
            name = row[first] or name
            if any(row[at] for at in columns if at not in self._names):
                yield [name if at == first else cell for at, cell in enumerate(row)]

    def _format_row(self, row: Sequence[str], columns: Sequence[int]) -> Iterator[str]:
        cells = [
            [row[at]] if len(row[at]) <= self.widths[at] else textwrap.wrap(row[at], self.widths[at]) for at in columns
        ]
        for line in range(max(map(len, cells))):
            texts = (cell[line] if line < len(cell) else "" for cell in cells)
            aligned = (
                text.rjust(self.widths[at]) if at in self.numeric else text.ljust(self.widths[at])
                for at, text in zip(columns, texts, strict=True)
            )
            yield GAP.join(aligned).rstrip()
