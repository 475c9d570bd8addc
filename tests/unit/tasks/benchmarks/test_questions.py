"""Tests of the questions that several benchmarks share: changing one changes published numbers."""

from __future__ import annotations

from auricle.tasks.benchmarks.audiocaps import AUDIOCAPS
from auricle.tasks.benchmarks.clotho import CLOTHO
from auricle.tasks.benchmarks.cochlscene import COCHLSCENE
from auricle.tasks.benchmarks.tut2017 import TUT2017


def test_benchmarks_of_one_kind_ask_the_same_question() -> None:
    assert CLOTHO.task_options == AUDIOCAPS.task_options
    assert TUT2017.task_options["question"] == COCHLSCENE.task_options["question"]
    assert CLOTHO.task_options["question"] == "Describe this audio in one sentence."
    assert TUT2017.task_options["question"] == "Which acoustic scene was this recorded in?"
