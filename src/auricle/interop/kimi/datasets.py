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
from auricle.interop.kimi.class_source import as_written
from auricle.interop.kimi.model import called
from auricle.interop.kimi.stubs import BASES, DATASETS, HOOKS, AudioBaseDataset, Shelf

ANALYSIS, SPOKEN = "Audio-analysis", "Audio-QA"
SPEECH, EVENT = "Speech", "AudioEvent"
SAYS = ("DATASET_NAME", "DATASET_SERIES", "TASK", "INTERACTIVE", "AUDIO_TYPE")
ALLOWED = {
    "TASK": AudioBaseDataset.ALLOWED_TASKS,
    "INTERACTIVE": AudioBaseDataset.ALLOWED_INTERACTIVE,
    "AUDIO_TYPE": AudioBaseDataset.ALLOWED_AUDIO_TYPES,
}


@dataclass(frozen=True, slots=True)
class Own:
    """A class with ways of its own to read its data, and where its code is at home."""

    made: type[Any]
    shelf: Shelf
    hooks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a class of the evalkit says of its data."""

    name: str
    series: str
    task: str
    interactive: str = ANALYSIS
    audio_type: str = SPEECH
    lang: str = ""
    own: Own | None = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Json]:
        """What models are told of it."""
        told: dict[str, Json] = {
            "task": self.task,
            "interactive": self.interactive,
            "audio_type": self.audio_type,
            "dataset_series": self.series,
            "dataset_name": self.name,
        }
        return {**told, "lang": self.lang or None} if self.task == "ASR" else told


KNOWN = (
    Dataset("LibriSpeech", "LibriSpeech", "ASR", lang="en"),
    Dataset("Fleurs-en", "Fleurs", "ASR", lang="en"),
    Dataset("Fleurs-zh", "Fleurs", "ASR", lang="zh"),
    Dataset("AISHELL-1", "AISHELL-1", "ASR", lang="zh"),
    Dataset("AISHELL-2", "AISHELL-2", "ASR", lang="zh"),
    Dataset("WenetSpeech", "WenetSpeech", "ASR", lang="zh"),
    Dataset("mmau-test-mini", "MMAU", "MQA", audio_type=EVENT),
    Dataset("openbookqa", "VoiceBench", "MQA", SPOKEN),
    Dataset("mmsu", "VoiceBench", "MQA", SPOKEN),
    Dataset("MELD", "MELD", "MQA"),
    Dataset("Nonspeech7k", "Nonspeech7k", "MQA", audio_type=EVENT),
    Dataset("TUT2017", "TUT2017", "MQA", audio_type=EVENT),
    Dataset("VocalSound", "VocalSound", "MQA", audio_type=EVENT),
    Dataset("CochlScene", "CochlScene", "MQA", audio_type=EVENT),
    Dataset("ClothoAQA", "ClothoAQA", "Ref-QA", audio_type=EVENT),
    Dataset("sd-qa", "VoiceBench", "Ref-QA", SPOKEN),
    Dataset("OpenAudioBench", "OpenAudioBench", "Ref-QA", SPOKEN),
    Dataset("alpacaeval_full", "VoiceBench", "Open-Ended", SPOKEN),
    Dataset("commoneval", "VoiceBench", "Open-Ended", SPOKEN),
    Dataset("advbench", "VoiceBench", "Open-Ended", SPOKEN),
    Dataset("ifeval", "VoiceBench", "Open-Ended", SPOKEN),
)
GROUPS: Mapping[str, Callable[[Dataset], bool]] = {
    "all": lambda _: True,
    "asr": lambda each: each.task == "ASR",
    "mqa": lambda each: each.task == "MQA",
    "refqa": lambda each: each.task == "Ref-QA",
    "open-qa": lambda each: each.task == "Open-Ended",
    "audio-qa": lambda each: each.interactive == SPOKEN,
    "audio-event": lambda each: each.audio_type == EVENT,
    "close-qa": lambda each: each.task in ("MQA", "Ref-QA"),
}


def group(name: str) -> list[Dataset] | None:
    """The datasets of a group; None if there is no such group."""
    wanted = GROUPS.get(name.casefold())
    return [each for each in KNOWN if wanted(each)] if wanted else None


def dataset(name: str) -> Dataset:
    """A dataset of the evalkit's by its name, in any case; or by the class it is."""
    if ":" in name:
        return _of_class(name)
    known = {each.name.casefold(): each for each in KNOWN}
    if name.casefold() in known:
        return known[name.casefold()]
    near = difflib.get_close_matches(name.casefold(), [*known, *GROUPS], n=3)
    names = [known[each].name if each in known else each for each in near]
    hint = f"Did you mean {', '.join(names)}?" if names else f"There are {', '.join(_all())}."
    raise UnknownName(f"The evalkit has no dataset called {name!r}. {hint}")


def _all() -> list[str]:
    return [*(each.name for each in KNOWN), *GROUPS]


def _of_class(code: str) -> Dataset:
    shelf = Shelf(code, DATASETS)
    made = _class(code, shelf)
    said = {each: getattr(made, each, None) for each in SAYS}
    if not inspect.isclass(made) or not any(said.values()):
        due = f"a class that says {', '.join(SAYS)} is"
        raise SpecError(f"{called(code)} is no dataset of the evalkit's: {due}.")
    for name, value in said.items():
        if not isinstance(value, str) or value not in ALLOWED.get(name, (value,)):
            due = f"one of {', '.join(ALLOWED[name])}" if name in ALLOWED else "a text"
            raise SpecError(f"{called(code)}: {name} should be {due}, not {value!r}.")
    name, series, task, interactive, audio_type = map(str, said.values())
    lang = str(getattr(made, "LANG", None) or "")
    own, notes = _own(made, shelf), _notes(made)
    return Dataset(name, series, task, interactive, audio_type, lang, own, notes)


def _class(code: str, shelf: Shelf) -> Any:
    """The class itself; where its file needs what is not installed, what its text says of it."""
    try:
        with shelf.open(), redirect_stdout(sys.stderr):
            return import_object(shelf.code, shelf.name)
    except SpecError:
        if read := as_written(shelf.file, code.rpartition(":")[2]) if shelf.file else None:
            return read
        raise


def _own(made: type[Any], shelf: Shelf) -> Own | None:
    hooks = tuple(each for each in HOOKS if _changes(made, each))
    return Own(made, shelf, hooks) if hooks else None


def _notes(made: type[Any]) -> tuple[str, ...]:
    """What of a class is not used, and what is instead."""
    ways = [name for name in dir(made) if name.startswith("evaluate") and _changes(made, name)]
    if not ways:
        return ()
    return (
        f"{made.__name__} has {', '.join(ways)} of its own, which nobody calls here: "
        "-T metrics=file.py:function scores your way.",
    )


def _changes(made: type[Any], name: str) -> bool:
    """Does the class itself say how, and not one of the evalkit's bases?"""
    says = next((each for each in made.__mro__ if name in vars(each)), None)
    return says is not None and says.__name__ not in BASES
