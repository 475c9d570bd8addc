"""Small videos, made on demand."""

import io
from typing import Any

import av
import numpy as np
from PIL import Image as Pillow

RATE = 10
"""Frames per second."""


def grey_level(index: int) -> int:
    """Return the brightness of a frame, by which tests recognise it."""
    return 20 + 7 * index


def make_video(
    frames: int = 30, size: tuple[int, int] = (64, 48), container: str = "mp4", codec: str = "libx264"
) -> bytes:
    """Encode a video whose frames get brighter one by one, with a key frame every ten frames."""
    target = io.BytesIO()
    with av.open(target, "w", format=container) as output:
        track: Any = output.add_stream(codec, rate=RATE)
        track.width, track.height, track.pix_fmt = *size, "yuv420p"
        track.gop_size = 10
        for index in range(frames):
            pixels = np.full((size[1], size[0], 3), grey_level(index), np.uint8)
            output.mux(track.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        output.mux(track.encode(None))
    return target.getvalue()


def recognise_frame(pixels: Any) -> int:
    """Return the number of a frame, by its brightness."""
    return round((float(np.asarray(pixels).mean()) - 20) / 7)


def recognise_image(content: bytes) -> int:
    """Return the number of a frame that was encoded as an image."""
    return recognise_frame(np.asarray(Pillow.open(io.BytesIO(content))))
