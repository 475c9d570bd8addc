"""Stubs of lmms-eval's chat messages (`lmms_eval.protocol`)."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel


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
        """Convert to messages of the OpenAI API; audio is inserted unchanged, as lmms-eval does."""
        return self._convert(lambda content: _to_openai_content(content, pass_video_url))

    def _convert(self, convert: Callable[[Any], dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"role": message.role, "content": [convert(content) for content in message.content]}
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


def _to_openai_content(content: Any, pass_video_url: bool) -> dict[str, Any]:
    if content.type == "text":
        return {"type": "text", "text": content.text}
    if content.type == "image":
        return {"type": "image_url", "image_url": {"url": _to_data_url(content.url)}}
    if content.type == "video" and not pass_video_url:
        raise NotImplementedError("video frames need lmms-eval itself: pip install lmms_eval")
    kind = f"{content.type}_url"
    return {"type": kind, kind: {"url": content.url}}


def _to_data_url(image: Any) -> str:
    """Encode an image as a PNG data URL."""
    from PIL import Image

    opened = Image.open(image) if isinstance(image, str) else image
    buffer = io.BytesIO()
    opened.save(buffer, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
