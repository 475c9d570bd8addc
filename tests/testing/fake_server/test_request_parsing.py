import json
from pathlib import Path
from typing import Any

import pytest

from auricle.testing.fake_server.request_parsing import RequestBody, measure_seconds, split_tokens
from tests.testing.fake_server.conftest import (
    CHAT_PATH,
    TRANSCRIPTION_PATH,
    StartServer,
    audio_description,
    chat,
    chat_body,
    encode_base64,
    send,
    upload,
)


def test_last_user_turn_is_answered(start_server: StartServer) -> None:
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": [{"type": "text", "text": "second"}]},
        {"role": "assistant", "content": "well"},
    ]
    reply = send(start_server(), CHAT_PATH, json.dumps({"model": "fake", "messages": messages}))
    assert reply.text() == "second"


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ({"type": "input_audio", "input_audio": {"data": encode_base64(), "format": "wav"}}, audio_description()),
        ({"type": "input_audio", "input_audio": {"data": encode_base64(), "format": "mp3"}}, audio_description()),
        ({"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{encode_base64()}"}}, audio_description()),
        ({"type": "audio_url", "audio_url": {"url": "https://host/a.wav"}}, audio_description(b"https://host/a.wav")),
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encode_base64()}"}},
            audio_description().replace("heard", "saw"),
        ),
        (
            {"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{encode_base64()}"}},
            audio_description().replace("heard", "watched"),
        ),
        (
            {"type": "video_url", "video_url": {"url": "https://host/a.mp4"}},
            audio_description(b"https://host/a.mp4").replace("heard", "watched"),
        ),
    ],
)
def test_media_are_answered_with_their_digest(start_server: StartServer, part: dict[str, Any], answer: str) -> None:
    assert chat(start_server(), [{"type": "text", "text": "What is it?"}, part]).text() == answer


@pytest.mark.parametrize(("kind", "verb"), [("audio_url", "heard"), ("image_url", "saw"), ("video_url", "watched")])
def test_file_of_the_machine_is_read_and_a_missing_one_refused(
    start_server: StartServer, tmp_path: Path, kind: str, verb: str
) -> None:
    server, path = start_server(), tmp_path / "a file.mp4"
    path.write_bytes(b"moving")
    expected = audio_description(b"moving").replace("heard", verb)
    for url in (str(path), path.as_uri()):
        reply = chat(server, [{"type": kind, kind: {"url": url}}])
        assert (reply.status, reply.text()) == (200, expected)
    for url in (str(tmp_path / "absent.mp4"), (tmp_path / "absent.mp4").as_uri(), str(tmp_path), "x" * 5_000, "\0"):
        reply = chat(server, [{"type": kind, kind: {"url": url}}])
        assert reply.status == 400
        assert "No such file on the server" in reply.json()["error"]["message"]
    assert server.stats()["refused"] == {"invalid_request": 5}


def test_long_audio_is_accepted(start_server: StartServer) -> None:
    recording = bytes(range(256)) * 8000
    part = {"type": "input_audio", "input_audio": {"data": encode_base64(recording), "format": "wav"}}
    assert chat(start_server(), [part]).text() == audio_description(recording)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "The body is not JSON"),
        (b"[]", "must be a JSON object"),
        (b'{"model": "fake"}', "`messages` must be a list"),
        (b'{"messages": [{"role": "user", "content": "x"}]}', "`model` must be a non-empty string"),
        (b'{"model": "fake", "messages": ["x"]}', "Expected an object, not 'x'"),
        (chat_body([{"type": "smell"}]), "Unknown content part: 'smell'"),
        (chat_body(5), "must be a string or a list of parts"),
        (chat_body([{"type": "input_audio", "input_audio": {"data": "#", "format": "wav"}}]), "not valid base64"),
        (chat_body(max_tokens="many"), "`max_tokens` must be a positive integer, not 'many'"),
        (chat_body(modalities=["audio"], audio={"format": "mp3"}), "must be wav or pcm16, not 'mp3'"),
    ],
)
def test_malformed_request_is_rejected_with_a_reason(start_server: StartServer, content: bytes, message: str) -> None:
    server = start_server()
    reply = send(server, CHAT_PATH, content)
    assert reply.status == 400
    assert reply.json()["error"]["type"] == "invalid_request_error"
    assert message in reply.json()["error"]["message"]
    assert server.stats()["refused"] == {"invalid_request": 1}


def test_chinese_character_is_a_token() -> None:
    assert split_tokens("今天 好 today") == ["今", "天", " 好", " today"]


@pytest.mark.parametrize("name", ["good_morning.wav", "grüße.wav", ""])
def test_transcript_does_not_depend_on_the_file_name(start_server: StartServer, name: str) -> None:
    assert upload(start_server(), name=name).json()["text"] == audio_description()


def test_invalid_form_is_rejected(start_server: StartServer) -> None:
    server = start_server()
    assert send(server, TRANSCRIPTION_PATH, chat_body()).status == 400
    assert upload(server, response_format="srt").status == 400


def test_digest_of_a_form_does_not_depend_on_its_boundary() -> None:
    first, second = (
        RequestBody(f"--{boundary}\r\nfield\r\n--{boundary}--".encode(), f'multipart/form-data; boundary="{boundary}"')
        for boundary in ("one", "another")
    )
    assert first.digest == second.digest


def test_other_audio_formats_count_as_16_khz_pcm() -> None:
    assert measure_seconds(bytes(64_000)) == 2.0


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ({"timestamp_granularities[]": "word"}, "requires `response_format` to be verbose_json"),
        ({"timestamp_granularities[]": "line", "response_format": "verbose_json"}, "not 'line'"),
    ],
)
def test_granularities_need_the_verbose_format_and_a_valid_name(
    start_server: StartServer, form: Any, problem: str
) -> None:
    reply = upload(start_server(), **form)
    assert reply.status == 400
    assert problem in reply.json()["error"]["message"]
