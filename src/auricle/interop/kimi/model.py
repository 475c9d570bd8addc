"""A model class of the evalkit, made and asked as it is there: one message, one answer."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import (
    AuricleError,
    SampleError,
    Skipped,
    SpecError,
    UnknownName,
    Unsupported,
)
from auricle.core.errors import told as told_by
from auricle.core.registry import import_object
from auricle.core.serialization import dumps
from auricle.core.types import Generate, Generation, Request, media
from auricle.interop.audio_files import Files
from auricle.interop.blame import raised_by
from auricle.interop.kimi.stubs import BASE, MODELS, Shelf, inference_mode
from auricle.models.adapt import text_of
from auricle.models.base import BatchModel

TASKS = {"asr": "ASR", "mcq": "MQA", "classify": "MQA", "qa": "Ref-QA", "translate": "Ref-QA"}
"""What the evalkit calls a kind of task; all others are open-ended to it."""
FIELDS = ("task", "interactive", "audio_type", "dataset_series", "dataset_name", "lang")


class Kimi(BatchModel):
    """A class from a file or a module; every `-M` argument is its own."""

    code = ""
    batch_size = 1  # a class takes one message, so a sample fails alone
    told = True

    def __init__(self, **arguments: Any) -> None:
        self._shelf = Shelf(self.code, MODELS)
        self._name = called(self.code)
        with self._shelf.open(), redirect_stdout(sys.stderr):
            self._made = self._make(arguments)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        with self._shelf.open():
            return [self._answer(request) for request in batch]

    def shown(self, request: Request) -> str:
        """The message, and the prompt that the class makes of it if it has `get_prompt`."""
        if not isinstance(request, Generate):
            return ""
        with self._shelf.open(), Files() as files:
            given = message(request, files)
            prompt = getattr(self._made, "get_prompt", None)
            lines = [dumps(given).decode().strip()]
            return "\n".join([*lines, f"get_prompt: {prompt(given)}"] if prompt else lines)

    def close(self) -> None:
        self._made = None

    def _make(self, arguments: Mapping[str, Any]) -> Any:
        found = import_object(self.code, self._shelf.name)
        if not inspect.isclass(found) or not _answers(found):
            raise SpecError(
                f"{self._name} is no model of the evalkit's: a class with generate_inner(msg), "
                "which returns (prompt, text), is."
            )
        self._refuse_arguments(found, arguments)
        try:
            return found(**arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SpecError(
                f"{self._name} raised {type(error).__name__}: {told_by(error)}"
            ) from error

    def _refuse_arguments(self, found: type[Any], arguments: Mapping[str, Any]) -> None:
        wanted = inspect.signature(found)
        try:
            wanted.bind(**arguments)
        except TypeError as error:
            takes = ", ".join(wanted.parameters) or "nothing"
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error

    def _answer(self, request: Generate) -> Generation:
        with Files() as files:
            given = message(request, files)
            with raised_by(self._name):
                returned = self._asked(request, given)
        return self._read(returned)

    def _asked(self, request: Generate, given: dict[str, Any]) -> Any:
        if self._calls_itself:
            return self._made(given)
        self._refuse_illegal(request, given["audio"])
        with inference_mode():
            return self._made.generate_inner(given)

    @property
    def _calls_itself(self) -> bool:
        """Has the class a `__call__` of its own, in place of the evalkit's?"""
        own = next((each for each in type(self._made).__mro__ if "__call__" in vars(each)), None)
        return own is not None and own.__module__ != BASE

    def _refuse_illegal(self, request: Generate, paths: list[str]) -> None:
        check = getattr(self._made, "check_audio_legal", None)
        if check is None or check(list(paths)):
            return
        sounds = [each for each in media(request) if isinstance(each, Audio)]
        long = ", ".join(f"{each.seconds:.4g} s" for each in sounds)
        raise Skipped(f"check_audio_legal of {self._who} leaves it out: a sound of {long}")

    def _read(self, returned: Any) -> Generation:
        """The text, and beside it the prompt that the class says it really sent."""
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise SampleError(f"{self._due}, not {_shape(returned)}")
        prompt, text = returned
        if not isinstance(text, str):
            raise SampleError(f"{self._due}, and the text is {_shape(text)}")
        return Generation(text=text, prompt=prompt if isinstance(prompt, str) else "")

    @property
    def _due(self) -> str:
        return f"generate_inner of {self._name} should return (prompt, text)"

    @property
    def _who(self) -> str:
        return str(getattr(self._made, "NAME", None) or type(self._made).__name__)


def ported(code: str) -> type[Kimi]:
    """The model of a class; its code runs when the model is made."""
    where, _, name = code.rpartition(":")
    if not where or not name:
        raise UnknownName(
            f"'kimi:{code}' should be kimi:package.module:Class or kimi:file.py:Class."
        )
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (Kimi,), {"code": code, "__doc__": f"{name}, of Kimi-Audio-Evalkit."})


def called(code: str) -> str:
    """A class's name as it is told, without the folders of its file."""
    return f"kimi:{Path(code).name if '.py:' in code else code}"


def message(request: Generate, files: Files) -> dict[str, Any]:
    """What a class is given: its own copy of everything, to do with as it likes."""
    if sum(turn.role == "user" for turn in request.turns) != 1 or any(
        turn.role == "assistant" for turn in request.turns
    ):
        raise Unsupported(
            "A class of the evalkit takes one message, and no conversation or examples."
        )
    sounds = [each for each in media(request) if isinstance(each, Audio)]
    text = text_of(request)
    number = str(request.about.get("id", 0))
    return {
        "index": int(number) if number.isdecimal() else number,
        "audio": [files.path(each) for each in sounds],
        "text": text,
        "meta": _meta(request.about, text),
    }


def _meta(about: Mapping[str, Any], text: str) -> dict[str, Any]:
    """What the evalkit tells of a dataset, then of the row; all of a row's meta if it is ours."""
    task, row = about.get("task", {}), about.get("meta", {})
    theirs = "dataset_name" in task
    known = task if theirs else _described(task, text)
    own = row.get("meta", {}) if theirs else row
    told = {name: known[name] for name in FIELDS if name in known}
    subset = row.get("subset", known["dataset_name"])
    return copy.deepcopy({**told, "subset": subset, **own})


def _described(task: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A task of Auricle's in the evalkit's words."""
    kind = TASKS.get(str(task.get("kind", "")), "Open-Ended")
    name = task.get("name") or "auricle"
    return {
        "task": kind,
        "interactive": "Audio-analysis" if text else "Audio-QA",
        "audio_type": "Speech" if kind == "ASR" else "Any",
        "dataset_series": name,
        "dataset_name": name,
        "lang": task.get("language") or None,
    }


def _answers(found: type[Any]) -> bool:
    """Has it a way of its own to answer? The evalkit's base only names it."""
    ways = ("generate_inner", "__call__")
    owners = [next((each for each in found.__mro__ if way in vars(each)), None) for way in ways]
    named = callable(getattr(found, "generate_inner", None))
    return named and any(each is not None and each.__module__ != BASE for each in owners)


def _shape(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return "None" if value is None else type(value).__name__
