"""What the report shows: a figure of each sample, and the languages that were taken for each other."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auricle import Generation, Metric, Prediction
from auricle.core.types import Record
from auricle.report.figures import Embed, FigureSource, keep_drawing
from auricle.report.run_html import Page
from auricle.report.sample_view import SampleView
from auricle.scoring.record_observers import RecordObserver
from markupsafe import Markup

from auricle_lid.languages import NAMES, are_related
from auricle_lid.metrics import read_language

MAX_ROWS = 10


def find_answer(record: Record) -> tuple[str, str] | None:
    """Return the language of a recording and the one that was answered; None if the record is of another task."""
    target, output = str(record.sample.target), record.outputs[-1] if record.outputs else None
    if not isinstance(output, Generation | Prediction) or target not in NAMES.values():
        return None
    answer = read_language(record.sample, output) if "choices" in record.sample.inputs else ""
    return (target, answer) if answer else None


@dataclass(frozen=True)
class LanguageFigure:
    """One line about an answer."""

    language: str
    answer: str

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        related = "related" if are_related(self.language, self.answer) else "not related"
        return Markup("<p>{} was taken for {}, which is {}.</p>").format(self.language, self.answer, related)


class LanguageFigures(FigureSource):
    """Add a line to samples whose language was taken for another."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        languages = find_answer(record)
        if languages is None or languages[0] == languages[1]:
            return view
        return replace(view, figures=(*view.figures, LanguageFigure(*languages)))


class LanguageCounts(RecordObserver):
    """Count the languages that were taken for each other."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._confused: Counter[tuple[str, str]] = Counter()

    def see(self, record: Record) -> None:
        languages = find_answer(record)
        if languages and languages[0] != languages[1]:
            self._confused[languages] += 1

    def finding(self) -> list[tuple[str, str, int]] | None:
        return [(*languages, count) for languages, count in self._confused.most_common(MAX_ROWS)] or None


def render_languages(page: Page) -> Markup | None:
    """Show the languages that were taken for each other most often."""
    rows = page.findings.get("languages")
    if not rows:
        return None
    items = Markup("").join(Markup("<li>{} for {}: {}</li>").format(*row) for row in rows)
    return Markup("<ul>{}</ul>").format(items)
