"""Anybody's ratings and preferences, from rows to numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Sample, Spec, evaluate
from auricle.api import summary
from auricle.core.errors import SpecError
from auricle.core.types import RejectedRow
from auricle.runs.run_directory import Run
from auricle.tasks.catalogue import TASKS


@pytest.fixture
def sounds(tone: Any) -> None:
    for name in "abcd":
        tone(f"{name}.wav")


def rows(kind: Any, data: Any, **options: Any) -> Any:
    return list(TASKS.get(kind)(data=str(data), **options).samples)


def one(kind: Any, manifest: Any, row: Any, **options: Any) -> Any:
    (found,) = rows(kind, manifest([row]), **options)
    return found


def names(kind: Any, data: Any, **options: Any) -> Any:
    return [metric.name for metric in TASKS.get(kind)(data=str(data), **options).metrics]


def test_a_rating_has_a_sound_what_it_was_made_from_and_a_number(manifest: Any, tmp_path: Path) -> None:
    row = {"audio": "a.wav", "prompt": "a waltz", "lyrics": "la", "ref_audio": "r.wav", "mos": "3.5", "singer": "x"}
    found = one("reward", manifest, row)
    assert found.inputs == {
        "audio": Audio(str(tmp_path / "a.wav")),
        "text": "a waltz",
        "lyrics": "la",
        "ref_audio": Audio(str(tmp_path / "r.wav")),
    }
    assert (found.target, found.meta) == (3.5, {"singer": "x"})


def test_null_and_empty_are_absent(manifest: Any) -> None:
    row = {"audio": "a.wav", "prompt": None, "lyrics": "", "ref_audio": " ", "score": 1}
    assert list(one("reward", manifest, row).inputs) == ["audio"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"score": 1}, "no sound: one of audio"),
        ({"audio": "a.wav"}, "no truth: one of score"),
        ({"audio": "a.wav", "score": "good"}, "should be a number, not 'good'"),
        ({"audio": "a.wav", "score": "nan"}, "should be a number"),
        ({"audio": "a.wav", "score": True}, "should be a number"),
    ],
)
def test_a_row_that_rates_nothing_is_rejected_with_its_reason(manifest: Any, row: Any, reason: str) -> None:
    found = one("reward", manifest, row)
    assert isinstance(found, RejectedRow)
    assert reason in found.reason


def test_dimensions_are_told_apart_and_one_of_them_may_be_missing(manifest: Any) -> None:
    data = manifest(
        [
            {"audio": "a.wav", "musicality": 1, "text-music alignment": 2},
            {"audio": "b.wav", "musicality": None, "text-music alignment": 3},
        ]
    )
    assert [each.target for each in rows("reward", data)] == [{"musicality": 1.0, "alignment": 2.0}, {"alignment": 3.0}]
    assert names("reward", data)[:2] == ["srcc.musicality", "lcc.musicality"]


def test_other_columns_are_named(manifest: Any) -> None:
    data = manifest([{"audio": "a.wav", "mood": 1, "mix": 2, "score": 9}])
    assert rows("reward", data, target="mood")[0].target == 1.0
    assert names("reward", data, target="mood") == ["srcc", "lcc", "ktau", "rmse"]
    assert rows("reward", data, target="mood,mix")[0].target == {"mood": 1.0, "mix": 2.0}
    assert names("reward", data, target="mood,mix", metrics="srcc") == ["srcc.mood", "srcc.mix"]


@pytest.mark.parametrize(
    ("columns", "truth"),
    [
        ({"audio_a": "a.wav", "audio_b": "b.wav", "preference": "model_b"}, "b"),
        ({"a": "a.wav", "b": "b.wav", "winner": "LEFT"}, "a"),
        ({"audio": "a.wav", "audio2": "b.wav", "label": "both"}, "tie"),
        ({"chosen": "a.wav", "rejected": "b.wav"}, "a"),
    ],
)
def test_pairs_come_under_the_names_people_use(manifest: Any, tmp_path: Path, columns: Any, truth: str) -> None:
    found = one("preference", manifest, columns)
    assert found.inputs == {"a": Audio(str(tmp_path / "a.wav")), "b": Audio(str(tmp_path / "b.wav"))}
    assert found.target == truth


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": "a.wav", "preference": "a"}, "no sound: one of audio_b"),
        ({"a": "a.wav", "b": "b.wav", "preference": 1}, "should be a, b or tie, not 1"),
        ({"a": "a.wav", "b": "b.wav"}, "no truth: one of preference"),
    ],
)
def test_a_pair_nobody_decided_is_rejected_with_its_reason(manifest: Any, row: Any, reason: str) -> None:
    found = one("preference", manifest, row)
    assert isinstance(found, RejectedRow)
    assert reason in found.reason


def test_preferences_may_be_by_dimension(manifest: Any) -> None:
    row = {"a": "a.wav", "b": "b.wav", "preference-musicality": "a", "preference-alignment": "b"}
    data = manifest([row])
    assert rows("preference", data)[0].target == {"musicality": "a", "alignment": "b"}
    assert names("preference", data, metrics="accuracy,chance") == [
        *("accuracy.musicality", "chance.musicality"),
        *("accuracy.alignment", "chance.alignment"),
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ties": "coin"}, "ties is one of upstream, half, skip, not 'coin'"),
        ({"scale": "5-1"}, "scale should be two numbers such as 1-5"),
        ({"swap": "no"}, "swap should be true or false"),
        ({"metrics": "wer"}, "No metric called 'wer' here; there are accuracy, chance"),
        ({"tie": "half"}, "takes no option tie"),
    ],
)
def test_an_option_that_cannot_be_is_refused(manifest: Any, options: Any, words: str) -> None:
    data = manifest([{"a": "a.wav", "b": "b.wav", "preference": "a"}])
    with pytest.raises(SpecError, match=words):
        TASKS.get("preference")(data=str(data), **options)


# --- whole runs ----------------------------------------------------------------------------


def numbers(run: Any) -> Any:
    return {each["metric"]: each for each in summary(run) if not each["field"]}


@pytest.mark.usefixtures("sounds")
def test_ratings_are_run_from_the_command_line(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"audio": f"{name}.wav", "score": at} for at, name in enumerate("abcd")])
    done = auricle("run", data, "--as", "reward", "-m", "fake-reward", "-T", "outputs=musicality", "-o", "run")
    assert done.returncode == 0, done.stderr
    found = numbers(tmp_path / "run")
    assert list(found) == ["srcc", "lcc", "ktau", "rmse"]
    assert found["srcc"]["signature"].split("|")[3] == "srcc:1.of-musicality"
    assert not found["rmse"]["higher_is_better"]


@pytest.mark.usefixtures("sounds")
def test_a_missing_sound_costs_its_pair(manifest: Any, tmp_path: Path) -> None:
    data = manifest(
        [
            {"a": "a.wav", "b": "b.wav", "preference": "a"},
            {"a": "a.wav", "b": "gone.wav", "preference": "a"},
            {"a": "c.wav", "b": "d.wav", "preference": "tie"},
        ]
    )
    spec = Spec(task="preference", task_args={"data": str(data), "outputs": "musicality"}, model="fake-reward")
    evaluate(spec, tmp_path / "run")
    found = numbers(tmp_path / "run")["accuracy"]
    assert (found["scored"], found["failed"], found["total"]) == (2, 1, 3)
    failed = [each.error.message for each in Run.load(tmp_path / "run").records() if each.error]
    assert len(failed) == 1
    assert "gone.wav does not exist" in failed[0]


@pytest.mark.usefixtures("sounds")
def test_a_model_that_writes_chooses_in_both_orders(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"a": "a.wav", "b": "b.wav", "text": "x", "preference": "b"}] * 1)
    spec = Spec(task="preference", task_args={"data": str(data)}, model="fake-api", model_args={"reply": "A"})
    evaluate(spec, tmp_path / "run")
    found = numbers(tmp_path / "run")
    assert found["position_bias"]["value"] == 1.0
    assert found["position_bias"]["details"] == {"first": 1, "second": 0, "pairs": 1}
    assert (found["accuracy"]["value"], found["accuracy"]["details"]) == (0.5, {"ties": 1})


@pytest.mark.usefixtures("sounds")
def test_a_model_that_writes_is_asked_for_a_number(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"audio": "a.wav", "score": 4}, {"audio": "b.wav", "score": 2}])
    spec = Spec(
        task="reward",
        task_args={"data": str(data), "scale": "0-10"},
        model="fake-api",
        model_args={"reply": "I would say 6 out of 10."},
    )
    evaluate(spec, tmp_path / "run")
    found = numbers(tmp_path / "run")
    assert found["rmse"]["value"] == pytest.approx(10**0.5)
    assert found["srcc"]["value"] is None


@pytest.mark.usefixtures("sounds")
def test_another_tie_policy_asks_nobody_again(manifest: Any, tmp_path: Path) -> None:
    data = manifest([{"a": "a.wav", "b": "a.wav", "preference": "b"}])

    def run(ties: Any) -> Any:
        arguments = {"data": str(data), "outputs": "musicality", "ties": ties}
        evaluate(Spec(task="preference", task_args=arguments, model="fake-reward"), tmp_path / "run")
        return numbers(tmp_path / "run").get("accuracy", {}).get("value")

    assert [run("half"), run("upstream"), run("skip")] == [0.5, 1.0, None]
    assert len((tmp_path / "run" / "outputs.jsonl").read_text().splitlines()) == 1
    told = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "tie" in told["refused"]["accuracy"]


@pytest.mark.usefixtures("sounds")
def test_what_a_model_does_not_tell_is_refused_and_the_rest_is_scored(
    auricle: Any, manifest: Any, tmp_path: Path
) -> None:
    (tmp_path / "fitting.py").write_text(
        "def fits(audio, text) -> dict:\n    return {'alignment': float(len(audio.uri))}\n"
    )
    data = manifest([{"audio": f"{n}.wav", "text": "x", "musicality": 1, "alignment": 2} for n in "ab"])
    done = auricle("run", data, "--as", "reward", "-m", "fitting.py:fits", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert {each.partition(".")[2] for each in numbers(tmp_path / "run")} == {"alignment"}
    assert "this model tells alignment, not musicality" in done.stdout


def test_samples_keep_their_own_ids(manifest: Any) -> None:
    found = one("preference", manifest, {"id": "x", "a": "a.wav", "b": "b.wav", "winner": "a"})
    assert isinstance(found, Sample)
    assert found.id == "x"
