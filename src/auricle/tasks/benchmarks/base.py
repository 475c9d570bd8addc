"""What a published benchmark is, and how an entry of the catalogue is written.

An entry says what is published, and how one row is found; everything else (prompts, metrics,
shots, `-T` options, `auricle data check` and `prepare`) comes from its kind of task:

    def _read(root: Path, part: Part) -> Items:
        folder = below(root, "MyCorpus", "")       # the archive's folder, or what is inside
        for line in lines(folder / f"{part['split']}.txt"):
            name, text = line.split(maxsplit=1)
            yield item(name, folder / f"{name}.wav", text, speaker=name[:4])

    MY_CORPUS = Benchmark(
        name="my-corpus",                   # as in catalogue/tasks.py
        title="My Corpus",
        kind="asr",                         # asr, translate, mcq, qa, open, classify
        language="en",
        licence="CC BY 4.0",
        source="openslr.org/999",
        splits={"test": 1234, "dev": None},   # the first is the default; None: not known for sure
        layout="test.txt beside NAME.wav",  # what is looked for, told to whoever gave a wrong root
        read=_read,
        hub=Hub("someone/my-corpus", "0123…", at=lambda part: (None, part["split"]), item=_item),
        asking={"cluster": "speaker"},      # options of the kind, as `-T` takes them
    )

Rules: ids are the corpus's own and unique within a split; the order is the corpus's own or
sorted, never a folder's; a number that is not known for sure is None. A reader raises what
`missing` makes where nothing is found. Rows that differ by more than split and language have
further `options`, each with its values, the first being the default: `{"subset": ("mini",
"full")}` is taken as `-T subset=full` and stands in `part["subset"]`. What is asked may depend
on the part: `settle=lambda part: {"metrics": …}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.types import Json
from auricle.data.huggingface import PREFIX
from auricle.data.manifest import Manifest
from auricle.tasks.base import Task
from auricle.tasks.benchmarks.sources import (
    HUB_ROW,
    HUB_SPLIT,
    Item,
    Items,
    OnDisk,
    OnHub,
    Part,
    below,
    lines,
    missing,
    table,
)
from auricle.tasks.catalogue import TASKS

__all__ = [
    "HUB_ROW",
    "HUB_SPLIT",
    "Benchmark",
    "Hub",
    "Item",
    "Items",
    "Part",
    "below",
    "item",
    "lines",
    "missing",
    "table",
]
HUB, DISK = "hf", "disk"
SOURCES = (DISK, HUB)
PLACE = ("root", "source", "revision")
"""Options that say where rows are, and nothing of what is asked."""


def item(
    id: str,  # noqa: A002 - what a manifest calls it
    audio: object,
    target: Any,
    *,
    span: tuple[float, float] | None = None,
    question: str = "",
    choices: Sequence[str] = (),
    **meta: Json,
) -> Item:
    """A row: a sound, or several, or seconds of one; the right answer; what else is known."""
    row: Item = {"id": id, "audio": _placeable(audio), "target": target}
    if span:
        row["start"], row["end"] = span
    if question:
        row["question"] = question
    if choices:
        row["choices"] = list(choices)
    known = {name: value for name, value in meta.items() if value not in (None, "")}
    return {**row, "meta": known} if known else row


@dataclass(frozen=True)
class Hub:
    """A copy on Hugging Face: its name and revision, and what its rows mean."""

    name: str
    revision: str | None
    at: Callable[[Part], tuple[str | None, str]]
    """The configuration and the split that hold a part; several splits as `one+another`."""
    item: Callable[[Mapping[str, Any]], Item | None]
    """A row of theirs as a row of ours, or None for one that does not count.

    A KeyError is told as a column that is not there.
    """
    only: Callable[[Part], Mapping[str, Any]] = lambda _part: {}
    """What columns of theirs hold in rows of a part, where one split has several parts."""
    files: str = ""
    """A split's own files, such as `{config}/{split}/*.parquet`; without, all of them come."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """What is published of a benchmark; called with `-T` options, it is a task."""

    name: str
    title: str
    kind: str
    licence: str
    source: str
    """Where the archive is officially from, without a scheme."""
    splits: Mapping[str, int | None]
    """Rows in each, where that is published; the first is the default."""
    layout: str
    read: Callable[[Path, Part], Items]
    """Rows of the official archive unpacked in a folder."""
    language: str = ""
    """What is spoken, as a two-letter code; the default where there are several."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """The corpus's own codes, and the usual code of each; either may be asked for."""
    any_language: bool = False
    """Are there more than are named here? What is asked for then is for the reader to find."""
    hub: Hub | None = None
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows by `split/language` or with the values of further options, where a split has several."""
    asking: Mapping[str, Any] = field(default_factory=dict)
    settle: Callable[[Part], Mapping[str, Any]] = lambda _part: {}
    """What is asked of a part in particular, over `asking`."""
    version: int = 1

    def __call__(self, **given: Any) -> Task:
        """The task that `-T` options make of it."""
        part, rest = self.part(given)
        if rest.get("data"):  # a manifest of it: prepared here, or by another framework
            made = {"root": rest.get("root")}
        else:
            place = Place.of(self, rest)
            made = {"data": self.source, "reader": place.reader(self, part)}
        found: Task = TASKS.get(self.kind)(**self.recipe(part, rest), **made)
        return replace(found, version=self.version)

    def recipe(self, part: Part, rest: Mapping[str, Any]) -> dict[str, Any]:
        """What the kind of task is told of a part: also what makes a prepared manifest equal."""
        told = {
            "name": "-".join([self.name, *self.told(part)]),
            "language": self.languages.get(part["language"], part["language"]),
            "licence": self.licence,
            **self.asking,
            **self.settle(part),
            **rest,
        }
        return {name: value for name, value in told.items() if name not in PLACE}

    def part(self, given: Mapping[str, Any]) -> tuple[Part, dict[str, Any]]:
        """Which part is asked for, and the options that say nothing of that."""
        rest = dict(given)
        part = {"split": self._chosen("split", rest.pop("split", ""), tuple(self.splits))}
        part["language"] = self._language(rest.pop("language", ""))
        for name, known in self.options.items():
            part[name] = self._chosen(name, rest.pop(name, ""), known)
        return part, rest

    def expected(self, part: Part) -> int | None:
        """How many rows a part has, where that is published."""
        known = self.counts.get("/".join([part["split"], *self._further(part)]))
        return known if known is not None or self.counts else self.splits[part["split"]]

    def told(self, part: Part) -> list[str]:
        """The words that tell a part from others: nothing where there is one."""
        split = [part["split"]] if len(self.splits) > 1 else []
        return [*split, *self._further(part)]

    def _further(self, part: Part) -> list[str]:
        several = [part["language"]] if self.any_language or len(self.languages) > 1 else []
        return [*several, *(part[name] for name in self.options if part[name])]

    def _chosen(self, option: str, value: object, known: Sequence[str]) -> str:
        """A value among those an option knows; without any known, whatever is said."""
        said = str(value) or (known[0] if known else "")
        if known and said not in known:
            raise SpecError(
                f"{self.name}: {option} is one of {', '.join(known)}, not {said!r}.",
                where=(option,),
            )
        return said

    def _language(self, value: object) -> str:
        """The corpus's own code of a language."""
        said = str(value) or self.language
        if said in self.languages or self.any_language or not value:
            return self._own(said)
        own = self._own(said)
        if own in self.languages or own == self.language:
            return own
        named = list(self.languages) or [each for each in (self.language,) if each]
        told = f"language is one of {', '.join(named)}" if named else "language cannot be chosen"
        raise SpecError(f"{self.name}: {told}, not {said!r}.", where=("language",))

    def _own(self, said: str) -> str:
        """The corpus's own code of a language that may be said by its usual one."""
        if said in self.languages:
            return said
        return next((own for own, code in self.languages.items() if code == said), said)


@dataclass(frozen=True)
class Place:
    """Where a benchmark's rows are: in a folder, or on Hugging Face."""

    root: Path | None
    hub: Hub | None

    @classmethod
    def of(cls, bench: Benchmark, rest: dict[str, Any]) -> Place:
        """Take `root`, `source` and `revision` out of what was asked for."""
        root = rest.pop("root", None)
        revision = rest.pop("revision", None)
        source = str(rest.pop("source", None) or (DISK if root or not bench.hub else HUB))
        name = source.removeprefix(PREFIX)
        if source != name and bench.hub:  # another copy: a mirror, or a folder
            return cls(None, replace(bench.hub, name=name, revision=revision))
        if source not in SOURCES or (source == HUB and not bench.hub):
            known = "disk, hf or hf:COPY" if bench.hub else "disk"
            raise SpecError(f"{bench.name}: source is {known}, not {source!r}.", where=("source",))
        if source == HUB and bench.hub:
            hub = replace(bench.hub, revision=revision) if revision else bench.hub
            return cls(None, hub)
        if not root:
            raise SpecError(
                f"{bench.name} needs its folder: `auricle run {bench.name} -T root=DIR -m MODEL`. "
                f"{bench.title} comes from {bench.source}.",
                where=("root",),
            )
        return cls(Path(str(root)).expanduser(), None)

    def reader(self, bench: Benchmark, part: Part) -> Callable[..., Manifest]:
        """What makes samples of the rows, once the kind says what columns mean."""

        def make(**how: Any) -> Manifest:
            if self.hub is None:
                return OnDisk(
                    Path(bench.name), **{**how, "root": self.root}, bench=bench, part=part
                )
            config, split = self.hub.at(part)
            where: dict[str, Any] = {
                "config": config,
                "split": split,
                "pinned": self.hub.revision,
                "files": self.hub.files,
            }
            path = Path(f"{PREFIX}{self.hub.name}")
            return OnHub(path, **how, **where, bench=bench, part=part, hub=self.hub)

        return make


def _placeable(audio: object) -> Any:
    """Paths as text, as manifests have them."""
    if isinstance(audio, (list, tuple)):
        return [_placeable(each) for each in audio]
    return str(audio) if isinstance(audio, Path) else audio
