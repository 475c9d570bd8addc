"""The task kind `meeting`: who speaks when, and what, in long recordings with several speakers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import islice
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from auricle.core.arguments import Hint, takes_options
from auricle.core.errors import DataError, SampleError
from auricle.core.segments import describe_reversed, join_texts, parse_segments
from auricle.core.types import Generation, RejectedRow, Sample, list_parts
from auricle.data.file_formats import Row, parse_json_cell, read_rows
from auricle.data.folder_scan import AUDIO_SUFFIXES
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.engine.kinds import MEDIA_TEMPLATE, TaskKind
from auricle.engine.recipes import Recipe, Samples
from auricle.engine.scored_language import ScoredLanguage
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, check_option, split_list
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Localized, Profiled, Tokenized
from auricle.tasks.meetings.metrics.catalogue import SPEAKER_METRICS, WORD_METRICS
from auricle.tasks.meetings.metrics.turns import (
    REFERENCE_FIELD,
    Reference,
    read_plain_text,
    read_reference,
    read_regions,
    store_reference,
)
from auricle.tasks.meetings.segment_files import (
    PARSERS,
    SUFFIXES,
    Region,
    SegmentFile,
    iter_rows,
    read_segments,
    read_uem,
)
from auricle.tasks.timestamps.reference_times import with_time_notes

MAX_TOKENS = 8192
"""Longest answer of models that write segments as text."""
QUESTION = (
    "Who speaks when, and what? Answer with a JSON list of segments only, each an object with the numbers `start` and "
    "`end` in seconds and the texts `speaker` and `text`. Use the same name for a speaker throughout the recording."
)
FILE_COLUMNS = ("reference", *PARSERS)
"""Columns with the path of a file of segments."""
REFERENCE_COLUMNS = ("segments", *FILE_COLUMNS)
MEETING_COLUMNS = ColumnMapping(
    target_columns=("text", "transcript", "target"),
    default_question=QUESTION,
    requires_target=False,
    requires_media=True,
    id_columns=("id", "session_id", "recording", "index", "key", "utt_id"),
)
MAX_COLLAR = 3600
CHOICES: Mapping[str, Sequence[str]] = {
    "overlap": ("score", "skip"),
    "convention": ("pyannote", "md-eval"),
    "contents": ("", "speakers", "words", "speakers+words"),
}
READ_ROWS = 20
"""Rows among which the first one with segments decides the order of metrics."""
DEFAULT_METRICS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("", "speakers"), (*SPEAKER_METRICS, *WORD_METRICS, "wer")),
    "speakers+words": (*WORD_METRICS[:2], *SPEAKER_METRICS, *WORD_METRICS[2:], "wer"),
    "words": ("wer", *reversed(WORD_METRICS), *SPEAKER_METRICS),
}
"""Metrics by what references have; those that do not apply are skipped."""


@dataclass(frozen=True, kw_only=True)
class MeetingOptions:
    """What is scored of meetings."""

    collar: float = 0.0
    """Seconds on each side of every boundary of the reference that DER and JER leave out."""
    overlap: Literal["score", "skip"] = "score"
    """Whether DER and JER score time in which several speakers of the reference talk."""
    convention: Literal["pyannote", "md-eval"] = "pyannote"
    """Whose rules DER and JER follow where they differ; see docs/meetings.md."""
    uem: Annotated[str, Hint("file", is_common=True)] = ""
    """A UEM file with the regions to score. By default, the column `uem`, or else the whole recording."""
    word_collar: float = 5.0
    """Seconds by which the times of two words may differ in tcpWER."""
    contents: Literal["", "speakers", "words", "speakers+words"] = ""
    """What the references have, which decides the first metric. By default, what the first row has."""

    def check(self) -> None:
        """Raise `SpecError` if a value is invalid."""
        for name in ("collar", "word_collar"):
            seconds = getattr(self, name)
            is_number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
            check_option(name, seconds, is_number and 0 <= seconds <= MAX_COLLAR, f"seconds from 0 to {MAX_COLLAR}")
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            check_option(name, value, value in choices, f"one of {', '.join(filter(None, choices))}")


@takes_options(MeetingOptions, GenerationOptions)
def meeting(**arguments: Any) -> Task:
    """Build a task of recordings with several speakers."""
    names = {option.name for option in fields(MeetingOptions)}
    scoring = MeetingOptions(**{name: arguments[name] for name in names if arguments.get(name) is not None})
    scoring.check()
    others = {name: value for name, value in arguments.items() if name not in names}
    options = GenerationOptions.from_arguments("meeting", {"max_tokens": MAX_TOKENS, **others})
    root = Path(options.root) if options.root else Path(options.data).parent
    attach = ReferenceReader(root, Path(scoring.uem) if scoring.uem else None).attach
    kind = Meetings("meeting", MEETING_COLUMNS, f"{MEDIA_TEMPLATE}{{question}}", (), attach, scoring=scoring)
    return with_time_notes(kind.task_from_manifest(options), _find_end)


def _find_end(sample: Sample) -> float:
    return max((segment.end for segment in read_reference(sample).segments or ()), default=0.0)


@dataclass(frozen=True)
class Meetings(TaskKind):
    """A kind whose references are segments with speakers, words or both."""

    scoring: MeetingOptions = MeetingOptions()

    def task_from_samples(self, options: GenerationOptions, recipe: Recipe, samples: Samples) -> Task:
        """Build a task whose first metric suits the references."""
        contents = self.scoring.contents or _read_contents(samples)
        names = split_list(options.metrics) or DEFAULT_METRICS[contents]
        task = super().task_from_samples(replace(options, metrics=names), recipe, samples)
        metrics = [self._adapt(metric, options) for metric in task.metrics]
        derived_args = {"contents": contents} if contents else {}
        return replace(task, metrics=metrics, derived_args=derived_args, metrics_depend_on_output=True)

    def _adapt(self, metric: Metric, options: GenerationOptions) -> Metric:
        """Return a metric under the options of the task; one of plain texts reads the words of segments."""
        from auricle.tasks.meetings.metrics import speakers, words
        from auricle.tasks.meetings.metrics.diarisation import Scoring

        scoring = self.scoring
        if metric.name in SPEAKER_METRICS:
            return speakers.FACTORIES[metric.name](Scoring(scoring.collar, scoring.overlap, scoring.convention))
        if metric.name in WORD_METRICS:
            language = ScoredLanguage(options.scored_as or options.language).language
            return words.FACTORIES[metric.name](words.WordScoring(metric.profile, language, scoring.word_collar))
        return _read_plain_answers(metric) if isinstance(metric, Tokenized) else metric

    def _load_manifest(self, options: GenerationOptions, recipe: Recipe) -> Manifest:
        manifest = super()._load_manifest(options, recipe)
        return RecordingList.from_manifest(manifest) if _is_segment_file(manifest.path) else manifest


def _read_contents(samples: Samples) -> str:
    """Return what the first reference with segments has; empty if no row can be read."""
    if isinstance(samples, Manifest):  # the reference is enough, even if the recording is missing
        samples = replace(samples, fields=replace(samples.fields, requires_media=False))
    try:
        valid = [row for row in islice(samples, READ_ROWS) if isinstance(row, Sample)]
    except DataError:  # reported when the samples are read
        return ""
    if not valid:
        return ""
    first = next((row for row in valid if read_reference(row).segments != ()), valid[0])
    reference = read_reference(first)
    has_words = reference.has_words or bool(first.target)
    return "+".join(
        name for name, is_present in (("speakers", reference.has_speakers), ("words", has_words)) if is_present
    )


def _read_plain_answers(metric: Metric) -> Metric:
    """Return a metric of texts that reads the words of segments, and applies to references with words."""
    score = metric.score

    def score_words(sample: Sample, output: Generation, **facts: Any) -> Any:
        from auricle.tasks.meetings.metrics.words import read_words

        if output.segments:
            read_words(output)
        return score(sample, replace(output, text=read_plain_text(output)), **facts)

    changes: dict[str, Any] = {}
    if isinstance(metric, Profiled):
        changes["with_profile"] = lambda name: _read_plain_answers(metric.with_profile(name))
    if isinstance(metric, Localized):
        changes["with_language"] = lambda code: _read_plain_answers(metric.with_language(code))
    return metric.replace(
        score=score_words,
        applies=lambda sample: bool(sample.target) or read_reference(sample).segments == (),
        **changes,
    )


# --- references ----------------------------------------------------------------------------------


class ReferenceReader:
    """Reads the reference of each row: segments in the row itself, or a file that it names.

    Args:
        root: Folder that paths start from.
        uem: File with the regions to score, for all rows.
    """

    def __init__(self, root: Path, uem: Path | None = None) -> None:
        self._root = root
        self._uem = uem
        self._read_segments = cache(read_segments)
        self._read_uem = cache(read_uem)

    def attach(self, sample: Sample) -> Sample:
        """Return a sample with its reference as metadata and the words of the whole recording as its target."""
        meta = dict(sample.meta)
        column = next((name for name in REFERENCE_COLUMNS if meta.get(name) not in (None, "")), None)
        if column is None:
            if sample.target is None:
                raise SampleError(f"no reference: expected one of the columns {', '.join(REFERENCE_COLUMNS)} or text")
            return replace(sample, target=str(sample.target))
        value = meta.pop(column)
        names = _list_names(sample)
        if column == "segments":
            reference = _parse_inline(value, meta.pop("ignored", ()), meta.pop("zero_length", 0))
        else:
            reference = self._read_file(value, column, names)
        reference = replace(reference, regions=self._find_regions(meta.pop("uem", None), names))
        text = sample.target or join_texts(reference.segments or ())
        return replace(sample, target=str(text), meta={**meta, REFERENCE_FIELD: store_reference(reference)})

    def _read_file(self, value: Any, column: str, names: Sequence[str]) -> Reference:
        path = self._resolve(value, column)
        try:
            file = self._read_segments(path, column if column in PARSERS else "")
        except DataError as error:  # other rows may name other files
            raise SampleError(str(error).removesuffix(".")) from error
        name = _choose_recording(file.recordings, names, path)
        return Reference(
            file.recordings[name], None, file.ignored.get(name, ()), zero_length=file.zero_length.get(name, 0)
        )

    def _find_regions(self, value: Any, names: Sequence[str]) -> tuple[Region, ...] | None:
        """Return the UEM of a recording: that of the task, or the row's file or list of regions."""
        if isinstance(value, str) and value.startswith("["):
            value = parse_json_cell(value)
        if isinstance(value, list) and not self._uem:
            return _parse_regions(value)
        if self._uem:
            return self._choose_regions(self._uem, names)
        if not value:
            return None
        try:
            return self._choose_regions(self._resolve(value, "uem"), names)
        except DataError as error:
            raise SampleError(str(error).removesuffix(".")) from error

    def _choose_regions(self, path: Path, names: Sequence[str]) -> tuple[Region, ...]:
        regions = self._read_uem(path)
        return regions[_choose_recording(regions, names, path)]

    def _resolve(self, value: Any, column: str) -> Path:
        if not isinstance(value, str):
            raise SampleError(f"{column} must be the path of a file, not {type(value).__name__}")
        return self._root / value


def _parse_inline(value: Any, ignored: Any, zero_length: Any) -> Reference:
    segments = parse_segments(parse_json_cell(value) if isinstance(value, str) else value)
    if problem := describe_reversed(segments):
        raise SampleError(problem)
    for number, segment in enumerate(segments, 1):
        if segment.start < 0:
            raise SampleError(f"segment {number} starts before the recording, at {segment.start} s")
    return Reference(segments, None, _parse_regions(ignored or []), zero_length=int(zero_length))


def _parse_regions(values: Sequence[Any]) -> tuple[Region, ...]:
    try:
        return read_regions(values)
    except (TypeError, ValueError):
        raise SampleError(f"regions must be pairs of start and end in seconds, not {values!r}") from None


def _list_names(sample: Sample) -> list[str]:
    """Return the names under which a file may have the recording of a sample: its id, and that of its audio."""
    parts = [part for value in sample.inputs.values() for part in list_parts(value)]
    return [sample.id, *(PurePath(part.uri).stem for part in parts if isinstance(part, Audio) and part.uri)]


def _choose_recording(recordings: Mapping[str, Any], names: Sequence[str], path: Path) -> str:
    """Return the name of the recording in a file: the only one, or that of the row."""
    name = next((name for name in names if name in recordings), None)
    if name is None and len(recordings) == 1:
        return next(iter(recordings))
    if name is None:
        listed = ", ".join(list(recordings)[:3]) or "none"
        raise SampleError(f"{path.name} has no recording {names[0]!r}; it has {len(recordings)}: {listed}")
    return name


# --- files of segments as data -------------------------------------------------------------------


def _is_segment_file(path: Path) -> bool:
    """Return whether a data file has segments rather than rows; JSON may have either."""
    if path.suffix.lower() != ".json":
        return path.suffix.lower() in SUFFIXES
    try:
        rows = islice(read_rows(path), 1)
        return any(isinstance(row, Row) and "session_id" in row.values and "audio" not in row.values for row in rows)
    except DataError:  # reported when the samples are read
        return False


@dataclass(frozen=True)
class RecordingList(Manifest):
    """The recordings of a file of segments; their audio has the same names."""

    read: Callable[[Path], SegmentFile] = field(default_factory=lambda: cache(read_segments), compare=False)

    @classmethod
    def from_manifest(cls, manifest: Manifest) -> RecordingList:
        """Return the recordings of a file that was opened as a manifest."""
        values = {option.name: getattr(manifest, option.name) for option in fields(manifest) if option.init}
        recordings = cls(**values)
        return replace(recordings, check=lambda: [*manifest.check(), *recordings.read(manifest.path).notes()])

    def _read_rows(self) -> Iterator[Row | RejectedRow]:
        for row in iter_rows(self.path, self.read(self.path)):
            yield Row(row.origin, {**row.values, "audio": self._find_audio(row.values["id"])})

    def _find_audio(self, name: str) -> str:
        folder = self.root or self.path.parent
        names = (f"{name}{suffix}" for suffix in AUDIO_SUFFIXES)
        return next((file for file in names if (folder / file).exists()), f"{name}{AUDIO_SUFFIXES[0]}")

    def __len__(self) -> int:
        return self.count_selected(len(self.read(self.path).recordings))

    def list_columns(self) -> list[str]:
        """Return the columns of the rows that are made from the file."""
        return ["id", "audio", "segments"]
