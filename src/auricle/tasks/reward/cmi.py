"""CMI-RewardBench: PAM and MusicEval (ratings), Music Arena and CMI-Pref (preferences).

Rows are upstream's own JSONL. Which of the four a row belongs to is told by its `source`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.audio import Audio
from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.types import Input, Json, RejectedRow, Sample
from auricle.data.row_files import Row, count_rows, file_revision, read_rows
from auricle.metrics.base import Metric
from auricle.metrics.preference import TiePolicy, preference_metrics
from auricle.metrics.ratings import RATING_METRICS, Dimension, score_metrics
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
"""Options that have the last word over a YAML file."""


@dataclass(frozen=True, kw_only=True)
class CmiSamples:
    """Samples of upstream's JSONL: one split of it, of one dataset or of all four."""

    path: Path
    root: Path
    split: str
    datasets: tuple[str, ...]
    evaluation: Evaluation
    dimensions: Mapping[str, Dimension]
    """What is rated, by name, and how it is read from a model's answers."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        for at, row in enumerate(read_rows(self.path)):
            if isinstance(row, RejectedRow):
                yield row
            elif (found := self._select_row(at, row)) is not None:
                yield found

    def __len__(self) -> int:
        return count_rows(self.path) or 0

    def validate(self) -> None:
        """Refuse a file that holds nothing of what was asked for."""
        if next(iter(self), None) is None:
            seen = {str(row.values.get("split", "")) for row in self._rows()}
            sources = {str(row.values.get("source", ""))[:40] for row in self._rows()}
            raise DataError(
                f"{self.path} has no row of {', '.join(self.datasets)} in the split "
                f"{self.split!r}; its splits are {_format_examples(seen)}, its sources {_format_examples(sources)}."
            )

    @property
    def revision(self) -> str:
        part = self.datasets[0].lower() if len(self.datasets) == 1 else "all"
        return f"{self.split}.{part}@{file_revision(self.path)}"

    def notes(self) -> list[str]:
        """What people said and nobody can count: such rows are asked about, and not scored."""
        odd: dict[str, list[str]] = {}
        for row in self._rows():
            name = detect_dataset(str(row.values.get("source") or ""))
            if name in self.datasets and self._in_split(row):
                for column in parse_targets(name, row.values)[1]:
                    odd.setdefault(f"{name}: {column}", []).append(row.origin)
        return [
            f"{name} says nothing that can be counted in {len(where)} "
            f"row{'s' * (len(where) > 1)}, such as {where[0]}: left out there."
            for name, where in odd.items()
        ]

    def _rows(self) -> Iterator[Row]:
        return (row for row in read_rows(self.path) if isinstance(row, Row))

    def _in_split(self, row: Row) -> bool:
        return str(row.values.get("split", "")) == self.split

    def _select_row(self, index: int, row: Row) -> Sample | RejectedRow | None:
        """The sample of a row that was asked for."""
        if not self._in_split(row):
            return None
        source = str(row.values.get("source") or "")
        name = detect_dataset(source)
        if name is None:
            known = "PAM, MusicEval, SongEval, Music Arena, cmi-arena-annotation"
            alone = len(self.datasets) < len(DATASETS)
            reason = f"source {source[:80]!r} is none of {known}"
            return None if alone else RejectedRow(row.origin, reason)
        return self._sample(name, index, row) if name in self.datasets else None

    def _sample(self, name: str, index: int, row: Row) -> Sample:
        values = {key: each for key, each in row.values.items() if each is not None}
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
        """Sounds and texts; what is empty or null is absent."""
        paired = name in PREFERENCE_COLUMNS
        sounds = {"a": "audio-path", "b": "audio2"} if paired else {"audio": "audio-path"}
        sounds = {**sounds, "ref_audio": "ref-audio-path"}
        texts = {"text": "prompt", "lyrics": "lyrics"}
        return {
            **{
                name: Audio.of(str(self.root / str(values[column])))
                for name, column in sounds.items()
                if has_value(values.get(column))
            },
            **{name: str(values[column]) for name, column in texts.items() if has_value(values.get(column))},
        }

    def _duration_group(self, inputs: Mapping[str, Input]) -> dict[str, Json]:
        """The bin that a sound's length falls into, or the mean of two; if that is asked for."""
        if not self.evaluation.by_duration:
            return {}
        known = [_audio_seconds(inputs[name]) for name in ("audio", "a", "b") if name in inputs]
        told = [each for each in known if each is not None]
        if not told:
            return {}
        label = self.evaluation.find_duration_bin(sum(told) / len(told))
        return {"duration_bin": label} if label else {}


def _audio_seconds(sound: Any) -> float | None:
    try:
        return float(sound.seconds)
    except AudioError:  # told when it is asked about
        return None


def _format_examples(values: set[str], limit: int = 5) -> str:
    shown = sorted(values)[:limit]
    return ", ".join(map(repr, shown)) + (", …" if len(values) > limit else "")


# --- tasks -----------------------------------------------------------------------------------


def cmi_rewardbench(
    dataset_jsonl: str = "",
    dataset_root: str = "",
    split: str = "",
    subset: str = "all",
    eval_yaml: str = "",
    **arguments: Any,
) -> Task:
    """All of CMI-RewardBench, or one of its four datasets."""
    asking, rest = RewardOptions.from_arguments(arguments, ties="upstream")
    evaluation = _load_evaluation(eval_yaml, {name: rest.pop(name) for name in EVALUATION_OPTIONS if name in rest})
    names = {name: rest.pop(name, "") for name in ("name", "metrics", "by", "cluster")}
    if rest:
        raise SpecError(f"{NAME} takes no option {', '.join(rest)}.", location=(next(iter(rest)),))
    datasets = _resolve_datasets(subset)
    about = _asked_dimensions(datasets)
    dimensions = {
        name: asking.build_dimension(name, ASKED_AS.get(name, name), about) for name in (*OUTPUT_DIMENSIONS, *ASKED_AS)
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
        asking.build_inferencer(about),
        select_metrics(_build_metrics(bench, asking.ties), split_list(names["metrics"])),
        name=names["name"] or (NAME if subset == "all" else datasets[0].lower()),
        licence="CC BY-NC-SA 4.0",
        source="github.com/Haiwen-Xia/CMI-RewardBench",
        cluster=names["cluster"],
        group_by=tuple(split_list(names["by"])),
    )


def pam(**arguments: Any) -> Task:
    """PAM's music: ratings of musicality and alignment."""
    return cmi_rewardbench(**{**arguments, "subset": "PAM"})


def musiceval(**arguments: Any) -> Task:
    """MusicEval: ratings of musicality."""
    return cmi_rewardbench(**{**arguments, "subset": "MusicEval"})


def musicarena(**arguments: Any) -> Task:
    """Music Arena: which of two is preferred."""
    return cmi_rewardbench(**{**arguments, "subset": "MusicArena"})


def cmi_pref(**arguments: Any) -> Task:
    """CMI-Pref: which of two is better music, and which fits better."""
    return cmi_rewardbench(**{**arguments, "subset": "CMI-Pref"})


def _resolve_datasets(subset: str) -> tuple[str, ...]:
    known = {name.lower(): name for name in DATASETS}
    if subset == "all":
        return DATASETS
    if str(subset).lower() not in known:
        raise SpecError(f"subset is one of all, {', '.join(DATASETS)}, not {subset!r}.", location=("subset",))
    return (known[subset.lower()],)


def _require_file(path: str) -> Path:
    if not path:
        raise SpecError(f"{NAME} needs upstream's JSONL: {EXAMPLE}.", location=("dataset_jsonl",))
    return Path(path).expanduser()


def _load_evaluation(path: str, overrides: Mapping[str, Any]) -> Evaluation:
    base = Evaluation.read(Path(path)) if path else Evaluation()
    return base.with_values(overrides)


def _asked_dimensions(datasets: Iterable[str]) -> list[str]:
    """What a model that writes is asked about: only what people judged, too."""
    judged = {name for each in datasets for name in (*RATING_COLUMNS.get(each, ()), *PREFERENCE_COLUMNS.get(each, ()))}
    return [name for name in OUTPUT_DIMENSIONS if name in {ASKED_AS.get(each, each) for each in judged}]


def _build_metrics(bench: CmiSamples, ties: TiePolicy) -> list[Metric]:
    """Accuracy where there are pairs, correlations where there are ratings; each dimension once."""
    wanted_by = {"lcc": bench.evaluation.include_lcc, "ktau": bench.evaluation.include_k_tau}
    names = [name for name in RATING_METRICS if wanted_by.get(name, True)]
    found: list[Metric] = []
    for each in _judged_dimensions(bench, PREFERENCE_COLUMNS):
        found += [_restrict_to_datasets(metric, PREFERENCE_COLUMNS) for metric in preference_metrics(each, ties)]
    for each in _judged_dimensions(bench, RATING_COLUMNS):
        found += [_restrict_to_datasets(metric, RATING_COLUMNS) for metric in score_metrics(each, names)]
    return found


def _judged_dimensions(bench: CmiSamples, columns: Mapping[str, Mapping[str, str]]) -> list[Dimension]:
    """The dimensions that people judged in some of these datasets, musicality first."""
    judged = {name for dataset in bench.datasets for name in columns.get(dataset, ())}
    return [bench.dimensions[name] for name in DIMENSION_ORDER if name in judged]


DIMENSION_ORDER = ("musicality", "preference", "alignment")


def _restrict_to_datasets(metric: Metric, datasets: Mapping[str, Any]) -> Metric:
    """The same metric for those datasets alone: what is a rating in one is a choice in another."""
    rated = metric.applies
    assert rated
    return replace(metric, applies=lambda sample: sample.meta.get("subset") in datasets and rated(sample))


def group_fields(evaluation: Evaluation) -> tuple[str, ...]:
    """The meta fields that numbers are broken down by: upstream's groups, if they are wanted."""
    found = {
        "month": evaluation.musicarena_by_month,
        "modality": evaluation.cmi_by_modality,
        "ref_subset": True,
        "modality_type": True,
        "confidence_alignment": evaluation.cmi_by_confidence,
        "confidence_musicality": evaluation.cmi_by_confidence,
        "duration_bin": evaluation.by_duration,
    }
    return tuple(name for name, is_wanted in found.items() if is_wanted)
