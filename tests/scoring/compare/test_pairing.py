"""Which samples of two runs are paired."""

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from auricle import compare
from auricle.report.comparison_text import format_comparison
from tests.support.app_runs import write_rows, write_tone
from tests.support.comparisons import find_row

LABELS = ("angry", "happy", "sad")
LISTENER = """
from pathlib import Path
from auricle import BatchModel, Prediction

class Listener(BatchModel):
    \"\"\"Hears sadness in every second sound, and otherwise the right emotion of the first data.\"\"\"

    def predict(self, batch):
        return [Prediction(values=self.hear(request.audio.seconds), scale="probability") for request in batch]

    def hear(self, seconds):
        number = round(seconds * 1000) - 50
        right = ("angry", "happy", "sad")[number % 3] if number % 2 else "sad"
        return {label: 0.8 if label == right else 0.1 for label in ("angry", "happy", "sad")}
"""


def test_samples_of_only_one_run_are_left_out_and_counted(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, limit=30), run("b", data)
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (30, 0, 10)
    assert "10 samples only in B: left out." in comparison.notes
    assert any("The data differs" in note for note in comparison.notes)
    assert comparison.pairs.coverage == 0.75


def test_files_with_the_same_rows_are_the_same_data(run: Any, quiz: Any) -> None:
    first, second = quiz(), quiz("other.jsonl")
    second.write_text("\n" + second.read_text())
    comparison = compare(run("a", first), run("b", second))
    assert comparison.pairs.count == 40
    assert not any("The data differs" in note for note in comparison.notes)


def test_samples_with_different_content_are_not_paired(run: Any, quiz: Any) -> None:
    named, changed = {"id": "three"}, {"id": "three", "question": "say something else"}
    a, b = run("a", quiz(row3=named)), run("b", quiz("other.jsonl", row3=changed))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.changed) == (39, 1)
    assert any("different content" in note for note in comparison.notes)


def test_samples_that_share_only_a_number_are_different_samples(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3={"question": "say something else"}))
    counts = compare(a, b).pairs
    assert (counts.count, counts.changed, counts.only_a, counts.only_b) == (39, 0, 1, 1)


def test_samples_with_different_references_are_not_paired(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3={"answer": "corrected"}))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.corrected) == (39, 1)
    assert any("different reference" in note for note in comparison.notes)


def test_samples_with_other_ids_are_paired_by_content(run: Any, quiz: Any) -> None:
    renumbered = {f"row{at}": {"id": str(39 - at)} for at in range(40)}
    comparison = compare(run("a", quiz()), run("b", quiz("other.jsonl", **renumbered), model="fake-api", reply="no"))
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (40, 0, 0)
    assert comparison.pairs.changed == 0
    flip = comparison.flips["exact_match"][0]
    assert int(flip.id) + int(flip.id_b) == 39
    assert (flip.answer_a, flip.answer_b) == (flip.target, "no")


def test_samples_with_the_same_content_are_paired_once_each(run: Any, quiz: Any) -> None:
    twice = {"question": "say it", "answer": "it"}
    a = run("a", quiz(count=4, row1=twice, row2=twice))
    b = run("b", quiz("other.jsonl", count=4, row0=twice, row3=twice | {"id": "x"}))
    comparison = compare(a, b)
    assert (comparison.pairs.count, comparison.pairs.only_a, comparison.pairs.only_b) == (2, 2, 2)


# --- recordings ---------------------------------------------------------------------------------


@pytest.fixture
def recordings(tmp_path: Path) -> Any:
    """Write a folder with recordings of different lengths, and rows without ids; return the rows."""

    def write(name: str, numbers: Any, **columns: Any) -> list[dict[str, Any]]:
        rows = []
        for number in numbers:
            write_tone(tmp_path / name / f"{number}.wav", seconds=(50 + number) / 1000)
            rows.append({"audio": f"{name}/{number}.wav", "label": LABELS[number % 3], **columns})
        return rows

    return write


@pytest.fixture
def hear(run: Any, tmp_path: Path) -> Any:
    """Run the listener on some rows."""
    (tmp_path / "listener.py").write_text(LISTENER)

    def make(name: str, rows: Any) -> Any:
        data = write_rows(tmp_path / f"{name}.jsonl", rows)
        return run(name, data, kind="classify", model=f"{tmp_path / 'listener.py'}:Listener")

    return make


def test_shuffled_rows_without_ids_are_paired_by_sound(recordings: Any, hear: Any) -> None:
    rows = recordings("first", range(24))
    shuffled = random.Random(1).sample(rows, len(rows))
    comparison = compare(hear("a", rows), hear("b", shuffled))
    assert (comparison.pairing, comparison.pairs.count, comparison.pairs.changed) == ("content", 24, 0)
    row = find_row(comparison, "accuracy")
    assert (row.difference, row.better, row.worse) == (0.0, 0, 0)


def test_renamed_files_are_paired_by_sound(recordings: Any, hear: Any, tmp_path: Path) -> None:
    rows = recordings("first", range(12))
    renamed = []
    for index, row in enumerate(reversed(rows)):
        shutil.copy(tmp_path / row["audio"], tmp_path / f"take-{index}.wav")
        renamed.append({**row, "audio": f"take-{index}.wav"})
    comparison = compare(hear("a", rows), hear("b", renamed))
    assert (comparison.pairing, comparison.pairs.count) == ("content", 12)


def test_part_of_the_recordings_is_compared_as_pairs_and_both_runs_are_shown_whole(recordings: Any, hear: Any) -> None:
    comparison = compare(hear("a", recordings("first", range(24))), hear("b", recordings("second", range(18, 60))))
    assert (comparison.pairing, comparison.pairs.count) == ("content", 6)
    assert find_row(comparison, "accuracy").n == 6
    assert [side.numbers[0].scored for side in (comparison.a, comparison.b)] == [24, 42]
    lines = list(format_comparison(comparison))
    assert "6 pairs answered in both, 10.0 % of all samples" in lines
    assert "Each run by itself, over all its samples" in lines
    assert any("Only 10.0 % of all samples are paired. --unpaired compares all" in line for line in lines)


def test_recordings_with_other_labels_beside_them_are_paired(recordings: Any, hear: Any) -> None:
    """The labels to choose from are those of the data, so the second file offers fewer."""
    some = [row for row in recordings("first", range(24)) if row["label"] != "happy"]
    comparison = compare(hear("a", recordings("first", range(24))), hear("b", some))
    assert (comparison.pairing, comparison.pairs.count, comparison.pairs.only_a) == ("content", 16, 8)


def test_recordings_with_the_same_row_numbers_are_not_paired(recordings: Any, hear: Any) -> None:
    comparison = compare(hear("a", recordings("first", range(12))), hear("b", recordings("second", range(20, 32))))
    assert comparison.pairing == "none"
    assert "No sample is in both runs: they are compared as independent samples." in comparison.notes
    assert find_row(comparison, "accuracy").samples == (12, 12)


def with_ids(rows: Any) -> Any:
    return [{**row, "id": f"sentence-{index}"} for index, row in enumerate(rows)]


def test_other_recordings_with_the_same_ids_and_references_are_paired(recordings: Any, hear: Any) -> None:
    human, generated = recordings("human", range(12)), recordings("generated", range(30, 42))
    comparison = compare(hear("a", with_ids(human)), hear("b", with_ids(generated)))
    assert (comparison.pairing, comparison.is_paired, comparison.pairs.count) == ("id", True, 12)
    assert any("those with the same id and reference are paired" in note for note in comparison.notes)
    assert compare(comparison.a.run, comparison.b.run, unpaired=True).pairing == "none"


@pytest.mark.parametrize("case", ["another reference", "few in common"])
def test_ids_that_mean_other_samples_pair_nothing(recordings: Any, hear: Any, case: str) -> None:
    human, generated = with_ids(recordings("human", range(12))), with_ids(recordings("generated", range(30, 42)))
    if case == "another reference":
        generated[0]["label"] = "happy"
    else:
        generated[5:] = [{**row, "id": f"other-{index}"} for index, row in enumerate(generated[5:])]
    comparison = compare(hear("a", human), hear("b", generated))
    assert (comparison.pairing, comparison.pairs.count) == ("none", 0)


@pytest.mark.parametrize("texts", ["of their own", "in common"])
def test_row_numbers_mean_the_same_sample_if_the_references_are_texts_of_their_own(
    run: Any, tmp_path: Path, texts: str
) -> None:
    rows = [{"question": f"q{n}", "answer": f"text {n if texts == 'of their own' else 0}"} for n in range(6)]
    others = [{**row, "question": f"{row['question']}, asked otherwise"} for row in rows]
    paths = [write_rows(tmp_path / f"{name}.jsonl", side) for name, side in (("a", rows), ("b", others))]
    comparison = compare(*(run(path.stem, path) for path in paths))
    assert comparison.pairing == ("id" if texts == "of their own" else "none")
