"""Word error rates of both sides of a call: what the model understood of the caller, and what it spoke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Generation, Output, Sample
from auricle.metrics.base import Metric
from auricle.metrics.pooling import require_recording
from auricle.tasks.asr.error_rates import error_rate_metric
from auricle.tasks.calls.metrics.turns import list_turns
from auricle.text import split_words

AGENT_TEXT_FIELD = "agent_text"
"""Metadata field with what the agent is expected to speak, word by word."""
SPOKEN_KINDS = ("say", "interrupt", "backchannel", "aside")


def _pair_caller(sample: Sample, recording: CallRecording) -> tuple[str, str] | None:
    """Return the words of the script and what was understood; None if the model does not report that."""
    texts = [turn.text for turn in list_turns(recording) if turn.kind in SPOKEN_KINDS and turn.text]
    if not texts or not recording.select(EventKind.PARTIAL, EventKind.FINAL):
        return None
    return " ".join(texts), recording.understood


def _pair_agent(sample: Sample, recording: CallRecording) -> tuple[str, str] | None:
    expected = sample.meta.get(AGENT_TEXT_FIELD)
    return None if expected is None else (str(expected), recording.text)


def _side_metric(
    name: str,
    title: str,
    variant: str,
    pair: Callable[[Sample, CallRecording], tuple[str, str] | None],
    profile_name: str = "basic",
) -> Metric:
    """Make a word error rate of the texts that `pair` returns."""
    metric = error_rate_metric(name, split_words, profile_name)

    def score(sample: Sample, output: Output) -> Any:
        texts = pair(sample, require_recording(output))
        return None if texts is None else metric.score(replace(sample, target=texts[0]), Generation(text=texts[1]))

    return metric.replace(
        score=score,
        title=title,
        variant=f"{metric.variant}.{variant}",
        bounds=None,
        with_profile=partial(_side_metric, name, title, variant, pair),
        tokenize=None,
        read_answer=None,
        plot="",
    )


caller_wer = _side_metric("caller_wer", "WER of the caller", "script.understood", _pair_caller)
agent_wer = _side_metric("agent_wer", "WER of the agent", "expected.own-transcript", _pair_agent)
