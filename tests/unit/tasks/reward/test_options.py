"""Tests of the options of reward tasks."""

from __future__ import annotations

from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.metrics.preference import preference_metrics
from auricle.metrics.ratings import Dimension
from auricle.tasks.catalogue import TASKS
from auricle.tasks.reward.options import RewardOptions, select_metrics


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "coin"}, "Invalid ties 'coin': expected one of upstream, half, skip"),
        ({"scale": "5-1"}, "Invalid scale '5-1': expected two increasing numbers"),
        ({"swap": "no"}, "Invalid swap 'no': expected true or false"),
        ({"metrics": "wer"}, "Unknown metric 'wer'. Metrics of this task: accuracy, chance"),
        ({"tie": "half"}, "Unknown option of preference: tie"),
    ],
)
def test_an_invalid_option_is_rejected(manifest: Any, options: Any, message: str) -> None:
    data = manifest([{"a": "a.wav", "b": "b.wav", "preference": "a"}])
    with pytest.raises(SpecError, match=message):
        TASKS.get("preference")(data=str(data), **options)


def test_outputs_map_dimensions_of_the_data_to_those_of_the_model() -> None:
    options, rest = RewardOptions.from_arguments({"outputs": "musicality=mos,alignment=clap", "split": "x"}, "half")
    assert options.outputs == {"musicality": "mos", "alignment": "clap"}
    assert rest == {"split": "x"}
    assert RewardOptions.from_arguments({"outputs": "mos"}, "half")[0].outputs == {"": "mos"}


def test_metrics_are_selected_by_full_name_or_base_name() -> None:
    metrics = [
        *preference_metrics(Dimension("musicality", "m"), "half"),
        *preference_metrics(Dimension("x", "x"), "half"),
    ]
    assert [metric.name for metric in select_metrics(metrics, ["accuracy", "chance.x"])] == [
        *("accuracy.musicality", "accuracy.x", "chance.x")
    ]
    assert select_metrics(metrics, []) == metrics
