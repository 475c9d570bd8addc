"""The evalkit's datasets and groups of datasets."""

from __future__ import annotations

import ast
import difflib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError, UnknownName
from auricle.core.registry import import_object
from auricle.core.types import Json
from auricle.frameworks.kimi.checkout import find_class, list_classes, parse_classes, read_attributes
from auricle.frameworks.kimi.stubs import (
    DATASET_BASE_CLASSES,
    DATASET_HOOKS,
    DATASETS_PACKAGE,
    PREFIX,
    AudioBaseDataset,
    EvalkitModules,
)
from auricle.frameworks.user_classes import display_name, find_owner

AUDIO_ANALYSIS, AUDIO_QA = "Audio-analysis", "Audio-QA"
SPEECH_AUDIO, AUDIO_EVENT = "Speech", "AudioEvent"
CLASS_ATTRIBUTES = ("DATASET_NAME", "DATASET_SERIES", "TASK", "INTERACTIVE", "AUDIO_TYPE")
ALLOWED_VALUES = {
    "TASK": AudioBaseDataset.ALLOWED_TASKS,
    "INTERACTIVE": AudioBaseDataset.ALLOWED_INTERACTIVE,
    "AUDIO_TYPE": AudioBaseDataset.ALLOWED_AUDIO_TYPES,
}


@dataclass(frozen=True, slots=True)
class CustomLoader:
    """A dataset class that overrides how its data is read."""

    dataset_class: type[Any]
    modules: EvalkitModules
    hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Attributes of a dataset class of the evalkit."""

    name: str
    series: str
    task: str
    interactive: str = AUDIO_ANALYSIS
    audio_type: str = SPEECH_AUDIO
    lang: str = ""
    custom_loader: CustomLoader | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()
    class_path: str = ""
    """Where the class of a dataset is that does not come with the evalkit."""

    @property
    def task_name(self) -> str:
        """Name of the dataset's task after `kimi:`, which does not depend on the working directory."""
        return self.class_path or self.name

    @property
    def task_metadata(self) -> dict[str, Json]:
        """Fields of the `meta` that models receive with every message."""
        metadata: dict[str, Json] = {
            "task": self.task,
            "interactive": self.interactive,
            "audio_type": self.audio_type,
            "dataset_series": self.series,
            "dataset_name": self.name,
        }
        return {**metadata, "lang": self.lang or None} if self.task == "ASR" else metadata


DATASETS = (
    Dataset("LibriSpeech", "LibriSpeech", "ASR", lang="en"),
    Dataset("Fleurs-en", "Fleurs", "ASR", lang="en"),
    Dataset("Fleurs-zh", "Fleurs", "ASR", lang="zh"),
    Dataset("AISHELL-1", "AISHELL-1", "ASR", lang="zh"),
    Dataset("AISHELL-2", "AISHELL-2", "ASR", lang="zh"),
    Dataset("WenetSpeech", "WenetSpeech", "ASR", lang="zh"),
    Dataset("mmau-test-mini", "MMAU", "MQA", audio_type=AUDIO_EVENT),
    Dataset("openbookqa", "VoiceBench", "MQA", AUDIO_QA),
    Dataset("mmsu", "VoiceBench", "MQA", AUDIO_QA),
    Dataset("MELD", "MELD", "MQA"),
    Dataset("Nonspeech7k", "Nonspeech7k", "MQA", audio_type=AUDIO_EVENT),
    Dataset("TUT2017", "TUT2017", "MQA", audio_type=AUDIO_EVENT),
    Dataset("VocalSound", "VocalSound", "MQA", audio_type=AUDIO_EVENT),
    Dataset("CochlScene", "CochlScene", "MQA", audio_type=AUDIO_EVENT),
    Dataset("ClothoAQA", "ClothoAQA", "Ref-QA", audio_type=AUDIO_EVENT),
    Dataset("sd-qa", "VoiceBench", "Ref-QA", AUDIO_QA),
    Dataset("OpenAudioBench", "OpenAudioBench", "Ref-QA", AUDIO_QA),
    Dataset("alpacaeval_full", "VoiceBench", "Open-Ended", AUDIO_QA),
    Dataset("commoneval", "VoiceBench", "Open-Ended", AUDIO_QA),
    Dataset("advbench", "VoiceBench", "Open-Ended", AUDIO_QA),
    Dataset("ifeval", "VoiceBench", "Open-Ended", AUDIO_QA),
)
BASE_DATASETS = tuple(
    Dataset(name, name, base.TASK, base.INTERACTIVE, base.AUDIO_TYPE or "Any")
    for name, base in DATASET_BASE_CLASSES.items()
    if base.TASK
)
"""Data of a category without a dataset class of its own: `kimi:AudioMQADataset -T data=FILE`."""
TASKS_BY_KIND: Mapping[str, str] = {"asr": "ASR", "mcq": "MQA", "qa": "Ref-QA", "open": "Open-Ended"}
"""The evalkit's task for each kind of task that both have."""
GROUPS: Mapping[str, Callable[[Dataset], bool]] = {
    "all": lambda _: True,
    "asr": lambda dataset: dataset.task == "ASR",
    "mqa": lambda dataset: dataset.task == "MQA",
    "refqa": lambda dataset: dataset.task == "Ref-QA",
    "open-qa": lambda dataset: dataset.task == "Open-Ended",
    "audio-qa": lambda dataset: dataset.interactive == AUDIO_QA,
    "audio-event": lambda dataset: dataset.audio_type == AUDIO_EVENT,
    "close-qa": lambda dataset: dataset.task in ("MQA", "Ref-QA"),
}


def find_group(name: str) -> list[Dataset] | None:
    """Return the datasets of a group, or None if there is no such group."""
    belongs = GROUPS.get(name.casefold())
    return [dataset for dataset in (*DATASETS, *_added_datasets()) if belongs(dataset)] if belongs else None


def find_dataset(name: str) -> Dataset:
    """Return a dataset by its name in the evalkit or in a checkout (case-insensitive), or by its class path."""
    if ":" in name:
        return _dataset_from_class(name)
    by_name = {dataset.name.casefold(): dataset for dataset in (*BASE_DATASETS, *DATASETS)}
    if name.casefold() in by_name:
        return by_name[name.casefold()]
    if added := find_class(DATASETS_PACKAGE, name):
        return _dataset_from_class(added.class_path)
    matches = difflib.get_close_matches(name.casefold(), [*by_name, *GROUPS], n=3)
    names = [by_name[match].name if match in by_name else match for match in matches]
    all_names = [*(dataset.name for dataset in DATASETS), *GROUPS]
    hint = f"Did you mean {', '.join(names)}?" if names else f"Available: {', '.join(all_names)}."
    raise UnknownName(f"The evalkit has no dataset {name!r}. {hint}")


def _added_datasets() -> Iterator[Dataset]:
    """Yield the datasets that were added to a checkout, except those that it excludes."""
    names = {dataset.name.casefold() for dataset in (*DATASETS, *BASE_DATASETS)}
    for source in list_classes(DATASETS_PACKAGE):
        parsed = _parse_class(source.node.name, parse_classes(source.file))
        if source.name.casefold() not in names and parsed and not parsed.EXCLUDE:
            yield replace(_from_attributes(source.class_path, parsed), class_path=source.class_path)


def _dataset_from_class(class_path: str) -> Dataset:
    modules = EvalkitModules(class_path, DATASETS_PACKAGE)
    dataset_class = _load_class(class_path, modules)
    hooks = tuple(hook for hook in DATASET_HOOKS if _overrides(dataset_class, hook))
    return replace(
        _from_attributes(class_path, dataset_class),
        custom_loader=CustomLoader(dataset_class, modules, hooks) if hooks else None,
        notes=_unused_method_notes(dataset_class),
        class_path=class_path,
    )


def _from_attributes(class_path: str, dataset_class: Any) -> Dataset:
    """Return the dataset that a class describes; raise `SpecError` if its attributes are invalid."""
    shown_name = display_name(PREFIX, class_path)
    attributes = {name: getattr(dataset_class, name, None) for name in CLASS_ATTRIBUTES}
    if not inspect.isclass(dataset_class) or not any(attributes.values()):
        raise SpecError(
            f"{shown_name} is not a dataset of the evalkit. "
            f"Expected a class with the attributes {', '.join(CLASS_ATTRIBUTES)}."
        )
    for name, value in attributes.items():
        if not isinstance(value, str) or value not in ALLOWED_VALUES.get(name, (value,)):
            expected = f"one of {', '.join(ALLOWED_VALUES[name])}" if name in ALLOWED_VALUES else "a string"
            raise SpecError(f"{shown_name}: {name} should be {expected}, not {value!r}.")
    name, series, task, interactive, audio_type = map(str, attributes.values())
    return Dataset(name, series, task, interactive, audio_type, str(getattr(dataset_class, "LANG", None) or ""))


def _load_class(class_path: str, modules: EvalkitModules) -> Any:
    """Import the class, or parse its source if an import in its file fails."""
    try:
        with modules.activate(), redirect_stdout(sys.stderr):
            return import_object(modules.class_path, modules.parent_package)
    except SpecError:
        if modules.file and (parsed := parse_class(modules.file, class_path.rpartition(":")[2])):
            return parsed
        raise


def _unused_method_notes(dataset_class: type[Any]) -> tuple[str, ...]:
    """Return notes on methods of the class that Auricle does not call."""
    methods = [name for name in dir(dataset_class) if name.startswith("evaluate") and _overrides(dataset_class, name)]
    if not methods:
        return ()
    return (
        f"{dataset_class.__name__} overrides {', '.join(methods)}, which Auricle does not call. "
        "Use -T metrics=file.py:function to score with your own function.",
    )


def _overrides(dataset_class: type[Any], name: str) -> bool:
    """Return whether a class defines an attribute itself instead of inheriting it from the evalkit's base classes."""
    owner = find_owner(dataset_class, name)
    return owner is not None and owner.__name__ not in DATASET_BASE_CLASSES


def parse_class(file: Path, name: str) -> type[Any] | None:
    """Read a class from its source without running it; most dataset classes only set a few attributes.

    Returns:
        A class with the constant attributes that the file assigns, or None if it overrides how data is read.
    """
    parsed = _parse_class(name, parse_classes(file))
    return None if parsed is None or any(_overrides(parsed, hook) for hook in DATASET_HOOKS) else parsed


def parse_attributes(name: str, classes: Mapping[str, ast.ClassDef]) -> Mapping[str, Any]:
    """Return the attributes of a dataset class as its source defines or inherits them; empty if it is none."""
    parsed = _parse_class(name, classes)
    return {name: getattr(parsed, name) for name in CLASS_ATTRIBUTES} if parsed else {}


def _parse_class(name: str, classes: Mapping[str, ast.ClassDef]) -> type[Any] | None:
    """Build the class and its base classes of the same file; methods that read data become placeholders."""
    if name in DATASET_BASE_CLASSES:
        return DATASET_BASE_CLASSES[name]  # type: ignore[no-any-return]
    class_def = classes.get(name)
    bases = [node.id for node in class_def.bases if isinstance(node, ast.Name)] if class_def else []
    base = _parse_class(bases[0], classes) if len(bases) == 1 else None
    if class_def is None or base is None:
        return None
    methods = [node.name for node in class_def.body if isinstance(node, ast.FunctionDef)]
    hooks = {method: None for method in methods if method in DATASET_HOOKS}
    return type(name, (base,), {**read_attributes(class_def), **hooks})
