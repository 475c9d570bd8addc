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
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import Manifest
from auricle.tasks.base import Task
from auricle.tasks.benchmarks.sources import (
    HUB_ROW,
    HUB_SPLIT,
    ArchiveSamples,
    BenchmarkPart,
    HubSamples,
    Item,
    Items,
    find_below,
    not_found_error,
    read_lines,
    read_table,
)
from auricle.tasks.catalogue import TASKS

__all__ = [
    "HUB_ROW",
    "HUB_SPLIT",
    "Benchmark",
    "BenchmarkPart",
    "HubDataset",
    "Item",
    "Items",
    "find_below",
    "make_item",
    "not_found_error",
    "read_lines",
    "read_table",
]
HUB, DISK = "hf", "disk"
SOURCES = (DISK, HUB)
LOCATION_OPTIONS = ("root", "source", "revision")
"""Options that say where rows are, and nothing of what is asked."""


def make_item(
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
    row: Item = {"id": id, "audio": _paths_to_text(audio), "target": target}
    if span:
        row["start"], row["end"] = span
    if question:
        row["question"] = question
    if choices:
        row["choices"] = list(choices)
    known = {name: value for name, value in meta.items() if value not in (None, "")}
    return {**row, "meta": known} if known else row


@dataclass(frozen=True)
class HubDataset:
    """A copy on Hugging Face: its name and revision, and what its rows mean."""

    name: str
    revision: str | None
    locate: Callable[[BenchmarkPart], tuple[str | None, str]]
    """The configuration and the split that hold a part; several splits as `one+another`."""
    convert_row: Callable[[Mapping[str, Any]], Item | None]
    """A row of theirs as a row of ours, or None for one that does not count.

    A KeyError is told as a column that is not there.
    """
    row_filter: Callable[[BenchmarkPart], Mapping[str, Any]] = lambda _part: {}
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
    read: Callable[[Path, BenchmarkPart], Items]
    """Rows of the official archive unpacked in a folder."""
    language: str = ""
    """What is spoken, as a two-letter code; the default where there are several."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """The corpus's own codes, and the usual code of each; either may be asked for."""
    any_language: bool = False
    """Are there more than are named here? What is asked for then is for the reader to find."""
    hub: HubDataset | None = None
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """Rows by `split/language` or with the values of further options, where a split has several."""
    task_options: Mapping[str, Any] = field(default_factory=dict)
    part_options: Callable[[BenchmarkPart], Mapping[str, Any]] = lambda _part: {}
    """What is asked of a part in particular, over `asking`."""
    version: int = 1

    def __call__(self, **arguments: Any) -> Task:
        """The task that `-T` options make of it."""
        part, rest = self.resolve_part(arguments)
        if rest.get("data"):  # a manifest of it: prepared here, or by another framework
            made = {"root": rest.get("root")}
        else:
            place = RowSource.from_options(self, rest)
            made = {"data": self.source, "reader": place.make_reader(self, part)}
        found: Task = TASKS.get(self.kind)(**self.task_arguments(part, rest), **made)
        return replace(found, version=self.version)

    def task_arguments(self, part: BenchmarkPart, rest: Mapping[str, Any]) -> dict[str, Any]:
        """What the kind of task is told of a part: also what makes a prepared manifest equal."""
        told = {
            "name": "-".join([self.name, *self.part_labels(part)]),
            "language": self.languages.get(part["language"], part["language"]),
            "licence": self.licence,
            **self.task_options,
            **self.part_options(part),
            **rest,
        }
        return {name: value for name, value in told.items() if name not in LOCATION_OPTIONS}

    def resolve_part(self, arguments: Mapping[str, Any]) -> tuple[BenchmarkPart, dict[str, Any]]:
        """Which part is asked for, and the options that say nothing of that."""
        rest = dict(arguments)
        part = {"split": self._check_choice("split", rest.pop("split", ""), tuple(self.splits))}
        part["language"] = self._resolve_language(rest.pop("language", ""))
        for name, known in self.options.items():
            part[name] = self._check_choice(name, rest.pop(name, ""), known)
        return part, rest

    def expected_rows(self, part: BenchmarkPart) -> int | None:
        """How many rows a part has, where that is published."""
        known = self.counts.get("/".join([part["split"], *self._extra_labels(part)]))
        return known if known is not None or self.counts else self.splits[part["split"]]

    def part_labels(self, part: BenchmarkPart) -> list[str]:
        """The words that tell a part from others: nothing where there is one."""
        split = [part["split"]] if len(self.splits) > 1 else []
        return [*split, *self._extra_labels(part)]

    def _extra_labels(self, part: BenchmarkPart) -> list[str]:
        several = [part["language"]] if self.any_language or len(self.languages) > 1 else []
        return [*several, *(part[name] for name in self.options if part[name])]

    def _check_choice(self, option: str, value: object, choices: Sequence[str]) -> str:
        """A value among those an option knows; without any known, whatever is said."""
        said = str(value) or (choices[0] if choices else "")
        if choices and said not in choices:
            raise SpecError(f"{self.name}: {option} is one of {', '.join(choices)}, not {said!r}.", location=(option,))
        return said

    def _resolve_language(self, value: object) -> str:
        """The corpus's own code of a language."""
        said = str(value) or self.language
        if said in self.languages or self.any_language or not value:
            return self._corpus_code(said)
        own = self._corpus_code(said)
        if own in self.languages or own == self.language:
            return own
        named = list(self.languages) or [each for each in (self.language,) if each]
        told = f"language is one of {', '.join(named)}" if named else "language cannot be chosen"
        raise SpecError(f"{self.name}: {told}, not {said!r}.", location=("language",))

    def _corpus_code(self, language: str) -> str:
        """The corpus's own code of a language that may be said by its usual one."""
        if language in self.languages:
            return language
        return next((own for own, code in self.languages.items() if code == language), language)


@dataclass(frozen=True)
class RowSource:
    """Where a benchmark's rows are: in a folder, or on Hugging Face."""

    root: Path | None
    hub: HubDataset | None

    @classmethod
    def from_options(cls, bench: Benchmark, options: dict[str, Any]) -> RowSource:
        """Take `root`, `source` and `revision` out of what was asked for."""
        root = options.pop("root", None)
        revision = options.pop("revision", None)
        source = str(options.pop("source", None) or (DISK if root or not bench.hub else HUB))
        name = source.removeprefix(HF_PREFIX)
        if source != name and bench.hub:  # another copy: a mirror, or a folder
            return cls(None, replace(bench.hub, name=name, revision=revision))
        if source not in SOURCES or (source == HUB and not bench.hub):
            known = "disk, hf or hf:COPY" if bench.hub else "disk"
            raise SpecError(f"{bench.name}: source is {known}, not {source!r}.", location=("source",))
        if source == HUB and bench.hub:
            hub = replace(bench.hub, revision=revision) if revision else bench.hub
            return cls(None, hub)
        if not root:
            raise SpecError(
                f"{bench.name} needs its folder: `auricle run {bench.name} -T root=DIR -m MODEL`. "
                f"{bench.title} comes from {bench.source}.",
                location=("root",),
            )
        return cls(Path(str(root)).expanduser(), None)

    def make_reader(self, bench: Benchmark, part: BenchmarkPart) -> Callable[..., Manifest]:
        """What makes samples of the rows, once the kind says what columns mean."""

        def make(**how: Any) -> Manifest:
            if self.hub is None:
                return ArchiveSamples(Path(bench.name), **{**how, "root": self.root}, bench=bench, part=part)
            config, split = self.hub.locate(part)
            where: dict[str, Any] = {
                "config": config,
                "split": split,
                "pinned": self.hub.revision,
                "files": self.hub.files,
            }
            path = Path(f"{HF_PREFIX}{self.hub.name}")
            return HubSamples(path, **how, **where, bench=bench, part=part, hub=self.hub)

        return make


def _paths_to_text(audio: object) -> Any:
    """Paths as text, as manifests have them."""
    if isinstance(audio, (list, tuple)):
        return [_paths_to_text(each) for each in audio]
    return str(audio) if isinstance(audio, Path) else audio
