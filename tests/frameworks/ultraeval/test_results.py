import json
from collections import Counter
from pathlib import Path

import pytest

from auricle.core.errors import DataError
from auricle.core.types import Generation
from auricle.frameworks.exchange.result_export import export_run
from tests.support.framework_results import HYPOTHESES, failures, import_single, write_jsonl, write_ultraeval


def test_an_error_event_is_a_failure_with_its_message(tmp_path: Path) -> None:
    run, _ = import_single(write_ultraeval(tmp_path / "results", failed=[1]), "ultraeval", tmp_path / "run")
    assert failures(run) == [("NotAnswered", "TimeoutError: too slow")]


def test_the_processed_answer_is_scored_and_the_raw_answer_is_stored(tmp_path: Path) -> None:
    run, _ = import_single(write_ultraeval(tmp_path / "results"), "ultraeval", tmp_path / "run")
    first = min(run.records(), key=lambda record: record.row)
    (output,) = first.outputs
    assert isinstance(output, Generation)
    assert output.text == HYPOTHESES[0]
    assert first.sample.meta["raw"] == json.dumps({"content": HYPOTHESES[0]})


def test_a_log_without_references_is_rejected(tmp_path: Path) -> None:
    event = {"type": "inference", "id": 0, "data": {"content": "a"}}
    path = write_jsonl(tmp_path / "m" / "d" / "t.jsonl", [event])
    with pytest.raises(DataError, match=r"no references.*--inf_file"):
        import_single(path, "ultraeval", tmp_path / "run")


def test_answered_samples_have_four_events_and_failed_ones_two(asr_run: Path, tmp_path: Path) -> None:
    path, overall = export_run(asr_run, "ultraeval", tmp_path / "out")
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert Counter(event["id"] for event in events) == {0: 4, 1: 4, 2: 4, 3: 2}
    assert [event["type"] for event in events[-2:]] == ["prompt", "error"]
    assert "'wer'" in overall.read_text()
