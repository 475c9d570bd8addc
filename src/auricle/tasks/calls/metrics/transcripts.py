"""Word error rates of both sides of a call: what the model understood of the caller, and what it spoke."""

from __future__ import annotations

from collections.abc import Callable

from auricle.core.calls import CallRecording, EventKind
from auricle.core.types import Output, Sample
from auricle.metrics.base import Metric
from auricle.metrics.pooling import require_recording
from auricle.tasks.asr.error_rates import ErrorRate
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


class SideErrorRate(ErrorRate):
    """The word error rate of the two texts that `pair` returns for a call; None if it does not apply to the call."""

    plot = ""

    def __init__(
        self,
        name: str,
        title: str,
        variant: str,
        pair: Callable[[Sample, CallRecording], tuple[str, str] | None],
        profile_name: str = "basic",
    ) -> None:
        super().__init__(name, split_words, profile_name, title=title)
        self.variant += f".{variant}"
        self._pair = pair
        self._own_variant = variant

    def score(self, sample: Sample, output: Output) -> tuple[float, ...] | None:
        texts = self._pair(sample, require_recording(output))
        return None if texts is None else self.count(*texts)

    def with_profile(self, profile: str) -> Metric:
        return SideErrorRate(self.name, self.title, self._own_variant, self._pair, profile)


caller_wer = SideErrorRate("caller_wer", "WER of the caller", "script.understood", _pair_caller)
agent_wer = SideErrorRate("agent_wer", "WER of the agent", "expected.own-transcript", _pair_agent)
