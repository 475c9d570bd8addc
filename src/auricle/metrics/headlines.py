"""Which metrics answer what people ask first; the others are folded on every page, and stored like these."""

from __future__ import annotations

from collections.abc import Sequence

from auricle.core.features import find_features
from auricle.metrics.catalogue import METRICS, PROFILE_MARK

MAX_UNFOLDED = 6
"""Metrics that are all shown, whatever they are."""


def select_headlines(names: Sequence[str]) -> list[str]:
    """Return the metrics that are shown unfolded: the first, and those that features name, or all if they are few."""
    if len(names) <= MAX_UNFOLDED:
        return list(names)
    return [name for at, name in enumerate(names) if not at or is_headline(name)]


def is_headline(name: str) -> bool:
    """Return whether a metric is shown unfolded among many; `srcc.musicality` is as `srcc`, `wer@basic` as `wer`.

    >>> is_headline("uar"), is_headline("weighted_recall"), is_headline("srcc.musicality"), is_headline("mine")
    (True, False, True, True)
    """
    plain_name = name.partition(PROFILE_MARK)[0].partition(".")[0]
    builtin = METRICS.builtin.get(plain_name)
    module = builtin.path.partition(":")[0] if builtin else ""
    for feature in find_features():
        for listed, headlines in feature.headlines.items():
            if module == f"{feature.package}.{listed}":
                return plain_name in headlines
    return True
