"""Score files of trials, joined with a list by the names of both sides."""

from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.frameworks.exchange.result_import import ImportOptions, import_results
from auricle.runs.metrics import read_metrics
from auricle.runs.run_directory import Run
from auricle.tasks.speakers.results import FORMAT, join_scores

TRIALS = "1 id1/a id1/b\n0 id1/a id2/c\n1 id2/c id2/d\n0 id2/d id1/b\n"
SCORES = "id2/d id1/b -0.5\nid1/a id1/b 0.9\nid2/c id2/d 0.1\nid1/a id2/c 0.2\n"


def import_scores(folder: Path, scores: str, trials: str = TRIALS, **options: Any) -> Any:
    folder.mkdir(exist_ok=True)
    (folder / "trials.txt").write_text(trials)
    (folder / "system.txt").write_text(scores)
    imported = ImportOptions(reference=folder / "trials.txt", options=options)
    ((path, line),) = import_results(folder / "system.txt", "trial-scores", folder / "run", imported)
    return Run.load(path), line


def join(tmp_path: Path, scores: str, trials: str = TRIALS) -> Any:
    (tmp_path / "trials.txt").write_text(trials)
    (tmp_path / "system.txt").write_text(scores)
    return join_scores(tmp_path / "trials.txt", tmp_path / "system.txt", FORMAT.read_lines(tmp_path / "system.txt"))


def read_answers(results: Any) -> list[float | None]:
    return [sample.outputs[0].values["score"] if sample.outputs else None for sample in results.samples]


def test_scores_become_a_run_with_numbers(tmp_path: Path) -> None:
    run, line = import_scores(tmp_path / "x", SCORES)
    assert line.startswith("4 samples of trials by system")
    metrics = read_metrics(run.path)
    eer = next(number for number in metrics.overall if number.metric == "eer")
    assert eer.value == pytest.approx(0.25)
    assert (eer.units, eer.cluster) == (2, "speaker")


def test_scores_are_joined_by_names_in_any_order(tmp_path: Path) -> None:
    results = join(tmp_path, SCORES)
    assert read_answers(results) == [0.9, 0.2, 0.1, -0.5]
    assert (results.model, results.dataset, results.notes) == ("system", "trials", ())


def test_missing_doubled_and_unlisted_scores_are_counted_and_named(tmp_path: Path) -> None:
    results = join(tmp_path, "id1/a id1/b 0.9\nid1/a id1/b 0.9\nid1/b id2/d 0.3\nx y 1\nid2/c id2/d 1\nid2/c id2/d 2\n")
    assert read_answers(results) == [0.9, None, None, 0.3]
    assert [sample.error.message for sample in results.samples if sample.error] == [
        "no score",
        "2 different scores: 1, 2",
    ]
    assert results.notes == (
        "Trials without a score: 1 (id1/a id2/c).",
        "Trials with several scores: 2 (id1/a id1/b, id2/c id2/d).",
        "Trials scored but not listed: 1 (x y).",
        "Trials scored with swapped names: 1 (id1/b id2/d).",
    )


def test_swapped_names_do_not_replace_a_trial_of_their_own(tmp_path: Path) -> None:
    results = join(tmp_path, "a b 1\n", "1 a b\n1 b a\n1 a b\n")
    assert read_answers(results) == [1.0, None, 1.0]
    assert "Trials listed more than once: 1 (a b)." in results.notes


def test_a_manifest_lists_trials_too(tmp_path: Path) -> None:
    (tmp_path / "trials.csv").write_text("enrol,test,label,speaker_a,speaker_b\na,b,1,s,s\n")
    (tmp_path / "system.txt").write_text("a b 0.5\n")
    lines = FORMAT.read_lines(tmp_path / "system.txt")
    results = join_scores(tmp_path / "trials.csv", tmp_path / "system.txt", lines)
    assert results.samples[0].manifest_row["speaker_a"] == "s"
    assert read_answers(results) == [0.5]


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No trial of .* has a score in .*: the names differ"):
        join(tmp_path, "x y 1\n")
    with pytest.raises(DataError, match=r"trials\.txt:2: no label in 'a b maybe'"):
        join(tmp_path, SCORES, "1 a b\na b maybe\n")
    with pytest.raises(DataError, match="has no trials"):
        join(tmp_path, SCORES, "\n")
    with pytest.raises(DataError, match="has no scores"):
        join(tmp_path, "\n")
    with pytest.raises(DataError, match="is not a file"):
        FORMAT.find_files(tmp_path)
    with pytest.raises(SpecError, match="Name the list of trials: --reference TRIALS"):
        FORMAT.read(tmp_path / "system.txt", [])
    (tmp_path / "one.jsonl").write_text('{"a": "x.wav", "label": 1}\n')
    with pytest.raises(DataError, match="needs the names of two recordings"):
        join_scores(tmp_path / "one.jsonl", tmp_path / "system.txt", [("s:1", {"a": "a", "b": "b", "score": 1.0})])
