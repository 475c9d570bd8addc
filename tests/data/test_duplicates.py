"""Recordings with the same content under different ids."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, Sample
from auricle.core.types import RejectedRow
from auricle.data.duplicates import DuplicateIndex, Recording, list_recordings, read_stated_seconds
from auricle.media import Image, Video


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write noise of a seed, so that equal seeds give equal recordings."""

    def make(name: str, seed: int = 0, seconds: float = 0.1) -> Path:
        wave = np.random.default_rng(seed).integers(-9999, 9999, round(8000 * seconds)).astype(np.int16)
        soundfile.write(tmp_path / name, wave, 8000)
        return tmp_path / name

    return make


def sample(path: Path, target: str = "sad", name: str = "", **inputs: Any) -> Sample:
    return Sample(id=name or path.name, inputs={"audio": Audio(str(path)), **inputs}, target=target)


def duplicates_of(*samples: Sample) -> list[str]:
    index = DuplicateIndex()
    for each in samples:
        audio = each.inputs["audio"]
        assert isinstance(audio, Audio)
        index.add(Recording.decode(each, audio))
    return list(map(str, index.duplicates))


def test_a_copy_under_another_id_is_a_duplicate(write: Any) -> None:
    samples = [sample(write("a.wav")), sample(write("b.wav", 1)), sample(write("c.wav"))]
    assert duplicates_of(*samples) == ["a.wav and c.wav"]


def test_a_copy_in_another_format_is_a_duplicate(write: Any) -> None:
    assert duplicates_of(sample(write("a.wav")), sample(write("a.flac"))) == ["a.wav and a.flac"]


def test_different_labels_of_a_duplicate_are_named(write: Any) -> None:
    assert duplicates_of(sample(write("a.wav")), sample(write("b.wav"), "angry")) == [
        "a.wav and b.wav, labelled sad and angry"
    ]


def test_rows_that_use_the_same_file_are_no_duplicates(write: Any) -> None:
    path = write("a.wav")
    assert duplicates_of(sample(path, name="1"), sample(path, name="2")) == []


def test_other_questions_about_a_recording_are_no_duplicates(write: Any) -> None:
    asked = [sample(write(f"{name}.wav"), question=f"{name}?") for name in "ab"]
    assert duplicates_of(*asked) == []
    assert len(duplicates_of(*(sample(write(f"{name}.wav"), question="Which?") for name in "ab"))) == 1


def test_slices_of_a_file_are_different_recordings(write: Any) -> None:
    path = str(write("a.wav"))
    parts = [Audio(path, start=start, end=start + 0.05) for start in (0.0, 0.05)]
    assert duplicates_of(*(Sample(id=str(n), inputs={"audio": part}) for n, part in enumerate(parts))) == []


def test_duplicates_in_another_split_name_it(write: Any) -> None:
    index = DuplicateIndex()
    test, long = sample(write("test.wav")), sample(write("long.wav", seconds=0.2))
    for each in (test, long):
        index.add(Recording.decode(each, each.inputs["audio"]))  # type: ignore[arg-type]
    broken = write("broken.flac")
    broken.write_bytes(broken.read_bytes()[:200] + b"x" * (broken.stat().st_size - 200))  # the header is intact
    others: list[Sample | RejectedRow] = [RejectedRow("row 1", "broken"), sample(Path("missing.wav")), sample(broken)]
    others += [sample(write("train.wav")), sample(write("other.wav", 1)), test]
    index.add_split("train", others)
    assert [str(duplicate) for duplicate in index.duplicates] == ["test.wav and train.wav of the split train"]


def test_durations_are_those_of_the_waveform_and_of_the_header(write: Any) -> None:
    part = Audio(str(write("a.wav", seconds=1 / 3)), start=0.1, end=0.2)
    recording = Recording.decode(Sample(id="1", inputs={"audio": part}), part)
    assert recording.seconds == pytest.approx(0.1)
    assert recording.stated_seconds == 0.1
    assert read_stated_seconds(Audio(part.uri)) == 0.333


def test_audio_among_texts_of_one_input_is_decoded(write: Any) -> None:
    audio = Audio(str(write("a.wav")))
    parts: list[str | Audio | Image | Video] = ["Which emotion?", audio]
    asked = Sample(id="1", inputs={"parts": parts})
    assert list_recordings(asked) == [audio]
    assert Recording.decode(asked, audio).id == "1"


def test_a_duration_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert read_stated_seconds(Audio(str(tmp_path / "missing.wav"))) is None
