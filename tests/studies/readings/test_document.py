"""`audit.json`."""

from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.signature import Signature
from auricle.runs.metrics import Number
from auricle.studies.readings.document import Audit, AuditItem, AuditLabel, read_audit, summarise_audit, write_audit

READINGS = {"marker": 90, "whole_reply": 0, "statement": 2, "unread": 8, "refused": 0}
ITEMS = (
    AuditItem("a", "marker", "B. piano"),
    AuditItem("b", "statement", "A. guitar"),
    AuditItem("c", "unread"),
    AuditItem("d", "statement", "A. guitar"),
)
AUDIT = Audit(metric="option_accuracy", signature="option_accuracy:5", seed=0, readings=READINGS, items=ITEMS)
NUMBER = Number(
    metric="option_accuracy", value=0.5, details={}, readings=READINGS, signature=Signature.parse("t|r|i|m:1|x|a")
)


def test_an_audit_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_audit(tmp_path) is None
    write_audit(tmp_path, AUDIT)
    assert read_audit(tmp_path) == AUDIT


def test_a_damaged_audit_is_reported(tmp_path: Path) -> None:
    (tmp_path / "audit.json").write_text("{")
    with pytest.raises(DataError, match=r"audit\.json is not valid JSON.* Restore it, or delete it to start over\."):
        read_audit(tmp_path)
    result = summarise_audit(tmp_path, [NUMBER])  # the numbers of the run can still be read
    assert result
    assert "audit.json is not valid JSON" in result.problem


@pytest.mark.parametrize(
    ("text", "label"), [("right", "right"), (" W ", "wrong"), ("Other", "other"), ("", ""), ("r", "right")]
)
def test_labels_are_words_or_first_letters(text: str, label: str) -> None:
    assert AuditLabel.read(text) == label


def test_unknown_labels_are_refused() -> None:
    with pytest.raises(SpecError, match=r"Unknown label 'ok'\. Use right, wrong, other, or leave it empty\."):
        AuditLabel.read("ok")


def test_labels_are_added_to_earlier_ones() -> None:
    labelled = AUDIT.with_labels({"a": "right"}).with_labels({"b": "wrong", "a": "other"})
    assert [item.label for item in labelled.items] == ["other", "wrong", "", ""]
    assert [item.id for item in labelled.wrong] == ["b"]
    with pytest.raises(SpecError, match=r"1 labelled samples were not drawn for this audit, such as 'x'\."):
        AUDIT.with_labels({"x": "right"})


def test_labels_are_kept_for_replies_that_are_read_the_same() -> None:
    earlier = AUDIT.with_labels(dict.fromkeys("abcd", "right"))
    read_again = replace(AUDIT, items=(replace(ITEMS[0], value="A. guitar"), *ITEMS[1:3]))
    assert [item.label for item in read_again.keep_labels(earlier).items] == ["", "right", "right"]


def test_both_kinds_of_replies_weigh_as_much_as_the_run_has_of_them() -> None:
    result = AUDIT.with_labels({"a": "right", "b": "wrong", "c": "right", "d": "wrong"}).summarise()
    assert result.accuracy == pytest.approx(0.98)  # all of 98 other replies, none of 2 statements
    assert (result.labelled, result.drawn, result.wrong, result.statements, result.population) == (4, 4, 2, 2, 100)
    assert result.low is not None
    assert result.low < 0.98 == result.high


def test_undecided_replies_are_left_out() -> None:
    result = AUDIT.with_labels({"a": "right", "b": "other", "c": "right", "d": "wrong"}).summarise()
    assert result.accuracy == pytest.approx(98 / 99)
    assert result.undecided == 1


def test_without_labels_of_other_replies_there_is_no_accuracy() -> None:
    result = AUDIT.with_labels({"b": "right"}).summarise()
    assert (result.accuracy, result.low, result.labelled) == (None, None, 1)


def test_an_audit_of_other_readings_is_outdated(tmp_path: Path) -> None:
    assert summarise_audit(tmp_path, [NUMBER]) is None
    write_audit(tmp_path, AUDIT)
    assert summarise_audit(tmp_path, [NUMBER]) is None  # nothing is labelled
    write_audit(tmp_path, AUDIT.with_labels({"a": "right", "b": "right"}))
    for readings, is_outdated in ((READINGS, False), ({**READINGS, "statement": 3}, True)):
        result = summarise_audit(tmp_path, [replace(NUMBER, readings=readings)])
        assert result
        assert result.is_outdated is is_outdated
