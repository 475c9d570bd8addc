"""The pages of a site that show a sample with the answers of all models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.core.value_text import pluralise
from auricle.report.html_format import typeset_number
from auricle.report.templating import render, render_page
from auricle.studies.leaderboards.sample_comparison import ComparedSample
from auricle.studies.leaderboards.site_names import name_sample
from auricle.studies.leaderboards.table import Column, Leaderboard

ASSETS: dict[str, Any] = {
    "stylesheets": ("studies/leaderboards/leaderboard.css",),
    "script": "studies/leaderboards/leaderboard.js",
}


@dataclass(frozen=True, slots=True)
class SampleLink:
    """A sample in the list of a task."""

    page: str
    id: str
    reference: str
    scored: int
    mean: float | None
    low: float | None
    high: float | None
    has_sound: bool

    @classmethod
    def to(cls, sample: ComparedSample) -> SampleLink:
        """Summarise a sample."""
        values = sample.values
        return cls(
            page=name_sample(sample.id),
            id=sample.id,
            reference=sample.sample.target or "",
            scored=len(values),
            mean=sample.mean,
            low=min(values, default=None),
            high=max(values, default=None),
            has_sound=bool(sample.sounds) or any(answer.view.audio for answer in sample.answers),
        )


@dataclass(frozen=True, slots=True)
class SamplePages:
    """What the pages of the samples of a column share."""

    board: Leaderboard
    column: Column
    title: str
    task_page: str
    version: str

    def render_all(self, samples: Sequence[ComparedSample]) -> Iterator[tuple[str, str]]:
        """Yield the name of each page, and the page; pages link to the previous and the next one."""
        names = ["", *(name_sample(sample.id) for sample in samples), ""]
        for at, sample in enumerate(samples, 1):
            yield names[at], self._render(sample, names[at - 1], names[at + 1])

    def _render(self, compared: ComparedSample, before: str, after: str) -> str:
        shared: dict[str, Any] = {"compared": compared, "column": self.column, "language": ""}
        answers = render(
            "studies/leaderboards/sample_answers.html", answers=compared.answers, rows=self.board.rows, **shared
        )
        facts = [("Models", pluralise(len(compared.answers), "answer"))]
        if compared.mean is not None:
            facts.append((f"Mean {self.column.metric_title}", typeset_number(compared.mean, self.column.unit)))
        return render_page(
            "studies/leaderboards/sample.html",
            **ASSETS,
            **shared,
            title=f"{compared.id}: {self.title}",
            column_title=self.title,
            task_page=self.task_page,
            sample=compared.sample,
            facts=facts,
            before=before,
            after=after,
            home="../../index.html",
            version=self.version,
            notices=[],
            sections=[("answers", "Answers", answers)],
        )
