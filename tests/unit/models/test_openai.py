"""Chat over OpenAI's protocol: what is sent, what is read, whole and in a stream."""

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

pytest.importorskip("aiohttp")

from auricle import Audio, Generate, SampleError, Turn
from auricle.api import load_model
from auricle.audio import Image, Video
from auricle.core.errors import AudioError, Refused, SpecError, Transient
from auricle.core.types import Generation
from auricle.models.openai import OpenAI
from tests.support.http_servers import chat, delta, pieces, question, streamed, told, whole

PNG = b"\x89PNG\r\n\x1a\n and some pixels"
STOP = delta(finish="stop")
USAGE = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


def model_at(server: Any, **options: Any) -> Any:
    return OpenAI(**{"base_url": server.url, "model": "fake", **options})


def sound_of(part: Any) -> Any:
    return base64.b64decode(part["input_audio"]["data"])


def read(content: Any) -> Any:
    return soundfile.read(io.BytesIO(content), dtype="float32")


# --- what is sent ----------------------------------------------------------------


def test_a_question_in_text_is_answered(serve: Any) -> None:
    said = told(model_at(serve()), question("how are you"))
    assert (said.text, said.finish) == ("how are you", "stop")
    assert (said.input_tokens, said.tokens) == (3, 3)


def test_turns_keep_their_roles_and_their_order(canned: Any) -> None:
    server = canned(chat())
    turns = (Turn("system", ("be brief",)), Turn("user", ("a", "b")), Turn("assistant", ("c",)), Turn("user", ("d",)))
    told(model_at(server), Generate(turns=turns, max_tokens=7, temperature=0.5))
    assert server.last.json() == {
        "model": "fake",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "ab"},
            {"role": "assistant", "content": "c"},
            {"role": "user", "content": "d"},
        ],
        "max_tokens": 7,
        "temperature": 0.5,
    }


def test_text_and_sounds_stay_in_order(canned: Any, tone: Any) -> None:
    server, first, second = canned(chat()), tone("a.wav", 0.1), tone("b.wav", 0.2)
    parts = ("one", Audio(str(first)), "two", Audio(str(second)), "three")
    told(model_at(server), question(*parts))
    sent = server.last.json()["messages"][0]["content"]
    assert [each["type"] for each in sent] == ["text", "input_audio"] * 2 + ["text"]
    assert [sent[at]["text"] for at in (0, 2, 4)] == ["one", "two", "three"]
    assert [sound_of(sent[at]) for at in (1, 3)] == [first.read_bytes(), second.read_bytes()]


def test_a_picture_is_sent_untouched(canned: Any) -> None:
    server = canned(chat())
    told(model_at(server), question(Image(data=PNG), "what is it"))
    url = server.last.part(0)["image_url"]["url"]
    assert url == "data:image/png;base64," + base64.b64encode(PNG).decode()


def test_sounds_can_be_sent_as_addresses(canned: Any, tone: Any) -> None:
    server, path = canned(chat()), tone("a.wav")
    told(model_at(server, audio_as="audio_url"), question(Audio(str(path))))
    url = server.last.part(0)["audio_url"]["url"]
    assert url == "data:audio/wav;base64," + base64.b64encode(path.read_bytes()).decode()


def test_what_is_on_the_web_is_left_to_the_server(canned: Any) -> None:
    server = canned(chat())
    sound, image = "https://example.org/a.wav", "https://example.org/a.png"
    film = "https://example.org/a.mp4"
    told(model_at(server), question(Audio(sound), Image(image), Video(film)))
    assert server.last.json()["messages"][0]["content"] == [
        {"type": "audio_url", "audio_url": {"url": sound}},
        {"type": "image_url", "image_url": {"url": image}},
        {"type": "video_url", "video_url": {"url": film}},
    ]


@pytest.mark.parametrize(
    "part",
    [
        Audio("https://example.org/a.wav", start=1.0),
        Video("https://example.org/a.mp4", end=2.0),
        Video(data=b"....ftyp", end=2.0),
    ],
)
def test_a_part_of_what_cannot_be_cut_here_is_refused(canned: Any, part: Any) -> None:
    server = canned(chat())
    with pytest.raises(SampleError, match=r"download it first|no API takes a part"):
        told(model_at(server), question(part))
    assert not server.heard


def test_a_slice_is_cut_before_it_is_sent(canned: Any, tone: Any) -> None:
    server, path = canned(chat()), tone("a.wav", 1.0)
    told(model_at(server), question(Audio(str(path), start=0.25, end=0.75)))
    values, rate = read(sound_of(server.last.part(0)))
    assert len(values) / rate == 0.5


@pytest.mark.parametrize("format_", ["flac", "opus"])
def test_formats_that_few_servers_take_are_sent_as_wav(canned: Any, tone: Any, tmp_path: Path, format_: str) -> None:
    server, path = canned(chat()), tmp_path / f"a.{format_}"
    path.write_bytes(Audio(str(tone("a.wav", 0.5))).encode(format_))
    told(model_at(server), question(Audio(str(path))))
    part = server.last.part(0)
    assert part["input_audio"]["format"] == "wav"
    assert sound_of(part).startswith(b"RIFF")


def test_a_sample_rate_is_kept_to(canned: Any, tone: Any) -> None:
    server = canned(chat())
    told(model_at(server, sample_rate=8000), question(Audio(str(tone("a.wav", 0.5)))))
    assert read(sound_of(server.last.part(0)))[1] == 8000


def test_a_sound_that_is_too_large_is_refused_by_name_with_what_to_do(serve: Any, tone: Any) -> None:
    server, path = serve(), tone("long.wav", 1.0)
    with pytest.raises(AudioError, match=r"long\.wav takes 0\.\d MB.*audio_format=mp3"):
        told(model_at(server, max_megabytes=0.01), question(Audio(str(path))))
    assert server.stats()["requests"] == {}


def test_a_broken_sound_is_refused_by_name_before_anything_is_sent(serve: Any, tmp_path: Path) -> None:
    server, path = serve(), tmp_path / "broken.wav"
    path.write_bytes(b"RIFF and then nothing of use")
    with pytest.raises(AudioError, match=r"broken\.wav"):
        told(model_at(server), question(Audio(str(path))))
    assert server.stats()["requests"] == {}


def test_a_large_sound_is_sent_without_complaint(canned: Any) -> None:
    server = canned(chat())
    noise = np.random.default_rng(0).uniform(-1, 1, 800_000).astype(np.float32)
    told(model_at(server), question(Audio.of(noise, rate=16_000)))
    assert len(server.last.body) > 2_000_000


def test_more_fields_are_merged_and_null_takes_one_out(canned: Any) -> None:
    server = canned(streamed(delta("ok"), STOP))
    extra = {"top_p": 0.9, "temperature": None, "stream_options": {"continuous": True}}
    told(model_at(server, extra=extra, stream=True))
    body = server.last.json()
    assert body["top_p"] == 0.9
    assert "temperature" not in body
    assert body["stream_options"] == {"include_usage": True, "continuous": True}


def test_each_of_several_answers_has_a_seed_of_its_own_where_one_is_given(canned: Any) -> None:
    server = canned(chat())
    told(model_at(server, extra={"seed": 7}), *(question(nth=nth) for nth in range(3)))
    told(model_at(server), question(nth=1))
    assert [each.json().get("seed") for each in server.heard] == [7, 8, 9, None]


def test_stops_and_the_name_of_the_limit_are_sent(canned: Any) -> None:
    server = canned(chat())
    told(model_at(server, tokens_field="max_completion_tokens"), question(stop=("\n",)))
    body = server.last.json()
    assert (body["stop"], body["max_completion_tokens"]) == (["\n"], 512)
    assert "max_tokens" not in body


# --- what is read ----------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_answer_says_why_it_ends(serve: Any, stream: bool) -> None:
    said = told(model_at(serve(), stream=stream), question("one two three", max_tokens=2))
    assert (said.text, said.finish, said.tokens) == ("one two", "length", 2)


@pytest.mark.parametrize("stream", [False, True])
def test_token_counts_that_are_not_told_are_unknown(serve: Any, stream: bool) -> None:
    said = told(model_at(serve(no_usage=True), stream=stream))
    assert (said.tokens, said.input_tokens) == (None, None)


def test_log_probabilities_are_kept(serve: Any) -> None:
    said = told(model_at(serve(), logprobs=True), question("one two three"))
    assert len(said.logprobs) == 3
    assert all(-4 <= each <= 0 for each in said.logprobs)


@pytest.mark.parametrize("options", [{}, {"logprobs": True}])
def test_a_streamed_answer_is_the_same_as_a_whole_one(serve: Any, options: Any) -> None:
    server, asked = serve(), question("one two three\nand four", max_tokens=4)
    both = [told(model_at(server, stream=each, **options), asked) for each in (False, True)]
    assert both[0] == both[1]


def test_a_streamed_refusal_is_the_same_as_a_whole_one(canned: Any) -> None:
    message = {"refusal": "I would rather not"}
    server = canned(chat(None, **message), streamed(delta(**message), STOP))
    both = [told(model_at(server, stream=each)) for each in (False, True)]
    assert both[0] == both[1]
    assert both[0].text == "I would rather not"


def test_text_in_parts_is_joined(canned: Any) -> None:
    said = told(model_at(canned(chat([{"type": "text", "text": "a"}, {"text": "b"}]))))
    assert said.text == "ab"


def test_pieces_come_as_they_are_written(serve: Any) -> None:
    assert pieces(model_at(serve()), question("one two three")) == ["one", " two", " three"]


def test_a_server_that_does_not_stream_is_heard_all_the_same(canned: Any) -> None:
    server = canned(chat("all at once"))
    assert told(model_at(server, stream=True)).text == "all at once"
    assert pieces(model_at(server)) == ["all at once"]


def test_events_that_say_nothing_do_no_harm(canned: Any) -> None:
    server = canned(
        streamed(
            b": keep-alive",
            b"event: message",
            b"data:",
            delta("", role="assistant"),
            delta("yes"),
            {"choices": None},
            STOP,
            USAGE,
            b"data: [DONE]",
        )
    )
    said = told(model_at(server, stream=True))
    assert said == Generation(text="yes", tokens=2, input_tokens=3, finish="stop")


@pytest.mark.parametrize("end", [STOP, b"data: [DONE]"])
def test_a_stream_is_whole_by_either_sign_of_its_end(canned: Any, end: Any) -> None:
    assert told(model_at(canned(streamed(delta("yes"), end)), stream=True)).text == "yes"


@pytest.mark.parametrize("cut", [False, True])
def test_half_a_stream_is_no_answer(canned: Any, cut: bool) -> None:
    server = canned(streamed(delta("half an an"), cut=cut))
    with pytest.raises(Transient, match="broke off"):
        told(model_at(server, stream=True))
    with pytest.raises(Transient, match="broke off"):
        pieces(model_at(server))


def test_a_stream_that_a_fault_cuts_may_pass(serve: Any) -> None:
    with pytest.raises(Transient, match="broke off"):
        told(model_at(serve(faults={"cut": 1.0}), stream=True), question("a b c d e f"))


@pytest.mark.parametrize(("code", "kind"), [(None, Transient), (500, Transient), (400, Refused)])
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_in_place_of_an_answer_is_told(canned: Any, code: int | None, kind: Any, stream: bool) -> None:
    error = {"error": {"message": "the engine is gone", "code": code}}
    server = canned(streamed(delta("well"), error) if stream else error)
    with pytest.raises(kind, match="answered with an error: the engine is gone") as caught:
        told(model_at(server, stream=stream))
    assert type(caught.value) is kind


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("body", [b"[]", b"null", b"{}", b'{"choices": [{}]}', b'"text"'])
def test_json_that_is_no_answer_is_refused(canned: Any, body: bytes, stream: bool) -> None:
    with pytest.raises(Refused, match="no chat completion"):
        told(model_at(canned(whole(body=body)), stream=stream))


@pytest.mark.parametrize("body", [b"", b'{"choices": [{"mess', b"\xff\xfe"])
def test_what_is_not_json_may_pass(canned: Any, body: bytes) -> None:
    with pytest.raises(Transient, match="not JSON"):
        told(model_at(canned(whole(body=body))))


@pytest.mark.parametrize("body", [b"null", b"[]", b'{"choices": [null]}', b'{"choices": 3}'])
def test_an_event_that_is_no_part_of_an_answer_is_told(canned: Any, body: bytes) -> None:
    with pytest.raises(Transient, match="no part of an answer"):
        told(model_at(canned(streamed(b"data: " + body)), stream=True))


@pytest.mark.parametrize("fault", ["html", "garbage"])
@pytest.mark.parametrize("stream", [False, True])
def test_nonsense_under_a_good_status_is_never_an_answer(serve: Any, fault: str, stream: bool) -> None:
    words = "a web page" if fault == "html" else "not JSON"
    with pytest.raises(SampleError, match=words):
        told(model_at(serve(faults={fault: 1.0}), stream=stream))


def test_an_empty_answer_is_an_answer(serve: Any) -> None:
    assert told(model_at(serve(faults={"empty": 1.0}))).text == ""


def test_a_line_without_end_is_refused(canned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.http.base.READ_BUFFER_BYTES", 1 << 10)
    server = canned(streamed(delta("x" * 200_000)))
    with pytest.raises(Refused, match="a line longer than"):
        told(model_at(server, stream=True))


def test_an_answer_without_end_is_refused(canned: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.http.base.MAX_RESPONSE_BYTES", 1000)
    with pytest.raises(Refused, match="answered more than"):
        told(model_at(canned(chat("x" * 2000))))


def test_an_answer_that_forgets_its_limit_is_refused(canned: Any) -> None:
    server = canned(streamed(delta("x" * 11_000), STOP))
    with pytest.raises(Refused, match="11000 characters where max_tokens is 5"):
        told(model_at(server, stream=True), question(max_tokens=5))


# --- from outside ----------------------------------------------------------------


def test_a_loaded_model_can_be_asked_twice(serve: Any, tone: Any) -> None:
    with load_model("openai", base_url=serve().url, model="fake") as model:
        assert model.ask(text="first").text == "first"
        assert model.ask(str(tone("a.wav"))).text.startswith("heard ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": ""}, "say which model"),
        ({"audio_as": "smoke"}, "audio_as should be"),
        ({"audio_format": "smoke"}, "audio_format should be"),
        ({"timeout": 0}, "timeout should be a number above 0"),
        ({"headers": "a"}, "headers should be an object"),
        ({"base_url": "localhost:8000"}, "base_url should be http://"),
        ({"colour": "red"}, "takes no colour"),
    ],
)
def test_options_that_make_no_sense_are_told_at_once(options: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        OpenAI(**{"base_url": "http://127.0.0.1:1/v1", "model": "fake", **options})
