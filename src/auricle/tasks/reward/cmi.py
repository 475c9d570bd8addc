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
from auricle.core.types import Input, Json, Rejected, Sample
from auricle.data.rows import Row, count, revision, rows
from auricle.metrics.base import Metric
from auricle.metrics.preference import Ties, preference_metrics
from auricle.metrics.rewards import FOLDS, Dimension, score_metrics
from auricle.tasks.base import Task
from auricle.tasks.options import listed
from auricle.tasks.reward.cmi_rows import (
    ABOUT,
    DATASETS,
    OUTPUTS,
    PREFERENCES,
    RATINGS,
    dataset_of,
    groups_of,
    is_there,
    truths_of,
)
from auricle.tasks.reward.evaluation import Evaluation
from auricle.tasks.reward.questions import Asking, wanted

NAME = "cmi-rewardbench"
EXAMPLE = f"`auricle run {NAME} -T dataset_jsonl=all_test.jsonl -T dataset_root=DIR -m MODEL`"
EVALUATION = ("by_duration", "duration_bin")
"""Options that have the last word over a YAML file."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Samples of upstream's JSONL: one split of it, of one dataset or of all four."""

    path: Path
    root: Path
    split: str
    datasets: tuple[str, ...]
    evaluation: Evaluation
    dimensions: Mapping[str, Dimension]
    """What is rated, by name, and how it is read from a model's answers."""

    def __iter__(self) -> Iterator[Sample | Rejected]:
        for at, row in enumerate(rows(self.path)):
            if isinstance(row, Rejected):
                yield row
            elif (found := self._taken(at, row)) is not None:
                yield found

    def __len__(self) -> int:
        return count(self.path) or 0

    def peek(self) -> None:
        """Refuse a file that holds nothing of what was asked for."""
        if next(iter(self), None) is None:
            seen = {str(row.values.get("split", "")) for row in self._rows()}
            sources = {str(row.values.get("source", ""))[:40] for row in self._rows()}
            raise DataError(
                f"{self.path} has no row of {', '.join(self.datasets)} in the split "
                f"{self.split!r}; its splits are {_some(seen)}, its sources {_some(sources)}."
            )

    @property
    def revision(self) -> str:
        part = self.datasets[0].lower() if len(self.datasets) == 1 else "all"
        return f"{self.split}.{part}@{revision(self.path)}"

    def notes(self) -> list[str]:
        """What people said and nobody can count: such rows are asked about, and not scored."""
        odd: dict[str, list[str]] = {}
        for row in self._rows():
            name = dataset_of(str(row.values.get("source") or ""))
            if name in self.datasets and self._in_split(row):
                for column in truths_of(name, row.values)[1]:
                    odd.setdefault(f"{name}: {column}", []).append(row.origin)
        return [
            f"{name} says nothing that can be counted in {len(where)} "
            f"row{'s' * (len(where) > 1)}, such as {where[0]}: left out there."
            for name, where in odd.items()
        ]

    def _rows(self) -> Iterator[Row]:
        return (row for row in rows(self.path) if isinstance(row, Row))

    def _in_split(self, row: Row) -> bool:
        return str(row.values.get("split", "")) == self.split

    def _taken(self, at: int, row: Row) -> Sample | Rejected | None:
        """The sample of a row that was asked for."""
        if not self._in_split(row):
            return None
        source = str(row.values.get("source") or "")
        name = dataset_of(source)
        if name is None:
            known = "PAM, MusicEval, SongEval, Music Arena, cmi-arena-annotation"
            alone = len(self.datasets) < len(DATASETS)
            reason = f"source {source[:80]!r} is none of {known}"
            return None if alone else Rejected(row.origin, reason)
        return self._sample(name, at, row) if name in self.datasets else None

    def _sample(self, name: str, at: int, row: Row) -> Sample:
        values = {key: each for key, each in row.values.items() if each is not None}
        inputs = self._inputs(name, values)
        groups = {**groups_of(name, values), **self._duration(inputs)}
        meta = {field: groups[field] for field in fields_of(self.evaluation) if field in groups}
        return Sample(
            id=f"{name.lower()}-{at}",
            inputs=inputs,
            target=truths_of(name, values)[0],
            meta={"subset": name, **meta, "row": row.values},
            origin=row.origin,
        )

    def _inputs(self, name: str, values: Mapping[str, Any]) -> dict[str, Input]:
        """Sounds and texts; what is empty or null is absent."""
        paired = name in PREFERENCES
        sounds = {"a": "audio-path", "b": "audio2"} if paired else {"audio": "audio-path"}
        sounds = {**sounds, "ref_audio": "ref-audio-path"}
        texts = {"text": "prompt", "lyrics": "lyrics"}
        return {
            **{
                name: Audio.of(str(self.root / str(values[column])))
                for name, column in sounds.items()
                if is_there(values.get(column))
            },
            **{
                name: str(values[column])
                for name, column in texts.items()
                if is_there(values.get(column))
            },
        }

    def _duration(self, inputs: Mapping[str, Input]) -> dict[str, Json]:
        """The bin that a sound's length falls into, or the mean of two; if that is asked for."""
        if not self.evaluation.by_duration:
            return {}
        known = [_seconds(inputs[name]) for name in ("audio", "a", "b") if name in inputs]
        told = [each for each in known if each is not None]
        if not told:
            return {}
        label = self.evaluation.bin_of(sum(told) / len(told))
        return {"duration_bin": label} if label else {}


def _seconds(sound: Any) -> float | None:
    try:
        return float(sound.seconds)
    except AudioError:  # told when it is asked about
        return None


def _some(values: set[str], most: int = 5) -> str:
    shown = sorted(values)[:most]
    return ", ".join(map(repr, shown)) + (", …" if len(values) > most else "")


# --- tasks -----------------------------------------------------------------------------------


def cmi_rewardbench(
    dataset_jsonl: str = "",
    dataset_root: str = "",
    split: str = "",
    subset: str = "all",
    eval_yaml: str = "",
    **given: Any,
) -> Task:
    """All of CMI-RewardBench, or one of its four datasets."""
    asking, rest = Asking.of(given, ties="upstream")
    evaluation = _evaluation(
        eval_yaml, {name: rest.pop(name) for name in EVALUATION if name in rest}
    )
    names = {name: rest.pop(name, "") for name in ("name", "metrics", "by", "cluster")}
    if rest:
        raise SpecError(f"{NAME} takes no option {', '.join(rest)}.", where=(next(iter(rest)),))
    datasets = _datasets(subset)
    about = _asked(datasets)
    dimensions = {
        name: asking.dimension(name, ABOUT.get(name, name), about) for name in (*OUTPUTS, *ABOUT)
    }
    bench = Bench(
        path=_file(dataset_jsonl),
        root=Path(dataset_root).expanduser() if dataset_root else _file(dataset_jsonl).parent,
        split=split or evaluation.split,
        datasets=datasets,
        evaluation=evaluation,
        dimensions=dimensions,
    )
    return Task(
        bench,
        asking.inferencer(about),
        wanted(_metrics(bench, asking.ties), listed(names["metrics"])),
        name=names["name"] or (NAME if subset == "all" else datasets[0].lower()),
        licence="CC BY-NC-SA 4.0",
        source="github.com/Haiwen-Xia/CMI-RewardBench",
        cluster=names["cluster"],
        by=tuple(listed(names["by"])),
    )


def pam(**given: Any) -> Task:
    """PAM's music: ratings of musicality and alignment."""
    return cmi_rewardbench(**{**given, "subset": "PAM"})


def musiceval(**given: Any) -> Task:
    """MusicEval: ratings of musicality."""
    return cmi_rewardbench(**{**given, "subset": "MusicEval"})


def musicarena(**given: Any) -> Task:
    """Music Arena: which of two is preferred."""
    return cmi_rewardbench(**{**given, "subset": "MusicArena"})


def cmi_pref(**given: Any) -> Task:
    """CMI-Pref: which of two is better music, and which fits better."""
    return cmi_rewardbench(**{**given, "subset": "CMI-Pref"})


def _datasets(subset: str) -> tuple[str, ...]:
    known = {name.lower(): name for name in DATASETS}
    if subset == "all":
        return DATASETS
    if str(subset).lower() not in known:
        raise SpecError(
            f"subset is one of all, {', '.join(DATASETS)}, not {subset!r}.", where=("subset",)
        )
    return (known[subset.lower()],)


def _file(given: str) -> Path:
    if not given:
        raise SpecError(f"{NAME} needs upstream's JSONL: {EXAMPLE}.", where=("dataset_jsonl",))
    return Path(given).expanduser()


def _evaluation(path: str, given: Mapping[str, Any]) -> Evaluation:
    base = Evaluation.read(Path(path)) if path else Evaluation()
    return base.saying(given)


def _asked(datasets: Iterable[str]) -> list[str]:
    """What a model that writes is asked about: only what people judged, too."""
    judged = {
        name for each in datasets for name in (*RATINGS.get(each, ()), *PREFERENCES.get(each, ()))
    }
    return [name for name in OUTPUTS if name in {ABOUT.get(each, each) for each in judged}]


def _metrics(bench: Bench, ties: Ties) -> list[Metric]:
    """Accuracy where there are pairs, correlations where there are ratings; each dimension once."""
    wanted_by = {"lcc": bench.evaluation.include_lcc, "ktau": bench.evaluation.include_k_tau}
    names = [name for name in FOLDS if wanted_by.get(name, True)]
    found: list[Metric] = []
    for each in _rated_in(bench, PREFERENCES):
        found += [_of(metric, PREFERENCES) for metric in preference_metrics(each, ties)]
    for each in _rated_in(bench, RATINGS):
        found += [_of(metric, RATINGS) for metric in score_metrics(each, names)]
    return found


def _rated_in(bench: Bench, columns: Mapping[str, Mapping[str, str]]) -> list[Dimension]:
    """The dimensions that people judged in some of these datasets, musicality first."""
    judged = {name for dataset in bench.datasets for name in columns.get(dataset, ())}
    return [bench.dimensions[name] for name in ORDER if name in judged]


ORDER = ("musicality", "preference", "alignment")


def _of(metric: Metric, datasets: Mapping[str, Any]) -> Metric:
    """The same metric for those datasets alone: what is a rating in one is a choice in another."""
    rated = metric.applies
    assert rated
    return replace(
        metric,
        applies=lambda sample: sample.meta.get("subset") in datasets and rated(sample),
    )


def fields_of(evaluation: Evaluation) -> tuple[str, ...]:
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
