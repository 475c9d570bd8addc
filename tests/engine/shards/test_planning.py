"""How data is divided into shards, and how a location is claimed."""

import json
from pathlib import Path

import pytest

from auricle import Spec, evaluate
from auricle.core.errors import RunMismatch, SpecError
from auricle.engine.factory import Evaluation
from auricle.engine.shards.planning import (
    CUT_FILE,
    MAX_SHARDS,
    choose_part_size,
    estimate_row_count,
    get_part_source,
    open_sharded_run,
    read_stored_spec,
)


def write_rows(path: Path, count: int) -> Path:
    path.write_text(
        "".join(json.dumps({"id": f"{row:08}", "question": "q", "answer": "a"}) + "\n" for row in range(count))
    )
    return path


def prepare(data: Path, **fields: object) -> Evaluation:
    return Evaluation.prepare(
        Spec.model_validate({"task": "qa", "task_args": {"data": str(data)}, "model": "echo", **fields})
    )


def test_shards_have_about_a_thousand_rows_and_each_worker_gets_four(tmp_path: Path) -> None:
    samples = get_part_source(prepare(write_rows(tmp_path / "data.jsonl", 6_000)))
    size = choose_part_size(samples)
    assert len([*samples.plan_parts(size)]) in (6, 7)
    assert len([*samples.plan_parts(choose_part_size(samples, "auto", 10))]) in (40, 41)
    assert len([*samples.plan_parts(choose_part_size(samples, 3))]) == 3
    assert (
        choose_part_size(samples, "auto", 10**9) * MAX_SHARDS >= (tmp_path / "data.jsonl").stat().st_size - MAX_SHARDS
    )
    assert estimate_row_count(samples) == (6_000, False)


def test_a_run_is_cut_once_and_continued_with_any_number_of_workers(tmp_path: Path) -> None:
    evaluation = prepare(write_rows(tmp_path / "data.jsonl", 100))
    first = open_sharded_run(evaluation, tmp_path / "run", 5)
    again = open_sharded_run(evaluation, tmp_path / "run", "auto", 8)
    assert first.plan.count == again.plan.count == 5
    assert json.loads((tmp_path / "run" / CUT_FILE).read_text())["target_bytes"] > 0
    assert read_stored_spec(first.storage).model == "echo"


def test_another_run_or_one_without_shards_is_not_touched(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.jsonl", 10)
    open_sharded_run(prepare(data), tmp_path / "run", 2)
    with pytest.raises(RunMismatch, match="already contains a different run"):
        open_sharded_run(prepare(data, seed=7), tmp_path / "run", 2)
    evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "plain")
    with pytest.raises(RunMismatch, match="contains a run without shards"):
        open_sharded_run(prepare(data), tmp_path / "plain", 2)
    with pytest.raises(RunMismatch, match="contains a sharded run"):
        evaluate(Spec(task="qa", task_args={"data": str(data)}, model="echo"), tmp_path / "run")


def test_data_that_cannot_be_cut_and_limits_are_refused(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data.jsonl", 10)
    with pytest.raises(SpecError, match="--limit cannot be combined with --shards"):
        get_part_source(prepare(data, limit=3))
    (tmp_path / "mine.py").write_text(
        "from auricle import Sample, Task\n"
        "from auricle.engine.inferencers import Respond\n"
        "def mine():\n"
        "    return Task([Sample(id='1', inputs={'text': 'a'}, target='a')], Respond('{text}'), (), name='mine')\n"
    )
    evaluation = Evaluation.prepare(Spec(task=f"{tmp_path}/mine.py:mine", model="echo"))
    with pytest.raises(SpecError, match="The samples of mine cannot be divided into shards"):
        get_part_source(evaluation)
