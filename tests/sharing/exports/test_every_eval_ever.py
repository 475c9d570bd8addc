"""The keys that the schemas of Every Eval Ever 0.3.0 require, and their types."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.core.types import Generation, Record, Sample, Turn
from auricle.sharing.exports import every_eval_ever
from auricle.sharing.exports.base import FinishedRun, PublishOptions
from auricle.sharing.exports.every_eval_ever import publish
from auricle.sharing.exports.scored_samples import ScoredSample

OPTIONS = PublishOptions(organisation="Lab")
FILE_NAME = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def find_details(value: Any) -> list[dict[str, Any]]:
    """Return the objects whose values must be texts."""
    if isinstance(value, list):
        return [details for item in value for details in find_details(item)]
    if not isinstance(value, dict):
        return []
    names = ("additional_details", "details", "metadata")
    own = [value[name] for name in names if name in value]
    return own + [details for item in value.values() for details in find_details(item)]


def test_the_document_has_all_required_keys(hub_run: FinishedRun, tmp_path: Path) -> None:
    document_path, _ = publish([hub_run], replace(OPTIONS, source_url="https://example.org"), tmp_path).files
    assert re.fullmatch(rf"data/asr-mine/org/model/{FILE_NAME}\.json", document_path.relative_to(tmp_path).as_posix())
    document = read(document_path)
    assert document["schema_version"] == "0.3.0"
    assert float(document["retrieved_timestamp"]) > 1.7e9
    assert document["source_metadata"]["source_organization_name"] == "Lab"
    assert document["source_metadata"]["evaluator_relationship"] == "other"
    assert document["source_metadata"]["source_type"] == "evaluation_run"
    assert document["eval_library"]["name"] == "auricle"
    assert (document["model_info"]["id"], document["model_info"]["developer"]) == ("org/model", "org")
    assert {"deployment_type", "model_availability"} <= document["model_info"]["additional_details"].keys()


def test_a_result_has_score_interval_and_signature(hub_run: FinishedRun, tmp_path: Path) -> None:
    document = read(publish([hub_run], OPTIONS, tmp_path).files[0])
    number, result = hub_run.metrics["wer"], document["evaluation_results"][0]
    assert result["source_data"]["hf_repo"] == "org/data"
    assert result["metric_config"]["lower_is_better"] is True
    assert result["metric_config"]["metric_unit"] == "proportion"
    assert (result["metric_config"]["min_score"], result["metric_config"]["max_score"]) == (0, "Infinity")
    assert result["metric_config"]["additional_details"]["signature"] == str(number.signature)
    assert result["score_details"]["score"] == number.value
    assert result["score_details"]["uncertainty"]["num_samples"] == 3
    assert result["score_details"]["uncertainty"]["confidence_interval"]["lower"] == number.low
    assert result["score_details"]["details"]["failed"] == "1"


def test_rows_refer_to_their_document(finished_run: FinishedRun, tmp_path: Path) -> None:
    document_path, rows_path = publish([finished_run], OPTIONS, tmp_path).files
    document, rows = read(document_path), read_lines(rows_path)
    stated = document["detailed_evaluation_results"]
    assert stated["file_path"] == rows_path.relative_to(tmp_path).as_posix()
    assert stated["total_rows"] == len(rows)
    assert stated["checksum"] == hashlib.sha256(rows_path.read_bytes()).hexdigest()
    results = {result["evaluation_result_id"] for result in document["evaluation_results"]}
    assert {row["evaluation_result_id"] for row in rows} <= results
    assert {row["evaluation_id"] for row in rows} == {document["evaluation_id"]}
    assert {row["model_id"] for row in rows} == {document["model_info"]["id"]}


def test_a_row_has_input_answer_and_score(finished_run: FinishedRun, tmp_path: Path) -> None:
    rows = read_lines(publish([finished_run], replace(OPTIONS, metrics=("wer",)), tmp_path).files[1])
    assert [row["sample_id"] for row in rows] == ["s0", "s1", "s2"]
    row = rows[0]
    assert row["interaction_type"] == "single_turn"
    assert row["input"]["reference"] == ["one two three"]
    assert row["output"] == {"raw": ["one two"]}
    assert row["evaluation"] == {"score": 1.0, "is_correct": False}
    assert row["answer_attribution"][0]["extracted_value"] == "one two"
    assert row["metadata"]["audio"] == '["0.wav"]'


def test_all_details_are_texts(finished_run: FinishedRun, tmp_path: Path) -> None:
    document_path, rows_path = publish([finished_run], OPTIONS, tmp_path).files
    details = find_details([read(document_path), *read_lines(rows_path)])
    assert len(details) > 8
    assert all(isinstance(value, str) for values in details for value in values.values())


def test_publishing_again_replaces_the_files(finished_run: FinishedRun, tmp_path: Path) -> None:
    first = publish([finished_run], OPTIONS, tmp_path).files
    assert publish([finished_run], OPTIONS, tmp_path).files == first


def test_samples_can_be_left_out(finished_run: FinishedRun, tmp_path: Path) -> None:
    (path,) = publish([finished_run], replace(OPTIONS, samples=False), tmp_path).files
    assert "detailed_evaluation_results" not in read(path)


def test_metrics_that_are_no_shares_have_no_rows(finished_run: FinishedRun, tmp_path: Path) -> None:
    numbers = tuple(replace(number, unit="points", low=None) for number in finished_run.metrics.numbers)
    run = replace(finished_run, metrics=replace(finished_run.metrics, numbers=numbers))
    (path,) = publish([run], OPTIONS, tmp_path).files
    result = read(path)["evaluation_results"][0]
    assert "max_score" not in result["metric_config"]
    assert "confidence_interval" not in result["score_details"]["uncertainty"]


def test_the_organisation_is_required(finished_run: FinishedRun, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Add --organisation NAME"):
        publish([finished_run], PublishOptions(), tmp_path)


def test_a_conversation_has_messages_instead_of_an_output(
    finished_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = (Turn("user", ("one",)), Turn("user", ("two",)))
    outputs = (Generation(text="first"), Generation(text="second"))
    record = Record(sample=Sample(id="1", inputs={"turns": turns}), row=0, outputs=outputs)
    monkeypatch.setattr(every_eval_ever, "load_scored_samples", lambda *_: [ScoredSample(record, {"wer": 0.0})])
    (row,) = read_lines(publish([finished_run], OPTIONS, tmp_path).files[1])
    assert (row["interaction_type"], row["output"]) == ("multi_turn", None)
    assert [(message["turn_idx"], message["role"], message["content"]) for message in row["messages"]] == [
        (0, "user", "one"),
        (1, "assistant", "first"),
        (2, "user", "two"),
        (3, "assistant", "second"),
    ]
    assert row["evaluation"] == {"score": 0.0, "is_correct": True, "num_turns": 4}
    assert [(item["turn_idx"], item["is_terminal"]) for item in row["answer_attribution"]] == [(1, False), (3, True)]
