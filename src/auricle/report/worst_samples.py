"""The samples that did worst, made ready to be looked at and listened to."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from auricle.audio import Audio
from auricle.core.errors import SampleError, Unreadable
from auricle.core.types import (
    Generation,
    Json,
    Likelihood,
    Output,
    Prediction,
    Record,
    Sample,
    parts_of,
)
from auricle.metrics.base import Metric
from auricle.metrics.text import reference_text
from auricle.report.formatting import written
from auricle.report.number_format import likelihood_of
from auricle.report.transcript import Line, lines

MOST_SHOWN = 50
MOST_SECONDS = 30.0  # longer than this nobody listens to find out what went wrong
ALL_SECONDS = 300.0  # to make a second of sound small takes 10 ms of processor
AUDIO_BYTES = 6_000_000  # of the page's text, so that with all else it stays under 10 MB, mailable
MOST_CHARACTERS = 4000
MOST_TOKENS = 800  # a model that repeats itself without end must not fill the page
MOST_VALUES = 5
HITS = {
    "accuracy", "exact_match", "contains", "option_accuracy", "uar", "macro_f1", "weighted_f1",
    "judge-reference", "judge-choice",
}  # fmt: skip


class Edit(NamedTuple):
    """A stretch of the alignment, in tokens as the metric sees them."""

    kind: str
    """equal, replace, delete or insert."""
    reference: tuple[str, ...]
    answer: tuple[str, ...]


@dataclass(frozen=True)
class Shown:
    """What the page shows of one sample. Every text is plain and still to be escaped."""

    id: str
    origin: str = ""
    meta: Mapping[str, str] | None = None
    question: str = ""
    target: str | None = None
    """The reference, where there is one."""
    answer: str = ""
    values: tuple[tuple[str, float], ...] = ()
    """A prediction's labels, highest first."""
    score: str = ""
    errors: str = ""
    """How many errors of which kind make up the score, where the metric counts them."""
    diff: tuple[Edit, ...] = ()
    audio: tuple[bytes, ...] = ()
    """Its sounds as MP3 files."""
    note: str = ""
    verdict: str = ""
    """What a judge said of the answer, where one was asked."""
    said: tuple[Line, ...] = ()
    """A conversation turn by turn, or several answers; it then holds the answers."""


def shown(
    records: Sequence[Record],
    metric: Metric | None,
    stats: Mapping[str, Any] | None = None,
    *,
    audio: bool = True,
) -> list[Shown]:
    """What to show of these records, worst first.

    `stats` are the metric's own, by sample id; without them the records are scored again.
    """
    chosen = records[:MOST_SHOWN]
    wrong = [record.sample for record in chosen if not _perfect(record, metric, stats)]
    with Clips(AUDIO_BYTES if audio else 0, wrong) as clips:
        return [_shown(record, metric, stats, clips) for record in chosen]


def _shown(
    record: Record, metric: Metric | None, stats: Mapping[str, Any] | None, clips: Clips
) -> Shown:
    sample = record.sample
    score, errors, why = _scored(record, metric, stats)
    diff, cut = _diff(record, metric)
    audio, notes = clips.of(sample) if clips.budget else ((), [])
    said = tuple(Line(who, clip(text)) for who, text in lines(record))
    return Shown(
        id=sample.id,
        origin=sample.origin,
        meta={name: clip(plain(value), 200) for name, value in sample.meta.items()},
        question=clip(_question(sample)),
        target=None if sample.target is None else clip(plain(sample.target)),
        answer="" if said else clip("\n".join(_answers(record))),
        values=_values(record),
        score=score,
        errors=errors,
        diff=diff,
        audio=audio,
        note=" ".join(each for each in (why, cut, *notes) if each),
        said=said,
    )


def _perfect(record: Record, metric: Metric | None, stats: Mapping[str, Any] | None) -> bool:
    """Could it not have gone better? Then nobody needs to hear it."""
    if metric is None or metric.bounds is None or record.error:
        return False
    try:
        stat = (
            stats.get(record.sample.id) if stats else metric.score(record.sample, *record.outputs)
        )
    except SampleError:
        return False
    return bool(stat == metric.bounds(record.sample)[1])


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, or its beginning and how much more there is."""
    if len(text) <= most:
        return text
    return f"{text[:most]} … ({len(text) - most:,} more characters)"


def plain(value: Json) -> str:
    """A target or a meta value as a reader would write it."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return " / ".join(str(each) for each in value)
    return (
        f"{value:g}"
        if isinstance(value, float)
        else json.dumps(value, ensure_ascii=False, default=str)
    )


def _question(sample: Sample) -> str:
    """What was asked, and among which options."""
    question = sample.inputs.get("question")
    options = sample.inputs.get("options")
    return "\n".join(each.strip() for each in (question, options) if isinstance(each, str)).strip()


# --- what the model said --------------------------------------------------------------


def _answers(record: Record) -> Iterator[str]:
    choices = record.sample.inputs.get("choices")
    named = isinstance(choices, (list, tuple)) and len(choices) == len(record.outputs) > 1
    for at, output in enumerate(record.outputs):
        if isinstance(output, Generation):
            yield output.text
        elif isinstance(output, Likelihood):
            yield likelihood_of(output, str(choices[at]) if named else "")  # type: ignore[index]


def _values(record: Record) -> tuple[tuple[str, float], ...]:
    """The highest class scores, and the right label's wherever it stands."""
    last: Output | None = record.outputs[-1] if record.outputs else None
    if not isinstance(last, Prediction):
        return ()
    ranked = sorted(last.values.items(), key=lambda item: -item[1])
    right = plain(record.sample.target)
    rest = [item for item in ranked[MOST_VALUES:] if item[0] == right]
    return tuple((str(name), float(value)) for name, value in ranked[:MOST_VALUES] + rest)


# --- how it was scored ------------------------------------------------------------------


def _scored(
    record: Record, metric: Metric | None, stats: Mapping[str, Any] | None
) -> tuple[str, str, str]:
    """The score in words, the errors in it, and why there is none."""
    if metric is None or record.error:
        return "", "", f"{record.error.kind}: {record.error.message}" if record.error else ""
    if stats is not None:
        stat = stats.get(record.sample.id)
        return ("", "", "") if stat is None else (*_told(metric, stat), "")
    try:
        return (*_told(metric, metric.score(record.sample, *record.outputs)), "")
    except Unreadable as error:
        score = "wrong" if metric.unreadable == "wrong" else ""
        return score, "", f"Unreadable: {error}"


def _told(metric: Metric, stat: Any) -> tuple[str, str]:
    value = _value(metric, stat)
    if metric.name in HITS and value in (0.0, 1.0):
        return ("right" if value else "wrong"), ""
    details = {} if isinstance(stat, (int, float)) else metric.details([stat])
    if "substitutions" not in details:
        return written(value, metric.unit), ""
    kinds = (
        (details[kind], kind[0].upper()) for kind in ("substitutions", "deletions", "insertions")
    )
    split = " ".join(f"{number}{letter}" for number, letter in kinds)
    return written(value, metric.unit), f"{split} of {details['reference_length']}"


def _value(metric: Metric, stat: Any) -> float:
    if isinstance(stat, (int, float)):
        return float(stat)
    try:
        return float(metric.fold([stat]))
    except (ArithmeticError, ValueError):  # a fold that needs more than one sample
        return math.nan


def _diff(record: Record, metric: Metric | None) -> tuple[tuple[Edit, ...], str]:
    """The alignment a text metric counts errors in, and a word if it had to be cut."""
    last = record.outputs[-1] if len(record.outputs) == 1 else None
    if metric is None or metric.view is None or not isinstance(last, Generation):
        return (), ""
    reference = metric.view(reference_text(record.sample.target))
    answer = metric.view(last.text)
    cut = max(len(reference), len(answer)) > MOST_TOKENS
    note = f"Only the first {MOST_TOKENS} tokens are compared here." if cut else ""
    shown = ([clip(each) for each in side[:MOST_TOKENS]] for side in (reference, answer))
    return tuple(edits(*shown)), note


def edits(reference: Sequence[str], answer: Sequence[str]) -> Iterator[Edit]:
    """A cheapest alignment, stretch by stretch."""
    from rapidfuzz.distance import Levenshtein

    for code in Levenshtein.opcodes(reference, answer):
        gone = tuple(reference[code.src_start : code.src_end])
        yield Edit(code.tag, gone, tuple(answer[code.dest_start : code.dest_end]))


# --- how it sounds ------------------------------------------------------------------------


class Clips:
    """Sounds for the page, first come, first served, until its bytes are used up.

    To encode them takes longer than all the rest of a page, so threads do it beforehand.
    """

    def __init__(self, budget: int, samples: Sequence[Sample]) -> None:
        self.budget = budget
        self._left = budget
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="auricle-clips")
        coming = [sound for sample in samples for sound in sounds(sample)] if budget else []
        self._made = {id(sound): self._threads.submit(_clip, sound) for sound in _enough(coming)}
        self._wanted = {id(sound) for sound in coming}

    def __enter__(self) -> Clips:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)

    def of(self, sample: Sample) -> tuple[tuple[bytes, ...], list[str]]:
        """A sample's sounds, and a note for each that is cut, left out or cannot be read."""
        found: list[bytes] = []
        notes: list[str] = []
        for sound in sounds(sample):
            if id(sound) not in self._wanted:
                notes.append(SPARED)
                continue
            try:
                taken, note = self._take(sound)
            except SampleError as error:
                taken, note = None, f"The sound cannot be played: {error}"
            found += [taken] if taken else []
            notes += [note] if note else []
        return tuple(found), list(dict.fromkeys(notes))

    def _take(self, sound: Audio) -> tuple[bytes | None, str]:
        if not self._left or id(sound) not in self._made:
            return None, FULL
        clip, seconds = self._made[id(sound)].result()
        size = -(-len(clip) // 3) * 4  # in base64, as it stands in the page
        if size > self._left:
            self._left = 0  # else the players that remain would be a riddle of who fitted in
            return None, FULL
        self._left -= size
        cut = f"The first {MOST_SECONDS:g} s of {seconds:.1f} s." if seconds > MOST_SECONDS else ""
        return clip, cut


def _enough(coming: Sequence[Audio]) -> Iterator[Audio]:
    """The first of these sounds, as long as they last together no longer than a page may."""
    left = ALL_SECONDS
    for sound in coming:
        with suppress(SampleError):  # told where its player would be
            left -= min(sound.seconds, MOST_SECONDS)
        if left < 0:
            return
        yield sound


def _clip(sound: Audio) -> tuple[bytes, float]:
    """A sound as the page plays it, and how long all of it is."""
    return sound.part(0.0, MOST_SECONDS).encode("mp3", rate=16000), sound.seconds


FULL = (
    f"No player: the page holds {AUDIO_BYTES / 1e6:g} MB or {ALL_SECONDS / 60:g} minutes of sound "
    "at most."
)


SPARED = "No player: those are for answers that went wrong."


def sounds(sample: Sample) -> Iterator[Audio]:
    """Every sound among a sample's inputs, in order."""
    for value in sample.inputs.values():
        yield from (part for part in parts_of(value) if isinstance(part, Audio))
