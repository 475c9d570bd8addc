"""Checks of judges, stored in a run."""

from pathlib import Path

from auricle.studies.judges.document import CheckResult, JudgeChecks


def test_checks_are_stored_and_read(tmp_path: Path) -> None:
    assert JudgeChecks.load(tmp_path) == JudgeChecks()
    result = CheckResult(check="position", measure="m", judge="j", value=0.5, low=0.4, high=0.6, n=50, neutral=0.5)
    checks = JudgeChecks("judge-pairwise", (result, CheckResult(check="agreement", measure="m", note="no labels")))
    checks.save(tmp_path)
    assert JudgeChecks.load(tmp_path) == checks
