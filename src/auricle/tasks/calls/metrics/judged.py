"""Statements about a call that a judge checks: what `judge: STATEMENT` expects of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from auricle.core.calls import CallRecording
from auricle.core.dialogue import list_dialogue
from auricle.core.types import Generate, Output, Sample
from auricle.metrics.agreement import JudgeScale
from auricle.metrics.base import Metric, constant_bounds, mean
from auricle.metrics.judge import RubricScorer, TemplateValues
from auricle.metrics.pooling import require_recording
from auricle.metrics.rubric import RUBRICS_DIR, Rubric, load_rubric
from auricle.tasks.calls.metrics.success import require_transcript, select_expectations, succeeds

SPEAKERS = {"Caller": "Caller:", "Agent": "Agent:", "Tool": "Agent calls"}
"""How a line of a call begins in the prompt of a judge."""


def format_call(recording: CallRecording) -> str:
    """Return a call with one line per turn, so that no text can begin the turn of another side."""
    heard = [line for line in list_dialogue(recording) if line.text]
    return "\n".join(f"{SPEAKERS[line.speaker]} {' '.join(line.text.split())}" for line in heard)


@dataclass(frozen=True, slots=True)
class StatementScorer:
    """Ask a judge about every statement that is expected of a call, and score its verdicts."""

    rubric: Rubric

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
        scorers = (RubricScorer(self.rubric, partial(_build_values, statement, call)) for statement in statements)
        return tuple(request for scorer in scorers for request in scorer.judge_requests(sample, output))

    def score_share(self, sample: Sample, output: Output, *, verdicts: Sequence[str]) -> float | None:
        """Return the share of statements that are true of the call; None if none is expected."""
        if require_recording(output).is_dropped:
            return 0.0 if _list_statements(sample) else None
        values = self._read_verdicts(verdicts)
        return fmean(values) if values else None

    def score_success(self, sample: Sample, output: Output, *, verdicts: Sequence[str]) -> float | None:
        """Return 1 if all rules are met and all statements are true, else 0; None if nothing is expected."""
        recording = require_recording(output)
        by_rules, values = succeeds(sample, recording), self._read_verdicts(verdicts)
        if recording.is_dropped and _list_statements(sample):
            return 0.0
        if by_rules is None and not values:
            return None
        return float(by_rules is not False and all(value > 0.5 for value in values))

    def _read_verdicts(self, verdicts: Sequence[str]) -> list[float]:
        """Return the share of votes for each statement."""
        values, size = [self.rubric.parse_reply(reply) for reply in verdicts], self.rubric.votes
        return [fmean(values[start : start + size]) for start in range(0, len(values), size)]


def _list_statements(sample: Sample) -> list[str]:
    return ["\n".join(expectation.texts) for expectation in select_expectations(sample, ("judge",))]


def _build_values(statement: str, call: str, _sample: Sample, *_outputs: Output) -> TemplateValues:
    return {"reference": statement, "answer": call}


def _make_success_metric(rubric: Rubric) -> Metric:
    scorer = StatementScorer(rubric)
    return Metric(
        "judged_success",
        scorer.score_share,
        mean,
        version=rubric.version,
        title="Judged success",
        variant=rubric.digest,
        bounds=constant_bounds((0.0, 1.0)),
        unit="share",
        credit=float,
        judge_requests=scorer.judge_requests,
        with_votes=lambda votes: _make_success_metric(rubric.with_votes(votes)),
        judge_scale=JudgeScale("interval"),
    )


def _make_task_metric(rubric: Rubric) -> Metric:
    scorer = StatementScorer(rubric)
    return Metric(
        "task_success_judged",
        scorer.score_success,
        mean,
        version=rubric.version,
        title="Task success with judge",
        variant=f"all-rules.{rubric.digest}",
        bounds=constant_bounds((0.0, 1.0)),
        unit="share",
        credit=float,
        judge_requests=scorer.judge_requests,
        with_votes=lambda votes: _make_task_metric(rubric.with_votes(votes)),
        judge_scale=JudgeScale("nominal"),
    )


_RUBRIC = load_rubric(RUBRICS_DIR / "call-statement.yaml")
judged_success = _make_success_metric(_RUBRIC)
task_success_judged = _make_task_metric(_RUBRIC)
