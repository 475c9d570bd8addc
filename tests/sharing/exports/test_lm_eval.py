import json
from dataclasses import replace
from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.sharing.exports.base import FinishedRun, PublishOptions
from auricle.sharing.exports.lm_eval import publish


def test_results_have_the_keys_of_the_harness(hub_run: FinishedRun, tmp_path: Path) -> None:
    path, _ = publish([hub_run], PublishOptions(), tmp_path).files
    date = hub_run.created.strftime("%Y-%m-%dT%H-%M-%S.000000")
    assert path == tmp_path / "org__model" / f"results_{date}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    values, number = document["results"]["asr-mine"], hub_run.metrics["wer"]
    assert values["alias"] == "asr-mine"
    assert values["wer,none"] == number.value
    assert values["wer_stderr,none"] == "N/A"
    assert document["versions"] == {"asr-mine": 1}
    assert document["higher_is_better"]["asr-mine"]["wer"] is False
    assert document["n-samples"]["asr-mine"] == {"original": 4, "effective": 3}
    assert (document["model_name"], document["model_name_sanitized"]) == ("org/model", "org__model")
    config = document["configs"]["asr-mine"]
    assert config["dataset_path"] == "org/data"
    assert config["metadata"]["auricle"]["wer"]["low"] == number.low
    assert config["metadata"]["auricle"]["wer"]["signature"] == str(number.signature)


def test_samples_have_answers_and_values(finished_run: FinishedRun, tmp_path: Path) -> None:
    _, path = publish([finished_run], PublishOptions(), tmp_path).files
    assert path.name.startswith("samples_asr-mine_")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["doc_id"] for row in rows] == [0, 1, 2]
    row = rows[0]
    assert row["resps"] == [["one two"]]
    assert (row["filtered_resps"], row["filter"]) == (["one two"], "none")
    assert row["target"] == "one two three"
    assert row["wer"] == 1.0
    assert row["metrics"] == ["wer", "cer"]
    assert row["arguments"]["gen_args_0"]["arg_0"] == "one two"
    assert len({row["doc_hash"] for row in rows}) == 3
    assert len({row["target_hash"] for row in rows}) == 1


def test_samples_can_be_left_out(finished_run: FinishedRun, tmp_path: Path) -> None:
    assert len(publish([finished_run], PublishOptions(samples=False), tmp_path).files) == 1


def test_two_runs_never_share_a_file(finished_run: FinishedRun, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="would contain two runs"):
        publish([finished_run, replace(finished_run)], PublishOptions(), tmp_path)
