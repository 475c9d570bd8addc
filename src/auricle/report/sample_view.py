"""Prepare samples for display: texts, scores, alignments and audio clips."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from auricle.core.calls import CallRecording
from auricle.core.types import Generation, Json, Likelihood, Output, Prediction, Record, Sample, list_parts
from auricle.core.value_text import format_json_value
from auricle.media import Image, Video
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Bounded, Tokenized
from auricle.metrics.label_alignment import display_label, labels_match
from auricle.metrics.targets import reference_text
from auricle.report.audio_clips import AudioClips
from auricle.report.figures import Figure, draw_figures, load_figure_sources
from auricle.report.html_format import typeset_number
from auricle.report.templating import load_environment
from auricle.report.text_format import format_likelihood, truncate
from auricle.report.transcript import TranscriptLine, transcript_lines

MAX_SAMPLES = 50
MAX_TOKENS = 800  # a model that repeats itself endlessly must not fill the page
MAX_VALUES = 5
MAX_CONTINUOUS_VALUES = 20
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
    targets: tuple[str, ...] = ()
    """The true labels, if there may be several."""
    values: tuple[tuple[str, float], ...] = ()
    """The highest class scores of a prediction, or its values on a continuous scale."""
    is_continuous: bool = False
    """Whether `values` are on a scale of which only the model knows the ends."""
    score: str = ""
    errors: str = ""
    """Counts of each kind of error, if the metric counts them."""
    diff: tuple[Edit, ...] = ()
    profile: str = ""
    """The text normaliser of both sides of `diff`."""
    audio: tuple[bytes, ...] = ()
    """Its recordings, encoded by `audio_clips`, which may have a `label`."""
    note: str = ""
    verdict: str = ""
    """Verdicts of the judge, if there are any."""
    judge_title: str = "judge"
    """What the model is called that gave them."""
    transcript: tuple[TranscriptLine, ...] = ()
    """A conversation turn by turn, or several answers."""
    target_title: str = "Reference"
    """What the reference is called."""
    has_spoken_answer: bool = False
    """Whether an answer is heard, so that an empty text is none."""
    figures: tuple[Figure, ...] = ()
    """What features draw of the sample."""

    @property
    def drawing(self) -> str:
        return draw_figures(self)

    @property
    def diff_pieces(self) -> list[DiffPiece]:
        return list(join_diff(self.diff))

    @property
    def value_bars(self) -> list[ValueBar]:
        highest = max((abs(value) for _, value in self.values), default=0.0) or 1.0
        targets = self.targets or (self.target or "",)
        return [
            ValueBar(display_label(label), label, value, highest, _is_true(label, targets))
            for label, value in self.values
        ]


def _is_true(label: str, targets: Sequence[str]) -> bool:
    return any(target and labels_match(target, label) for target in targets)


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


def common_question(samples: Iterable[SampleView]) -> str:
    """Return the question of all samples; empty if they have different ones."""
    questions = {sample.question for sample in samples}
    return questions.pop() if len(questions) == 1 else ""


def build_sample_views(
    records: Sequence[Record], metric: Metric | None, stats: Mapping[str, Any], *, audio: bool = True
) -> list[SampleView]:
    """Prepare records for display; with audio, as many as fit on a page. `stats` are the metric's, by sample id."""
    if not audio:
        return [_build_sample_view(record, metric, stats, None) for record in records]
    chosen = records[:MAX_SAMPLES]
    with AudioClips([record for record in chosen if _has_players(record, metric, stats)]) as clips:
        load_environment()  # while other threads encode the clips
        return [_build_sample_view(record, metric, stats, clips) for record in chosen]


def _has_players(record: Record, metric: Metric | None, stats: Mapping[str, Any]) -> bool:
    """Return whether a sample is played: any call, and other samples unless they are right."""
    is_call = any(isinstance(output, CallRecording) for output in record.outputs)
    return is_call or not _is_perfect(record, metric, stats)


def _build_sample_view(
    record: Record, metric: Metric | None, stats: Mapping[str, Any], clips: AudioClips | None
) -> SampleView:
    sample = record.sample
    stat = stats.get(sample.id)
    score, errors = ("", "") if metric is None or stat is None or record.error else _format_stat(metric, stat)
    why = f"{record.error.kind}: {record.error.message}" if record.error else ""
    diff, cut = _build_diff(record, metric)
    audio, notes = clips.get(record) if clips else ((), [])
    values, is_continuous = _top_values(record)
    lines = tuple(TranscriptLine(who, truncate(text)) for who, text in transcript_lines(record))
    view = SampleView(
        id=sample.id,
        origin=sample.origin,
        meta={name: truncate(format_json_value(value), 200) for name, value in sample.meta.items()},
        question=truncate(_question_text(sample)),
        target=None if sample.target is None else truncate(format_json_value(sample.target)),
        answer="" if lines else truncate("\n".join(answer_texts(record))),
        targets=_list_targets(sample.target),
        values=values,
        is_continuous=is_continuous,
        score=score,
        errors=errors,
        diff=diff,
        profile=metric.profile if metric and diff else "",
        audio=audio,
        note=" ".join(each for each in (why, cut, *notes, *_name_visuals(sample)) if each),
        transcript=lines,
    )
    for source in load_figure_sources():
        view = source.show(view, record, metric, is_page=clips is not None)
    return view


def _is_perfect(record: Record, metric: Metric | None, stats: Mapping[str, Any]) -> bool:
    if not isinstance(metric, Bounded) or record.error:
        return False
    return bool(stats.get(record.sample.id) == metric.bounds(record.sample)[1])


def _name_visuals(sample: Sample) -> Iterator[str]:
    """Name the images and videos of a sample, which the page does not show."""
    for part in (part for value in sample.inputs.values() for part in list_parts(value)):
        if isinstance(part, (Image, Video)):
            span = f" from {part.start:g} s" if isinstance(part, Video) and part.start else ""
            span += f" to {part.end:g} s" if isinstance(part, Video) and part.end is not None else ""
            yield f"{type(part).__name__}: {part.uri.rpartition('/')[2] or 'in memory'}{span}."


def _question_text(sample: Sample) -> str:
    question = sample.inputs.get("question")
    options = sample.inputs.get("options")
    return "\n".join(each.strip() for each in (question, options) if isinstance(each, str)).strip()


# --- the output -----------------------------------------------------------------------


def answer_texts(record: Record) -> Iterator[str]:
    """Yield the text of each answer."""
    choices = record.sample.inputs.get("choices")
    named = isinstance(choices, (list, tuple)) and len(choices) == len(record.outputs) > 1
    for at, output in enumerate(record.outputs):
        if isinstance(output, Generation):
            yield output.text
        elif isinstance(output, Likelihood):
            yield format_likelihood(output, str(choices[at]) if named else "")  # type: ignore[index]


def _top_values(record: Record) -> tuple[tuple[tuple[str, float], ...], bool]:
    """Return the highest class scores and that of the correct label, or continuous values in their own order.

    The second value is whether they are continuous.
    """
    last: Output | None = record.outputs[-1] if record.outputs else None
    if not isinstance(last, Prediction):
        return (), False
    target = record.sample.target
    is_tagged = isinstance(target, (list, tuple))
    if is_continuous := last.scale == "continuous" and not is_tagged:
        shown = list(last.values.items())[:MAX_CONTINUOUS_VALUES]
    else:
        ranked = sorted(last.values.items(), key=lambda item: -item[1])
        right = _list_targets(target) or (format_json_value(target),)
        shown = ranked[:MAX_VALUES] + [item for item in ranked[MAX_VALUES:] if item[0] in right]
    return tuple((str(name), float(value)) for name, value in shown), is_continuous


def _list_targets(target: Json) -> tuple[str, ...]:
    """Return the true labels of a sample that may have several."""
    is_list = isinstance(target, (list, tuple)) and all(isinstance(label, str) for label in target)
    return tuple(map(str, target)) if is_list else ()  # type: ignore[arg-type]  # checked


# --- how it was scored ------------------------------------------------------------------


def _format_stat(metric: Metric, stat: Any) -> tuple[str, str]:
    """Return the score as text, and its error counts."""
    is_hit = metric.is_hit(stat)
    if is_hit is not None:
        return ("right" if is_hit else "wrong"), ""
    value = metric.sample_value(stat)
    details = {} if isinstance(stat, (int, float)) else metric.details([stat])
    if "substitutions" not in details:
        is_rated_otherwise = math.isnan(value) and metric.has_own_badness
        return "" if is_rated_otherwise else typeset_number(value, metric.unit), ""
    kinds = ((details[kind], kind[0].upper()) for kind in ("substitutions", "deletions", "insertions"))
    split = " ".join(f"{number}{letter}" for number, letter in kinds)
    if "silence" in details:  # there is nothing that the errors could be a share of
        return f"{details['insertions']} inserted on silence", ""
    return typeset_number(value, metric.unit), f"{split} of {details['reference_length']}"


def _build_diff(record: Record, metric: Metric | None) -> tuple[tuple[Edit, ...], str]:
    """Return the alignment of a text metric, and a note if it was cut."""
    last = record.outputs[-1] if len(record.outputs) == 1 else None
    if not isinstance(metric, Tokenized) or not isinstance(last, Generation):
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
