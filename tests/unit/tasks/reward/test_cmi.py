"""CMI-RewardBench's rows as samples: whose they are, what people said, what is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Spec, evaluate
from auricle.api import build_task, summary
from auricle.core.errors import DataError, SpecError
from auricle.core.types import RejectedRow
from auricle.interop.result_export import export_run
from auricle.tasks.inferencers import select_inferencer
from auricle.tasks.reward.cmi import cmi_rewardbench, musicarena, pam
from auricle.tasks.reward.cmi_columns import assign_groups, detect_dataset, parse_targets
from auricle.tasks.reward.cmi_evaluation import Evaluation

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
ARENA = {
    "audio-path": "MusicArena_data/audio_files/01-2025JULAUG/x-a.wav",
    "audio2": "MusicArena_data/audio_files/01-2025JULAUG/x-b.wav",
    "prompt": "a waltz",
    "preference": "B",
    "source": "Music Arena ['01-2025JULAUG']",
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
        return cmi_rewardbench(str(manifest(rows)), dataset_root=str(tmp_path), **options)

    return make


def test_the_source_tells_whose_a_row_is() -> None:
    assert [detect_dataset(each) for each in ("PAM (music)", "SongEval", "MusicEval")] == [
        *("PAM", "MusicEval", "MusicEval")
    ]
    assert detect_dataset("Music Arena ['x']") == "MusicArena"
    assert detect_dataset("cmi-arena-annotation") == "CMI-Pref"
    assert detect_dataset("cmi") is None


def test_a_rated_row_has_one_sound_and_truths_by_dimension(bench: Any, tmp_path: Path) -> None:
    (found,) = bench(PAM).samples
    assert found.inputs == {"audio": Audio(str(tmp_path / "music/p.wav")), "text": "a waltz"}
    assert found.target == {"musicality": 2.5, "alignment": 3.0}
    assert found.meta == {"subset": "PAM", "row": PAM}


def test_a_pair_has_two_sounds_and_the_groups_it_is_in(bench: Any, tmp_path: Path) -> None:
    (found,) = bench(PREF).samples
    assert {name: each for name, each in found.inputs.items() if isinstance(each, Audio)} == {
        "a": Audio(str(tmp_path / "a.wav")),
        "b": Audio(str(tmp_path / "b.wav")),
        "ref_audio": Audio(str(tmp_path / "r.wav")),
    }
    assert found.target == {"alignment": "tie", "musicality": "b"}
    assert {name: each for name, each in found.meta.items() if name != "row"} == {
        "subset": "CMI-Pref",
        "modality": "text+lyrics+ref",
        "ref_subset": "ref",
        "modality_type": "vocal",
        "confidence_alignment": "=3",
        "confidence_musicality": "<3",
    }


@pytest.mark.parametrize("empty", [None, "", " "])
def test_null_lyrics_are_absent(bench: Any, empty: str | None) -> None:
    (found,) = bench({**PREF, "lyrics": empty, "ref-audio-path": empty}).samples
    assert found.meta["modality"] == "text"
    assert not {"lyrics", "ref_audio"} & found.inputs.keys()


def test_a_month_is_the_folder_of_either_side() -> None:
    assert assign_groups("MusicArena", ARENA) == {"month": "01-2025JULAUG"}
    assert assign_groups("MusicArena", {**ARENA, "audio-path": "x.wav"})["month"] == "01-2025JULAUG"
    assert assign_groups("MusicArena", {"audio2": None}) == {"month": "unknown"}


@pytest.mark.parametrize("vote", ["TIE", "BOTH_BAD", "", None, {"a": 1}])
def test_a_vote_upstream_does_not_count_is_no_truth(vote: Any) -> None:
    assert parse_targets("MusicArena", {"preference": vote}) == ({}, ["preference"])


def test_votes_that_do_not_count_are_told(bench: Any) -> None:
    task = bench(ARENA, {**ARENA, "preference": "TIE"})
    (note,) = task.notes("m", {})
    assert "MusicArena: preference says nothing that can be counted in 1 row," in note
    assert "mine.jsonl:2" in note


def test_only_the_split_and_the_dataset_asked_for_are_taken(bench: Any) -> None:
    train = {**PAM, "split": "train"}
    assert len(list(bench(PAM, train, ARENA).samples)) == 2
    assert len(list(bench(PAM, train, ARENA, split="train").samples)) == 1
    (found,) = bench(PAM, train, ARENA, subset="MusicArena").samples
    assert found.meta["subset"] == "MusicArena"


def test_a_source_nobody_knows_is_rejected_unless_one_dataset_is_asked_for(bench: Any) -> None:
    stranger = {**PAM, "source": "Mine"}
    assert isinstance(list(bench(PAM, stranger).samples)[1], RejectedRow)
    assert len(list(bench(PAM, stranger, subset="PAM").samples)) == 1


def test_a_file_without_such_rows_is_refused_with_what_it_has(bench: Any) -> None:
    with pytest.raises(DataError, match=r"no row of .* in the split 'dev'; its splits are 'test'"):
        bench(PAM, split="dev").samples.peek()


def test_each_dataset_has_the_metrics_it_has_truths_for(bench: Any, manifest: Any) -> None:
    data = str(manifest([PAM, ARENA]))
    assert [each.name for each in pam(dataset_jsonl=data, metrics="srcc").metrics] == [
        *("srcc.musicality", "srcc.alignment")
    ]
    assert [each.name for each in musicarena(dataset_jsonl=data, metrics="accuracy").metrics] == ["accuracy.preference"]
    found = bench(PAM, ARENA, PREF, metrics="accuracy,srcc").metrics
    assert [each.name for each in found if each.name.startswith("accuracy")] == [
        *("accuracy.musicality", "accuracy.preference", "accuracy.alignment")
    ]
    assert found[0].signature == "accuracy.musicality:1.ties-upstream"


def test_a_yaml_file_like_upstreams_says_what_is_wanted(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "eval.yaml").write_text(
        "metrics: {include_lcc: false, include_k_tau: false}\n"
        "groups: {musicarena_by_month: false, cmi_by_confidence: false}\n"
    )
    task = bench(PAM, ARENA, PREF, eval_yaml=str(tmp_path / "eval.yaml"))
    names = {each.name.partition(".")[0] for each in task.metrics}
    assert names.isdisjoint({"lcc", "ktau"})
    fields = {name for sample in task.samples for name in sample.meta}
    assert fields == {"subset", "row", "modality", "ref_subset", "modality_type"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("metrics: {include_lcc: 1}", r"metrics\.include_lcc should be true or false, not 1"),
        ("groups: {duration_bin: [5, 1]}", r"groups\.duration_bin should be two or more rising"),
        ("groups: [a]", "groups should hold"),
        ("outputs: {json: ../x.json}", "should be a file's bare name"),
    ],
)
def test_a_yaml_file_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "eval.yaml").write_text(text)
    with pytest.raises(SpecError, match=words):
        Evaluation.read(tmp_path / "eval.yaml")


def test_bins_are_open_to_the_right_but_for_the_last() -> None:
    bins = Evaluation(duration_bin=(10.0, 30.0, 60.0))
    assert [bins.find_duration_bin(each) for each in (9.9, 10, 30, 60, 60.1)] == [
        *(None, "[10,30)", "[30,60]", "[30,60]", None)
    ]


def test_pairs_are_as_long_as_their_sides_on_average(bench: Any, tone: Any) -> None:
    tone("a.wav", seconds=0.1)
    tone("b.wav", seconds=0.5)
    (found,) = bench(PREF, by_duration=True, duration_bin="0.2,0.3,0.4").samples
    assert found.meta["duration_bin"] == "[0.3,0.4]"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "needs upstream's JSONL"),
        ({"dataset_jsonl": "x.jsonl", "subset": "Pop"}, "subset is one of all, PAM"),
        ({"dataset_jsonl": "x.jsonl", "batch": 2}, "takes no option batch"),
    ],
)
def test_options_that_cannot_be_are_refused(options: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        cmi_rewardbench(**options)


def test_reward_models_are_measured_and_others_are_asked_in_words(bench: Any) -> None:
    task = bench(PAM)
    ways = {each: select_inferencer(task.inferencer, [each], "t", "m") for each in ("predict", "generate")}
    assert {name: type(way).__name__ for name, way in ways.items()} == {"predict": "Appraise", "generate": "InWords"}


# --- a whole run ---------------------------------------------------------------------------------


@pytest.fixture
def run(manifest: Any, tone: Any, tmp_path: Path) -> Any:
    """A run whose second pair lacks a side."""
    for name in ("p.wav", "a.wav", "b.wav", "r.wav"):
        tone(name)
    rows = [{**PAM, "audio-path": "p.wav"}, PREF, {**PREF, "audio2": "gone.wav"}]
    arguments = {"dataset_jsonl": str(manifest(rows)), "dataset_root": str(tmp_path)}
    spec = Spec(task="cmi-rewardbench", task_args=arguments, model="fake-reward")
    evaluate(spec, tmp_path / "run")
    return tmp_path / "run"


def test_coverage_counts_only_samples_a_metric_is_about(run: Any) -> None:
    found = {each["metric"]: each for each in summary(run) if not each["field"]}
    pairs, rated = found["accuracy.musicality"], found["srcc.musicality"]
    assert (pairs["scored"], pairs["total"], pairs["failed"]) == (1, 2, 1)
    assert (rated["scored"], rated["total"], rated["failed"]) == (1, 1, 0)


def test_an_export_is_written_into_the_run_or_where_it_is_wanted(auricle: Any, run: Any, tmp_path: Path) -> None:
    done = auricle("export", run, "--as", "cmi", "-o", "results")
    assert done.returncode == 0, done.stderr
    names = ["results.jsonl", "metrics_summary.csv", "metrics_detail.csv", "metrics.json"]
    assert [each.rpartition("/")[2] for each in done.stdout.split()] == names
    assert (tmp_path / "results" / "metrics_summary.csv").read_text().splitlines()[0] == (
        "dataset,task,n,SRCC,LCC,K-Tau,ACC"
    )
    assert [each.parent for each in export_run(run, "cmi")] == [run / "cmi"] * 4


def test_a_run_of_another_task_cannot_be_exported(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"question": "x", "answer": "x"}])
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")
    with pytest.raises(SpecError, match="only cmi-rewardbench and its four datasets"):
        export_run(tmp_path / "run", "cmi")


def test_places_are_kept_whole(tmp_path: Path, manifest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest([PAM])
    monkeypatch.chdir(tmp_path)
    given = {"dataset_jsonl": "mine.jsonl", "dataset_root": "."}
    spec = Spec(task="pam", task_args=given, model="fake-reward").resolved()
    assert build_task(spec).samples.root == tmp_path


def test_models_that_write_are_asked_only_what_people_judged(bench: Any) -> None:
    def asked(row: Any, **options: Any) -> Any:
        return select_inferencer(bench(row, **options).inferencer, ["generate"], "t", "m").prefer.questions

    assert len(asked(PREF, subset="CMI-Pref")) == 2
    assert asked(ARENA, subset="MusicArena") == ("Which recording is better as music?",)


def test_choices_in_words_are_exported_without_numbers(manifest: Any, tone: Any, tmp_path: Path) -> None:
    tone("a.wav")
    tone("b.wav")
    row = {**ARENA, "audio-path": "a.wav", "audio2": "b.wav"}
    arguments = {"dataset_jsonl": str(manifest([row])), "dataset_root": str(tmp_path)}
    spec = Spec(task="musicarena", task_args=arguments, model="fake-api", model_args={"reply": "tie"})
    evaluate(spec, tmp_path / "run")
    results, summed, *_ = export_run(tmp_path / "run", "cmi")
    found = json.loads(results.read_text())
    assert found["predicted_preference"] == "model_b"
    assert found["predicted_musicality"] is None
    assert "predicted_preference-alignment" not in found
    assert summed.read_text() == "dataset,task,n,ACC\nMusicArena,preference,1,1.0\n"
