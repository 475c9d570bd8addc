"""Synthetic speech whose words have exact times, by the library of eSpeak NG.

The program `espeak-ng` does not print the times of words; its library reports them while it speaks, to the sample. A
word ends where its last sound ends, not where the next word begins.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

from auricle.core.errors import AudioError, SpecError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LIBRARY_NAMES = ("libespeak-ng.so.1", "libespeak-ng.dylib", "libespeak-ng.dll")
SYNCHRONOUS_OUTPUT, PHONEME_EVENTS, CHARACTER_POSITIONS, UTF8_TEXT = 2, 1, 1, 1
LIST_END, WORD, PHONEME = 0, 1, 7
PAUSE_MARK = b"_"
"""First character of the name of a pause among phonemes."""
FULL_SCALE = 32_768.0


class _Identifier(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Identifier),
    )


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word and where it is in the sound, in samples."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TimedSpeech:
    """What was spoken, and its words."""

    samples: NDArray[float32]
    rate: int
    words: tuple[SpokenWord, ...]


@dataclass(slots=True)
class _Recording:
    """What the library reports while it speaks."""

    pieces: list[bytes] = field(default_factory=list)
    marks: list[tuple[int, int, int, int, bool]] = field(default_factory=list)
    """Kind, position and length in the text, position in the sound, and whether it is a pause."""

    def receive(self, wave: Any, count: int, events: Any) -> int:
        if wave and count > 0:
            self.pieces.append(ctypes.string_at(wave, 2 * count))
        index = 0
        while events[index].type != LIST_END:
            event = events[index]
            is_pause = event.type == PHONEME and event.id.string.startswith(PAUSE_MARK)
            self.marks.append((event.type, event.text_position, event.length, event.sample, is_pause))
            index += 1
        return 0


class EspeakLibrary:
    """Speaks texts with the library of eSpeak NG.

    Args:
        voice: A voice such as `en-us`; see `espeak-ng --voices`.

    Raises:
        SpecError: if the library is not installed or has no such voice.
    """

    _lock = Lock()  # the library has one state per process

    def __init__(self, voice: str = "en-us") -> None:
        self.voice = voice
        self._library = _load_library()
        self.rate = int(self._library.espeak_Initialize(SYNCHRONOUS_OUTPUT, 0, None, PHONEME_EVENTS))
        if self.rate <= 0:
            raise SpecError("eSpeak NG cannot be started: its data files are missing. Install espeak-ng-data.")
        self._choose_voice()

    def _choose_voice(self) -> None:
        if self._library.espeak_SetVoiceByName(self.voice.encode()):
            raise SpecError(f"eSpeak NG has no voice {self.voice!r}. See `espeak-ng --voices`.")

    def speak(self, text: str) -> TimedSpeech:
        """Speak a text and return the sound with the times of its words.

        What was spoken before changes the sound slightly: the same texts in the same order are spoken alike.

        Raises:
            AudioError: if the library fails, or the text has no words.
        """
        import numpy as np

        recording = _Recording()
        callback = _Callback(recording.receive)
        content = text.encode()
        with self._lock:
            self._choose_voice()  # another object may have chosen its own
            self._library.espeak_SetSynthCallback(callback)
            flags = (0, CHARACTER_POSITIONS, 0, UTF8_TEXT, None, None)
            failed = self._library.espeak_Synth(content, len(content) + 1, *flags)
            failed = failed or self._library.espeak_Synchronize()
        if failed:
            raise AudioError(f"eSpeak NG failed with code {failed} on {text[:100]!r}")
        samples = np.frombuffer(b"".join(recording.pieces), dtype=np.int16).astype(np.float32) / FULL_SCALE
        words = tuple(_list_words(text, recording.marks, len(samples)))
        if not words:
            raise AudioError(f"eSpeak NG speaks no word of {text[:100]!r}")
        return TimedSpeech(samples, self.rate, words)


def _load_library() -> Any:
    names = [*LIBRARY_NAMES, *filter(None, [ctypes.util.find_library("espeak-ng")])]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise SpecError(
        "The library of eSpeak NG is not installed. Install espeak-ng with the package manager of the system."
    )


def _list_words(text: str, marks: Sequence[tuple[int, int, int, int, bool]], length: int) -> Iterator[SpokenWord]:
    """Yield the words of a text from the first to the last of their sounds; pauses are part of none."""
    starts = [index for index, mark in enumerate(marks) if mark[0] == WORD]
    for index, following in pairwise([*starts, len(marks)]):
        _, position, size, _, _ = marks[index]
        sounds = [mark for mark in marks[index + 1 : following] if mark[0] == PHONEME]
        spoken = [mark for mark in sounds if not mark[4]]
        if not spoken:
            continue
        pauses = [mark[3] for mark in sounds if mark[4] and mark[3] >= spoken[-1][3]]
        next_word = marks[following][3] if following < len(marks) else length
        yield SpokenWord(text[position - 1 : position - 1 + size], spoken[0][3], min([*pauses, next_word, length]))
