"""Whisper through CTranslate2, as the package faster-whisper runs it.

-m faster-whisper -M model=small.en
-m faster-whisper -M model=./large-v3-ct2 -M device=cuda -M compute_type=float16 -M language=de
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generate, Generation
from auricle.models.audio_input import get_single_audio
from auricle.models.base import BatchModel

RATE = 16_000
REQUIRED_FILES = ("model.bin", "config.json", "tokenizer.json")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
TASKS = ("transcribe", "translate")
# The library's own, but for the last two: no time stamps, and nothing is carried from one window
# to the next, so that one wrong window does not spoil those after it.
DEFAULT_DECODING = {
    "beam_size": 5,
    "vad_filter": False,
    "without_timestamps": True,
    "condition_on_previous_text": False,
}


class FasterWhisper(BatchModel):
    """Speech to text in Whisper's languages, or translated into English; one clip at a time."""

    batch_size = 1
    sample_rate = RATE

    def __init__(
        self,
        model: str,
        *,
        device: str = "auto",
        compute_type: str = "default",
        language: str = "",
        task: str = "transcribe",
        **decoding: Any,
    ) -> None:
        """`model` is a folder, a size or a Hub name; `decoding`, options of its `transcribe`."""
        whisper = _import_faster_whisper()
        _check_options(whisper, task, decoding)
        self._model = _load_model(whisper, model, device=device, compute_type=compute_type)
        _check_language(self._model.supported_languages, model, language, task)
        self._options = {**DEFAULT_DECODING, **decoding, "language": language or None, "task": task}

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return [self._transcribe(request) for request in batch]

    def _transcribe(self, request: Generate) -> Generation:
        sound = get_single_audio(request).decode(RATE)
        # One temperature: the library's ladder of them rolls dice when a text looks odd, and two
        # runs would differ.
        options = {"temperature": request.temperature, **self._options}
        segments = list(self._model.transcribe(sound, **options)[0])
        return Generation(
            text="".join(segment.text for segment in segments).strip(),
            tokens=sum(len(segment.tokens) for segment in segments),
        )


def _import_faster_whisper() -> Any:
    try:
        import faster_whisper
    except ImportError as error:
        raise MissingExtra("The model faster-whisper", "faster-whisper") from error
    return faster_whisper


def _check_options(whisper: Any, task: str, decoding: dict[str, Any]) -> None:
    if task not in TASKS:
        raise SpecError(f"faster-whisper: task should be {' or '.join(TASKS)}, not {task!r}.")
    known = list(inspect.signature(whisper.WhisperModel.transcribe).parameters)[2:]
    if unknown := [name for name in decoding if name not in known]:
        raise SpecError(
            f"faster-whisper knows no option {', '.join(unknown)}; it takes model, device, "
            f"compute_type, {', '.join(known)}."
        )


def _check_language(languages: Sequence[str], model: str, language: str, task: str) -> None:
    if language and language not in languages:
        raise SpecError(f"faster-whisper: {model} knows no language {language!r}; it knows {', '.join(languages)}.")
    if task == "translate" and len(languages) == 1:
        raise SpecError(f"faster-whisper: {model} knows only English, and translates nothing.")


def _load_model(whisper: Any, model: str, **options: str) -> Any:
    folder = Path(model).expanduser()
    if folder.is_dir():
        _check_folder(folder)
        return whisper.WhisperModel(str(folder), **options)
    sizes = whisper.available_models()
    if model not in sizes and not HUB_NAME.fullmatch(model):
        raise SpecError(
            f"faster-whisper: there is no folder {model}, nor a size of that name. Give "
            f"-M model=FOLDER, or a size: {', '.join(sizes)}."
        )
    try:
        return whisper.WhisperModel(model, **options)
    except OSError as error:
        why = str(error).partition("\n")[0]
        raise SpecError(
            f"faster-whisper: {model} is not on this machine and cannot be fetched ({why}). "
            "Give the folder of a CTranslate2 model with -M model=FOLDER."
        ) from error


def _check_folder(folder: Path) -> None:
    """Without these the library would fail obscurely, or go to the network for what is missing."""
    if missing := [name for name in REQUIRED_FILES if not (folder / name).is_file()]:
        raise SpecError(
            f"faster-whisper: {folder} is no CTranslate2 Whisper model: it has no "
            f"{', no '.join(missing)}. ct2-transformers-converter makes one from a Hugging Face "
            "folder (--copy_files tokenizer.json preprocessor_config.json)."
        )
