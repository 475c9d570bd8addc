from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.frameworks.lmms.media import LazyAudioDict, is_media, resolve_path, to_part, to_turns, to_user_value
from auricle.media import Audio, Image, Video


def test_stored_audio_is_decoded_on_access(tone: Any, tmp_path: Path) -> None:
    tone("a.wav", seconds=0.1, rate=8_000)
    audio = to_user_value({"bytes": None, "path": "a.wav"}, tmp_path)
    assert isinstance(audio, LazyAudioDict)
    assert "array" not in dict.keys(audio)
    assert (len(audio["array"]), audio["sampling_rate"]) == (800, 8_000)


def test_other_values_are_unchanged(tmp_path: Path) -> None:
    assert to_user_value({"bytes": None, "path": None}, tmp_path) == {"bytes": None, "path": None}
    assert not is_media("text")


@pytest.mark.parametrize(("name", "part_type"), [("a.wav", Audio), ("a.png", Image), ("a.mp4", Video), ("a.x", Video)])
def test_paths_become_media_by_their_suffix(name: str, part_type: type, tmp_path: Path) -> None:
    assert isinstance(to_part(name, tmp_path), part_type)


def test_paths_are_resolved_against_the_data_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "a.wav").touch()
    monkeypatch.chdir(tmp_path)
    assert resolve_path("a.wav", Path("data")) == tmp_path / "a.wav"
    (tmp_path / "data" / "a.wav").touch()
    assert resolve_path("a.wav", Path("data")) == tmp_path / "data" / "a.wav"


def test_invalid_messages_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(SampleError, match="messages should be a list, not str"):
        to_turns("hello", tmp_path)
    with pytest.raises(SampleError, match="role should be system, user or assistant"):
        to_turns([{"role": "robot", "content": "hello"}], tmp_path)


def test_web_addresses_are_not_paths(tmp_path: Path) -> None:
    address = "https://host/clips/a.mp4?token=1"
    assert to_part(address, tmp_path) == Video(address)
    assert to_part({"url": "https://host/a.wav"}, tmp_path) == Audio("https://host/a.wav")
    content = [{"type": "video", "url": address}, {"type": "image", "url": "https://host/picture"}]
    (turn,) = to_turns([{"role": "user", "content": content}], tmp_path)
    assert turn.parts == (Video(address), Image("https://host/picture"))


def test_part_of_a_video_is_kept(tmp_path: Path) -> None:
    content = [{"type": "video", "url": "a.mp4", "start_time": 1.0, "end_time": 2.5}]
    (turn,) = to_turns([{"role": "user", "content": content}], tmp_path)
    assert turn.parts == (Video(str(tmp_path / "a.mp4"), start=1.0, end=2.5),)
