"""How far a model's confidence is from how often it is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auricle.metrics.base import Details, Weighed, divide

if TYPE_CHECKING:
    from auricle.metrics.base import Array

BINS = 15


class Calibration:
    """Expected calibration error over (confidence, hit): 15 bins of equal width, by their size."""

    def __call__(self, stats: Sequence[Any]) -> float:
        import numpy as np

        return self.weigh(stats)(np.ones(len(stats)))

    def weigh(self, stats: Sequence[Any]) -> Weighed:
        import numpy as np

        places, confidence, hits = _binned(stats)
        gaps = confidence - hits

        def value(weights: Array) -> float:
            by_bin = np.bincount(places, weights=weights * gaps, minlength=BINS)
            return divide(float(np.abs(by_bin).sum()), float(weights.sum()))

        return value

    def details(self, stats: Sequence[Any]) -> Details:
        """Each bin that is not empty: where it ends, how many, how sure, how often right."""
        import numpy as np

        places, confidence, hits = _binned(stats)
        sizes = np.bincount(places, minlength=BINS)
        sure, right = (
            np.bincount(places, weights=each, minlength=BINS) for each in (confidence, hits)
        )
        return {
            "bins": [
                {
                    "to": (at + 1) / BINS,
                    "n": int(sizes[at]),
                    "confidence": float(sure[at] / sizes[at]),
                    "accuracy": float(right[at] / sizes[at]),
                }
                for at in np.flatnonzero(sizes).tolist()
            ]
        }


def _binned(stats: Sequence[Any]) -> tuple[Any, Array, Array]:
    """The bin of each stat, which holds its upper end and not its lower."""
    import numpy as np

    table = np.asarray(stats, dtype=np.float64).reshape(-1, 2)
    confidence, hits = table[:, 0], table[:, 1]
    places = np.clip(np.ceil(confidence * BINS).astype(np.int64) - 1, 0, BINS - 1)
    return places, confidence, hits
