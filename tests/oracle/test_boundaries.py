"""Matched boundaries, against mir_eval."""

import random
from itertools import pairwise

import numpy as np
import pytest

from auricle.core.types import Generation, Sample, Segment
from auricle.metrics.base import Metric
from auricle.tasks.timestamps.metrics import segmentation as metrics
from tests.support.extras import require_extra

require_extra("oracles")
import mir_eval.segment

PAIRS = [
    (20, (metrics.segmentation_precision_20ms, metrics.segmentation_recall_20ms, metrics.segmentation_f1_20ms)),
    (50, (metrics.segmentation_precision_50ms, metrics.segmentation_recall_50ms, metrics.segmentation_f1_50ms)),
    (200, (metrics.segmentation_precision_200ms, metrics.segmentation_recall_200ms, metrics.segmentation_f1_200ms)),
]


def draw_times(generator: random.Random) -> list[float]:
    """Return sorted boundaries on a grid of 10 ms, so that some differences are exactly the tolerance."""
    size = generator.randrange(3, 30)
    return [at / 100 for at in [0, *sorted(generator.sample(range(1, 300), size)), 300]]


def to_segments(times: list[float]) -> tuple[Segment, ...]:
    return tuple(Segment(start, end) for start, end in pairwise(times))


@pytest.mark.parametrize(("tolerance", "scores"), PAIRS)
def test_precision_recall_and_f1_equal_those_of_mir_eval(tolerance: int, scores: tuple[Metric, ...]) -> None:
    generator = random.Random(tolerance)
    for _ in range(60):
        reference, hypothesis = draw_times(generator), draw_times(generator)
        intervals = [np.array(list(pairwise(times))) for times in (reference, hypothesis)]
        # A hair more than the tolerance, because mir_eval compares floats.
        expected = mir_eval.segment.detection(*intervals, window=tolerance / 1000 + 1e-6, trim=True)
        sample = Sample(id="1", inputs={}, meta={"segments": [[" ", *pair] for pair in intervals[0].tolist()]})
        output = Generation(text="", segments=to_segments(hypothesis))
        actual = [metric.aggregate([metric.score(sample, output, audio_seconds=3.0)]) for metric in scores]
        assert actual == pytest.approx(expected, abs=1e-9)
