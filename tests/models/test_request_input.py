"""Reading the audio and the text of a request."""

import numpy as np
import pytest

from auricle import Audio
from auricle.core.errors import SampleError, SpecError
from auricle.core.types import Generate, Predict, Turn
from auricle.media.video import FrameSampling
from auricle.models.request_input import (
    crop_audio,
    get_candidate_audio,
    get_single_audio,
    get_voice_prompt,
    join_turns,
    parse_crop,
    parse_frame_sampling,
    to_pcm16,
    turn_text,
)

CLIP = Audio.of(np.array([0.0, 0.5, -2.0, 2.0], dtype=np.float32), rate=4)


def test_single_clip_is_returned() -> None:
    assert get_single_audio(Generate(turns=(Turn("user", ("What?", CLIP)),))) is CLIP


@pytest.mark.parametrize("count", [0, 2])
def test_other_numbers_of_clips_are_refused(count: int) -> None:
    with pytest.raises(SampleError, match=f"exactly one audio clip in the request, got {count}"):
        get_single_audio(Generate(turns=(Turn("user", (CLIP,) * count),)))


def test_candidate_is_the_input_audio() -> None:
    assert get_candidate_audio(Predict(inputs={"audio": CLIP, "ref_audio": Audio("other.wav")})) is CLIP
    with pytest.raises(SampleError, match="no audio under the input `audio`; inputs: text"):
        get_candidate_audio(Predict(inputs={"text": "hello"}))


def test_pcm_is_clipped_to_full_scale() -> None:
    assert np.frombuffer(to_pcm16(CLIP, 4), "<i2").tolist() == [0, 16_383, -32_767, 32_767]


def test_crop_shortens_only_longer_clips() -> None:
    assert crop_audio(CLIP, 0.5).seconds == 0.5
    assert crop_audio(CLIP, 9.0) is CLIP
    assert crop_audio(CLIP, None) is CLIP


def test_crop_must_be_a_positive_number() -> None:
    assert parse_crop("clap", 2) == 2.0
    for crop in (0, -1, True, "ten", float("inf")):
        with pytest.raises(SpecError, match="clap: crop must be a number of seconds above 0"):
            parse_crop("clap", crop)


def test_turns_are_joined_by_newlines_without_roles() -> None:
    assert join_turns([Turn("system", ("Be brief.",)), Turn("user", ("What ", "now?"))]) == "Be brief.\nWhat now?"


def test_audio_is_refused() -> None:
    with pytest.raises(SampleError, match="this model accepts only text, not Audio"):
        turn_text(Turn("user", (Audio("a.wav"),)))


def test_frames_or_fps_decide_how_videos_are_sampled() -> None:
    assert parse_frame_sampling("openai", None, None) is None
    assert parse_frame_sampling("openai", None, 0.5) == FrameSampling(fps=0.5)
    with pytest.raises(SpecError, match=r"openai: set either a number of frames or fps\. Set -M frames=8"):
        parse_frame_sampling("openai", 8, 1.0)


def test_the_voice_to_imitate_is_the_audio_of_an_assistant_turn() -> None:
    clip = Audio("voice.wav")
    request = Generate(turns=(Turn("assistant", (clip, "Hello.")), Turn("user", ("Good morning.",))))
    assert get_voice_prompt(request) == (clip, "Hello.")
    assert get_voice_prompt(Generate(turns=(Turn("user", (clip, "Good morning.")),))) is None
    assert get_voice_prompt(Predict(inputs={"audio": clip})) is None
