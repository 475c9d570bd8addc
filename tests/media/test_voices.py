"""Voices that speak texts, and the cache of what they spoke."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from auricle.core.errors import AudioError, SpecError
from auricle.media import Audio, voices
from auricle.media.voices import EspeakVoice, find_voice, speak

has_espeak = shutil.which("espeak-ng") is not None
needs_espeak = pytest.mark.skipif(not has_espeak, reason="the program espeak-ng is not installed")


class Beeper:
    """A voice that beeps as long as its text, and counts how often it is asked to."""

    def __init__(self, signature: str = "beeper 1") -> None:
        self.signature = signature
        self.calls = 0

    def synthesise(self, text: str) -> Audio:
        self.calls += 1
        return Audio.of(np.full(80 * len(text), 0.5, np.float32), rate=8000)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_text_is_spoken_once_for_each_voice() -> None:
    first, again, other = Beeper(), Beeper(), Beeper("beeper 2")
    audio = speak(first, "Hello.")
    assert audio.seconds == pytest.approx(0.06)
    assert speak(again, "Hello.") == audio
    assert speak(again, "Hello!") != audio
    assert speak(other, "Hello.") != audio
    assert (first.calls, again.calls, other.calls) == (1, 1, 1)


def test_a_cache_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(SpecError, match=r"Cannot write a sound to .* Set XDG_CACHE_HOME"):
        speak(Beeper(), "Hello.")


@needs_espeak
def test_espeak_speaks_texts_the_same_each_time() -> None:
    voice = find_voice("espeak")
    assert isinstance(voice, EspeakVoice)
    assert voice.name == "en-us"
    assert "(1." in voice.signature
    assert voice.synthesise("Good morning, how are you?").seconds > 0.8
    assert np.array_equal(voice.synthesise("yes").decode(), voice.synthesise("yes").decode())


@needs_espeak
def test_espeak_speaks_the_language_of_the_texts() -> None:
    assert find_voice("espeak", "de").signature.startswith("espeak:de (")
    with pytest.raises(AudioError, match="could not speak with the voice 'xx-none'"):
        find_voice("espeak:xx-none").synthesise("yes")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("siri", "Unknown voice 'siri'. Expected espeak"),
        ("hibari:nightingale", "Unknown voice 'hibari:nightingale'. Voices of hibari: heart"),
        ("espeak", "No voice is installed"),
    ],
)
def test_voices_that_do_not_exist_are_refused(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(voices, "_has_hibari", lambda: True)
    with pytest.raises(SpecError, match=message):
        find_voice(name)


def test_recordings_are_a_voice_for_their_texts(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(Beeper().synthesise("Hello.").encode())
    (tmp_path / "index.json").write_text('{"Hello.": "a.wav"}')
    voice = find_voice(f"recordings:{tmp_path}")
    first_signature = voice.signature
    assert voice.synthesise("Hello.").seconds == pytest.approx(0.06)
    with pytest.raises(AudioError, match=r"There is no recording of 'Bye\.'"):
        voice.synthesise("Bye.")
    (tmp_path / "a.wav").write_bytes(Beeper().synthesise("Hello, you.").encode())
    assert voice.signature != first_signature
    (tmp_path / "index.json").write_text("[]")
    with pytest.raises(SpecError, match=r"index\.json is missing or not valid"):
        voice.synthesise("Hello.")


def test_hibari_is_the_default_for_english_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(voices, "_has_hibari", lambda: True)
    assert find_voice("", "en") == voices.HibariVoice("heart")
    assert find_voice("", "de") == EspeakVoice("de", "/usr/bin/espeak-ng")
    monkeypatch.setattr(voices, "_has_hibari", lambda: False)
    assert find_voice() == EspeakVoice("en-us", "/usr/bin/espeak-ng")
    with pytest.raises(SpecError, match="pip install hibari-tts"):
        find_voice("hibari")
