"""Results of listening tests as text."""

from pathlib import Path
from typing import Any

import pytest

from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts
from auricle.studies.people.run import score_test
from auricle.studies.people.text import format_results, get_tables, interval, number, p, ranks, share
from auricle.testing import SimulatedListeners
from tests.support.listening_tests import QUALITIES, make_test


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("mos", ["system", "median", "oslo", "difference", "two-way t"]),
        ("ab", ["for first", "oslo", "strength", "sign test over listeners"]),
        ("abx", ["d′", "listeners above chance", "of 6", "50 % is chance"]),
    ],
)
def test_tables_fit_the_kind(tmp_path: Path, kind: Any, words: list[str]) -> None:
    make_test(tmp_path, kind)
    SimulatedListeners(qualities=QUALITIES).answer(tmp_path / kind)
    path, metrics = score_test(tmp_path / kind)
    text = "\n".join(format_results(metrics, path))
    assert all(word in text for word in words)
    assert "Listeners: 6; excluded by the rules of the test: 0." in text


def test_a_run_of_anything_else_has_no_tables() -> None:
    metrics = Metrics(task=TaskFacts("asr"), model=ModelFacts("whisper"))
    assert get_tables(metrics) is None
    assert "no ratings" in format_results(metrics, Path("run"))[0]


def test_numbers_are_formatted() -> None:
    assert (number(-1.234), number(None), share(0.123), p(0.0004), p(0.04), p(None)) == (
        *("−1.23", "–", "12.3 %", "< 0.001", "0.040", "–"),
    )
    assert interval({"low": 1.0, "high": 2.0}) == "1.00 … 2.00"
    assert interval({"low": None, "high": None}) == "–"
    assert (ranks({"ranks": [1, 3]}), ranks({"ranks": [2, 2]})) == ("1–3", "2")
