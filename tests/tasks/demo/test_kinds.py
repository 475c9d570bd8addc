"""Tests of the demo task."""

from __future__ import annotations

from auricle import Sample
from auricle.engine.catalogue import TASKS
from auricle.tasks.demo.kinds import demo


def test_the_demo_has_three_subsets_of_readable_audio() -> None:
    task = TASKS.get("demo")()
    samples = list(task.samples)
    assert len(samples) >= 30
    assert all(isinstance(sample, Sample) for sample in samples)
    assert len({sample.meta["subset"] for sample in samples}) == 3
    assert all(sample.inputs["audio"][0].seconds > 0.5 for sample in samples)


def test_one_subset_can_be_chosen() -> None:
    samples = [sample for sample in demo(subset="clean").samples if isinstance(sample, Sample)]
    assert {sample.meta["subset"] for sample in samples} == {"clean"}
    assert len(demo(subset="clean").samples) == len(samples) == 16  # type: ignore[arg-type]
    assert demo(subset="clean").revision == f"{demo().revision}/clean"
