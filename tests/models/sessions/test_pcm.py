"""PCM audio in base64."""

import base64

import numpy as np
import orjson
import pytest

from auricle.models.http.fields import InvalidField
from auricle.models.sessions.pcm import PcmDecoder, append_message, encode_pcm

SAMPLES = np.array([0, 1, -1, 32767, -32768], np.int16)


def test_samples_are_encoded_as_little_endian_pcm() -> None:
    assert base64.b64decode(encode_pcm(SAMPLES)) == b"\x00\x00\x01\x00\xff\xff\xff\x7f\x00\x80"


def test_a_frame_is_a_json_message() -> None:
    assert orjson.loads(append_message(SAMPLES)) == {
        "type": "input_audio_buffer.append",
        "audio": encode_pcm(SAMPLES).decode(),
    }


@pytest.mark.parametrize("cut", range(11))
def test_a_sample_may_be_split_between_two_parts(cut: int) -> None:
    content, decoder = SAMPLES.tobytes(), PcmDecoder()
    parts = [decoder.decode(base64.b64encode(part).decode(), "a") for part in (content[:cut], content[cut:])]
    assert np.concatenate(parts).tolist() == SAMPLES.tolist()
    assert not decoder.has_half_sample("a")


def test_halves_of_different_items_are_not_joined() -> None:
    decoder = PcmDecoder()
    decoder.decode(base64.b64encode(b"\x01").decode(), "a")
    assert decoder.has_half_sample("a")
    assert decoder.decode(encode_pcm(SAMPLES).decode(), "b").tolist() == SAMPLES.tolist()


@pytest.mark.parametrize("data", ["%%%%", "abc", "ä"])
def test_other_text_is_refused(data: str) -> None:
    with pytest.raises(InvalidField, match="expected audio in base64"):
        PcmDecoder().decode(data, "a")
