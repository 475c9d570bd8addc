"""Sample frames of videos with PyAV.

The timestamps of all frames are read first, without decoding. Then only what leads to a sampled frame is decoded: a
long video is read from the last key frame before each of them.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, BinaryIO

from auricle.core.errors import SampleError
from auricle.media.decode import INDEXED_CONTAINERS, damaged_error, open_container
from auricle.media.waveform import check_slice

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

MAX_FRAMES = 768
"""Most frames sampled from one video."""
JPEG_QUANTIZER = 3  # FFmpeg's scale, from 1 (best) to 31


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """A decoded frame: its number in the video, its time in seconds, and RGB pixels as (height, width, 3)."""

    index: int
    seconds: float
    pixels: NDArray[uint8]

    def to_jpeg(self) -> bytes:
        """Encode the frame as a JPEG file."""
        import av

        height, width = self.pixels.shape[:2]
        encoder: Any = av.CodecContext.create("mjpeg", "w")
        encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuvj420p"
        encoder.time_base = Fraction(1)
        encoder.qmin = encoder.qmax = JPEG_QUANTIZER
        frame = av.VideoFrame.from_ndarray(self.pixels, format="rgb24").reformat(format="yuvj420p")
        return b"".join(bytes(packet) for packet in (*encoder.encode(frame), *encoder.encode(None)))


@dataclass(frozen=True, slots=True)
class FrameSampling:
    """Which frames to take: `count` evenly spaced ones, from the first to the last, or `fps` per second."""

    count: int | None = None
    fps: float | None = None

    def __post_init__(self) -> None:
        count, fps = self.count, self.fps
        if (count is None) == (fps is None):
            raise ValueError("set either a number of frames or fps")
        if count is not None and not (type(count) is int and 1 <= count <= MAX_FRAMES):
            raise ValueError(f"the number of frames must be from 1 to {MAX_FRAMES}, not {count!r}")
        if fps is not None and not (type(fps) in (int, float) and 0 < fps < math.inf):
            raise ValueError(f"fps must be a number above 0, not {fps!r}")

    def choose(self, times: Sequence[float], name: str) -> list[int]:
        """Return positions in a list of the times of frames; none is taken twice."""
        if self.count is not None:
            count = min(self.count, len(times))
            return [round(step * (len(times) - 1) / max(1, count - 1)) for step in range(count)]
        assert self.fps is not None
        steps = math.floor((times[-1] - times[0]) * self.fps + 1e-6) + 1
        if min(steps, len(times)) > MAX_FRAMES:
            raise SampleError(
                f"{name} has {min(steps, len(times)):,} frames at {self.fps:g} fps, more than the limit of "
                f"{MAX_FRAMES}. Set a lower fps or a number of frames."
            )
        due_times = (times[0] + step / self.fps + 1e-6 for step in range(steps))
        return sorted({bisect_right(times, due) - 1 for due in due_times})


def read_times(stream: BinaryIO, name: str, start: float = 0.0, end: float | None = None) -> list[float]:
    """Return the times of the frames of a slice, in seconds from the start of the video, without decoding."""
    index, positions = _locate_slice(stream, name, start, end)
    return index.times[positions.start : positions.stop]


def iter_frames(
    stream: BinaryIO, name: str, sampling: FrameSampling, start: float = 0.0, end: float | None = None
) -> Iterator[VideoFrame]:
    """Decode sampled frames of the slice from start to end in seconds."""
    index, positions = _locate_slice(stream, name, start, end)
    times = index.times
    chosen = [positions[position] for position in sampling.choose(times[positions.start : positions.stop], name)]
    with open_container(stream, name, "a video", SampleError) as container:  # not every container can be rewound
        for position, frame in zip(chosen, _read_frames(container, index, chosen, name), strict=True):
            yield VideoFrame(position, times[position], _upright_pixels(frame))


def _locate_slice(stream: BinaryIO, name: str, start: float, end: float | None) -> tuple[_FrameIndex, range]:
    """Return the timestamps of a video and the positions of the frames of a slice."""
    check_slice(start, end, name, SampleError)
    with open_container(stream, name, "a video", SampleError) as container:
        index = _read_index(container, name)
    times = index.times
    positions = range(bisect_left(times, start), bisect_left(times, math.inf if end is None else end))
    if not positions:
        raise SampleError(f"{name} has no frame from {start:g} s to {end or times[-1]:g} s.")
    return index, positions


@dataclass(frozen=True, slots=True)
class _FrameIndex:
    """Timestamps of all frames and of the key frames, in display order."""

    stamps: Sequence[int]
    key_stamps: Sequence[int]
    time_base: Fraction

    @property
    def times(self) -> list[float]:
        """Seconds since the first frame."""
        return [float((stamp - self.stamps[0]) * self.time_base) for stamp in self.stamps]

    def key_stamp_before(self, stamp: int) -> int:
        """Return the timestamp of the key frame from which a frame can be decoded."""
        position = bisect_right(self.key_stamps, stamp) - 1
        return self.key_stamps[position] if position >= 0 else self.stamps[0]


def _read_index(container: Any, name: str) -> _FrameIndex:
    if not container.streams.video:
        kinds = ", ".join(sorted({stream.type for stream in container.streams})) or "nothing"
        raise SampleError(f"{name} has no video stream (it contains: {kinds}).")
    track = container.streams.video[0]
    packets = [
        (packet.dts if packet.pts is None else packet.pts, packet.is_keyframe)
        for packet in _with_name(container.demux(track), name)
        if packet.size and not packet.is_discard
    ]
    stamps = sorted({stamp for stamp, _ in packets if stamp is not None})
    if not stamps:
        raise SampleError(f"{name} contains no video frames.")
    key_stamps = sorted({stamp for stamp, is_key in packets if is_key and stamp is not None})
    return _FrameIndex(stamps, key_stamps, track.time_base)


def _read_frames(container: Any, index: _FrameIndex, positions: Sequence[int], name: str) -> Iterator[Any]:
    """Decode the frames at these positions, which increase."""
    track = container.streams.video[0]
    track.thread_type = "AUTO"
    can_seek = container.format.name.split(",")[0] in INDEXED_CONTAINERS
    decoded = _with_name(container.decode(track), name)
    frame: Any = None
    current = index.stamps[0]
    for stamp in (index.stamps[position] for position in positions):
        if can_seek and index.key_stamp_before(stamp) > current:
            container.seek(index.key_stamp_before(stamp), stream=track)
            decoded, frame = _with_name(container.decode(track), name), None
        while (frame is None or current < stamp) and (following := next(decoded, None)):
            frame = following
            current = stamp if frame.pts is None else frame.pts
        if frame is None:
            raise damaged_error(name, "no frame can be decoded", SampleError)
        yield frame


def _with_name(items: Iterator[Any], name: str) -> Iterator[Any]:
    """Pass items on, and report errors of FFmpeg with the name of the file."""
    import av

    try:
        yield from items
    except (av.error.FFmpegError, ValueError) as error:
        raise damaged_error(name, str(error), SampleError) from error


def _upright_pixels(frame: Any) -> NDArray[uint8]:
    """Return RGB pixels, rotated as the video states: phones record sideways."""
    import numpy as np

    pixels = frame.to_ndarray(format="rgb24")
    return np.ascontiguousarray(np.rot90(pixels, frame.rotation // 90)) if frame.rotation % 360 else pixels
