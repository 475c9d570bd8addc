"""Figures of samples: what features draw below the texts of a sample, in the report and in the app."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from markupsafe import Markup

from auricle.core.errors import SpecError, describe
from auricle.core.registry import Registry

if TYPE_CHECKING:
    from auricle.core.types import Record
    from auricle.metrics.base import Metric
    from auricle.report.sample_view import SampleView
    from auricle.runs.scores import ScoreLine

Embed: TypeAlias = Callable[[Markup, str], Markup]
"""Returns the markup for a drawing with its description."""


def keep_drawing(drawing: Markup, _description: str) -> Markup:
    """Embed a drawing as it is, as pages do."""
    return drawing


class Figure(Protocol):
    """What is drawn of one sample."""

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        """Draw the figure of the sample of this name."""


class FigureSource:
    """What a feature shows of the samples that are its own; it leaves all others as they are."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        """Return the view with a figure, or with other texts.

        Args:
            view: The view so far.
            record: The sample and its answer.
            metric: The metric by which it is shown.
            is_page: Whether the page has players and room for waveforms; the cards of the app have their own.
        """
        return view

    def add_scores(self, view: SampleView, line: ScoreLine) -> SampleView:
        """Return the view with what the scores of the sample add to it."""
        return view

    def find_window(self, record: Record) -> tuple[float, float] | None:
        """Return start and end of the part of a recording that is drawn and played; None for all of it."""
        return None


FIGURES: Registry[type[FigureSource]] = Registry("figure", {}, expects=(type, "a subclass of FigureSource"))
"""Classes whose objects show the samples of a feature."""


@cache
def load_figure_sources() -> tuple[FigureSource, ...]:
    """Return the sources of all features; one source after the other changes the view of a sample."""
    return tuple(PackageFigures(name) if FIGURES.package(name) else FIGURES.get(name)() for name in sorted(FIGURES))


class PackageFigures(FigureSource):
    """The figures of another package; an error is a note of the sample, and the page is written."""

    def __init__(self, name: str) -> None:
        self._name = name

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        try:
            return self._source.show(view, record, metric, is_page=is_page)
        except Exception as error:  # noqa: BLE001 - a package may raise anything
            return replace(view, note=f"{view.note} {_describe_failure(self._name, error)}".lstrip())

    def add_scores(self, view: SampleView, line: ScoreLine) -> SampleView:
        try:
            return self._source.add_scores(view, line)
        except Exception as error:  # noqa: BLE001 - as above
            return replace(view, note=f"{view.note} {_describe_failure(self._name, error)}".lstrip())

    def find_window(self, record: Record) -> tuple[float, float] | None:
        try:
            return self._source.find_window(record)
        except Exception:  # noqa: BLE001 - as above; the recording is drawn whole
            return None

    @cached_property
    def _source(self) -> FigureSource:
        return FIGURES.get(self._name)()


def list_figures(views: Iterable[SampleView], kind: type[Any]) -> list[tuple[str, Any]]:
    """List the figures of a kind among those of samples, with the ids of the samples."""
    return [(view.id, figure) for view in views for figure in view.figures if isinstance(figure, kind)]


def find_window(record: Record) -> tuple[float, float] | None:
    """Return the part of a recording that is drawn and played; None for all of it."""
    windows = (source.find_window(record) for source in load_figure_sources())
    return next((window for window in windows if window), None)


def draw_figures(view: SampleView, embed: Embed = keep_drawing) -> Markup:
    """Draw all figures of a sample."""
    return Markup("\n").join(_draw(figure, view.id, embed) for figure in view.figures)


def _draw(figure: Figure, name: str, embed: Embed) -> Markup:
    try:
        return figure.draw(name, embed)
    except Exception as error:
        module = type(figure).__module__
        if module.startswith("auricle."):
            raise
        return Markup("<p>{}</p>").format(f"A figure of {module} failed: {type(error).__name__}: {describe(error)}")


def _describe_failure(name: str, error: Exception) -> str:
    if isinstance(error, SpecError):  # which names the package
        return str(error)
    package = FIGURES.package(name)
    return f"The figure {name!r} of the package {package} failed: {type(error).__name__}: {describe(error)}"
