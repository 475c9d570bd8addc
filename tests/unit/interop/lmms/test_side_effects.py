from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from tests.unit.interop.lmms.task_files import build_lmms_task


def test_an_aggregation_that_writes_files_is_left_out_with_a_note(folder: Path) -> None:
    added = "metric_list: [{metric: all, aggregation: !function utils.submit}, {metric: plain}]\n"
    task = build_lmms_task(folder, added)
    assert [metric.name for metric in task.metrics] == ["plain"]
    assert task.notes("m", {}) == ["all is left out: utils.submit uses open."]


@pytest.mark.parametrize(
    ("name", "uses"), [("judged", "urllib"), ("judged_within", "openai"), ("judged_by_class", "server")]
)
def test_a_function_that_uses_the_network_is_rejected(folder: Path, name: str, uses: str) -> None:
    with pytest.raises(SpecError, match=f"utils.{name} uses {uses}, so it does more than compute"):
        build_lmms_task(folder, f"process_results: !function utils.{name}\n")
