"""Turn the docs of a task into samples with the functions and templates of its YAML."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import orjson

from auricle.core.errors import MissingExtra, SampleError
from auricle.core.types import Input, Json, RejectedRow, Sample, Turn
from auricle.data.file_formats import ROW_FORMATS, Row, list_suffixes, read_rows
from auricle.data.huggingface import HF_PREFIX, HuggingFaceDataset
from auricle.data.manifest import ColumnMapping, Manifest
from auricle.frameworks.lmms.config_reader import TaskConfig, UserFunction
from auricle.frameworks.lmms.media import find_audio, is_media, join_text, to_part, to_turns, to_user_value
from auricle.media import Audio, Video

FILE_FORMATS = ("json", "csv", "parquet")
"""Values of dataset_path that mean local files instead of a dataset."""
UNSUPPORTED_BUILDERS = ("text", "arrow", "pandas", "audiofolder", "imagefolder", "videofolder", "webdataset")
COLUMN_TEMPLATE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True)
class SampleBuilder:
    """Builds samples from docs with the fields of a task."""

    config: TaskConfig
    model_kwargs: Any
    """`lmms_eval_specific_kwargs` of the chosen model, or the default."""
    root: Path

    def build(self, index: int, row: Row) -> Sample:
        doc = {name: to_user_value(value, self.root) for name, value in row.values.items()}
        turns = self.build_turns(dict(doc))  # a copy: functions may modify their doc
        user_text = join_text([turn for turn in turns if turn.role == "user"])  # for reports and judges
        inputs: dict[str, Input] = {"turns": turns, "question": user_text}
        if self.config.get("doc_to_choice") is not None:
            inputs["choices"] = [str(choice) for choice in self.build_choices(dict(doc))]
        if self.config.get("output_type") == "generate_until_multi_round":
            inputs |= {name: value.audio for name, value in doc.items() if hasattr(value, "audio")}
        elif not any(isinstance(part, (Audio, Video)) for turn in turns for part in turn.parts):
            recordings = [audio for value in doc.values() if (audio := find_audio(value, self.root))]
            inputs |= {"audio": recordings} if recordings else {}  # the run reports that they were not sent
        columns = {name: value for name, value in doc.items() if not is_media(value)}  # media are not stored
        meta = {name: _to_json(value, f"the column {name}") for name, value in columns.items()}
        return Sample(id=str(index), inputs=inputs, target=self.build_target(dict(doc)), meta=meta, origin=row.origin)

    def build_turns(self, doc: dict[str, Any]) -> tuple[Turn, ...]:
        """Build the turns with `doc_to_messages`, or from the media followed by the text."""
        to_messages = self.config.get_function("doc_to_messages")
        if to_messages is None:
            media = [to_part(visual, self.root) for visual in self.build_visuals(doc)]
            return (Turn("user", (*media, self.build_text(doc))),)
        takes_kwargs = to_messages.accepts("lmms_eval_specific_kwargs") or len(to_messages.parameters) == 2
        kwargs = (
            {"lmms_eval_specific_kwargs": self.model_kwargs} if takes_kwargs and self.model_kwargs is not None else {}
        )
        return to_turns(to_messages(doc, **kwargs), self.root)

    def build_visuals(self, doc: dict[str, Any]) -> list[Any]:
        field_value = self.config.get("doc_to_visual")
        if field_value is None:
            return []
        if isinstance(field_value, str):
            return [_column_value(field_value, doc, "doc_to_visual names")]
        function = self.config.load_function(field_value)
        takes_kwargs = self.model_kwargs is not None and len(function.parameters) == 2
        visuals = function(doc, self.model_kwargs) if takes_kwargs else function(doc)
        if visuals is not None and not isinstance(visuals, (list, tuple)):
            raise SampleError(f"{function.name} should return a list, not {type(visuals).__name__}")
        return list(visuals or ())

    def build_text(self, doc: dict[str, Any]) -> str:
        description = self.config.get("description", "")
        template = self.config.get("doc_to_text", "")
        text = self._evaluate_field("doc_to_text", template, doc, self.model_kwargs)
        if isinstance(text, int) and self.config.get("doc_to_choice") is not None:
            text = self.build_choices(doc)[text]
        if text is None:
            raise SampleError("doc_to_text returned None instead of text")
        return f"{render_template(description, doc) if description else ''}{text}"

    def build_target(self, doc: dict[str, Any]) -> Json:
        field_value = self.config.get("doc_to_target")
        if field_value is None:
            return None
        kwargs = self.config.get_section("model_specific_target_kwargs").get("default")
        target = self._evaluate_field("doc_to_target", field_value, doc, kwargs)
        if isinstance(field_value, str) and field_value not in doc and isinstance(target, str):
            target = _parse_literal(target, self.config.get("doc_to_choice") is not None)
        return _to_json(target)

    def build_choices(self, doc: dict[str, Any]) -> list[Any]:
        field_value = self.config.get("doc_to_choice")
        if isinstance(field_value, Mapping):
            return list(field_value.values())
        choices = self._evaluate_field("doc_to_choice", field_value, doc, None)
        if isinstance(choices, str):
            choices = _parse_literal(choices, False)
        if not isinstance(choices, (list, tuple)):
            raise SampleError(f"doc_to_choice should return a list, not {type(choices).__name__}")
        return list(choices)

    def _evaluate_field(self, name: str, value: Any, doc: dict[str, Any], kwargs: Any) -> Any:
        """Evaluate a field for a doc: a column, a template, a function, or a constant."""
        if isinstance(value, str):
            return doc[value] if value in doc else render_template(value, doc)
        function = self.config.get_function(name)
        if function is None:
            return value
        return function(doc) if kwargs is None else function(doc, kwargs)


def render_template(template: str, doc: Mapping[str, Any]) -> str:
    """Render a template; Jinja is loaded only for more than columns."""
    if "{%" not in template and COLUMN_TEMPLATE.sub("", template).count("{{") == 0:
        text = template.removesuffix("\n")  # as Jinja does
        return COLUMN_TEMPLATE.sub(lambda match: str(_column_value(match[1], doc, "a template uses")), text)
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import SandboxedEnvironment

    try:
        return SandboxedEnvironment(undefined=StrictUndefined).from_string(template).render(**doc)
    except TemplateError as error:
        raise SampleError(f"the template {template!r:.80} fails: {error}") from error


def _column_value(name: str, doc: Mapping[str, Any], reference: str) -> Any:
    if name not in doc:
        raise SampleError(f"{reference} the column {name!r}, which does not exist; columns: {', '.join(doc)}")
    return doc[name]


def _parse_literal(text: str, allow_number: bool) -> Any:
    """Parse a list, or the index of a choice, from the text of a template."""
    if (allow_number and text.isdigit()) or (text[:1] == "[" and text[-1:] == "]"):
        with suppress(SyntaxError, ValueError):
            return ast.literal_eval(text)
    return text


def _to_json(value: Any, name: str = "the target") -> Json:
    """Convert a value to JSON types, including numpy's numbers."""
    try:
        return cast(Json, orjson.loads(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)))
    except TypeError as error:
        raise SampleError(f"{name} cannot be converted to JSON: {error}") from error


@dataclass(frozen=True)
class DocFields:
    """What both sources add to a manifest: how docs are processed and become samples."""

    sample_builder: SampleBuilder | None = None
    process_docs: UserFunction | None = None
    task_notes: tuple[str, ...] = ()

    def notes(self) -> list[str]:
        return list(self.task_notes)

    def _build_sample(self, index: int, row: Row) -> Sample:
        assert self.sample_builder is not None
        return self.sample_builder.build(index, row)

    def _find_target(self, row: Row) -> Json:
        """Return None: only the builder, which rejected the row, knows which column is the target."""
        return None


@dataclass(frozen=True)
class FileDocs(DocFields, Manifest):
    """Docs from a local file."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        if self.process_docs is None:
            return super().__iter__()
        docs = (Row(f"{self.path.name}:{index}", doc) for index, doc in enumerate(self._process_docs(), 1))
        return (self.make_sample(index, doc) for index, doc in self.select_rows(docs))

    def __len__(self) -> int:
        return super().__len__() if self.process_docs is None else self.count_selected(len(self._process_docs()))

    def _process_docs(self) -> list[dict[str, Any]]:
        assert self.process_docs is not None
        try:
            import datasets
        except ImportError as error:
            raise MissingExtra(f"process_docs {self.process_docs.name}", "huggingface") from error
        rows = [dict(row.values) for row in read_rows(self.path) if isinstance(row, Row)]
        return [dict(doc) for doc in self.process_docs(datasets.Dataset.from_list(rows))]


@dataclass(frozen=True)
class HubDocs(DocFields, HuggingFaceDataset):
    """Docs from a dataset of the Hugging Face Hub, or one saved in a folder."""

    names_classes = False  # functions of lmms-eval expect the integers of the dataset

    def _dataset(self) -> Any:
        dataset = super()._dataset()
        return self.process_docs(dataset) if self.process_docs else dataset


@dataclass(frozen=True)
class DocSource:
    """Location of a task's docs, from its fields or from `-T` options."""

    data: str
    split: str
    config_name: str | None = None
    revision: str | None = None
    root: Path | None = None
    span: tuple[int, int | None] = (0, None)

    def load_samples(self, sample_builder: SampleBuilder, notes: tuple[str, ...]) -> Manifest:
        base = self.root or (Path() if self.data.startswith(HF_PREFIX) else Path(self.data).parent)
        sample_builder = replace(sample_builder, root=base)
        fields: dict[str, Any] = {"root": base, "row_range": self.span, "sample_builder": sample_builder}
        fields |= {"process_docs": sample_builder.config.get_function("process_docs"), "task_notes": notes}
        columns = ColumnMapping(target_columns=())
        if not self.data.startswith(HF_PREFIX):
            return FileDocs(Path(self.data), columns, **fields)
        fields |= {"config": self.config_name, "split": self.split, "pinned_revision": self.revision}
        return HubDocs(Path(self.data), columns, **fields)


def resolve_source(config: TaskConfig, options: Mapping[str, Any]) -> DocSource:
    """Return the location of the test split, or of the validation split if there is no test split."""
    split = options.get("split") or config.get("test_split") or config.get("validation_split")
    path = str(config.get("dataset_path", ""))
    data = options.get("data") or (_local_file(config, split) if path in FILE_FORMATS else _hub_dataset(config, path))
    revision = options.get("revision") or config.get_section("dataset_kwargs").get("revision")
    return DocSource(data, split or "test", config.get("dataset_name"), revision)


def _hub_dataset(config: TaskConfig, path: str) -> str:
    if not path:
        raise config.spec_error("missing field dataset_path. Pass the data with -T data=FILE.")
    if path in UNSUPPORTED_BUILDERS:
        raise config.spec_error(f"unsupported dataset_path {path}. Pass the data with -T data=FILE.")
    for name in ("data_files", "data_dir"):
        if config.get_section("dataset_kwargs").get(name):
            raise config.spec_error(f"unsupported field dataset_kwargs.{name}. Pass the data with -T data=FILE.")
    return f"{HF_PREFIX}{path}"


def _local_file(config: TaskConfig, split: str | None) -> str:
    files = config.get_section("dataset_kwargs").get("data_files")
    if isinstance(files, Mapping):
        files = files.get(split or "")
    if isinstance(files, list) and len(files) == 1:
        files = files[0]
    if not isinstance(files, str):
        which = f"the split {split!r}" if split else "a split, and test_split is missing"
        raise config.spec_error(
            f"dataset_kwargs.data_files does not name a single file for {which}. Pass it with -T data=FILE."
        )
    sibling = config.source.parent / files
    path = sibling if sibling.is_file() else Path(files)
    if path.suffix.lower() not in ROW_FORMATS:
        raise config.spec_error(f"{files} should end in {', '.join(list_suffixes())}.")
    return str(path)
