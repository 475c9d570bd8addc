"""Statements about a call that a judge checks: what `judge: STATEMENT` expects of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from auricle.core.calls import CallRecording
from auricle.core.dialogue import list_dialogue
from auricle.core.types import Generate, Output, Sample
from auricle.metrics.agreement import JudgeScale
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.metrics.capabilities import Bounded, Credited, Judged, Voting
from auricle.metrics.judge import build_requests
from auricle.metrics.pooling import require_recording
from auricle.metrics.rubric import Rubric, load_rubric
from auricle.tasks.calls.metrics.success import require_transcript, select_expectations, succeeds

SPEAKERS = {"Caller": "Caller:", "Agent": "Agent:", "Tool": "Agent calls"}
"""How a line of a call begins in the prompt of a judge."""


def format_call(recording: CallRecording) -> str:
    """Return a call with one line per turn, so that no text can begin the turn of another side."""
    heard = [line for line in list_dialogue(recording) if line.text]
    return "\n".join(f"{SPEAKERS[line.speaker]} {' '.join(line.text.split())}" for line in heard)


class StatementMetric(Metric, Judged, Voting, Bounded, Credited):
    """A metric of what a judge says about every statement that is expected of a call."""

    unit, aggregate = "share", mean
    convention = ""
    bounds = constant_bounds((0.0, 1.0))
    credit = staticmethod(float)

    def __init__(self, rubric: Rubric) -> None:
        super().__init__(version=rubric.version, variant=self.convention + rubric.digest)
        self.rubric = rubric

    def with_votes(self, votes: int) -> Metric:
        return type(self)(self.rubric.with_votes(votes))

    def judge_requests(self, sample: Sample, output: Output) -> tuple[Generate, ...]:
        """Return the requests of all votes on the first statement, then those on the next."""
        statements = _list_statements(sample)
        if not statements:
            return ()
        recording = require_recording(output)
        if recording.is_dropped:
            return ()  # no success, whatever a judge would say
        require_transcript(recording)
        call = format_call(recording)
        return tuple(
            request
            for statement in statements
            for request in build_requests(self.rubric, {"reference": statement, "answer": call})
        )

    def read_verdicts(self, verdicts: Sequence[str]) -> list[float]:
        """Return the share of votes for each statement."""
        values, size = [self.rubric.parse_reply(reply) for reply in verdicts], self.rubric.votes
        return [fmean(values[start : start + size]) for start in range(0, len(values), size)]


class JudgedSuccess(StatementMetric):
    """The share of statements that are true of the call; None if none is expected."""

    name, title = "judged_success", "Judged success"
    judge_scale = JudgeScale("interval")

    def score(self, sample: Sample, output: Output, *, verdicts: Sequence[str]) -> float | None:
        if require_recording(output).is_dropped:
            return 0.0 if _list_statements(sample) else None
        values = self.read_verdicts(verdicts)
        return fmean(values) if values else None


class JudgedTaskSuccess(StatementMetric):
    """Whether all rules are met and all statements are true; None if nothing is expected."""

    name, title = "task_success_judged", "Task success with judge"
    convention = "all-rules."
    judge_scale = JudgeScale("nominal")

    def score(self, sample: Sample, output: Output, *, verdicts: Sequence[str]) -> float | None:
        recording = require_recording(output)
        by_rules, values = succeeds(sample, recording), self.read_verdicts(verdicts)
        if recording.is_dropped and _list_statements(sample):
            return 0.0
        if by_rules is None and not values:
            return None
        return float(by_rules is not False and all(value > 0.5 for value in values))


def _list_statements(sample: Sample) -> list[str]:
    return ["\n".join(expectation.texts) for expectation in select_expectations(sample, ("judge",))]


_RUBRIC = load_rubric(Path(__file__).with_name("call-statement.yaml"))
judged_success = JudgedSuccess(_RUBRIC)
task_success_judged = JudgedTaskSuccess(_RUBRIC)
