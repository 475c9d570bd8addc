"""The task kind `tag`: several labels per recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, ClassVar

from auricle.core.arguments import Hint, takes_options
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Json, Sample
from auricle.data.file_formats import parse_json_cell
from auricle.data.manifest import ColumnMapping, Manifest, suggest
from auricle.engine.inferencers import FirstSupported, Measure
from auricle.engine.kinds import MEDIA_TEMPLATE, TaskKind
from auricle.engine.recipes import Recipe
from auricle.engine.task import Task
from auricle.engine.task_options import GenerationOptions, check_option, split_list
from auricle.tasks.labels.kinds import MAX_LABELS
from auricle.tasks.sound_events.tagging import DEFAULT_THRESHOLD, with_threshold

LABEL_COLUMNS = ("labels", "tags", "label", "tag", "target")
SEPARATORS = ("|", ";", ",")
"""What separates the labels of a cell; the first one that occurs in it."""
TAG_PROMPT = (
    f"{MEDIA_TEMPLATE}{{question}}\nAnswer with all labels that apply, separated by commas, or with none. "
    "Labels: {options}."
)
TAG_QUESTION = "Which of these labels describe this recording?"
SOUND_COLUMNS = ColumnMapping(
    target_columns=(),
    requires_target=False,
    requires_media=True,
    question_columns=("question", "prompt", "instruction"),
)
"""Columns of recordings whose answers are lists, which are read from the metadata."""


def parse_labels(value: Any) -> list[str]:
    """Return the labels of a list, or of a cell in which they are separated.

    >>> parse_labels("dog; rain"), parse_labels(["dog"]), parse_labels("[]")
    (['dog', 'rain'], ['dog'], [])
    """
    if isinstance(value, str):
        value = parse_json_cell(value) if value.lstrip().startswith("[") else _split_cell(value)
    if not isinstance(value, (list, tuple)) or not all(isinstance(label, (str, int)) for label in value):
        raise SampleError(f"labels must be a list of texts, not {value!r}")
    return list(dict.fromkeys(text for label in value if (text := str(label).strip())))


def _split_cell(text: str) -> list[str]:
    separator = next((mark for mark in SEPARATORS if mark in text), None)
    return text.split(separator) if separator else [text]


@dataclass(frozen=True)
class SoundOptions(GenerationOptions):
    """The options of kinds whose rows have several labels or events."""

    lists: ClassVar[tuple[str, ...]] = (*GenerationOptions.lists, "labels")

    labels: Annotated[str | Sequence[str], Hint(is_common=True)] = ()
    """The labels, separated by commas. By default, those in the data."""


@dataclass(frozen=True)
class SoundTask(TaskKind):
    """A kind whose rows have a list of labels or events in a column, and whose labels are those of all rows."""

    answer_columns: tuple[str, ...] = ()
    """Names of that column, best first."""
    example: str = ""
    """What the column may contain, for messages."""

    def read_target(self, value: Any, sample: Sample) -> Json:
        """Read the answer column of a row."""
        raise NotImplementedError

    def list_labels(self, target: Json) -> Iterable[str]:
        """Return the labels of a target."""
        raise NotImplementedError

    def _load_manifest(self, options: GenerationOptions, recipe: Recipe) -> Manifest:
        assert isinstance(options, SoundOptions)
        column = options.target
        manifest = self.open_rows(super()._load_manifest(replace(options, target=""), recipe))
        nullable = (column,) if column else self.answer_columns
        manifest = replace(manifest, fields=replace(manifest.fields, nullable_columns=nullable))
        add_target = partial(self._add_target, column)
        labels = split_list(options.labels)
        without_media = replace(manifest, transform=add_target, skips_media=True)
        get_labels = cache(lambda: labels or self._collect_labels(without_media))

        def transform(sample: Sample) -> Sample:
            inputs = {**sample.inputs, "choices": get_labels(), "options": ", ".join(get_labels())}
            return manifest.transform(replace(add_target(sample), inputs=inputs))

        return replace(manifest, transform=transform, choices=get_labels)

    def open_rows(self, manifest: Manifest) -> Manifest:
        """Return the manifest from which rows are read."""
        return manifest

    def _add_target(self, column: str, sample: Sample) -> Sample:
        names = (column,) if column else self.answer_columns
        name = next((name for name in names if name in sample.meta), None)
        if name is None:
            shown = f"the column {column}" if column else f"one of the columns {', '.join(self.answer_columns)}"
            raise SampleError(
                f"no {self.answer_columns[0]}: expected {shown} with {self.example}; [] if there are none"
                + (f".{suggest(column, sample.meta)}".rstrip(".") if column else "")
            )
        meta = {key: value for key, value in sample.meta.items() if key != name}
        return replace(sample, target=self.read_target(sample.meta[name], sample), meta=meta)

    def _collect_labels(self, rows: Manifest) -> list[str]:
        """Return the sorted labels of all rows."""
        targets = [row.target for row in rows if isinstance(row, Sample)]
        names = sorted({label for target in targets for label in self.list_labels(target)})
        if len(names) > MAX_LABELS:
            raise SpecError(f"{len(names)} different labels: the column seems to contain free text.")
        if targets and not names:
            raise SpecError("No row has a label. Name the labels with -T labels=dog,rain,….")
        return names


class Tagging(SoundTask):
    """Recordings with any number of labels."""

    def read_target(self, value: Any, sample: Sample) -> Json:
        return parse_labels(value)

    def list_labels(self, target: Json) -> Sequence[str]:
        return [str(label) for label in target] if isinstance(target, list) else []


@takes_options(SoundOptions)
def tag(*, threshold: float = DEFAULT_THRESHOLD, **arguments: Any) -> Task:
    """Build a tagging task, answered by a classifier's scores or by labels in text.

    Args:
        threshold: Score from which on a label is predicted, for F1, precision and recall. Logits are compared with its
            log-odds.
        **arguments: Options of `SoundOptions`.
    """
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    check_option("threshold", threshold, is_number and 0 < threshold < 1, "a number between 0 and 1")
    options = SoundOptions.from_arguments("tag", arguments)
    kind = Tagging(
        "tag",
        replace(SOUND_COLUMNS, default_question=TAG_QUESTION),
        TAG_PROMPT,
        ("tagging",),
        answer_columns=LABEL_COLUMNS,
        example='a list such as ["dog", "rain"], or a cell such as dog;rain',
    )
    task = kind.task_from_manifest(options)
    metrics = [with_threshold(metric, threshold) for metric in task.metrics]
    inferencer = task.inferencer if options.inferencer else FirstSupported((Measure(), task.inferencer))
    return replace(task, metrics=metrics, inferencer=inferencer, metrics_depend_on_output=True)
