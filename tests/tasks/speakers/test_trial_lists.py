"""Lists of trials and scores, as VoxCeleb, Kaldi and NIST write them."""

from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.types import RejectedRow
from auricle.data.file_formats import Row
from auricle.data.manifest import ColumnMapping
from auricle.tasks.speakers.trial_lists import (
    TrialList,
    is_trial_list,
    parse_label,
    read_scores,
    read_table,
    read_trials,
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "line", ["1 x/a.wav x/b.wav", "x/a.wav x/b.wav target", "x/a.wav\tx/b.wav\ttgt", "x/a.wav,x/b.wav,1"]
)
def test_the_label_is_the_first_or_the_last_field(tmp_path: Path, line: str) -> None:
    (row,) = read_trials(write(tmp_path / "trials", f"{line}\n"))
    assert row == Row("trials:1", {"a": "x/a.wav", "b": "x/b.wav", "label": "same"})


def test_empty_lines_comments_and_headers_are_skipped(tmp_path: Path) -> None:
    text = "modelid segmentid targettype\n\n# a comment\nm1 s1 nontarget\n"
    (row,) = read_trials(write(tmp_path / "trials.txt", text))
    assert row == Row("trials.txt:4", {"a": "m1", "b": "s1", "label": "different"})


def test_a_line_that_is_no_trial_costs_itself(tmp_path: Path) -> None:
    rows = list(read_trials(write(tmp_path / "t.txt", "1 a b\na b\na b maybe\n0 a b\n")))
    assert [type(row) for row in rows] == [Row, RejectedRow, RejectedRow, Row]
    reasons = [row.reason for row in rows if isinstance(row, RejectedRow)]
    assert reasons[0] == "expected two names and a label, got 'a b'"
    assert reasons[1].startswith("no label in 'a b maybe': expected 1 or target, or 0 or nontarget")


def test_labels_have_many_spellings() -> None:
    assert {parse_label(label) for label in (1, "1", True, "Target", "same", "genuine")} == {"same"}
    assert {parse_label(label) for label in (0, "0", False, "nontarget", "imp", "different")} == {"different"}
    assert parse_label("maybe") is None


def test_tables_with_column_names_are_no_lists() -> None:
    names = ("veri_test.txt", "trials", "sre16.trl", "trials.csv", "trials.jsonl")
    assert [is_trial_list(Path(name)) for name in names] == [True, True, True, False, False]


def test_a_list_has_its_length_and_columns(tmp_path: Path) -> None:
    trials = TrialList(write(tmp_path / "t.txt", "1 a b\n0 a c\n"), ColumnMapping(target_columns=()))
    assert len(trials) == 2
    assert trials.list_columns() == ["a", "b", "label"]


def test_tables_join_the_values_of_a_name(tmp_path: Path) -> None:
    assert read_table(write(tmp_path / "spk2utt", "m1 u1 u2\nm2 u3\nm1 u4\n")) == {
        "m1": ["u1", "u2", "u4"],
        "m2": ["u3"],
    }
    with pytest.raises(DataError, match=r"wav\.scp:2: expected a name and a value, got 'u2'"):
        read_table(write(tmp_path / "wav.scp", "u1 a.wav\nu2\n"))


@pytest.mark.parametrize("line", ["a b 0.25", "0.25 a b", "a b extra 0.25", "a\tb\t2.5e-1"])
def test_the_score_is_the_first_or_the_last_field(tmp_path: Path, line: str) -> None:
    (score,) = read_scores(write(tmp_path / "s", f"{line}\n"))
    assert (score.origin, score.a, score.b, score.score) == ("s:1", "a", "b", 0.25)


def test_a_line_without_a_finite_score_is_refused(tmp_path: Path) -> None:
    for bad in ("a b nan", "a b high", "a 1.0"):
        with pytest.raises(DataError, match=r"s\.txt:2: expected two names and a finite score"):
            list(read_scores(write(tmp_path / "s.txt", f"a b 1.0\n{bad}\n")))
