"""Local voices that speak the texts of scripts, without a network.

What a voice speaks is stored in the user's cache folder under a digest of the voice and the text, and made once.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from auricle.core.errors import AudioError, SpecError
from auricle.core.files import sounds_folder
from auricle.media.media import Audio

ESPEAK_PROGRAMS = ("espeak-ng", "espeak")
ESPEAK_SECONDS = 60.0
"""Longest time that the program may take for one text."""
HIBARI_VOICES = ("heart", "fenrir", "emma", "fable", "kore")
"""Voices of the package hibari-tts; the first is part of it, the others are downloaded when they are first used."""
RECORDINGS_INDEX = "index.json"
HOW_TO_INSTALL = "Install the program espeak-ng, or for English the package hibari-tts: pip install hibari-tts."


class Voice(Protocol):
    """Something that speaks texts, always in the same way."""

    @property
    def signature(self) -> str:
        """Name and version: two voices with the same signature speak a text alike."""

    def synthesise(self, text: str) -> Audio:
        """Speak a text.

        Raises:
            AudioError: if the voice fails.
        """


@dataclass(frozen=True)
class EspeakVoice:
    """The program eSpeak NG, which speaks many languages.

    Args:
        name: A voice of the program, such as `en-us`; see `espeak-ng --voices`.
        program: Path of the program.
    """

    name: str
    program: str

    @property
    def signature(self) -> str:
        return f"espeak:{self.name} ({_read_espeak_version(self.program)})"

    def synthesise(self, text: str) -> Audio:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "speech.wav"
            command = [self.program, "-v", self.name, "-w", str(path), "--stdin"]
            try:
                _run(command, text)
                return Audio(data=path.read_bytes())
            except (OSError, subprocess.SubprocessError) as error:
                reason = getattr(error, "stderr", b"") or str(error).encode()
                raise AudioError(
                    f"{Path(self.program).name} could not speak with the voice {self.name!r}: {reason.decode().strip()}"
                ) from error


def _run(command: list[str], text: str = "") -> bytes:
    """Run a program with a text as its input, and return its output."""
    return subprocess.run(  # noqa: S603 - a program that was found by name, without a shell
        command, input=text.encode(), capture_output=True, timeout=ESPEAK_SECONDS, check=True
    ).stdout


@lru_cache
def _read_espeak_version(program: str) -> str:
    match = re.search(rb"\d+(\.\d+)+", _run([program, "--version"]))
    return match[0].decode() if match else "unknown version"


@dataclass(frozen=True)
class HibariVoice:
    """A voice of the package hibari-tts, which speaks English."""

    name: str

    @property
    def signature(self) -> str:
        try:
            return f"hibari:{self.name} ({version('hibari-tts')})"
        except PackageNotFoundError:
            return f"hibari:{self.name} (unknown version)"

    def load(self) -> None:
        """Load the voice, which takes a while, before it is first used."""
        _load_hibari(self.name)

    def synthesise(self, text: str, *, seed: int = 0, speed: float = 1.0) -> Audio:
        import hibari

        try:
            samples = _load_hibari(self.name)(text, seed=seed, speed=speed)  # without a seed, every sound differs
        except Exception as error:
            raise AudioError(f"hibari could not speak with the voice {self.name!r}: {error}") from error
        return Audio.of(samples, rate=hibari.SAMPLE_RATE)


@lru_cache
def _load_hibari(name: str) -> Any:
    import hibari

    return hibari.Hibari(voice=name)


@dataclass(frozen=True)
class RecordedVoice:
    """Recordings of texts, in a folder with an `index.json` that has the name of the file of each text."""

    folder: str

    @property
    def signature(self) -> str:
        """The name of the folder, and a digest of its recordings."""
        content = "".join(Audio(str(path)).hash for path in sorted(map(self._path, self._files.values())))
        return f"recordings:{Path(self.folder).name} ({blake2b(content.encode(), digest_size=4).hexdigest()})"

    def synthesise(self, text: str) -> Audio:
        if text not in self._files:
            raise AudioError(f"There is no recording of {text!r} in {self.folder}.")
        return Audio(str(self._path(self._files[text])))

    @property
    def _files(self) -> dict[str, str]:
        index = Path(self.folder) / RECORDINGS_INDEX
        try:
            return {str(text): str(name) for text, name in json.loads(index.read_bytes()).items()}
        except (OSError, ValueError, AttributeError) as error:
            raise SpecError(f"Cannot read the recordings of a voice: {index} is missing or not valid.") from error

    def _path(self, name: str) -> Path:
        return Path(self.folder) / name


def find_voice(name: str = "", language: str = "") -> Voice:
    """Return a voice that is installed.

    Args:
        name: `espeak`, `espeak:VOICE`, `hibari`, `hibari:VOICE`, or `recordings:FOLDER`. [default: hibari for English
            if it is installed, else espeak]
        language: Language of the texts, which selects the voice of espeak if none is named.

    Raises:
        SpecError: if there is no such voice, or it is not installed.
    """
    engine, _, voice = name.partition(":")
    if not engine:
        is_english = language in ("", "en")
        engine = "hibari" if is_english and _has_hibari() else "espeak"
    if engine == "hibari":
        return _find_hibari(voice or HIBARI_VOICES[0])
    if engine == "espeak":
        program = next(filter(None, map(shutil.which, ESPEAK_PROGRAMS)), None)
        if program is None:
            raise SpecError(f"No voice is installed to speak the texts of the script. {HOW_TO_INSTALL}")
        return EspeakVoice(voice or ("en-us" if language in ("", "en") else language), program)
    if engine == "recordings" and voice:
        return RecordedVoice(voice)
    raise SpecError(
        f"Unknown voice {name!r}. Expected espeak, espeak:VOICE, hibari, hibari:VOICE or recordings:FOLDER."
    )


def _has_hibari() -> bool:
    return importlib.util.find_spec("hibari") is not None


def _find_hibari(voice: str) -> Voice:
    if not _has_hibari():
        raise SpecError("The voice hibari needs the package hibari-tts: pip install hibari-tts.")
    if voice not in HIBARI_VOICES:
        raise SpecError(f"Unknown voice 'hibari:{voice}'. Voices of hibari: {', '.join(HIBARI_VOICES)}.")
    return HibariVoice(voice)


def speak(voice: Voice, text: str) -> Audio:
    """Return a text as speech, in a file of the user's cache folder.

    Raises:
        AudioError: if the voice fails.
        SpecError: if the cache folder cannot be written to.
    """
    digest = blake2b(f"{voice.signature}\n{text}".encode(), digest_size=16).hexdigest()
    folder = sounds_folder()
    path = folder / f"speech-{digest}.flac"
    if not path.exists():
        write_sound(path, voice.synthesise(text).encode("flac"))
    return Audio(str(path))


def write_sound(path: Path, content: bytes) -> None:
    """Write a sound that other processes may be writing at the same time.

    Raises:
        SpecError: if that is not possible.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, scratch = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(scratch).replace(path)
    except OSError as error:
        raise SpecError(
            f"Cannot write a sound to {path.parent}: {error}. Set XDG_CACHE_HOME to another folder."
        ) from error
