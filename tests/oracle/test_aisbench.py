"""Post-processors and evaluators return what AISBench's own return for the same replies."""

import json
from typing import Any

import pytest

from auricle import Generation, Sample
from auricle.core.errors import Unreadable
from auricle.frameworks.aisbench.evaluators import resolve_metric
from auricle.frameworks.aisbench.postprocessors import POSTPROCESSORS
from auricle.frameworks.aisbench.scorers import SCORERS
from tests.support import paths

GOLDEN = json.loads((paths.GOLDEN / "aisbench.json").read_text(encoding="utf-8"))
(REPLIES,) = GOLDEN["replies"]
EVALUATIONS = [
    pytest.param(name, entry["pairs"], value, id=name)
    for entry in GOLDEN["evaluators"]
    for name, value in zip(entry["metrics"], entry["values"], strict=True)
]


def read(name: str, options: dict[str, Any], reply: str) -> str:
    try:
        return POSTPROCESSORS[name](reply, **options) or ""
    except Unreadable:
        return "cannot be read"


@pytest.mark.parametrize("entry", GOLDEN["postprocessors"], ids=lambda entry: f"{entry['name']} {entry['options']}")
def test_a_post_processor_reads_what_aisbench_reads(entry: dict[str, Any]) -> None:
    results = [read(entry["name"], entry["options"], reply) for reply in REPLIES]
    assert results == entry["results"]


@pytest.mark.parametrize(("name", "pairs", "value"), EVALUATIONS)
def test_an_evaluator_gives_the_number_of_aisbench(name: str, pairs: list[tuple[str, Any]], value: float) -> None:
    metric = resolve_metric(name.removeprefix("aisbench:"))
    stats = [metric.score(Sample(id="1", inputs={}, target=gold), Generation(text=reply)) for reply, gold in pairs]
    assert metric.aggregate(stats) == pytest.approx(value, abs=1e-12)


def test_every_evaluator_and_post_processor_is_compared() -> None:
    names = [name for entry in GOLDEN["evaluators"] for name in entry["metrics"]]
    evaluators = {name.removeprefix("aisbench:").partition("?")[0] for name in names}
    assert evaluators == {*SCORERS, "BleuEvaluator"}
    compared = {POSTPROCESSORS[entry["name"]] for entry in GOLDEN["postprocessors"]}
    assert compared == {*POSTPROCESSORS.values()}


def test_golden_numbers_are_neither_all_right_nor_all_wrong() -> None:
    assert [entry["metrics"] for entry in GOLDEN["evaluators"] if {0.0, 1.0} & {*entry["values"]}] == []
