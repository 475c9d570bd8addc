"""Silero's voice activity detection: regions, frames, and equality with the package's own code."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.support.extras import require_extra

require_extra("vad")

from auricle import Audio
from auricle.core.errors import MissingExtra, SpecError
from auricle.core.types import Generate, Segment, Turn
from auricle.models.voice_activity import FRAME_SECONDS, SileroVad, list_active, list_frames, pad_regions
from auricle.tasks.demo.kinds import FOLDER

RATE = 16_000


def build_speech() -> tuple[Any, list[tuple[float, float]]]:
    """Return three sentences with a second of faint noise around each, and when they are spoken."""
    rng = np.random.default_rng(0)
    parts, spans, at = [], [], 0.0
    for number in (1, 2, 3):
        speech = Audio(str(FOLDER / f"s{number:02d}-clean.opus")).decode(RATE)
        loud = np.flatnonzero(np.abs(speech) > 0.02)
        parts += [rng.normal(0, 0.001, RATE), speech]
        spans.append((at + 1 + loud[0] / RATE, at + 1 + loud[-1] / RATE))
        at += 1 + len(speech) / RATE
    return np.concatenate([*parts, rng.normal(0, 0.001, RATE)]).astype(np.float32), spans


def ask(model: SileroVad, samples: Any) -> tuple[Segment, ...]:
    request = Generate(turns=(Turn("user", (Audio.of(samples, rate=RATE),)),))
    (output,) = model.generate([request])
    assert output.segments is not None
    return output.segments


@pytest.mark.slow
def test_sentences_in_silence_are_detected() -> None:
    samples, spans = build_speech()
    regions = ask(SileroVad(), samples)
    assert len(regions) == 3
    for region, (start, end) in zip(regions, spans, strict=True):
        assert (region.text, region.score) == ("speech", None)
        assert (region.start, region.end) == pytest.approx((start, end), abs=0.25)


@pytest.mark.slow
def test_regions_equal_those_of_the_package() -> None:
    import torch
    from silero_vad import get_speech_timestamps, load_silero_vad

    samples, _ = build_speech()
    for threshold, pause in ((0.5, 0.1), (0.7, 0.5)):
        expected = get_speech_timestamps(
            torch.tensor(samples), load_silero_vad(onnx=True), threshold=threshold,
            min_silence_duration_ms=round(1000 * pause),
        )  # fmt: skip
        regions = ask(SileroVad(threshold=threshold, min_silence=pause), samples)
        own = np.array([(region.start, region.end) for region in regions])
        assert np.abs(own - [(span["start"] / RATE, span["end"] / RATE) for span in expected]).max() < 1e-4


@pytest.mark.slow
def test_frames_cover_the_recording_with_probabilities() -> None:
    samples, spans = build_speech()
    frames = ask(SileroVad(frames=True), samples[: 5 * RATE + 100])
    assert (frames[0].start, frames[-1].end) == pytest.approx((0, 5 + 100 / RATE))
    assert all(first.end == pytest.approx(second.start) for first, second in pairwise(frames))
    middle = sum(spans[0]) / 2
    (frame,) = [frame for frame in frames if frame.start <= middle < frame.end]
    assert (frame.score or 0) > 0.5
    assert (frames[0].score or 0) < 0.2


@pytest.mark.slow
def test_silence_has_no_speech() -> None:
    assert ask(SileroVad(), np.zeros(RATE, np.float32)) == ()


def test_speech_ends_only_well_below_the_threshold() -> None:
    assert list(list_active([0.6, 0.4, 0.36, 0.34, 0.45], 0.5)) == [(0, 3)]
    assert list(list_active([0.1, 0.6], 0.5)) == [(1, 2)]
    assert list(list_active([], 0.5)) == []


def test_padding_ends_in_the_middle_of_short_silence() -> None:
    regions = list(pad_regions([(0.01, 1.0), (1.04, 2.0)], 0.03, 2.5))
    assert [(region.start, region.end) for region in regions] == [(0.0, 1.02), (1.02, 2.03)]


def test_neighbouring_frames_with_the_same_probability_are_joined() -> None:
    frames = list(list_frames([0.1, 0.1, 0.9], 0.09))
    assert [(frame.end, frame.score) for frame in frames] == [(2 * FRAME_SECONDS, 0.1), (0.09, 0.9)]


@pytest.mark.parametrize("arguments", [{"threshold": 0.0}, {"threshold": 1.0}, {"padding": -0.1}, {"min_speech": -1}])
def test_settings_are_checked(arguments: dict[str, float]) -> None:
    with pytest.raises(SpecError, match="silero-vad"):
        SileroVad(**arguments)  # type: ignore[arg-type]


def test_without_the_packages_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auricle.models.voice_activity.find_silero", lambda: None)
    with pytest.raises(MissingExtra, match="vad"):
        SileroVad()
