"""The task kind `timestamps`: recordings whose words or segments have known times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError
from auricle.core.segments import join_texts
from auricle.core.types import Json, RejectedRow, Sample, Segment
from auricle.data.duplicates import list_recordings
from auricle.data.file_formats import parse_json_cell
from auricle.data.manifest import VALIDATED_ROWS, Manifest
from auricle.engine.scored_language import ScoredLanguage
from auricle.engine.task import Task
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.tasks.asr.kind import ASR_COLUMNS, ASR_PROMPT, Transcription
from auricle.tasks.asr.word_options import TranscriptOptions
from auricle.tasks.timestamps.metrics.reading import read_boundaries
from auricle.tasks.timestamps.metrics.sets import timestamps
from auricle.tasks.timestamps.reference_times import measure_seconds
from auricle.tasks.timestamps.timed_words import (
    SEGMENTS_FIELD,
    WORDS_FIELD,
    check_reference,
    load_timed_words,
    parse_timed_words,
)

FIELDS = (WORDS_FIELD, SEGMENTS_FIELD)


class TimedTranscription(Transcription):
    """Transcripts with the times of their words or segments."""

    def default_metrics(self, language: ScoredLanguage) -> tuple[str, ...]:
        return (*(metric.name for metric in timestamps), *super().default_metrics(language))


@takes_options(TranscriptOptions)
def timestamps_task(**arguments: Any) -> Task:
    """Build a task of recordings whose words or segments have known times."""
    options = TranscriptOptions.from_arguments("timestamps", arguments)
    base = Path(options.root) if options.root else Path(options.data).parent
    kind = TimedTranscription(
        "timestamps",
        replace(ASR_COLUMNS, requires_target=False),
        ASR_PROMPT,
        (),
        reference_reader(base),
        decides_language=True,
    )
    task = kind.task_from_manifest(options)
    task = replace(task, metrics=list(map(_restrict_to_texts, task.metrics)))
    manifest = task.samples
    if not isinstance(manifest, Manifest):
        return task
    return replace(task, samples=replace(manifest, check=lambda: [*manifest.check(), *_note_durations(manifest)]))


def _note_durations(rows: Iterable[Sample | RejectedRow]) -> Iterator[str]:
    """Note how many of the first rows have times that are not those of their recording."""
    first = list(islice(rows, VALIDATED_ROWS))
    problems = []
    for sample in first:
        if not isinstance(sample, Sample):
            continue
        try:
            read_boundaries(sample, measure_seconds(sample))
        except SampleError as error:
            problems.append(f"{sample.origin}: {error}.")
    if problems:
        yield f"{len(problems)} of the first {len(first)} rows are not scored. {problems[0]}"


def _restrict_to_texts(metric: Metric) -> Metric:
    """Restrict a metric of transcripts to rows that have one; segments need no text."""
    return metric if isinstance(metric, Restricted) or metric.facts else metric.replace(applies=_has_text)


def _has_text(sample: Sample) -> bool:
    return sample.target is not None


def reference_reader(base: Path) -> Callable[[Sample], Sample]:
    """Return a function that reads the words or segments of a row, and takes their text if the row has none.

    Args:
        base: Folder that the paths of CTM, TextGrid and JSON files start from.
    """

    def read(sample: Sample) -> Sample:
        fields = [name for name in FIELDS if sample.meta.get(name) is not None]
        if not fields:
            raise SampleError("no reference: expected the column words or segments")
        references = {name: _read_field(sample, name, base) for name in fields}
        text = join_texts(references[fields[0]])
        has_text = bool(text) or WORDS_FIELD in fields  # no words are silence, but segments may have no texts
        target = (text if has_text else None) if sample.target is None else str(sample.target)
        meta = {**sample.meta, **{name: _to_json(name, segments) for name, segments in references.items()}}
        return replace(sample, target=target, meta=meta)

    return read


def _read_field(sample: Sample, name: str, base: Path) -> tuple[Segment, ...]:
    value: Any = sample.meta[name]
    try:
        if isinstance(value, str) and value.lstrip().startswith("["):  # a cell of a CSV file
            value = parse_json_cell(value)
        if isinstance(value, str):
            reference = load_timed_words(base / value, [*_list_stems(sample), sample.id])
        else:
            reference = parse_timed_words(value)
        check_reference(reference)
    except SampleError as error:
        raise SampleError(f"{name}: {error}") from error
    if name == WORDS_FIELD and (empty := next((word for word in reference if not word.text), None)):
        raise SampleError(f"{name}: the word at {empty.start:g} s has no text")
    return reference


def _list_stems(sample: Sample) -> list[str]:
    return [audio.path.stem for audio in list_recordings(sample) if audio.path]


def _to_json(name: str, segments: Sequence[Segment]) -> Json:
    if name == WORDS_FIELD:
        return [[word.text, word.start, word.end] for word in segments]
    return [{"start": segment.start, "end": segment.end, "text": segment.text} for segment in segments]
