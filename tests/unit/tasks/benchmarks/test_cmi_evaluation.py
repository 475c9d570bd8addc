"""Tests of the evaluation settings of CMI-RewardBench."""

from __future__ import annotations

from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.tasks.benchmarks.cmi_evaluation import Evaluation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metrics: {include_lcc: 1}", r"Invalid .*metrics\.include_lcc 1: expected true or false"),
        ("groups: {duration_bin: [5, 1]}", r"groups\.duration_bin \[5, 1\]: expected two or more increasing"),
        ("groups: [a]", "groups must contain"),
        ("outputs: {json: ../x.json}", "expected a file name without folders"),
    ],
)
def test_an_invalid_file_is_rejected(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "eval.yaml").write_text(text)
    with pytest.raises(SpecError, match=message):
        Evaluation.read(tmp_path / "eval.yaml")


def test_only_the_last_bin_includes_its_end() -> None:
    bins = Evaluation(duration_bin=(10.0, 30.0, 60.0))
    assert [bins.find_duration_bin(seconds) for seconds in (9.9, 10, 30, 60, 60.1)] == [
        *(None, "[10,30)", "[30,60]", "[30,60]", None)
    ]
