"""Video and audio in messages for servers, from the stubs and from the protocol of a checkout."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Generate, Turn
from auricle.frameworks.lmms import resolve_model_class
from auricle.frameworks.lmms.openai_media import audio_to_data_url, fetch_video, sample_video, video_to_url
from auricle.media import Audio, Image, Video
from auricle.testing.fake_server import FakeServer, Script, compute_digest
from tests.support.extras import require_extra
from tests.support.videos import make_video, recognise_frame

CLASSES = Path(__file__).with_name("openai_classes.py")
PROTOCOL = '''
"""The parts of a protocol that classes call: audio is inserted as it is, and frames need another package."""
from typing import Any

from pydantic import BaseModel

fetch_video = None


class ChatMessages(BaseModel):
    messages: list[Any]

    def to_openai_messages(self, video_kwargs=None, pass_video_url=False):
        return [{"role": m["role"], "content": [p for c in m["content"] for p in self.convert(c, video_kwargs)]}
                for m in self.messages]

    def to_qwen3_vl_openai_messages(self, video_kwargs=None):
        return self.to_openai_messages(video_kwargs)

    def convert(self, content, video_kwargs):
        if content["type"] == "text":
            return [{"type": "text", "text": "protocol of the checkout"}]
        if content["type"] == "audio":
            return [{"type": "audio_url", "audio_url": {"url": content["url"]}}]
        frames = fetch_video({"video": content["url"], **video_kwargs})
        return [{"type": "image_url", "image_url": {"url": f"https://frame/{round(frame.mean().item())}"}}
                for frame in frames]
'''


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "a.mp4"
    path.write_bytes(make_video())
    return path


def ask(server: FakeServer, *parts: Any, classes: Path = CLASSES, **options: Any) -> str:
    model = resolve_model_class(f"{classes}:MyServer")(base_url=server.url, **options)
    (answer,) = model.generate([Generate(turns=(Turn("user", parts),))])
    return answer.text


def described(verb: str, content: bytes) -> str:
    return f"{verb} {compute_digest(content)[:6]}"


@pytest.mark.parametrize("options", [{}, {"is_qwen3_vl": True}])
def test_class_sends_frames_and_audio_through_the_stubs(video: Path, tone: Any, options: Any) -> None:
    sound = tone("a.wav", seconds=0.1, rate=8_000)
    with FakeServer(Script()) as server:
        answer = ask(server, Video(str(video)), Audio(str(sound)), "What happens?", **options)
    assert answer.split()[::2] == ["saw"] * 4 + ["heard"]
    assert len(set(answer.split()[1:8:2])) == 4
    assert answer.endswith(described("heard", sound.read_bytes()))


def test_class_sends_the_path_of_a_video(video: Path) -> None:
    with FakeServer(Script()) as server:
        answer = ask(server, Video(str(video)), "What happens?", pass_video_url=True)
        assert answer == described("watched", video.read_bytes())
        assert ask(server, Video(data=video.read_bytes()), pass_video_url=True) == answer


def test_class_receives_the_part_of_a_video(video: Path) -> None:
    with FakeServer(Script()) as server:
        whole = ask(server, Video(str(video)), "?").split()
        part = ask(server, Video(str(video), start=1.2, end=1.8), "?").split()
    assert len(part) == len(whole) == 8
    assert not {*part[1::2]} & {*whole[1::2]}


def test_class_in_a_checkout_uses_the_protocol_of_the_checkout(tmp_path: Path, video: Path, tone: Any) -> None:
    require_extra("transformers")
    sound = tone("a.wav", seconds=0.1, rate=8_000)
    package = tmp_path / "lmms_eval"
    classes = package / "models" / "chat" / "mine.py"
    classes.parent.mkdir(parents=True)
    shutil.copy(CLASSES, classes)
    (package / "protocol.py").write_text(PROTOCOL)
    with FakeServer(Script()) as server:
        only_text = ask(server, "What happens?", classes=classes)
        answer = ask(server, Video(str(video)), Audio(str(sound)), "What happens?", classes=classes, nframes=2)
    assert only_text == "protocol of the checkout"
    assert answer.split()[::2] == ["saw", "saw", "heard"]
    assert answer.endswith(described("heard", sound.read_bytes()))


# --- frames and URLs ---------------------------------------------------------------


Sampler = Callable[..., list[int]]


@pytest.fixture
def sample(video: Path) -> Sampler:
    """Sample frames, and recognise them by their content."""
    return lambda **options: [recognise_frame(frame.image) for frame in sample_video({"video": video, **options})]


def test_frames_are_counted_as_in_qwen_vl_utils(sample: Sampler) -> None:
    assert sample(nframes=4) == [0, 10, 19, 29]
    assert len(sample(nframes=5)) == 4  # even: models merge two frames
    assert len(sample()) == 6  # two per second
    assert len(sample(fps=0.1)) == 4  # at least
    assert len(sample(fps=4, max_frames=8)) == 8
    assert sample(nframes=4, video_start=0.2, video_end=0.6) == [2, 3, 5, 6]  # the end belongs to the part


@pytest.mark.parametrize(
    ("size", "options", "expected"),
    [
        ((64, 48), {}, (392, 280)),
        ((320, 240), {"max_pixels": 151_200, "min_pixels": 784}, (308, 252)),
        ((1280, 720), {}, (1008, 560)),
        ((1280, 720), {"max_pixels": 151_200, "min_pixels": 784}, (504, 280)),
    ],
)
def test_frames_are_resized_as_in_qwen_vl_utils(
    video: Path, size: tuple[int, int], options: dict[str, int], expected: tuple[int, int]
) -> None:
    video.write_bytes(make_video(frames=4, size=size))
    assert {frame.image.size for frame in sample_video({"video": str(video), "nframes": 4, **options})} == {expected}


def test_fetch_video_returns_a_tensor_with_times(video: Path) -> None:
    require_extra("transformers")
    element = {"video": str(video), "nframes": 4}
    frames = fetch_video(element)
    assert tuple(frames.shape) == (4, 3, 280, 392)
    (again, metadata), fps = fetch_video(element, return_video_metadata=True, return_video_sample_fps=True)
    assert bool((again == frames).all())
    assert metadata["frames_indices"] == [0, 10, 19, 29]
    assert (metadata["fps"], fps) == pytest.approx((10.0, 4 / 3))


def test_audio_becomes_a_data_url_and_urls_are_kept(tone: Any) -> None:
    path = tone("a.wav", seconds=0.1, rate=8_000)
    samples = Audio.of(path).decode()
    for value in (str(path), {"path": None, "array": samples, "sampling_rate": 8_000}):
        head, _, data = audio_to_data_url(value).partition(",")
        assert head == "data:audio/wav;base64"
        assert np.allclose(Audio.of(base64.b64decode(data)).decode(), samples, atol=1e-4)
    assert audio_to_data_url("https://host/a.wav") == "https://host/a.wav"


def test_path_of_a_video_becomes_a_file_url(video: Path) -> None:
    assert video_to_url(str(video)) == video.as_uri()
    assert video_to_url("https://host/a.mp4") == "https://host/a.mp4"


def test_missing_video_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match=r"absent.mp4 does not exist"):
        sample_video({"video": str(tmp_path / "absent.mp4")})


def test_image_is_sent_as_png(video: Path) -> None:
    frame = Video(str(video)).frames(1)[0]
    with FakeServer(Script()) as server:
        assert ask(server, Image(data=frame.read()), "What?").startswith("saw ")
