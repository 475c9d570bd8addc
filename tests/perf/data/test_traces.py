import json
from pathlib import Path
from typing import Any

import pytest

from auricle.core.errors import DataError, SpecError
from auricle.core.types import Sample
from auricle.perf.data.traces import burstgpt, journal, mooncake
from tests.perf.conftest import MeasurementResult, RunMeasurement


def write_jsonl(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def read_samples(task: Any) -> list[Sample]:
    return list(task.samples)


def list_inputs(measurement: MeasurementResult) -> list[dict[str, Any]]:
    """Return the inputs of all requests in the order of their times; answers are in the order of their arrival."""
    inputs = {entry["id"]: entry["inputs"] for entry in measurement.answers()}
    return [inputs[request["sample"]] for request in measurement.requests()]


def words_of(sample: Sample) -> list[str]:
    content = sample.inputs["content"]
    assert isinstance(content, str)
    return content.split()


def test_prompts_share_the_blocks_of_their_hash_ids(tmp_path: Path) -> None:
    path = write_jsonl(
        tmp_path / "trace.jsonl",
        {"timestamp": 0, "input_length": 1100, "output_length": 7, "hash_ids": [1, 2, 3]},
        {"timestamp": 1500, "input_length": 1100, "output_length": 9, "hash_ids": [1, 2, 4]},
        {"timestamp": 1500, "input_length": 600, "output_length": 9, "hash_ids": [5]},
    )
    first, second, third = read_samples(mooncake(requests=path))
    assert [sample.meta["timestamp"] for sample in (first, second, third)] == [0.0, 1.5, 1.5]
    assert [sample.meta["max_tokens"] for sample in (first, second, third)] == [7, 9, 9]
    assert [len(words_of(sample)) for sample in (first, second, third)] == [1100, 1100, 600]
    assert words_of(first)[:1024] == words_of(second)[:1024]
    assert words_of(first)[1024:] != words_of(second)[1024:]
    assert words_of(third)[:512] != words_of(first)[:512]


def test_failed_requests_of_burstgpt_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
        "5,ChatGPT,12,3,15,Conversation log\n6,GPT-4,9,0,9,API log\n45,GPT-4,30,8,38,API log\n"
    )
    samples = read_samples(burstgpt(requests=str(path)))
    assert [(sample.meta["timestamp"], sample.meta["max_tokens"]) for sample in samples] == [(5.0, 3), (45.0, 8)]
    assert [len(words_of(sample)) for sample in samples] == [12, 30]


def test_damaged_rows_are_errors(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "trace.jsonl", {"timestamp": 0, "input_length": 5})
    with pytest.raises(DataError, match="missing column 'output_length'"):
        read_samples(mooncake(requests=path))
    path = write_jsonl(tmp_path / "trace.jsonl", {"timestamp": 0, "input_length": 0, "output_length": 2})
    with pytest.raises(DataError, match="number of tokens is not valid"):
        read_samples(mooncake(requests=path))


@pytest.mark.slow
def test_load_point_is_replayed_at_its_own_times_or_faster(run_measurement: RunMeasurement, tmp_path: Path) -> None:
    recorded = run_measurement("poisson:30", count=8)
    samples = read_samples(journal(requests=str(recorded.folder)))
    requests = recorded.requests()
    assert [sample.meta["timestamp"] for sample in samples] == [request["due"] for request in requests]
    assert [sample.id.partition("-")[2] for sample in samples] == [request["sample"] for request in requests]
    replayed = run_measurement(
        "trace:scale=2", task="auricle.perf.data.traces:journal", task_args={"requests": str(recorded.folder)}
    )
    first = requests[0]["due"]
    expected = [(request["due"] - first) / 2 for request in requests]
    assert [request["due"] for request in replayed.requests()] == pytest.approx(expected, abs=1e-4)
    assert list_inputs(replayed) == list_inputs(recorded)


def test_folder_without_requests_is_not_a_load_point(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="Not a load point"):
        journal(requests=str(tmp_path))
