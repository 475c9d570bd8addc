"""Tests of the task kinds reward and preference, and of their options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle import Audio, Sample, Spec, evaluate
from auricle.api import summary
from auricle.core.errors import ExitStatus, SpecError
from auricle.core.types import RejectedRow
from auricle.engine.catalogue import TASKS
from auricle.runs.run_directory import Run
from auricle.tasks.rewards.kinds import RewardOptions, select_metrics
from auricle.tasks.rewards.preference import preference_metrics
from auricle.tasks.rewards.ratings import Dimension


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "coin"}, "Invalid ties 'coin': expected one of upstream, half, skip"),
        ({"scale": "5-1"}, "Invalid scale '5-1': expected two increasing numbers"),
        ({"swap": "no"}, "Invalid swap 'no': expected true or false"),
        ({"metrics": "wer"}, "Unknown metric 'wer'. Metrics of this task: accuracy, chance"),
        ({"tie": "half"}, "Unknown option of preference: tie"),
    ],
)
def test_an_invalid_option_is_rejected(manifest: Any, options: Any, message: str) -> None:
    data = manifest([{"a": "a.wav", "b": "b.wav", "preference": "a"}])
    with pytest.raises(SpecError, match=message):
        TASKS.get("preference")(data=str(data), **options)


def test_outputs_map_dimensions_of_the_data_to_those_of_the_model() -> None:
    options, rest = RewardOptions.from_arguments({"outputs": "musicality=mos,alignment=clap", "split": "x"}, "half")
    assert options.outputs == {"musicality": "mos", "alignment": "clap"}
    assert rest == {"split": "x"}
    assert RewardOptions.from_arguments({"outputs": "mos"}, "half")[0].outputs == {"": "mos"}


def test_metrics_are_selected_by_full_name_or_base_name() -> None:
    metrics = [
        *preference_metrics(Dimension("musicality", "m"), "half"),
        *preference_metrics(Dimension("x", "x"), "half"),
    ]
    assert [metric.name for metric in select_metrics(metrics, ["accuracy", "chance.x"])] == [
        *("accuracy.musicality", "accuracy.x", "chance.x")
    ]
    assert select_metrics(metrics, []) == metrics


@pytest.fixture
def recordings(tone: Any) -> None:
    for name in "abcd":
        tone(f"{name}.wav")


def build_samples(kind: Any, data: Any, **options: Any) -> Any:
    return list(TASKS.get(kind)(data=str(data), **options).samples)


def build_sample(kind: Any, manifest: Any, row: Any, **options: Any) -> Any:
    (sample,) = build_samples(kind, manifest([row]), **options)
    return sample


def metric_names(kind: Any, data: Any, **options: Any) -> Any:
    return [metric.name for metric in TASKS.get(kind)(data=str(data), **options).metrics]


def numbers(run: Any) -> Any:
    return {number.metric: number for number in summary(run) if not number.field}


def test_a_rating_row_has_audio_context_and_a_number(manifest: Any, tmp_path: Path) -> None:
    row = {"audio": "a.wav", "prompt": "a waltz", "lyrics": "la", "ref_audio": "r.wav", "mos": "3.5", "singer": "x"}
    sample = build_sample("reward", manifest, row)
    assert sample.inputs == {
        "audio": Audio(str(tmp_path / "a.wav")),
        "text": "a waltz",
        "lyrics": "la",
        "ref_audio": Audio(str(tmp_path / "r.wav")),
    }
    assert (sample.target, sample.meta) == (3.5, {"singer": "x"})


def test_null_and_empty_columns_are_left_out(manifest: Any) -> None:
    row = {"audio": "a.wav", "prompt": None, "lyrics": "", "ref_audio": " ", "score": 1}
    assert list(build_sample("reward", manifest, row).inputs) == ["audio"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"score": 1}, "no audio: expected one of the columns audio"),
        ({"audio": "a.wav"}, "no target: expected one of the columns score"),
        ({"audio": "a.wav", "score": "good"}, "invalid rating 'good': expected a number"),
        ({"audio": "a.wav", "score": "nan"}, "invalid rating"),
        ({"audio": "a.wav", "score": True}, "invalid rating"),
    ],
)
def test_a_row_without_a_valid_rating_is_rejected(manifest: Any, row: Any, reason: str) -> None:
    sample = build_sample("reward", manifest, row)
    assert isinstance(sample, RejectedRow)
    assert reason in sample.reason


def test_a_row_may_lack_one_of_several_dimensions(manifest: Any) -> None:
    data = manifest(
        [
            {"audio": "a.wav", "musicality": 1, "text-music alignment": 2},
            {"audio": "b.wav", "musicality": None, "text-music alignment": 3},
        ]
    )
    assert [sample.target for sample in build_samples("reward", data)] == [
        {"musicality": 1.0, "alignment": 2.0},
        {"alignment": 3.0},
    ]
    assert metric_names("reward", data)[:2] == ["srcc.musicality", "lcc.musicality"]


def test_target_columns_can_be_selected(manifest: Any) -> None:
    data = manifest([{"audio": "a.wav", "mood": 1, "mix": 2, "score": 9}])
    assert build_samples("reward", data, target="mood")[0].target == 1.0
    assert metric_names("reward", data, target="mood") == ["srcc", "lcc", "ktau", "rmse"]
    assert build_samples("reward", data, target="mood,mix")[0].target == {"mood": 1.0, "mix": 2.0}
    assert metric_names("reward", data, target="mood,mix", metrics="srcc") == ["srcc.mood", "srcc.mix"]


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"audio_a": "a.wav", "audio_b": "b.wav", "preference": "model_b"}, "b"),
        ({"a": "a.wav", "b": "b.wav", "winner": "LEFT"}, "a"),
        ({"audio": "a.wav", "audio2": "b.wav", "label": "both"}, "tie"),
        ({"chosen": "a.wav", "rejected": "b.wav"}, "a"),
    ],
)
def test_usual_names_of_pair_columns_are_recognised(manifest: Any, tmp_path: Path, columns: Any, target: str) -> None:
    sample = build_sample("preference", manifest, columns)
    assert sample.inputs == {"a": Audio(str(tmp_path / "a.wav")), "b": Audio(str(tmp_path / "b.wav"))}
    assert sample.target == target


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": "a.wav", "preference": "a"}, "no audio: expected one of the columns audio_b"),
        ({"a": "a.wav", "b": "b.wav", "preference": 1}, "invalid preference 1: expected a, b or tie"),
        ({"a": "a.wav", "b": "b.wav"}, "no target: expected one of the columns preference"),
    ],
)
def test_a_pair_without_a_valid_preference_is_rejected(manifest: Any, row: Any, reason: str) -> None:
    sample = build_sample("preference", manifest, row)
    assert isinstance(sample, RejectedRow)
    assert reason in sample.reason


def test_preferences_may_be_by_dimension(manifest: Any) -> None:
    row = {"a": "a.wav", "b": "b.wav", "preference-musicality": "a", "preference-alignment": "b"}
    data = manifest([row])
    assert build_samples("preference", data)[0].target == {"musicality": "a", "alignment": "b"}
    assert metric_names("preference", data, metrics="accuracy,chance") == [
        *("accuracy.musicality", "chance.musicality"),
        *("accuracy.alignment", "chance.alignment"),
    ]


@pytest.mark.usefixtures("recordings")
def test_ratings_can_be_evaluated_from_the_command_line(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"audio": f"{name}.wav", "score": score} for score, name in enumerate("abcd")])
    process = auricle("run", data, "--as", "reward", "-m", "fake-reward", "-T", "outputs=musicality", "-o", "run")
    assert process.returncode == 0, process.stderr
    scores = numbers(tmp_path / "run")
    assert list(scores) == ["srcc", "lcc", "ktau", "rmse"]
    assert str(scores["srcc"].signature.metric) == "srcc:3.of-musicality"
    assert not scores["rmse"].higher_is_better


@pytest.mark.usefixtures("recordings")
def test_a_missing_recording_fails_only_its_pair(manifest: Any, tmp_path: Path) -> None:
    data = manifest(
        [
            {"a": "a.wav", "b": "b.wav", "preference": "a"},
            {"a": "a.wav", "b": "gone.wav", "preference": "a"},
            {"a": "c.wav", "b": "d.wav", "preference": "tie"},
        ]
    )
    spec = Spec(task="preference", task_args={"data": str(data), "outputs": "musicality"}, model="fake-reward")
    evaluate(spec, tmp_path / "run")
    accuracy = numbers(tmp_path / "run")["accuracy"]
    assert (accuracy.scored, accuracy.failed, accuracy.total) == (2, 1, 3)
    errors = [record.error.message for record in Run.load(tmp_path / "run").records() if record.error]
    assert len(errors) == 1
    assert "gone.wav does not exist" in errors[0]


@pytest.mark.usefixtures("recordings")
def test_a_text_model_compares_in_both_orders(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"a": "a.wav", "b": "b.wav", "text": "x", "preference": "b"}])
    spec = Spec(task="preference", task_args={"data": str(data)}, model="fake-api", model_args={"reply": "A"})
    evaluate(spec, tmp_path / "run")
    scores = numbers(tmp_path / "run")
    assert scores["position_bias"].value == 1.0
    assert scores["position_bias"].details == {"first": 1, "second": 0, "pairs": 1}
    assert (scores["accuracy"].value, scores["accuracy"].details) == (0.5, {"ties": 1})


@pytest.mark.usefixtures("recordings")
def test_a_text_model_is_asked_for_a_number(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"audio": "a.wav", "score": 4}, {"audio": "b.wav", "score": 2}])
    spec = Spec(
        task="reward",
        task_args={"data": str(data), "scale": "0-10"},
        model="fake-api",
        model_args={"reply": "I would say 6 out of 10."},
    )
    evaluate(spec, tmp_path / "run")
    scores = numbers(tmp_path / "run")
    assert scores["rmse"].value == pytest.approx(10**0.5)
    assert scores["srcc"].value is None


@pytest.mark.usefixtures("recordings")
def test_another_tie_policy_sends_no_new_requests(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"a": "a.wav", "b": "a.wav", "preference": "b"}])

    def run(ties: Any) -> Any:
        arguments = {"data": str(data), "outputs": "musicality", "ties": ties}
        evaluate(Spec(task="preference", task_args=arguments, model="fake-reward"), tmp_path / "run")
        return getattr(numbers(tmp_path / "run").get("accuracy"), "value", None)

    assert [run("half"), run("upstream"), run("skip")] == [0.5, 1.0, None]
    assert len((tmp_path / "run" / "outputs.jsonl").read_text().splitlines()) == 1
    document = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "tie" in document["not_computed"]["accuracy"]


@pytest.mark.slow
@pytest.mark.usefixtures("recordings")
def test_a_dimension_the_model_does_not_return_is_skipped(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "fitting.py").write_text(
        "def fits(audio, text) -> dict:\n    return {'alignment': float(len(audio.uri))}\n"
    )
    data = manifest([{"audio": f"{n}.wav", "text": "x", "musicality": 1, "alignment": 2} for n in "ab"])
    process = auricle("run", data, "--as", "reward", "-m", "fitting.py:fits", "-o", "run")
    assert process.returncode == 0, process.stderr
    assert {name.partition(".")[2] for name in numbers(tmp_path / "run")} == {"alignment"}
    assert "not musicality" in process.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("recordings")
def test_a_run_without_its_headline_fails_and_states_why(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "rating.py").write_text("def rate(audio) -> dict:\n    return {'x': 1.0, 'y': 2.0}\n")
    data = manifest([{"a": "a.wav", "b": "b.wav", "preference": "a"}])
    process = auricle("run", data, "--as", "preference", "-m", "rating.py:rate", "-o", "run")
    assert process.returncode == ExitStatus.FAILURES
    (line,) = [line for line in process.stderr.splitlines() if line.startswith("accuracy, ")]
    assert line.endswith("Choose one with -T outputs=NAME")


def test_ids_of_the_data_are_kept(manifest: Any) -> None:
    sample = build_sample("preference", manifest, {"id": "x", "a": "a.wav", "b": "b.wav", "winner": "a"})
    assert isinstance(sample, Sample)
    assert sample.id == "x"


def louder(a: Audio, b: Audio) -> float:
    return float(abs(a.decode()).mean() - abs(b.decode()).mean())


def louder_in_words(audio_a: Audio, audio_b: Audio):  # type: ignore[no-untyped-def]
    return "a" if louder(audio_a, audio_b) > 0 else "b"


def louder_of_several(audios: Sequence[Audio], text: str) -> str:
    return "A" if louder(*audios) > 0 else "B"


def louder_number_of_several(audios: Sequence[Audio]) -> float:
    return louder(*audios)


def always_first(a: Audio, b: Audio) -> float:
    return 1.0


@pytest.mark.parametrize(
    ("function", "accuracy"),
    [
        *((each, 1.0) for each in (louder, louder_in_words, louder_of_several, louder_number_of_several)),
        (always_first, 0.5),
    ],
)
def test_a_function_that_compares_is_asked_for_both_orders(
    function: Any, accuracy: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loud, quiet = ((np.full(800, level, dtype=np.float32), 8000) for level in (0.5, 0.1))
    pairs: Any = [
        {"audio_a": loud, "audio_b": quiet, "text": "loud", "preference": "a"},
        {"audio_a": quiet, "audio_b": loud, "text": "loud", "preference": "b"},
    ]
    result = evaluate(Spec(task=pairs, kind="preference", model=function), tmp_path / "run")
    assert result["accuracy"].value == accuracy


def test_a_text_about_several_dimensions_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    sound = (np.zeros(800, dtype=np.float32), 8000)
    pair = {"audio_a": sound, "audio_b": sound, "preference-musicality": "a", "preference-alignment": "b"}
    spec: Any = {"task": [pair], "kind": "preference", "model": louder_in_words}
    result = evaluate(Spec(**spec), tmp_path / "run")
    assert result.outcomes.failed == 1
    assert result.metrics
    assert "2 dimensions" in result.metrics.failures[0].examples[0].message
