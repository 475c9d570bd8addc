"""A static website of runs and their leaderboard: a folder of pages that needs no server.

```
index.html  leaderboard.csv  leaderboard.json
tasks/NAME.html     one page per column of the leaderboard
runs/NAME.html      one page per run: its report
```
The names of pages depend only on what was evaluated, so that links stay valid when the site is written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

import orjson

from auricle.core.errors import DataError, SpecError, describe
from auricle.core.files import write_lines_atomically
from auricle.core.redaction import SECRETS
from auricle.report.leaderboard import Column, Leaderboard, build_leaderboard
from auricle.report.ranks import add_rank_intervals
from auricle.report.run_html import render_report
from auricle.report.sample_view import SampleView
from auricle.report.site_pages import RunLink, SiteView, render_index, render_task
from auricle.report.worst_samples import load_worst_samples
from auricle.runs.metrics import Metrics

INDEX = "index.html"
PAGE_FOLDERS = ("runs", "tasks")
GENERATOR = b'<meta name="generator" content="auricle '
MAX_SLUG_LENGTH = 40
DEFAULT_TITLE = "Leaderboard"


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """What a site contains."""

    title: str = DEFAULT_TITLE
    audio: bool = False
    """Whether the pages of runs contain the recordings of their worst samples, within the limits of `report.html`."""
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
            return GENERATOR in (self.path / INDEX).read_bytes()
        except OSError:
            return False

    def write(self, name: str, text: str) -> None:
        """Write a file, with secrets replaced."""
        content = SECRETS.redact_bytes(text.encode())
        write_lines_atomically(self.path / name, [content])
        self.written.add(self.path / name)
        self.size += len(content)

    def remove_old_pages(self) -> None:
        for folder in PAGE_FOLDERS:
            for page in (self.path / folder).glob("*.html"):
                if page not in self.written:
                    page.unlink()


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
    board = add_rank_intervals(board, pages.paths)
    shown = {cell.run for row in board.rows for cell in row.cells.values()}
    view = SiteView(
        title=options.title,
        board=board,
        pages={column: name_column(column) for column in board.columns},
        other_runs=tuple(link for page, link in pages.links.items() if page not in shown),
        run_count=len(pages.links),
        skipped=tuple(pages.skipped),
        split_by_prompt=options.split_by_prompt,
        created=f"{datetime.now(UTC):%Y-%m-%d}",
        version=version("auricle"),
    )
    for column, page in view.pages.items():
        site.write(f"tasks/{page}.html", render_task(view, column))
    site.write("leaderboard.csv", board.to_csv())
    site.write("leaderboard.json", orjson.dumps(board.list_results(), option=orjson.OPT_INDENT_2).decode())
    site.write(INDEX, render_index(view))
    site.remove_old_pages()
    return Site(folder / INDEX, len(pages.links), board, site.size, tuple(pages.skipped))


@dataclass
class RunPages:
    """The pages of runs: what was written, and what could not be."""

    site: SiteFolder
    audio: bool
    links: dict[str, RunLink] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    """The run directory of each page."""
    skipped: list[str] = field(default_factory=list)
    """Runs without a page, with the reason."""

    def write_all(self, runs: Iterable[tuple[Path, Metrics]]) -> Iterator[tuple[str, Metrics]]:
        """Write the page of each run; yield its address and its metrics."""
        for path, metrics in runs:
            page = _find_free_name(name_run(metrics), self.links)
            try:
                self.site.write(page, _render_run(path, metrics, audio=self.audio))
            except Exception as error:  # noqa: BLE001 - a downloaded run may contain anything; the others are written
                self.skipped.append(
                    f"{metrics.model.name} on {metrics.task.name}: {type(error).__name__}: {describe(error)}"
                )
                continue
            self.links[page] = RunLink(
                page, metrics.model.name, metrics.task.name, metrics.outcomes.total, metrics.created.partition("T")[0]
            )
            self.paths[page] = path
            # Details, such as confusion matrices, are only on the page of the run; those of many would fill memory.
            yield page, replace(metrics, numbers=tuple(replace(number, details={}) for number in metrics.numbers))


def _find_free_name(name: str, taken: Iterable[str]) -> str:
    """Return the address of a page; runs of the same model and task are numbered."""
    names = (f"runs/{name}{'' if count == 1 else f'-{count}'}.html" for count in range(1, len(list(taken)) + 2))
    return next(candidate for candidate in names if candidate not in taken)


def _render_run(path: Path, metrics: Metrics, *, audio: bool) -> str:
    samples: list[SampleView] = []
    notices = []
    if metrics.overall and not metrics.parts:
        try:
            samples = load_worst_samples(path, metrics.overall[0], audio=audio)
        except DataError as error:
            notices.append(f"The samples cannot be shown: {error}")
    return render_report(metrics, samples, home=f"../{INDEX}", notices=notices)


# --- names of pages ---------------------------------------------------------------------------------


def name_run(metrics: Metrics) -> str:
    """Return a name for the page of a run: model, task, and a digest of data, prompt and model arguments."""
    signature = metrics.overall[0].signature if metrics.overall else None
    identity: list[object] = [metrics.model.name]
    identity += [orjson.dumps(metrics.model.arguments, default=str, option=orjson.OPT_SORT_KEYS)]
    identity += [metrics.task.name, metrics.task.version, metrics.task.revision]
    identity += [signature.inferencer if signature else ""]
    return f"{slugify(metrics.model.name)}-{slugify(metrics.task.name)}-{_digest(identity)}"


def name_column(column: Column) -> str:
    """Return a name for the page of a column: task, metric, and a digest of everything its results share."""
    task = column.signature.task.partition(":")[0]
    return f"{slugify(task)}-{slugify(column.name)}-{_digest([column.signature, column.name])}"


def slugify(text: str) -> str:
    """Reduce a text to letters, digits, dots and hyphens, for the name of a file.

    >>> slugify("openai/Whisper tiny.en")
    'openai-whisper-tiny.en'
    """
    plain = re.sub(r"[^a-z0-9.]+", "-", text.lower())[:MAX_SLUG_LENGTH].strip("-.")
    return plain or "other"


def _digest(parts: Iterable[object]) -> str:
    return blake2b("\n".join(map(str, parts)).encode(errors="replace"), digest_size=4).hexdigest()
