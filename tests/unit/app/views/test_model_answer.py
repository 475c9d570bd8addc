"""Pictures of sounds and answers: what they are drawn from."""

from typing import Any

import numpy as np
import pytest

from auricle.app.palette import DARK, LIGHT
from auricle.app.theme import escape_markdown
from auricle.app.uploads import DecodedAudio
from auricle.app.views.model_answer import class_score_chart, gauge_chart
from auricle.app.waveforms import (
    MIN_DECIBELS,
    SPECTROGRAM_COLUMNS,
    compute_envelope,
    compute_spectrogram,
    spectrogram_chart,
    waveform_chart,
)


def sound(hertz: Any, seconds: float = 1.0, rate: int = 16_000) -> Any:
    time = np.arange(int(seconds * rate)) / rate
    return DecodedAudio("x", rate, 1, (0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32))


def test_an_envelope_keeps_the_extremes_of_a_long_sound() -> None:
    samples = np.zeros(1_000_000, np.float32)
    samples[123_456] = 0.9
    rows = compute_envelope(samples, 16_000)
    assert len(rows) == 600
    assert max(row["high"] for row in rows) == 0.9


def test_a_spectrogram_is_loudest_at_the_tone() -> None:
    found = compute_spectrogram(sound(2000).samples, 16_000)
    middle = found[:, found.shape[1] // 2]
    assert found.shape[1] == SPECTROGRAM_COLUMNS
    assert abs(np.argmax(middle) / (len(middle) - 1) * 8000 - 2000) < 40
    assert middle[len(middle) * 3 // 4] < -40


@pytest.mark.parametrize("samples", [np.zeros(1), np.zeros(50), np.zeros(16_000)])
def test_silence_and_the_shortest_sounds_can_be_drawn(samples: Any) -> None:
    heard = DecodedAudio("x", 16_000, 1, samples.astype(np.float32))
    assert compute_spectrogram(heard.samples, 16_000).min() >= MIN_DECIBELS
    for draw in (waveform_chart, spectrogram_chart):
        assert draw(heard, LIGHT).to_dict()


def test_an_hour_of_sound_makes_a_small_picture() -> None:
    drawn = spectrogram_chart(sound(440, seconds=600, rate=8000), DARK).to_json()
    assert len(drawn) < 400_000


def test_axes_have_units() -> None:
    drawn = spectrogram_chart(sound(440), LIGHT).to_dict()["encoding"]
    assert (drawn["x"]["title"], drawn["y"]["title"]) == ("time (s)", "frequency (kHz)")


def test_the_top_class_is_marked_by_more_than_colour() -> None:
    drawn = class_score_chart([("sad", 0.7), ("happy", 0.3)], True, LIGHT).to_dict()
    rows = drawn["data"]["values"] if "values" in drawn.get("data", {}) else None
    rows = rows or next(iter(drawn["datasets"].values()))
    assert [(row["name"], row["told"]) for row in rows] == [("▸ sad", "70.0%"), ("happy", "30.0%")]


def test_a_gauge_shows_values_beyond_its_ends() -> None:
    drawn = str(gauge_chart({"arousal": 1.2, "valence": -0.1}, LIGHT).to_dict())
    assert "'domain': [-0.1, 1.2]" in drawn


@pytest.mark.parametrize("text", ["![x](http://evil/x.png)", "<script>", ":red[x]", "a\n# b", "$x$",
                                  ":material/bug:", "[a](b)", "`x`", "**b**"])  # fmt: skip
def test_words_of_others_lose_all_power(text: str) -> None:
    bare = escape_markdown(text)
    for at, letter in enumerate(bare):
        if letter in "[]()<>`*$:!#":
            assert bare[at - 1] == "\\"
    assert "\n" not in bare
