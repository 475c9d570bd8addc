"""Recognisers for the CPU: Moonshine and PocketSphinx, whose English weights are part of their packages, and Vosk.

-m moonshine
-m pocketsphinx
-m vosk -M model=./vosk-model-small-en-us-0.15 -M words=true
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from auricle.core.arguments import Hint
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.segments import parse_segments
from auricle.core.types import Generate, Generation, Segment
from auricle.media import Audio
from auricle.models.base import BatchModel
from auricle.models.listing import ModelListing
from auricle.models.request_input import SPEECH_RATE, get_single_audio, to_pcm16

PRONUNCIATION_NUMBER = re.compile(r"\(\d+\)$")  # PocketSphinx writes `the(2)` for another pronunciation of `the`
VOSK_CHUNK_BYTES = 8_000  # a quarter of a second, as in the library's examples
VOSK_SEED = 1
VOSK_MODEL_FILES = ("am/final.mdl", "final.mdl")  # new and old layout


class Recogniser(BatchModel, ABC):
    """Transcribes one clip at a time, at 16 kHz."""

    batch_size = 1
    sample_rate = SPEECH_RATE

    @abstractmethod
    def transcribe(self, audio: Audio) -> str | Generation:
        """Return the text of a clip, or an answer that also has the times of its words."""

    def generate(self, batch: Sequence[Generate]) -> list[Generation]:
        answers = [self.transcribe(get_single_audio(request)) for request in batch]
        return [Generation(text=answer) if isinstance(answer, str) else answer for answer in answers]


class Moonshine(Recogniser):
    """Moonshine tiny-en."""

    listing = ModelListing(group="Speech recognition", extra="demo", packages=("moonshine_voice",), weights="package")

    def __init__(self, *, vad_threshold: float = 0.0) -> None:
        """Load the model.

        Args:
            vad_threshold: Threshold of voice activity detection. Off (0) by default, because on short clips it makes
                the model invent words; use 0.5 for recordings of several minutes.
        """
        self._transcriber = load_moonshine("moonshine", {"vad_threshold": str(vad_threshold)})

    def transcribe(self, audio: Audio) -> str:
        samples = audio.decode(SPEECH_RATE)
        transcript = self._transcriber.transcribe_without_streaming(samples, SPEECH_RATE)
        return " ".join(line.text.strip() for line in transcript.lines)

    def close(self) -> None:
        self._transcriber.close()


class PocketSphinx(Recogniser):
    """PocketSphinx with its English model."""

    listing = ModelListing(group="Speech recognition", extra="demo", packages=("pocketsphinx",), weights="package")

    def __init__(self, *, words: bool = False, **settings: Any) -> None:
        """Load the model.

        Args:
            words: Report the times of words.
            **settings: Options of PocketSphinx's `Decoder`, such as `beam` or `fwdflat`.
        """
        try:
            from pocketsphinx import Decoder
        except ImportError as error:
            raise MissingExtra("The model pocketsphinx", "demo") from error
        self._decoder: Any = Decoder(samprate=SPEECH_RATE, loglevel="FATAL", **settings)
        self._reports_words = words

    def transcribe(self, audio: Audio) -> str | Generation:
        samples = to_pcm16(audio, SPEECH_RATE)
        # Cepstral mean normalisation carries over from clip to clip. Resetting it makes the result independent of
        # the order of the data.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        text = hypothesis.hypstr if hypothesis else ""
        return Generation(text=text, segments=tuple(self._list_words())) if self._reports_words else text

    def _list_words(self) -> Iterator[Segment]:
        """Yield the words of the last clip; silences and fillers are in angle or square brackets."""
        rate = int(self._decoder.config["frate"])
        for segment in self._decoder.seg() or ():
            if not segment.word.startswith(("<", "[")):
                word = PRONUNCIATION_NUMBER.sub("", segment.word)
                yield Segment(segment.start_frame / rate, (segment.end_frame + 1) / rate, word)


class Vosk(Recogniser):
    """A Kaldi recogniser; there are models for many languages."""

    listing = ModelListing(
        group="Speech recognition",
        extra="vosk",
        packages=("vosk",),
        weights="checkpoint",
        weight_files=("am/final.mdl",),
    )

    def __init__(self, model: Annotated[str, Hint("weights")], *, words: bool = False) -> None:
        """Load the model.

        Args:
            model: A folder, or the name of a model in one of Vosk's model directories.
            words: Report the times of words.
        """
        self._model, self._new_recogniser = load_vosk(model, "vosk")
        self._reports_words = words

    def transcribe(self, audio: Audio) -> str | Generation:
        pcm = to_pcm16(audio, SPEECH_RATE)
        # A recogniser adapts to its input and adds random noise. A new recogniser and a fixed seed per clip make the
        # result independent of the order of the data and reproducible.
        if sys.platform != "win32":  # on Windows the generator of a library cannot be reached
            ctypes.CDLL(None).srand(VOSK_SEED)  # Kaldi draws its dither noise from C's random generator
        recogniser = self._new_recogniser(self._model, SPEECH_RATE)
        if self._reports_words:
            recogniser.SetWords(True)
        results = [
            recogniser.Result()  # after a pause, the text before it is final
            for start in range(0, len(pcm), VOSK_CHUNK_BYTES)
            if recogniser.AcceptWaveform(pcm[start : start + VOSK_CHUNK_BYTES])
        ]
        parts = [json.loads(result) for result in [*results, recogniser.FinalResult()]]
        text = " ".join(part["text"] for part in parts if part["text"])
        if not self._reports_words:
            return text
        words = [word for part in parts for word in part.get("result", ())]
        return Generation(text=text, segments=parse_segments(words))


def load_moonshine(name: str, options: dict[str, str]) -> Any:
    """Return the transcriber of Moonshine tiny-en, for a model of this name."""
    try:
        from moonshine_voice import ModelArch, Transcriber, get_model_path
    except ImportError as error:
        raise MissingExtra(f"The model {name}", "demo") from error
    weights = Path(get_model_path("tiny-en"))
    if not weights.exists():  # later releases of the package download the weights
        raise MissingExtra(f"The model {name} (with its weights)", "demo")
    return Transcriber(str(weights), ModelArch.TINY, options=options)


def load_vosk(model: str, name: str) -> tuple[Any, Callable[[Any, int], Any]]:
    """Return a model of Vosk, and what creates recognisers with it, for a model of this name."""
    try:
        import vosk
    except ImportError as error:
        raise MissingExtra(f"The model {name}", "vosk") from error
    vosk.SetLogLevel(-1)
    return _load_model(vosk, _find_model_folder(model, vosk.MODEL_DIRS)), vosk.KaldiRecognizer


def _find_model_folder(model: str, model_dirs: Sequence[str | Path | None]) -> Path:
    """Find a local model. Vosk's own lookup downloads without a checksum or ends the process."""
    folders = [Path(model).expanduser(), *(Path(model_dir) / model for model_dir in model_dirs if model_dir)]
    folders = list(dict.fromkeys(folders))  # an absolute path is the same in every directory
    for folder in folders:
        if folder.is_dir():
            return folder
    raise SpecError(
        f"vosk: model folder not found: {', '.join(map(str, folders))}. Unpack a model from "
        "https://alphacephei.com/vosk/models and set -M model=FOLDER."
    )


def _load_model(vosk: Any, folder: Path) -> Any:
    if not any((folder / name).is_file() for name in VOSK_MODEL_FILES):
        raise SpecError(f"vosk: {folder} is not a Vosk model: missing {' or '.join(VOSK_MODEL_FILES)}.")
    try:
        return vosk.Model(model_path=str(folder))
    except Exception as error:
        raise SpecError(f"vosk: cannot load the model in {folder}: {error}.") from error
