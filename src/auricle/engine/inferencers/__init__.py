"""Inferencers turn a sample into requests. They neither score nor batch.

Each inferencer is a frozen dataclass whose `repr` identifies it in the run directory.
"""

from auricle.data.prompts.template import render
from auricle.engine.inferencers.base import (
    FirstSupported,
    Inferencer,
    preview_requests,
    select_inferencer,
    with_context,
)
from auricle.engine.inferencers.generate import Converse, Respond, Rounds
from auricle.engine.inferencers.scores import Appraise, Compare, Measure, Prefer, Rate, RateOrPrefer

__all__ = [
    "Appraise", "Compare", "Converse", "FirstSupported", "Inferencer", "Measure", "Prefer", "Rate",
    "RateOrPrefer", "Respond", "Rounds", "preview_requests", "render", "select_inferencer", "with_context",
]  # fmt: skip
