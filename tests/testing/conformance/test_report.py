"""Results of checks are readable and can be asked for by name."""

from auricle.testing import CheckResult, ModelCheckError, ModelReport

REPORT = ModelReport(
    "mine",
    (
        CheckResult(name="generate.answers", outcome="passed"),
        CheckResult(name="generate.batch", outcome="skipped", reason="batch_size = 1"),
        CheckResult(name="generate.order", outcome="skipped", reason="batch_size = 1"),
        CheckResult(name="generate.state", outcome="failed", expected="'a' again", actual="'b'"),
        CheckResult(name="generate.stream", outcome="skipped", reason="the model does not stream"),
    ),
)


def test_results_are_listed_by_outcome() -> None:
    assert REPORT.passed == ["generate.answers"]
    assert REPORT.failed == ["generate.state"]
    assert list(REPORT.skipped) == ["generate.batch", "generate.order", "generate.stream"]
    assert REPORT.skipped["generate.stream"] == "the model does not stream"


def test_failures_come_first_and_reasons_once() -> None:
    assert str(REPORT).splitlines() == [
        "mine: 1 passed, 1 failed, 3 skipped",
        "failed   generate.state",
        "           expected 'a' again",
        "           got 'b'",
        "passed   generate.answers",
        "skipped  generate.batch, generate.order: batch_size = 1",
        "skipped  generate.stream: the model does not stream",
    ]


def test_the_error_of_a_failed_check_is_an_assertion_error_with_the_report() -> None:
    error = ModelCheckError(REPORT)
    assert isinstance(error, AssertionError)
    assert error.report is REPORT
    assert str(error) == str(REPORT)
