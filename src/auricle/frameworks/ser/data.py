"""Tasks from dataset classes of emotion suites: recordings with labels, scored with the emotion metrics."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, cast

from auricle.core.arguments import Argument, describe_options
from auricle.core.errors import DataError, SpecError
from auricle.core.registry import import_object
from auricle.core.source_files import describe_class_path
from auricle.core.types import RejectedRow, Sample
from auricle.core.user_code import wrap_errors
from auricle.engine.task import Task
from auricle.frameworks.ser.model import DATASETS_PACKAGE, PREFIX, SuiteModules
from auricle.frameworks.user_classes import check_arguments, display_name, split_class_path
from auricle.media import Audio
from auricle.tasks.labels.kinds import EMOTION_METRICS, EMOTION_QUESTION, LabelOptions, build_label_task

TASK_OPTIONS = (
    *("name", "metrics", "prompt", "question", "system", "max_tokens", "rubric", "votes", "synonyms"),
    *("language", "licence", "by"),
)
"""Options of the task; all other arguments are passed to the class."""
ROOT_OPTION, DATA_DIR_ARGUMENT = "root", "data_dir"
PEEK_COUNT = 50
"""Recordings checked for existence before a run."""


@dataclass(frozen=True)
class DatasetTaskFactory:
    """Builds the task of one dataset class."""

    class_path: str

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with the absolute data folder as `root`."""
        resolved = dict(arguments)
        folder = resolved.pop(DATA_DIR_ARGUMENT, None) or resolved.get(ROOT_OPTION)
        if folder:
            resolved[ROOT_OPTION] = str(Path(str(folder)).expanduser().resolve())
        return resolved

    def describe_arguments(self) -> list[Argument]:
        """Describe the folder of the data, the arguments of the class and the options of the task."""
        root = Argument(ROOT_OPTION, "folder", help="The folder that is passed to `load`.")
        options = (option for option in describe_options(LabelOptions) if option.name in TASK_OPTIONS)
        return [root, *describe_class_path(self.class_path), *(replace(item, is_common=False) for item in options)]

    def __call__(self, **arguments: Any) -> Task:
        class_arguments = self.resolve_arguments(arguments)
        root = str(class_arguments.pop(ROOT_OPTION, ""))
        task_arguments = {name: class_arguments.pop(name) for name in TASK_OPTIONS if name in class_arguments}
        class_name = split_class_path(PREFIX, self.class_path)[1]
        task_name = display_name(PREFIX, self.class_path)
        options = LabelOptions.from_arguments(task_name, {"name": class_name, **task_arguments, "data": task_name})
        recordings = LabelledRecordings(self.class_path, root, options.question or EMOTION_QUESTION, class_arguments)
        return build_label_task(class_name, options, recordings, EMOTION_METRICS, metrics_depend_on_output=True)


@dataclass(frozen=True)
class LabelledRecordings:
    """Recordings and emotions that a dataset class yields; the class is loaded on first use."""

    class_path: str
    root: str
    question: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return (self._sample(index, item) for index, item in enumerate(self._dataset.items))

    def __len__(self) -> int:
        return len(self._dataset.items)

    def validate(self) -> None:
        """Raise `DataError` if the dataset yields no usable pair, or none of its first recordings exist."""
        samples = [item for item in islice(self, PEEK_COUNT) if isinstance(item, Sample)]
        if not samples:
            first = next(iter(self), None)
            reason = f" {first.origin}: {first.reason}." if isinstance(first, RejectedRow) else ""
            raise DataError(f"{self._name} yields no usable recordings.{reason}")
        paths = [Path(cast(Audio, sample.inputs["audio"]).uri) for sample in samples]
        if not any(path.exists() for path in paths):
            raise DataError(
                f"None of the first {len(paths)} recordings of {self._name} exist, e.g. {paths[0]}. "
                f"Pass the folder of the data with -T {ROOT_OPTION}=DIR."
            )

    def notes(self) -> list[str]:
        """Return a note if the class reports another size than it yields."""
        size, reported_size = len(self._dataset.items), self._dataset.reported_size
        return [f"{self._name} reports {reported_size} recordings but yields {size}."] if reported_size != size else []

    @property
    def revision(self) -> str:
        lines = "\n".join(f"{self._sample_id(path)}\t{label}" for path, label, *_ in self._dataset.pairs)
        digest = blake2b(lines.encode("utf-8", "replace"), digest_size=4).hexdigest()
        return f"{split_class_path(PREFIX, self.class_path)[1]}@{digest}"

    @property
    def _name(self) -> str:
        return display_name(PREFIX, self.class_path)

    @cached_property
    def _dataset(self) -> LoadedDataset:
        modules = SuiteModules(self.class_path, DATASETS_PACKAGE)
        with modules.activate(), redirect_stdout(sys.stderr):
            dataset = self._instantiate(import_object(self.class_path, modules.parent_package))
            with self._wrap_errors("load"):
                dataset.load(self.root) if self.root else dataset.load()
            with self._wrap_errors("__iter__"):
                items = list(dataset)
            with self._wrap_errors("__len__"):
                reported_size = len(dataset)
        labels = [str(label) for label in getattr(dataset, "emotion_labels", None) or ()]
        return LoadedDataset(items, reported_size, labels)

    def _instantiate(self, dataset_class: Any) -> Any:
        missing = [name for name in ("load", "__iter__", "__len__") if not hasattr(dataset_class, name)]
        if missing or not inspect.isclass(dataset_class):
            raise SpecError(
                f"{self._name} is not a dataset. Expected a class with load(data_dir), __iter__ and __len__."
            )
        check_arguments(self._name, dataset_class, self.arguments, (ROOT_OPTION, *TASK_OPTIONS))
        with self._wrap_errors("__init__"):
            return dataset_class(**self.arguments)

    def _wrap_errors(self, method: str) -> AbstractContextManager[None]:
        hint = "." if self.root else f". Pass the folder of the data with -T {ROOT_OPTION}=DIR."
        return wrap_errors(f"{method} of {self._name}", DataError, lambda _: hint)

    def _sample(self, index: int, item: Any) -> Sample | RejectedRow:
        origin = f"{self._name}[{index}]"
        if not is_pair(item):
            return RejectedRow(origin, f"expected (audio_path, emotion_label), got {item!r:.80}")
        path, label = os.fspath(item[0]), str(item[1])
        labels = self._dataset.label_set
        if label not in labels:
            return RejectedRow(origin, f"unknown emotion {label!r}; expected one of {', '.join(labels)}")
        audio = Audio.of(str(self._resolve_path(path)))
        inputs = {"question": self.question, "options": ", ".join(labels), "choices": labels}
        return Sample(id=self._sample_id(path), inputs={"audio": audio, **inputs}, target=label, origin=origin)

    def _resolve_path(self, path: str) -> Path:
        """Resolve a path against the working directory, or against the data folder if it does not exist there."""
        local_path = Path(path)
        return local_path if local_path.exists() or not self.root else Path(self.root) / path

    def _sample_id(self, path: Any) -> str:
        """Return the path relative to the data folder."""
        text = Path(os.fspath(path)).as_posix()
        return text.removeprefix(f"{Path(self.root).as_posix()}/") if self.root else text


@dataclass(frozen=True)
class LoadedDataset:
    """What a dataset class yielded, the size it reports, and its labels."""

    items: Sequence[Any]
    reported_size: int
    labels: Sequence[str]

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        return [item for item in self.items if is_pair(item)]

    @cached_property
    def label_set(self) -> list[str]:
        """The labels of the class in its order, or the labels that occur."""
        return list(self.labels) or sorted({str(label) for _, label, *_ in self.pairs})


def is_pair(item: Any) -> bool:
    has_both = isinstance(item, (tuple, list)) and len(item) >= 2
    return has_both and isinstance(item[0], (str, os.PathLike)) and isinstance(item[1], str)
