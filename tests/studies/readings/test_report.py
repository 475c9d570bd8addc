"""Drawing replies to check, and the sheet."""

import csv
import io
from pathlib import Path

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Failure, Generation, Input, Prediction, Record, Sample
from auricle.media import Audio
from auricle.studies.readings.document import Audit, AuditItem
from auricle.studies.readings.report import build_sheet, choose_metric, describe_reply, draw_audit, read_sheet
from auricle.tasks.asr.error_rates import wer
from auricle.tasks.labels.metrics import accuracy, option_accuracy, uar

REPLIES = ("The answer is A.", "B", "[[A]]", "hm", "It is a guitar.")


def make_record(row: int, reply: str) -> Record:
    inputs = {"question": "Which instrument?", "choices": ["guitar", "piano"]}
    sample = Sample(id=f"q{row}", inputs=inputs, target="A")
    return Record(sample=sample, row=row, outputs=(Generation(text=reply),))


RECORDS = [make_record(row, REPLIES[row % 5]) for row in range(100)]


def draw(count: int = 10, seed: int = 0) -> Audit:
    return draw_audit(RECORDS[::-1], option_accuracy, count=count, seed=seed)


def test_replies_read_from_statements_and_others_are_drawn_at_random() -> None:
    audit = draw()
    readings = [item.reading for item in audit.items]
    assert readings.count("statement") == 10
    assert len(readings) == 20
    assert audit.readings == {
        "structure": 20, "marker": 20, "whole_reply": 20, "statement": 20, "unread": 20, "refused": 0,
        "truncated": 0,
    }  # fmt: skip
    assert [item.id for item in audit.items] == sorted(
        (item.id for item in audit.items), key=lambda name: int(name[1:])
    )


def test_the_draw_depends_on_the_seed_alone() -> None:
    assert draw() == draw_audit(RECORDS, option_accuracy, count=10, seed=0)
    assert {item.id for item in draw().items} != {item.id for item in draw(seed=1).items}


@pytest.mark.thorough
def test_every_other_reply_is_drawn_equally_often() -> None:
    draws = [item.id for seed in range(200) for item in draw(count=20, seed=seed).items if item.reading != "statement"]
    counts = [draws.count(f"q{row}") for row in range(100) if row % 5 != 4]
    assert sum(counts) == 4000
    assert 30 < min(counts) <= max(counts) < 75  # 50 on average


def test_small_runs_are_drawn_completely_and_failed_samples_are_left_out() -> None:
    failed = Record(sample=Sample(id="f", inputs={}), row=9, error=Failure("Transient", "no"))
    audit = draw_audit([*RECORDS[:5], failed], option_accuracy, count=50, seed=0)
    assert [(item.value, item.reading) for item in audit.items] == [
        ("A. guitar", "marker"),
        ("B. piano", "whole_reply"),
        ("A. guitar", "structure"),
        ("", "unread"),
        ("A. guitar", "statement"),
    ]


def test_class_scores_are_no_replies() -> None:
    sample = Sample(id="a", inputs={"choices": ["cat", "dog"]}, target="cat", meta={"labels": "cat,dog"})
    scores = Prediction(values={"cat": 0.9, "dog": 0.1}, scale="probability")
    assert draw_audit([Record(sample=sample, row=0, outputs=(scores,))], accuracy, count=5, seed=0).items == ()


def test_the_first_metric_that_reads_replies_is_audited() -> None:
    assert choose_metric([wer, option_accuracy, uar], None) is option_accuracy
    assert choose_metric([wer, option_accuracy, uar], "uar") is uar
    with pytest.raises(SpecError, match="No metric of this run reads answers from replies; its metrics are wer"):
        choose_metric([wer], None)
    with pytest.raises(SpecError, match=r"'wer' does not read answers from replies\. Metrics that do: uar"):
        choose_metric([wer, uar], "wer")


def test_the_sheet_has_question_options_reply_and_reading_but_no_target() -> None:
    sheet = build_sheet(draw_audit(RECORDS[:3], option_accuracy, count=5, seed=0), RECORDS).decode("utf-8-sig")
    first, *_, last = csv.DictReader(io.StringIO(sheet))
    assert first == {
        "id": "q0",
        "question": "Which instrument?",
        "options": "A. guitar | B. piano",
        "reply": "The answer is A.",
        "read": "A. guitar",
        "strength": "marker",
        "label": "",
    }
    assert last["strength"] == "structure"


def test_replies_are_not_formulas_of_a_spreadsheet() -> None:
    records = [make_record(0, "=HYPERLINK(1)"), make_record(1, "- A")]
    sheet = build_sheet(draw_audit(records, option_accuracy, count=5, seed=0), records).decode("utf-8-sig")
    assert [row["reply"] for row in csv.DictReader(io.StringIO(sheet))] == ["'=HYPERLINK(1)", "'- A"]


def test_questions_of_other_inputs_are_their_texts() -> None:
    inputs: dict[str, Input] = {"audio": Audio("a.wav"), "instruction": ["Listen:", "What is it?"]}
    record = Record(sample=Sample(id="a", inputs=inputs), row=0, outputs=(Generation(text="x"), Generation(text="y")))
    assert describe_reply(record) == ("Listen: What is it?", "", "x | y")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_labels_are_read_from_sheets_of_other_programs(tmp_path: Path, delimiter: str) -> None:
    rows = [["id", "reply", "label"], ["a", "one\ntwo", "Right"], ["b", "x", ""], ["c", "y", "w"]]
    with (tmp_path / "sheet.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert read_sheet(tmp_path / "sheet.csv") == {"a": "right", "c": "wrong"}


def test_other_files_and_unknown_labels_are_reported_with_their_place(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("name,label\na,right\n")
    with pytest.raises(DataError, match="has no columns 'id' and 'label'"):
        read_sheet(sheet)
    sheet.write_text("id,label\na,right\nb,good\n")
    with pytest.raises(SpecError, match=r"sheet\.csv:3: Unknown label 'good'"):
        read_sheet(sheet)
    sheet.write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="cannot be read as UTF-8 text"):
        read_sheet(sheet)


def test_a_label_of_a_row_whose_id_looks_like_a_formula_is_read(tmp_path: Path) -> None:
    record = Record(sample=Sample(id="=1+1", inputs={"question": "@x"}), outputs=(Generation(text="-y"),), row=0)
    audit = Audit(metric="m", signature="m:1", seed=0, readings={}, items=(AuditItem("=1+1", "stated", "+z", "right"),))
    sheet = tmp_path / "sheet.csv"
    sheet.write_bytes(build_sheet(audit, [record]))
    assert "\n'=1+1,'@x,,'-y,'+z," in sheet.read_text(encoding="utf-8-sig")
    assert read_sheet(sheet) == {"=1+1": "right"}
