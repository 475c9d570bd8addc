"""Load points in the shapes of other tools."""

import csv
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from auricle.perf.report.exports import (
    ExportedPoint,
    build_aiperf_result,
    build_otel_metrics,
    build_vllm_result,
    render_aiperf_csv,
    render_vllm_csv,
    write_exports,
)
from tests.perf.report.conftest import build_columns, build_point, build_request, build_summary


@pytest.fixture(scope="module")
def exported() -> ExportedPoint:
    point, _ = build_point("constant:10", "ttft_s<0.2")
    return ExportedPoint(build_summary([point]), point, build_columns())


def test_vllm_result_has_its_names_and_units(exported: ExportedPoint) -> None:
    document, point = build_vllm_result(exported), exported.point
    assert (document["completed"], document["failed"]) == (point.counts.window.ok, point.counts.window.failed)
    assert document["total_output_tokens"] == 3 * point.counts.window.ok
    assert document["median_ttft_ms"] == pytest.approx(99)
    assert document["p99_e2el_ms"] == pytest.approx(299)
    assert document["total_token_throughput"] == pytest.approx(document["output_throughput"] * 10 / 3, rel=0.02)
    assert document["request_goodput"] == pytest.approx(document["request_throughput"])
    assert {f"{name}_{kind}_ms" for name in ("mean", "median", "std", "p99") for kind in ("ttft", "tpot", "itl")} <= {
        *document
    }


def test_aiperf_result_has_its_names_and_units(exported: ExportedPoint) -> None:
    document = build_aiperf_result(exported)
    ttft = document["time_to_first_token"]
    assert (ttft["unit"], ttft["p50"], ttft["p5"]) == ("ms", pytest.approx(99), pytest.approx(99))
    assert document["output_sequence_length"]["avg"] == 3
    assert document["request_throughput"]["unit"] == "requests/sec"
    assert document["error_request_count"]["avg"] == exported.point.counts.window.failed


def read_csv(content: bytes) -> list[list[str]]:
    return list(csv.reader(content.decode().splitlines()))


def test_aiperf_csv_has_a_section_of_distributions_and_one_of_single_values(exported: ExportedPoint) -> None:
    document = build_aiperf_result(exported)
    rows = read_csv(render_aiperf_csv(document))
    blank = rows.index([])
    statistics = ["avg", "min", "max", "sum", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "std"]
    assert rows[0] == ["Metric", *statistics]
    ttft = dict(zip(rows[0], next(row for row in rows if row[0] == "Time to First Token (ms)"), strict=True))
    assert (ttft["avg"], ttft["p50"], ttft["std"]) == ("99.00", "99.00", "0.00")
    assert float(ttft["sum"]) == pytest.approx(99 * document["time_to_first_token"]["count"])
    assert rows[blank + 1] == ["Metric", "Value"]
    values = dict(rows[blank + 2 :])
    assert values["Request Count"] == f"{exported.point.counts.window.ok}.00"
    assert float(values["Request Throughput (requests/sec)"]) == pytest.approx(
        document["request_throughput"]["avg"], abs=0.005
    )


def test_aiperf_csv_has_every_metric_of_the_json(exported: ExportedPoint) -> None:
    document = build_aiperf_result(exported)
    metrics = [value for value in document.values() if isinstance(value, dict)]
    rows = [row for row in read_csv(render_aiperf_csv(document)) if row and row[0] != "Metric"]
    assert len(rows) == len(metrics)


def test_vllm_table_has_a_row_per_result_with_the_number_of_the_run(exported: ExportedPoint) -> None:
    document = build_vllm_result(exported)
    other = {**document, "label": "constant:20"}
    header, *rows = read_csv(render_vllm_csv([document, other, document]))
    assert header == ["", *document, "run_number"]
    results = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(row[""], row["label"], row["run_number"]) for row in results] == [
        ("0", "constant:10", "0"), ("1", "constant:20", "0"), ("2", "constant:10", "1"),
    ]  # fmt: skip
    assert float(results[0]["median_ttft_ms"]) == pytest.approx(99)


def test_otel_histograms_have_every_request_once(exported: ExportedPoint) -> None:
    (resource,) = build_otel_metrics(exported)["resourceMetrics"]
    metrics = {metric["name"]: metric["histogram"]["dataPoints"] for metric in resource["scopeMetrics"][0]["metrics"]}
    (duration,) = metrics["gen_ai.client.operation.duration"]
    assert duration["count"] == "294"
    assert sum(map(int, duration["bucketCounts"])) == 294
    assert len(duration["bucketCounts"]) == len(duration["explicitBounds"]) + 1
    assert duration["sum"] == pytest.approx(294 * 0.299)
    (index,) = [index for index, count in enumerate(duration["bucketCounts"]) if count != "0"]
    assert duration["explicitBounds"][index - 1] < 0.299 <= duration["explicitBounds"][index]
    assert [point["sum"] for point in metrics["gen_ai.client.token.usage"]] == [7 * 294, 3 * 294]


def test_unknown_values_are_no_numbers() -> None:
    point, _ = build_point("constant:10", output_tokens=None, input_tokens=None)
    columns = build_columns(output_tokens=None, input_tokens=None)
    exported = ExportedPoint(build_summary([point]), point, columns)
    assert build_vllm_result(exported)["total_output_tokens"] is None
    assert "output_sequence_length" not in build_aiperf_result(exported)
    (scope,) = build_otel_metrics(exported)["resourceMetrics"][0]["scopeMetrics"]
    assert "gen_ai.client.token.usage" not in {metric["name"] for metric in scope["metrics"]}


@pytest.mark.parametrize(
    ("kind", "tables"), [("vllm", ["vllm.csv"]), ("aiperf", ["00-constant-10/aiperf.csv"]), ("otel", [])]
)
def test_files_are_written_next_to_the_requests(tmp_path: Path, kind: str, tables: list[str]) -> None:
    point = replace(build_point()[0], folder="00-constant-10")
    (tmp_path / "00-constant-10").mkdir()
    lines = b"".join(build_request(index).to_json_line() for index in range(300))
    (tmp_path / "00-constant-10" / "requests.jsonl").write_bytes(lines)
    path, *others = write_exports(tmp_path, build_summary([point]), kind)
    assert path == tmp_path / "00-constant-10" / f"{kind}.json"
    assert orjson.loads(path.read_bytes())
    assert others == [tmp_path / name for name in tables]
    assert all(other.read_bytes() for other in others)
