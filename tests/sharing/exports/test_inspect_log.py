import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.sharing.exports.base import FinishedRun, PublishOptions
from auricle.sharing.exports.inspect_log import publish
from auricle.sharing.exports.scored_samples import ScoredSample


def read_archive(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def test_the_archive_has_the_files_of_a_log(hub_run: FinishedRun, tmp_path: Path) -> None:
    published = publish([hub_run], PublishOptions(), tmp_path)
    (path,) = published.files
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_asr-mine_[0-9a-f]{22}\.eval", path.name)
    members = read_archive(path)
    samples = [f"samples/s{index}_epoch_1.json" for index in range(3)]
    assert list(members) == [
        *("_journal/start.json", *samples),
        *("_journal/summaries/1.json", "summaries.json", "header.json"),
    ]
    assert members["_journal/start.json"]["eval"] == members["header.json"]["eval"]
    assert published.next_step == f"Open them: inspect view --log-dir {tmp_path}"


def test_the_header_has_scores_with_intervals(hub_run: FinishedRun, tmp_path: Path) -> None:
    header = read_archive(publish([hub_run], PublishOptions(), tmp_path).files[0])["header.json"]
    assert (header["version"], header["status"]) == (2, "success")
    assert (header["eval"]["task"], header["eval"]["model"]) == ("asr-mine", "org/model")
    assert header["eval"]["dataset"]["location"] == "org/data"
    assert header["eval"]["dataset"]["sample_ids"] == ["s0", "s1", "s2"]
    assert (header["results"]["total_samples"], header["results"]["completed_samples"]) == (4, 3)
    score, number = header["results"]["scores"][0], hub_run.metrics["wer"]
    assert {name: metric["value"] for name, metric in score["metrics"].items()} == {
        "wer": number.value,
        "ci_low": number.low,
        "ci_high": number.high,
    }
    assert (score["scored_samples"], score["unscored_samples"]) == (3, 1)
    assert score["metadata"]["signature"] == str(number.signature)


def test_a_sample_has_input_answer_and_scores(finished_run: FinishedRun, tmp_path: Path) -> None:
    members = read_archive(publish([finished_run], PublishOptions(), tmp_path).files[0])
    sample = members["samples/s0_epoch_1.json"]
    assert (sample["id"], sample["epoch"], sample["target"]) == ("s0", 1, "one two three")
    assert [message["role"] for message in sample["messages"]] == ["user", "assistant"]
    assert sample["output"]["choices"][0]["message"]["content"] == "one two"
    assert sample["scores"]["wer"] == {"value": 1.0, "answer": "one two"}
    assert sample["metadata"]["audio"] == ["0.wav"]
    assert members["summaries.json"][0]["scores"] == sample["scores"]


def test_a_sample_without_a_text_shows_the_names_of_its_recordings(
    finished_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScoredSample, "input_text", "")
    sample = read_archive(publish([finished_run], PublishOptions(), tmp_path).files[0])["samples/s0_epoch_1.json"]
    assert (sample["input"], sample["messages"][0]["content"]) == ("0.wav", "0.wav")


def test_samples_can_be_left_out(finished_run: FinishedRun, tmp_path: Path) -> None:
    members = read_archive(publish([finished_run], PublishOptions(samples=False), tmp_path).files[0])
    assert members["summaries.json"] == []
    assert not any(name.startswith("samples/") for name in members)


def test_two_runs_never_share_a_file(finished_run: FinishedRun, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="would contain two runs"):
        publish([finished_run, replace(finished_run)], PublishOptions(), tmp_path)
