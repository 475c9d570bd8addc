"""The evalkit's datasets: what their classes say of each, and the groups they are run in."""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from auricle.core.errors import SpecError, UnknownName
from auricle.core.registry import import_object
from auricle.core.types import Json
from auricle.interop.kimi.class_parser import parse_class
from auricle.interop.kimi.model import display_name
from auricle.interop.kimi.stubs import (
    DATASET_BASE_CLASSES,
    DATASET_HOOKS,
    DATASETS_PACKAGE,
    AudioBaseDataset,
    IsolatedModules,
)

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
    """A class with ways of its own to read its data, and where its code is at home."""

    dataset_class: type[Any]
    modules: IsolatedModules
    hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a class of the evalkit says of its data."""

    name: str
    series: str
    task: str
    interactive: str = AUDIO_ANALYSIS
    audio_type: str = SPEECH_AUDIO
    lang: str = ""
    custom_loader: CustomLoader | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def task_metadata(self) -> dict[str, Json]:
        """What models are told of it."""
        told: dict[str, Json] = {
            "task": self.task,
            "interactive": self.interactive,
            "audio_type": self.audio_type,
            "dataset_series": self.series,
            "dataset_name": self.name,
        }
        return {**told, "lang": self.lang or None} if self.task == "ASR" else told


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
GROUPS: Mapping[str, Callable[[Dataset], bool]] = {
    "all": lambda _: True,
    "asr": lambda each: each.task == "ASR",
    "mqa": lambda each: each.task == "MQA",
    "refqa": lambda each: each.task == "Ref-QA",
    "open-qa": lambda each: each.task == "Open-Ended",
    "audio-qa": lambda each: each.interactive == AUDIO_QA,
    "audio-event": lambda each: each.audio_type == AUDIO_EVENT,
    "close-qa": lambda each: each.task in ("MQA", "Ref-QA"),
}


def find_group(name: str) -> list[Dataset] | None:
    """The datasets of a group; None if there is no such group."""
    wanted = GROUPS.get(name.casefold())
    return [each for each in DATASETS if wanted(each)] if wanted else None


def find_dataset(name: str) -> Dataset:
    """A dataset of the evalkit's by its name, in any case; or by the class it is."""
    if ":" in name:
        return _dataset_from_class(name)
    known = {each.name.casefold(): each for each in DATASETS}
    if name.casefold() in known:
        return known[name.casefold()]
    near = difflib.get_close_matches(name.casefold(), [*known, *GROUPS], n=3)
    names = [known[each].name if each in known else each for each in near]
    hint = f"Did you mean {', '.join(names)}?" if names else f"There are {', '.join(_all_names())}."
    raise UnknownName(f"The evalkit has no dataset called {name!r}. {hint}")


def _all_names() -> list[str]:
    return [*(each.name for each in DATASETS), *GROUPS]


def _dataset_from_class(class_path: str) -> Dataset:
    shelf = IsolatedModules(class_path, DATASETS_PACKAGE)
    made = _load_class(class_path, shelf)
    said = {each: getattr(made, each, None) for each in CLASS_ATTRIBUTES}
    if not inspect.isclass(made) or not any(said.values()):
        due = f"a class that says {', '.join(CLASS_ATTRIBUTES)} is"
        raise SpecError(f"{display_name(class_path)} is no dataset of the evalkit's: {due}.")
    for name, value in said.items():
        if not isinstance(value, str) or value not in ALLOWED_VALUES.get(name, (value,)):
            due = f"one of {', '.join(ALLOWED_VALUES[name])}" if name in ALLOWED_VALUES else "a text"
            raise SpecError(f"{display_name(class_path)}: {name} should be {due}, not {value!r}.")
    name, series, task, interactive, audio_type = map(str, said.values())
    lang = str(getattr(made, "LANG", None) or "")
    own, notes = _find_custom_loader(made, shelf), _unused_method_notes(made)
    return Dataset(name, series, task, interactive, audio_type, lang, own, notes)


def _load_class(class_path: str, modules: IsolatedModules) -> Any:
    """The class itself; where its file needs what is not installed, what its text says of it."""
    try:
        with modules.activate(), redirect_stdout(sys.stderr):
            return import_object(modules.class_path, modules.parent_package)
    except SpecError:
        if read := parse_class(modules.file, class_path.rpartition(":")[2]) if modules.file else None:
            return read
        raise


def _find_custom_loader(dataset_class: type[Any], modules: IsolatedModules) -> CustomLoader | None:
    hooks = tuple(each for each in DATASET_HOOKS if _overrides(dataset_class, each))
    return CustomLoader(dataset_class, modules, hooks) if hooks else None


def _unused_method_notes(dataset_class: type[Any]) -> tuple[str, ...]:
    """What of a class is not used, and what is instead."""
    ways = [name for name in dir(dataset_class) if name.startswith("evaluate") and _overrides(dataset_class, name)]
    if not ways:
        return ()
    return (
        f"{dataset_class.__name__} has {', '.join(ways)} of its own, which nobody calls here: "
        "-T metrics=file.py:function scores your way.",
    )


def _overrides(dataset_class: type[Any], name: str) -> bool:
    """Does the class itself say how, and not one of the evalkit's bases?"""
    says = next((each for each in dataset_class.__mro__ if name in vars(each)), None)
    return says is not None and says.__name__ not in DATASET_BASE_CLASSES
