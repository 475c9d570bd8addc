"""Adapter for model classes of the evalkit: one message in, one answer out."""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

from auricle.core.errors import SampleError, Skipped, SpecError, Unsupported
from auricle.core.registry import import_object
from auricle.core.serialization import dumps
from auricle.core.types import Generate, Generation, Request
from auricle.core.user_code import annotate_errors
from auricle.frameworks.kimi.datasets import TASKS_BY_KIND
from auricle.frameworks.kimi.stubs import MODEL_BASE_MODULE, MODELS_PACKAGE, EvalkitModules, inference_mode
from auricle.frameworks.user_classes import AudioFiles, UserModel, describe_type, find_owner, instantiate

EVALKIT_TASKS = {**TASKS_BY_KIND, "classify": "MQA", "translate": "Ref-QA"}
"""The evalkit's task for each kind of task; all other kinds are "Open-Ended"."""
META_FIELDS = ("task", "interactive", "audio_type", "dataset_series", "dataset_name", "lang")


class KimiModel(UserModel):
    """A model class from a file or module; all `-M` arguments are passed to the class."""

    batch_size = 1  # a class takes one message at a time, so each sample fails on its own
    wants_context = True

    def __init__(self, **arguments: Any) -> None:
        self._modules = EvalkitModules(self.class_path, MODELS_PACKAGE)
        with self._modules.activate(), redirect_stdout(sys.stderr):
            self._model = self._instantiate(arguments)

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        with self._modules.activate():
            return [self._to_generation(self._send(request)) for request in batch]

    def preview_request(self, request: Request) -> str:
        """Return the message, and the prompt made from it if the class has `get_prompt`."""
        if not isinstance(request, Generate):
            return ""
        with self._modules.activate(), AudioFiles() as files:
            message = build_message(request, files)
            get_prompt = getattr(self._model, "get_prompt", None)
            lines = [dumps(message).decode().strip()]
            return "\n".join([*lines, f"get_prompt: {get_prompt(message)}"] if get_prompt else lines)

    def _instantiate(self, arguments: Mapping[str, Any]) -> Any:
        model_class = import_object(self.class_path, self._modules.parent_package)
        if not inspect.isclass(model_class) or not _implements_generation(model_class):
            raise SpecError(
                f"{self._name} is not a model of the evalkit. "
                "Expected a class with generate_inner(msg) that returns (prompt, text)."
            )
        return instantiate(self._name, model_class, arguments)

    def _send(self, request: Generate) -> Any:
        """Return what the class returns for a request."""
        with AudioFiles() as files:
            message = build_message(request, files)
            with annotate_errors(self._name):
                if _overrides(type(self._model), "__call__"):
                    return self._model(message)
                self._skip_rejected_audio(request, message["audio"])
                with inference_mode():
                    return self._model.generate_inner(message)

    def _skip_rejected_audio(self, request: Generate, paths: list[str]) -> None:
        check = getattr(self._model, "check_audio_legal", None)
        if check is None or check(list(paths)):
            return
        name = getattr(self._model, "NAME", None) or type(self._model).__name__
        durations = ", ".join(f"{recording.seconds:.4g} s" for recording in request.audios)
        raise Skipped(f"check_audio_legal of {name} rejects the audio ({durations})")

    def _to_generation(self, returned: Any) -> Generation:
        """Return the text, with the prompt that the class reports to have sent."""
        expected = f"generate_inner of {self._name} should return (prompt, text)"
        if not isinstance(returned, (tuple, list)) or len(returned) != 2:
            raise SampleError(f"{expected}, not {describe_type(returned)}")
        prompt, text = returned
        if not isinstance(text, str):
            raise SampleError(f"{expected}, but the text is {describe_type(text)}")
        return Generation(text=text, prompt=prompt if isinstance(prompt, str) else "")


def build_message(request: Generate, audio_files: AudioFiles) -> dict[str, Any]:
    """Build the message for a class; it is a copy that the class may modify."""
    if [turn.role for turn in request.turns if turn.role != "system"] != ["user"]:
        raise Unsupported("A model class of the evalkit takes one message, without conversation or examples.")
    text = request.text
    sample_id = str(request.context.get("id", 0))
    return {
        "index": int(sample_id) if sample_id.isdecimal() else sample_id,
        "audio": [audio_files.get_path(recording) for recording in request.audios],
        "text": text,
        "meta": _build_meta(request.context, text),
    }


def _build_meta(context: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Build `meta`: fields of the dataset, then of the row (for Auricle's own tasks, all metadata of the row)."""
    task, row = context.get("task", {}), context.get("meta", {})
    is_evalkit_task = "dataset_name" in task
    dataset_fields = task if is_evalkit_task else _describe_task(task, text)
    row_meta = row.get("meta", {}) if is_evalkit_task else row
    shared_fields = {name: dataset_fields[name] for name in META_FIELDS if name in dataset_fields}
    subset = row.get("subset", dataset_fields["dataset_name"])
    return copy.deepcopy({**shared_fields, "subset": subset, **row_meta})


def _describe_task(task: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Describe one of Auricle's tasks with the evalkit's fields."""
    evalkit_task = EVALKIT_TASKS.get(str(task.get("kind", "")), "Open-Ended")
    name = task.get("name") or "auricle"
    return {
        "task": evalkit_task,
        "interactive": "Audio-analysis" if text else "Audio-QA",
        "audio_type": "Speech" if evalkit_task == "ASR" else "Any",
        "dataset_series": name,
        "dataset_name": name,
        "lang": task.get("language") or None,
    }


def _implements_generation(model_class: type[Any]) -> bool:
    """Return whether a class generates answers itself; the method of the evalkit's base class is empty."""
    is_overridden = _overrides(model_class, "generate_inner") or _overrides(model_class, "__call__")
    return is_overridden and callable(getattr(model_class, "generate_inner", None))


def _overrides(model_class: type[Any], method: str) -> bool:
    """Return whether a class defines a method other than that of the evalkit's base class."""
    owner = find_owner(model_class, method)
    return owner is not None and owner.__module__ != MODEL_BASE_MODULE
