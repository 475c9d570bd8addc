"""Sounds in buckets, on web servers and in tars."""

from pathlib import Path

import pytest

from auricle.core.errors import AudioError, SampleError
from auricle.core.storage import open_storage
from auricle.data.tar_files import iter_members
from auricle.media import Audio, Image
from auricle.media.fetching import RecentContent, fetch, is_fetched
from tests.support.tar_shards import make_sound, write_tar


def test_buckets_and_tars_are_fetched_but_not_the_web() -> None:
    uris = ["s3://b/a.wav", "x.tar#a.wav@512+10", "https://h/x.tar#a.wav@512+10", "https://h/a.wav", "a.wav", ""]
    assert [is_fetched(uri) for uri in uris] == [True, True, True, False, False, False]


def test_a_sound_in_a_tar_is_read_alone(tmp_path: Path) -> None:
    sound = make_sound()
    path = write_tar(tmp_path / "x.tar", [("other.flac", b"x" * 2000), ("a.flac", sound)])
    *_, member = iter_members(path, lambda _: None)
    audio = Audio(member.uri)
    assert audio.path is None
    assert audio.seconds == pytest.approx(0.1)
    assert audio.hash == Audio(data=sound).hash
    fetched = audio.fetched()
    assert (fetched.data, fetched.uri, fetched.hash) == (sound, audio.uri, audio.hash)
    assert fetched.segment(0.0, 0.05).seconds == pytest.approx(0.05)


def test_a_tar_that_shrank_costs_the_sample(tmp_path: Path) -> None:
    write_tar(tmp_path / "x.tar", [("a.flac", b"x")])
    with pytest.raises(AudioError, match="has changed since it was indexed"):
        fetch(f"{tmp_path}/x.tar#a.flac@512+99999", AudioError)


def test_recent_content_is_kept_up_to_a_number_of_bytes() -> None:
    recent = RecentContent(10)
    recent.add("a", b"1" * 4)
    recent.add("b", b"2" * 4)
    assert recent.get("a") == b"1111"
    recent.add("c", b"3" * 4)
    assert recent.get("b") is None
    assert recent.get("a") is not None
    recent.add("large", b"4" * 11)
    assert [recent.get(name) for name in ("a", "c", "large")] == [None, None, b"4" * 11]  # it is needed next


@pytest.mark.slow
def test_a_sound_in_a_bucket_has_the_hash_of_its_content(bucket: str) -> None:
    sound = make_sound(suffix="wav")
    open_storage(bucket).write("p/a.wav", sound)
    audio = Audio.of(f"{bucket}/p/a.wav", end=0.05)
    assert audio.hash == Audio.of(sound, end=0.05).hash
    assert audio.seconds == pytest.approx(0.05)
    assert audio.fetched().data == sound
    assert Image(f"{bucket}/p/a.wav").fetched().data == sound
    with pytest.raises(AudioError, match=rf"{bucket}/p/b\.wav does not exist"):
        Audio(f"{bucket}/p/b.wav").decode()
    with pytest.raises(SampleError, match=r"cannot be read: There is no bucket 'no-such-bucket'"):
        Image("s3://no-such-bucket/a.png").read()
