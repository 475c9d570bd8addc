"""Recordings with events at known times."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from auricle.testing.sound_scenes import RATE, make_clips, place_clips, write_scenes


def level(samples: np.ndarray) -> float:
    return float(20 * np.log10(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))))


@pytest.mark.parametrize("seed", range(5))
def test_events_are_loud_and_the_rest_is_quiet(seed: int) -> None:
    scene = place_clips(make_clips(), seconds=10.0, events=4, seed=seed)
    is_event = np.zeros(len(scene.samples), dtype=bool)
    for event in scene.events:
        span = slice(round(event.start * RATE), round(event.end * RATE))
        assert not is_event[span].any()  # events do not overlap
        is_event[span] = True
        assert level(scene.samples[span]) == pytest.approx(-20, abs=0.2)
    assert level(scene.samples[~is_event]) == pytest.approx(-50, abs=0.2)
    assert scene.events


def test_the_same_seed_gives_the_same_recording_and_another_one_does_not() -> None:
    first, again, other = (place_clips(make_clips(), seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.samples, again.samples)
    assert first.events == again.events
    assert not np.array_equal(first.samples, other.samples)


def test_clips_that_do_not_fit_are_left_out() -> None:
    scene = place_clips({"long": np.ones(2 * RATE, np.float32)}, seconds=5.0, events=3)
    assert 1 <= len(scene.events) <= 2
    assert scene.events[-1].end <= 5.0


def test_manifests_describe_the_files(tmp_path: Path) -> None:
    folder = write_scenes(tmp_path, count=6, seconds=4.0, events=2)
    rows = [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]
    tags = [json.loads(line) for line in (folder / "tags.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 6
    assert (rows[5]["events"], tags[5]["labels"]) == ([], [])
    assert tags[0]["labels"] == sorted({event["label"] for event in rows[0]["events"]})
    assert soundfile.info(folder / rows[0]["audio"]).duration == 4.0
