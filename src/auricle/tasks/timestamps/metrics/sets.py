"""Sets of metrics of times."""

from __future__ import annotations

from auricle.tasks.timestamps.metrics.sanity import invalid_times
from auricle.tasks.timestamps.metrics.segmentation import segmentation_f1_50ms, segmentation_r_value_50ms
from auricle.tasks.timestamps.metrics.words import (
    boundary_recall_50ms,
    boundary_recall_200ms,
    end_bias,
    end_error,
    start_bias,
    start_error,
    word_coverage,
    word_iou,
)

timestamps = (
    boundary_recall_50ms,
    start_error,
    end_error,
    start_bias,
    end_bias,
    boundary_recall_200ms,
    word_coverage,
    word_iou,
    segmentation_f1_50ms,
    segmentation_r_value_50ms,
    invalid_times,
)
"""The metrics of `--as timestamps`, also for `--add-metrics timestamps`."""
