"""The task kind `detect`: sound events or speech, with their times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from auricle.core.arguments import takes_options
from auricle.core.errors import SampleError
from auricle.core.segments import parse_segments
from auricle.core.types import Json, Sample
from auricle.data.file_formats import parse_json_cell
from auricle.data.manifest import Manifest
from auricle.engine.kinds import MEDIA_TEMPLATE
from auricle.engine.task import Task
from auricle.engine.task_options import check_option
from auricle.media import Audio
from auricle.metrics.confusion import get_task_labels
from auricle.tasks.sound_events.formats import EventManifest, read_event_table
from auricle.tasks.sound_events.metrics.detection import DetectionSettings
from auricle.tasks.sound_events.metrics.event_based import DEFAULT_COLLAR, DEFAULT_OFFSET_SHARE
from auricle.tasks.sound_events.metrics.event_lists import (
    DEFAULT_THRESHOLD,
    SINGLE_CLASS_FIELD,
    get_true_events,
    to_target,
)
from auricle.tasks.sound_events.metrics.segment_based import DEFAULT_RESOLUTION
from auricle.tasks.sound_events.tag import SOUND_COLUMNS, SoundOptions, SoundTask
from auricle.tasks.timestamps.reference_times import with_time_notes

EVENT_COLUMNS = ("events", "segments", "annotations")
DETECT_PROMPT = (
    f"{MEDIA_TEMPLATE}{{question}}\nAnswer with a JSON list such as "
    '[{"start": 0.5, "end": 1.2, "label": "…"}], in seconds; [] if there are none. Labels: {options}.'
)
DETECT_QUESTION = "Which of these sounds occur in this recording, and when?"
MAX_RESOLUTION = 60.0


@dataclass(frozen=True)
class Detection(SoundTask):
    """Recordings with events in time."""

    single_class: str = ""
    """The class of all events, whatever their labels."""
    root: Path = Path()
    """Where paths of tables start."""

    def read_target(self, value: Any, sample: Sample) -> Json:
        segments = parse_segments(self._load_events(value, sample))
        for number, segment in enumerate(segments, 1):
            if segment.start < 0:
                raise SampleError(f"event {number} starts before the recording, at {segment.start:g} s")
            if segment.end <= segment.start:
                raise SampleError(
                    f"event {number} ends at {segment.end:g} s, not after its start at {segment.start:g} s"
                )
            if not segment.text and not self.single_class:
                raise SampleError(
                    f"event {number} has no label. If all events are of one class: -T single_class=speech"
                )
        if self.single_class:
            segments = tuple(replace(segment, text=self.single_class) for segment in segments)
        return to_target(segments)

    def _load_events(self, value: Any, sample: Sample) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            return parse_json_cell(value)
        audio = sample.inputs.get("audio")
        first = audio[0] if isinstance(audio, list) and audio else None
        return read_event_table(self.root / value, first.uri if isinstance(first, Audio) else "")

    def list_labels(self, target: Json) -> Sequence[str]:
        events = target if isinstance(target, list) else []
        return [str(event["label"]) for event in events if isinstance(event, dict)]

    def open_rows(self, manifest: Manifest) -> Manifest:
        if type(manifest) is not Manifest:  # the rows of a Hugging Face dataset or a benchmark
            return manifest
        return EventManifest(**{field.name: getattr(manifest, field.name) for field in fields(Manifest) if field.init})


@takes_options(SoundOptions)
def detect(
    *,
    resolution: float = DEFAULT_RESOLUTION,
    collar: float = DEFAULT_COLLAR,
    offset_share: float = DEFAULT_OFFSET_SHARE,
    threshold: float = DEFAULT_THRESHOLD,
    single_class: str = "",
    **arguments: Any,
) -> Task:
    """Build a task of sound event detection, or of voice activity detection.

    Args:
        resolution: Seconds of a segment, for metrics based on segments.
        collar: Seconds by which onsets and offsets may differ, for the event-based F1.
        offset_share: Share of an event's length by which its offset may differ, if that is longer than the collar.
        threshold: Score from which on a scored segment is a detection. PSDS uses all thresholds.
        single_class: Name of the only class, to which all events belong whatever their labels, such as speech.
        **arguments: Options of `SoundOptions`.
    """
    check_number("resolution", resolution, 0.001, MAX_RESOLUTION, "seconds from 0.001 to 60")
    check_number("collar", collar, 0.0, MAX_RESOLUTION, "seconds from 0 to 60")
    check_number("offset_share", offset_share, 0.0, 1.0, "a share from 0 to 1")
    check_number("threshold", threshold, -1e9, 1e9, "a number")
    if single_class:
        arguments = {**arguments, "labels": [single_class]}
    options = SoundOptions.from_arguments("detect", arguments)
    kind = Detection(
        "detect",
        replace(SOUND_COLUMNS, default_question=DETECT_QUESTION),
        DETECT_PROMPT,
        ("detection",),
        transform=_mark_single_class if single_class else lambda sample: sample,
        answer_columns=EVENT_COLUMNS,
        example='a list such as [{"onset": 0.5, "offset": 1.2, "label": "dog"}], or the path of a table of events',
        single_class=single_class,
        root=Path(options.root) if options.root else Path(options.data).parent,
    )
    settings = DetectionSettings(resolution, collar, offset_share, threshold)
    task = with_time_notes(kind.task_from_manifest(options), _find_end)
    return replace(task, metrics=[settings.apply(metric) for metric in task.metrics])


def _find_end(sample: Sample) -> float:
    return max((event.end for event in get_true_events(sample)), default=0.0)


def _mark_single_class(sample: Sample) -> Sample:
    return replace(sample, inputs={**sample.inputs, SINGLE_CLASS_FIELD: get_task_labels(sample)[0]})


def check_number(name: str, value: Any, low: float, high: float, expected: str) -> None:
    """Raise an error unless a value is a number within limits."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    check_option(name, value, is_number and low <= value <= high, expected)
