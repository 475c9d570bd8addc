"""How far a model's confidence is from how often it is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, WeightedAggregate, divide

if TYPE_CHECKING:
    from auricle.metrics.base import Array

BIN_COUNT = 15


class ExpectedCalibrationError:
    """Expected calibration error over (confidence, hit): 15 bins of equal width, by their size."""

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.prepare_weighted(stats)(np.ones(len(stats)))

    def prepare_weighted(self, stats: Sequence[Any]) -> WeightedAggregate:
        import numpy as np

        places, confidence, hits = _assign_bins(stats)
        gaps = confidence - hits

        def value(weights: Array) -> float:
            by_bin = np.bincount(places, weights=weights * gaps, minlength=BIN_COUNT)
            return divide(float(np.abs(by_bin).sum()), float(weights.sum()))

        return value

    def details(self, stats: Sequence[Any]) -> Details:
        """Each bin that is not empty: where it ends, how many, how sure, how often right."""
        import numpy as np

        places, confidence, hits = _assign_bins(stats)
        sizes = np.bincount(places, minlength=BIN_COUNT)
        sure, right = (np.bincount(places, weights=each, minlength=BIN_COUNT) for each in (confidence, hits))
        return {
            "bins": [
                {
                    "to": (at + 1) / BIN_COUNT,
                    "n": int(sizes[at]),
                    "confidence": float(sure[at] / sizes[at]),
                    "accuracy": float(right[at] / sizes[at]),
                }
                for at in np.flatnonzero(sizes).tolist()
            ]
        }


def _assign_bins(stats: Sequence[Any]) -> tuple[Any, Array, Array]:
    """The bin of each stat, which holds its upper end and not its lower."""
    import numpy as np

    table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
    confidence, hits = table[:, 0], table[:, 1]
    places = np.clip(np.ceil(confidence * BIN_COUNT).astype(np.int64) - 1, 0, BIN_COUNT - 1)
    return places, confidence, hits
