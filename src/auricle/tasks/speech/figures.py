"""Show spoken answers: their waveforms with silence, beside the recordings that they are compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup

from auricle.core.errors import AuricleError
from auricle.core.types import REFERENCE_INPUT, Generation, Record
from auricle.media import Audio
from auricle.metrics.base import Metric, resolve_metrics
from auricle.metrics.catalogue import METRICS
from auricle.report.figures import Embed, FigureSource, keep_drawing, list_figures
from auricle.report.html_format import round_ticks, typeset_number
from auricle.report.run_html import Page, render_if
from auricle.report.sample_view import SampleView, answer_texts
from auricle.report.templating import render
from auricle.report.text_format import truncate
from auricle.runs.metrics import Number
from auricle.runs.scores import ScoreLine
from auricle.tasks.speech.roles import RECOGNISER

MAX_SECONDS = 30.0
"""Seconds of each recording that are drawn, as many as are played."""
BIN_SECONDS = 0.02
PIXELS_PER_SECOND, MIN_WIDTH, MAX_WIDTH = 110.0, 260.0, 3000.0
LEFT, RIGHT, TOP, LANE_HEIGHT, GAP = 88.0, 16.0, 6.0, 40.0, 8.0
MAX_TRACKS = 8
TRANSCRIBED = "round_trip_wer"
"""Start of the names of metrics whose verdicts are transcripts of spoken answers."""
MAX_LINKS = 20
MIN_PAUSE_BINS = 5
"""Silences of less than 0.1 s are not marked."""
REASON_TEXTS = {
    "empty": ("Empty", "There is no audio, or it cannot be decoded."),
    "clipped": ("Clipped", "More than 0.1 % of the samples are at full scale."),
    "silent": ("Silent", "More than half of the recording is silent."),
    "too_short": ("Too short", "Less than 0.3 times the median of seconds per character."),
    "too_long": ("Too long", "More than 3 times the median of seconds per character."),
}


class Track(NamedTuple):
    """A recording over time."""

    title: str
    seconds: float
    peaks: tuple[float, ...]
    """Highest magnitude of each 20 ms, of 1."""
    pauses: tuple[tuple[float, float], ...]
    """Start and end of each silence."""


@dataclass(frozen=True, slots=True)
class SpeechView:
    """The spoken answers of a sample."""

    tracks: tuple[Track, ...]
    failure_stats: tuple[Any, ...]
    """What `speech_failures` measures of each answer."""
    is_synthesis: bool = False
    """Whether the sample is a text to speak."""
    numbers: tuple[tuple[str, str], ...] = ()
    """Titles and values of the metrics of this sample."""

    @property
    def has_sound(self) -> bool:
        """Whether any answer has sound."""
        return any(not stat[0] for stat in self.failure_stats)

    def with_scores(self, stats: Mapping[str, Any]) -> SpeechView:
        """Return the view with the numbers of these statistics, by the names of their metrics."""
        numbers = ((metric.title, _format(metric, stats[metric.name])) for metric in _list_metrics(stats))
        return replace(self, numbers=tuple((title, text) for title, text in numbers if text))

    def draw(self, name: str, embed: Embed = keep_drawing) -> Markup:
        return draw_speech(self, name)


def _list_metrics(names: Mapping[str, Any]) -> list[Metric]:
    builtin = [name for name in names if name in METRICS.builtin and name != "speech_failures"]
    return [metric for name in builtin for metric in resolve_metrics(name)]


def _format(metric: Metric, stat: Any) -> str:
    """Format the number of one sample, whose statistic may have those of several answers; empty if undefined."""
    has_several = isinstance(stat, (list, tuple)) and len(stat) == 2 and isinstance(stat[1], (list, tuple))
    try:
        value = metric.aggregate(list(stat[1])) if has_several else metric.sample_value(stat)
    except (TypeError, ValueError, ZeroDivisionError):
        return ""
    return "" if math.isnan(value) else typeset_number(value, metric.unit)


def build_speech_view(record: Record) -> SpeechView | None:
    """Return what is shown of the spoken answers of a record; None if it has none."""
    answers = [output for output in record.outputs if isinstance(output, Generation) and output.audio]
    sample = record.sample
    is_synthesis = isinstance(sample.target, str) and sample.inputs.get("text") == sample.target
    if not answers and not (is_synthesis and record.outputs):
        return None
    from auricle.tasks.speech.metrics.failures import speech_failures

    names = [f"Answer {number}" if len(answers) > 1 else "Answer" for number in range(1, len(answers) + 1)]
    sounds: list[tuple[str, object]] = [(name, output.audio) for name, output in zip(names, answers, strict=True)]
    sounds += [("Reference", sample.inputs.get(REFERENCE_INPUT)), ("Voice", sample.inputs.get("prompt_audio"))]
    tracks = [_build_track(title, audio) for title, audio in sounds if isinstance(audio, Audio)]
    stats = tuple(speech_failures.score(sample, output) for output in record.outputs if isinstance(output, Generation))
    return SpeechView(tuple(track for track in tracks if track)[:MAX_TRACKS], stats, is_synthesis)


def _build_track(title: str, audio: Audio) -> Track | None:
    import numpy as np

    from auricle.tasks.speech.metrics.answers import SILENCE_LEVEL

    try:
        excerpt, rate = audio.segment(0.0, MAX_SECONDS).decode(), audio.info().rate
    except (AuricleError, OSError):
        return None
    size = max(1, round(rate * BIN_SECONDS))
    peaks = np.maximum.reduceat(np.abs(excerpt), np.arange(0, len(excerpt), size))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], peaks <= 10 ** (SILENCE_LEVEL / 20), [0]])))
    pauses = [
        (start * BIN_SECONDS, end * BIN_SECONDS)
        for start, end in edges.reshape(-1, 2).tolist()
        if end - start >= MIN_PAUSE_BINS
    ]
    return Track(title, len(excerpt) / rate, tuple(np.round(peaks, 3).tolist()), tuple(pauses))


def draw_speech(view: SpeechView, name: str) -> Markup:
    """Draw the recordings of a sample below each other, on one axis of time."""
    seconds = max((track.seconds for track in view.tracks), default=0.0)
    seconds = max(seconds, 0.5)
    width = min(max(PIXELS_PER_SECOND * seconds, MIN_WIDTH), MAX_WIDTH)

    def place(at: float) -> float:
        return LEFT + width * min(max(at / seconds, 0.0), 1.0)

    lanes = [
        (track, top := TOP + index * (LANE_HEIGHT + GAP), _draw_wave(track, top, place))
        for index, track in enumerate(view.tracks)
    ]
    bottom = TOP + len(lanes) * (LANE_HEIGHT + GAP)
    return render(
        "tasks/speech/speech_tracks.html",
        description=f"Waveforms of {name}, with silence",
        lanes=lanes,
        place=place,
        ticks=[tick for tick in round_ticks(0.0, seconds, parts=max(3, round(width / 90))) if 0 <= tick <= seconds],
        left=LEFT,
        top=TOP,
        lane_height=LANE_HEIGHT,
        bottom=bottom,
        full_size=(LEFT + width + RIGHT, bottom + 22),
        numbers=view.numbers,
    )


def _draw_wave(track: Track, top: float, place: Any) -> str:
    """Return the outline of a waveform as the path of an SVG, at full scale of the lane for the loudest sample."""
    highest = max(track.peaks, default=0.0)
    if not highest:
        return ""
    centre, half = top + LANE_HEIGHT / 2, LANE_HEIGHT / 2 - 2
    points = [(place(index * BIN_SECONDS), half * peak / highest) for index, peak in enumerate(track.peaks)]
    upper = " ".join(f"{x:.1f},{centre - height:.1f}" for x, height in points)
    lower = " ".join(f"{x:.1f},{centre + height:.1f}" for x, height in reversed(points))
    return f"M {upper} L {lower} Z"


class SpeechFigures(FigureSource):
    """Shows what is heard in spoken answers, and how a recogniser transcribed them."""

    def show(self, view: SampleView, record: Record, metric: Metric | None, *, is_page: bool) -> SampleView:
        speech = build_speech_view(record) if is_page else None
        if speech is None:
            return view
        lines = view.transcript if any(line.text.strip() for line in view.transcript) else ()
        texts = [text for text in answer_texts(record) if text.strip()]
        return replace(
            view,
            transcript=lines,
            answer="" if lines else truncate("\n".join(texts)),
            target_title="Text" if speech.is_synthesis else view.target_title,
            has_spoken_answer=speech.has_sound,
            figures=(*view.figures, speech),
        )

    def add_scores(self, view: SampleView, line: ScoreLine) -> SampleView:
        figures = (each.with_scores(line.stats) if isinstance(each, SpeechView) else each for each in view.figures)
        view = replace(view, figures=tuple(figures))
        heard = next((texts for name, texts in line.verdicts.items() if name.startswith(TRANSCRIBED)), ())
        if view.verdict or not heard:
            return view
        # What the first recogniser heard, whichever metric the samples are sorted by.
        return replace(view, verdict=" ".join(heard), judge_title=RECOGNISER.noun)


# --- failures --------------------------------------------------------------------------------------------------------


class FailureRow(NamedTuple):
    """A reason why spoken answers fail, with how many do and which of the samples shown."""

    title: str
    description: str
    answers: int
    samples: tuple[str, ...]


def list_failures(details: Mapping[str, Any], views: Sequence[tuple[str, SpeechView]]) -> list[FailureRow]:
    """Return a row for each reason, from the details of `speech_failures` and the samples shown; none without them."""
    if not details:
        return []
    from auricle.tasks.speech.metrics.failures import MEDIAN_PACE, REASONS, find_failures

    median = details.get(MEDIAN_PACE)
    failures = {name: find_failures(view.failure_stats, median) for name, view in views if view.failure_stats}
    return [
        FailureRow(
            *REASON_TEXTS[reason],
            int(details.get(reason, 0)),
            tuple(name for name, flags in failures.items() if flags[reason].any())[:MAX_LINKS],
        )
        for reason in REASONS
    ]


def count_answers(number: Number | None) -> int:
    """Return how many spoken answers a number counts: more than samples if there are several to each."""
    return int(number.details.get("answers", number.scored)) if number else 0


def render_spoken_answers(page: Page) -> Markup | None:
    """Render why spoken answers fail, with those among the samples shown."""
    number = next((number for number in page.metrics.overall if number.metric == "speech_failures"), None)
    details = number.details if number else {}
    rows = list_failures(details, list_figures(page.samples, SpeechView))
    return render_if(
        rows,
        "tasks/speech/spoken_answers.html",
        rows=rows,
        failed=details.get("failed", 0),
        total=count_answers(number),
    )
