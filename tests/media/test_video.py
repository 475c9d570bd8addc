"""Frames of videos."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest

from auricle.core.errors import SampleError
from auricle.media import Audio, Video
from auricle.media.video import MAX_FRAMES, FrameSampling
from tests.support.videos import make_video, recognise_frame

CONTAINERS = [("mp4", "libx264"), ("matroska", "libx264"), ("webm", "libvpx"), ("mpegts", "libx264"), ("avi", "ffv1")]


def sampled(video: Video, count: int | None = None, fps: float | None = None) -> list[int]:
    """Return the numbers of the sampled frames, by their content."""
    return [recognise_frame(frame.pixels) for frame in video.iter_frames(count, fps=fps)]


@pytest.mark.parametrize(("container", "codec"), CONTAINERS)
def test_frames_are_spaced_evenly_from_the_first_to_the_last(container: str, codec: str) -> None:
    video = Video.of(make_video(container=container, codec=codec))
    assert sampled(video, 5) == [0, 7, 14, 22, 29]
    assert sampled(video, 1) == [0]


def test_frames_have_their_number_and_time() -> None:
    frames = list(Video.of(make_video()).iter_frames(3))
    assert [frame.index for frame in frames] == [0, 14, 29]
    assert [frame.seconds for frame in frames] == pytest.approx([0.0, 1.4, 2.9])
    assert frames[0].pixels.shape == (48, 64, 3)


def test_fps_takes_the_frame_shown_at_each_time() -> None:
    video = Video.of(make_video())
    assert sampled(video, fps=2) == [0, 5, 10, 15, 20, 25]
    assert sampled(video, fps=3) == [0, 3, 6, 10, 13, 16, 20, 23, 26]


def test_video_with_fewer_frames_gives_all_of_them_once() -> None:
    video = Video.of(make_video(frames=4))
    assert sampled(video, 8) == sampled(video, fps=100) == [0, 1, 2, 3]


def test_slice_limits_the_frames() -> None:
    content = make_video()
    assert sampled(Video(data=content, start=1.0, end=2.0), 3) == [10, 14, 19]
    with pytest.raises(SampleError, match="The video in memory has no frame from 9 s to 10 s"):
        sampled(Video(data=content, start=9.0, end=10.0), 3)


def test_duration_is_read_without_decoding() -> None:
    content = make_video()
    assert Video.of(content).seconds == pytest.approx(3.0)
    assert Video(data=content, start=1.0, end=2.0).seconds == pytest.approx(1.0)


def test_frames_are_jpeg_images_with_the_same_pixels(tmp_path: Path) -> None:
    from PIL import Image as Pillow

    (tmp_path / "a.mp4").write_bytes(make_video())
    images = Video.of(tmp_path / "a.mp4").frames(4)
    opened = [Pillow.open(io.BytesIO(image.read())) for image in images]
    assert {image.media_type for image in images} == {"image/jpeg"}
    assert {image.size for image in opened} == {(64, 48)}
    assert [recognise_frame(np.asarray(image)) for image in opened] == [0, 10, 19, 29]


def test_video_recorded_sideways_is_turned_upright() -> None:
    content = make_video(frames=1)
    upright = struct.pack(">9I", 1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30)
    sideways = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, 48 << 16, 0, 1 << 30)
    head, matrix, rest = content.rpartition(upright)  # the last one belongs to the track
    (frame,) = Video.of(head + sideways + rest).iter_frames(1)
    assert matrix
    assert frame.pixels.shape == (64, 48, 3)


def test_file_without_video_is_refused(tmp_path: Path) -> None:
    sound = Audio.of(np.zeros(1600, np.float32), rate=16_000).encode("wav")
    with pytest.raises(SampleError, match=r"has no video stream \(it contains: audio\)"):
        Video.of(sound).frames(2)
    with pytest.raises(SampleError, match="is not a video of any known format"):
        Video.of(b"no video at all").frames(2)
    with pytest.raises(SampleError, match=r"absent.mp4 does not exist"):
        Video.of(tmp_path / "absent.mp4").frames(2)


def test_truncated_video_is_refused() -> None:
    with pytest.raises(SampleError, match="damaged or truncated"):
        Video.of(make_video()[:500]).frames(3)


@pytest.mark.parametrize(
    ("count", "fps", "message"),
    [
        (None, None, "set either a number of frames or fps"),
        (3, 1.0, "set either a number of frames or fps"),
        (0, None, f"from 1 to {MAX_FRAMES}, not 0"),
        (MAX_FRAMES + 1, None, f"from 1 to {MAX_FRAMES}, not {MAX_FRAMES + 1}"),
        (None, 0.0, "fps must be a number above 0, not 0.0"),
        (None, float("nan"), "fps must be a number above 0, not nan"),
    ],
)
def test_impossible_samplings_are_refused(count: int | None, fps: float | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FrameSampling(count, fps)


def test_too_many_frames_per_second_are_refused() -> None:
    times = [index / 10 for index in range(8_000)]
    with pytest.raises(SampleError, match=r"long.mp4 has 8,000 frames at 10 fps, more than the limit of 768"):
        FrameSampling(fps=10).choose(times, "long.mp4")
    assert len(FrameSampling(fps=0.5).choose(times, "long.mp4")) == 400
