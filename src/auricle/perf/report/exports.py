"""Write load points in the shapes of other tools, so that dashboards made for them keep working.

`vllm`: the result of `vllm bench serve --save-result` for each load point, and a table of all of them as the
`summary.csv` of `vllm bench sweep serve`; `aiperf`: `profile_export_aiperf.json` and `.csv`; `otel`: metrics of the
OpenTelemetry conventions for generative AI clients, as OTLP in JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from auricle.core.csv_text import render_csv
from auricle.core.files import write_atomically
from auricle.perf.measures import compute_measures, get_pooled_values
from auricle.perf.request_records import Floats, RequestColumns
from auricle.runs.perf_files import REQUESTS_FILE, LoadPointSummary, MeasureStatistics, PerfSummary

AIPERF_SCHEMA = "1.4"
MILLISECONDS = 1000.0
VLLM_MEASURES = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "chunk_gap_s", "e2el": "latency_s"}
AIPERF_MEASURES = {
    "time_to_first_token": ("ttft_s", "ms"),
    "inter_token_latency": ("tpot_s", "ms"),
    "inter_chunk_latency": ("chunk_gap_s", "ms"),
    "request_latency": ("latency_s", "ms"),
    "input_sequence_length": ("input_tokens", "tokens"),
    "output_sequence_length": ("output_tokens", "tokens"),
}
"""Our measure and the unit, by the names of AIPerf."""
AIPERF_RATES = {
    "request_throughput": ("req_s", "requests/sec"),
    "output_token_throughput": ("tok_out_s", "tokens/sec"),
    "goodput": ("goodput_req_s", "requests/sec"),
    "benchmark_duration": ("window_s", "sec"),
}
AIPERF_CSV_STATISTICS = (
    "avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std",
)  # fmt: skip
"""Columns of the first section of AIPerf's CSV, after the name of the metric."""
AIPERF_STATISTICS = ("p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std")
AIPERF_HEADERS = {
    "benchmark_duration": "Benchmark Duration",
    "error_request_count": "Error Request Count",
    "goodput": "Goodput",
    "inter_chunk_latency": "Inter Chunk Latency",
    "inter_token_latency": "Inter Token Latency",
    "input_sequence_length": "Input Sequence Length",
    "output_sequence_length": "Output Sequence Length",
    "output_token_throughput": "Output Token Throughput",
    "request_count": "Request Count",
    "request_latency": "Request Latency",
    "request_throughput": "Request Throughput",
    "time_to_first_token": "Time to First Token",
}
"""Names of metrics in AIPerf's CSV."""
DURATION_BOUNDS = tuple(0.01 * 2**exponent for exponent in range(14))
TOKEN_BOUNDS = tuple(float(4**exponent) for exponent in range(14))
"""Bounds of buckets that the OpenTelemetry conventions advise."""


class ExportedPoint(NamedTuple):
    """A load point, the measurement that it belongs to, and its requests."""

    summary: PerfSummary
    point: LoadPointSummary
    columns: RequestColumns


def write_exports(folder: Path, summary: PerfSummary, kind: str) -> list[Path]:
    """Write each load point in the shape of another tool, next to its requests; return the files."""
    files, documents = {}, []
    for point in summary.points:
        columns = RequestColumns.read(folder / point.folder / REQUESTS_FILE)
        document = EXPORTS[kind](ExportedPoint(summary, point, columns))
        files[folder / point.folder / f"{kind}.json"] = orjson.dumps(document, option=orjson.OPT_INDENT_2)
        if kind == "aiperf":
            files[folder / point.folder / "aiperf.csv"] = render_aiperf_csv(document)
        documents.append(document)
    if kind == "vllm":
        files[folder / "vllm.csv"] = render_vllm_csv(documents)
    for path, content in files.items():
        write_atomically(path, content)
    return [*files]


def build_vllm_result(exported: ExportedPoint) -> dict[str, Any]:
    """Build the result that `vllm bench serve` saves."""
    summary, point, _ = exported
    counts, run = point.counts.window, {name: measure.value for name, measure in point.run.items()}
    document: dict[str, Any] = {
        "date": summary.about.created,
        "backend": "auricle",
        "label": point.load,
        "model_id": summary.about.model_args.get("model", summary.model),
        "num_prompts": counts.total,
        "request_rate": run["offered_rate"] or "inf",
        "duration": run["window_s"],
        "completed": counts.ok,
        "failed": counts.failed,
        "total_input_tokens": _total(point.measures["input_tokens"]),
        "total_output_tokens": _total(point.measures["output_tokens"]),
        "request_throughput": run["req_s"],
        "request_goodput": run["goodput_req_s"],
        "output_throughput": run["tok_out_s"],
        "total_token_throughput": _add(run["tok_in_s"], run["tok_out_s"]),
        "max_concurrent_requests": run["in_flight_max"],
        "rtfx": run["audio_in_x"],
    }
    for name, measure in VLLM_MEASURES.items():
        statistics = point.measures[measure]
        for title, statistic in {"mean": "mean", "median": "p50", "std": "std", "p99": "p99"}.items():
            document[f"{title}_{name}_ms"] = _scale(statistics[statistic], MILLISECONDS)
    return document


def render_vllm_csv(results: Sequence[Mapping[str, Any]]) -> bytes:
    """Render results as `vllm bench sweep serve` does: a row for each, after its position, with the number of the run.

    Repeats of a load are its runs, numbered from 0.
    """
    runs: Counter[str] = Counter()
    rows: list[list[Any]] = [["", *(results[0] if results else ()), "run_number"]]
    for index, result in enumerate(results):
        rows.append([index, *result.values(), runs[result["label"]]])
        runs[result["label"]] += 1
    return render_csv(rows).encode()


def build_aiperf_result(exported: ExportedPoint) -> dict[str, Any]:
    """Build the summary that AIPerf exports; what is unknown is left out, as there."""
    summary, point, _ = exported
    document: dict[str, Any] = {"schema_version": AIPERF_SCHEMA, "benchmark_id": f"{summary.task} {point.load}"}
    for name, (measure, unit) in AIPERF_RATES.items():
        if (value := point.read(measure).value) is not None:
            document[name] = {"unit": unit, "avg": value}
    for name, (measure, unit) in AIPERF_MEASURES.items():
        statistics = point.measures[measure]
        if statistics.n:
            factor = MILLISECONDS if unit == "ms" else 1.0
            values = {title.replace("p0", "p"): _scale(statistics[title], factor) for title in AIPERF_STATISTICS}
            mean = _scale(statistics.mean, factor)
            total = _scale(mean, statistics.n)
            document[name] = {"unit": unit, "avg": mean, "count": statistics.n, "sum": total, **values}
    counts = point.counts.window
    document["request_count"] = {"unit": "requests", "avg": counts.ok}
    document["error_request_count"] = {"unit": "requests", "avg": counts.failed}
    document["was_cancelled"] = summary.interrupted
    return document


def render_aiperf_csv(document: Mapping[str, Any]) -> bytes:
    """Render the summary of AIPerf as its CSV: metrics with percentiles, an empty line, metrics with one value."""
    metrics = {name: document[name] for name in sorted(AIPERF_HEADERS) if name in document}
    distributions = [["Metric", *AIPERF_CSV_STATISTICS]]
    values = [["Metric", "Value"]]
    for name, metric in metrics.items():
        unit = metric["unit"]
        title = AIPERF_HEADERS[name] + (f" ({unit})" if unit != "requests" else "")
        if "p50" in metric:
            distributions.append([title, *(_format_value(metric[key]) for key in AIPERF_CSV_STATISTICS)])
        else:
            values.append([title, _format_value(metric["avg"])])
    sections = [*distributions, []] if len(distributions) > 1 else []
    return render_csv([*sections, *values], "\r\n").encode()


def build_otel_metrics(exported: ExportedPoint) -> dict[str, Any]:
    """Build OTLP metrics in JSON: histograms over the requests of the window."""
    summary, point, columns = exported
    rows = columns.ok & columns.in_measure_phase
    measures = compute_measures(columns)
    model = str(summary.about.model_args.get("model", summary.model))
    common = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, "auricle.load": point.load}
    seconds = {
        "gen_ai.client.operation.duration": measures["latency_s"][rows],
        "gen_ai.client.operation.time_to_first_chunk": measures["ttft_s"][rows],
        "gen_ai.client.operation.time_per_output_chunk": get_pooled_values(columns, "chunk_gap_s").pool_rows(rows),
    }
    start = datetime.fromisoformat(summary.about.created).timestamp() if summary.about.created else 0.0
    times = (start, start + point.window.length_s)
    metrics = [
        _build_histogram(name, "s", [_build_data_point(values, DURATION_BOUNDS, common, times)])
        for name, values in seconds.items()
    ]
    tokens = [
        _build_data_point(measures[f"{kind}_tokens"][rows], TOKEN_BOUNDS, {**common, "gen_ai.token.type": kind}, times)
        for kind in ("input", "output")
    ]
    metrics.append(_build_histogram("gen_ai.client.token.usage", "{token}", tokens))
    resource = {"attributes": _build_attributes({"service.name": "auricle"})}
    known = [metric for metric in metrics if metric["histogram"]["dataPoints"]]
    scope = {"scope": {"name": "auricle"}, "metrics": known}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [scope]}]}


def _build_histogram(name: str, unit: str, data_points: list[dict[str, Any] | None]) -> dict[str, Any]:
    known = [data_point for data_point in data_points if data_point]
    return {"name": name, "unit": unit, "histogram": {"aggregationTemporality": 2, "dataPoints": known}}


def _build_data_point(
    values: Floats, bounds: tuple[float, ...], attributes: Mapping[str, str], times: tuple[float, float]
) -> dict[str, Any] | None:
    """Build a histogram of the known values; None if there are none. A bound belongs to the bucket below it."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    counts = np.bincount(np.searchsorted(bounds, known), minlength=len(bounds) + 1)
    start, end = (str(int(at * 1e9)) for at in times)
    return {
        "attributes": _build_attributes(attributes),
        "startTimeUnixNano": start,
        "timeUnixNano": end,
        "count": str(len(known)),
        "sum": float(known.sum()),
        "min": float(known.min()),
        "max": float(known.max()),
        "bucketCounts": [str(count) for count in counts],
        "explicitBounds": list(bounds),
    }


def _build_attributes(attributes: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]


def _format_value(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _total(statistics: MeasureStatistics) -> int | None:
    return None if statistics.mean is None else round(statistics.mean * statistics.n)


def _add(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def _scale(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


EXPORTS: Mapping[str, Callable[[ExportedPoint], dict[str, Any]]] = {
    "vllm": build_vllm_result,
    "aiperf": build_aiperf_result,
    "otel": build_otel_metrics,
}
"""Builders of the documents, by the names of `auricle perf --export`."""
