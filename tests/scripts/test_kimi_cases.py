"""The rows and replies with which Kimi-Audio-Evalkit is compared."""

import json
from pathlib import Path

import pytest
from scripts.kimi_cases import make_predictions, make_rows, reply_of_judge, write_recordings

from auricle.core.errors import Unreadable
from auricle.core.types import Sample
from auricle.engine.factory import build_task
from auricle.engine.spec import Spec
from auricle.frameworks.kimi.datasets import DATASETS, Dataset
from auricle.frameworks.kimi.judge_metrics import RUBRICS_DIR
from auricle.metrics.rubric import load_rubric


@pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)
def test_every_row_is_valid(dataset: Dataset, tmp_path: Path) -> None:
    rows = make_rows(dataset, write_recordings(tmp_path))
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    task = build_task(Spec(task=f"kimi:{dataset.name}", task_args={"data": str(data)}, model="echo").resolved())
    assert all(isinstance(sample, Sample) for sample in task.samples)
    assert {str(row["index"]) for row in rows} <= make_predictions(dataset).keys()


@pytest.mark.parametrize("path", sorted(RUBRICS_DIR.glob("kimi-*.yaml")), ids=lambda path: path.stem)
def test_the_judge_replies_in_the_form_of_each_rubric(path: Path) -> None:
    rubric = load_rubric(path)
    verdicts: list[float | None] = []
    for number in range(20):
        values = {"question": "Which?", "reference": "x", "answer": f"x (number {number})"}
        try:
            verdicts.append(rubric.parse_reply(reply_of_judge(rubric.fill_template(values))))
        except Unreadable:
            verdicts.append(None)
    assert 0 < verdicts.count(None) < 8
    assert len(set(verdicts)) > 2
