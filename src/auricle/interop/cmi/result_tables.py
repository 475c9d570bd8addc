"""Upstream's two tables, made from the rows of results.jsonl by Auricle's own metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics import correlation
from auricle.metrics.base import mean
from auricle.metrics.preference import CHOICE_BY_NAME
from auricle.tasks.reward.cmi_columns import PREFERENCE_COLUMNS, RATING_COLUMNS, assign_groups
from auricle.tasks.reward.cmi_evaluation import Evaluation

TableRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A row of results.jsonl, and what is known of it besides."""

    row: Mapping[str, Any]
    dataset: str
    target: Mapping[str, Any]
    duration_bin: str | None = None


Results = Sequence[Result]

SCORE_COLUMNS: Mapping[str, str] = {"musicality": "predicted_musicality", "alignment": "predicted_text-music alignment"}
CHOICE_VALUES: Mapping[str, float] = {"model_a": CHOICE_BY_NAME["a"], "model_b": CHOICE_BY_NAME["b"]}
CMI_PREF, MUSIC_ARENA = "CMI-Pref", "MusicArena"


def build_summary(rows: Results, evaluation: Evaluation) -> list[TableRow]:
    """A line for each dataset that is there and each thing people judged in it."""
    return [
        {"dataset": dataset, "task": name, **figures}
        for dataset in (*RATING_COLUMNS, *PREFERENCE_COLUMNS)
        if (own := _select_dataset(rows, dataset))
        for name in (RATING_COLUMNS.get(dataset) or PREFERENCE_COLUMNS[dataset])
        for figures in (_compute_figures(own, dataset, name, evaluation),)
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
    folds = {"SRCC": correlation.srcc}
    folds |= {"LCC": correlation.lcc} if evaluation.include_lcc else {}
    folds |= {"K-Tau": correlation.ktau} if evaluation.include_k_tau else {}
    enough = len(pairs) > 1
    return {"n": len(pairs), **{k: fold(pairs) if enough else None for k, fold in folds.items()}}


def _accuracy(rows: Results, name: str) -> TableRow:
    column = "predicted_preference" + (f"-{name}" if name != "preference" else "")
    earned = [
        1.0 - abs(CHOICE_VALUES[row.row[column]] - CHOICE_BY_NAME[truth])
        for row in rows
        if (truth := _get_target(row, name)) is not None and column in row.row
    ]
    return {"n": len(earned), "ACC": mean(earned) if earned else None}


def _get_target(row: Result, name: str) -> Any:
    return row.target.get(name)


# --- groups -----------------------------------------------------------------------------------


def build_detail(rows: Results, evaluation: Evaluation) -> list[TableRow]:
    """The same by the groups upstream looks at, in its order."""
    found: list[TableRow] = []
    if evaluation.musicarena_by_month:
        found += _accuracy_by_group(_select_dataset(rows, MUSIC_ARENA), MUSIC_ARENA, "month")
    if pref := _select_dataset(rows, CMI_PREF):
        if evaluation.cmi_by_modality:
            found += _accuracy_by_group(pref, CMI_PREF, "modality")
        if evaluation.cmi_by_confidence:
            found += [line for name in PREFERENCE_COLUMNS[CMI_PREF] for line in _accuracy_by_confidence(pref, name)]
        found += _accuracy_by_fixed_groups(pref, "ref_subset", ("no_ref", "ref"))
        found += _accuracy_by_fixed_groups(pref, "modality_type", ("instru", "vocal"))
    if evaluation.by_duration:
        found += _summary_by_duration(rows)
    return found


def _group_rows(rows: Results, field: str) -> dict[str, Results]:
    """Rows by a group's value, in alphabetical order."""
    values = {_group_value(row, field) for row in rows} - {None}
    return {each: [row for row in rows if _group_value(row, field) == each] for each in sorted(values)}


def _group_value(row: Result, field: str) -> Any:
    """What a row belongs to: told by the row itself, but for durations, which were measured."""
    if field == "duration_bin":
        return row.duration_bin
    return assign_groups(row.dataset, row.row).get(field)


def _accuracy_by_group(rows: Results, dataset: str, field: str) -> Iterator[TableRow]:
    for value, own in _group_rows(rows, field).items():
        for name in PREFERENCE_COLUMNS[dataset]:
            yield _detail_row(dataset, name, field, value, _accuracy(own, name))


def _detail_row(dataset: str, name: str, field: str, value: str, figures: TableRow) -> TableRow:
    named = {"dataset": dataset, "task": name, "group_key": field, "group_value": value}
    return {**named, **figures}


def _accuracy_by_confidence(rows: Results, name: str) -> Iterator[TableRow]:
    """How sure people were, with and without a reference recording; then both together."""
    grouped = _group_rows(rows, f"confidence_{name}")
    for value, own in grouped.items():
        parts = {"no_ref": [r for r in own if not _has_reference(r)]}
        parts["ref"] = [r for r in own if _has_reference(r)]
        for category, part in parts.items():
            if part:
                yield _confidence_row(name, value, category, part)
    for value, own in grouped.items():
        yield _confidence_row(name, value, "all", own)


def _has_reference(row: Result) -> bool:
    return bool(_group_value(row, "ref_subset") == "ref")


def _confidence_row(name: str, value: str, category: str, rows: Results) -> TableRow:
    figures = {"ref_category": category, **_accuracy(rows, name)}
    return _detail_row(CMI_PREF, name, "confidence", value, figures)


def _accuracy_by_fixed_groups(rows: Results, field: str, values: Sequence[str]) -> Iterator[TableRow]:
    """Groups that are told even where nobody is in them."""
    for value in values:
        own = [row for row in rows if _group_value(row, field) == value]
        for name in PREFERENCE_COLUMNS[CMI_PREF]:
            yield _detail_row(CMI_PREF, name, field, value, _accuracy(own, name))


def _summary_by_duration(rows: Results) -> Iterator[TableRow]:
    plain = Evaluation(include_lcc=False, include_k_tau=False)
    for value, own in _group_rows(rows, "duration_bin").items():
        for line in build_summary(own, plain):
            named = {"group_key": "duration_bin", "group_value": value}
            yield {"dataset": line.pop("dataset"), "task": line.pop("task"), **named, **line}
