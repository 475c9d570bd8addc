import pytest

from auricle.interop.lmms.chat_stubs import ChatMessages

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


def test_videos_reach_a_server_only_as_urls() -> None:
    with pytest.raises(NotImplementedError, match="video frames"):
        CONVERSATION.to_openai_messages()
    _, user = CONVERSATION.to_openai_messages(pass_video_url=True)
    assert user["content"][1] == {"type": "video_url", "video_url": {"url": "v.mp4"}}
