"""A static website of runs and their leaderboard: a folder of pages that needs no server.

```
index.html  averages.html  leaderboard.csv  leaderboard.json
tasks/NAME.html           one page per column of the leaderboard
samples/TASK/NAME.html    one page per sample of a column, with the answers of all models
runs/NAME.html            one page per run: its report
badges/TASK/MODEL.svg     a badge per result; MODEL.json for shields.io
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import orjson

from auricle.core.errors import DataError, SpecError, describe
from auricle.core.files import read_regular_file, write_lines_atomically
from auricle.core.redaction import SECRETS
from auricle.report.run_html import render_report
from auricle.report.sample_view import SampleView
from auricle.report.worst_samples import load_worst_samples
from auricle.runs.metrics import Metrics
from auricle.runs.suites import find_unchanged_part
from auricle.studies.leaderboards.badges import render_badge_json, render_badge_svg
from auricle.studies.leaderboards.column_stats import ColumnStats, load_column
from auricle.studies.leaderboards.ranks import draw_column, rank_draws
from auricle.studies.leaderboards.sample_comparison import choose_samples, compare_samples
from auricle.studies.leaderboards.site_averages import PAGE as AVERAGES
from auricle.studies.leaderboards.site_averages import PackedDraws, pack_draws, render_averages
from auricle.studies.leaderboards.site_names import name_column, name_models, name_run
from auricle.studies.leaderboards.site_pages import RunLink, SiteView, render_index, render_task
from auricle.studies.leaderboards.site_samples import SampleLink, SamplePages
from auricle.studies.leaderboards.table import Column, Leaderboard, Rank, build_leaderboard

INDEX = "index.html"
PAGE_FOLDERS = ("badges", "runs", "samples", "tasks")
GENERATOR = b'<meta name="generator" content="auricle '
DEFAULT_TITLE = "Leaderboard"
DEFAULT_SAMPLES = 20
RESTRICTED = re.compile(r"application|signed|request|agreement|research only", re.IGNORECASE)
"""Words of licences that let only those who applied have the recordings."""
JSON_VERSION = 1
"""Version of the schema of `leaderboard.json`: raised when a field is renamed, removed or gets another meaning."""


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """What a site contains."""

    title: str = DEFAULT_TITLE
    audio: bool = False
    """Whether pages contain the recordings of their samples, within the limits of `report.html`.

    Those of tasks whose licence lets only those who applied have them are left out.
    """
    samples: int = DEFAULT_SAMPLES
    """Number of samples of each column that have a page with the answers of all models."""
    all_metrics: bool = False
    split_by_prompt: bool = True


@dataclass
class SiteFolder:
    """The folder of a site; files of an earlier export that are not written again are removed."""

    path: Path
    written: set[Path] = field(default_factory=set)
    size: int = 0
    """Bytes written so far."""

    def __post_init__(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise SpecError(f"{self.path} is not a folder. Choose another with --site.")
        visible = [entry for entry in self.path.glob("*") if not entry.name.startswith(".")]
        if visible and not self._is_site():
            raise SpecError(
                f"{self.path} already contains other files, such as {visible[0].name}. Choose an empty folder, or one "
                "with an earlier export."
            )
        for name in PAGE_FOLDERS:
            (self.path / name).mkdir(parents=True, exist_ok=True)

    def _is_site(self) -> bool:
        try:
            return GENERATOR in read_regular_file(self.path / INDEX)
        except OSError:
            return False

    def write(self, name: str, text: str) -> None:
        """Write a file, with secrets replaced."""
        content = SECRETS.redact_bytes(text.encode())
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        write_lines_atomically(self.path / name, [content])
        self.written.add(self.path / name)
        self.size += len(content)

    def remove_old_pages(self) -> None:
        for folder in PAGE_FOLDERS:
            for file in (self.path / folder).rglob("*.*"):
                if file.is_file() and file not in self.written:
                    file.unlink()
            for subfolder in (self.path / folder).iterdir():
                if subfolder.is_dir() and not any(subfolder.iterdir()):
                    subfolder.rmdir()


@dataclass(frozen=True, slots=True)
class Site:
    """A site that was written."""

    index: Path
    runs: int
    board: Leaderboard
    size: int
    """Bytes of all files."""
    skipped: tuple[str, ...] = ()
    """Runs that could not be shown, with the reason."""
    silent: tuple[str, ...] = ()
    """Tasks without recordings, with the reason."""


def write_site(runs: Iterable[tuple[Path, Metrics]], folder: Path, options: SiteOptions | None = None) -> Site:
    """Write a website of runs and their leaderboard. Code that a run names is not executed.

    Args:
        runs: Run directories with their metrics. They are read one by one.
        folder: Folder of the site: a new one, an empty one or one with an earlier export.
        options: What the site contains.

    Raises:
        SpecError: if the folder contains other files.
    """
    options = options or SiteOptions()
    site = SiteFolder(folder)
    pages = RunPages(site, options.audio)
    board = build_leaderboard(
        pages.write_all(runs), all_metrics=options.all_metrics, split_by_prompt=options.split_by_prompt
    )
    board = replace(board, rows=tuple(row for row in board.rows if row.cells))  # the others are among the other runs
    columns = ColumnPages(site, board, pages, options)
    board = columns.write_all()
    shown = {cell.run for row in board.rows for cell in row.cells.values()}
    view = SiteView(
        title=options.title,
        board=board,
        pages=columns.names,
        samples=columns.samples,
        other_runs=tuple(link for page, link in pages.links.items() if page not in shown),
        run_count=len(pages.links),
        skipped=tuple(pages.skipped),
        silent=pages.silent,
        split_by_prompt=options.split_by_prompt,
        created=f"{datetime.now(UTC):%Y-%m-%d}",
        version=version("auricle"),
    )
    for column, page in view.pages.items():
        site.write(f"tasks/{page}.html", render_task(view, column))
        for name, row in zip(name_models(view.board.rows), view.board.rows, strict=True):
            if cell := row.cells.get(column):
                site.write(f"badges/{view.pages[column]}/{name}.json", render_badge_json(column, cell))
                site.write(f"badges/{view.pages[column]}/{name}.svg", render_badge_svg(column, cell))
    site.write(AVERAGES, render_averages(view, columns.draws))
    site.write("leaderboard.csv", board.to_csv())
    site.write("leaderboard.json", orjson.dumps(describe_site(view), option=orjson.OPT_INDENT_2).decode())
    site.write(INDEX, render_index(view))
    site.remove_old_pages()
    return Site(folder / INDEX, len(pages.links), board, site.size, tuple(pages.skipped), pages.silent)


def describe_site(view: SiteView) -> dict[str, object]:
    """Return the content of `leaderboard.json`."""
    titles = view.board.column_titles()
    return {
        "format": "auricle-leaderboard",
        "version": JSON_VERSION,
        "title": view.title,
        "created": view.created,
        "auricle": view.version,
        "columns": [
            {
                "key": page,
                "title": titles[column],
                "task": column.signature.task,
                "revision": column.signature.revision,
                "metric": column.name,
                "higher_is_better": column.higher_is_better,
                "unit": column.unit,
                "page": f"tasks/{page}.html",
            }
            for column, page in view.pages.items()
        ],
        "results": [
            {**result, "column": view.pages[column]}
            for result, column in zip(view.board.list_results(), view.board.list_result_columns(), strict=True)
        ],
    }


@dataclass
class RunPages:
    """The pages of runs: what was written, and what could not be."""

    site: SiteFolder
    audio: bool
    links: dict[str, RunLink] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    """The run directory that the numbers of each page are computed from."""
    skipped: list[str] = field(default_factory=list)
    """Runs without a page, with the reason."""
    restricted: dict[str, str] = field(default_factory=dict)
    """The licence of each task whose recordings are left out."""

    @property
    def silent(self) -> tuple[str, ...]:
        """Tasks without recordings, with the reason."""
        return tuple(f"{task}: its licence is “{licence}”" for task, licence in self.restricted.items())

    def may_play(self, task: str) -> bool:
        """Return whether pages may contain the recordings of a task, among those of the runs read so far."""
        return self.audio and task not in self.restricted

    def write_all(self, runs: Iterable[tuple[Path, Metrics]]) -> Iterator[tuple[str, Metrics]]:
        """Write the page of each run; yield its address and its metrics."""
        for path, metrics in runs:
            name = name_run(metrics)
            # Runs of the same model and task are numbered.
            names = (f"runs/{name}{'' if count == 1 else f'-{count}'}.html" for count in range(1, len(self.links) + 2))
            page = next(candidate for candidate in names if candidate not in self.links)
            task = metrics.task
            if self.audio and RESTRICTED.search(task.licence):
                self.restricted[task.name] = task.licence
            try:
                self.site.write(page, _render_run(path, metrics, audio=self.may_play(task.name)))
            except Exception as error:  # noqa: BLE001 - a downloaded run may contain anything; the others are written
                self.skipped.append(
                    f"{metrics.model.name} on {metrics.task.name}: {type(error).__name__}: {describe(error)}"
                )
                continue
            self.links[page] = RunLink(
                page, metrics.model.name, metrics.task.name, metrics.outcomes.total, metrics.created.partition("T")[0]
            )
            self.paths[page] = find_unchanged_part(path)
            # Details, such as confusion matrices, are only on the page of the run; those of many would fill memory.
            yield page, replace(metrics, numbers=tuple(replace(number, details={}) for number in metrics.numbers))


class ColumnPages:
    """What is computed and written while the statistics of a column are in memory: ranks, and the pages of samples."""

    def __init__(self, site: SiteFolder, board: Leaderboard, runs: RunPages, options: SiteOptions) -> None:
        self._site, self._board, self._runs, self._options = site, board, runs, options
        self._titles = board.column_titles()
        self.names = {column: name_column(column) for column in board.columns}
        self.samples: dict[Column, tuple[SampleLink, ...]] = {}
        self.draws: dict[Column, PackedDraws] = {}

    def write_all(self) -> Leaderboard:
        """Write the pages of samples; return the leaderboard with the intervals of its ranks."""
        ranks: dict[tuple[int, Column], Rank] = {}
        for column in self._board.columns:
            stats = load_column(self._board, column, self._runs.paths)
            ranked_count = sum(cell.rank is not None for cell in self._board.list_cells(column))
            if draws := draw_column(stats, ranked_count):
                self.draws[column] = pack_draws(draws)
                intervals = rank_draws(draws, direction=column.direction)
                ranks |= {(place, column): rank for place, rank in intervals.items()}
            self.samples[column] = self._write_samples(stats)
        return self._board.with_ranks(ranks)

    def _write_samples(self, stats: ColumnStats) -> tuple[SampleLink, ...]:
        column, options = stats.column, self._options
        chosen = choose_samples(stats, options.samples)
        tasks = {self._runs.links[cell.run].task for cell in self._board.list_cells(column)}
        samples = list(compare_samples(stats, chosen, audio=all(map(self._runs.may_play, tasks))))
        name = self.names[column]
        pages = SamplePages(self._board, column, self._titles[column], name, version("auricle"))
        for page, text in pages.render_all(samples):
            self._site.write(f"samples/{name}/{page}.html", text)
        return tuple(map(SampleLink.to, samples))


def _render_run(path: Path, metrics: Metrics, *, audio: bool) -> str:
    samples: list[SampleView] = []
    notices = []
    if metrics.overall and not metrics.parts:
        try:
            samples = load_worst_samples(path, metrics.overall[0], audio=audio)
        except DataError as error:
            notices.append(f"The samples cannot be shown: {error}")
    return render_report(metrics, samples, home=f"../{INDEX}", notices=notices)
