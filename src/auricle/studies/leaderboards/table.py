"""Models against tasks: one table from many runs.

Results share a column only if they are comparable: the same metric of the same task, data and prompt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from auricle.core.csv_text import render_records
from auricle.core.direction import Directed, Direction
from auricle.core.signature import DECISIVE_PARTS, Signature
from auricle.metrics.catalogue import metric_title
from auricle.report.methods import TOO_FEW, explain_few_units
from auricle.report.text_format import format_number, format_value
from auricle.report.text_table import format_table
from auricle.report.usage_text import format_speed
from auricle.runs.metrics import FAMILY_FIELD, Metrics, Number, TaskFacts
from auricle.studies.audiogram.report import THRESHOLD, format_threshold_interval

CSV_COLUMNS = (
    *("model", "arguments", "task", "revision", "asked", "metric", "value", "low", "high"),
    *("interval", "cluster", "units", "scored", "total", "failed", "unreadable", "refused", "truncated", "coverage"),
    *("rank", "rank_low", "rank_high", "throughput", "rtfx", "cost", "currency", "complete", "run", "signature"),
)
NUMBER_COLUMNS = (
    *("value", "low", "high", "interval", "cluster", "units"),
    *("scored", "total", "failed", "unreadable", "refused", "truncated"),
)
SPEEDS = {"throughput": "Throughput", "rtfx": "Speed of one request"}
"""Titles of the speeds of a run, in seconds of audio per second; `usage_text` defines them."""
MAX_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Column(Directed):
    """What must be equal for two results to share a column."""

    signature: Signature
    """What is measured, whichever the model; without an inferencer if prompts may differ."""
    name: str
    metric_title: str = field(compare=False)
    higher_is_better: bool = field(compare=False)
    unit: str = field(compare=False)
    optimum: str = field(default="", compare=False)

    @property
    def title(self) -> str:
        return f"{self.signature.task.partition(':')[0]} {self.metric_title}"

    @property
    def arrow(self) -> str:
        return self.direction.arrow


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of a result in its column, from 1; equal values share a place."""

    place: int
    is_tied: bool
    count: int
    """Number of results that have a place."""
    low: int | None = None
    """Best and worst place that it may have; with 95 % confidence, those of all results hold. None without draws."""
    high: int | None = None

    @property
    def text(self) -> str:
        """The place, with = if it is shared: `=2 of 7`."""
        return f"{'=' if self.is_tied else ''}{self.place} of {self.count}"

    @property
    def range(self) -> str:
        """The interval of the place, `1 – 3`; a dash if there is none."""
        if self.low is None or self.high is None:
            return "–"
        return str(self.low) if self.low == self.high else f"{self.low} – {self.high}"

    @property
    def summary(self) -> str:
        """The interval of the place, or else the place alone: `rank 1 – 3 of 7`, `place =2 of 7`."""
        return f"place {self.text}" if self.low is None else f"rank {self.range} of {self.count}"


@dataclass(frozen=True, slots=True)
class Cell:
    """The result of one run."""

    number: Number
    run: str
    throughput: float | None
    rtfx: float | None
    complete: bool
    created: str
    cost: float | None = None
    """What all samples cost; None if that of some is unknown, or if answers came from the cache."""
    currency: str = ""
    audio_hours: float | None = None
    """Hours of audio that the run processed."""
    first_token_p95: float | None = None
    """Seconds until 95 % of streamed answers began."""
    slices: tuple[Number, ...] = ()
    """The same metric over groups of samples."""
    rank: Rank | None = None
    """None for a run that is not finished, or whose number leaves out more samples than those of other runs."""

    @property
    def value(self) -> float | None:
        return self.number.value

    @property
    def text(self) -> str:
        return format_value(self.number)

    @property
    def interval(self) -> str:
        if self.number.metric.endswith(THRESHOLD):
            return format_threshold_interval(self.number) or "–"
        if self.number.has_too_few_units:
            return TOO_FEW
        low, high = (format_number(end, self.number.unit) for end in (self.number.low, self.number.high))
        return "–" if "–" in (low, high) else f"{low.removesuffix(' %')} – {high}"

    @property
    def coverage(self) -> str:
        """The share of samples whose answer was read and scored; empty if all were."""
        number = self.number
        return "" if number.read == number.total else f"{min(100 * number.coverage, 99.9):.1f} %"

    @property
    def is_rankable(self) -> bool:
        """Whether the run is finished and has a number."""
        return self.complete and self.value is not None

    @property
    def sample_counts(self) -> tuple[int, int]:
        """How many samples were evaluated, and the negative of how many of them are left out of the number."""
        number = self.number
        return number.total + number.not_applicable, number.scored - number.total

    @property
    def uncertainty(self) -> str:
        """The interval, and the coverage if it is not complete."""
        part = f", {self.coverage} covered" if self.coverage else ""
        return f"{self.interval}{part}{'' if self.complete else ', unfinished'}"


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
    def speeds(self) -> dict[str, float | None]:
        """The lowest throughput and the lowest speed of one request of its runs."""
        return {
            name: min(filter(None, (getattr(cell, name) for cell in self.cells.values())), default=None)
            for name in SPEEDS
        }


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Models against tasks, best first by the first column."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    replaced_count: int = 0
    """Runs that were replaced by a newer run of the same model, arguments and column."""

    def column_titles(self) -> dict[Column, str]:
        """Return the title and arrow of each column; equal titles are followed by what differs between them."""
        by_title: dict[str, list[Column]] = {}
        for column in self.columns:
            by_title.setdefault(column.direction.mark(column.title), []).append(column)
        return {
            column: f"{title}{_describe_differences(column, columns)}"
            for title, columns in by_title.items()
            for column in columns
        }

    def best(self, column: Column) -> float | None:
        """Return the best value of a column among ranked results."""
        values = [cell.value for cell in self.list_cells(column) if cell.rank and cell.value is not None]
        return column.direction.choose_best(values)

    def list_cells(self, column: Column) -> list[Cell]:
        """Return the results of a column, in the order of the rows."""
        return [row.cells[column] for row in self.rows if column in row.cells]

    def list_results(self) -> list[dict[str, Any]]:
        """Return each result with its model, task, metric and run, under the names of `CSV_COLUMNS`."""
        return [_describe_result(row, column, cell) for row in self.rows for column, cell in row.cells.items()]

    def list_result_columns(self) -> list[Column]:
        """Return the column of each result, in the order of `list_results`."""
        return [column for row in self.rows for column in row.cells]

    @property
    def few_units_note(self) -> str:
        """Why some of the numbers are marked; empty if none is."""
        return explain_few_units(cell.number for row in self.rows for cell in row.cells.values())

    def to_csv(self) -> str:
        """Return one CSV row per result."""
        return render_records(CSV_COLUMNS, self.list_results())

    def to_text(self) -> str:
        """Return a table for the terminal, with an asterisk at the best of each column."""
        header, *rows = self._format_table(str, "*{}")
        note = f"\n{self.few_units_note}\n" if self.few_units_note else ""
        return "".join(f"{line}\n" for line in format_table(header, rows, numeric=header[1:])) + note

    def to_markdown(self) -> str:
        """Return a Markdown table with the best of each column in bold."""
        header, *rows = self._format_table(_escape_markdown, "**{}**")
        rule = ["---", *("---:" for _ in header[1:])]
        table = "".join(f"| {' | '.join(line)} |\n" for line in (header, rule, *rows))
        return f"{table}\n{_escape_markdown(self.few_units_note)}\n" if self.few_units_note else table

    def to_latex(self) -> str:
        """Return a LaTeX table (`booktabs`) with the best of each column in bold."""
        header, *rows = (f"{' & '.join(line)} \\\\\n" for line in self._format_table(_escape_latex, "\\textbf{{{}}}"))
        alignment = "l" + "r" * (len(self.columns) + len(SPEEDS))
        note = f"\\par{{\\footnotesize {_escape_latex(self.few_units_note)}}}\n" if self.few_units_note else ""
        return (
            f"\\begin{{tabular}}{{{alignment}}}\n\\toprule\n{header}\\midrule\n{''.join(rows)}\\bottomrule\n"
            f"\\end{{tabular}}\n{note}"
        )

    def _format_table(self, escape: Callable[[str], str], bold: str) -> Iterator[list[str]]:
        """Yield the header and the rows; `bold` is the format of the best value of a column."""
        titles = self.column_titles()
        yield list(map(escape, ["Model", *(titles[column] for column in self.columns), *SPEEDS.values()]))
        best = {column: self.best(column) for column in self.columns}
        for row in self.rows:
            line = [escape(row.title)]
            for column in self.columns:
                cell = row.cells.get(column)
                value = escape(cell.text if cell else "–")
                if cell and cell.rank and cell.value == best[column]:
                    value = bold.format(value)
                line.append(f"{value} ({escape(cell.uncertainty)})" if cell else value)
            yield [*line, *(escape(format_speed(speed)) for speed in row.speeds.values())]

    def rank_cells(self) -> Leaderboard:
        """Return the same table with the place of each result in its column.

        Only finished runs with the same coverage are ranked together: those that evaluated the most samples, and of
        them those whose numbers leave out the fewest.
        """
        ranks: dict[tuple[int, Column], Rank] = {}
        for column in self.columns:
            cells = {at: cell for at, row in enumerate(self.rows) if (cell := row.cells.get(column))}
            widest = max((cell.sample_counts for cell in cells.values() if cell.is_rankable), default=None)
            values = {
                at: cell.value
                for at, cell in (cells.items() if column.direction is not Direction.NONE else ())
                if cell.is_rankable and cell.value is not None and cell.sample_counts == widest
            }
            for at, value in values.items():
                costs = [column.direction.cost(other) for other in values.values()]
                better = sum(cost < column.direction.cost(value) for cost in costs)
                is_tied = costs.count(column.direction.cost(value)) > 1
                ranks[at, column] = Rank(better + 1, is_tied, len(values))
        return self.with_ranks(ranks)

    def with_ranks(self, ranks: Mapping[tuple[int, Column], Rank]) -> Leaderboard:
        """Return the same table with these ranks, by the place of the row and the column."""
        rows = [
            replace(
                row,
                cells={
                    column: replace(cell, rank=ranks.get((at, column), cell.rank)) for column, cell in row.cells.items()
                },
            )
            for at, row in enumerate(self.rows)
        ]
        return replace(self, rows=tuple(rows))


def _describe_differences(column: Column, columns: Sequence[Column]) -> str:
    """Name what distinguishes a column from others with its title: data, prompt, normaliser or metric."""
    differing = {name for other in columns for name in column.signature.differences(other.signature)}
    parts = {name: str(getattr(column.signature, name)) or "none" for name in DECISIVE_PARTS if name in differing}
    metrics = {other.signature.metric for other in columns}
    if len({metric.profile for metric in metrics}) == len(metrics) > 1:
        parts["metric"] = column.signature.metric.profile or "no profile"
    if any(other.signature == column.signature and other != column for other in columns):
        parts["name"] = column.name
    return f" ({', '.join(parts.values())})" if parts else ""


def build_leaderboard(
    runs: Iterable[tuple[str, Metrics]], *, all_metrics: bool = False, split_by_prompt: bool = True
) -> Leaderboard:
    """Build the table of runs, given by their names and metrics.

    Args:
        runs: Name and metrics of each run.
        all_metrics: Show every metric instead of the first of each task.
        split_by_prompt: Give runs with different prompts or inferencers different columns.
    """
    cells: dict[tuple[str, str], dict[Column, Cell]] = {}
    replaced = 0
    for run, metrics in _name_data_alike(list(runs)):
        model_cells = cells.setdefault((metrics.model.name, _format_arguments(metrics.model.arguments)), {})
        for column, cell in _read_cells(run, metrics, all_metrics, split_by_prompt):
            replaced += column in model_cells
            if column not in model_cells or cell.created >= model_cells[column].created:
                model_cells[column] = cell
    columns = sorted({column for model_cells in cells.values() for column in model_cells}, key=_column_sort_key)
    rows = [
        Row(*model, {column: model_cells[column] for column in columns if column in model_cells})
        for model, model_cells in cells.items()
    ]
    board = Leaderboard(tuple(columns), tuple(rows), replaced).rank_cells()
    return replace(board, rows=tuple(sorted(board.rows, key=lambda row: _row_sort_key(row, columns))))


def _name_data_alike(runs: Sequence[tuple[str, Metrics]]) -> Iterator[tuple[str, Metrics]]:
    """Yield runs under one name of their task if they have the same rows of a data file: with and without a task file.

    The rows of other tasks, such as a benchmark that selects from its file, do not follow from the revision alone.
    """
    names: dict[tuple[str, str], set[str]] = {}
    for _, metrics in runs:
        if _is_data_file(metrics.task):
            names.setdefault((metrics.task.source, metrics.task.revision), set()).add(metrics.task.name)
    for run, metrics in runs:
        task = metrics.task
        name = min(names.get((task.source, task.revision), {task.name}), key=len)
        if not _is_data_file(task) or name == task.name:
            yield run, metrics
            continue
        signatures = (
            replace(number.signature, task=f"{name}{number.signature.task.removeprefix(task.name)}")
            for number in metrics.numbers
        )
        numbers = (replace(number, signature=each) for number, each in zip(metrics.numbers, signatures, strict=True))
        yield run, replace(metrics, task=replace(task, name=name), numbers=tuple(numbers))


def _is_data_file(task: TaskFacts) -> bool:
    """Return whether the source of a task is the file whose content its revision identifies."""
    return bool(task.source) and PurePath(task.source).name == task.revision.partition("@")[0]


def _column_sort_key(column: Column) -> tuple[str, ...]:
    signature = column.signature
    return signature.task, signature.revision, str(signature.metric), signature.inferencer, str(signature), column.name


def _read_cells(run: str, metrics: Metrics, all_metrics: bool, split_by_prompt: bool) -> Iterator[tuple[Column, Cell]]:
    speed, usage = metrics.speed, metrics.usage
    is_priced = usage.cost is not None and not usage.samples_without_cost and not usage.cached
    for number in map(_drop_infinite_parts, _list_shown(metrics, all_metrics)):
        if not number.signature.is_complete:
            continue
        signature = replace(number.signature, model="", auricle="")
        title = number.title or metric_title(number.metric)
        column = Column(
            signature if split_by_prompt else replace(signature, inferencer=""),
            number.metric,
            f"{title}, {number.group}" if number.field == FAMILY_FIELD else title,
            number.higher_is_better,
            number.unit,
            number.optimum,
        )
        yield (
            column,
            Cell(
                number,
                run,
                speed.throughput if speed else None,
                speed.rtfx if speed else None,
                metrics.complete,
                metrics.created,
                cost=usage.cost if is_priced else None,
                currency=(usage.currency or "") if is_priced else "",
                audio_hours=usage.audio_seconds / 3600 if usage.audio_seconds else None,
                first_token_p95=speed.ttft_s.p95 if speed and speed.ttft_s else None,
                slices=tuple(
                    _drop_infinite_parts(part)
                    for part in metrics.numbers
                    if part.field and part.metric == number.metric and number.field != FAMILY_FIELD
                ),
            ),
        )


def _drop_infinite_parts(number: Number) -> Number:
    """Return a number without parts that are not finite: files of other tools may contain them."""
    parts = {name: getattr(number, name) for name in ("value", "low", "high")}
    infinite: dict[str, Any] = {
        name: None for name, part in parts.items() if part is not None and not math.isfinite(part)
    }
    return replace(number, **infinite) if infinite else number


def _list_shown(metrics: Metrics, all_metrics: bool) -> list[Number]:
    """Return the numbers that have a column: those over all samples, and the thresholds of families of conditions."""
    numbers = metrics.overall if all_metrics else metrics.overall[:1]
    thresholds = {f"{number.metric}{THRESHOLD}" for number in numbers}
    summaries = [number for number in metrics.numbers if number.field == FAMILY_FIELD]
    return [*numbers, *(number for number in summaries if all_metrics or number.metric in thresholds)]


def _format_arguments(arguments: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return text if len(text) <= MAX_NAME_LENGTH else f"{text[:MAX_NAME_LENGTH]}…"


def _row_sort_key(row: Row, columns: Sequence[Column]) -> tuple[Any, ...]:
    """Return a sort key: best first by the first column a model has a result in, ranked results first, then by name."""
    for at, column in enumerate(columns):
        cell = row.cells.get(column)
        if cell is not None and cell.value is not None:
            return at, cell.rank is None, column.direction.cost(cell.value), row.title
    return len(columns), True, 0.0, row.title


# --- for spreadsheets and papers --------------------------------------------------------------


def _describe_result(row: Row, column: Column, cell: Cell) -> dict[str, Any]:
    number, signature = cell.number, column.signature
    return {
        "model": row.model,
        "arguments": row.arguments,
        "task": signature.task,
        "revision": signature.revision,
        "asked": signature.inferencer,
        "metric": column.name,
        **{name: getattr(number, name) for name in NUMBER_COLUMNS},
        "coverage": number.coverage if number.total else None,
        "rank": cell.rank.place if cell.rank else None,
        "rank_low": cell.rank.low if cell.rank else None,
        "rank_high": cell.rank.high if cell.rank else None,
        "throughput": cell.throughput,
        "rtfx": cell.rtfx,
        "cost": cell.cost,
        "currency": cell.currency or None,
        "complete": cell.complete,
        "run": cell.run,
        "signature": str(number.signature),
    }


LATEX_ESCAPES = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "–": "--",
    "−": "$-$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "\n": " ", "\r": " ", "\u202f": "~", "…": r"\ldots{}",
    "†": r"\textdagger{}",
})  # fmt: skip


def _escape_latex(text: str) -> str:
    return text.translate(LATEX_ESCAPES)


def _escape_markdown(text: str) -> str:
    """Escape text for a Markdown table cell; underscores within words stand for themselves."""
    return re.sub(r"([\\`*\[\]<>|&#~!]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))
