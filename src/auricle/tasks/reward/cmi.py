"""CMI-RewardBench: PAM and MusicEval (ratings), Music Arena and CMI-Pref (preferences).

Rows are read from the authors' JSONL file. The column `source` decides which dataset a row belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.types import Input, Json, RejectedRow, Sample
from auricle.data.file_formats import Row, count_rows, file_revision, read_rows
from auricle.metrics.base import Metric
from auricle.metrics.preference import TiePolicy, preference_metrics
from auricle.metrics.ratings import RATING_METRICS, Dimension, rating_metrics
from auricle.tasks.base import Task
from auricle.tasks.options import split_list
from auricle.tasks.reward.cmi_columns import (
    ASKED_AS,
    DATASETS,
    OUTPUT_DIMENSIONS,
    PREFERENCE_COLUMNS,
    RATING_COLUMNS,
    assign_groups,
    detect_dataset,
    has_value,
    parse_targets,
)
from auricle.tasks.reward.cmi_evaluation import Evaluation
from auricle.tasks.reward.options import RewardOptions, select_metrics

NAME = "cmi-rewardbench"
EXAMPLE = f"`auricle run {NAME} -T dataset_jsonl=all_test.jsonl -T dataset_root=DIR -m MODEL`"
EVALUATION_OPTIONS = ("by_duration", "duration_bin")
"""Options that override the YAML file."""


@dataclass(frozen=True, kw_only=True)
class CmiSamples:
    """Samples of one split of the authors' JSONL file, from one dataset or from all four."""

    path: Path
    root: Path
    split: str
    datasets: tuple[str, ...]
    evaluation: Evaluation
    dimensions: Mapping[str, Dimension]
    """The rated dimensions by name, with how each is read from a model's answers."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for index, row in enumerate(read_rows(self.path)):
            if isinstance(row, RejectedRow):
                yield row
            elif (sample := self._select_row(index, row)) is not None:
                yield sample

    def __len__(self) -> int:
        return count_rows(self.path) or 0

    def validate(self) -> None:
        """Raise an error if the file has no rows of the selected datasets and split."""
        if next(iter(self), None) is None:
            splits = {str(row.values.get("split", "")) for row in self._rows()}
            sources = {str(row.values.get("source", ""))[:40] for row in self._rows()}
            raise DataError(
                f"{self.path} has no rows of {', '.join(self.datasets)} in the split {self.split!r}. "
                f"Its splits: {_format_examples(splits)}. Its sources: {_format_examples(sources)}."
            )

    @property
    def revision(self) -> str:
        part = self.datasets[0].lower() if len(self.datasets) == 1 else "all"
        return f"{self.split}.{part}@{file_revision(self.path)}"

    def notes(self) -> list[str]:
        """Return notes about invalid ratings or preferences; such rows are sent to the model but not scored."""
        origins: dict[str, list[str]] = {}
        for row in self._rows():
            name = detect_dataset(str(row.values.get("source") or ""))
            if name in self.datasets and self._in_split(row):
                for column in parse_targets(name, row.values)[1]:
                    origins.setdefault(f"{name}: {column}", []).append(row.origin)
        return [
            f"{name} has no valid value in {len(rows)} row{'s' * (len(rows) > 1)}, such as {rows[0]}. "
            "They are not scored."
            for name, rows in origins.items()
        ]

    def _rows(self) -> Iterator[Row]:
        return (row for row in read_rows(self.path) if isinstance(row, Row))

    def _in_split(self, row: Row) -> bool:
        return str(row.values.get("split", "")) == self.split

    def _select_row(self, index: int, row: Row) -> Sample | RejectedRow | None:
        """Return the sample of a row, or None if the row is not selected."""
        if not self._in_split(row):
            return None
        source = str(row.values.get("source") or "")
        name = detect_dataset(source)
        if name is None:
            expected = "PAM, MusicEval, SongEval, Music Arena, cmi-arena-annotation"
            is_subset = len(self.datasets) < len(DATASETS)
            reason = f"unknown source {source[:80]!r}: expected one of {expected}"
            return None if is_subset else RejectedRow(row.origin, reason)
        return self._sample(name, index, row) if name in self.datasets else None

    def _sample(self, name: str, index: int, row: Row) -> Sample:
        values = {column: value for column, value in row.values.items() if value is not None}
        inputs = self._inputs(name, values)
        groups = {**assign_groups(name, values), **self._duration_group(inputs)}
        meta = {field: groups[field] for field in group_fields(self.evaluation) if field in groups}
        return Sample(
            id=f"{name.lower()}-{index}",
            inputs=inputs,
            target=parse_targets(name, values)[0],
            meta={"subset": name, **meta, "row": row.values},
            origin=row.origin,
        )

    def _inputs(self, name: str, values: Mapping[str, Any]) -> dict[str, Input]:
        """Return the recordings and texts of a row; empty and null columns are left out."""
        is_pair = name in PREFERENCE_COLUMNS
        recordings = {"a": "audio-path", "b": "audio2"} if is_pair else {"audio": "audio-path"}
        recordings = {**recordings, "ref_audio": "ref-audio-path"}
        texts = {"text": "prompt", "lyrics": "lyrics"}
        return {
            **{
                name: Audio.of(str(self.root / str(values[column])))
                for name, column in recordings.items()
                if has_value(values.get(column))
            },
            **{name: str(values[column]) for name, column in texts.items() if has_value(values.get(column))},
        }

    def _duration_group(self, inputs: Mapping[str, Input]) -> dict[str, Json]:
        """Return the duration bin of a recording, or of the mean of two, if grouping by duration is on."""
        if not self.evaluation.by_duration:
            return {}
        durations = [_audio_seconds(inputs[name]) for name in ("audio", "a", "b") if name in inputs]
        seconds = [duration for duration in durations if duration is not None]
        if not seconds:
            return {}
        label = self.evaluation.find_duration_bin(sum(seconds) / len(seconds))
        return {"duration_bin": label} if label else {}


def _audio_seconds(audio: Any) -> float | None:
    try:
        return float(audio.seconds)
    except AudioError:  # reported when the sample is sent
        return None


def _format_examples(values: set[str], limit: int = 5) -> str:
    shown = sorted(values)[:limit]
    return ", ".join(map(repr, shown)) + (", …" if len(values) > limit else "")


def cmi_rewardbench(
    dataset_jsonl: str = "",
    dataset_root: str = "",
    split: str = "",
    subset: str = "all",
    eval_yaml: str = "",
    **arguments: Any,
) -> Task:
    """Build the task of CMI-RewardBench, or of one of its four datasets.

    Args:
        dataset_jsonl: The authors' JSONL file.
        dataset_root: Folder that paths in the file are relative to. By default, the folder of the file.
        split: Split to use. By default, the one in `eval_yaml`, or `test`.
        subset: `all`, PAM, MusicEval, MusicArena or CMI-Pref.
        eval_yaml: Evaluation settings in the authors' format.
        **arguments: Further options; see docs/reward.md.
    """
    options, rest = RewardOptions.from_arguments(arguments, ties="upstream")
    evaluation = _load_evaluation(eval_yaml, {name: rest.pop(name) for name in EVALUATION_OPTIONS if name in rest})
    own_options = {name: rest.pop(name, "") for name in ("name", "metrics", "by", "cluster")}
    if rest:
        raise SpecError(f"Unknown option of {NAME}: {', '.join(rest)}.", location=(next(iter(rest)),))
    datasets = _resolve_datasets(subset)
    dimension_names = _asked_dimensions(datasets)
    dimensions = {
        name: options.build_dimension(name, ASKED_AS.get(name, name), dimension_names)
        for name in (*OUTPUT_DIMENSIONS, *ASKED_AS)
    }
    bench = CmiSamples(
        path=_require_file(dataset_jsonl),
        root=Path(dataset_root).expanduser() if dataset_root else _require_file(dataset_jsonl).parent,
        split=split or evaluation.split,
        datasets=datasets,
        evaluation=evaluation,
        dimensions=dimensions,
    )
    return Task(
        bench,
        options.build_inferencer(dimension_names),
        select_metrics(_build_metrics(bench, options.ties), split_list(own_options["metrics"])),
        name=own_options["name"] or (NAME if subset == "all" else datasets[0].lower()),
        licence="CC BY-NC-SA 4.0",
        source="github.com/Haiwen-Xia/CMI-RewardBench",
        cluster=own_options["cluster"],
        group_by=tuple(split_list(own_options["by"])),
    )


def pam(**arguments: Any) -> Task:
    """Build the PAM task: ratings of musicality and alignment."""
    return cmi_rewardbench(**{**arguments, "subset": "PAM"})


def musiceval(**arguments: Any) -> Task:
    """Build the MusicEval task: ratings of musicality."""
    return cmi_rewardbench(**{**arguments, "subset": "MusicEval"})


def musicarena(**arguments: Any) -> Task:
    """Build the Music Arena task: preferences between two recordings."""
    return cmi_rewardbench(**{**arguments, "subset": "MusicArena"})


def cmi_pref(**arguments: Any) -> Task:
    """Build the CMI-Pref task: preferences for musicality and alignment."""
    return cmi_rewardbench(**{**arguments, "subset": "CMI-Pref"})


def _resolve_datasets(subset: str) -> tuple[str, ...]:
    by_name = {name.lower(): name for name in DATASETS}
    if subset == "all":
        return DATASETS
    if str(subset).lower() not in by_name:
        raise SpecError(f"Invalid subset {subset!r}: expected one of all, {', '.join(DATASETS)}.", location=("subset",))
    return (by_name[subset.lower()],)


def _require_file(path: str) -> Path:
    if not path:
        raise SpecError(f"{NAME} needs the authors' JSONL file: {EXAMPLE}.", location=("dataset_jsonl",))
    return Path(path).expanduser()


def _load_evaluation(path: str, overrides: Mapping[str, Any]) -> Evaluation:
    base = Evaluation.read(Path(path)) if path else Evaluation()
    return base.with_values(overrides)


def _asked_dimensions(datasets: Iterable[str]) -> list[str]:
    """Return the dimensions to ask a text-generating model about: those that people rated."""
    columns = [{**RATING_COLUMNS.get(name, {}), **PREFERENCE_COLUMNS.get(name, {})} for name in datasets]
    asked = {ASKED_AS.get(dimension, dimension) for dimensions in columns for dimension in dimensions}
    return [dimension for dimension in OUTPUT_DIMENSIONS if dimension in asked]


def _build_metrics(bench: CmiSamples, ties: TiePolicy) -> list[Metric]:
    """Build the metrics of each dimension: accuracy for pairs, correlations for ratings."""
    included = {"lcc": bench.evaluation.include_lcc, "ktau": bench.evaluation.include_k_tau}
    names = [name for name in RATING_METRICS if included.get(name, True)]
    metrics: list[Metric] = []
    for dimension in _judged_dimensions(bench, PREFERENCE_COLUMNS):
        metrics += [_restrict_to_datasets(metric, PREFERENCE_COLUMNS) for metric in preference_metrics(dimension, ties)]
    for dimension in _judged_dimensions(bench, RATING_COLUMNS):
        metrics += [_restrict_to_datasets(metric, RATING_COLUMNS) for metric in rating_metrics(dimension, names)]
    return metrics


def _judged_dimensions(bench: CmiSamples, columns: Mapping[str, Mapping[str, str]]) -> list[Dimension]:
    """Return the dimensions that people judged in these datasets, musicality first."""
    judged = {name for dataset in bench.datasets for name in columns.get(dataset, ())}
    return [bench.dimensions[name] for name in DIMENSION_ORDER if name in judged]


DIMENSION_ORDER = ("musicality", "preference", "alignment")


def _restrict_to_datasets(metric: Metric, datasets: Mapping[str, Any]) -> Metric:
    """Restrict a metric to some datasets, because a dimension is rated in one and compared in another."""
    applies = metric.applies
    assert applies
    return replace(metric, applies=lambda sample: sample.meta.get("subset") in datasets and applies(sample))


def group_fields(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the metadata fields to break numbers down by."""
    fields = {
        "month": evaluation.musicarena_by_month,
        "modality": evaluation.cmi_by_modality,
        "ref_subset": True,
        "modality_type": True,
        "confidence_alignment": evaluation.cmi_by_confidence,
        "confidence_musicality": evaluation.cmi_by_confidence,
        "duration_bin": evaluation.by_duration,
    }
    return tuple(name for name, is_included in fields.items() if is_included)
