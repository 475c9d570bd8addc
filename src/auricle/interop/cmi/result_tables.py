"""Upstream's two tables, made from the rows of results.jsonl by Auricle's own metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auricle.metrics import correlation
from auricle.metrics.base import mean
from auricle.metrics.preference import CHOICES
from auricle.tasks.reward.cmi_rows import PREFERENCES, RATINGS, groups_of
from auricle.tasks.reward.evaluation import Evaluation

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A row of results.jsonl, and what is known of it besides."""

    row: Mapping[str, Any]
    dataset: str
    target: Mapping[str, Any]
    duration_bin: str | None = None


Rows = Sequence[Result]

PREDICTED: Mapping[str, str] = {
    "musicality": "predicted_musicality",
    "alignment": "predicted_text-music alignment",
}
SAID: Mapping[str, float] = {"model_a": CHOICES["a"], "model_b": CHOICES["b"]}
PREF, ARENA = "CMI-Pref", "MusicArena"


def summary(rows: Rows, evaluation: Evaluation) -> list[Line]:
    """A line for each dataset that is there and each thing people judged in it."""
    return [
        {"dataset": dataset, "task": name, **figures}
        for dataset in (*RATINGS, *PREFERENCES)
        if (own := _of(rows, dataset))
        for name in (RATINGS.get(dataset) or PREFERENCES[dataset])
        for figures in (_figures(own, dataset, name, evaluation),)
    ]


def _figures(own: Rows, dataset: str, name: str, evaluation: Evaluation) -> Line:
    if dataset in PREFERENCES:
        return _accuracy(own, name)
    return _correlations(own, name, evaluation)


def _of(rows: Rows, dataset: str) -> Rows:
    return [row for row in rows if row.dataset == dataset]


def _correlations(rows: Rows, name: str, evaluation: Evaluation) -> Line:
    pairs = [
        (row.row[PREDICTED[name]], truth)
        for row in rows
        if (truth := _truth(row, name)) is not None and row.row[PREDICTED[name]] is not None
    ]
    folds = {"SRCC": correlation.srcc}
    folds |= {"LCC": correlation.lcc} if evaluation.include_lcc else {}
    folds |= {"K-Tau": correlation.ktau} if evaluation.include_k_tau else {}
    enough = len(pairs) > 1
    return {"n": len(pairs), **{k: fold(pairs) if enough else None for k, fold in folds.items()}}


def _accuracy(rows: Rows, name: str) -> Line:
    column = "predicted_preference" + (f"-{name}" if name != "preference" else "")
    earned = [
        1.0 - abs(SAID[row.row[column]] - CHOICES[truth])
        for row in rows
        if (truth := _truth(row, name)) is not None and column in row.row
    ]
    return {"n": len(earned), "ACC": mean(earned) if earned else None}


def _truth(row: Result, name: str) -> Any:
    return row.target.get(name)


# --- groups -----------------------------------------------------------------------------------


def detail(rows: Rows, evaluation: Evaluation) -> list[Line]:
    """The same by the groups upstream looks at, in its order."""
    found: list[Line] = []
    if evaluation.musicarena_by_month:
        found += _by(_of(rows, ARENA), ARENA, "month")
    if pref := _of(rows, PREF):
        if evaluation.cmi_by_modality:
            found += _by(pref, PREF, "modality")
        if evaluation.cmi_by_confidence:
            found += [line for name in PREFERENCES[PREF] for line in _by_confidence(pref, name)]
        found += _fixed(pref, "ref_subset", ("no_ref", "ref"))
        found += _fixed(pref, "modality_type", ("instru", "vocal"))
    if evaluation.by_duration:
        found += _by_duration(rows)
    return found


def _grouped(rows: Rows, field: str) -> dict[str, Rows]:
    """Rows by a group's value, in alphabetical order."""
    values = {_group(row, field) for row in rows} - {None}
    return {each: [row for row in rows if _group(row, field) == each] for each in sorted(values)}


def _group(row: Result, field: str) -> Any:
    """What a row belongs to: told by the row itself, but for durations, which were measured."""
    if field == "duration_bin":
        return row.duration_bin
    return groups_of(row.dataset, row.row).get(field)


def _by(rows: Rows, dataset: str, field: str) -> Iterator[Line]:
    for value, own in _grouped(rows, field).items():
        for name in PREFERENCES[dataset]:
            yield _line(dataset, name, field, value, _accuracy(own, name))


def _line(dataset: str, name: str, field: str, value: str, figures: Line) -> Line:
    named = {"dataset": dataset, "task": name, "group_key": field, "group_value": value}
    return {**named, **figures}


def _by_confidence(rows: Rows, name: str) -> Iterator[Line]:
    """How sure people were, with and without a reference recording; then both together."""
    grouped = _grouped(rows, f"confidence_{name}")
    for value, own in grouped.items():
        parts = {"no_ref": [r for r in own if not _has_reference(r)]}
        parts["ref"] = [r for r in own if _has_reference(r)]
        for category, part in parts.items():
            if part:
                yield _confident(name, value, category, part)
    for value, own in grouped.items():
        yield _confident(name, value, "all", own)


def _has_reference(row: Result) -> bool:
    return bool(_group(row, "ref_subset") == "ref")


def _confident(name: str, value: str, category: str, own: Rows) -> Line:
    figures = {"ref_category": category, **_accuracy(own, name)}
    return _line(PREF, name, "confidence", value, figures)


def _fixed(rows: Rows, field: str, values: Sequence[str]) -> Iterator[Line]:
    """Groups that are told even where nobody is in them."""
    for value in values:
        own = [row for row in rows if _group(row, field) == value]
        for name in PREFERENCES[PREF]:
            yield _line(PREF, name, field, value, _accuracy(own, name))


def _by_duration(rows: Rows) -> Iterator[Line]:
    plain = Evaluation(include_lcc=False, include_k_tau=False)
    for value, own in _grouped(rows, "duration_bin").items():
        for line in summary(own, plain):
            named = {"group_key": "duration_bin", "group_value": value}
            yield {"dataset": line.pop("dataset"), "task": line.pop("task"), **named, **line}
