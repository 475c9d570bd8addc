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
from auricle.core.errors import AuricleError, DataError, SpecError, told
from auricle.core.registry import import_object
from auricle.core.types import Rejected, Sample
from auricle.interop.ser.stubs import DATASETS, Shelf, called, parts_of
from auricle.tasks.base import Task
from auricle.tasks.emotion.base import ASKING, EMOTION_METRICS, QUESTION
from auricle.tasks.kinds import labelled
from auricle.tasks.options import Options

OURS = (*ASKING, "language", "licence", "by")
"""Options of the task; all others are arguments of the class."""
PLACE, THEIRS = "root", "data_dir"
FIRST = 50  # paths looked at before a run


@dataclass(frozen=True)
class DatasetTask:
    """One dataset, by its class."""

    code: str

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The same by the data's whole path, under our name for it."""
        given = dict(arguments)
        place = given.pop(THEIRS, None) or given.get(PLACE)
        if place:
            given[PLACE] = str(Path(str(place)).expanduser().resolve())
        return given

    def __call__(self, **given: Any) -> Task:
        said = self.resolve_arguments(given)
        root = str(said.pop(PLACE, ""))
        ours = {name: value for name, value in said.items() if name in OURS}
        own = {name: value for name, value in said.items() if name not in OURS}
        name = parts_of(self.code)[1]
        options = Options.of(called(self.code), {"name": name, **ours, "data": called(self.code)})
        pairs = Pairs(self.code, root, options.question or QUESTION, own)
        return labelled(name, options, pairs, wanted=EMOTION_METRICS)


@dataclass(frozen=True)
class Pairs:
    """The pairs of path and emotion that a class yields; it is loaded when first needed."""

    code: str
    root: str
    question: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Sample | Rejected]:
        return (self._sample(at, item) for at, item in enumerate(self._held.items))

    def __len__(self) -> int:
        return len(self._held.items)

    def peek(self) -> None:
        """Refuse a dataset without pairs, or without the files they name."""
        good = [each for each in islice(self, FIRST) if isinstance(each, Sample)]
        if not good:
            first = next(iter(self), None)
            why = f" {first.origin}: {first.reason}." if isinstance(first, Rejected) else ""
            raise DataError(f"{self._name} yields nothing that can be used.{why}")
        paths = [Path(_sound(each).uri) for each in good]
        if not any(path.exists() for path in paths):
            raise DataError(
                f"None of the first {len(paths)} sounds of {self._name} exist, such as {paths[0]}. "
                f"Give its folder with -T {PLACE}=DIR."
            )

    def notes(self) -> list[str]:
        """What the class says of its size, where it yields another."""
        counted, said = len(self._held.items), self._held.said
        if said == counted:
            return []
        return [f"{self._name} says that it has {said} recordings, and yields {counted}."]

    @property
    def revision(self) -> str:
        whole = "\n".join(f"{self._called(*each[:2])}\t{each[1]}" for each in self._held.pairs)
        digits = blake2b(whole.encode("utf-8", "replace"), digest_size=4).hexdigest()
        return f"{parts_of(self.code)[1]}@{digits}"

    @property
    def _name(self) -> str:
        return called(self.code)

    @cached_property
    def _held(self) -> Held:
        shelf = Shelf(self.code, DATASETS)
        with shelf.open(), redirect_stdout(sys.stderr):
            made = self._made(import_object(self.code, shelf.reads_as))
            self._run("load", lambda: made.load(self.root) if self.root else made.load())
            items = self._run("__iter__", lambda: list(made))
            said = self._run("__len__", lambda: len(made))
        labels = [str(each) for each in getattr(made, "emotion_labels", None) or ()]
        return Held(items, said, labels)

    def _made(self, found: Any) -> Any:
        missing = [each for each in ("load", "__iter__", "__len__") if not hasattr(found, each)]
        if missing or not inspect.isclass(found):
            raise SpecError(
                f"{self._name} is no dataset: a class with load(data_dir), __iter__ and __len__ is."
            )
        wanted = inspect.signature(found)
        try:
            wanted.bind(**self.arguments)
        except TypeError as error:
            takes = ", ".join((PLACE, *OURS, *wanted.parameters))
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error
        return self._run("__init__", lambda: found(**self.arguments))

    def _run(self, what: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            hint = "" if self.root else f" Give its folder with -T {PLACE}=DIR."
            raise DataError(
                f"{what} of {self._name} raised {type(error).__name__}: {told(error)}.{hint}"
            ) from error

    def _sample(self, at: int, item: Any) -> Sample | Rejected:
        origin = f"{self._name}[{at}]"
        if not is_pair(item):
            return Rejected(origin, f"(audio_path, emotion_label) is due, not {item!r:.80}")
        path, label = os.fspath(item[0]), str(item[1])
        labels = self._held.known
        if label not in labels:
            return Rejected(origin, f"the emotion {label!r} is none of {', '.join(labels)}")
        audio = Audio.of(str(self._placed(path)))
        asked = {"question": self.question, "options": ", ".join(labels), "choices": labels}
        return Sample(
            id=self._called(path, label),
            inputs={"audio": audio, **asked},
            target=label,
            origin=origin,
        )

    def _placed(self, path: str) -> Path:
        """As the class means it: from here, or else from its folder."""
        here = Path(path)
        return here if here.exists() or not self.root else Path(self.root) / path

    def _called(self, path: Any, _label: Any = "") -> str:
        """A sample's id: its path, from the dataset's folder on."""
        text = Path(os.fspath(path)).as_posix()
        return text.removeprefix(f"{Path(self.root).as_posix()}/") if self.root else text


@dataclass(frozen=True)
class Held:
    """What a class yielded, how many it says there are, and its labels."""

    items: Sequence[Any]
    said: int
    labels: Sequence[str]

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        return [each for each in self.items if is_pair(each)]

    @cached_property
    def known(self) -> list[str]:
        """The class's own labels in its order; without any, those that occur."""
        return list(self.labels) or sorted({str(label) for _, label, *_ in self.pairs})


def is_pair(item: Any) -> bool:
    return (
        isinstance(item, (tuple, list))
        and len(item) >= 2
        and isinstance(item[0], (str, os.PathLike))
        and isinstance(item[1], str)
    )


def _sound(sample: Sample) -> Audio:
    sound = sample.inputs["audio"]
    assert isinstance(sound, Audio)
    return sound
