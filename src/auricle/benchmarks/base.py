"""The `Benchmark` class: a declaration of a published benchmark that becomes a task.

A benchmark declares where its data comes from and how its rows are read. Prompts, metrics, few-shot examples, `-T`
options, `auricle data check` and `auricle data prepare` come from its task kind:

    def _read(root: Path, part: BenchmarkPart) -> Items:
        folder = find_below(root, "MyCorpus", "")         # the folder of the archive, or its contents
        for line in read_lines(folder / f"{part['split']}.txt"):
            name, text = line.split(maxsplit=1)
            yield make_item(name, folder / f"{name}.wav", text, speaker=name[:4])

    MY_CORPUS = Benchmark(
        # the name as in tasks/catalogue.py; the kind is asr, translate, mcq, qa, open, chat, classify or emotion
        **about("my-corpus", "My Corpus", "asr", language="en", licence="CC BY 4.0"),
        source="openslr.org/999",
        citation="Author et al., Conference 2026",
        splits={"test": 1234, "dev": None},               # the first is the default; None: size unknown
        layout="test.txt beside NAME.wav",                # shown when a folder does not match
        read=_read,
        hub=HubDataset("someone/my-corpus", "0123…", locate=lambda part: (None, part["split"]), convert_row=_convert),
        task_options={"cluster": "speaker"},              # defaults for `-T` options of the kind
    )

Rules: ids are those of the corpus and unique within a split. The order is that of the corpus or sorted, never that of
a directory listing. A size that is not certain is None. A reader raises `not_found_error` if a file is missing. Readers
and their helpers, such as `find_below`, are in `sources`.
Parts other than split and language are declared as `options`, the first value being the default: `{"subset": ("mini",
"full")}` is selected with `-T subset=full` and passed as `part["subset"]`. Parts of which several can be chosen are
declared as `selections`: `-T speakers=0011,0012`. Task options may depend on the part:
`part_options=lambda part: {"metrics": …}`. Readers for common layouts: `convert_table` for tables in any format,
`iter_labelled_files` for a folder per label, `iter_segments` for long recordings with segments, and `read_by_name` for
corpora whose file names contain the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from auricle.benchmarks.contamination import find_contamination
from auricle.benchmarks.sources import ArchiveSamples, BenchmarkPart, HubSamples, Item, Items
from auricle.core.arguments import Argument, describe_arguments
from auricle.core.errors import SpecError
from auricle.core.types import Json
from auricle.data.huggingface import HF_PREFIX
from auricle.data.manifest import Manifest
from auricle.engine.catalogue import TASKS
from auricle.engine.task import Task
from auricle.engine.task_options import Provenance

HUB, DISK = "hf", "disk"
LOCATION_OPTIONS = ("root", "copy", "revision")
"""Options that select where rows are read from."""


class About(TypedDict):
    """The fields of a `Benchmark` that identify it."""

    name: str
    title: str
    kind: str
    language: str
    licence: str


def about(name: str, title: str, kind: str, *, language: str = "", licence: str = "") -> About:
    """Return the fields that identify a benchmark: `Benchmark(**about("my-corpus", …), …)`."""
    return About(name=name, title=title, kind=kind, language=language, licence=licence)


def make_item(
    id: str,  # noqa: A002 - the column name
    audio: object,
    target: Any,
    *,
    span: tuple[float, float] | None = None,
    question: str = "",
    choices: Sequence[str] = (),
    **meta: Json,
) -> Item:
    """Build a row with the columns of a manifest.

    Args:
        id: Id of the corpus.
        audio: Path or Hugging Face audio, or a list of them.
        target: The correct answer.
        span: Start and end in seconds, if only part of the audio is used.
        question: The question, if rows have their own.
        choices: The options, if rows have their own.
        **meta: Metadata; empty values are dropped.
    """
    row: Item = {"id": id, "audio": _paths_to_text(audio), "target": target}
    if span:
        row["start"], row["end"] = span
    if question:
        row["question"] = question
    if choices:
        row["choices"] = list(choices)
    meta = {name: value for name, value in meta.items() if value not in (None, "")}
    return {**row, "meta": meta} if meta else row


def locate_language(part: BenchmarkPart) -> tuple[str, str]:
    """Return the configuration and split of a copy with one configuration per language."""
    return part["language"], hub_split(part)


def hub_split(part: BenchmarkPart) -> str:
    """Return the usual name of a split on Hugging Face, where `dev` is called `validation`."""
    return {"dev": "validation"}.get(part["split"], part["split"])


@dataclass(frozen=True)
class HubDataset:
    """A copy of a benchmark on Hugging Face: its name, its revision and how its rows are converted."""

    name: str
    revision: str | None
    locate: Callable[[BenchmarkPart], tuple[str | None, str]]
    """Returns the configuration and the split of a part; several splits are joined with `+`."""
    convert_row: Callable[[Mapping[str, Any]], Item | None]
    """Converts a row, or returns None to skip it. A KeyError is reported as a missing column."""
    row_filter: Callable[[BenchmarkPart], Mapping[str, Any]] = lambda _part: {}
    """Returns the column values that select the rows of a part, if one split contains several parts."""
    files: str = ""
    """Pattern of a split's files, such as `{config}/{split}/*.parquet`. By default, all files are downloaded."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A published benchmark. Calling it with `-T` options returns a task."""

    name: str
    title: str
    kind: str
    licence: str = ""
    source: str
    """Official source of the archive, without the URL scheme."""
    citation: str = ""
    """The publication to cite."""
    splits: Mapping[str, int | None]
    """Number of rows of each split, or None if it is not published. The first split is the default."""
    layout: str
    read: Callable[[Path, BenchmarkPart], Items]
    """Reads the rows of a part from the unpacked archive."""
    language: str = ""
    """The language, as a two-letter code; the default one if there are several."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """The corpus's language codes and the usual code of each. Either is accepted."""
    any_language: bool = False
    """Whether any language code is accepted and left to the reader to find."""
    hub: HubDataset | None = None
    options: Mapping[str, Sequence[str]] = field(default_factory=dict)
    selections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Options that select any number of values, separated by commas. By default, the reader decides."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Number of rows by `split/language` and further option values, where a split has several parts."""
    count_labels: Callable[[BenchmarkPart], Mapping[str, int]] | None = None
    """Returns the number of rows of each label of a part, if published; a total alone has an empty label."""
    describe_part: Callable[[BenchmarkPart], Sequence[str]] | None = None
    """Returns the words that distinguish a part in names. By default, the values of its options."""
    task_options: Mapping[str, Any] = field(default_factory=dict)
    part_options: Callable[[BenchmarkPart], Mapping[str, Any]] = lambda _part: {}
    """Returns the task options of a part; they override `task_options`."""
    version: int | str = 1

    def __call__(self, **arguments: Any) -> Task:
        """Build the task of the part that the options select."""
        part, rest = self.resolve_part(arguments)
        if rest.get("data"):  # a manifest of the benchmark, prepared by Auricle or another framework
            location = {"root": rest.get("root")}
        else:
            root, copy, revision = (rest.pop(name, None) for name in LOCATION_OPTIONS)
            location = {"data": self.source, "reader": self._make_reader(part, root, copy, revision)}
        task: Task = TASKS.get(self.kind)(**self.task_arguments(part, rest), **location)
        return replace(task, find_contamination=partial(find_contamination, self.name))

    @property
    def provenance(self) -> Provenance:
        """Where the data comes from and how it may be used."""
        return Provenance(
            description=self.title,
            version=self.version,
            source=self.source,
            citation=self.citation,
            licence=self.licence,
            languages=() if self.any_language else self._list_languages(),
        )

    def task_arguments(self, part: BenchmarkPart, rest: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the task kind for a part; a prepared manifest needs the same ones."""
        arguments = {
            "name": "-".join([self.name, *self.part_labels(part)]),
            "language": self.languages.get(part["language"], part["language"]),
            **{name: getattr(self, name) for name in ("version", "licence", "citation")},
            **self.task_options,
            **self.part_options(part),
            **rest,
        }
        return {name: value for name, value in arguments.items() if name not in LOCATION_OPTIONS}

    def prepared_task(self, manifest: str, arguments: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Return the words and the task arguments of `auricle run` for a prepared manifest of this benchmark."""
        return [manifest, "--as", self.kind], self.task_arguments(*self.resolve_part(arguments))

    def resolve_part(self, arguments: Mapping[str, Any]) -> tuple[BenchmarkPart, dict[str, Any]]:
        """Return the part that the arguments select, and the remaining arguments."""
        rest = dict(arguments)
        part = {"split": self._check_choice("split", rest.pop("split", ""), tuple(self.splits))}
        part["language"] = self._resolve_language(rest.pop("language", ""))
        for name, choices in self.options.items():
            part[name] = self._check_choice(name, rest.pop(name, ""), choices)
        for name, choices in self.selections.items():
            part[name] = self._check_selection(name, rest.pop(name, ""), choices)
        return part, rest

    def expected_rows(self, part: BenchmarkPart) -> int | None:
        """Return the published number of rows of a part, or None."""
        if self.count_labels:
            return sum(self.count_labels(part).values()) or None
        count = self.counts.get("/".join([part["split"], *self._extra_labels(part)]))
        return count if count is not None or self.counts else self.splits.get(part["split"])

    def part_labels(self, part: BenchmarkPart) -> list[str]:
        """Return the words that distinguish a part from other parts."""
        if self.describe_part:
            return list(self.describe_part(part))
        split = [part["split"]] if len(self.splits) > 1 else []
        return [*split, *self._extra_labels(part)]

    def _list_languages(self) -> tuple[str, ...]:
        codes = self.languages.values() or [self.language]
        return tuple(dict.fromkeys(filter(None, codes)))

    def _extra_labels(self, part: BenchmarkPart) -> list[str]:
        language = [part["language"]] if self.any_language or len(self.languages) > 1 else []
        return [*language, *(part[name] for name in self.options if part[name])]

    def _make_reader(self, part: BenchmarkPart, root: Any, copy: Any, revision: str | None) -> Callable[..., Manifest]:
        """Return a function that builds the samples, given the columns and transform of the task kind."""
        copy = str(copy or (DISK if root or not self.hub else HUB))
        if self.hub and (copy == HUB or copy.startswith(HF_PREFIX)):
            other = {"name": copy.removeprefix(HF_PREFIX)} if copy != HUB else {}  # a mirror or a local folder
            pinned = revision if other else revision or self.hub.revision
            return partial(HubSamples.from_hub, self, part, replace(self.hub, revision=pinned, **other))
        if copy != DISK:
            raise self._invalid_option("copy", copy, f"expected {'disk, hf or hf:NAME' if self.hub else 'disk'}")
        if not root:
            raise SpecError(
                f"{self.name} needs the folder of its archive: `auricle run {self.name} -T root=DIR -m MODEL`. "
                f"Get {self.title} from {self.source}.",
                location=("root",),
            )
        folder = Path(str(root)).expanduser()
        return lambda **settings: ArchiveSamples(Path(self.name), **{**settings, "root": folder}, bench=self, part=part)

    def describe_arguments(self) -> list[Argument]:
        """Describe the options: first where rows are read from and which, then those of the task kind."""
        own = [*self._describe_location(), *self._describe_part()]
        names = {argument.name for argument in own}
        of_kind = (argument for argument in describe_arguments(TASKS.get(self.kind)) if argument.name not in names)
        return [*own, *(replace(argument, is_required=False, is_common=False) for argument in of_kind)]

    def _describe_location(self) -> list[Argument]:
        text = f"The folder of the archive from {self.source}. Expected {self.layout}."
        root = Argument("root", "folder", help=text, is_required=not self.hub)
        if not self.hub:
            return [root]
        copy_text = f"Where rows are read from: a folder, or Hugging Face ({self.hub.name}) if no folder is set."
        return [
            root,
            Argument("copy", "choice", choices=(DISK, HUB), accepts_others=True, help=copy_text, is_common=False),
            Argument("revision", help="Revision on Hugging Face.", default=self.hub.revision, is_common=False),
        ]

    def _describe_part(self) -> list[Argument]:
        language = Argument("language", default=self.language, is_common=self.any_language)
        if self.languages:
            language = Argument("language", "choice", self._resolve_language(""), tuple(self.languages))
        choices = {"split": self.splits, **self.options}
        split, *options = (Argument(name, "choice", next(iter(of)), tuple(of)) for name, of in choices.items())
        return [
            split,
            language,
            *options,
            *(Argument(n, "several", "", tuple(of)) for n, of in self.selections.items()),
        ]

    def _check_choice(self, option: str, value: object, choices: Sequence[str]) -> str:
        """Return the value of an option, checked against its choices if there are any."""
        chosen = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        chosen = chosen or (choices[0] if choices else "")
        if not choices or chosen in choices:
            return chosen
        if chosen.lower() not in choices:
            raise self._invalid_option(option, chosen, f"expected one of {', '.join(choices)}")
        return chosen.lower()

    def _check_selection(self, option: str, value: object, choices: Sequence[str]) -> str:
        """Return the chosen values, separated by commas; leading zeros, which YAML drops, may be left out."""
        values = value if isinstance(value, (list, tuple)) else str(value).split(",")
        by_number = {choice.lstrip("0"): choice for choice in choices}
        chosen = []
        for text in filter(None, (str(item).strip() for item in values)):
            if (choice := by_number.get(text.lstrip("0"))) is None:
                raise self._invalid_option(option, text, f"expected any of {', '.join(choices)}")
            chosen.append(choice)
        return ",".join(dict.fromkeys(chosen))

    def _invalid_option(self, option: str, value: str, expected: str) -> SpecError:
        return SpecError(f"{self.name}: invalid {option} {value!r}: {expected}.", location=(option,))

    def _resolve_language(self, value: object) -> str:
        """Return the corpus's code of a language."""
        language = str(value) or self.language
        own_codes = [own_code for own_code, usual_code in self.languages.items() if usual_code == language]
        code = language if language in self.languages or not own_codes else own_codes[0]
        if code in self.languages or code == self.language or self.any_language or not value:
            return code
        codes = list(self.languages) or ([self.language] if self.language else [])
        expected = f"expected one of {', '.join(codes)}" if codes else "this benchmark has no languages to choose from"
        raise self._invalid_option("language", language, expected)


def _paths_to_text(audio: object) -> Any:
    """Convert paths to text, as in manifests."""
    if isinstance(audio, (list, tuple)):
        return [_paths_to_text(path) for path in audio]
    return str(audio) if isinstance(audio, Path) else audio
