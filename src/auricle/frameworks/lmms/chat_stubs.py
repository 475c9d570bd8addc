"""Stubs of lmms-eval's chat messages (`lmms_eval.protocol`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel

from auricle.frameworks.lmms.openai_media import audio_to_data_url, image_to_data_url, sample_video, video_to_url


class ChatTextContent(BaseModel):
    type: Literal["text"] = "text"
    text: str


class ChatImageContent(BaseModel):
    type: Literal["image"] = "image"
    url: Any


class ChatVideoContent(BaseModel):
    type: Literal["video"] = "video"
    url: Any
    start_time: float | None = None
    end_time: float | None = None


class ChatAudioContent(BaseModel):
    type: Literal["audio"] = "audio"
    url: Any


ChatContent = ChatTextContent | ChatImageContent | ChatVideoContent | ChatAudioContent


class ChatMessage(BaseModel):
    role: Literal["user", "system", "assistant"]
    content: list[ChatContent]


class ChatMessages(BaseModel):
    """A conversation, with conversions for processors and servers."""

    messages: list[ChatMessage]

    def extract_media(self) -> tuple[list[Any], list[Any], list[Any]]:
        """Return images, videos and audio, each in order."""
        contents = [content for message in self.messages for content in message.content]
        images, videos, audios = (
            [content.url for content in contents if not isinstance(content, ChatTextContent) and content.type == kind]
            for kind in ("image", "video", "audio")
        )
        return images, videos, audios

    def to_hf_messages(
        self, video_kwargs: Mapping[str, Any] | None = None, image_kwargs: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Convert to the messages of `apply_chat_template`."""
        extra_kwargs = {"video": dict(video_kwargs or {}), "image": dict(image_kwargs or {})}
        return self._convert(lambda content: _to_template_content(content, extra_kwargs))

    def to_openai_messages(
        self, video_kwargs: Mapping[str, Any] | None = None, pass_video_url: bool = False
    ) -> list[dict[str, Any]]:
        """Convert to messages of the OpenAI API: audio as data URLs, videos as frames or as URLs."""
        return self._convert_each(lambda content: _to_openai_contents(content, video_kwargs or {}, pass_video_url))

    def to_qwen3_vl_openai_messages(self, video_kwargs: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Convert to messages of the OpenAI API with the time of each frame before it, as Qwen3-VL expects."""
        return self._convert_each(lambda content: _to_openai_contents(content, video_kwargs or {}, with_times=True))

    def _convert(self, convert: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
        return self._convert_each(lambda content: [convert(content)])

    def _convert_each(self, convert: Callable[[Any], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        return [
            {"role": message.role, "content": [part for content in message.content for part in convert(content)]}
            for message in self.messages
        ]


def _to_template_content(content: Any, extra_kwargs: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    if content.type == "text":
        return {"type": "text", "text": content.text}
    entry = {"type": content.type, content.type: content.url, **extra_kwargs.get(content.type, {})}
    if content.type == "video":
        span = {"video_start": content.start_time, "video_end": content.end_time}
        entry |= {name: value for name, value in span.items() if value is not None}
    return entry


def _to_openai_contents(
    content: Any, video_kwargs: Mapping[str, Any], pass_video_url: bool = False, with_times: bool = False
) -> list[dict[str, Any]]:
    if content.type == "text":
        return [_text_part(content.text)]
    if content.type == "image":
        return [_url_part("image", image_to_data_url(content.url))]
    if content.type == "audio":
        return [_url_part("audio", audio_to_data_url(content.url))]
    if pass_video_url:
        return [_url_part("video", video_to_url(content.url))]
    parts = []
    for frame in sample_video(_to_template_content(content, {"video": dict(video_kwargs)})):
        parts += [_text_part(f"<{frame.seconds:.1f} seconds>")] if with_times else []
        parts.append(_url_part("image", image_to_data_url(frame.image)))
    return parts


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _url_part(kind: str, url: str) -> dict[str, Any]:
    return {"type": f"{kind}_url", f"{kind}_url": {"url": url}}
