"""The numbers of a load test as tables and sentences, for the terminal, Markdown, HTML and the app."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auricle.core.terminal import SCREEN
from auricle.metrics.catalogue import metric_title
from auricle.perf.measures import COST_MEASURES, REQUEST_DEFINITIONS, RUN_DEFINITIONS, Definition
from auricle.perf.percentiles import min_values_for_percentile
from auricle.runs.perf_files import LoadPointSummary, PerfSummary, RepeatedLoad, SearchResult, SloResult, StatusCounts

MISSING = "–"
MIN_WIDTH, DEFAULT_WIDTH = 60, 120
MIN_SHOWN_VALUE = 0.001  # values nearer to zero are shown as "<0.001" or ">-0.001"
STATISTICS = ("n", "mean", "p50", "p90", "p95", "p99", "max")
"""Statistics of a measure in the Markdown and HTML reports."""
BREAKDOWN_TITLES = {
    "audio_seconds": "Seconds of audio sent",
    "turn": "Turn",
    "output_tokens": "Output tokens",
    "model": "Model",
}
SIZE_WORDS = {
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "audio_in_s": "s of audio sent",
    "audio_out_s": "s of audio received",
}
"""What the sizes of requests and answers are called in sentences."""
SERVER_WORDS = {
    "server_running_mean": "Server: {} requests running",
    "server_queue_mean": "{} waiting",
    "server_kv_share": "{} of the KV cache in use",
    "server_hit_share": "{} of prompt tokens cached",
    "server_accept_share": "{} of draft tokens accepted",
}
ENERGY_WORDS = {
    "gpu_power_w": "GPUs: {} W",
    "energy_audio_hour_wh": "{} Wh per hour of audio",
    "energy_1k_tokens_wh": "{} Wh per thousand output tokens",
}
INTERRUPTED_NOTICE = (
    "Interrupted: only what was measured before the interruption is shown. Run the same command to continue."
)
MEASURE_LONGER_HINT = "measure longer, with --duration or --count"

Points = Sequence[LoadPointSummary]


# --- numbers ------------------------------------------------------------------------------


def format_number(value: float | None, unit: str = "") -> str:
    """Format a number with three digits and without an exponent."""
    if value is None:
        return MISSING
    if unit == "share":
        return f"{100 * value:.3g} %"
    if 0 < abs(value) < MIN_SHOWN_VALUE:
        return f"<{MIN_SHOWN_VALUE:g}" if value > 0 else f">-{MIN_SHOWN_VALUE:g}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_interval(interval: Sequence[float | None] | None, unit: str = "") -> str:
    """Format the bounds of an interval."""
    return " … ".join(format_number(bound, unit) for bound in interval) if interval else MISSING


# --- tables -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text; the first column contains names."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    definitions: Sequence[str] = ()
    """What the titles mean; empty where that is obvious."""


def name_number(number: str) -> str:
    """Return what a number is called: `Latency p95, s` for `latency_s p95`, `WER` for the metric `wer`."""
    name, _, statistic = number.partition(" ")
    definitions = REQUEST_DEFINITIONS if statistic else RUN_DEFINITIONS
    if name not in definitions:
        return metric_title(number)
    definition = definitions[name]
    return definition._replace(title=f"{definition.title} {statistic}".rstrip()).heading


class OverviewColumn(NamedTuple):
    """A column of the overview: a statistic of a request measure, or a run measure if `statistic` is empty."""

    title: str
    name: str
    statistic: str = ""

    @property
    def definition(self) -> Definition:
        return (REQUEST_DEFINITIONS if self.statistic else RUN_DEFINITIONS)[self.name]

    @property
    def title_with_unit(self) -> str:
        return f"{self.title}, s" if self.definition.unit == "s" else self.title


def _percentile_columns(title: str, name: str, *statistics: str) -> Iterator[OverviewColumn]:
    return (OverviewColumn(f"{title} {statistic}", name, statistic) for statistic in statistics)


OVERVIEW_COLUMNS = (
    OverviewColumn("req/s", "req_s"),
    OverviewColumn("offered/s", "offered_rate"),
    OverviewColumn("sent/s", "achieved_rate"),
    OverviewColumn("in flight", "in_flight_mean"),
    *_percentile_columns("TTFT", "ttft_s", "p50", "p95", "p99"),
    *_percentile_columns("first audio", "ttfa_s", "p50", "p95"),
    *_percentile_columns("voice to voice", "v2v_s", "p50", "p95"),
    OverviewColumn("answered", "answered_share", "mean"),
    OverviewColumn("pacing p99", "pacing_p99_s", "p95"),
    *_percentile_columns("latency", "latency_s", "p50", "p95", "p99"),
    *_percentile_columns("from due", "sched_latency_s", "p50", "p99"),
    OverviewColumn("TPOT p50", "tpot_s", "p50"),
    OverviewColumn("tok/s", "tok_out_s"),
    OverviewColumn("audio s/s", "audio_in_x"),
    OverviewColumn("RTF p95", "rtf", "p95"),
    OverviewColumn("gen RTF p95", "gen_rtf", "p95"),
    OverviewColumn("stall p95", "underrun_max_s", "p95"),
    OverviewColumn("goodput/s", "goodput_req_s"),
    OverviewColumn("SLO met", "slo_attainment"),
)
"""Columns of the overview; a column without any number is left out."""
COUNT_TITLES = {
    False: {"ok": "", "failed": ""},
    True: {"chats ok": "Conversations without a failed turn.", "turns ok": "Requests.", "turns failed": "Requests."},
}
"""Titles and meanings of the counts, by whether requests are turns of conversations."""
COST_COLUMNS = {"cost_audio_hour": "{}/h audio", "cost_1k_requests": "{}/1k requests"}
"""The cost in the overview: the first that is known."""
COLUMN_DROP_ORDER = (
    *("RTF p95", "TPOT p50", "from due p50", "first audio p95", "TTFT p95", "latency p95"),
    *("in flight", "goodput/s", "sent/s", "offered/s", "gen RTF p95", "TTFT p50", "tok/s"),
)
"""Columns to leave out, in this order, if there is not enough room."""


def iterate_overviews(points: Points) -> Iterator[Table]:
    """Yield the table of all load points with every column that has a number, then with fewer and fewer columns."""
    columns = [column for column in OVERVIEW_COLUMNS if any(_is_informative(column, point) for point in points)]
    yield _build_overview(points, columns)
    for title in COLUMN_DROP_ORDER:
        fewer = [column for column in columns if column.title != title]
        if len(fewer) < len(columns):
            columns = fewer
            yield _build_overview(points, columns)


def build_overview(points: Points, max_columns: int | None = None) -> Table:
    """Build the table of all load points, with at most `max_columns` measures if some can be left out."""
    table = Table((), ())
    for table in iterate_overviews(points):
        if max_columns is None or len(table.titles) - 2 - len(COUNT_TITLES[has_conversations(points)]) <= max_columns:
            break
    return table


def _is_informative(column: OverviewColumn, point: LoadPointSummary) -> bool:
    """Return whether a number is worth showing; the achieved rate is not without an offered rate."""
    if column.name == "achieved_rate" and point.run["offered_rate"].value is None:
        return False
    return point.read(column.name, column.statistic).value is not None


def _build_overview(points: Points, columns: Sequence[OverviewColumn]) -> Table:
    results = _build_result_columns(points)
    rows = []
    for number, point in enumerate(points):
        numbers = [
            format_number(point.read(column.name, column.statistic).value, column.definition.unit) for column in columns
        ]
        valid = "yes" if point.validity.valid else "no"
        last = [cells[number] for _, _, cells in results]
        rows.append([point.load, valid, *_count_cells(point, points), *numbers, *last])
    titles, definitions = zip(*COUNT_TITLES[has_conversations(points)].items(), strict=True)
    return Table(
        ["load", "valid", *titles, *(column.title_with_unit for column in columns), *(title for title, *_ in results)],
        rows,
        [
            *("", "Whether the measurement is valid.", *definitions),
            *(column.definition.text for column in columns),
            *(definition for _, definition, _ in results),
        ],
    )


def _build_result_columns(points: Points) -> list[tuple[str, str, list[str]]]:
    """Return title, definition and cells of the first metric and of a cost, as far as a point has them."""
    columns = []
    if metric := next((number.metric for point in points for number in point.accuracy), None):
        numbers = [next((number for number in point.accuracy if number.metric == metric), None) for point in points]
        cells = [format_number(number.value, number.unit) if number else MISSING for number in numbers]
        columns.append((metric_title(metric), "Computed from the answers.", cells))
    for name, title in COST_COLUMNS.items():
        costs = [point.read(name).value for point in points]
        if any(cost is not None for cost in costs):
            currency = next(filter(None, (point.currency for point in points)), "")
            columns.append((title.format(currency), RUN_DEFINITIONS[name].text, list(map(format_number, costs))))
            break
    return columns


def _count_cells(point: LoadPointSummary, points: Points) -> list[str]:
    """Return how many requests succeeded and failed, after the complete conversations if there are any."""
    counts, conversations = point.counts.window, point.counts.conversations
    complete = [f"{conversations.ok:,}" if conversations else MISSING] if has_conversations(points) else []
    return [*complete, f"{counts.ok:,}", f"{counts.failed:,}"]


def has_conversations(points: Points) -> bool:
    """Return whether requests are turns of conversations."""
    return any(point.counts.conversations for point in points)


def build_measures_table(point: LoadPointSummary) -> Table:
    """Build the table of the measures of requests that have values."""
    rows = [
        [
            REQUEST_DEFINITIONS[name].heading,
            f"{entry.n:,}",
            *(format_number(entry[statistic]) for statistic in STATISTICS[1:]),
        ]
        for name, entry in point.measures.items()
        if entry.n
    ]
    return Table(["Request measure", *STATISTICS], rows)


def build_run_table(point: LoadPointSummary) -> Table:
    """Build the table of the measures of the load point as a whole that have values."""
    rows = [
        [
            RUN_DEFINITIONS[name].heading,
            format_number(measure.value, RUN_DEFINITIONS[name].unit),
            format_interval(measure.interval, RUN_DEFINITIONS[name].unit),
        ]
        for name, measure in point.run.items()
        if measure.value is not None
    ]
    return Table(["Run measure", "value", "95 % interval"], rows)


def build_breakdown_tables(point: LoadPointSummary) -> Iterator[Table]:
    """Yield a table of medians and 95th percentiles for each property with at least two buckets."""
    for field, title in BREAKDOWN_TITLES.items():
        buckets = point.breakdowns.get(field, ())
        if len(buckets) < 2:
            continue
        names = dict.fromkeys(name for bucket in buckets for name in bucket.measures)
        rows = []
        for bucket in buckets:
            entries = [bucket.measures.get(name) for name in names]
            numbers = [value for entry in entries for value in ((entry.p50, entry.p95) if entry else (None, None))]
            rows.append([bucket.bucket, f"{bucket.ok:,}", f"{bucket.failed:,}", *map(format_number, numbers)])
        titles = [f"{REQUEST_DEFINITIONS[name].heading} {statistic}" for name in names for statistic in ("p50", "p95")]
        yield Table([title, "ok", "failed", *titles], rows)


def build_failures_table(point: LoadPointSummary) -> Table:
    """Build the table of errors, each with an example."""
    rows = [
        [failure.examples[0], f"{failure.count:,}", format_number(failure.after_p50_s)] for failure in point.failures
    ]
    return Table(["Error", "requests", "median time to failure, s"], rows)


def build_definitions_table(points: Points) -> Table:
    """Build the table of all run measures and of the request measures that have values."""
    used = [name for name in REQUEST_DEFINITIONS if any(point.measures[name].n for point in points)]
    definitions = {name: REQUEST_DEFINITIONS[name] for name in used} | RUN_DEFINITIONS
    rows = [[name, *definition] for name, definition in definitions.items()]
    return Table(["Name", "Measure", "Unit", "Definition", "Undefined when"], rows)


# --- sentences ---------------------------------------------------------------------------------


def list_facts(summary: PerfSummary) -> list[tuple[str, str]]:
    """List what a report states about the measurement, by name."""
    about, options = summary.about, summary.about.wanted
    facts = {
        "Created": about.created,
        "Auricle version": about.versions.get("auricle"),
        "Data": about.revision,
        "Arguments": ", ".join(f"{name}={value}" for name, value in about.model_args.items()),
        "Inferencer": about.inferencer,
        "SLOs": options.get("slo"),
        "Seed": options.get("seed"),
        "Command": format_command(summary),
        "Machine": f"{about.platform}, {about.cores} cores" if about.platform else "",
        "Python": about.versions.get("python"),
    }
    return [(name, str(text)) for name, text in facts.items() if text not in ("", None)]


def format_command(summary: PerfSummary) -> str:
    """Return the command of a measurement, to be pasted into a shell; empty if it was made from Python."""
    return shlex.join(["auricle", *summary.about.command]) if summary.about.command else ""


def describe_window(point: LoadPointSummary) -> str:
    """Describe the window of a load point and its requests in one sentence."""
    window, counts = point.window, point.counts.window
    kind = "steady window" if window.kind == "steady" else "whole measured phase"
    return (
        f"{window.requests:,} {'turns' if point.counts.conversations else 'requests'} in"
        f" {format_number(window.length_s)} s ({kind}): {_describe_counts(counts)}.{_describe_conversations(point)}"
    )


def _describe_counts(counts: StatusCounts) -> str:
    return f"{counts.ok:,} succeeded, {counts.failed:,} failed, {counts.cancelled:,} were cancelled"


def _describe_conversations(point: LoadPointSummary) -> str:
    conversations = point.counts.conversations
    return f" {conversations.total:,} conversations: {_describe_counts(conversations)}." if conversations else ""


def describe_series(summary: PerfSummary) -> list[str]:
    """Return a sentence on each search, on each load that was repeated, and on each percentile that is withheld."""
    return [
        *map(format_search, summary.searches),
        *map(format_repeats, summary.spreads),
        *_describe_withheld(summary.points),
    ]


def _describe_withheld(points: Points) -> Iterator[str]:
    """Name the loads that had too few successful requests for a percentile."""
    for statistic in STATISTICS:
        short = {
            point.load: latency.n for point in points if statistic in (latency := point.measures["latency_s"]).withheld
        }
        if short:
            needed = min_values_for_percentile(float(statistic[1:]))
            counts = ", ".join(f"{load} ({count:,})" for load, count in short.items())
            yield f"{statistic} is withheld below {needed} successful requests: {counts}."


def format_search(result: SearchResult) -> str:
    """Format the result of a search as a sentence."""
    best, beyond = result.best, result.beyond
    inconclusive = {trial.value for trial in result.tried if not {True, False} & {*trial.met}}
    if best is None and beyond is None:
        outcome = "no load could be judged"
    elif best is None and beyond in inconclusive:
        outcome = f"no load could be judged; {MEASURE_LONGER_HINT}"
    elif best is None and inconclusive:
        outcome = f"{format_number(beyond)} missed the SLOs, and lower loads could not be judged; {MEASURE_LONGER_HINT}"
    elif best is None:
        outcome = "even the lowest load missed the SLOs"
    elif beyond is None:
        outcome = f"{format_number(best)}, the highest load, met the SLOs; raise high="
    else:
        failure = f"could not be judged; {MEASURE_LONGER_HINT}" if beyond in inconclusive else "missed them"
        outcome = f"{format_number(best)} met the SLOs, {format_number(beyond)} {failure}"
    return f"{result.search}: {outcome}."


def format_repeats(repeated: RepeatedLoad) -> str:
    """Format the variation between repeats of a load as a sentence."""
    numbers = [
        f"{name_number(name)}: {format_number(number.mean)} ± {format_number(number.std)}"
        f" ({format_interval((number.min, number.max))})"
        for name, number in repeated.numbers.items()
    ]
    return f"{repeated.load}, {repeated.repeats} repeats, mean ± sd: {'; '.join(numbers)}."


def format_invalidities(point: LoadPointSummary) -> list[str]:
    """Return why a point is not valid."""
    return [f"{point.load} is not valid: {reason}" for reason in point.validity.reasons]


def format_remarks(point: LoadPointSummary) -> list[str]:
    """Return why a point is not valid, its notes, failures, SLOs, metrics and costs."""
    failures = [f"{failure.count:,} failed with {failure.examples[0]}" for failure in point.failures]
    remarks = (*point.notes, *failures, *format_outcomes(point))
    return [*format_invalidities(point), *(f"{point.load}: {remark}" for remark in remarks)]


def format_outcomes(point: LoadPointSummary) -> list[str]:
    """Return sentences on the SLOs, the metrics and the costs of a load point."""
    return [*format_slos(point), *format_accuracies(point), *format_costs(point), *format_server(point)]


def format_sizes(point: LoadPointSummary) -> list[str]:
    """Return a sentence on the mean size of requests and answers, with the 5th and 95th percentile."""
    sizes = [
        f"{format_number(size.mean)} {words} ({format_interval((size.p05, size.p95))})"
        for name, words in SIZE_WORDS.items()
        if (size := point.measures[name]).n
    ]
    return [f"Mean per request (5th and 95th percentile): {', '.join(sizes)}."] if sizes else []


def format_costs(point: LoadPointSummary) -> list[str]:
    """Return a sentence on the cost of a load point; none if the cost is unknown."""
    hour, audio_hour, requests = (point.read(name).value for name in COST_MEASURES)
    if hour is None:
        return []
    parts = [f"{format_number(hour)} {point.currency} per hour"]
    if audio_hour is not None:
        parts.append(f"{format_number(audio_hour)} {point.currency} per hour of audio")
    return [f"{', '.join(parts)}, {format_number(requests)} {point.currency} per thousand requests."]


def format_server(point: LoadPointSummary) -> list[str]:
    """Return a sentence on what the server reported, and one on the energy of its GPUs."""
    sentences = []
    for words in (SERVER_WORDS, ENERGY_WORDS):
        numbers = [(text, point.read(name).value, RUN_DEFINITIONS[name].unit) for name, text in words.items()]
        parts = [text.format(format_number(value, unit)) for text, value, unit in numbers if value is not None]
        sentences += [f"{', '.join(parts)}."] if parts else []
    return sentences


def format_accuracies(point: LoadPointSummary) -> list[str]:
    """Return a sentence on each metric of a load point."""
    return [
        f"{metric_title(number.metric)} {format_number(number.value, number.unit)}"
        f" ({format_interval((number.low, number.high), number.unit)}) over {number.scored:,} answers."
        for number in point.accuracy
    ]


def format_slos(point: LoadPointSummary) -> list[str]:
    """Return a sentence on each SLO of a load point."""
    return [f"{slo.slo} {_format_slo_outcome(slo, point)}" for slo in (point.slo.promises if point.slo else ())]


def _format_slo_outcome(slo: SloResult, point: LoadPointSummary) -> str:
    if slo.met is None:
        return f"cannot be judged: {slo.reason or MISSING}."
    if slo.of == "request":
        share = format_number(point.run["slo_attainment"].value, "share")
        unjudged = point.slo.requests.not_evaluable if point.slo and point.slo.requests else 0
        rest = f"; {unjudged:,} could not be judged" if unjudged else ""
        return f"per request: {share} of the requests met all per-request SLOs{rest}."
    return f"{'was met' if slo.met else 'was not met'}: {format_number(slo.value)}."


# --- terminal -------------------------------------------------------------------------------


def format_measurement(summary: PerfSummary) -> str:
    """Format a measurement for a terminal."""
    screen = SCREEN.get()
    width = screen.width if screen else DEFAULT_WIDTH
    lines = format_points(summary.points, width=max(width, MIN_WIDTH)) + describe_series(summary)
    if summary.interrupted:
        lines.append(INTERRUPTED_NOTICE)
    return "\n".join(lines)


def format_points(points: Points, *, width: int | None = None) -> list[str]:
    """Format a table of load points that fits into `width`, followed by remarks on each."""
    if not points:
        return ["No load point was measured."]
    lines: list[str] = []
    for table in iterate_overviews(points):
        lines = _align_columns(table)
        if width is None or len(lines[2]) <= width:
            break
    return lines + [line for point in points for line in format_remarks(point)]


def _align_columns(table: Table) -> list[str]:
    """Align a table; titles of several words take two lines, to keep columns narrow."""
    above, below = zip(*(_split_title(title) for title in table.titles), strict=True)
    widths = [max(map(len, column)) for column in zip(above, below, *table.rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        name, *numbers = zip(cells, widths, strict=True)
        padded = [name[0].ljust(name[1]), *(cell.rjust(width) for cell, width in numbers)]
        return "  ".join(padded).rstrip()

    return [line(above), line(below), "  ".join("─" * width for width in widths), *map(line, table.rows)]


def _split_title(title: str) -> tuple[str, str]:
    first, _, last = title.rpartition(" ")
    if title.endswith(", s"):
        first, _, last = first.rpartition(" ")
        last = f"{last} s".replace(", s", " s")
    return first.removesuffix(","), last
