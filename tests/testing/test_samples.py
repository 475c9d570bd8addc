"""Sounds and requests for tests of models."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from auricle import Audio, AuricleError, Generate, LogLikelihood, Predict
from auricle.core.types import ABILITY_BY_REQUEST, Call, Request
from auricle.testing import sample_sounds as write_sounds
from auricle.testing.samples import ORDINARY_SOUNDS, map_parts, replace_sounds


def test_every_sound_is_what_its_name_promises(sample_sounds: dict[str, Audio]) -> None:
    assert not sample_sounds["silent"].decode().any()
    assert sample_sounds["short"].seconds == 0.01
    assert sample_sounds["long"].seconds == 60.0
    assert (sample_sounds["stereo"].info().rate, sample_sounds["stereo"].info().channels) == (44_100, 2)
    assert sample_sounds["telephone"].info().rate == 8_000
    assert len({len(sample_sounds[name].decode()) for name in ORDINARY_SOUNDS}) == len(ORDINARY_SOUNDS)


def test_an_empty_and_a_damaged_file_cannot_be_decoded(sample_sounds: dict[str, Audio]) -> None:
    with pytest.raises(AuricleError, match="contains no audio"):
        sample_sounds["empty"].decode()
    assert sample_sounds["damaged"].seconds == sample_sounds["speech"].seconds  # its header is intact
    with pytest.raises(AuricleError, match="damaged"):
        sample_sounds["damaged"].decode()


def test_sounds_are_cut_to_a_length_and_have_a_rate(tmp_path: Path) -> None:
    sounds = write_sounds(tmp_path, rate=8_000, max_seconds=0.5, long_seconds=2.0)
    assert sounds["speech"].info().rate == 8_000
    assert max(sounds[name].seconds for name in sounds if name not in ("empty", "long")) == 0.5
    assert sounds["long"].seconds == 2.0


def test_sounds_are_the_same_each_time(tmp_path: Path, sample_sounds: dict[str, Audio]) -> None:
    again = write_sounds(tmp_path)
    assert {name: audio.hash for name, audio in again.items()} == {
        name: audio.hash for name, audio in sample_sounds.items()
    }


def test_there_are_requests_of_every_kind_and_modality(sample_requests: dict[str, Request]) -> None:
    assert {type(request) for request in sample_requests.values()} == {*ABILITY_BY_REQUEST} - {Call}
    assert sample_requests["image"].images
    assert len(sample_requests["several_sounds"].audios) == 2
    assert not sample_requests["text"].audios
    conversation = sample_requests["conversation"]
    assert isinstance(conversation, Generate)
    assert [turn.role for turn in conversation.turns] == ["system", "user", "assistant", "user"]


def test_the_image_can_be_decoded(sample_requests: dict[str, Request]) -> None:
    from PIL import Image

    image = sample_requests["image"].images[0]
    assert np.asarray(Image.open(io.BytesIO(image.read())).convert("RGB")).shape == (2, 2, 3)


@pytest.mark.parametrize("name", ["transcribe", "loglikelihood", "reward"])
def test_sounds_are_replaced_in_requests_of_every_kind(
    name: str, sample_requests: dict[str, Request], sample_sounds: dict[str, Audio]
) -> None:
    request = replace_sounds(sample_requests[name], sample_sounds["tone"])
    assert {*request.audios} == {sample_sounds["tone"]}
    assert request.text == sample_requests[name].text
    assert type(request) in (Generate, LogLikelihood, Predict)


def test_parts_are_left_out(sample_requests: dict[str, Request]) -> None:
    for name in ("question", "reward"):
        request = map_parts(sample_requests[name], lambda part: None if isinstance(part, str) else part)
        assert request.text == ""
        assert request.audios == sample_requests[name].audios
