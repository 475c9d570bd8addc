"""Docs of a task and what is asked about each: samples, made by the functions the YAML names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError, MissingExtra, SampleError, SpecError
from auricle.core.types import Input, Json, Rejected, Sample, Turn
from auricle.data.huggingface import PREFIX, HuggingFace
from auricle.data.manifest import Fields, Manifest
from auricle.data.rows import READERS, Row
from auricle.interop.lmms.config_reader import Config, Function
from auricle.interop.lmms.media import is_medium, lent, part_of, turns_of
from auricle.interop.lmms.requests import text_of

LOCAL = ("json", "csv", "parquet")
"""Names that stand for files on this disk, and for no dataset."""
BUILDERS = ("text", "arrow", "pandas", "audiofolder", "imagefolder", "videofolder", "webdataset")
SIMPLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class Asking:
    """What a task's fields make of a doc."""

    config: Config
    specific: Any
    """`lmms_eval_specific_kwargs`, of the model that was named or of any."""
    root: Path

    def sample(self, at: int, row: Row) -> Sample:
        doc = {name: lent(value, self.root) for name, value in row.values.items()}
        turns = self.turns(dict(doc))  # a function may write into its doc, and lose that again
        inputs: dict[str, Input] = {"turns": turns, "question": _question(turns)}
        if self.config.get("doc_to_choice") is not None:
            inputs["choices"] = [str(each) for each in self.choices(dict(doc))]
        if self.config.get("output_type") == "generate_until_multi_round":
            inputs |= {name: value.audio for name, value in doc.items() if hasattr(value, "audio")}
        return Sample(
            id=str(at),
            inputs=inputs,
            target=self.target(dict(doc)),
            meta=_meta(doc),
            origin=row.origin,
        )

    # --- fields -------------------------------------------------------------------------

    def turns(self, doc: dict[str, Any]) -> tuple[Turn, ...]:
        """What is said: by `doc_to_messages`, or what is seen and heard before the text."""
        said = self.config.callable("doc_to_messages")
        if said is None:
            seen = [part_of(each, self.root) for each in self.visuals(doc)]
            return (Turn("user", (*seen, self.text(doc))),)
        named = {}
        if self.specific is not None and (
            said.takes("lmms_eval_specific_kwargs") or len(said.parameters) == 2
        ):
            named["lmms_eval_specific_kwargs"] = self.specific
        return turns_of(said(doc, **named), self.root)

    def visuals(self, doc: dict[str, Any]) -> list[Any]:
        given = self.config.get("doc_to_visual")
        if given is None:
            return []
        if isinstance(given, str):
            return [self._column("doc_to_visual", given, doc)]
        function = self.config.function(given)
        both = self.specific is not None and len(function.parameters) == 2
        found = function(doc, self.specific) if both else function(doc)
        if found is not None and not isinstance(found, (list, tuple)):
            raise SampleError(f"{function.name} should give a list, not {type(found).__name__}")
        return list(found or ())

    def text(self, doc: dict[str, Any]) -> str:
        before = self.config.get("description", "")
        given = self.config.get("doc_to_text", "")
        found = self._made("doc_to_text", given, doc, self.specific)
        if isinstance(found, int) and self.config.get("doc_to_choice") is not None:
            found = self.choices(doc)[found]
        if found is None:
            raise SampleError("doc_to_text gives None, and no text")
        return f"{rendered(before, doc) if before else ''}{found}"

    def target(self, doc: dict[str, Any]) -> Json:
        given = self.config.get("doc_to_target")
        if given is None:
            return None
        special = self.config.part("model_specific_target_kwargs").get("default")
        found = self._made("doc_to_target", given, doc, special)
        if isinstance(given, str) and given not in doc and isinstance(found, str):
            found = _literal(found, self.config.get("doc_to_choice") is not None)
        return _plain(found)

    def choices(self, doc: dict[str, Any]) -> list[Any]:
        given = self.config.get("doc_to_choice")
        if isinstance(given, Mapping):
            return list(given.values())
        found = self._made("doc_to_choice", given, doc, None)
        if isinstance(found, str):
            found = _literal(found, False)
        if not isinstance(found, (list, tuple)):
            raise SampleError(f"doc_to_choice should give a list, not {type(found).__name__}")
        return list(found)

    def _made(self, name: str, given: Any, doc: dict[str, Any], special: Any) -> Any:
        """What a field says of a doc: a column, a template, a function, or a value as it is."""
        if isinstance(given, str):
            return doc[given] if given in doc else rendered(given, doc)
        function = self.config.callable(name)
        if function is None:
            return given
        return function(doc) if special is None else function(doc, special)

    def _column(self, field: str, name: str, doc: Mapping[str, Any]) -> Any:
        if name not in doc:
            raise SampleError(f"{field} names the column {name!r}; there are {', '.join(doc)}")
        return doc[name]


def _question(turns: tuple[Turn, ...]) -> str:
    """What the user says, for whoever reads or judges the answers."""
    return text_of([turn for turn in turns if turn.role == "user"])


def rendered(template: str, doc: Mapping[str, Any]) -> str:
    """A template's text; one that only shows columns needs no Jinja."""
    if "{%" not in template and SIMPLE.sub("", template).count("{{") == 0:
        return SIMPLE.sub(lambda found: str(_shown(found[1], doc)), template)
    try:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import SandboxedEnvironment
    except ImportError as error:
        raise SpecError(
            f"The template {template!r:.80} needs Jinja: pip install jinja2."
        ) from error
    try:
        return SandboxedEnvironment(undefined=StrictUndefined).from_string(template).render(**doc)
    except TemplateError as error:
        raise SampleError(f"the template {template!r:.80} fails: {error}") from error


def _shown(name: str, doc: Mapping[str, Any]) -> Any:
    if name not in doc:
        raise SampleError(f"a template shows {name!r}; the columns are {', '.join(doc)}")
    return doc[name]


def _literal(text: str, number: bool) -> Any:
    """A list that a template wrote, or the place of an option."""
    import ast

    if (number and text.isdigit()) or (text[:1] == "[" and text[-1:] == "]"):
        try:
            return ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return text
    return text


def _plain(value: Any, name: str = "the target") -> Json:
    """A value that can be written down; numbers of other libraries as Python's own."""
    try:
        found: Json = orjson.loads(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY))
    except TypeError as error:
        raise SampleError(f"{name} cannot be written down: {error}") from error
    return found


def _meta(doc: Mapping[str, Any]) -> dict[str, Json]:
    """A doc without its media: all that is there when answers are scored."""
    kept = {name: value for name, value in doc.items() if not is_medium(value)}
    return {name: _plain(value, f"the column {name}") for name, value in kept.items()}


# --- where docs are ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Files(Manifest):
    """Docs of a file."""

    asking: Asking | None = None
    process: Function | None = None
    told: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | Rejected]:
        if self.process or self.path.suffix.lower() == ".json":
            name = self.path.name
            for at, values in self.taken(self._docs()):
                yield self.sample(at, Row(f"{name}:{at + 1}", values))
        else:
            yield from super().__iter__()

    def __len__(self) -> int:
        whole = self.process or self.path.suffix.lower() == ".json"
        return self.number(len(self._docs())) if whole else super().__len__()

    def notes(self) -> tuple[str, ...]:
        return self.told

    def _sample(self, at: int, row: Row) -> Sample:
        assert self.asking is not None
        return self.asking.sample(at, row)

    def _docs(self) -> list[dict[str, Any]]:
        found = _array(self.path)
        if self.process is None:
            return found
        try:
            import datasets
        except ImportError as error:
            raise MissingExtra(f"process_docs {self.process.name}", "huggingface") from error
        return [dict(each) for each in self.process(datasets.Dataset.from_list(found))]

    def _columns(self) -> str:
        if self.path.suffix.lower() != ".json":
            return super()._columns()
        return f"Columns found: {', '.join(next(iter(self._docs()), {}))}."


@dataclass(frozen=True)
class Hub(HuggingFace):
    """Docs of a dataset of the hub, or one saved in a folder."""

    asking: Asking | None = None
    process: Function | None = None
    told: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | Rejected]:
        for at, values in self.taken(self._dataset()):  # with what is null: functions look at it
            yield self.sample(at, Row(f"{self.name}:{self.split}:{at + 1}", values))

    def notes(self) -> tuple[str, ...]:
        return self.told

    def _sample(self, at: int, row: Row) -> Sample:
        assert self.asking is not None
        return self.asking.sample(at, row)

    def _dataset(self) -> Any:
        found = super()._dataset()
        return self.process(found) if self.process else found


def _array(path: Path) -> list[dict[str, Any]]:
    """All rows of a file at once: a JSON array, JSON lines, or any that are read row by row."""
    if path.suffix.lower() != ".json":
        from auricle.data.rows import rows

        return [dict(each.values) for each in rows(path) if isinstance(each, Row)]
    try:
        text = path.read_bytes()
        whole = text.lstrip()[:1] == b"["
        found = orjson.loads(text) if whole else [orjson.loads(x) for x in text.splitlines() if x]
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path} is neither a JSON array nor JSON lines: {error}.") from error
    if not all(isinstance(each, dict) for each in found):
        raise DataError(f"{path}: every row should be a JSON object.")
    return found


@dataclass(frozen=True)
class Source:
    """Where a task's docs are, as its fields say or as `-T` does."""

    data: str
    split: str
    name: str | None = None
    revision: str | None = None
    root: Path | None = None
    span: tuple[int, int | None] = (0, None)

    def samples(self, asking: Asking, told: tuple[str, ...]) -> Manifest:
        base = self.root or (Path() if self.data.startswith(PREFIX) else Path(self.data).parent)
        asking = replace(asking, root=base)
        more = {"asking": asking, "told": told, "process": asking.config.callable("process_docs")}
        fields = Fields(target=())
        if not self.data.startswith(PREFIX):
            return Files(Path(self.data), fields, root=base, span=self.span, **more)  # type: ignore[arg-type]
        return Hub(
            Path(self.data),
            fields,
            root=base,
            span=self.span,
            config=self.name,
            split=self.split,
            pinned=self.revision,
            **more,  # type: ignore[arg-type]
        )


def source_of(config: Config, given: Mapping[str, Any]) -> Source:
    """The test split, or the validation split where there is none; files beside the YAML."""
    split = given.get("split") or config.get("test_split") or config.get("validation_split")
    path = str(config.get("dataset_path", ""))
    data = given.get("data") or (_file(config, split) if path in LOCAL else _dataset(config, path))
    revision = given.get("revision") or config.part("dataset_kwargs").get("revision")
    return Source(data, split or "test", config.get("dataset_name"), revision)


def _dataset(config: Config, path: str) -> str:
    if not path:
        raise config.refuse("it names no dataset_path; give the data with -T data=FILE.")
    if path in BUILDERS:
        raise config.refuse(f"dataset_path {path} is not read here; give the data: -T data=FILE.")
    for name in ("data_files", "data_dir"):
        if config.part("dataset_kwargs").get(name):
            raise config.refuse(
                f"dataset_kwargs.{name} of a dataset is not followed; give the data: -T data=FILE."
            )
    return f"{PREFIX}{path}"


def _file(config: Config, split: str | None) -> str:
    files = config.part("dataset_kwargs").get("data_files")
    if isinstance(files, Mapping):
        files = files.get(split or "")
    if isinstance(files, list) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str):
        which = f"the split {split!r}" if split else "any split, and test_split is not said"
        raise config.refuse(
            f"dataset_kwargs.data_files names no one file of {which}; give it with -T data=FILE."
        )
    beside = config.source.parent / files
    found = beside if beside.is_file() else Path(files)
    if found.suffix.lower() not in (*READERS, ".json"):
        raise config.refuse(f"{files} should end in .json, {', '.join(READERS)}.")
    return str(found)
