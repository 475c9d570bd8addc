"""Compare two measurements: differences in their setup, then in their numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from auricle.core.files import write_atomically
from auricle.metrics.distributions import NORMAL_DEGREES, t_quantile, t_two_sided
from auricle.metrics.intervals import adjust_holm
from auricle.perf.measurement import recompute_point
from auricle.perf.measures import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS
from auricle.perf.percentiles import METHOD
from auricle.perf.report.chart_data import build_load_charts
from auricle.perf.report.charts import draw_chart
from auricle.perf.report.tables import format_interval, format_number, name_number
from auricle.report import templating
from auricle.report.comparison_text import format_p_value
from auricle.runs.perf_files import (
    REQUESTS_FILE,
    LoadPointSummary,
    PerfSummary,
    RunMeasure,
    StandardError,
    read_perf_summary,
)

SIGNIFICANCE = 0.05

IGNORED_CONFIG_KEYS = ("loads", "slo", "max_errors", "stop_saturated", "bill", "metrics_url", "metrics_match", "gpu")
"""Options that may differ without making the numbers of a load point incomparable."""


class ComparedNumber(NamedTuple):
    """A compared number: a run measure, or a statistic of a request measure."""

    name: str
    statistic: str = ""
    higher_is_better: bool = False

    @property
    def title(self) -> str:
        return f"{self.name} {self.statistic}".strip()

    @property
    def unit(self) -> str:
        return (REQUEST_DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name].unit


HIGHER_IS_BETTER_MEASURES = ("req_s", "tok_out_s", "audio_in_x", "audio_out_x", "goodput_req_s")
LOWER_IS_BETTER_MEASURES = ("ttft_s", "ttfa_s", "latency_s", "sched_latency_s", "tpot_s", "rtf", "gen_rtf")
COMPARED_NUMBERS = (
    *(ComparedNumber(name, higher_is_better=True) for name in HIGHER_IS_BETTER_MEASURES),
    *(ComparedNumber(name, p) for name in (*LOWER_IS_BETTER_MEASURES, "underrun_max_s") for p in ("p50", "p95")),
    ComparedNumber("slo_attainment", higher_is_better=True),
    ComparedNumber("failed_share"),
    *(ComparedNumber(name) for name in COST_MEASURES),
)


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A measurement that is compared."""

    folder: str
    task: str
    model: str
    created: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference in setup."""

    what: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """A number of both sides."""

    name: str
    unit: str
    higher_is_better: bool
    a: float | None
    b: float | None
    a_interval: tuple[float, float] | None
    b_interval: tuple[float, float] | None
    ratio: float | None
    difference_interval: tuple[float, float] | None = None
    """95 % interval of B - A; None if the difference cannot be tested."""
    p: float | None = None
    """The probability of such a difference between equal servers, adjusted for the number of tests (Holm)."""

    @property
    def differs(self) -> bool:
        return self.p is not None and self.p < SIGNIFICANCE

    @property
    def is_worse(self) -> bool:
        """Whether B is worse than A, by more than chance explains."""
        return self.differs and (self.b > self.a) != self.higher_is_better  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """A load that both sides measured."""

    load: str
    valid: tuple[bool, bool]
    rows: tuple[ComparedRow, ...]
    untested: tuple[str, ...] = ()
    """Why latencies were not tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PerfComparison:
    """The comparison of two measurements."""

    schema: int = 2
    a: ComparedSide
    b: ComparedSide
    differs: tuple[Difference, ...]
    points: tuple[ComparedPoint, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    def write_html(self, path: Path) -> None:
        """Write the comparison as one HTML page that works offline."""
        write_atomically(path, render_html(self).encode())


def build_comparison(a: Path, b: Path) -> PerfComparison:
    """Compare measurement B with baseline A; differences in setup are listed but do not exclude any number."""
    first, second = _read_current_summary(a), _read_current_summary(b)
    points_a, points_b = (_name_points(summary.points) for summary in (first, second))
    pairs = [(name, points_a[name], points_b[name]) for name in points_a if name in points_b]
    return PerfComparison(
        a=ComparedSide(str(a), first.task, first.model, first.about.created),
        b=ComparedSide(str(b), second.task, second.model, second.about.created),
        differs=(*_find_setup_differences(first, second), *_find_window_differences(pairs)),
        points=_adjust_for_tests([_compare_point(*pair) for pair in pairs]),
        only_a=tuple(name for name in points_a if name not in points_b),
        only_b=tuple(name for name in points_b if name not in points_a),
    )


def _read_current_summary(folder: Path) -> PerfSummary:
    """Read a summary; the points of an earlier version, whose intervals were too short, are computed again."""
    summary = read_perf_summary(folder)
    points = []
    for point in summary.points:
        if point.method == METHOD:
            points.append(point)
        elif (folder / point.folder / REQUESTS_FILE).exists():
            points.append(recompute_point(folder / point.folder, point, summary.about.wanted))
        else:
            run = {name: replace(number, interval=None) for name, number in point.run.items()}
            measures = {name: replace(measure, intervals={}) for name, measure in point.measures.items()}
            points.append(replace(point, run=run, measures=measures))
    return replace(summary, points=tuple(points))


def _find_setup_differences(a: PerfSummary, b: PerfSummary) -> Iterator[Difference]:
    """Yield differences in data, requests, measurement options and machine."""
    setup_a, setup_b = _flatten_setup(a), _flatten_setup(b)
    for name in dict.fromkeys([*setup_a, *setup_b]):
        if setup_a.get(name) != setup_b.get(name):
            yield Difference(name, setup_a.get(name), setup_b.get(name))


def _flatten_setup(summary: PerfSummary) -> dict[str, Any]:
    """Describe how a measurement was made, by names that a reader understands."""
    about, spec = summary.about, summary.about.spec
    setup = {
        "task": summary.task,
        "data": about.revision,
        "limit": spec.get("limit"),
        "inferencer": about.inferencer,
        "model": spec.get("model"),
    }
    for name in ("task_args", "model_args"):
        setup |= {f"{name[:-5]}: {key}": value for key, value in (spec.get(name) or {}).items()}
    setup |= {name: value for name, value in about.wanted.items() if name not in IGNORED_CONFIG_KEYS}
    return {**setup, "machine": about.platform, "cores": about.cores, **about.versions}


PointPair: TypeAlias = tuple[str, LoadPointSummary, LoadPointSummary]


def _name_points(points: Sequence[LoadPointSummary]) -> dict[str, LoadPointSummary]:
    """Return points by load; repeats of a load are numbered, so that they are paired in order."""
    seen: Counter[str] = Counter()
    named = {}
    for point in points:
        seen[point.load] += 1
        nth = seen[point.load]
        named[point.load if nth == 1 else f"{point.load} ({nth})"] = point
    return named


def _find_window_differences(pairs: Sequence[PointPair]) -> Iterator[Difference]:
    """Yield points of which one has a steady window and the other does not, whatever the option was."""
    for load, point_a, point_b in pairs:
        if point_a.window.kind != point_b.window.kind:
            yield Difference(f"window of {load}", point_a.window.kind, point_b.window.kind)


def _compare_point(load: str, point_a: LoadPointSummary, point_b: LoadPointSummary) -> ComparedPoint:
    rows = []
    for number in COMPARED_NUMBERS:
        a, b = (point.read(number.name, number.statistic) for point in (point_a, point_b))
        rows.append(_compare_values(number.title, number.unit, number.higher_is_better, a, b, compare_numbers(a, b)))
    known = (row for row in rows if row.a is not None or row.b is not None)
    valid = (point_a.validity.valid, point_b.validity.valid)
    untested = (
        f"{load}: latencies were not tested: {reason} ({side})."
        for side, point in (("A", point_a), ("B", point_b))
        if "mean" not in (latency := point.measures["latency_s"]).errors
        and (reason := latency.no_interval.get("mean", "no request was answered, or its times were deleted"))
    )
    return ComparedPoint(load, valid, (*known, *_compare_accuracies(point_a, point_b)), tuple(untested))


class DifferenceTest(NamedTuple):
    """The 95 % interval of B - A, and the probability of such a difference between equal servers."""

    interval: tuple[float, float] | None = None
    p: float | None = None


def compare_numbers(a: RunMeasure, b: RunMeasure) -> DifferenceTest:
    """Test the difference of two numbers by Welch's t; without a result unless both have a standard error."""
    if a.value is None or b.value is None or a.error is None or b.error is None:
        return DifferenceTest()
    difference, squares = b.value - a.value, (a.error.value**2, b.error.value**2)
    if not sum(squares):
        return DifferenceTest((difference, difference), float(not difference))
    degrees = sum(squares) ** 2 / (squares[0] ** 2 / a.error.degrees + squares[1] ** 2 / b.error.degrees)
    error = StandardError(math.sqrt(sum(squares)), degrees)
    interval = (difference - error.half_width, difference + error.half_width)
    return DifferenceTest(interval, t_two_sided(difference / error.value, degrees))


def _test_accuracies(a: RunMeasure, b: RunMeasure) -> DifferenceTest:
    """Combine the intervals of two metrics into that of their difference (Zou and Donner 2008)."""
    if a.value is None or b.value is None or a.interval is None or b.interval is None:
        return DifferenceTest()
    difference = b.value - a.value
    down = math.hypot(b.value - b.interval[0], a.interval[1] - a.value)
    up = math.hypot(b.interval[1] - b.value, a.value - a.interval[0])
    towards_zero = down if difference > 0 else up
    p = t_two_sided(t_quantile(0.975, NORMAL_DEGREES) * difference / towards_zero, math.inf) if difference else 1.0
    return DifferenceTest((difference - down, difference + up), p)


def _compare_values(
    name: str, unit: str, higher_is_better: bool, a: RunMeasure, b: RunMeasure, test: DifferenceTest
) -> ComparedRow:
    return ComparedRow(
        name=name,
        unit=unit,
        higher_is_better=higher_is_better,
        a=a.value,
        b=b.value,
        a_interval=a.interval,
        b_interval=b.interval,
        ratio=b.value / a.value if a.value and b.value is not None else None,
        difference_interval=test.interval,
        p=test.p,
    )


def _compare_accuracies(point_a: LoadPointSummary, point_b: LoadPointSummary) -> Iterator[ComparedRow]:
    """Compare the metrics that both points have."""
    numbers_b = {number.metric: number for number in point_b.accuracy}
    for number in point_a.accuracy:
        if number.metric in numbers_b:
            a, b = number.measure, numbers_b[number.metric].measure
            yield _compare_values(number.metric, number.unit, number.higher_is_better, a, b, _test_accuracies(a, b))


def _adjust_for_tests(points: Sequence[ComparedPoint]) -> tuple[ComparedPoint, ...]:
    """Adjust the p values for the number of tests of all points."""
    p_values = [math.nan if row.p is None else row.p for point in points for row in point.rows]
    adjusted = iter(adjust_holm(p_values))
    return tuple(
        replace(
            point, rows=tuple(replace(row, p=p if not math.isnan(p := next(adjusted)) else None) for row in point.rows)
        )
        for point in points
    )


# --- terminal output ------------------------------------------------------------------------


def format_comparison(comparison: PerfComparison) -> list[str]:
    """Format a comparison for a terminal: differences in setup, then one table per common load."""
    lines = [
        f"{name}  {side.folder}  ({side.task} · {side.model}, {side.created})"
        for name, side in (("A", comparison.a), ("B", comparison.b))
    ]
    if comparison.differs:
        lines += ["", "Different setup:"]
        lines += [
            f"  {difference.what}: {_shorten(difference.a)} in A, {_shorten(difference.b)} in B"
            for difference in comparison.differs
        ]
    for point in comparison.points:
        lines += ["", *_format_table(point)]
    for remark in _describe_missing(comparison):
        lines += ["", remark]
    return lines


def _describe_missing(comparison: PerfComparison) -> Iterator[str]:
    """Name the loads that only one side measured."""
    for name, loads in (("A", comparison.only_a), ("B", comparison.only_b)):
        if loads:
            yield f"Only in {name}: {', '.join(loads)}"
    if not comparison.points:
        yield "The measurements have no load in common."


def _shorten(value: Any) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _format_table(point: ComparedPoint) -> list[str]:
    head = [point.load, "A", "95 % interval", "B", "95 % interval", "B / A", "B - A, 95 %", "adjusted p", ""]
    rows = [head, *(_format_row(row) for row in point.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *numbers, verdict in rows:
        padded = [number.rjust(width) for number, width in zip(numbers, widths[1:-1], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *padded, verdict]).rstrip())
    return [*lines, *_describe_validity(point)]


def _describe_validity(point: ComparedPoint) -> list[str]:
    invalid = [side for side, valid in zip("AB", point.valid, strict=True) if not valid]
    remarks = [f"{point.load} is not valid in {side}; see its summary for the reasons." for side in invalid]
    return [*remarks, *point.untested]


def _format_row(row: ComparedRow) -> list[str]:
    ratio = "–" if row.ratio is None else f"{row.ratio:.3g}"
    side_a = [format_number(row.a, row.unit), format_interval(row.a_interval, row.unit)]
    side_b = [format_number(row.b, row.unit), format_interval(row.b_interval, row.unit)]
    p = "–" if row.p is None else format_p_value(row.p)
    return [
        name_number(row.name),
        *side_a,
        *side_b,
        ratio,
        format_interval(row.difference_interval, row.unit),
        p,
        _format_verdict(row),
    ]


def _format_verdict(row: ComparedRow) -> str:
    """State which side is better, only if the difference is significant."""
    if not row.differs:
        return "" if row.p is None else "no clear difference"
    return "B is worse" if row.is_worse else "B is better"


def format_number_pair(row: ComparedRow) -> str:
    """Format a number of both sides with its unit, such as `0.102 → 0.155 s`."""
    unit = f" {row.unit}" if row.unit not in ("", "share") else ""
    return f"{format_number(row.a, row.unit)} → {format_number(row.b, row.unit)}{unit}"


# --- HTML ------------------------------------------------------------------------------------


def render_html(comparison: PerfComparison) -> str:
    """Render a comparison as a page: differences in setup, load curves of both, then one table per common load."""
    definitions = REQUEST_DEFINITIONS | RUN_DEFINITIONS
    return templating.render_page(
        "perf/report/templates/comparison.html",
        stylesheets=("perf/report/page.css", "report/comparison.css"),
        script="",
        title="Comparison of two load tests",
        comparison=comparison,
        notices=list(_describe_missing(comparison)),
        load_charts=build_load_charts(
            *(read_perf_summary(Path(side.folder)).points for side in (comparison.a, comparison.b))
        ),
        draw_chart=draw_chart,
        format_row=_format_row,
        format_setting=_shorten,
        describe_validity=_describe_validity,
        definitions={name: f"{name}: {definition.text}" for name, definition in definitions.items()},
    )
