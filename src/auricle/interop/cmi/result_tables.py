"""CMI-RewardBench's summary and detail tables, computed from results.jsonl with Auricle's metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics import correlation
from auricle.metrics.base import mean
from auricle.metrics.preference import CHOICE_BY_NAME
from auricle.tasks.benchmarks.cmi import PREFERENCE_COLUMNS, RATING_COLUMNS, Evaluation, assign_groups

TableRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A row of results.jsonl with its dataset, target and duration bin."""

    row: Mapping[str, Any]
    dataset: str
    target: Mapping[str, Any]
    duration_bin: str | None = None


Results = Sequence[Result]

SCORE_COLUMNS: Mapping[str, str] = {"alignment": "predicted_text-music alignment", "musicality": "predicted_musicality"}
CHOICE_VALUES: Mapping[str, float] = {"model_a": CHOICE_BY_NAME["a"], "model_b": CHOICE_BY_NAME["b"]}
CMI_PREF, MUSIC_ARENA = "CMI-Pref", "MusicArena"


def build_summary(rows: Results, evaluation: Evaluation) -> list[TableRow]:
    """Build one row per dataset and rated dimension."""
    return [
        {"dataset": dataset, "task": name, **figures}
        for dataset in (*RATING_COLUMNS, *PREFERENCE_COLUMNS)
        if (dataset_rows := _select_dataset(rows, dataset))
        for name in (RATING_COLUMNS.get(dataset) or PREFERENCE_COLUMNS[dataset])
        for figures in (_compute_figures(dataset_rows, dataset, name, evaluation),)
    ]


def _compute_figures(rows: Results, dataset: str, name: str, evaluation: Evaluation) -> TableRow:
    if dataset in PREFERENCE_COLUMNS:
        return _accuracy(rows, name)
    return _correlations(rows, name, evaluation)


def _select_dataset(rows: Results, dataset: str) -> Results:
    return [row for row in rows if row.dataset == dataset]


def _correlations(rows: Results, name: str, evaluation: Evaluation) -> TableRow:
    pairs = [
        (row.row[SCORE_COLUMNS[name]], truth)
        for row in rows
        if (truth := _get_target(row, name)) is not None and row.row[SCORE_COLUMNS[name]] is not None
    ]
    aggregators = {"SRCC": correlation.srcc}
    aggregators |= {"LCC": correlation.lcc} if evaluation.include_lcc else {}
    aggregators |= {"K-Tau": correlation.ktau} if evaluation.include_k_tau else {}
    has_enough = len(pairs) > 1
    return {"n": len(pairs), **{name: compute(pairs) if has_enough else None for name, compute in aggregators.items()}}


def _accuracy(rows: Results, name: str) -> TableRow:
    column = "predicted_preference" + (f"-{name}" if name != "preference" else "")
    points = [
        1.0 - abs(CHOICE_VALUES[row.row[column]] - CHOICE_BY_NAME[truth])
        for row in rows
        if (truth := _get_target(row, name)) is not None and column in row.row
    ]
    return {"n": len(points), "ACC": mean(points) if points else None}


def _get_target(row: Result, name: str) -> Any:
    return row.target.get(name)


# --- groups -----------------------------------------------------------------------------------


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
        detail += _summary_by_duration(rows)
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
        parts = {"no_ref": [row for row in group_rows if not _has_reference(row)]}
        parts["ref"] = [row for row in group_rows if _has_reference(row)]
        for category, part in parts.items():
            if part:
                yield _confidence_row(name, value, category, part)
    for value, group_rows in grouped.items():
        yield _confidence_row(name, value, "all", group_rows)


def _has_reference(row: Result) -> bool:
    return bool(_group_value(row, "ref_subset") == "ref")


def _confidence_row(name: str, value: str, category: str, rows: Results) -> TableRow:
    figures = {"ref_category": category, **_accuracy(rows, name)}
    return _detail_row(CMI_PREF, name, "confidence", value, figures)


def _summary_by_duration(rows: Results) -> Iterator[TableRow]:
    plain = Evaluation(include_lcc=False, include_k_tau=False)
    for value, group_rows in _group_rows(rows, "duration_bin").items():
        for row in build_summary(group_rows, plain):
            group = {"group_key": "duration_bin", "group_value": value}
            yield {"dataset": row.pop("dataset"), "task": row.pop("task"), **group, **row}
