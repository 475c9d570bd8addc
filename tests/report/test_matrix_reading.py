"""What the difference of two confusion matrices shows, in sentences."""

from pathlib import Path
from typing import Any

import pytest

from auricle import compare
from auricle.metrics.matrix_difference import ConfusionMatrix, subtract_matrices
from auricle.report.matrix_reading import MatrixReading, describe_cells, describe_reading
from tests.support.report_pages import visible_text

LABELS = ["angry", "calm", "happy", "sad"]
EAR = """
from auricle import Generation

def listen(question: str) -> Generation:
    \"\"\"Recognise human emotions; hear anger of a synthesiser as sadness.\"\"\"
    source, label, _ = question.split()
    return Generation(text="sad" if (source, label) == ("generated", "angry") else label)
"""


def counts(*rows: tuple[int, ...]) -> ConfusionMatrix:
    return ConfusionMatrix(tuple(LABELS), tuple(LABELS), rows)


def test_labels_are_lost_gained_or_unclear_by_their_intervals() -> None:
    baseline = counts((90, 0, 0, 10), (0, 50, 50, 0), (0, 0, 9, 1), (0, 0, 0, 0))
    candidate = counts((40, 0, 0, 60), (0, 90, 10, 0), (0, 0, 8, 2), (0, 0, 0, 20))
    reading = MatrixReading.from_matrix(subtract_matrices(baseline, candidate))
    names = [[change.label for change in changes] for changes in (reading.lost, reading.gained, reading.unclear)]
    assert names == [["angry"], ["calm"], ["happy"]]
    assert reading.absent == ("sad",)
    assert [(rise.true, rise.predicted) for rise in reading.confusions] == [("angry", "sad"), ("happy", "sad")]


@pytest.fixture
def human_and_generated(run: Any, manifest: Any, tmp_path: Path) -> list[Path]:
    """Run one model on human recordings and on generated ones."""
    (tmp_path / "ear.py").write_text(EAR)
    paths = []
    for source in ("human", "generated"):
        rows = [
            {"id": f"{source}-{label}-{at}", "question": f"{source} {label} {at}", "label": label, "choices": LABELS}
            for label in LABELS
            for at in range(12)
        ]
        data = manifest(rows, f"{source}.jsonl")
        paths.append(run(source, data, kind="classify", model=f"{tmp_path / 'ear.py'}:listen"))
    return paths


def test_one_model_on_different_recordings_shows_what_generated_speech_loses(human_and_generated: Any) -> None:
    comparison = compare(*human_and_generated)
    sentences = describe_reading(comparison)
    assert sentences[0] == "Both sides have the same model: the difference is one between the samples."
    assert "labels recognised less often are what the generated speech loses" in sentences[1]
    assert "Mean recall of the 4 labels of both: 100.00 % in A, 75.00 % in B (−25.00\u202fpp)." in sentences
    assert any(text.startswith("Recognised less often in B: angry −100.00 (") for text in sentences)
    assert "Confused more often in B: angry as sad (+100.00\u202fpp)." in sentences
    assert "B matches A" in describe_cells(comparison)


def test_the_sides_have_names_on_the_command_line_and_on_the_page(
    auricle: Any, human_and_generated: Any, tmp_path: Path
) -> None:
    done = auricle("compare", *human_and_generated, "--names", "human,generated", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "  Labels recognised less often are what generated loses against human, the baseline." in done.stdout
    assert "Recognised less often in generated: angry" in done.stdout
    text = visible_text((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "Diagonal near 0: generated matches human." in text
    assert "Recognised less often in generated: angry" in text
    assert all(f"{letter} ({name}): shares" in text for letter, name in (("A", "human"), ("B", "generated")))
    wrong = auricle("compare", *human_and_generated, "--names", "human")
    assert (wrong.returncode, "expected two, separated by a comma" in wrong.stderr) == (2, True)


def test_other_models_on_other_recordings_differ_in_two_ways(
    run: Any, human_and_generated: Any, tmp_path: Path
) -> None:
    human, _ = human_and_generated
    other = run("other", tmp_path / "generated.jsonl", kind="classify", model="fake-labels")
    assert describe_reading(compare(human, other))[0].startswith("Both the models and the samples differ")


def test_runs_without_a_matrix_have_no_reading(run: Any, quiz: Any) -> None:
    assert describe_reading(compare(run("a", quiz()), run("b", quiz()))) == []


def test_matrices_of_partly_paired_runs_state_which_samples_they_cover(run: Any, moods: Any) -> None:
    a, b, part = run("a", moods, kind="classify"), run("b", moods, kind="classify", wrong=0.2), "part"
    assert not any("cover" in sentence for sentence in describe_reading(compare(a, b)))
    sentences = describe_reading(compare(a, run(part, moods, kind="classify", wrong=0.2, limit=20)))
    assert sentences[0] == (
        "The matrices cover all scored samples of each run (60 in A, 20 in B), not only the 20 pairs that the "
        "differences of the metrics are computed from."
    )
