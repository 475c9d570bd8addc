"""What a run returns, and how a command exits."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import ExitStatus
from auricle.runs.health import JournalHealth
from auricle.runs.metrics import JudgeFacts
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.result import RunResult
from tests.runs.test_metrics import METRICS

SCORED = replace(METRICS, judges=())
RESULT = RunResult(path=Path("runs/a"), outcomes=OutcomeCounts(3, 3, 0), metrics=SCORED)


def test_result_gives_numbers_by_metric_and_in_order() -> None:
    assert RESULT["wer"] is SCORED["wer"]
    assert [number.metric for number in RESULT] == ["wer", "cer"]


def test_a_result_states_the_outcomes_of_all_samples_that_were_scored() -> None:
    scored_again = replace(RESULT, outcomes=OutcomeCounts(0, 0, 0))
    answered, failed = SCORED.outcomes.answered, SCORED.outcomes.failed
    assert answered
    assert scored_again.describe() == f"runs/a: {answered} answered, {failed} failed"


def test_result_without_metrics_has_no_numbers() -> None:
    result = replace(RESULT, metrics=None)
    assert result.numbers == ()
    with pytest.raises(KeyError):
        result["wer"]


def judged(missing: int = 0, failed: int = 0, *, requested: bool = True) -> RunResult:
    judge = JudgeFacts("openai", "openai", missing=missing, failed=failed)
    return replace(RESULT, metrics=replace(SCORED, judges=(judge,)), judge_requested=requested)


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (RESULT, ExitStatus.OK),
        (replace(RESULT, metrics=None), ExitStatus.OK),
        (replace(RESULT, metrics=replace(SCORED, journal=JournalHealth(damaged_verdicts=1))), ExitStatus.FAILURES),
        (replace(RESULT, outcomes=OutcomeCounts(3, 2, 1)), ExitStatus.FAILURES),
        (replace(RESULT, unscored=("cer",)), ExitStatus.FAILURES),
        (replace(RESULT, complete=False), ExitStatus.INTERRUPTED),
        (replace(RESULT, complete=False, stop_reason="1 USD spent"), ExitStatus.FAILURES),
        (judged(), ExitStatus.OK),
        (judged(failed=1), ExitStatus.FAILURES),
        (judged(missing=1), ExitStatus.INTERRUPTED),
        (judged(missing=1, requested=False), ExitStatus.FAILURES),
        (replace(judged(missing=1), stop_reason="1 USD spent"), ExitStatus.FAILURES),
        (RunResult(path=Path("a"), outcomes=OutcomeCounts(3, 3, 0), metrics=METRICS), ExitStatus.FAILURES),
    ],
)
def test_exit_status_depends_on_how_the_run_ended(result: RunResult, status: ExitStatus) -> None:
    assert result.exit_status is status
