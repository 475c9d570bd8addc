import base64
from pathlib import Path
from typing import Any

from auricle.frameworks.lmms.chat_stubs import ChatMessages
from tests.support.videos import make_video, recognise_image

CONVERSATION = ChatMessages.model_validate(
    {
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "Be brief."}]},
            {
                "role": "user",
                "content": [
                    {"type": "audio", "url": "a.wav"},
                    {"type": "video", "url": "v.mp4", "start_time": 1.0},
                    {"type": "text", "text": "What?"},
                ],
            },
        ]
    }
)


def test_media_are_extracted_by_type() -> None:
    assert CONVERSATION.extract_media() == ([], ["v.mp4"], ["a.wav"])


def test_template_messages_include_the_options_of_videos() -> None:
    _, user = CONVERSATION.to_hf_messages(video_kwargs={"fps": 2})
    assert user["content"][0] == {"type": "audio", "audio": "a.wav"}
    assert user["content"][1] == {"type": "video", "video": "v.mp4", "fps": 2, "video_start": 1.0}


def build(*contents: dict[str, Any]) -> ChatMessages:
    return ChatMessages.model_validate({"messages": [{"role": "user", "content": list(contents)}]})


def test_videos_become_frames_for_a_server(tmp_path: Path) -> None:
    path = tmp_path / "v.mp4"
    path.write_bytes(make_video())
    messages = build({"type": "video", "url": str(path), "start_time": 1.0}, {"type": "text", "text": "What?"})
    ((*frames, text),) = [message["content"] for message in messages.to_openai_messages({"nframes": 4})]
    assert text == {"type": "text", "text": "What?"}
    contents = [base64.b64decode(frame["image_url"]["url"].partition(",")[2]) for frame in frames]
    assert [recognise_image(content) for content in contents] == [10, 16, 23, 29]


def test_frames_for_qwen3_vl_follow_their_times(tmp_path: Path) -> None:
    path = tmp_path / "v.mp4"
    path.write_bytes(make_video())
    (message,) = build({"type": "video", "url": str(path)}).to_qwen3_vl_openai_messages({"nframes": 4})
    assert [part["type"] for part in message["content"]] == ["text", "image_url"] * 4
    times = [part["text"] for part in message["content"] if part["type"] == "text"]
    assert times == ["<0.0 seconds>", "<1.0 seconds>", "<1.9 seconds>", "<2.9 seconds>"]


def test_videos_reach_a_server_as_urls_on_request() -> None:
    (message,) = build({"type": "video", "url": "/data/v.mp4"}).to_openai_messages(pass_video_url=True)
    assert message["content"] == [{"type": "video_url", "video_url": {"url": "file:///data/v.mp4"}}]


def test_audio_reaches_a_server_as_a_data_url(tone: Any) -> None:
    path = tone("a.wav", seconds=0.1)
    for convert in (ChatMessages.to_openai_messages, ChatMessages.to_qwen3_vl_openai_messages):
        (message,) = convert(build({"type": "audio", "url": str(path)}))
        head, _, data = message["content"][0]["audio_url"]["url"].partition(",")
        assert head == "data:audio/wav;base64"
        assert base64.b64decode(data).startswith(b"RIFF")
