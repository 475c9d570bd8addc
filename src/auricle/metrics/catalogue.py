"""Built-in metrics."""

from __future__ import annotations

from typing import Any

from auricle.core.errors import MissingExtra
from auricle.core.features import Builtin
from auricle.core.registry import Registry

PROFILE_MARK = "@"
"""Separates the name of a metric from that of its text normaliser, if a task has the metric under several."""
DIMENSIONS = ("arousal", "dominance", "valence")
"""Dimensions of emotion that have metrics of their own."""
_JUDGES = {
    "judge-reference": "judge: answer means the same as a reference",
    "judge-choice": "judge: answer chooses the right option",
    "judge-1-5": "judge: quality from 1 to 5",
    "judge-1-10": "judge: quality from 1 to 10",
    "judge-pairwise": "judge: win rate against a baseline, in both orders",
    "judge-solution-1-5": "judge: result and steps against a solution, 1 to 5",
}

METRICS: Registry[Any] = Registry(
    "metric",
    {name: Builtin(f"auricle.metrics.judge:{name.replace('-', '_')}", summary) for name, summary in _JUDGES.items()},
)
"""Metrics of judges, and those of features."""


def metric_title(name: str) -> str:
    """Return the title of a metric that a document names; `srcc.musicality` is a metric of a dimension.

    >>> metric_title("wer"), metric_title("wer@basic"), metric_title("srcc.musicality"), metric_title("mine")
    ('WER', 'WER (basic)', 'SRCC musicality', 'mine')
    >>> metric_title("option_accuracy.pass@2")
    'Option accuracy pass@2'
    """
    from auricle.text.profiles import is_profile

    plain_name, _, profile = name.rpartition(PROFILE_MARK)
    if is_profile(profile):  # not the 2 of pass@2
        return f"{metric_title(plain_name)} ({profile})"
    builtin, _, suffix = name.partition(".")
    if builtin not in METRICS.builtin:
        return name
    try:
        title = str(getattr(METRICS.get(builtin), "title", builtin))  # a set of metrics has no title
    except MissingExtra:
        return name
    return f"{title} {suffix}".strip()
