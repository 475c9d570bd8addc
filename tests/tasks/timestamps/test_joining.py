"""Recordings joined from clips, whose words have exact times."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from auricle import Audio, Sample
from auricle.core.errors import DataError
from auricle.tasks.timestamps.joining import JoinOptions, check_length, join_recordings, trim_silence

RATE = 16_000


def make_clips(folder: Path, texts: tuple[str, ...] = ("one", "two", "three")) -> list[Sample]:
    """Write clips of constants, 0.1, 0.2, … s long, with 0.2 s of faint noise on both sides."""
    noise = np.full(RATE // 5, 1e-4, dtype=np.float32)
    samples = []
    for number, text in enumerate(texts, 1):
        clip = np.full(number * RATE // 10, number / 10, dtype=np.float32)
        soundfile.write(folder / f"{number}.wav", np.concatenate([noise, clip, noise]), RATE)
        audio = Audio(str(folder / f"{number}.wav"))
        meta: Any = {"speaker": "anna" if number < 3 else "ben"}
        samples.append(Sample(id=str(number), inputs={"audio": [audio]}, target=text, meta=meta))
    return samples


def test_words_are_exactly_where_the_rows_state(tmp_path: Path) -> None:
    rows = join_recordings(make_clips(tmp_path), tmp_path / "joined", JoinOptions(count=3, clips=5))
    values = {"one": 0.1, "two": 0.2, "three": 0.3}
    for row in rows:
        samples = Audio(str(tmp_path / row["audio"])).decode(RATE)
        is_sound = np.zeros(len(samples), dtype=bool)
        for word, start, end in row["words"]:
            first, last = round(start * RATE), round(end * RATE)
            assert samples[first:last] == pytest.approx(values[word], abs=1e-3)
            is_sound[first:last] = True
        assert not samples[~is_sound].any()
        assert row["text"].split() == [word for word, _, _ in row["words"]]


def test_pauses_have_the_requested_lengths(tmp_path: Path) -> None:
    (row,) = join_recordings(make_clips(tmp_path), tmp_path / "a", JoinOptions(1, 20, (0.2, 0.25)))
    words = row["words"]
    pauses = [words[0][1], *(second[1] - first[2] for first, second in pairwise(words))]
    assert 0.2 <= min(pauses) < max(pauses) <= 0.2501


def test_the_seed_decides_everything(tmp_path: Path) -> None:
    clips = make_clips(tmp_path)
    first, again = (join_recordings(clips, tmp_path / name / "x", JoinOptions(seed=4)) for name in "ab")
    assert first == again
    assert (tmp_path / "a/x/0001.wav").read_bytes() == (tmp_path / "b/x/0001.wav").read_bytes()
    assert join_recordings(clips, tmp_path / "x", JoinOptions(seed=5)) != first


def test_a_recording_has_the_clips_of_one_speaker_if_requested(tmp_path: Path) -> None:
    rows = join_recordings(make_clips(tmp_path), tmp_path / "a", JoinOptions(count=4), by="speaker")
    assert [row["speaker"] for row in rows] == ["anna", "ben", "anna", "ben"]
    assert {*rows[1]["clips"]} == {"3"}
    with pytest.raises(DataError, match="no column 'mood'"):
        join_recordings(make_clips(tmp_path), tmp_path / "a", JoinOptions(), by="mood")


def test_clips_of_several_words_become_segments(tmp_path: Path) -> None:
    clips = make_clips(tmp_path, ("good morning", "sir"))
    (row,) = join_recordings(clips, tmp_path / "a", JoinOptions(count=1))
    assert "words" not in row
    segments = row["segments"]
    assert {segment["text"] for segment in segments} == {"good morning", "sir"}


def test_trimming_keeps_what_is_above_40_db_below_the_loudest_block() -> None:
    loud, faint, silent = np.ones(1600, np.float32), np.full(160, 0.011, np.float32), np.full(160, 0.009, np.float32)
    assert len(trim_silence(np.concatenate([silent, faint, loud, silent]), RATE)) == 1760


def test_silent_missing_and_absent_clips_are_refused(tmp_path: Path) -> None:
    (clip, *_) = make_clips(tmp_path)
    soundfile.write(tmp_path / "1.wav", np.zeros(RATE), RATE)
    with pytest.raises(DataError, match="it is silent"):
        join_recordings([clip], tmp_path / "a", JoinOptions())
    (tmp_path / "1.wav").unlink()
    with pytest.raises(DataError, match="1 cannot be joined"):
        join_recordings([clip], tmp_path / "a", JoinOptions())
    with pytest.raises(DataError, match="expected one recording, got 0"):
        join_recordings([Sample(id="1", inputs={}, target="a")], tmp_path / "a", JoinOptions())
    with pytest.raises(DataError, match="no recordings"):
        join_recordings([], tmp_path / "a", JoinOptions())


def test_labels_beyond_the_recording_are_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(RATE), RATE)
    check_length(tmp_path / "a.wav", 1.049)
    with pytest.raises(DataError, match=r"has 1\.000 s, but its last word ends at 1\.051 s"):
        check_length(tmp_path / "a.wav", 1.051)


@pytest.mark.parametrize("options", [{"count": 0}, {"clips": 0}, {"pauses": (0.3, 0.1)}, {"pauses": (-1.0, 1.0)}])
def test_invalid_options_are_refused(options: Any) -> None:
    with pytest.raises(DataError):
        JoinOptions(**options)
