"""The reference of metrics: complete, in agreement with the code, and current in docs/metrics."""

import doctest
import math
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.errors import SpecError
from auricle.metrics.base import COMPANION_SUFFIXES, MeanAggregator, Metric, SupportsScale, resolve_metrics
from auricle.metrics.catalogue import METRICS
from auricle.metrics.multi_answer import AGGREGATIONS
from auricle.metrics.reference import (
    INTERVAL_METHODS,
    Entry,
    Page,
    describe_direction,
    describe_metric,
    find_entry,
    load_pages,
    read_page,
)
from auricle.metrics.scales import WithheldScale
from tests.support import paths

PAGES = {page.name: page for page in load_pages()}
ENTRIES = {f"{page.name}: {entry.heading}": entry for page in load_pages() for entry in page.entries}
DESCRIBED = [name for entry in ENTRIES.values() for name in entry.metrics]
RUN_SCRIPT = "Then run scripts/make_metric_reference.py."
NO_ORACLE = "no independent implementation"
RANGE = re.compile(r"(−∞|−?\d+(?:\.\d+)?)(?: s| \([^)]*\))? to (∞|\d+(?:\.\d+)?)")
"""Lowest and highest number of a metric, as entries state them."""


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(paths.ROOT / "scripts" / "make_metric_reference.py"))


def list_builtin() -> list[str]:
    return [name for name in METRICS.builtin if not isinstance(METRICS.get(name), (list, tuple))]


def test_every_metric_has_exactly_one_entry() -> None:
    assert len(DESCRIBED) == len(set(DESCRIBED))
    members = {metric.name for name in METRICS.builtin for metric in resolve_metrics(name)}
    missing = ({*list_builtin()} - {*DESCRIBED}) | {name for name in members if not find_entry(name)}
    assert not missing, (
        f"add [[entries]] with these metrics to a page in the folder reference/ of the feature. {RUN_SCRIPT}"
    )


def test_every_entry_is_of_a_metric_that_exists(script: dict[str, Any]) -> None:
    derived = {name for name in DESCRIBED if name not in METRICS.builtin}
    unknown = {name for name in derived if script["find_metric"](name) is None}
    suffixes = {name.removeprefix("*.") for name in unknown}
    assert suffixes == {*AGGREGATIONS, "pass@K", "pass@n", "oracle", "sd", "corrected"} - {"best"}


@pytest.mark.parametrize("suffix", [*COMPANION_SUFFIXES, ".sd", ".vote"])
def test_a_derived_metric_has_the_entry_of_its_suffix(suffix: str) -> None:
    entry = find_entry(f"judge-1-5{suffix}")
    assert entry
    assert f"*{suffix}" in entry.metrics


def test_the_metric_of_a_dimension_has_the_entry_of_the_metric() -> None:
    assert find_entry("srcc.musicality") is find_entry("srcc")
    assert find_entry("mine") is None


def test_pages_are_current(script: dict[str, Any]) -> None:
    files = script["format_files"]()
    outdated = [path.name for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    assert not outdated, RUN_SCRIPT
    assert {path.name for path in (paths.DOCS / "metrics").iterdir()} == {path.name for path in files}


def test_pages_state_what_the_code_has(script: dict[str, Any]) -> None:
    text = "".join(script["format_files"]().values())
    for name in list_builtin():
        metric = resolve_metrics(name)[0]
        rows = re.findall(rf"^\| `{re.escape(name)}` \| (.*) \| (.*) \| (\w+) \| (\d+) \| ", text, re.MULTILINE)
        unit = metric.unit or "number"
        expected = (metric.title, describe_direction(metric), {"s": "seconds"}.get(unit, unit), str(metric.version))
        assert rows == [expected], f"{name}: {RUN_SCRIPT}"


# --- fields of entries ----------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
def test_an_entry_states_known_methods_and_tests_that_exist(entry: Entry) -> None:
    assert set(entry.interval) <= set(INTERVAL_METHODS)
    files = re.findall(r"tests/[\w/]+\.py", entry.oracle)
    assert files
    assert not [name for name in files if not (paths.ROOT / name).is_file()]
    if NO_ORACLE in entry.oracle:
        assert not [name for name in files if name.startswith("tests/oracle")] or "corpus" in entry.oracle


@pytest.mark.parametrize("name", list_builtin())
def test_the_stated_method_is_that_of_the_code(name: str) -> None:
    entry, methods = find_entry(name), list_methods(resolve_metrics(name)[0])
    assert entry, f"add [[entries]] with {name} to a page in the folder reference/ of the feature. {RUN_SCRIPT}"
    stated = (
        f"interval of {entry.heading} in the folder reference/ of the feature names none of {methods}. {RUN_SCRIPT}"
    )
    assert set(entry.interval) & methods, stated


@pytest.mark.parametrize("name", list_builtin())
def test_an_interval_keeps_to_the_stated_range(name: str) -> None:
    entry = find_entry(name)
    assert entry
    stated = [(to_number(low), to_number(high)) for low, high in RANGE.findall(entry.range)]
    low, high = get_limits(resolve_metrics(name)[0], is_share=(0.0, 1.0) in stated)
    assert low >= min((ends[0] for ends in stated), default=-math.inf)
    assert high <= max((ends[1] for ends in stated), default=math.inf)


def to_number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


def get_limits(metric: Metric, *, is_share: bool) -> tuple[float, float]:
    """Return between which numbers an interval of a metric is; the mean of numbers that are no shares has no limits."""
    aggregate: Any = metric.aggregate
    if isinstance(aggregate, MeanAggregator):
        return aggregate.limits or ((0.0, 1.0) if is_share else (-math.inf, math.inf))
    if isinstance(aggregate, SupportsScale):
        return aggregate.choose_scale(np.ones((4, 70)) / 2, np.arange(4)).limits
    return (0.0, 1.0) if hasattr(aggregate, "compute_interval") and is_share else (-math.inf, math.inf)


def list_methods(metric: Metric) -> set[str]:
    """Return which methods the interval of a metric may have."""
    aggregate: Any = metric.aggregate
    if isinstance(aggregate, MeanAggregator):
        return {"limits-t"} if aggregate.limits else {"mid-p", "wilson", "skew-t"}  # by the numbers of the samples
    if hasattr(aggregate, "compute_interval"):
        return {"wilson", "wilson-bias"}
    if not isinstance(aggregate, SupportsScale):
        return {"bootstrap-t"}
    stats = np.ones((4, 70))
    scales = [aggregate.choose_scale(numbers, np.arange(4)) for numbers in (stats, stats / 2)]
    return {scale.scale.name if isinstance(scale, WithheldScale) else scale.name for scale in scales}


@pytest.mark.parametrize(
    "field", ["formula", "statistic", "range", "interval", "edges", "oracle", "differences", "citation"]
)
def test_an_entry_without_a_field_is_refused(field: str, tmp_path: Path) -> None:
    fields = {
        "heading": '"Mine"',
        "metrics": '["mine"]',
        "interval": '["gamma"]',
        "edges": '{ silence = "0" }',
        **dict.fromkeys(("formula", "statistic", "range", "oracle", "differences", "citation"), '"text"'),
    }
    del fields[field]
    page = tmp_path / "mine.toml"
    body = "\n".join(f"{name} = {value}" for name, value in fields.items())
    page.write_text(f'title = "Mine"\norder = 1\nintroduction = ""\n[[entries]]\n{body}\n', encoding="utf-8")
    with pytest.raises(SpecError, match=rf"mine\.toml: Mine: missing field '{field}'"):
        read_page(page)


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "mine.toml"
    page.write_text('title = "Mine"\norder = 1\n[[entries]]\nheading = "Mine"\nformulas = ""\n', encoding="utf-8")
    with pytest.raises(SpecError, match="Mine: unknown field 'formulas'"):
        read_page(page)


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_worked_example_gives_what_it_states(page: Page) -> None:
    example = doctest.DocTestParser().get_doctest(page.example, {}, page.name, None, 0)
    assert example.examples
    printed: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example, out=printed.append).failed == 0, "".join(printed)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_headings_of_a_page_differ(page: Page, script: dict[str, Any]) -> None:
    anchors = [script["slugify"](entry.heading) for entry in page.entries]
    assert len(anchors) == len({*anchors, "example"}) - 1


def test_facts_name_what_a_metric_needs() -> None:
    facts = describe_metric(resolve_metrics("psds1")[0])
    assert facts["needs"] == "the duration of the recording"
    assert facts["unit"] == "share, shown in per cent"
    assert "recogniser" in describe_metric(resolve_metrics("round_trip_wer")[0])["needs"]
