"""Tests of CMI-RewardBench."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Spec, evaluate
from auricle.api import build_task, summary
from auricle.benchmarks import cmi
from auricle.benchmarks.cmi import CmiSamples, Evaluation, assign_groups, detect_dataset, parse_targets
from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow
from auricle.engine.inferencers import Appraise, RateOrPrefer, select_inferencer
from auricle.frameworks.exchange.result_export import export_run
from tests.support.cmi_rows import ARENA

PAM = {
    "audio-path": "music/p.wav",
    "audio2": "",
    "prompt": "a waltz",
    "lyrics": "",
    "ref-audio-path": "",
    "musicality": 2.5,
    "text-music alignment": "3",
    "source": "PAM (music)",
    "split": "test",
}
PREF = {
    "audio-path": "a.wav",
    "audio2": "b.wav",
    "prompt": "a waltz",
    "lyrics": "la",
    "ref-audio-path": "r.wav",
    "preference-musicality": "model_b",
    "confidence_preference-musicality": "2.0",
    "preference-alignment": "both",
    "confidence_preference-alignment": "3",
    "preference": {"creativity": None},
    "source": "cmi-arena-annotation",
    "split": "test",
}


@pytest.fixture
def bench(manifest: Any, tmp_path: Path) -> Any:
    def make(*rows: Any, **options: Any) -> Any:
        return cmi.CMI_REWARDBENCH(dataset_jsonl=str(manifest(rows)), dataset_root=str(tmp_path), **options)

    return make


def test_a_rated_row_has_one_recording_and_targets_by_dimension(bench: Any, tmp_path: Path) -> None:
    (sample,) = bench(PAM).samples
    assert sample.inputs == {"audio": Audio(str(tmp_path / "music/p.wav")), "text": "a waltz"}
    assert sample.target == {"musicality": 2.5, "alignment": 3.0}
    assert sample.meta == {"subset": "PAM", "row": PAM}


def test_a_pair_has_two_recordings_and_its_groups(bench: Any, tmp_path: Path) -> None:
    (sample,) = bench(PREF).samples
    assert {name: value for name, value in sample.inputs.items() if isinstance(value, Audio)} == {
        "a": Audio(str(tmp_path / "a.wav")),
        "b": Audio(str(tmp_path / "b.wav")),
        "ref_audio": Audio(str(tmp_path / "r.wav")),
    }
    assert sample.target == {"alignment": "tie", "musicality": "b"}
    assert {name: value for name, value in sample.meta.items() if name != "row"} == {
        "subset": "CMI-Pref",
        "modality": "text+lyrics+ref",
        "ref_subset": "ref",
        "modality_type": "vocal",
        "confidence_alignment": "=3",
        "confidence_musicality": "<3",
    }


@pytest.mark.parametrize("empty", [None, "", " "])
def test_null_columns_are_left_out(bench: Any, empty: str | None) -> None:
    (sample,) = bench({**PREF, "lyrics": empty, "ref-audio-path": empty}).samples
    assert sample.meta["modality"] == "text"
    assert not {"lyrics", "ref_audio"} & sample.inputs.keys()


def test_invalid_votes_are_noted(bench: Any) -> None:
    task = bench(ARENA, {**ARENA, "preference": "TIE"})
    (note,) = task.notes("m", {})
    assert "MusicArena: preference has no valid value in 1 row," in note
    assert "mine.jsonl:2" in note


def test_split_and_dataset_are_selected(bench: Any) -> None:
    train = {**PAM, "split": "train"}
    assert len(list(bench(PAM, train, ARENA).samples)) == 2
    assert len(list(bench(PAM, train, ARENA, split="train").samples)) == 1
    (sample,) = bench(PAM, train, ARENA, subset="MusicArena").samples
    assert sample.meta["subset"] == "MusicArena"


def test_an_unknown_source_is_rejected_unless_a_subset_is_selected(bench: Any) -> None:
    unknown = {**PAM, "source": "Mine"}
    assert isinstance(list(bench(PAM, unknown).samples)[1], RejectedRow)
    assert len(list(bench(PAM, unknown, subset="PAM").samples)) == 1


def test_a_file_without_matching_rows_is_rejected(bench: Any) -> None:
    with pytest.raises(DataError, match=r"no rows of .* in the split 'dev'\. Its splits: 'test'"):
        bench(PAM, split="dev").samples.validate()


def test_each_dataset_has_the_metrics_of_its_targets(bench: Any, manifest: Any) -> None:
    data = str(manifest([PAM, ARENA]))
    assert [metric.name for metric in cmi.PAM(dataset_jsonl=data, metrics="srcc").metrics] == [
        *("srcc.musicality", "srcc.alignment")
    ]
    assert [metric.name for metric in cmi.MUSICARENA(dataset_jsonl=data, metrics="accuracy").metrics] == [
        "accuracy.preference"
    ]
    metrics = bench(PAM, ARENA, PREF, metrics="accuracy,srcc").metrics
    assert [metric.name for metric in metrics if metric.name.startswith("accuracy")] == [
        *("accuracy.musicality", "accuracy.preference", "accuracy.alignment")
    ]
    assert metrics[0].signature == "accuracy.musicality:3.ties-upstream"


def test_ratings_of_two_datasets_are_not_pooled(bench: Any) -> None:
    names = [metric.name for metric in bench(PAM, metrics="srcc").metrics]
    assert names == ["srcc.musicality.pam", "srcc.musicality.musiceval", "srcc.alignment"]
    pam, musiceval, alignment = bench(PAM, metrics="srcc").metrics
    rated, other = bench(PAM, {**PAM, "source": "MusicEval"}).samples
    assert [metric.applies(rated) for metric in (pam, musiceval, alignment)] == [True, False, True]
    assert [metric.applies(other) for metric in (pam, musiceval, alignment)] == [False, True, False]
    assert [metric.name for metric in bench(PAM, metrics="srcc.musicality").metrics] == names[:2]


@pytest.mark.parametrize("place", ["all_test.jsonl", "data/all_test.jsonl"])
def test_the_file_is_located_in_a_folder_or_a_checkout(manifest: Any, tmp_path: Path, place: str) -> None:
    (tmp_path / "data").mkdir()
    path = manifest([PAM], place)
    samples: Any = cmi.CMI_REWARDBENCH(root=str(tmp_path)).samples
    assert (samples.path, samples.root) == (path, path.parent)


def test_the_file_of_a_checkout_is_used_in_its_folder(
    manifest: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    path = manifest([PAM], "data/all_test.jsonl")
    monkeypatch.chdir(tmp_path)
    spec = Spec(task="cmi-rewardbench", model="fake-reward").resolved()
    assert spec.task_args == {"root": str(tmp_path)}
    monkeypatch.chdir("/")
    samples: Any = build_task(spec).samples
    assert samples.path == path


def test_the_number_of_samples_is_that_of_the_selected_rows(bench: Any) -> None:
    rows = [PAM, {**PAM, "split": "train"}, ARENA, {**PAM, "source": "Mine"}, "{broken"]
    for options in ({}, {"subset": "PAM"}, {"split": "train"}):
        samples = bench(*rows, **options).samples
        assert len(samples) == len(list(samples))


def test_a_yaml_file_selects_metrics_and_groups(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(
        "metrics: {include_lcc: false, include_k_tau: true}\n"
        "groups: {musicarena_by_month: false, cmi_by_modality: true}\n"
    )
    task = bench(PAM, ARENA, PREF, eval_yaml=str(tmp_path / "eval.yaml"))
    names = {metric.name.partition(".")[0] for metric in task.metrics}
    assert "ktau" in names
    assert "lcc" not in names
    fields = {name for sample in task.samples for name in sample.meta}
    assert fields == {"subset", "row", "modality", "ref_subset", "modality_type"}


def test_what_a_yaml_file_does_not_name_is_left_out(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text("filter: {split: train}\n")
    task = bench(*({**row, "split": "train"} for row in (PAM, ARENA, PREF)), eval_yaml=str(tmp_path / "eval.yaml"))
    assert {metric.name.partition(".")[0] for metric in task.metrics}.isdisjoint({"lcc", "ktau"})
    assert {name for sample in task.samples for name in sample.meta} == {"subset", "row", "ref_subset", "modality_type"}
    assert task.samples.evaluation.files == cmi.Evaluation().files


def test_the_duration_of_a_pair_is_the_mean(bench: Any, tone: Any) -> None:
    tone("a.wav", seconds=0.1)
    tone("b.wav", seconds=0.5)
    (sample,) = bench(PREF, by_duration=True, duration_bin="0.2,0.3,0.4").samples
    assert sample.meta["duration_bin"] == "[0.3,0.4]"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs the authors' JSONL file"),
        ({"dataset_jsonl": "x.jsonl", "subset": "Pop"}, "Invalid subset 'Pop': expected one of all, PAM"),
        ({"dataset_jsonl": "x.jsonl", "batch": 2}, "Unknown option of cmi-rewardbench: batch"),
    ],
)
def test_invalid_options_are_rejected(options: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        cmi.CMI_REWARDBENCH(**options)


def test_the_inferencer_depends_on_the_ability_of_the_model(bench: Any) -> None:
    task = bench(PAM)
    assert isinstance(select_inferencer(task.inferencer, ["predict"], "t", "m"), Appraise)
    assert isinstance(select_inferencer(task.inferencer, ["generate"], "t", "m"), RateOrPrefer)


@pytest.fixture
def run(manifest: Any, tone: Any, tmp_path: Path) -> Any:
    """A run whose second pair lacks a recording."""
    for name in ("p.wav", "a.wav", "b.wav", "r.wav"):
        tone(name)
    rows = [{**PAM, "audio-path": "p.wav"}, PREF, {**PREF, "audio2": "gone.wav"}]
    arguments = {"dataset_jsonl": str(manifest(rows)), "dataset_root": str(tmp_path)}
    spec = Spec(task="cmi-rewardbench", task_args=arguments, model="fake-reward")
    evaluate(spec, tmp_path / "run")
    return tmp_path / "run"


def test_coverage_counts_only_samples_a_metric_applies_to(run: Any) -> None:
    numbers = {number.metric: number for number in summary(run) if not number.field}
    pairs, ratings = numbers["accuracy.musicality"], numbers["srcc.musicality.pam"]
    assert (pairs.scored, pairs.total, pairs.failed) == (1, 2, 1)
    assert (ratings.scored, ratings.total, ratings.failed) == (1, 1, 0)


def test_an_export_is_written_into_the_run_or_a_given_folder(auricle: Any, run: Any, tmp_path: Path) -> None:
    process = auricle("export", run, "--as", "cmi", "-o", "results")
    assert process.returncode == 0, process.stderr
    names = ["results.jsonl", "metrics_summary.csv", "metrics_detail.csv", "metrics.json"]
    assert [path.rpartition("/")[2] for path in process.stdout.split()] == names
    assert (tmp_path / "results" / "metrics_summary.csv").read_text().splitlines()[0] == (
        "dataset,task,n,SRCC,LCC,K-Tau,ACC"
    )
    assert [path.parent for path in export_run(run, "cmi")] == [run / "cmi"] * 4


def test_a_run_of_another_task_cannot_be_exported(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"question": "x", "answer": "x"}])
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match="Only cmi-rewardbench and its four datasets"):
        export_run(tmp_path / "run", "cmi")


def test_relative_paths_are_resolved(tmp_path: Path, manifest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest([PAM])
    monkeypatch.chdir(tmp_path)
    arguments = {"dataset_jsonl": "mine.jsonl", "dataset_root": "."}
    spec = Spec(task="pam", task_args=arguments, model="fake-reward").resolved()
    samples = build_task(spec).samples
    assert isinstance(samples, CmiSamples)
    assert samples.root == tmp_path


def test_only_dimensions_that_people_judged_are_asked(bench: Any) -> None:
    def questions(row: Any, **options: Any) -> Any:
        inferencer: Any = select_inferencer(bench(row, **options).inferencer, ["generate"], "t", "m")
        return inferencer.prefer.questions

    assert len(questions(PREF, subset="CMI-Pref")) == 2
    assert questions(ARENA, subset="MusicArena") == ("Which recording is better as music?",)


def test_text_answers_are_exported_without_scores(manifest: Any, tone: Any, tmp_path: Path) -> None:
    tone("a.wav")
    tone("b.wav")
    row = {**ARENA, "audio-path": "a.wav", "audio2": "b.wav"}
    arguments = {"dataset_jsonl": str(manifest([row])), "dataset_root": str(tmp_path)}
    spec = Spec(task="musicarena", task_args=arguments, model="fake-api", model_args={"reply": "tie"})
    evaluate(spec, tmp_path / "run")
    results, summary_csv, *_ = export_run(tmp_path / "run", "cmi")
    result = json.loads(results.read_text())
    assert result["predicted_preference"] == "model_b"
    assert result["predicted_musicality"] is None
    assert "predicted_preference-alignment" not in result
    assert summary_csv.read_text() == "dataset,task,n,ACC\nMusicArena,preference,1,1.0\n"


def test_the_source_decides_the_dataset() -> None:
    assert [detect_dataset(source) for source in ("PAM (music)", "SongEval", "MusicEval")] == [
        *("PAM", "MusicEval", "MusicEval")
    ]
    assert detect_dataset("Music Arena ['x']") == "MusicArena"
    assert detect_dataset("cmi-arena-annotation") == "CMI-Pref"
    assert detect_dataset("cmi") is None


def test_the_month_comes_from_either_path() -> None:
    assert assign_groups("MusicArena", ARENA) == {"month": "01-2025JULAUG"}
    assert assign_groups("MusicArena", {**ARENA, "audio-path": "x.wav"})["month"] == "01-2025JULAUG"
    assert assign_groups("MusicArena", {"audio2": None}) == {"month": "unknown"}


@pytest.mark.parametrize("vote", ["TIE", "BOTH_BAD", "", None, {"a": 1}])
def test_an_invalid_vote_is_not_a_target(vote: Any) -> None:
    assert parse_targets("MusicArena", {"preference": vote}) == ({}, ["preference"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics: {include_lcc: 1}", r"Invalid .*metrics\.include_lcc 1: expected true or false"),
        ("groups: {duration_bin: [5, 1]}", r"groups\.duration_bin \[5, 1\]: expected two or more increasing"),
        ("groups: [a]", "groups must contain"),
        ("outputs: {json: ../x.json}", "expected a file name without folders"),
    ],
)
def test_invalid_evaluation_settings_are_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "eval.yaml").write_text(text)
    with pytest.raises(SpecError, match=message):
        Evaluation.read(tmp_path / "eval.yaml")


def test_only_the_last_bin_includes_its_end() -> None:
    bins = Evaluation(duration_bin=(10.0, 30.0, 60.0))
    assert [bins.find_duration_bin(seconds) for seconds in (9.9, 10, 30, 60, 60.1)] == [
        *(None, "[10,30)", "[30,60]", "[30,60]", None)
    ]
