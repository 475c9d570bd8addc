"""The cost of shards that were begun and not completed."""

import json
from pathlib import Path

import pytest

from auricle import Spec, api
from auricle.core.errors import SpecError
from auricle.engine.budget import Budget
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import Price
from auricle.scoring.shards.spending import sum_unfinished_cost

PRICE = Price("echo", request=0.01)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"id": str(row), "question": "a", "answer": "a"}) + "\n" for row in range(40)))
    return Spec(task="qa", task_args={"data": str(data)}, model="echo")


def count_answers(run: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in run.glob("shards/*/1/outputs.jsonl"))


def test_answers_of_shards_that_are_not_completed_have_a_cost(spec: Spec, tmp_path: Path) -> None:
    api.evaluate_shards(spec, tmp_path / "run", shards=2, observer=Budget(PRICE, 0.25))
    store = ShardStore.open(tmp_path / "run")
    completed = sum(completion.rows for completion in store.completions())
    begun = count_answers(tmp_path / "run") - completed
    assert begun
    assert sum_unfinished_cost(store, PRICE, {}) == pytest.approx(0.01 * begun)


def test_a_completed_run_has_no_such_cost(spec: Spec, tmp_path: Path) -> None:
    api.evaluate_shards(spec, tmp_path / "run", shards=2, observer=Budget(PRICE))
    assert sum_unfinished_cost(ShardStore.open(tmp_path / "run"), PRICE, {}) == 0.0


def test_the_same_limit_is_not_spent_twice(spec: Spec, tmp_path: Path) -> None:
    api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=Budget(PRICE, 0.15))
    sent = count_answers(tmp_path / "run")
    assert sent < 40
    with pytest.raises(SpecError, match="has already spent the limit"):
        api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=Budget(PRICE, 0.15))
    assert count_answers(tmp_path / "run") == sent


def test_a_higher_limit_pays_for_the_rest_alone(spec: Spec, tmp_path: Path) -> None:
    for limit in (0.15, 0.41):
        result = api.evaluate_shards(spec, tmp_path / "run", shards=4, observer=Budget(PRICE, limit))
    assert result.complete
