"""Models against tasks: one table from many runs, in which only like stands below like.

    board(runs)            runs are (name, content of metrics.json)
    Board.csv() .markdown() .latex()

A column is one metric of one task at one revision, asked and scored in one way: what differs in
any of these stands in a column of its own.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.report.html_format import metric_title
from auricle.report.text_format import format_coverage, format_number

Document = Mapping[str, Any]
CSV_COLUMNS = (
    *("model", "arguments", "task", "revision", "asked", "metric", "value", "low", "high"),
    *("scored", "total", "failed", "coverage", "rtfx", "complete", "run", "signature"),
)
MAX_NAME_LENGTH = 80
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")  # characters that begin a formula in a spreadsheet


@dataclass(frozen=True, slots=True)
class Column:
    """What must be equal for two results to share a column."""

    task: str
    revision: str
    inferencer: str
    metric: str
    """The metric with its version and variant, as in signatures."""
    name: str
    higher_is_better: bool
    unit: str

    @property
    def title(self) -> str:
        return f"{self.task.partition(':')[0]} {metric_title(self.name)}"

    @property
    def arrow(self) -> str:
        return "↑" if self.higher_is_better else "↓"


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one run."""

    number: Mapping[str, Any]
    run: str
    rtfx: float | None
    complete: bool
    created: str

    @property
    def value(self) -> float | None:
        value: float | None = self.number["value"]
        return value

    @property
    def text(self) -> str:
        return format_number(self.value, self.number["unit"])

    @property
    def interval(self) -> str:
        low, high = (format_number(self.number[end], self.number["unit"]) for end in ("low", "high"))
        return "–" if "–" in (low, high) else f"{low.removesuffix(' %')} – {high}"


@dataclass(frozen=True, slots=True)
class Row:
    """A model with its arguments."""

    model: str
    arguments: str
    cells: Mapping[Column, Cell]

    @property
    def title(self) -> str:
        return f"{self.model} ({self.arguments})" if self.arguments else self.model

    @property
    def rtfx(self) -> float | None:
        """The lowest speed of its runs."""
        known = [cell.rtfx for cell in self.cells.values() if cell.rtfx]
        return min(known, default=None)


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models against tasks, best first by the first column."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    replaced_count: int = 0
    """Runs that were replaced by a newer run of the same model, arguments and column."""

    def best(self, column: Column) -> float | None:
        """Return the best value of a column among complete runs."""
        known = [
            cell.value
            for row in self.rows
            if (cell := row.cells.get(column)) and cell.complete and cell.value is not None
        ]
        if not known:
            return None
        return max(known) if column.higher_is_better else min(known)

    def to_csv(self) -> str:
        """Return one CSV row per result."""
        text = io.StringIO()
        writer = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in self.rows:
            for column, cell in row.cells.items():
                writer.writerow(_csv_row(row, column, cell))
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return a Markdown table with the best of each column in bold."""
        head = ["Model", *(f"{each.title} {each.arrow}" for each in self.columns), "RTFx"]
        rows = [
            [_escape_markdown(row.title), *self._format_cells(row, _markdown_value), _format_rtfx(row)]
            for row in self.rows
        ]
        rule = ["---", *("---:" for _ in head[1:])]
        lines = [[*map(_escape_markdown, head)], rule, *rows]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def to_latex(self) -> str:
        """Return a LaTeX table (`booktabs`) with the best of each column in bold."""
        head = ["Model", *(f"{each.title} {_latex_arrow(each)}" for each in self.columns), "RTFx"]
        rows = [
            [_escape_latex(row.title), *self._format_cells(row, _latex_value), _format_rtfx(row)] for row in self.rows
        ]
        body = "".join(f"{' & '.join(line)} \\\\\n" for line in rows)
        return (
            f"\\begin{{tabular}}{{l{'r' * (len(self.columns) + 1)}}}\n\\toprule\n"
            f"{' & '.join(map(_latex_heading, head))} \\\\\n\\midrule\n{body}\\bottomrule\n"
            "\\end{tabular}\n"
        )

    def _format_cells(self, row: Row, format_value: Any) -> Iterator[str]:
        for column in self.columns:
            cell = row.cells.get(column)
            if cell is None:
                yield "–" if format_value is _markdown_value else "--"
            else:
                yield format_value(cell, cell.complete and cell.value == self.best(column))


def build_leaderboard(
    runs: Iterable[tuple[str, Document]], *, all_metrics: bool = False, split_by_prompt: bool = True
) -> Leaderboard:
    """A table of runs: by each task's first metric, or by `every` one.

    Unless `strict`, runs that were asked in different ways share a column.
    """
    cells: dict[tuple[str, str], dict[Column, Cell]] = {}
    replaced = 0
    for run, document in runs:
        model = (str(document["model"]["name"]), _format_arguments(document["model"].get("arguments")))
        model_cells = cells.setdefault(model, {})
        for column, cell in _read_cells(run, document, all_metrics, split_by_prompt):
            replaced += column in model_cells
            if column not in model_cells or cell.created >= model_cells[column].created:
                model_cells[column] = cell
    columns = sorted({each for model_cells in cells.values() for each in model_cells}, key=_column_sort_key)
    made = [
        Row(*model, {each: model_cells[each] for each in columns if each in model_cells})
        for model, model_cells in cells.items()
    ]
    return Leaderboard(tuple(columns), tuple(sorted(made, key=lambda row: _row_sort_key(row, columns))), replaced)


def _column_sort_key(column: Column) -> tuple[str, ...]:
    return column.task, column.revision, column.metric, column.inferencer


def _read_cells(
    run: str, document: Document, all_metrics: bool, split_by_prompt: bool
) -> Iterator[tuple[Column, Cell]]:
    whole = [each for each in document["numbers"] if not each["field"]]
    speed = (document.get("speed") or {}).get("rtfx")
    for number in whole if all_metrics else whole[:1]:
        parts = str(number["signature"]).split("|")
        if len(parts) < 6:  # without a signature, it is not comparable with anything
            continue
        column = Column(
            task=parts[0],
            revision="|".join(parts[1:-4]),
            inferencer=parts[-4] if split_by_prompt else "",
            metric=parts[-3],
            name=str(number["metric"]),
            higher_is_better=bool(number["higher_is_better"]),
            unit=str(number["unit"]),
        )
        yield (
            column,
            Cell(
                number,
                run,
                speed if isinstance(speed, (int, float)) else None,
                bool(document.get("complete")),
                str(document.get("created", "")),
            ),
        )


def _format_arguments(arguments: Any) -> str:
    if not isinstance(arguments, Mapping):
        return ""
    text = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}…"


def _row_sort_key(row: Row, columns: Sequence[Column]) -> tuple[Any, ...]:
    """Return a sort key: best first by the first column a model has a result in, then by name."""
    for at, column in enumerate(columns):
        cell = row.cells.get(column)
        if cell is not None and cell.value is not None:
            return at, -cell.value if column.higher_is_better else cell.value, row.title
    return len(columns), 0.0, row.title


# --- for spreadsheets and papers --------------------------------------------------------------


def _csv_row(row: Row, column: Column, cell: Cell) -> dict[str, Any]:
    number = cell.number
    fields = {
        "model": row.model,
        "arguments": row.arguments,
        "task": column.task,
        "revision": column.revision,
        "asked": column.inferencer,
        "metric": column.name,
        "run": cell.run,
        "signature": number["signature"],
    }
    return {
        **{name: _escape_formula(text) for name, text in fields.items()},
        **{name: number[name] for name in ("value", "low", "high", "scored", "total", "failed")},
        "coverage": number["scored"] / number["total"] if number["total"] else None,
        "rtfx": cell.rtfx,
        "complete": cell.complete,
    }


def _escape_formula(text: str) -> str:
    """Escape text that a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) else text


def _format_rtfx(row: Row) -> str:
    return f"{row.rtfx:,.1f}" if row.rtfx else "–"


def _format_uncertainty(cell: Cell) -> str:
    """Format the interval, and the coverage if it is not complete."""
    covered = format_coverage(cell.number)
    part = "" if covered == "100 %" else f", {covered} covered"
    return f"{cell.interval}{part}{'' if cell.complete else ', unfinished'}"


def _markdown_value(cell: Cell, is_best: bool) -> str:
    return f"{f'**{cell.text}**' if is_best else cell.text} ({_format_uncertainty(cell)})"


def _latex_value(cell: Cell, is_best: bool) -> str:
    value = _escape_latex(cell.text)
    bold = f"\\textbf{{{value}}}"
    return f"{bold if is_best else value} ({_escape_latex(_format_uncertainty(cell))})"


def _latex_arrow(column: Column) -> str:
    return "$\\uparrow$" if column.higher_is_better else "$\\downarrow$"


def _latex_heading(text: str) -> str:
    name, _, sign = text.rpartition(" ")
    return f"{_escape_latex(name)} {sign}" if sign.startswith("$") else _escape_latex(text)


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--",
    "−": "$-$", "\n": " ", "\r": " ", "\u202f": "~", "…": r"\ldots{}",
}  # fmt: skip


def _escape_latex(text: str) -> str:
    return "".join(LATEX_ESCAPES.get(letter, letter) for letter in text)


def _escape_markdown(text: str) -> str:
    """Escape text for a Markdown table cell."""
    return re.sub(r"([\\`*_\[\]<>|&#~!])", r"\\\1", " ".join(text.split()))
