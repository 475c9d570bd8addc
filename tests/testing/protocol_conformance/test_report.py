"""Results of checking a server."""

from auricle.testing.protocol_conformance.report import ConformanceReport


def report() -> ConformanceReport:
    return ConformanceReport({"a": False, "b": True, "c": False})


def test_required_checks_decide_and_optional_ones_do_not() -> None:
    results = report()
    results.add("b", "missing", "not sent")
    results.add("a", "supported")
    results.add("c", "unknown", "not observed")
    assert results.is_conformant
    assert [check.name for check in results.checks] == ["a", "b", "c"]
    failed = report()
    failed.add("a", "wrong", "late")
    assert not failed.is_conformant


def test_the_first_result_of_a_check_counts() -> None:
    results = report()
    results.add("a", "wrong", "late")
    results.add("a", "supported")
    results.add_unknown(("a", "c"), "closed")
    assert [(check.outcome, check.explanation) for check in results.checks] == [
        ("wrong", "late"),
        ("unknown", "closed"),
    ]


def test_something_is_missing_wrong_or_supported() -> None:
    for present, problem, expected in (
        (None, "", ("missing", "none")),
        (None, "odd", ("missing", "none")),
        ("x", "odd", ("wrong", "odd")),
        ("x", "", ("supported", "")),
    ):
        results = report()
        assert results.require("a", present, "none", problem=problem) is (expected[0] == "supported")
        assert (results.checks[0].outcome, results.checks[0].explanation) == expected


def test_the_document_has_all_results() -> None:
    results = report()
    results.add("b", "missing", "not sent")
    row = {"check": "b", "outcome": "missing", "explanation": "not sent", "optional": True}
    assert results.to_document() == {"conformant": True, "checks": [row]}
