"""Whisper with CTranslate2, through the package faster-whisper.

-m faster-whisper -M model=small.en
-m faster-whisper -M model=./large-v3-ct2 -M device=cuda -M compute_type=float16 -M language=de
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from auricle.core.arguments import Hint
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generate, Generation, Segment
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing
from auricle.models.request_input import get_single_audio

RATE = 16_000
REQUIRED_FILES = ("model.bin", "config.json", "tokenizer.json")
SIZES = ("tiny", "tiny.en", "base", "base.en", "small", "small.en", "medium", "medium.en", "large-v3", "turbo")
"""Usual sizes; the package lists all."""
COMPUTE_TYPES = ("default", "float32", "float16", "int8", "int8_float16")
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
WhisperTask: TypeAlias = Literal["transcribe", "translate"]
TASKS = get_args(WhisperTask)
# The library's defaults except for the last two: timestamps are not needed, and without conditioning on previous
# text an error in one window does not spread to the next.
DEFAULT_DECODING = {
    "beam_size": 5,
    "vad_filter": False,
    "without_timestamps": True,
    "condition_on_previous_text": False,
}


class FasterWhisper(BatchModel):
    """A Whisper model that transcribes, or translates into English, one clip at a time."""

    listing = ModelListing(
        group="Speech recognition",
        extra="faster-whisper",
        packages=("faster_whisper",),
        weights="checkpoint",
        weight_files=REQUIRED_FILES,
    )

    batch_size = 1
    sample_rate = RATE

    def __init__(
        self,
        model: Annotated[str, Hint("weights", SIZES)],
        *,
        device: Annotated[str, Hint(choices=("auto", "cpu", "cuda"))] = "auto",
        compute_type: Annotated[str, Hint(choices=COMPUTE_TYPES)] = "default",
        language: str = "",
        task: WhisperTask = "transcribe",
        words: bool = False,
        **decoding: Any,
    ) -> None:
        """Load the model.

        Args:
            model: A folder, a size or a hub name.
            device: Where the model runs; `auto` is a GPU if there is one.
            compute_type: Number format of CTranslate2.
            language: Language code; detected per clip if empty.
            task: Transcribe, or translate into English.
            words: Report the times of words. Sets `word_timestamps`.
            **decoding: Options of `WhisperModel.transcribe`.
        """
        try:
            import faster_whisper
        except ImportError as error:
            raise MissingExtra("The model faster-whisper", "faster-whisper") from error
        _check_options(faster_whisper, task, decoding)
        self._model: Any = _load_model(faster_whisper, model, device=device, compute_type=compute_type)
        _check_language(self._model.supported_languages, model, language, task)
        self._options = {**DEFAULT_DECODING, **decoding, "language": language or None, "task": task}
        if words:
            self._options["word_timestamps"] = True

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        return list(map(self._transcribe, batch))

    def _transcribe(self, request: Generate) -> Generation:
        samples = get_single_audio(request).decode(RATE)
        # A single temperature: the library's fallback temperatures sample at random, so two runs would differ.
        options = {"temperature": request.temperature, **self._options}
        if options["temperature"]:
            import ctranslate2

            ctranslate2.set_random_seed(request.seed)
        segments = list(self._model.transcribe(samples, **options)[0])
        return Generation(
            text="".join(segment.text for segment in segments).strip(),
            tokens=sum(len(segment.tokens) for segment in segments),
            segments=_list_words(segments) if self._options.get("word_timestamps") else None,
        )


def _list_words(segments: Sequence[Any]) -> tuple[Segment, ...]:
    return tuple(
        Segment(float(word.start), float(word.end), word.word.strip(), score=float(word.probability))
        for segment in segments
        for word in segment.words or ()
    )


def _check_options(whisper: Any, task: str, decoding: dict[str, Any]) -> None:
    if task not in TASKS:
        raise SpecError(f"faster-whisper: task must be {' or '.join(TASKS)}, not {task!r}.")
    accepted = list(inspect.signature(whisper.WhisperModel.transcribe).parameters)[2:]
    if unknown := [name for name in decoding if name not in accepted]:
        raise SpecError(
            f"faster-whisper: unknown option {', '.join(unknown)}. Accepted: model, device, "
            f"compute_type, {', '.join(accepted)}."
        )


def _check_language(languages: Sequence[str], model: str, language: str, task: str) -> None:
    if language and language not in languages:
        raise SpecError(
            f"faster-whisper: {model} does not support the language {language!r}. Supported: {', '.join(languages)}."
        )
    if task == "translate" and len(languages) == 1:
        raise SpecError(f"faster-whisper: {model} supports only English and cannot translate.")


def _load_model(whisper: Any, model: str, **options: str) -> Any:
    folder = Path(model).expanduser()
    if folder.is_dir():
        # The library fails obscurely without these files, or downloads what is missing.
        if missing := [name for name in REQUIRED_FILES if not (folder / name).is_file()]:
            raise SpecError(
                f"faster-whisper: {folder} is not a CTranslate2 Whisper model: missing {', '.join(missing)}. "
                "Convert a Hugging Face folder with ct2-transformers-converter "
                "(--copy_files tokenizer.json preprocessor_config.json)."
            )
        return whisper.WhisperModel(str(folder), **options)
    sizes = whisper.available_models()
    if model not in sizes and not HUB_NAME.fullmatch(model):
        raise SpecError(
            f"faster-whisper: {model} is neither a folder nor a size. "
            f"Set -M model=FOLDER, or a size: {', '.join(sizes)}."
        )
    try:
        return whisper.WhisperModel(model, **options)
    except OSError as error:
        reason = str(error).partition("\n")[0]
        raise SpecError(
            f"faster-whisper: {model} is not in the local cache and could not be downloaded ({reason}). "
            "Set the folder of a CTranslate2 model: -M model=FOLDER."
        ) from error
