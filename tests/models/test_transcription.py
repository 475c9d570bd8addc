"""Recognisers behind an endpoint for uploads."""

import email
from email.message import Message
from typing import Any, cast

import pytest

from auricle import Audio, SampleError
from auricle.core.errors import Rejected, SpecError, Transient
from auricle.models.transcription import Transcription
from tests.support.http_servers import http_reply, question, run_model


def model_at(server: Any, **options: Any) -> Any:
    return Transcription(**{"base_url": server.url, "model": "whisper", **options})


@pytest.fixture
def sound(tone: Any) -> Any:
    return Audio(str(tone("a.wav", 0.5)))


def fields(request: Any) -> Any:
    """Return the fields of a form by name, each a list of (file name, content)."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    result: dict[str, list[Any]] = {}
    for part in cast(list[Message], email.message_from_bytes(head + request.body).get_payload()):
        name = str(part.get_param("name", header="Content-Disposition"))
        result.setdefault(name, []).append((part.get_filename(), part.get_payload(decode=True)))
    return result


def test_clip_is_transcribed(serve: Any, sound: Any) -> None:
    answer = run_model(model_at(serve(reply="good morning")), question(sound, "transcribe this"))
    assert (answer.text, answer.tokens) == ("good morning", 2)
    assert answer.input_tokens > 1


def test_form_has_the_fields_of_the_endpoint(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi"})
    options = {"language": "en", "prompt": "names: Ada"}
    assert run_model(model_at(server, **options), question(sound, temperature=0.5, seed=3)).text == "hi"
    form = fields(server.last)
    assert server.last.path == "/v1/audio/transcriptions"
    assert form.pop("file") == [("sound.wav", sound.path.read_bytes())]
    assert {name: values[0][1] for name, values in form.items()} == {
        "model": b"whisper",
        "response_format": b"json",
        "temperature": b"0.5",
        "seed": b"3",
        "language": b"en",
        "prompt": b"names: Ada",
    }


def test_extra_fields_are_written_as_form_fields(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi"})
    extra = {"timestamp_granularities[]": ["word", "segment"], "vad": True, "temperature": None}
    run_model(model_at(server, extra=extra), question(sound))
    form = fields(server.last)
    assert [item for _, item in form["timestamp_granularities[]"]] == [b"word", b"segment"]
    assert form["vad"] == [(None, b"true")]
    assert "temperature" not in form


def test_translation_uses_its_own_path(serve: Any, sound: Any) -> None:
    server = serve()
    run_model(model_at(server, translate=True), question(sound))
    assert server.stats()["requests"] == {"/v1/audio/translations": 1}


@pytest.mark.parametrize("format_", ["text", "verbose_json"])
def test_every_response_format_is_parsed(serve: Any, sound: Any, format_: str) -> None:
    answer = run_model(model_at(serve(reply="good morning"), response_format=format_), question(sound))
    assert (answer.text, answer.tokens) == ("good morning", None)


def test_json_response_to_a_text_request_is_parsed(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi"})
    assert run_model(model_at(server, response_format="text"), question(sound)).text == "hi"


def test_opus_is_sent_with_the_suffix_ogg(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi"})
    run_model(model_at(server, audio_format="opus"), question(sound))
    assert fields(server.last)["file"][0][0] == "sound.ogg"


def test_large_file_is_sent_without_warnings(canned: Any, tone: Any) -> None:
    server, path = canned({"text": "hi"}), tone("long.wav", 40.0)
    run_model(model_at(server), question(Audio(str(path))))
    assert fields(server.last)["file"] == [("sound.wav", path.read_bytes())]


@pytest.mark.parametrize("sounds", [0, 2])
def test_request_must_have_one_clip(serve: Any, sound: Any, sounds: int) -> None:
    server = serve()
    with pytest.raises(SampleError, match=f"exactly one audio clip .* got {sounds}"):
        run_model(model_at(server), question(*[sound] * sounds, "transcribe this"))
    assert server.stats()["requests"] == {}


@pytest.mark.parametrize("format_", ["json", "text"])
def test_web_page_is_refused(serve: Any, sound: Any, format_: str) -> None:
    server = serve(faults={"html": 1.0})
    with pytest.raises(Rejected, match="a web page"):
        run_model(model_at(server, response_format=format_), question(sound))


@pytest.mark.parametrize("body", [b"[]", b"null", b"{}", b'{"text": null}'])
def test_response_without_text_is_refused(canned: Any, sound: Any, body: bytes) -> None:
    with pytest.raises(Rejected, match="instead of a transcript"):
        run_model(model_at(canned(http_reply(body=body))), question(sound))


@pytest.mark.parametrize("fault", ["garbage", "cut", "drop", "500", "429"])
def test_transient_errors_are_distinguished_from_final_ones(serve: Any, sound: Any, fault: str) -> None:
    with pytest.raises(Transient):
        run_model(model_at(serve(faults={fault: 1.0})), question(sound))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"model": ""}, "missing model"), ({"response_format": "srt"}, "response_format must be one of")],
)
def test_invalid_options_are_refused(options: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Transcription(**{"model": "whisper", **options})


def test_a_greedy_request_has_no_seed(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi"})
    run_model(model_at(server), question(sound, seed=3))
    assert "seed" not in fields(server.last)


def test_times_of_words_are_requested_and_parsed(serve: Any, sound: Any) -> None:
    answer = run_model(model_at(serve(reply="so be it"), words=True), question(sound))
    assert answer.text == "so be it"
    assert [segment.text for segment in answer.segments] == ["so", "be", "it"]
    assert answer.segments[0].start == 0.0
    assert answer.segments[-1].end == pytest.approx(0.5)


def test_times_of_segments_are_requested_and_parsed(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi", "segments": [{"start": 0.1, "end": 0.4, "text": " hi"}]})
    answer = run_model(model_at(server, segments=True), question(sound))
    assert (answer.segments[0].start, answer.segments[0].end, answer.segments[0].text) == (0.1, 0.4, "hi")
    form = fields(server.last)
    assert form["timestamp_granularities[]"] == [(None, b"segment")]
    assert form["response_format"] == [(None, b"verbose_json")]


def test_without_them_no_times_are_reported(serve: Any, sound: Any) -> None:
    model = model_at(serve(reply="good morning"), response_format="verbose_json")
    assert run_model(model, question(sound)).segments is None


def test_a_server_that_ignores_the_request_for_times_fails_the_sample(canned: Any, sound: Any) -> None:
    with pytest.raises(Rejected, match="does not return words"):
        run_model(model_at(canned({"text": "hi"}), words=True), question(sound))


def test_malformed_times_fail_the_sample(canned: Any, sound: Any) -> None:
    server = canned({"text": "hi", "words": [{"word": "hi", "start": "soon", "end": 1}]})
    with pytest.raises(SampleError, match="start is 'soon'"):
        run_model(model_at(server, words=True), question(sound))


@pytest.mark.parametrize("options", [{"words": True, "segments": True}, {"words": True, "stream": True}])
def test_times_have_one_granularity_and_are_not_streamed(options: Any) -> None:
    with pytest.raises(SpecError, match="not both"):
        Transcription(model="whisper", **options)
