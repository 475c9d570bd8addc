"""Prepare samples for display: texts, scores, alignments and audio clips."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from auricle.audio import Audio
from auricle.core.errors import SampleError, Unreadable
from auricle.core.types import Generation, Json, Likelihood, Output, Prediction, Record, Sample, list_parts
from auricle.metrics.base import Metric
from auricle.metrics.error_rates import reference_text
from auricle.metrics.label_alignment import display_label, labels_match
from auricle.report.html_format import typeset_number
from auricle.report.text_format import format_likelihood, truncate
from auricle.report.transcript import TranscriptLine, transcript_lines

MAX_SAMPLES = 50
MAX_CLIP_SECONDS = 30.0  # seconds of each recording that are playable
MAX_TOTAL_SECONDS = 300.0  # encoding one second of audio takes 10 ms of CPU time
MAX_AUDIO_BYTES = 6_000_000  # base64 bytes of audio, so that the page stays under 10 MB
MAX_TOKENS = 800  # a model that repeats itself endlessly must not fill the page
MAX_VALUES = 5
FIRST_UNSPACED_CHARACTER = "\u2e80"  # scripts without spaces begin here


class Edit(NamedTuple):
    """One operation of an alignment, in the tokens of the metric."""

    kind: str
    """equal, replace, delete or insert."""
    reference: tuple[str, ...]
    answer: tuple[str, ...]


class DiffPiece(NamedTuple):
    """One operation of an alignment as text, and what separates it from the previous one."""

    separator: str
    is_equal: bool
    reference: str
    answer: str


class ValueBar(NamedTuple):
    """The score of a label."""

    name: str
    """The label in English."""
    label: str
    value: float
    highest: float
    """The highest absolute value of the sample."""
    is_target: bool


@dataclass(frozen=True)
class SampleView:
    """What the page shows of one sample. Texts are plain and not yet escaped."""

    id: str
    origin: str = ""
    meta: Mapping[str, str] | None = None
    question: str = ""
    target: str | None = None
    """The reference, if there is one."""
    answer: str = ""
    values: tuple[tuple[str, float], ...] = ()
    """A prediction's labels, highest first."""
    score: str = ""
    errors: str = ""
    """Counts of each kind of error, if the metric counts them."""
    diff: tuple[Edit, ...] = ()
    audio: tuple[bytes, ...] = ()
    """Its recordings as MP3 files."""
    note: str = ""
    verdict: str = ""
    """Verdicts of the judge, if there are any."""
    transcript: tuple[TranscriptLine, ...] = ()
    """A conversation turn by turn, or several answers."""

    @property
    def diff_pieces(self) -> list[DiffPiece]:
        return list(join_diff(self.diff))

    @property
    def value_bars(self) -> list[ValueBar]:
        highest = max((abs(value) for _, value in self.values), default=0.0) or 1.0
        target = self.target or ""
        return [
            ValueBar(display_label(label), label, value, highest, bool(target) and labels_match(target, label))
            for label, value in self.values
        ]


def join_diff(diff: Sequence[Edit]) -> Iterator[DiffPiece]:
    """Join the tokens of an alignment to text."""
    by_character = all(len(token) == 1 for edit in diff for token in edit.reference + edit.answer)
    before = ""
    for edit in diff:
        separator = "" if by_character else token_separator(before, (edit.reference or edit.answer)[0])
        reference, answer = (join_tokens(side, by_character) for side in (edit.reference, edit.answer))
        yield DiffPiece(separator, edit.kind == "equal", reference, answer)
        before = (edit.answer or edit.reference)[-1]


def join_tokens(tokens: Sequence[str], by_character: bool) -> str:
    """Join tokens to text."""
    if by_character:
        return "".join(tokens)
    return "".join(token_separator(before, token) + token for before, token in pairwise(("", *tokens)))


def token_separator(before: str, after: str) -> str:
    """Return a space between words, and nothing between characters of a script without spaces."""
    tight = not before or (before[-1] >= FIRST_UNSPACED_CHARACTER and after[:1] >= FIRST_UNSPACED_CHARACTER)
    return "" if tight else " "


def build_sample_views(
    records: Sequence[Record], metric: Metric | None, stats: Mapping[str, Any] | None = None, *, audio: bool = True
) -> list[SampleView]:
    """Prepare these records for display, worst first.

    `stats` are the metric's statistics by sample id; without them, the records are scored again.
    """
    chosen = records[:MAX_SAMPLES]
    wrong = [record.sample for record in chosen if not _is_perfect(record, metric, stats)]
    with AudioClips(MAX_AUDIO_BYTES if audio else 0, wrong) as clips:
        return [_build_sample_view(record, metric, stats, clips) for record in chosen]


def _build_sample_view(
    record: Record, metric: Metric | None, stats: Mapping[str, Any] | None, clips: AudioClips
) -> SampleView:
    sample = record.sample
    score, errors, why = _format_score(record, metric, stats)
    diff, cut = _build_diff(record, metric)
    audio, notes = clips.get(sample) if clips.budget else ((), [])
    lines = tuple(TranscriptLine(who, truncate(text)) for who, text in transcript_lines(record))
    return SampleView(
        id=sample.id,
        origin=sample.origin,
        meta={name: truncate(format_json_value(value), 200) for name, value in sample.meta.items()},
        question=truncate(_question_text(sample)),
        target=None if sample.target is None else truncate(format_json_value(sample.target)),
        answer="" if lines else truncate("\n".join(_answer_texts(record))),
        values=_top_values(record),
        score=score,
        errors=errors,
        diff=diff,
        audio=audio,
        note=" ".join(each for each in (why, cut, *notes) if each),
        transcript=lines,
    )


def _is_perfect(record: Record, metric: Metric | None, stats: Mapping[str, Any] | None) -> bool:
    """Return whether the sample has the best possible score."""
    if metric is None or metric.bounds is None or record.error:
        return False
    try:
        stat = stats.get(record.sample.id) if stats else metric.score(record.sample, *record.outputs)
    except SampleError:
        return False
    return bool(stat == metric.bounds(record.sample)[1])


def format_json_value(value: Json) -> str:
    """Format a target or metadata value as text."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return " / ".join(str(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False, default=str)


def _question_text(sample: Sample) -> str:
    """Return the question and its options."""
    question = sample.inputs.get("question")
    options = sample.inputs.get("options")
    return "\n".join(each.strip() for each in (question, options) if isinstance(each, str)).strip()


# --- the output -----------------------------------------------------------------------


def _answer_texts(record: Record) -> Iterator[str]:
    choices = record.sample.inputs.get("choices")
    named = isinstance(choices, (list, tuple)) and len(choices) == len(record.outputs) > 1
    for at, output in enumerate(record.outputs):
        if isinstance(output, Generation):
            yield output.text
        elif isinstance(output, Likelihood):
            yield format_likelihood(output, str(choices[at]) if named else "")  # type: ignore[index]


def _top_values(record: Record) -> tuple[tuple[str, float], ...]:
    """Return the highest class scores, and that of the correct label."""
    last: Output | None = record.outputs[-1] if record.outputs else None
    if not isinstance(last, Prediction):
        return ()
    ranked = sorted(last.values.items(), key=lambda item: -item[1])
    right = format_json_value(record.sample.target)
    rest = [item for item in ranked[MAX_VALUES:] if item[0] == right]
    return tuple((str(name), float(value)) for name, value in ranked[:MAX_VALUES] + rest)


# --- how it was scored ------------------------------------------------------------------


def _format_score(record: Record, metric: Metric | None, stats: Mapping[str, Any] | None) -> tuple[str, str, str]:
    """Return the score as text, its error counts, and the reason if there is no score."""
    if metric is None or record.error:
        return "", "", f"{record.error.kind}: {record.error.message}" if record.error else ""
    if stats is not None:
        stat = stats.get(record.sample.id)
        return ("", "", "") if stat is None else (*_format_stat(metric, stat), "")
    try:
        return (*_format_stat(metric, metric.score(record.sample, *record.outputs)), "")
    except Unreadable as error:
        score = "wrong" if metric.unreadable == "wrong" else ""
        return score, "", f"Unreadable: {error}"


def _format_stat(metric: Metric, stat: Any) -> tuple[str, str]:
    is_hit = metric.is_hit(stat)
    if is_hit is not None:
        return ("right" if is_hit else "wrong"), ""
    value = _stat_value(metric, stat)
    details = {} if isinstance(stat, (int, float)) else metric.details([stat])
    if "substitutions" not in details:
        return typeset_number(value, metric.unit), ""
    kinds = ((details[kind], kind[0].upper()) for kind in ("substitutions", "deletions", "insertions"))
    split = " ".join(f"{number}{letter}" for number, letter in kinds)
    return typeset_number(value, metric.unit), f"{split} of {details['reference_length']}"


def _stat_value(metric: Metric, stat: Any) -> float:
    if isinstance(stat, (int, float)):
        return float(stat)
    try:
        return float(metric.aggregate([stat]))
    except (ArithmeticError, ValueError):  # an aggregator that needs more than one sample
        return math.nan


def _build_diff(record: Record, metric: Metric | None) -> tuple[tuple[Edit, ...], str]:
    """Return the alignment of a text metric, and a note if it was cut."""
    last = record.outputs[-1] if len(record.outputs) == 1 else None
    if metric is None or metric.tokenize is None or not isinstance(last, Generation):
        return (), ""
    reference = metric.tokenize(reference_text(record.sample.target))
    answer = metric.tokenize(last.text)
    cut = max(len(reference), len(answer)) > MAX_TOKENS
    note = f"Only the first {MAX_TOKENS} tokens are compared here." if cut else ""
    shown = ([truncate(each) for each in side[:MAX_TOKENS]] for side in (reference, answer))
    return tuple(align_tokens(*shown)), note


def align_tokens(reference: Sequence[str], answer: Sequence[str]) -> Iterator[Edit]:
    """Return a minimal alignment as a list of operations."""
    from rapidfuzz.distance import Levenshtein

    for code in Levenshtein.opcodes(reference, answer):
        gone = tuple(reference[code.src_start : code.src_end])
        yield Edit(code.tag, gone, tuple(answer[code.dest_start : code.dest_end]))


# --- audio --------------------------------------------------------------------------------


class AudioClips:
    """Audio clips for the page, added in order until its size limit is reached.

    Encoding takes longer than the rest of the page, so threads do it in advance.
    """

    def __init__(self, budget: int, samples: Sequence[Sample]) -> None:
        self.budget = budget
        self._bytes_left = budget
        self._executor = ThreadPoolExecutor(4, thread_name_prefix="auricle-clips")
        coming = [sound for sample in samples for sound in get_sounds(sample)] if budget else []
        self._encoded = {
            id(sound): self._executor.submit(_encode_clip, sound) for sound in _limit_total_seconds(coming)
        }
        self._requested = {id(sound) for sound in coming}

    def __enter__(self) -> AudioClips:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)

    def get(self, sample: Sample) -> tuple[tuple[bytes, ...], list[str]]:
        """Return a sample's clips, and a note for each that is cut, left out or unreadable."""
        clips: list[bytes] = []
        notes: list[str] = []
        for sound in get_sounds(sample):
            if id(sound) not in self._requested:
                notes.append(RIGHT_ANSWER_NOTE)
                continue
            try:
                taken, note = self._take_clip(sound)
            except SampleError as error:
                taken, note = None, f"The recording cannot be played: {error}"
            clips += [taken] if taken else []
            notes += [note] if note else []
        return tuple(clips), list(dict.fromkeys(notes))

    def _take_clip(self, sound: Audio) -> tuple[bytes | None, str]:
        if not self._bytes_left or id(sound) not in self._encoded:
            return None, PAGE_FULL_NOTE
        clip, seconds = self._encoded[id(sound)].result()
        size = -(-len(clip) // 3) * 4  # in base64, as embedded in the page
        if size > self._bytes_left:
            self._bytes_left = 0  # otherwise it would be arbitrary which later samples have players
            return None, PAGE_FULL_NOTE
        self._bytes_left -= size
        cut = f"The first {MAX_CLIP_SECONDS:g} s of {seconds:.1f} s." if seconds > MAX_CLIP_SECONDS else ""
        return clip, cut


def _limit_total_seconds(sounds: Sequence[Audio]) -> Iterator[Audio]:
    """Return the first of these recordings whose total duration fits the page."""
    left = MAX_TOTAL_SECONDS
    for sound in sounds:
        with suppress(SampleError):  # reported where its player would be
            left -= min(sound.seconds, MAX_CLIP_SECONDS)
        if left < 0:
            return
        yield sound


def _encode_clip(sound: Audio) -> tuple[bytes, float]:
    """Encode a clip for the page; return it with the full duration."""
    return sound.segment(0.0, MAX_CLIP_SECONDS).encode("mp3", rate=16000), sound.seconds


PAGE_FULL_NOTE = (
    f"No player: the page holds {MAX_AUDIO_BYTES / 1e6:g} MB or {MAX_TOTAL_SECONDS / 60:g} minutes of sound at most."
)


RIGHT_ANSWER_NOTE = "No player: only samples with errors have one."


def get_sounds(sample: Sample) -> Iterator[Audio]:
    """Return every recording among a sample's inputs, in order."""
    for value in sample.inputs.values():
        yield from (part for part in list_parts(value) if isinstance(part, Audio))
