"""Docs of a task and what is asked about each: samples, made by the functions the YAML names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from auricle.core.errors import DataError, MissingExtra, SampleError, SpecError
from auricle.core.types import Input, Json, RejectedRow, Sample, Turn
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.data.row_files import READERS, Row
from auricle.interop.lmms.config_reader import TaskConfig, UserFunction
from auricle.interop.lmms.media import is_media, to_part, to_turns, to_user_value
from auricle.interop.lmms.requests import join_text

FILE_FORMATS = ("json", "csv", "parquet")
"""Names that stand for files on this disk, and for no dataset."""
UNSUPPORTED_BUILDERS = ("text", "arrow", "pandas", "audiofolder", "imagefolder", "videofolder", "webdataset")
COLUMN_TEMPLATE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class SampleBuilder:
    """What a task's fields make of a doc."""

    config: TaskConfig
    model_kwargs: Any
    """`lmms_eval_specific_kwargs`, of the model that was named or of any."""
    root: Path

    def build(self, index: int, row: Row) -> Sample:
        doc = {name: to_user_value(value, self.root) for name, value in row.values.items()}
        turns = self.build_turns(dict(doc))  # a function may write into its doc, and lose that again
        inputs: dict[str, Input] = {"turns": turns, "question": _user_text(turns)}
        if self.config.get("doc_to_choice") is not None:
            inputs["choices"] = [str(each) for each in self.build_choices(dict(doc))]
        if self.config.get("output_type") == "generate_until_multi_round":
            inputs |= {name: value.audio for name, value in doc.items() if hasattr(value, "audio")}
        return Sample(
            id=str(index),
            inputs=inputs,
            target=self.build_target(dict(doc)),
            meta=_without_media(doc),
            origin=row.origin,
        )

    # --- fields -------------------------------------------------------------------------

    def build_turns(self, doc: dict[str, Any]) -> tuple[Turn, ...]:
        """What is said: by `doc_to_messages`, or what is seen and heard before the text."""
        said = self.config.get_function("doc_to_messages")
        if said is None:
            seen = [to_part(each, self.root) for each in self.build_visuals(doc)]
            return (Turn("user", (*seen, self.build_text(doc))),)
        named = {}
        if self.model_kwargs is not None and (said.accepts("lmms_eval_specific_kwargs") or len(said.parameters) == 2):
            named["lmms_eval_specific_kwargs"] = self.model_kwargs
        return to_turns(said(doc, **named), self.root)

    def build_visuals(self, doc: dict[str, Any]) -> list[Any]:
        given = self.config.get("doc_to_visual")
        if given is None:
            return []
        if isinstance(given, str):
            return [self._read_column("doc_to_visual", given, doc)]
        function = self.config.load_function(given)
        both = self.model_kwargs is not None and len(function.parameters) == 2
        found = function(doc, self.model_kwargs) if both else function(doc)
        if found is not None and not isinstance(found, (list, tuple)):
            raise SampleError(f"{function.name} should give a list, not {type(found).__name__}")
        return list(found or ())

    def build_text(self, doc: dict[str, Any]) -> str:
        before = self.config.get("description", "")
        given = self.config.get("doc_to_text", "")
        found = self._evaluate_field("doc_to_text", given, doc, self.model_kwargs)
        if isinstance(found, int) and self.config.get("doc_to_choice") is not None:
            found = self.build_choices(doc)[found]
        if found is None:
            raise SampleError("doc_to_text gives None, and no text")
        return f"{render_template(before, doc) if before else ''}{found}"

    def build_target(self, doc: dict[str, Any]) -> Json:
        given = self.config.get("doc_to_target")
        if given is None:
            return None
        special = self.config.get_section("model_specific_target_kwargs").get("default")
        found = self._evaluate_field("doc_to_target", given, doc, special)
        if isinstance(given, str) and given not in doc and isinstance(found, str):
            found = _parse_literal(found, self.config.get("doc_to_choice") is not None)
        return _to_json(found)

    def build_choices(self, doc: dict[str, Any]) -> list[Any]:
        given = self.config.get("doc_to_choice")
        if isinstance(given, Mapping):
            return list(given.values())
        found = self._evaluate_field("doc_to_choice", given, doc, None)
        if isinstance(found, str):
            found = _parse_literal(found, False)
        if not isinstance(found, (list, tuple)):
            raise SampleError(f"doc_to_choice should give a list, not {type(found).__name__}")
        return list(found)

    def _evaluate_field(self, name: str, value: Any, doc: dict[str, Any], kwargs: Any) -> Any:
        """What a field says of a doc: a column, a template, a function, or a value as it is."""
        if isinstance(value, str):
            return doc[value] if value in doc else render_template(value, doc)
        function = self.config.get_function(name)
        if function is None:
            return value
        return function(doc) if kwargs is None else function(doc, kwargs)

    def _read_column(self, field: str, name: str, doc: Mapping[str, Any]) -> Any:
        if name not in doc:
            raise SampleError(f"{field} names the column {name!r}; there are {', '.join(doc)}")
        return doc[name]


def _user_text(turns: tuple[Turn, ...]) -> str:
    """What the user says, for whoever reads or judges the answers."""
    return join_text([turn for turn in turns if turn.role == "user"])


def render_template(template: str, doc: Mapping[str, Any]) -> str:
    """A template's text; one that only shows columns needs no Jinja."""
    if "{%" not in template and COLUMN_TEMPLATE.sub("", template).count("{{") == 0:
        return COLUMN_TEMPLATE.sub(lambda found: str(_column_value(found[1], doc)), template)
    try:
        from jinja2 import StrictUndefined, TemplateError
        from jinja2.sandbox import SandboxedEnvironment
    except ImportError as error:
        raise SpecError(f"The template {template!r:.80} needs Jinja: pip install jinja2.") from error
    try:
        return SandboxedEnvironment(undefined=StrictUndefined).from_string(template).render(**doc)
    except TemplateError as error:
        raise SampleError(f"the template {template!r:.80} fails: {error}") from error


def _column_value(name: str, doc: Mapping[str, Any]) -> Any:
    if name not in doc:
        raise SampleError(f"a template shows {name!r}; the columns are {', '.join(doc)}")
    return doc[name]


def _parse_literal(text: str, allow_number: bool) -> Any:
    """A list that a template wrote, or the place of an option."""
    import ast

    if (allow_number and text.isdigit()) or (text[:1] == "[" and text[-1:] == "]"):
        try:
            return ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return text
    return text


def _to_json(value: Any, name: str = "the target") -> Json:
    """A value that can be written down; numbers of other libraries as Python's own."""
    try:
        found: Json = orjson.loads(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY))
    except TypeError as error:
        raise SampleError(f"{name} cannot be written down: {error}") from error
    return found


def _without_media(doc: Mapping[str, Any]) -> dict[str, Json]:
    """A doc without its media: all that is there when answers are scored."""
    kept = {name: value for name, value in doc.items() if not is_media(value)}
    return {name: _to_json(value, f"the column {name}") for name, value in kept.items()}


# --- where docs are ---------------------------------------------------------------------------


@dataclass(frozen=True)
class FileDocs(Manifest):
    """Docs of a file."""

    sample_builder: SampleBuilder | None = None
    process_docs: UserFunction | None = None
    task_notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        if self.process_docs or self.path.suffix.lower() == ".json":
            name = self.path.name
            for at, values in self.select_rows(self._load_docs()):
                yield self.make_sample(at, Row(f"{name}:{at + 1}", values))
        else:
            yield from super().__iter__()

    def __len__(self) -> int:
        whole = self.process_docs or self.path.suffix.lower() == ".json"
        return self.count_selected(len(self._load_docs())) if whole else super().__len__()

    def notes(self) -> tuple[str, ...]:
        return self.task_notes

    def _build_sample(self, index: int, row: Row) -> Sample:
        assert self.sample_builder is not None
        return self.sample_builder.build(index, row)

    def _load_docs(self) -> list[dict[str, Any]]:
        found = _read_all_rows(self.path)
        if self.process_docs is None:
            return found
        try:
            import datasets
        except ImportError as error:
            raise MissingExtra(f"process_docs {self.process_docs.name}", "huggingface") from error
        return [dict(each) for each in self.process_docs(datasets.Dataset.from_list(found))]

    def _describe_columns(self) -> str:
        if self.path.suffix.lower() != ".json":
            return super()._describe_columns()
        return f"Columns found: {', '.join(next(iter(self._load_docs()), {}))}."


@dataclass(frozen=True)
class HubDocs(HuggingFaceDataset):
    """Docs of a dataset of the hub, or one saved in a folder."""

    sample_builder: SampleBuilder | None = None
    process_docs: UserFunction | None = None
    task_notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for at, values in self.select_rows(self._dataset()):  # with what is null: functions look at it
            yield self.make_sample(at, Row(f"{self.name}:{self.split}:{at + 1}", values))

    def notes(self) -> tuple[str, ...]:
        return self.task_notes

    def _build_sample(self, index: int, row: Row) -> Sample:
        assert self.sample_builder is not None
        return self.sample_builder.build(index, row)

    def _dataset(self) -> Any:
        found = super()._dataset()
        return self.process_docs(found) if self.process_docs else found


def _read_all_rows(path: Path) -> list[dict[str, Any]]:
    """All rows of a file at once: a JSON array, JSON lines, or any that are read row by row."""
    if path.suffix.lower() != ".json":
        from auricle.data.row_files import read_rows

        return [dict(each.values) for each in read_rows(path) if isinstance(each, Row)]
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
class DocSource:
    """Where a task's docs are, as its fields say or as `-T` does."""

    data: str
    split: str
    config_name: str | None = None
    revision: str | None = None
    root: Path | None = None
    span: tuple[int, int | None] = (0, None)

    def load_samples(self, sample_builder: SampleBuilder, notes: tuple[str, ...]) -> Manifest:
        base = self.root or (Path() if self.data.startswith(HF_PREFIX) else Path(self.data).parent)
        sample_builder = replace(sample_builder, root=base)
        more = {"asking": sample_builder, "told": notes, "process": sample_builder.config.get_function("process_docs")}
        fields = ColumnMapping(target_columns=())
        if not self.data.startswith(HF_PREFIX):
            return FileDocs(Path(self.data), fields, root=base, row_range=self.span, **more)  # type: ignore[arg-type]
        return HubDocs(
            Path(self.data),
            fields,
            root=base,
            row_range=self.span,
            config=self.config_name,
            split=self.split,
            pinned_revision=self.revision,
            **more,  # type: ignore[arg-type]
        )


def resolve_source(config: TaskConfig, options: Mapping[str, Any]) -> DocSource:
    """The test split, or the validation split where there is none; files beside the YAML."""
    split = options.get("split") or config.get("test_split") or config.get("validation_split")
    path = str(config.get("dataset_path", ""))
    data = options.get("data") or (_local_file(config, split) if path in FILE_FORMATS else _hub_dataset(config, path))
    revision = options.get("revision") or config.get_section("dataset_kwargs").get("revision")
    return DocSource(data, split or "test", config.get("dataset_name"), revision)


def _hub_dataset(config: TaskConfig, path: str) -> str:
    if not path:
        raise config.spec_error("it names no dataset_path; give the data with -T data=FILE.")
    if path in UNSUPPORTED_BUILDERS:
        raise config.spec_error(f"dataset_path {path} is not read here; give the data: -T data=FILE.")
    for name in ("data_files", "data_dir"):
        if config.get_section("dataset_kwargs").get(name):
            raise config.spec_error(f"dataset_kwargs.{name} of a dataset is not followed; give the data: -T data=FILE.")
    return f"{HF_PREFIX}{path}"


def _local_file(config: TaskConfig, split: str | None) -> str:
    files = config.get_section("dataset_kwargs").get("data_files")
    if isinstance(files, Mapping):
        files = files.get(split or "")
    if isinstance(files, list) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str):
        which = f"the split {split!r}" if split else "any split, and test_split is not said"
        raise config.spec_error(f"dataset_kwargs.data_files names no one file of {which}; give it with -T data=FILE.")
    beside = config.source.parent / files
    found = beside if beside.is_file() else Path(files)
    if found.suffix.lower() not in (*READERS, ".json"):
        raise config.spec_error(f"{files} should end in .json, {', '.join(READERS)}.")
    return str(found)
