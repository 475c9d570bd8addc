"""Gemini's own protocol."""

import base64
from typing import Any

import pytest

from auricle import Audio, Generate, SampleError, Turn
from auricle.core.errors import Rejected, SpecError, Transient
from auricle.media import Image, Video
from auricle.models.gemini import Gemini
from auricle.testing.fake_server import compute_digest
from tests.support.http_servers import http_reply, question, run_model
from tests.support.videos import make_video

PNG = b"\x89PNG\r\n\x1a\n and some pixels"


def model_at(server: Any, **options: Any) -> Any:
    url = server.url.replace("/v1", "/v1beta")
    return Gemini(**{"base_url": url, "model": "flash", "api_key": "secret-key", **options})


def answer(*parts: Any, **more: Any) -> Any:
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": "STOP", **more}]}


def test_text_question_is_answered(serve: Any) -> None:
    text = run_model(model_at(serve()), question("one two three", max_tokens=2))
    assert (text.text, text.finish) == ("one two", "max_tokens")
    assert (text.input_tokens, text.tokens) == (3, 2)


def test_whole_video_is_sent_and_a_part_refused(serve: Any) -> None:
    model, content = model_at(serve()), make_video()
    assert run_model(model, question(Video(data=content), "What?")).text == f"watched {compute_digest(content)[:6]}"
    with pytest.raises(SampleError, match="APIs do not accept parts of a video"):
        run_model(model_at(serve()), question(Video(data=content, end=1.0), "What?"))


def test_turns_and_settings_use_the_gemini_format(canned: Any, tone: Any) -> None:
    server, path = canned(answer({"text": "ok"})), tone("a.wav")
    turns = (
        Turn("system", ("be brief",)),
        Turn("user", ("listen:", Audio(str(path)), Image(data=PNG))),
        Turn("assistant", ("yes?",)),
        Turn("user", (Audio("https://example.org/a.wav"),)),
    )
    run_model(model_at(server), Generate(turns=turns, max_tokens=9, stop=("\n",)))
    sound, image = (base64.b64encode(item).decode() for item in (path.read_bytes(), PNG))
    assert server.last.json() == {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "listen:"},
                    {"inlineData": {"mimeType": "audio/wav", "data": sound}},
                    {"inlineData": {"mimeType": "image/png", "data": image}},
                ],
            },
            {"role": "model", "parts": [{"text": "yes?"}]},
            {"role": "user", "parts": [{"fileData": {"fileUri": "https://example.org/a.wav"}}]},
        ],
        "generationConfig": {"maxOutputTokens": 9, "temperature": 0.0, "stopSequences": ["\n"]},
    }


def test_key_is_sent_in_a_header_and_not_in_the_url(canned: Any) -> None:
    server = canned(answer({"text": "ok"}))
    run_model(model_at(server))
    assert server.last.path == "/v1beta/models/flash:generateContent"
    assert server.last.headers["x-goog-api-key"] == "secret-key"
    assert "authorization" not in server.last.headers


def test_extra_fields_can_add_and_remove_settings(canned: Any) -> None:
    server = canned(answer({"text": "ok"}))
    extra = {"generationConfig": {"temperature": None, "topK": 1}, "safetySettings": []}
    run_model(model_at(server, extra=extra))
    body = server.last.json()
    assert body["generationConfig"] == {"maxOutputTokens": 512, "topK": 1}
    assert body["safetySettings"] == []


def test_reasoning_is_not_part_of_the_answer(canned: Any) -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "forty"}, {"text": "-two"}]
    assert run_model(model_at(canned(answer(*parts)))).text == "forty-two"


def test_withheld_answer_is_empty_with_a_finish_reason(canned: Any) -> None:
    text = run_model(model_at(canned({"candidates": [{"finishReason": "SAFETY"}]})))
    assert (text.text, text.finish, text.tokens) == ("", "safety", None)


def test_blocked_question_is_refused(canned: Any) -> None:
    server = canned({"promptFeedback": {"blockReason": "SAFETY"}})
    with pytest.raises(Rejected, match="refused to answer: SAFETY"):
        run_model(model_at(server))


@pytest.mark.parametrize("body", [b"[]", b"null", b'{"candidates": [3]}'])
def test_unexpected_json_is_refused(canned: Any, body: bytes) -> None:
    with pytest.raises(Rejected, match="instead of a Gemini response"):
        run_model(model_at(canned(http_reply(body=body))))


def test_refusal_contains_the_message_of_the_server(serve: Any) -> None:
    with pytest.raises(Rejected, match=r"HTTP 401 from .*: The API key is wrong or missing\."):
        run_model(model_at(serve(key="another")))


@pytest.mark.parametrize("fault", ["garbage", "cut", "drop", "500", "429", "408", "503"])
def test_transient_errors_are_distinguished_from_final_ones(serve: Any, fault: str) -> None:
    with pytest.raises(Transient):
        run_model(model_at(serve(faults={fault: 1.0})))


def test_too_large_image_is_refused(canned: Any) -> None:
    server = canned(answer({"text": "ok"}))
    with pytest.raises(SampleError, match="more than the limit of 1e-05 MB"):
        run_model(model_at(server, max_megabytes=1e-5), question(Image(data=PNG)))
    assert not server.requests


def test_missing_model_option_is_refused() -> None:
    with pytest.raises(SpecError, match="missing model"):
        Gemini()


@pytest.mark.parametrize(
    ("extra", "seeds"), [({}, [None, 3, 4]), ({"generationConfig": {"topK": 5, "seed": 7}}, [7, 10, 11])]
)
def test_sampled_requests_have_a_seed_of_their_own(canned: Any, extra: dict[str, Any], seeds: list[int | None]) -> None:
    server = canned(answer({"text": "ok"}))
    greedy, *sampled = question(seed=3), question(seed=3, temperature=0.7), question(seed=4, temperature=0.7)
    run_model(model_at(server, extra=extra), greedy, *sampled)
    assert [item.json()["generationConfig"].get("seed") for item in server.requests] == seeds
