"""Inferencers turn a sample into requests. They neither score nor batch.

Each inferencer is a frozen dataclass whose `repr` identifies it in the run directory.
"""

from auricle.prompts.template import render
from auricle.tasks.inferencers.base import FirstSupported, Inferencer, preview_requests, select_inferencer, with_context
from auricle.tasks.inferencers.calls import HoldCall, StreamAudio
from auricle.tasks.inferencers.generate import Converse, Respond, Rounds
from auricle.tasks.inferencers.likelihood import Choose, Continue, FirstToken, LabelPrompts
from auricle.tasks.inferencers.scores import Appraise, Compare, Measure, Prefer, Rate, RateOrPrefer
from auricle.tasks.inferencers.speech import Speak

__all__ = [
    "Appraise", "Choose", "Compare", "Continue", "Converse", "FirstSupported", "FirstToken", "HoldCall",
    "Inferencer", "LabelPrompts", "Measure", "Prefer", "Rate", "RateOrPrefer", "Respond", "Rounds", "Speak",
    "StreamAudio",
    "preview_requests", "render", "select_inferencer", "with_context",
]  # fmt: skip
