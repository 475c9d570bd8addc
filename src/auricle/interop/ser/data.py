"""A dataset's class as a task: its paths and labels, scored by the metrics of emotion."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import AuricleError, DataError, SpecError, describe
from auricle.core.registry import import_object
from auricle.core.types import RejectedRow, Sample
from auricle.interop.ser.stubs import DATASETS_PACKAGE, IsolatedModules, display_name, split_class_path
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import COMMON_OPTIONS, EMOTION_METRICS, QUESTION
from auricle.tasks.kinds import build_label_task
from auricle.tasks.options import TaskOptions

TASK_OPTIONS = (*COMMON_OPTIONS, "language", "licence", "by")
"""Options of the task; all others are arguments of the class."""
ROOT_OPTION, DATA_DIR_ARGUMENT = "root", "data_dir"
PEEK_COUNT = 50  # paths looked at before a run


@dataclass(frozen=True)
class DatasetTaskFactory:
    """One dataset, by its class."""

    class_path: str

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The same by the data's whole path, under our name for it."""
        given = dict(arguments)
        place = given.pop(DATA_DIR_ARGUMENT, None) or given.get(ROOT_OPTION)
        if place:
            given[ROOT_OPTION] = str(Path(str(place)).expanduser().resolve())
        return given

    def __call__(self, **arguments: Any) -> Task:
        said = self.resolve_arguments(arguments)
        root = str(said.pop(ROOT_OPTION, ""))
        ours = {name: value for name, value in said.items() if name in TASK_OPTIONS}
        own = {name: value for name, value in said.items() if name not in TASK_OPTIONS}
        name = split_class_path(self.class_path)[1]
        options = TaskOptions.from_arguments(
            display_name(self.class_path), {"name": name, **ours, "data": display_name(self.class_path)}
        )
        pairs = LabelledRecordings(self.class_path, root, options.question or QUESTION, own)
        return build_label_task(name, options, pairs, metrics=EMOTION_METRICS)


@dataclass(frozen=True)
class LabelledRecordings:
    """The pairs of path and emotion that a class yields; it is loaded when first needed."""

    class_path: str
    root: str
    question: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        return (self._sample(at, item) for at, item in enumerate(self._dataset.items))

    def __len__(self) -> int:
        return len(self._dataset.items)

    def validate(self) -> None:
        """Refuse a dataset without pairs, or without the files they name."""
        good = [each for each in islice(self, PEEK_COUNT) if isinstance(each, Sample)]
        if not good:
            first = next(iter(self), None)
            why = f" {first.origin}: {first.reason}." if isinstance(first, RejectedRow) else ""
            raise DataError(f"{self._name} yields nothing that can be used.{why}")
        paths = [Path(_get_audio(each).uri) for each in good]
        if not any(path.exists() for path in paths):
            raise DataError(
                f"None of the first {len(paths)} sounds of {self._name} exist, such as {paths[0]}. "
                f"Give its folder with -T {ROOT_OPTION}=DIR."
            )

    def notes(self) -> list[str]:
        """What the class says of its size, where it yields another."""
        counted, said = len(self._dataset.items), self._dataset.reported_size
        if said == counted:
            return []
        return [f"{self._name} says that it has {said} recordings, and yields {counted}."]

    @property
    def revision(self) -> str:
        whole = "\n".join(f"{self._sample_id(*each[:2])}\t{each[1]}" for each in self._dataset.pairs)
        digits = blake2b(whole.encode("utf-8", "replace"), digest_size=4).hexdigest()
        return f"{split_class_path(self.class_path)[1]}@{digits}"

    @property
    def _name(self) -> str:
        return display_name(self.class_path)

    @cached_property
    def _dataset(self) -> LoadedDataset:
        shelf = IsolatedModules(self.class_path, DATASETS_PACKAGE)
        with shelf.activate(), redirect_stdout(sys.stderr):
            made = self._instantiate(import_object(self.class_path, shelf.parent_package))
            self._call_user_code("load", lambda: made.load(self.root) if self.root else made.load())
            items = self._call_user_code("__iter__", lambda: list(made))
            said = self._call_user_code("__len__", lambda: len(made))
        labels = [str(each) for each in getattr(made, "emotion_labels", None) or ()]
        return LoadedDataset(items, said, labels)

    def _instantiate(self, dataset_class: Any) -> Any:
        missing = [each for each in ("load", "__iter__", "__len__") if not hasattr(dataset_class, each)]
        if missing or not inspect.isclass(dataset_class):
            raise SpecError(f"{self._name} is no dataset: a class with load(data_dir), __iter__ and __len__ is.")
        wanted = inspect.signature(dataset_class)
        try:
            wanted.bind(**self.arguments)
        except TypeError as error:
            takes = ", ".join((ROOT_OPTION, *TASK_OPTIONS, *wanted.parameters))
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error
        return self._call_user_code("__init__", lambda: dataset_class(**self.arguments))

    def _call_user_code(self, method: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            hint = "" if self.root else f" Give its folder with -T {ROOT_OPTION}=DIR."
            raise DataError(
                f"{method} of {self._name} raised {type(error).__name__}: {describe(error)}.{hint}"
            ) from error

    def _sample(self, index: int, item: Any) -> Sample | RejectedRow:
        origin = f"{self._name}[{index}]"
        if not is_pair(item):
            return RejectedRow(origin, f"(audio_path, emotion_label) is due, not {item!r:.80}")
        path, label = os.fspath(item[0]), str(item[1])
        labels = self._dataset.label_set
        if label not in labels:
            return RejectedRow(origin, f"the emotion {label!r} is none of {', '.join(labels)}")
        audio = Audio.of(str(self._resolve_path(path)))
        asked = {"question": self.question, "options": ", ".join(labels), "choices": labels}
        return Sample(id=self._sample_id(path, label), inputs={"audio": audio, **asked}, target=label, origin=origin)

    def _resolve_path(self, path: str) -> Path:
        """As the class means it: from here, or else from its folder."""
        here = Path(path)
        return here if here.exists() or not self.root else Path(self.root) / path

    def _sample_id(self, path: Any, _label: Any = "") -> str:
        """A sample's id: its path, from the dataset's folder on."""
        text = Path(os.fspath(path)).as_posix()
        return text.removeprefix(f"{Path(self.root).as_posix()}/") if self.root else text


@dataclass(frozen=True)
class LoadedDataset:
    """What a class yielded, how many it says there are, and its labels."""

    items: Sequence[Any]
    reported_size: int
    labels: Sequence[str]

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        return [each for each in self.items if is_pair(each)]

    @cached_property
    def label_set(self) -> list[str]:
        """The class's own labels in its order; without any, those that occur."""
        return list(self.labels) or sorted({str(label) for _, label, *_ in self.pairs})


def is_pair(item: Any) -> bool:
    return (
        isinstance(item, (tuple, list))
        and len(item) >= 2
        and isinstance(item[0], (str, os.PathLike))
        and isinstance(item[1], str)
    )


def _get_audio(sample: Sample) -> Audio:
    sound = sample.inputs["audio"]
    assert isinstance(sound, Audio)
    return sound
