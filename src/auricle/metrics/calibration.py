"""Expected calibration error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, Stats, WeightedAggregate, WeightedAggregator, divide

if TYPE_CHECKING:
    from auricle.metrics.base import Array

BIN_COUNT = 15


class ExpectedCalibrationError(WeightedAggregator):
    """Expected calibration error over (confidence, hit) pairs: 15 bins of equal width, weighted by size."""

    def prepare_weighted(self, stats: Stats) -> WeightedAggregate:
        import numpy as np

        bins, confidence, hits = _assign_bins(stats)
        gaps = confidence - hits

        def value(weights: Array) -> float:
            gap_sums = np.bincount(bins, weights=weights * gaps, minlength=BIN_COUNT)
            return divide(float(np.abs(gap_sums).sum()), float(weights.sum()))

        return value

    def details(self, stats: Stats) -> Details:
        """Return size, mean confidence and accuracy of each bin that is not empty."""
        import numpy as np

        bins, confidence, hits = _assign_bins(stats)
        sizes = np.bincount(bins, minlength=BIN_COUNT)
        confidence_sums = np.bincount(bins, weights=confidence, minlength=BIN_COUNT)
        hit_sums = np.bincount(bins, weights=hits, minlength=BIN_COUNT)
        return {
            "bins": [
                {
                    "to": (index + 1) / BIN_COUNT,
                    "n": int(sizes[index]),
                    "confidence": float(confidence_sums[index] / sizes[index]),
                    "accuracy": float(hit_sums[index] / sizes[index]),
                }
                for index in np.flatnonzero(sizes).tolist()
            ]
        }


def _assign_bins(stats: Stats) -> tuple[Any, Array, Array]:
    """Return the bin index, the confidence and the hit of each statistic; a bin includes its upper end."""
    import numpy as np

    table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
    confidence, hits = table[:, 0], table[:, 1]
    bins = np.clip(np.ceil(confidence * BIN_COUNT).astype(np.int64) - 1, 0, BIN_COUNT - 1)
    return bins, confidence, hits
