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
from auricle.core.errors import AuricleError, SampleError, Skipped, SpecError, UnknownName, Unsupported
from auricle.core.errors import describe as told_by
from auricle.core.registry import import_object
from auricle.core.serialization import dumps
from auricle.core.types import Generate, Generation, Request, list_media
from auricle.interop.audio_files import AudioFiles
from auricle.interop.kimi.stubs import MODEL_BASE_MODULE, MODELS_PACKAGE, IsolatedModules, inference_mode
from auricle.interop.user_errors import annotate_errors
from auricle.models.adapt import extract_request_text
from auricle.models.base import BatchModel

EVALKIT_TASKS = {"asr": "ASR", "mcq": "MQA", "classify": "MQA", "qa": "Ref-QA", "translate": "Ref-QA"}
"""What the evalkit calls a kind of task; all others are open-ended to it."""
META_FIELDS = ("task", "interactive", "audio_type", "dataset_series", "dataset_name", "lang")


class KimiModel(BatchModel):
    """A class from a file or a module; every `-M` argument is its own."""

    class_path = ""
    batch_size = 1  # a class takes one message, so a sample fails alone
    wants_context = True

    def __init__(self, **arguments: Any) -> None:
        self._modules = IsolatedModules(self.class_path, MODELS_PACKAGE)
        self._name = display_name(self.class_path)
        with self._modules.activate(), redirect_stdout(sys.stderr):
            self._model = self._instantiate(arguments)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        with self._modules.activate():
            return [self._generate_one(request) for request in batch]

    def preview_request(self, request: Request) -> str:
        """The message, and the prompt that the class makes of it if it has `get_prompt`."""
        if not isinstance(request, Generate):
            return ""
        with self._modules.activate(), AudioFiles() as files:
            given = build_message(request, files)
            prompt = getattr(self._model, "get_prompt", None)
            lines = [dumps(given).decode().strip()]
            return "\n".join([*lines, f"get_prompt: {prompt(given)}"] if prompt else lines)

    def close(self) -> None:
        self._model = None

    def _instantiate(self, arguments: Mapping[str, Any]) -> Any:
        found = import_object(self.class_path, self._modules.parent_package)
        if not inspect.isclass(found) or not _implements_generation(found):
            raise SpecError(
                f"{self._name} is no model of the evalkit's: a class with generate_inner(msg), "
                "which returns (prompt, text), is."
            )
        self._validate_arguments(found, arguments)
        try:
            return found(**arguments)
        except AuricleError:
            raise
        except (Exception, SystemExit) as error:
            raise SpecError(f"{self._name} raised {type(error).__name__}: {told_by(error)}") from error

    def _validate_arguments(self, model_class: type[Any], arguments: Mapping[str, Any]) -> None:
        wanted = inspect.signature(model_class)
        try:
            wanted.bind(**arguments)
        except TypeError as error:
            takes = ", ".join(wanted.parameters) or "nothing"
            raise SpecError(f"{self._name}: {error}; it takes {takes}.") from error

    def _generate_one(self, request: Generate) -> Generation:
        with AudioFiles() as files:
            given = build_message(request, files)
            with annotate_errors(self._name):
                returned = self._call_model(request, given)
        return self._to_generation(returned)

    def _call_model(self, request: Generate, message: dict[str, Any]) -> Any:
        if self._overrides_call:
            return self._model(message)
        self._skip_rejected_audio(request, message["audio"])
        with inference_mode():
            return self._model.generate_inner(message)

    @property
    def _overrides_call(self) -> bool:
        """Has the class a `__call__` of its own, in place of the evalkit's?"""
        own = next((each for each in type(self._model).__mro__ if "__call__" in vars(each)), None)
        return own is not None and own.__module__ != MODEL_BASE_MODULE

    def _skip_rejected_audio(self, request: Generate, paths: list[str]) -> None:
        check = getattr(self._model, "check_audio_legal", None)
        if check is None or check(list(paths)):
            return
        sounds = [each for each in list_media(request) if isinstance(each, Audio)]
        long = ", ".join(f"{each.seconds:.4g} s" for each in sounds)
        raise Skipped(f"check_audio_legal of {self._model_name} leaves it out: a sound of {long}")

    def _to_generation(self, returned: Any) -> Generation:
        """The text, and beside it the prompt that the class says it really sent."""
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise SampleError(f"{self._expected}, not {_describe_type(returned)}")
        prompt, text = returned
        if not isinstance(text, str):
            raise SampleError(f"{self._expected}, and the text is {_describe_type(text)}")
        return Generation(text=text, prompt=prompt if isinstance(prompt, str) else "")

    @property
    def _expected(self) -> str:
        return f"generate_inner of {self._name} should return (prompt, text)"

    @property
    def _model_name(self) -> str:
        return str(getattr(self._model, "NAME", None) or type(self._model).__name__)


def create_model_class(class_path: str) -> type[KimiModel]:
    """The model of a class; its code runs when the model is made."""
    where, _, name = class_path.rpartition(":")
    if not where or not name:
        raise UnknownName(f"'kimi:{class_path}' should be kimi:package.module:Class or kimi:file.py:Class.")
    if where.endswith(".py") and not Path(where).is_file():
        raise UnknownName(f"There is no file {where}.")
    return type(name, (KimiModel,), {"code": class_path, "__doc__": f"{name}, of Kimi-Audio-Evalkit."})


def display_name(class_path: str) -> str:
    """A class's name as it is told, without the folders of its file."""
    return f"kimi:{Path(class_path).name if '.py:' in class_path else class_path}"


def build_message(request: Generate, audio_files: AudioFiles) -> dict[str, Any]:
    """What a class is given: its own copy of everything, to do with as it likes."""
    if sum(turn.role == "user" for turn in request.turns) != 1 or any(
        turn.role == "assistant" for turn in request.turns
    ):
        raise Unsupported("A class of the evalkit takes one message, and no conversation or examples.")
    sounds = [each for each in list_media(request) if isinstance(each, Audio)]
    text = extract_request_text(request)
    number = str(request.context.get("id", 0))
    return {
        "index": int(number) if number.isdecimal() else number,
        "audio": [audio_files.get_path(each) for each in sounds],
        "text": text,
        "meta": _build_meta(request.context, text),
    }


def _build_meta(context: Mapping[str, Any], text: str) -> dict[str, Any]:
    """What the evalkit tells of a dataset, then of the row; all of a row's meta if it is ours."""
    task, row = context.get("task", {}), context.get("meta", {})
    theirs = "dataset_name" in task
    known = task if theirs else _describe_task(task, text)
    own = row.get("meta", {}) if theirs else row
    told = {name: known[name] for name in META_FIELDS if name in known}
    subset = row.get("subset", known["dataset_name"])
    return copy.deepcopy({**told, "subset": subset, **own})


def _describe_task(task: Mapping[str, Any], text: str) -> dict[str, Any]:
    """A task of Auricle's in the evalkit's words."""
    kind = EVALKIT_TASKS.get(str(task.get("kind", "")), "Open-Ended")
    name = task.get("name") or "auricle"
    return {
        "task": kind,
        "interactive": "Audio-analysis" if text else "Audio-QA",
        "audio_type": "Speech" if kind == "ASR" else "Any",
        "dataset_series": name,
        "dataset_name": name,
        "lang": task.get("language") or None,
    }


def _implements_generation(model_class: type[Any]) -> bool:
    """Has it a way of its own to answer? The evalkit's base only names it."""
    ways = ("generate_inner", "__call__")
    owners = [next((each for each in model_class.__mro__ if way in vars(each)), None) for way in ways]
    named = callable(getattr(model_class, "generate_inner", None))
    return named and any(each is not None and each.__module__ != MODEL_BASE_MODULE for each in owners)


def _describe_type(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return "None" if value is None else type(value).__name__
