"""Media in messages for OpenAI-compatible servers: audio as data URLs, videos as frames.

lmms-eval samples frames with `fetch_video` of the package qwen_vl_utils; its rules are followed here.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from auricle.frameworks.lmms.server_stubs import encode_image_to_base64
from auricle.media import Audio, Video

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

URL_SCHEMES = ("http://", "https://", "file://", "data:")
FRAME_MULTIPLE = 2  # models merge two frames
DEFAULT_FPS, MIN_FRAMES, MAX_FRAMES = 2.0, 4, 768
SIDE_MULTIPLE = 28  # pixels of a merged patch
MIN_PIXELS, MAX_PIXELS = 128 * SIDE_MULTIPLE**2, 768 * SIDE_MULTIPLE**2
TOTAL_PIXELS = int(128_000 * SIDE_MULTIPLE**2 * 0.9)
"""Most pixels of all frames of a video."""


@dataclass(frozen=True, slots=True)
class SampledImage:
    """A frame of a video, resized, with its number and its time in seconds."""

    index: int
    seconds: float
    image: PillowImage


def audio_to_data_url(value: Any) -> Any:
    """Encode audio as a data URL; a URL is unchanged."""
    if isinstance(value, str) and value.startswith(URL_SCHEMES):
        return value
    content = Audio.of(value).encode("wav")
    return f"data:audio/wav;base64,{base64.b64encode(content).decode()}"


def image_to_data_url(image: Any) -> str:
    """Encode a Pillow image or the image at a path as a PNG data URL."""
    return f"data:image/png;base64,{encode_image_to_base64(image)}"


def video_to_url(location: str) -> str:
    """Return a URL of a video that a server on this machine can read."""
    return location if location.startswith(URL_SCHEMES) else Path(location).absolute().as_uri()


def sample_video(element: Mapping[str, Any]) -> list[SampledImage]:
    """Sample and resize the frames of a video, given as in a message: `video`, `nframes` or `fps`, `max_pixels`, …."""
    from PIL import Image

    start, end = element.get("video_start"), element.get("video_end")
    end_after = None if end is None else float(end) + 1e-6  # the frame at the end belongs to the part
    video = Video(str(element["video"]), start=float(start or 0.0), end=end_after)
    frames = list(video.iter_frames(_count_frames(video, element)))
    height, width = frames[0].pixels.shape[:2]
    size = _fit_size(width, height, len(frames), element)
    return [
        SampledImage(frame.index, frame.seconds, Image.fromarray(frame.pixels).resize(size, Image.Resampling.BICUBIC))
        for frame in frames
    ]


def fetch_video(
    ele: Mapping[str, Any], *, return_video_metadata: bool = False, return_video_sample_fps: bool = False, **_: Any
) -> Any:
    """Return frames as qwen_vl_utils does: a tensor of (frames, channels, height, width), with their times if asked."""
    import numpy as np
    import torch

    frames = sample_video(ele)
    video: Any = torch.from_numpy(np.stack([np.asarray(frame.image) for frame in frames])).permute(0, 3, 1, 2).float()
    first, last = frames[0], frames[-1]
    rate = last.index / last.seconds if last.seconds else 1.0
    if return_video_metadata:
        indices = [frame.index for frame in frames]
        video = video, {"fps": rate, "frames_indices": indices, "total_num_frames": last.index + 1}
    return (video, len(frames) / (last.index - first.index + 1) * rate) if return_video_sample_fps else video


def encode_sounds(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Replace audio in messages of the OpenAI API by data URLs; lmms-eval inserts it as it is."""
    for message in messages:
        for content in message["content"]:
            if content["type"] == "audio_url":
                content["audio_url"] = {"url": audio_to_data_url(content["audio_url"]["url"])}
    return messages


def complete_protocol(module: ModuleType) -> None:
    """Complete lmms-eval's own `protocol`: audio as data URLs, and frames of videos without qwen_vl_utils."""
    base: Any = module.ChatMessages
    if getattr(module, "fetch_video", None) is None:
        vars(module)["fetch_video"] = fetch_video

    class ChatMessages(base):  # type: ignore[misc]  # its class is known only at run time
        def to_openai_messages(self, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
            return encode_sounds(super().to_openai_messages(*arguments, **options))

        def to_qwen3_vl_openai_messages(self, *arguments: Any, **options: Any) -> list[dict[str, Any]]:
            return encode_sounds(super().to_qwen3_vl_openai_messages(*arguments, **options))

    vars(module)["ChatMessages"] = ChatMessages


def _count_frames(video: Video, element: Mapping[str, Any]) -> int:
    """Return the number of frames to sample: `nframes`, or `fps` within limits; even, and at least two."""
    if element.get("nframes"):
        return _round_to_multiple(int(element["nframes"]), FRAME_MULTIPLE)
    fps = float(element.get("fps") or DEFAULT_FPS)
    lower = math.ceil(int(element.get("min_frames") or MIN_FRAMES) / FRAME_MULTIPLE) * FRAME_MULTIPLE
    upper = int(element.get("max_frames") or MAX_FRAMES) // FRAME_MULTIPLE * FRAME_MULTIPLE
    count = min(max(video.seconds * fps, lower), upper)
    return max(FRAME_MULTIPLE, int(count + 1e-6) // FRAME_MULTIPLE * FRAME_MULTIPLE)


def _fit_size(width: int, height: int, frames: int, element: Mapping[str, Any]) -> tuple[int, int]:
    """Return the size whose sides are multiples of a patch and whose area is within limits."""
    least = int(element.get("min_pixels") or MIN_PIXELS)
    budget = int(element.get("total_pixels") or TOTAL_PIXELS) / frames * FRAME_MULTIPLE
    most = max(min(MAX_PIXELS, budget), least * 1.05)
    most = min(float(element.get("max_pixels") or most), most)
    fitted = [max(SIDE_MULTIPLE, _round_to_multiple(side, SIDE_MULTIPLE)) for side in (width, height)]
    if fitted[0] * fitted[1] > most:
        scale = math.sqrt(width * height / most)
        fitted = [
            max(SIDE_MULTIPLE, math.floor(side / scale / SIDE_MULTIPLE) * SIDE_MULTIPLE) for side in (width, height)
        ]
    elif fitted[0] * fitted[1] < least:
        scale = math.sqrt(least / (width * height))
        fitted = [math.ceil(side * scale / SIDE_MULTIPLE) * SIDE_MULTIPLE for side in (width, height)]
    return fitted[0], fitted[1]


def _round_to_multiple(number: float, factor: int) -> int:
    return max(factor, round(number / factor) * factor)
