"""Two runs beside each other: what is paired, what is left out, and what cannot be compared."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import auricle as package
from auricle import Spec, SpecError, compare, evaluate, score
from auricle.report.compare import text as compare_text
from auricle.report.compare.loading import restore_stat

MODELS = """
import zlib
from auricle import BatchModel, Prediction

def chance(text, salt):
    return zlib.crc32(f"{salt}|{text}".encode()) / 2**32

class Dimensions(BatchModel):
    def __init__(self, *, shift=0.0, names="arousal,valence"):
        self.shift, self.names = shift, names.split(",")

    def predict(self, batch):
        return [Prediction(values={n: chance(str(r.inputs), n) + self.shift for n in self.names},
                           scale="continuous") for r in batch]
"""


@pytest.fixture
def quiz(manifest: Any) -> Any:
    """Forty questions whose answer is the question, by default; rows can be changed."""

    def make(name: str = "quiz.jsonl", count: int = 40, **changes: Any) -> Any:
        rows = []
        for at in range(count):
            text = f"please say number {at} aloud"
            row = {"id": str(at), "question": text, "answer": text, "speaker": f"s{at % 8}"}
            rows.append({**row, **changes.get(f"row{at}", {})})
        return manifest(rows, name)

    return make


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def make(name: Any, data: Any, model: str = "echo", kind: str = "qa", limit: Any = None, **arguments: Any) -> Any:
        task = {"data": str(data), **{k: v for k, v in arguments.items() if k in TASK}}
        told = {k: v for k, v in arguments.items() if k not in TASK}
        spec = Spec(task=kind, task_args=task, model=model, model_args=told, limit=limit)
        evaluate(spec, tmp_path / name)
        return tmp_path / name

    return make


TASK = ("metrics", "cluster", "name", "profile")


def row_of(found: Any, name: Any, group: str = "all") -> Any:
    return next(row for row in found.rows if row.metric == name and row.group == group)


def test_a_worse_model_is_found_worse(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer"), run("b", data, metrics="wer", wrong=0.3)
    found = compare(a, b)
    row = row_of(found, "wer")
    assert row.test.difference > 0.1
    assert row.test.low > 0
    assert row.test.p < 0.01
    assert (row.better, found.pairs.count) == (0, 40)
    assert compare_text.describe_row(found.document()["rows"][0]).startswith("wer: B is worse by")


def test_values_are_those_of_the_runs_where_all_samples_are_paired(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer", wrong=0.2), run("b", data, metrics="wer", wrong=0.4)
    row = row_of(compare(a, b), "wer")
    known = [package.summary(each)[0]["value"] for each in (a, b)]
    assert [row.test.value_a, row.test.value_b] == pytest.approx(known)


def test_a_run_beside_itself_differs_in_nothing(run: Any, quiz: Any) -> None:
    a = run("a", quiz(), wrong=0.2)
    found = compare(a, a)
    row = row_of(found, "exact_match")
    assert (row.test.difference, row.test.p, row.better, row.worse) == (0.0, 1.0, 0, 0)
    assert "A and B are the same run." in found.notes
    assert not any(found.flips.values())
    told = compare_text.describe_row(found.document()["rows"][0])
    assert re.search(r"all pairs score the same; one of .* or more would have been detected", told)


def test_samples_of_one_run_alone_are_left_out_and_told(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, limit=30), run("b", data)
    found = compare(a, b)
    assert (found.pairs.count, found.pairs.only_a, found.pairs.only_b) == (30, 0, 10)
    assert "10 samples only in B: left out." in found.notes
    assert any("The data differs" in note for note in found.notes)
    assert found.document()["pairs"]["coverage"] == 0.75


def test_one_id_with_another_content_is_no_pair(run: Any, quiz: Any) -> None:
    changed = {"question": "say something else"}
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3=changed))
    found = compare(a, b)
    assert (found.pairs.count, found.pairs.changed) == (39, 1)
    assert any("different content" in note for note in found.notes)


def test_one_content_with_another_reference_is_no_pair(run: Any, quiz: Any) -> None:
    a, b = run("a", quiz()), run("b", quiz("other.jsonl", row3={"answer": "corrected"}))
    found = compare(a, b)
    assert (found.pairs.count, found.pairs.corrected) == (39, 1)
    assert any("different reference" in note for note in found.notes)


def test_failed_samples_are_left_out_and_bound_the_difference(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, fail=0.2)
    found = compare(a, b)
    row = row_of(found, "exact_match")
    lost = found.pairs.failed_b
    assert lost > 0
    assert (found.pairs.count, found.pairs.failed_a) == (40 - lost, 0)
    assert row.worst == pytest.approx(-lost / 40)
    assert row.best == pytest.approx(0.0)
    assert "With failed samples" in compare_text.describe_row(found.document()["rows"][0])


def test_runs_without_a_common_sample_are_explained(run: Any, quiz: Any, manifest: Any) -> None:
    other = manifest([{"id": f"x{at}", "question": "q", "answer": "q"} for at in range(3)], "o.jsonl")
    found = compare(run("a", quiz()), run("b", other))
    assert found.pairs.count == 0
    assert math.isnan(row_of(found, "exact_match").test.p)
    assert any("No sample was answered in both" in note for note in found.notes)
    assert any("tasks differ" in note for note in found.notes)


def test_metrics_scored_in_two_ways_are_refused_with_the_command_that_helps(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, metrics="wer"), run("b", data, metrics="wer")
    score(b, "whisper-en")
    found = compare(a, b)
    assert found.rows == ()
    assert "wer:1.pooled.basic" in found.refused["wer"]
    assert f"auricle score {b} --profile basic" in found.refused["wer"]
    score(a, "whisper-en")
    again = compare(a, b)
    assert again.refused == {}
    assert "whisper-en" in again.rows[0].signature


def test_a_metric_one_run_lacks_is_explained(run: Any, quiz: Any) -> None:
    data = quiz()
    found = compare(run("a", data, metrics="wer,cer"), run("b", data, metrics="wer"))
    assert [row.metric for row in found.rows] == ["wer"]
    assert "B does not have this metric; it has wer" in found.refused["cer"]


def test_a_metric_neither_run_has_is_the_users_move(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    with pytest.raises(SpecError, match="Neither run has the metric 'bleu'. Available: exact_match"):
        compare(a, a, metrics=["bleu"])


def test_only_the_metrics_that_were_named_are_compared(run: Any, quiz: Any) -> None:
    a = run("a", quiz(), metrics="wer,cer,exact_match")
    assert [row.metric for row in compare(a, a, metrics=["cer"]).rows] == ["cer"]


def test_several_metrics_are_adjusted_for_each_other(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, metrics="wer,cer", wrong=w) for n, w in (("a", 0.1), ("b", 0.2)))
    found = compare(a, b)
    smallest = min(found.rows, key=lambda row: row.test.p)
    assert smallest.adjusted == pytest.approx(2 * smallest.test.p)
    assert any("Holm" in note for note in found.notes)


def test_a_field_breaks_the_comparison_down(run: Any, quiz: Any) -> None:
    data = quiz()
    found = compare(run("a", data), run("b", data, wrong=0.1), by="speaker")
    groups = [row for row in found.rows if row.field and row.metric == "exact_match"]
    assert [row.group for row in groups] == [f"s{at}" for at in range(8)]
    assert sum(row.test.n for row in groups) == 40
    assert sum(row.worse for row in groups) == row_of(found, "exact_match").worse


def test_a_field_no_sample_has_is_the_users_move(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    with pytest.raises(SpecError, match="No sample has the metadata field 'accent'"):
        compare(a, a, by="accent")


def test_whole_clusters_are_drawn_where_the_task_names_one(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = (run(n, data, cluster="speaker", wrong=w) for n, w in (("a", 0.0), ("b", 0.1)))
    found = compare(a, b)
    row = row_of(found, "exact_match")
    assert row.test.method == "paired-cluster-bootstrap:1000"
    assert row.units == 8
    assert any("only 8 values of speaker" in note for note in found.notes)


def test_samples_that_flipped_are_told_with_both_answers(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data, wrong=0.05), run("b", data, wrong=0.1)
    found = compare(a, b, most_flips=2)
    row = row_of(found, "exact_match")
    flips = found.flips["exact_match"]
    worse = [flip for flip in flips if flip.became == "worse"]
    assert len(worse) == min(2, row.worse)
    assert all((flip.score_a, flip.score_b) == ("right", "wrong") for flip in worse)
    assert all(flip.answer_a != flip.answer_b and flip.answer_a == flip.target for flip in worse)
    assert found.document()["rows"][0]["right_or_wrong"]


def test_of_an_error_rate_those_that_changed_most_come_first(run: Any, quiz: Any) -> None:
    data = quiz()
    found = compare(run("a", data, metrics="wer"), run("b", data, metrics="wer", wrong=0.4))
    changes = [sum(flip.stat_b[:3]) / flip.stat_b[3] for flip in found.flips["wer"]]
    assert changes == sorted(changes, reverse=True)
    assert len(changes) == 5


def test_a_run_that_was_never_scored_is_scored_first(run: Any, quiz: Any, tmp_path: Path) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, wrong=0.2)
    for name in ("metrics.json", "scores.jsonl"):
        (b / name).unlink()
    assert compare(a, b).pairs.count == 40


def test_missing_scores_are_told_with_the_command_that_makes_them(run: Any, quiz: Any) -> None:
    a = run("a", quiz())
    (a / "scores.jsonl").unlink()
    with pytest.raises(SpecError, match=f"auricle score {a}"):
        compare(a, a)


def test_a_run_that_is_not_finished_is_told(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data)
    document = json.loads((b / "metrics.json").read_text())
    (b / "metrics.json").write_text(json.dumps({**document, "complete": False}))
    assert "B is not finished: it has 40 samples so far." in compare(a, b).notes


def test_data_that_is_gone_is_no_obstacle(run: Any, quiz: Any) -> None:
    data = quiz()
    a, b = run("a", data), run("b", data, wrong=0.2)
    data.unlink()
    assert compare(a, b).pairs.count == 40


# --- classes and dimensions -----------------------------------------------------------------


@pytest.fixture
def moods(manifest: Any) -> Any:
    labels = ["angry", "happy", "neutral", "sad"]
    rows = [{"id": str(at), "question": f"clip {at}", "label": labels[at % 4], "choices": labels}
            for at in range(60)]  # fmt: skip
    return manifest(rows, "moods.jsonl")


@pytest.fixture
def models(tmp_path: Path) -> Any:
    path = tmp_path / "models.py"
    path.write_text(MODELS)
    return lambda name: f"{path}:{name}"


def test_matrices_are_subtracted_over_the_labels_of_both(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="anger,happy,neutral,sadness,other")
    matrix = compare(a, b).document()["matrix"]
    assert [each["label"] for each in matrix["rows"]] == ["angry", "happy", "neutral", "sad"]
    assert [each["only_in"] for each in matrix["columns"]] == ["", "", "", "", "candidate"]
    assert all(sum(row) == pytest.approx(0, abs=1e-9) for row in matrix["cells"])
    assert matrix["n_baseline"] == matrix["n_candidate"] == [15, 15, 15, 15]
    assert all(each["low"] <= each["difference"] <= each["high"] for each in matrix["diagonal"])


def test_models_that_know_other_classes_are_told_apart(run: Any, moods: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, "fake-labels", "classify", labels="angry,happy,neutral")
    assert any("a label for sad:" in note for note in compare(a, b).notes)


def test_dimensional_runs_get_shifts_of_means_and_no_matrix(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, models("Dimensions"), "classify")
    b = run("b", moods, models("Dimensions"), "classify", shift=0.1)
    found = compare(a, b)
    assert found.matrix is None
    assert "see the shifts of their means instead: arousal, valence" in found.refused["confusion matrix"]
    first = found.shifts[0]
    assert (first.dimension, first.label, first.test.n) == ("arousal", "", 60)
    assert first.test.difference == pytest.approx(0.1)
    assert [each.label for each in found.shifts[:5]] == ["", "angry", "happy", "neutral", "sad"]


def test_cohens_d_is_the_shift_in_pooled_deviations(run: Any, moods: Any, models: Any) -> None:
    import numpy as np

    a = run("a", moods, models("Dimensions"), "classify")
    b = run("b", moods, models("Dimensions"), "classify", shift=0.1)
    found = compare(a, b)
    values = [each["arousal"] for each in found.a.dimensions.values()]
    assert found.shifts[0].cohens_d == pytest.approx(0.1 / np.std(values, ddof=1))


def test_dimensions_the_runs_do_not_share_are_explained(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, models("Dimensions"), "classify", names="arousal")
    b = run("b", moods, models("Dimensions"), "classify", names="energy")
    found = compare(a, b)
    assert found.shifts == ()
    assert "no dimension in common" in found.refused["confusion matrix"]


def test_classes_beside_dimensions_are_explained(run: Any, moods: Any, models: Any) -> None:
    a = run("a", moods, "fake-labels", "classify")
    b = run("b", moods, models("Dimensions"), "classify")
    found = compare(a, b)
    assert found.matrix is None
    assert "B predicts dimensions" in found.refused["confusion matrix"]
    assert found.rows == ()


# --- what it is made of -------------------------------------------------------------------------


def test_stats_come_back_from_json_as_they_were() -> None:
    assert restore_stat([1, 2.5]) == (1, 2.5)
    assert restore_stat([None, "sad"]) == (None, "sad")
    assert restore_stat([0, [["a", None]]]) == (0, (("a", None),))
    assert math.isnan(restore_stat(None))
    assert math.isnan(restore_stat([1.0, None])[1])


def test_a_document_is_plain_json(run: Any, quiz: Any) -> None:
    a = run("a", quiz(count=1))
    assert json.loads(json.dumps(compare(a, a).document()))["rows"][0]["p"] is None
