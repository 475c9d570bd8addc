"""What a task would send, without sending it."""

import json
from pathlib import Path

import pytest

from auricle import Generate, Sample, Spec
from auricle.core.types import RejectedRow
from auricle.engine.preview import preview


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    (tmp_path / "data.jsonl").write_text(json.dumps({"id": "1", "question": "How?", "answer": "so"}) + "\n[]\n")
    return Spec(task="qa", task_args={"data": str(tmp_path / "data.jsonl")}, model="echo")


def test_each_sample_has_its_requests_and_how_the_model_renders_them(spec: Spec) -> None:
    (sample, requests), (rejected, nothing) = preview(spec)
    assert isinstance(sample, Sample)
    ((request, rendered),) = requests
    assert isinstance(request, Generate)
    assert rendered == ""  # a model that has no format of its own
    assert (isinstance(rejected, RejectedRow), nothing) == (True, [])


def test_without_a_model_requests_are_not_rendered(spec: Spec) -> None:
    ((_, requests), _) = preview(spec, has_model=False)
    assert [rendered for _, rendered in requests] == [""]
