"""Words of synthetic speech are where the sound is."""

from __future__ import annotations

import numpy as np
import pytest

from auricle.core.errors import AudioError, SpecError
from auricle.media import timed_speech
from auricle.media.timed_speech import EspeakLibrary, TimedSpeech


@pytest.fixture(scope="module")
def library() -> EspeakLibrary:
    try:
        return EspeakLibrary("en-us")
    except SpecError as error:
        if "is not installed" not in str(error):
            raise
        pytest.skip("the library of eSpeak NG is not installed")


@pytest.fixture(scope="module")
def speech(library: EspeakLibrary) -> TimedSpeech:
    return library.speak("Seven two, nine. Hello world.")


def level(samples: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if len(samples) else 0.0


def test_all_words_are_in_order_and_within_the_sound(speech: TimedSpeech) -> None:
    assert [word.text for word in speech.words] == ["Seven", "two", "nine", "Hello", "world"]
    edges = [edge for word in speech.words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= len(speech.samples)


def test_words_are_loud_and_pauses_are_silent(speech: TimedSpeech) -> None:
    words = [level(speech.samples[word.start : word.end]) for word in speech.words]
    assert min(words) > 0.02
    two, nine, hello = speech.words[1:4]
    for before, after in ((two, nine), (nine, hello)):
        margin = speech.rate // 20  # a sound fades out
        assert level(speech.samples[before.end + margin : after.start - margin]) < 0.1 * min(words)


def test_a_second_text_starts_at_zero(library: EspeakLibrary, speech: TimedSpeech) -> None:
    again = library.speak("Seven two, nine. Hello world.")
    assert [word.text for word in again.words] == [word.text for word in speech.words]
    for word, before in zip(again.words, speech.words, strict=True):
        assert word.start == pytest.approx(
            before.start, abs=speech.rate // 20
        )  # what was spoken before matters a little


def test_positions_count_characters_of_any_script(library: EspeakLibrary) -> None:
    assert [word.text for word in library.speak("naïve café ten").words] == ["naïve", "café", "ten"]


@pytest.mark.parametrize("text", ["", "   "])
def test_a_text_without_words_is_refused(library: EspeakLibrary, text: str) -> None:
    with pytest.raises(AudioError, match="speaks no word of"):
        library.speak(text)


def test_an_unknown_voice_is_named(library: EspeakLibrary) -> None:
    with pytest.raises(SpecError, match=r"eSpeak NG has no voice 'no-such-voice'\. See `espeak-ng --voices`"):
        EspeakLibrary("no-such-voice")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_speech, "LIBRARY_NAMES", ("libno-such-library.so",))
    monkeypatch.setattr("ctypes.util.find_library", lambda _: None)
    with pytest.raises(SpecError, match=r"The library of eSpeak NG is not installed\. Install espeak-ng"):
        EspeakLibrary()
