"""Show the times of words: a curve of their errors, the worst words, and both sides of a sample on one axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup

from auricle.core.errors import AuricleError
from auricle.core.types import Record
from auricle.metrics.base import Metric
from auricle.report.axis_labels import label_width
from auricle.report.figures import Embed, FigureSource, keep_drawing, list_figures
from auricle.report.html_format import round_ticks
from auricle.report.run_html import Page, render_if
from auricle.report.sample_view import SampleView
from auricle.report.templating import render
from auricle.tasks.timestamps.metrics.matching import MICROSECONDS, TimedWord, WordPair
from auricle.tasks.timestamps.metrics.reading import MatchedWords, has_words, read_words
from auricle.tasks.timestamps.timed_words import WORDS_FIELD
from auricle.text import get_profile

MAX_WORDS = 400
"""Most words of a sample that are drawn."""
MAX_WORST_WORDS = 20
PIXELS_PER_SECOND, MIN_WIDTH, MAX_WIDTH = 160.0, 320.0, 6000.0
LEFT, RIGHT, TOP, LANE_HEIGHT, GAP_HEIGHT = 76.0, 16.0, 8.0, 24.0, 22.0
CURVE_WIDTH, CURVE_HEIGHT = 420.0, 220.0
CURVE_TICKS = (0, 20, 50, 100, 200, 500, 1000)
"""Milliseconds that the axis of the curve names."""
LINEAR_UP_TO = 20.0
"""Milliseconds up to which the axis of the curve is about linear, and logarithmic above."""


class DrawnWord(NamedTuple):
    """A word as a box on the axis of time, in seconds."""

    word: str
    start: float
    end: float
    is_matched: bool


class WorstWord(NamedTuple):
    """A matched word with its times in seconds, and its errors in milliseconds."""

    sample: str
    word: str
    reference: tuple[float, float]
    hypothesis: tuple[float, float]
    start_error: int
    end_error: int


@dataclass(frozen=True, slots=True)
class WordTimes:
    """The words of a sample on both sides."""

    reference: tuple[DrawnWord, ...]
    hypothesis: tuple[DrawnWord, ...]
    pairs: tuple[WordPair, ...]

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        return draw_word_times(self, name)


def build_word_times(record: Record, profile: str) -> WordTimes | None:
    """Return the words of a record with their times; None if it has none that can be read.

    Args:
        record: Its row has the reference, its output the times of the model.
        profile: Text normaliser with which words are compared. [default: basic]
    """
    if not record.outputs or not has_words(record.sample):
        return None
    try:
        words = read_words(record.sample, record.outputs[-1], get_profile(profile or "basic"), record.audio_seconds)
    except AuricleError:  # the reason is among those of samples that are not scored
        return None
    return WordTimes(_list_drawn(words, 0), _list_drawn(words, 1), words.pairs)


def _list_drawn(words: MatchedWords, side: int) -> tuple[DrawnWord, ...]:
    matched = {pair[side] for pair in words.pairs}
    timed: Sequence[TimedWord] = (words.reference, words.hypothesis)[side][:MAX_WORDS]
    return tuple(
        DrawnWord(item.word, item.start / MICROSECONDS, item.end / MICROSECONDS, item in matched) for item in timed
    )


def list_worst_words(samples: Iterable[tuple[str, WordTimes]]) -> list[WorstWord]:
    """Return the matched words with the largest errors, worst first."""
    words = [
        WorstWord(
            name,
            pair.reference.word,
            _to_seconds(pair.reference),
            _to_seconds(pair.hypothesis),
            round(pair.start_error / 1000),
            round(pair.end_error / 1000),
        )
        for name, times in samples
        for pair in times.pairs
    ]
    words.sort(key=lambda word: -max(abs(word.start_error), abs(word.end_error)))
    return [word for word in words[:MAX_WORST_WORDS] if word.start_error or word.end_error]


def _to_seconds(word: TimedWord) -> tuple[float, float]:
    return word.start / MICROSECONDS, word.end / MICROSECONDS


def draw_word_times(times: WordTimes, name: str) -> Markup:
    """Draw the words of the reference above those of the model, with their boundaries on one axis."""
    seconds = max((word.end for word in (*times.reference, *times.hypothesis)), default=0.0)
    seconds = max(seconds, 1.0)
    width = min(max(PIXELS_PER_SECOND * seconds, MIN_WIDTH), MAX_WIDTH)

    def place(at: float) -> float:
        return LEFT + width * min(max(at / seconds, 0.0), 1.0)

    lower = TOP + LANE_HEIGHT + GAP_HEIGHT
    return render(
        "tasks/timestamps/word_times.html",
        description=f"Words of {name} in the reference and in the answer",
        lanes=[("Reference", times.reference, TOP), ("Model", times.hypothesis, lower)],
        links=[
            (place(_to_seconds(pair.reference)[at]), place(_to_seconds(pair.hypothesis)[at]))
            for pair in times.pairs[:MAX_WORDS]
            for at in (0, 1)
        ],
        place=place,
        fits=lambda word: label_width([word.word]) < place(word.end) - place(word.start),
        ticks=[tick for tick in round_ticks(0.0, seconds, parts=max(4, round(width / 90))) if 0 <= tick <= seconds],
        lane_height=LANE_HEIGHT,
        gap=(TOP + LANE_HEIGHT, lower),
        bottom=lower + LANE_HEIGHT,
        left=LEFT,
        seconds=seconds,
        start=LEFT / (LEFT + width + RIGHT),
        span=width / (LEFT + width + RIGHT),
        full_size=(LEFT + width + RIGHT, lower + LANE_HEIGHT + 24),
    )


def draw_error_curve(series: Mapping[str, Mapping[str, Any]]) -> Markup:
    """Draw which share of boundaries is within each error.

    Args:
        series: For each line its name and the shares by milliseconds, as `within_ms` of the details has them.
    """
    points = {
        name: [(float(limit), float(share)) for limit, share in shares.items()] for name, shares in series.items()
    }
    highest = max(limit for shares in points.values() for limit, _ in shares)

    def place_x(milliseconds: float) -> float:
        return LEFT + CURVE_WIDTH * math.log1p(milliseconds / LINEAR_UP_TO) / math.log1p(highest / LINEAR_UP_TO)

    def place_y(share: float) -> float:
        return TOP + CURVE_HEIGHT * (1 - share)

    return render(
        "tasks/timestamps/error_curve.html",
        lines=[
            (name, [(place_x(limit), place_y(share), limit, share) for limit, share in shares])
            for name, shares in points.items()
        ],
        x_ticks=[(tick, place_x(tick)) for tick in CURVE_TICKS if tick <= highest],
        y_ticks=[(share, place_y(share)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)],
        left=LEFT,
        right=LEFT + CURVE_WIDTH,
        top=TOP,
        bottom=TOP + CURVE_HEIGHT,
        full_size=(LEFT + CURVE_WIDTH + 72, TOP + CURVE_HEIGHT + 46),
    )


class WordFigures(FigureSource):
    """Shows the words of a sample in a figure instead of among its metadata."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        times = build_word_times(record, metric.profile if metric else "") if is_page else None
        if times is None:
            return view
        meta = {name: value for name, value in (view.meta or {}).items() if name != WORDS_FIELD}
        return replace(view, meta=meta, figures=(*view.figures, times))


def render_timestamps(page: Page) -> Markup | None:
    """Render the errors of word boundaries as a curve, and the words with the largest ones."""
    series = {
        name: number.details
        for name, metric in (("Starts", "start_error"), ("Ends", "end_error"))
        for number in page.metrics.overall
        if number.metric == metric and number.details.get("matched")
    }
    details = next(iter(series.values()), {})
    return render_if(
        series,
        "tasks/timestamps/timestamps.html",
        curve=draw_error_curve({name: own["within_ms"] for name, own in series.items()}) if series else None,
        matched=details.get("matched"),
        reference_words=details.get("reference_words"),
        resolution=details.get("resolution_ms"),
        words=list_worst_words(list_figures(page.samples, WordTimes)),
    )
