"""Synthesisers behind the speech endpoint."""

from base64 import b64decode
from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pytest

from auricle import Audio, Generate, Turn
from auricle.core.errors import Rejected, SampleError, SpecError
from auricle.models.http.timing import RequestTimer
from auricle.models.speech import Speech, SpeechReader
from tests.support.http_servers import question, run_model


def model_at(server: Any, **options: Any) -> Any:
    return Speech(**{"base_url": server.url, "model": "fake", **options})


@pytest.mark.parametrize("response_format", ["pcm", "wav"])
def test_text_is_spoken(serve: Any, response_format: str) -> None:
    answer = run_model(model_at(serve(), response_format=response_format), question("one two three four"))
    assert answer.audio is not None
    assert answer.audio.seconds == pytest.approx(0.2, abs=0.01)
    assert answer.text == ""


def test_body_has_the_fields_of_the_endpoint(serve: Any) -> None:
    prepared = model_at(serve(), voice="nova", extra={"speed": 2}).prepare(question("hello"))
    expected = b'{"model":"fake","input":"hello","voice":"nova","response_format":"pcm","speed":2}'
    assert (prepared.path, prepared.body) == ("/audio/speech", expected)


def test_audio_is_timed_as_it_arrives(serve: Any) -> None:
    server = serve(latency=0.05, audio_chunk_seconds=0.1, audio_pace=2)
    timing = run_model(model_at(server), question("one two three four five six")).timing
    assert timing.first_audio >= 0.05
    assert timing.last_token - timing.first_audio > 0.07  # 0.3 s of audio at twice real time


@pytest.mark.parametrize(("rate", "seconds"), [(24_000, 1.0), (12_000, 2.0)])
def test_length_of_wav_audio_follows_from_its_header(rate: int, seconds: float) -> None:
    timer = RequestTimer(streamed=True)
    reader = SpeechReader(question("hello"), timer)
    header = bytearray(44)
    header[:4], header[28:32] = b"RIFF", (2 * rate).to_bytes(4, "little")
    reader.add_audio(bytes(header) + bytes(24_000))
    reader.add_audio(b"\x00\x10" * 12_000)
    assert sum(length for _, length in timer.spoken) == pytest.approx(seconds)
    assert timer.first_audible == timer.spoken[1][0]


def test_response_without_audio_is_rejected(canned: Any) -> None:
    with pytest.raises(Rejected, match="returned application/json instead of audio"):
        run_model(model_at(canned({"text": "hi"})), question("hello"))


def test_format_of_unknown_length_is_refused(serve: Any) -> None:
    with pytest.raises(SpecError, match="response_format must be pcm or wav, not 'mp3'"):
        model_at(serve(), response_format="mp3")


def test_a_row_may_name_its_voice(serve: Any) -> None:
    request = replace(question("hello"), context={"voice": "anna"})
    assert orjson.loads(model_at(serve(), voice="nova").prepare(request).body)["voice"] == "anna"


CLIP = Audio.of(np.zeros(80, np.float32), rate=8000)
CLONING = Generate(turns=(Turn("assistant", (CLIP, "Hello.")), Turn("user", ("Good morning.",))))


def test_a_voice_to_imitate_is_sent_in_the_fields_of_the_server(serve: Any) -> None:
    body = orjson.loads(model_at(serve(), prompt_fields="ref_audio, ref_text").prepare(CLONING).body)
    assert body["input"] == "Good morning."
    assert body["ref_text"] == "Hello."
    head, _, sound = body["ref_audio"].partition(",")
    assert head == "data:audio/wav;base64"
    assert Audio(data=b64decode(sound)).info().rate == 8000
    assert "Hello." not in model_at(serve(), prompt_fields="voice_file").prepare(CLONING).body.decode()


def test_a_voice_to_imitate_is_never_dropped_silently(serve: Any) -> None:
    with pytest.raises(SampleError, match="-M prompt_fields=ref_audio,ref_text"):
        model_at(serve()).prepare(CLONING)


@pytest.mark.parametrize("fields", ["a,b,c", "a,"])
def test_names_of_fields_are_checked(serve: Any, fields: str) -> None:
    with pytest.raises(SpecError, match="prompt_fields must be one or two names"):
        model_at(serve(), prompt_fields=fields)
