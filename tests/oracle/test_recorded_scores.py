"""Everything that metrics compute for fixed answers stays as it was recorded."""

import json

import pytest

from tests.support import recorded_scores

RECORDED = json.loads(recorded_scores.RECORDING.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [*recorded_scores.GROUPS, *recorded_scores.OTHERS])
def test_what_metrics_compute_equals_the_recording(name: str) -> None:
    assert recorded_scores.compute(name) == RECORDED[name]
