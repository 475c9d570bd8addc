"""Tests of the demo task."""

from __future__ import annotations

from auricle import Sample
from auricle.tasks.catalogue import TASKS


def test_the_demo_has_three_subsets_of_readable_audio() -> None:
    task = TASKS.get("demo")()
    samples = list(task.samples)
    assert len(samples) >= 30
    assert all(isinstance(sample, Sample) for sample in samples)
    assert len({sample.meta["subset"] for sample in samples}) == 3
    assert all(sample.inputs["audio"][0].seconds > 0.5 for sample in samples)
