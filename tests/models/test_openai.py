"""Chat over OpenAI's protocol: what is sent, what is read, whole and in a stream."""

import base64
import io
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import soundfile

from auricle import Audio, Generate, SampleError, Turn
from auricle.api import load_model
from auricle.core.errors import AudioError, Rejected, SpecError, Transient
from auricle.core.types import Generation
from auricle.media import Image, Video
from auricle.models.openai import OpenAI
from tests.support.http_servers import chat, delta, http_reply, question, run_model, stream_model, stream_reply
from tests.support.videos import make_video, recognise_image

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


def test_text_question_is_answered(serve: Any) -> None:
    answer = run_model(model_at(serve()), question("how are you"))
    assert (answer.text, answer.finish) == ("how are you", "stop")
    assert (answer.input_tokens, answer.tokens) == (3, 3)


def test_turns_keep_their_roles_and_their_order(canned: Any) -> None:
    server = canned(chat())
    turns = (Turn("system", ("be brief",)), Turn("user", ("a", "b")), Turn("assistant", ("c",)), Turn("user", ("d",)))
    run_model(model_at(server), Generate(turns=turns, max_tokens=7, temperature=0.5))
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
        "seed": 0,
    }


def test_text_and_audio_keep_their_order(canned: Any, tone: Any) -> None:
    server, first, second = canned(chat()), tone("a.wav", 0.1), tone("b.wav", 0.2)
    parts = ("one", Audio(str(first)), "two", Audio(str(second)), "three")
    run_model(model_at(server), question(*parts))
    sent = server.last.json()["messages"][0]["content"]
    assert [item["type"] for item in sent] == ["text", "input_audio"] * 2 + ["text"]
    assert [sent[at]["text"] for at in (0, 2, 4)] == ["one", "two", "three"]
    assert [sound_of(sent[at]) for at in (1, 3)] == [first.read_bytes(), second.read_bytes()]


def test_image_is_sent_unchanged(canned: Any) -> None:
    server = canned(chat())
    run_model(model_at(server), question(Image(data=PNG), "what is it"))
    url = server.last.part(0)["image_url"]["url"]
    assert url == "data:image/png;base64," + base64.b64encode(PNG).decode()


def test_audio_can_be_sent_as_data_url(canned: Any, tone: Any) -> None:
    server, path = canned(chat()), tone("a.wav")
    run_model(model_at(server, audio_as="audio_url"), question(Audio(str(path))))
    url = server.last.part(0)["audio_url"]["url"]
    assert url == "data:audio/wav;base64," + base64.b64encode(path.read_bytes()).decode()


def test_remote_media_are_sent_as_urls(canned: Any) -> None:
    server = canned(chat())
    sound, image = "https://example.org/a.wav", "https://example.org/a.png"
    film = "https://example.org/a.mp4"
    run_model(model_at(server), question(Audio(sound), Image(image), Video(film)))
    assert server.last.json()["messages"][0]["content"] == [
        {"type": "audio_url", "audio_url": {"url": sound}},
        {"type": "image_url", "image_url": {"url": image}},
        {"type": "video_url", "video_url": {"url": film}},
    ]


@pytest.mark.parametrize("part", [Video("https://example.org/a.mp4", end=2.0), Video(data=b"....ftyp", end=2.0)])
def test_video_segment_is_refused(canned: Any, part: Any) -> None:
    server = canned(chat())
    with pytest.raises(SampleError, match="do not accept parts"):
        run_model(model_at(server), question(part))
    assert not server.requests


def frames_of(content: list[dict[str, Any]]) -> list[int]:
    """Return which frames of a video were sent, by their brightness."""
    urls = [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
    assert all(url.startswith("data:image/jpeg;base64,") for url in urls)
    return [recognise_image(base64.b64decode(url.partition(",")[2])) for url in urls]


def test_video_is_sent_unchanged_without_frames(canned: Any, tmp_path: Path) -> None:
    server, path = canned(chat()), tmp_path / "a.mp4"
    path.write_bytes(make_video())
    run_model(model_at(server), question(Video(str(path)), "what is it"))
    url = server.last.part(0)["video_url"]["url"]
    assert url == "data:video/mp4;base64," + base64.b64encode(path.read_bytes()).decode()


@pytest.mark.parametrize(("options", "expected"), [({"frames": 4}, [0, 10, 19, 29]), ({"fps": 1}, [0, 10, 20])])
def test_frames_are_sent_as_images_in_the_place_of_the_video(canned: Any, options: Any, expected: list[int]) -> None:
    server = canned(chat())
    parts = ("before", Video(data=make_video()), "after", Image(data=PNG))
    run_model(model_at(server, **options), question(*parts))
    content = server.last.json()["messages"][0]["content"]
    assert [part["type"] for part in content] == ["text", *["image_url"] * len(expected), "text", "image_url"]
    assert frames_of(content[:-1]) == expected


def test_frames_of_a_part_of_a_video_are_sent(canned: Any) -> None:
    server = canned(chat())
    run_model(model_at(server, frames=3), question(Video(data=make_video(), start=1.0, end=2.0)))
    assert frames_of(server.last.json()["messages"][0]["content"]) == [10, 14, 19]


def test_frames_of_a_remote_video_that_cannot_be_read_cannot_be_sampled(canned: Any) -> None:
    with pytest.raises(SampleError, match=r"a\.mp4 cannot be read"):
        run_model(model_at(canned(chat()), frames=3), question(Video("unknown://example.org/a.mp4")))


def test_too_large_frames_are_refused_with_the_name_of_the_video(canned: Any, tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(make_video())
    with pytest.raises(SampleError, match=r"a\.mp4 has 0\.0 MB in frames, more than the limit of 0\.001 MB"):
        run_model(model_at(canned(chat()), frames=3, max_megabytes=0.001), question(Video(str(tmp_path / "a.mp4"))))


@pytest.mark.parametrize("options", [{"frames": 0}, {"frames": "8"}, {"fps": -1}, {"frames": 8, "fps": 1}])
def test_impossible_frame_options_are_refused(options: Any) -> None:
    with pytest.raises(SpecError, match=r"openai: .*(frames|fps).* Set -M frames=8 or -M fps=1"):
        OpenAI(base_url="http://127.0.0.1:1/v1", model="fake", **options)


def test_audio_segment_is_cut_before_sending(canned: Any, tone: Any) -> None:
    server, path = canned(chat()), tone("a.wav", 1.0)
    run_model(model_at(server), question(Audio(str(path), start=0.25, end=0.75)))
    values, rate = read(sound_of(server.last.part(0)))
    assert len(values) / rate == 0.5


@pytest.mark.parametrize("format_", ["flac", "opus"])
def test_uncommon_formats_are_sent_as_wav(canned: Any, tone: Any, tmp_path: Path, format_: str) -> None:
    server, path = canned(chat()), tmp_path / f"a.{format_}"
    path.write_bytes(Audio(str(tone("a.wav", 0.5))).encode(cast(Any, format_)))
    run_model(model_at(server), question(Audio(str(path))))
    part = server.last.part(0)
    assert part["input_audio"]["format"] == "wav"
    assert sound_of(part).startswith(b"RIFF")


def test_sample_rate_option_is_respected(canned: Any, tone: Any) -> None:
    server = canned(chat())
    run_model(model_at(server, sample_rate=8000), question(Audio(str(tone("a.wav", 0.5)))))
    assert read(sound_of(server.last.part(0)))[1] == 8000


def test_too_large_audio_is_refused_with_advice(serve: Any, tone: Any) -> None:
    server, path = serve(), tone("long.wav", 1.0)
    with pytest.raises(AudioError, match=r"long\.wav has 0\.\d MB.*audio_format=mp3"):
        run_model(model_at(server, max_megabytes=0.01), question(Audio(str(path))))
    assert server.stats()["requests"] == {}


def test_broken_audio_is_refused_before_sending(serve: Any, tmp_path: Path) -> None:
    server, path = serve(), tmp_path / "broken.wav"
    path.write_bytes(b"RIFF and then nothing of use")
    with pytest.raises(AudioError, match=r"broken\.wav"):
        run_model(model_at(server), question(Audio(str(path))))
    assert server.stats()["requests"] == {}


def test_large_audio_is_sent_without_warnings(canned: Any) -> None:
    server = canned(chat())
    noise = np.random.default_rng(0).uniform(-1, 1, 800_000).astype(np.float32)
    run_model(model_at(server), question(Audio.of(noise, rate=16_000)))
    assert len(server.last.body) > 2_000_000


def test_extra_fields_are_merged_and_null_removes_a_field(canned: Any) -> None:
    server = canned(stream_reply(delta("ok"), STOP))
    extra = {"top_p": 0.9, "temperature": None, "stream_options": {"continuous": True}}
    run_model(model_at(server, extra=extra, stream=True))
    body = server.last.json()
    assert body["top_p"] == 0.9
    assert "temperature" not in body
    assert body["stream_options"] == {"include_usage": True, "continuous": True}


@pytest.mark.parametrize(
    ("extra", "seeds"), [({}, [None, 3, 4]), ({"seed": 7}, [7, 10, 11]), ({"seed": None}, [None, None, None])]
)
def test_sampled_requests_have_a_seed_of_their_own(canned: Any, extra: dict[str, Any], seeds: list[int | None]) -> None:
    server = canned(chat())
    greedy, *sampled = question(seed=3), question(seed=3, temperature=0.7), question(seed=4, temperature=0.7)
    run_model(model_at(server, extra=extra), greedy, *sampled)
    assert [item.json().get("seed") for item in server.requests] == seeds


def test_stop_words_and_tokens_field_are_sent(canned: Any) -> None:
    server = canned(chat())
    run_model(model_at(server, tokens_field="max_completion_tokens"), question(stop=("\n",)))
    body = server.last.json()
    assert (body["stop"], body["max_completion_tokens"]) == (["\n"], 512)
    assert "max_tokens" not in body


# --- what is read ----------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_truncated_answer_has_a_finish_reason(serve: Any, stream: bool) -> None:
    answer = run_model(model_at(serve(), stream=stream), question("one two three", max_tokens=2))
    assert (answer.text, answer.finish, answer.tokens) == ("one two", "length", 2)


@pytest.mark.parametrize("stream", [False, True])
def test_missing_token_counts_are_none(serve: Any, stream: bool) -> None:
    answer = run_model(model_at(serve(no_usage=True), stream=stream))
    assert (answer.tokens, answer.input_tokens) == (None, None)


def test_log_probabilities_are_kept(serve: Any) -> None:
    answer = run_model(model_at(serve(), logprobs=True), question("one two three"))
    assert len(answer.logprobs) == 3
    assert all(-4 <= item <= 0 for item in answer.logprobs)


@pytest.mark.parametrize("options", [{}, {"logprobs": True}])
def test_streamed_answer_equals_complete_answer(serve: Any, options: Any) -> None:
    server, requests = serve(), question("one two three\nand four", max_tokens=4)
    both = [run_model(model_at(server, stream=item, **options), requests) for item in (False, True)]
    assert both[0] == both[1]


def test_streamed_refusal_equals_complete_refusal(canned: Any) -> None:
    message = {"refusal": "I would rather not"}
    server = canned(chat(None, **message), stream_reply(delta(**message), STOP))
    both = [run_model(model_at(server, stream=item)) for item in (False, True)]
    assert both[0] == both[1]
    assert both[0].text == "I would rather not"


def test_text_in_parts_is_joined(canned: Any) -> None:
    answer = run_model(model_at(canned(chat([{"type": "text", "text": "a"}, {"text": "b"}]))))
    assert answer.text == "ab"


def test_stream_yields_text_as_it_arrives(serve: Any) -> None:
    assert stream_model(model_at(serve()), question("one two three")) == ["one", " two", " three"]


def test_server_without_streaming_still_answers(canned: Any) -> None:
    server = canned(chat("all at once"))
    assert run_model(model_at(server, stream=True)).text == "all at once"
    assert stream_model(model_at(server)) == ["all at once"]


def test_empty_events_are_ignored(canned: Any) -> None:
    server = canned(
        stream_reply(
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
    answer = run_model(model_at(server, stream=True))
    assert answer == Generation(text="yes", tokens=2, input_tokens=3, finish="stop")


@pytest.mark.parametrize("end", [STOP, b"data: [DONE]"])
def test_stream_ends_with_either_end_marker(canned: Any, end: Any) -> None:
    assert run_model(model_at(canned(stream_reply(delta("yes"), end)), stream=True)).text == "yes"


@pytest.mark.parametrize("cut", [False, True])
def test_truncated_stream_is_not_an_answer(canned: Any, cut: bool) -> None:
    server = canned(stream_reply(delta("half an an"), cut=cut))
    with pytest.raises(Transient, match=r"ended its stream early|lost: "):
        run_model(model_at(server, stream=True))
    with pytest.raises(Transient, match=r"ended its stream early|lost: "):
        stream_model(model_at(server))


def test_stream_cut_by_a_fault_is_transient(serve: Any) -> None:
    with pytest.raises(Transient, match=r"ended its stream early|lost: "):
        run_model(model_at(serve(faults={"cut": 1.0}), stream=True), question("a b c d e f"))


@pytest.mark.parametrize(("code", "kind"), [(None, Transient), (500, Transient), (400, Rejected)])
@pytest.mark.parametrize("stream", [False, True])
def test_error_document_with_status_200_is_reported(canned: Any, code: int | None, kind: Any, stream: bool) -> None:
    error = {"error": {"message": "the engine is gone", "code": code}}
    server = canned(stream_reply(delta("well"), error) if stream else error)
    with pytest.raises(kind, match="returned an error: the engine is gone") as caught:
        run_model(model_at(server, stream=stream))
    assert type(caught.value) is kind


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("body", [b"[]", b"null", b"{}", b'{"choices": [{}]}', b'"text"'])
def test_unexpected_json_is_refused(canned: Any, body: bytes, stream: bool) -> None:
    with pytest.raises(Rejected, match="instead of a chat completion"):
        run_model(model_at(canned(http_reply(body=body)), stream=stream))


@pytest.mark.parametrize("body", [b"", b'{"choices": [{"mess', b"\xff\xfe"])
def test_invalid_json_is_transient(canned: Any, body: bytes) -> None:
    with pytest.raises(Transient, match="invalid JSON"):
        run_model(model_at(canned(http_reply(body=body))))


@pytest.mark.parametrize("body", [b"null", b"[]", b'{"choices": [null]}', b'{"choices": 3}'])
def test_unexpected_event_is_reported(canned: Any, body: bytes) -> None:
    with pytest.raises(Transient, match="instead of a chat completion chunk"):
        run_model(model_at(canned(stream_reply(b"data: " + body)), stream=True))


@pytest.mark.parametrize("fault", ["html", "garbage"])
@pytest.mark.parametrize("stream", [False, True])
def test_nonsense_with_status_200_is_never_an_answer(serve: Any, fault: str, stream: bool) -> None:
    words = "a web page" if fault == "html" else "invalid JSON"
    with pytest.raises(SampleError, match=words):
        run_model(model_at(serve(faults={fault: 1.0}), stream=stream))


def test_empty_answer_is_accepted(serve: Any) -> None:
    assert run_model(model_at(serve(faults={"empty": 1.0}))).text == ""


def test_answer_beyond_its_token_limit_is_refused(canned: Any) -> None:
    server = canned(stream_reply(delta("x" * 11_000), STOP))
    with pytest.raises(Rejected, match="11000 characters for max_tokens=5"):
        run_model(model_at(server, stream=True), question(max_tokens=5))


# --- from outside ----------------------------------------------------------------


def test_loaded_model_answers_twice(serve: Any, tone: Any) -> None:
    with load_model("openai", base_url=serve().url, model="fake") as model:
        assert cast(Generation, model.ask(text="first")).text == "first"
        assert cast(Generation, model.ask(str(tone("a.wav")))).text.startswith("heard ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": ""}, "missing model"),
        ({"audio_as": "smoke"}, "audio_as must be"),
        ({"audio_format": "smoke"}, "audio_format must be one of"),
        ({"timeout": 0}, "timeout must be a number above 0"),
        ({"headers": "a"}, "headers must be an object"),
        ({"base_url": "localhost:8000"}, "base_url must have the form http://"),
        ({"colour": "red"}, "unknown option colour. Accepted: model, base_url, .*, audio_as, .*, frames, fps"),
    ],
)
def test_invalid_options_are_refused(options: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        OpenAI(**{"base_url": "http://127.0.0.1:1/v1", "model": "fake", **options})
