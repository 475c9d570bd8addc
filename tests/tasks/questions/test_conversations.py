"""Parsing of conversations."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, SampleError
from auricle.core.types import Turn
from auricle.media import Image, Video
from auricle.tasks.questions.conversations import add_answers, parse_turns, reference_answers

BASE = Path("/data")
PLAIN = [Turn("user", ("hello",)), Turn("assistant", ("hi",)), Turn("user", ("and now?",))]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}, "and now?"],
        [{"from": "human", "value": "hello"}, {"from": "gpt", "value": "hi"}, {"from": "human", "value": "and now?"}],
        [{"role": "HUMAN", "text": "hello"}, {"role": "BOT", "text": "hi"}, {"role": "HUMAN", "text": "and now?"}],
        [{"user": "hello", "assistant": "hi"}, {"user": "and now?", "assistant": None}],
        [{"question": "hello", "answer": "hi"}, {"question": "and now?"}],
        [
            {"role": "user", "content": [{"type": "text", "text": "hello"}]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
            {"role": "user", "content": {"type": "input_text", "text": "and now?"}},
        ],
    ],
)
def test_messages_pairs_and_lists_of_parts_give_the_same_turns(value: Any) -> None:
    assert parse_turns(value, BASE) == PLAIN
    assert parse_turns(json.dumps(value), BASE) == PLAIN, "as a CSV has it"


def test_plain_texts_become_user_turns() -> None:
    assert parse_turns(["a", "b"], BASE) == [Turn("user", ("a",)), Turn("user", ("b",))]
    assert parse_turns("a", BASE) == [Turn("user", ("a",))]


def test_media_precede_the_text_and_paths_are_relative_to_the_data() -> None:
    message = {"role": "user", "content": "what?", "audio": ["a.wav", "/b.wav"], "image": "c.png"}
    (turn,) = parse_turns([message], BASE)
    assert turn.parts == (Image("/data/c.png"), Audio("/data/a.wav"), Audio("/b.wav"), "what?")


def test_turn_may_be_audio_only() -> None:
    assert parse_turns([{"audio": "a.wav"}], BASE) == [Turn("user", (Audio("/data/a.wav"),))]
    pair = {"audio": "a.wav", "assistant": "a cat"}
    assert parse_turns([pair], BASE)[1] == Turn("assistant", ("a cat",))


@pytest.mark.parametrize(
    "part",
    [
        {"type": "audio", "audio": "a.wav"},
        {"type": "audio", "path": "a.wav"},
        {"type": "audio", "audio_url": "a.wav"},
        {"type": "audio_url", "audio_url": {"url": "a.wav"}},
        {"type": "audio_url", "audio_url": "a.wav"},
        {"audio": "a.wav"},
    ],
)
def test_parts_keep_their_order_in_every_audio_format(part: Any) -> None:
    (turn,) = parse_turns([{"role": "user", "content": ["hear ", part, {"text": " this"}]}], BASE)
    assert turn.parts == ("hear ", Audio("/data/a.wav"), " this")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "audio_url", "audio_url": {"url": "data:audio/wav;base64,UklGRg=="}},
    ],
)
def test_inline_audio_is_decoded_to_bytes(part: Any) -> None:
    (turn,) = parse_turns([{"role": "user", "content": [part]}], BASE)
    (audio, *_) = turn.parts
    assert isinstance(audio, Audio)
    assert audio.data == base64.b64decode("UklGRg==") == b"RIFF"


def test_urls_are_kept() -> None:
    part = {"type": "audio_url", "audio_url": {"url": "https://example.org/a.wav"}}
    (turn,) = parse_turns([{"role": "user", "content": [part, {"type": "video", "video": "v.mp4"}]}], BASE)
    assert turn.parts == (Audio("https://example.org/a.wav"), Video("/data/v.mp4"))


def test_audio_segment_from_start_and_end() -> None:
    (turn,) = parse_turns([{"audio": "a.wav", "start": 1, "end": 2.5}], BASE)
    assert turn.parts == (Audio("/data/a.wav", start=1.0, end=2.5),)


def test_video_segment_from_start_and_end() -> None:
    (turn,) = parse_turns([{"video": "a.mp4", "image": "a.png", "start": 1, "end": 2.5}], BASE)
    assert turn.parts == (Video("/data/a.mp4", start=1.0, end=2.5), Image("/data/a.png"))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([{"role": "tool", "content": "x"}], "message 1 of the conversation has the role 'tool'"),
        (["a", {"role": "user", "content": ""}], "message 2 of the conversation is empty"),
        ([{"mood": "good"}], "message 1 of the conversation has no role; its fields are mood"),
        ([{"role": "user", "content": [{"type": "smell"}]}], "has the type 'smell'; expected text or audio"),
        ([{"role": "user", "content": [["x"]]}], "must be text or an object"),
        ([{"role": "user", "content": [{"type": "audio"}]}], "no path, URL or bytes"),
        ([{"role": "user", "content": [{"type": "audio", "audio": "data:a,??"}]}], "not valid base64"),
        ("[oops", "looks like JSON is not"),
    ],
)
def test_invalid_conversation_is_reported_with_its_position(value: Any, why: str) -> None:
    with pytest.raises(SampleError, match=why.replace("?", r"\?")):
        parse_turns(value, BASE)


def test_reference_answers_follow_user_turns() -> None:
    assert reference_answers(PLAIN) == ["hi", None]
    assert reference_answers([*PLAIN, Turn("assistant", (Audio("a.wav"),))]) == ["hi", None]
    assert reference_answers([Turn("assistant", ("welcome",)), *PLAIN, Turn("assistant", ("noon",))]) == ["hi", "noon"]


def test_answers_of_another_column_fill_missing_answers() -> None:
    users = [Turn("user", ("a",)), Turn("user", ("b",)), Turn("user", ("c",))]
    filled = add_answers(users, ["1", None])
    assert [(turn.role, turn.parts) for turn in filled] == [
        ("user", ("a",)),
        ("assistant", ("1",)),
        ("user", ("b",)),
        ("user", ("c",)),
    ]
    assert add_answers(PLAIN, ["another"]) == PLAIN
