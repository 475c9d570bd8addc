"""Results of CMI-RewardBench: results.jsonl, rows with a reward model's predictions; two tables and metrics.json.

Columns, row order and the rule for ties (b wins) are CMI-RewardBench's. A failed sample is listed in
results.jsonl with its error and excluded from all numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from auricle import api
from auricle.benchmarks.cmi import (
    DATASETS,
    PREFERENCE_COLUMNS,
    RATING_COLUMNS,
    CmiSamples,
    Evaluation,
    assign_groups,
    detect_dataset,
)
from auricle.core.csv_text import render_records
from auricle.core.errors import DataError, SpecError, Unreadable, Unsuited
from auricle.core.files import write_atomically
from auricle.core.types import Failure, Generation, Output, Prediction, Record
from auricle.engine.spec import Spec
from auricle.frameworks.exchange.result_export import write_jsonl
from auricle.frameworks.exchange.result_files import (
    NOT_ANSWERED,
    ImportedResults,
    ImportedSample,
    Notify,
    ResultFormat,
    ResultLine,
    read_sibling_json,
)
from auricle.metrics import correlation
from auricle.metrics.base import mean
from auricle.runs.run_directory import Run
from auricle.tasks.rewards.preference import CHOICE_BY_NAME, A, get_choice
from auricle.tasks.rewards.ratings import Dimension

SCORE_COLUMNS: Mapping[str, str] = {"alignment": "predicted_text-music alignment", "musicality": "predicted_musicality"}
CHOICE_VALUES: Mapping[str, float] = {"model_a": CHOICE_BY_NAME["a"], "model_b": CHOICE_BY_NAME["b"]}
CMI_PREF, MUSIC_ARENA = "CMI-Pref", "MusicArena"
CHOICE_COLUMNS: Mapping[str, str] = {
    "preference": "predicted_preference",
    "musicality": "predicted_preference-musicality",
    "alignment": "predicted_preference-alignment",
}
JSON_OPTIONS = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
ADDED_PREFIXES = ("predicted_", "inference_", "benchmark_dataset")
"""Prefixes of the columns that the benchmark adds to its data."""
TableRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A row of results.jsonl with its dataset, target and duration bin."""

    row: Mapping[str, Any]
    dataset: str
    target: Mapping[str, Any]
    duration_bin: str | None = None


Results = Sequence[Result]


def read(path: Path, lines: Sequence[ResultLine]) -> ImportedResults:
    """Read the scores; rows whose audio was replaced by silence are failures."""
    metadata = read_sibling_json(path, "metadata.json")
    splits = sorted({str(values.get("split", "")) for _, values in lines})
    if len(splits) > 1:
        raise DataError(f"{path} contains several splits: {', '.join(splits)}. Import one split at a time.")
    model = str(metadata.get("model_class_path") or metadata.get("model_name") or metadata.get("model") or "")
    root = str(metadata.get("dataset_root") or "")
    options = {"split": splits[0], "dataset_root": root if Path(root).is_dir() else ""}
    return ImportedResults(
        path=path,
        model=model,
        dataset="cmi-rewardbench",
        samples=[_to_sample(origin, values) for origin, values in lines],
        kind="cmi-rewardbench",
        task_options={name: value for name, value in options.items() if value},
        extra_files=(path.with_name("metadata.json"),) if metadata else (),
    )


def _to_sample(origin: str, values: Mapping[str, Any]) -> ImportedSample:
    row = {name: value for name, value in values.items() if not name.startswith(ADDED_PREFIXES)}
    sides = ("", "_b") if detect_dataset(str(values.get("source") or "")) in PREFERENCE_COLUMNS else ("",)
    scores_by_side = [_read_scores(values, side) for side in sides]
    valid = all(values.get(f"inference_valid_{side}", True) for side in "ab")
    if valid and all(scores_by_side):
        outputs = tuple(Prediction(values=scores, scale="continuous") for scores in scores_by_side)
        return ImportedSample(manifest_row=row, origin=origin, outputs=outputs)
    failure = Failure(NOT_ANSWERED, str(values.get("inference_error") or "the row has no scores"))
    return ImportedSample(manifest_row=row, origin=origin, error=failure)


def _read_scores(values: Mapping[str, Any], side: str) -> dict[str, float]:
    """Return the scores of one recording without null and NaN."""
    scores = {name: values.get(f"{column}{side}") for name, column in SCORE_COLUMNS.items()}
    return {name: float(score) for name, score in scores.items() if isinstance(score, (int, float)) and score == score}


def export(run: Path, out: Path, _: Notify) -> list[Path]:
    """Write the four files of CMI-RewardBench and return their paths."""
    loaded_run = Run.load(run)
    task = api.build_task(Spec.from_run(loaded_run))
    if not isinstance(benchmark := task.samples, CmiSamples):
        raise SpecError(
            f"{run} is a run of {task.name}. Only cmi-rewardbench and its four datasets can be exported as cmi."
        )
    valid_records = (record for record in loaded_run.records() if "row" in record.sample.meta)
    records = sorted(valid_records, key=_sort_key)  # rejected rows are listed in the run's report
    results = [build_result(record, benchmark.dimensions) for record in records]
    evaluation = benchmark.evaluation
    summary, detail = build_summary(results, evaluation), build_detail(results, evaluation)
    paths = [write_jsonl(out / "results.jsonl", [result.row for result in results])]
    paths += [out / name for name in evaluation.files]
    write_atomically(paths[1], to_csv(summary))
    write_atomically(paths[2], to_csv(detail))
    document = {"config": evaluation.document(), "summary": summary, "detail": detail}
    write_atomically(paths[3], orjson.dumps(_replace_nan(document), option=JSON_OPTIONS))
    return paths


def _sort_key(record: Record) -> tuple[int, int]:
    return DATASETS.index(str(record.sample.meta["subset"])), record.row


def build_result(record: Record, dimensions: Mapping[str, Dimension]) -> Result:
    """Build a row of results.jsonl: the original columns, the predictions and whether they are valid."""
    meta = record.sample.meta
    raw = meta["row"]
    assert isinstance(raw, Mapping)
    is_pair = meta["subset"] in PREFERENCE_COLUMNS
    failed = record.error is not None
    row: dict[str, Any] = {**raw, "benchmark_dataset": meta["subset"]}
    row |= dict.fromkeys(SCORE_COLUMNS.values())
    if not failed:
        row |= _predicted_columns(record.outputs, dimensions, is_pair=is_pair)
    row["inference_valid_a"] = not failed
    if is_pair:
        row["inference_valid_b"] = not failed
    row["inference_error"] = f"{record.error.kind}: {record.error.message}" if record.error else ""
    target, duration_bin = record.sample.target, meta.get("duration_bin")
    assert isinstance(target, Mapping)
    return Result(row, str(meta["subset"]), target, str(duration_bin) if duration_bin else None)


def _predicted_columns(
    outputs: Sequence[Output], dimensions: Mapping[str, Dimension], *, is_pair: bool
) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for name, column in SCORE_COLUMNS.items():
        values = _score_values(outputs, dimensions[name], is_pair=is_pair)
        columns |= {f"{column}{side}": value for side, value in zip(("", "_b"), values, strict=False)}
    for name, column in CHOICE_COLUMNS.items() if is_pair else ():
        with suppress(Unsuited, Unreadable):
            columns[column] = "model_a" if get_choice(dimensions[name], outputs) == A else "model_b"
    return columns


def _score_values(outputs: Sequence[Output], dimension: Dimension, *, is_pair: bool) -> list[float]:
    """Return the scores of one recording, or of both recordings of a pair; empty if the model gave none."""
    try:
        selected = dimension.select_outputs(outputs)
        is_choice = is_pair and dimension.is_pairwise and isinstance(selected[0], Generation)
        return [] if is_choice else [dimension.get_value(output) for output in selected]
    except (Unsuited, Unreadable):
        return []


def to_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Render rows as CSV with the columns in order of first occurrence; without rows, a single newline."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return render_records(columns, map(_replace_nan, rows)).encode()


def _replace_nan(value: Any) -> Any:
    """Replace NaN with None, because JSON has no NaN."""
    if isinstance(value, Mapping):
        return {name: _replace_nan(item) for name, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [_replace_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def build_summary(rows: Results, evaluation: Evaluation) -> list[TableRow]:
    """Build one row per dataset and rated dimension."""
    return [
        {"dataset": dataset, "task": name, **figures}
        for dataset in (*RATING_COLUMNS, *PREFERENCE_COLUMNS)
        if (dataset_rows := _select_dataset(rows, dataset))
        for name in (RATING_COLUMNS.get(dataset) or PREFERENCE_COLUMNS[dataset])
        for figures in (
            _accuracy(dataset_rows, name)
            if dataset in PREFERENCE_COLUMNS
            else _correlations(dataset_rows, name, evaluation),
        )
    ]


def _select_dataset(rows: Results, dataset: str) -> Results:
    return [row for row in rows if row.dataset == dataset]


def _correlations(rows: Results, name: str, evaluation: Evaluation) -> TableRow:
    pairs = [
        (row.row[SCORE_COLUMNS[name]], truth)
        for row in rows
        if (truth := row.target.get(name)) is not None and row.row[SCORE_COLUMNS[name]] is not None
    ]
    aggregators = {"SRCC": correlation.srcc}
    aggregators |= {"LCC": correlation.lcc} if evaluation.include_lcc else {}
    aggregators |= {"K-Tau": correlation.ktau} if evaluation.include_k_tau else {}
    has_enough = len(pairs) > 1
    return {"n": len(pairs), **{name: compute(pairs) if has_enough else None for name, compute in aggregators.items()}}


def _accuracy(rows: Results, name: str) -> TableRow:
    column = CHOICE_COLUMNS[name]
    points = [
        1.0 - abs(CHOICE_VALUES[row.row[column]] - CHOICE_BY_NAME[truth])
        for row in rows
        if (truth := row.target.get(name)) is not None and column in row.row
    ]
    return {"n": len(points), "ACC": mean(points) if points else None}


def build_detail(rows: Results, evaluation: Evaluation) -> list[TableRow]:
    """Build the rows by group, with the groups and the order of CMI-RewardBench."""
    detail: list[TableRow] = []
    if evaluation.musicarena_by_month:
        detail += _accuracy_by_group(_select_dataset(rows, MUSIC_ARENA), MUSIC_ARENA, "month")
    if preferences := _select_dataset(rows, CMI_PREF):
        if evaluation.cmi_by_modality:
            detail += _accuracy_by_group(preferences, CMI_PREF, "modality")
        if evaluation.cmi_by_confidence:
            for name in PREFERENCE_COLUMNS[CMI_PREF]:
                detail += _accuracy_by_confidence(preferences, name)
        detail += _accuracy_by_group(preferences, CMI_PREF, "ref_subset", ("no_ref", "ref"))
        detail += _accuracy_by_group(preferences, CMI_PREF, "modality_type", ("instru", "vocal"))
    if evaluation.by_duration:
        plain = Evaluation(include_lcc=False, include_k_tau=False)
        detail += [
            _detail_row(row.pop("dataset"), row.pop("task"), "duration_bin", value, row)
            for value, group_rows in _group_rows(rows, "duration_bin").items()
            for row in build_summary(group_rows, plain)
        ]
    return detail


def _group_rows(rows: Results, field: str, values: Sequence[str] | None = None) -> dict[str, Results]:
    """Group rows by a field: in alphabetical order of its values, or by these values, including empty groups."""
    names = sorted({_group_value(row, field) for row in rows} - {None}) if values is None else values
    return {name: [row for row in rows if _group_value(row, field) == name] for name in names}


def _group_value(row: Result, field: str) -> Any:
    """Return a row's group; durations are measured, all other fields come from the row itself."""
    if field == "duration_bin":
        return row.duration_bin
    return assign_groups(row.dataset, row.row).get(field)


def _accuracy_by_group(
    rows: Results, dataset: str, field: str, values: Sequence[str] | None = None
) -> Iterator[TableRow]:
    for value, group_rows in _group_rows(rows, field, values).items():
        for name in PREFERENCE_COLUMNS[dataset]:
            yield _detail_row(dataset, name, field, value, _accuracy(group_rows, name))


def _detail_row(dataset: str, name: str, field: str, value: str, figures: TableRow) -> TableRow:
    group = {"dataset": dataset, "task": name, "group_key": field, "group_value": value}
    return {**group, **figures}


def _accuracy_by_confidence(rows: Results, name: str) -> Iterator[TableRow]:
    """Yield accuracy by the raters' confidence: with and without a reference recording, then both together."""
    grouped = _group_rows(rows, f"confidence_{name}")
    for value, group_rows in grouped.items():
        for has_reference, category in ((False, "no_ref"), (True, "ref")):
            if part := [row for row in group_rows if (_group_value(row, "ref_subset") == "ref") == has_reference]:
                yield _confidence_row(name, value, category, part)
    for value, group_rows in grouped.items():
        yield _confidence_row(name, value, "all", group_rows)


def _confidence_row(name: str, value: str, category: str, rows: Results) -> TableRow:
    figures = {"ref_category": category, **_accuracy(rows, name)}
    return _detail_row(CMI_PREF, name, "confidence", value, figures)


FORMAT = ResultFormat(
    "cmi",
    "CMI-RewardBench",
    ("source", "predicted_musicality"),
    "results.jsonl",
    "results.jsonl with predicted_musicality",
    read,
)
