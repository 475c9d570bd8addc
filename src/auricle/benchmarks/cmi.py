"""CMI-RewardBench: PAM and MusicEval (ratings), Music Arena and CMI-Pref (preferences).

Rows are read from the authors' JSONL file. The column `source` decides which dataset a row belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import chain, pairwise
from pathlib import Path, PurePath
from typing import Any, ClassVar, cast

from auricle.benchmarks.base import Benchmark, about
from auricle.benchmarks.sources import BenchmarkPart, BenchmarkSamples, Items, find_below
from auricle.core.arguments import Argument, describe_options
from auricle.core.errors import AudioError, DataError, SpecError
from auricle.core.types import Input, Json, RejectedRow, Sample
from auricle.core.yaml_files import read_yaml
from auricle.data.file_formats import Row, convert_row, file_revision, read_rows
from auricle.data.manifest import ColumnMapping, check_storable
from auricle.engine.task import Task
from auricle.engine.task_options import check_option, split_list
from auricle.media import Audio
from auricle.metrics.base import Metric
from auricle.metrics.capabilities import Restricted
from auricle.tasks.rewards.kinds import RewardOptions, has_value, select_metrics
from auricle.tasks.rewards.preference import TiePolicy, preference_metrics
from auricle.tasks.rewards.ratings import RATING_METRICS, Dimension, rating_metrics

# --- columns: the dataset of a row, its ratings or preferences, and its groups -----------------

DATASETS = ("PAM", "MusicEval", "MusicArena", "CMI-Pref")
RATING_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "PAM": {"musicality": "musicality", "alignment": "text-music alignment"},
    "MusicEval": {"musicality": "musicality"},
}
"""The rating columns of each dataset, by dimension."""
PREFERENCE_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "MusicArena": {"preference": "preference"},
    "CMI-Pref": {"alignment": "preference-alignment", "musicality": "preference-musicality"},
}
"""The preference columns of each dataset, by dimension."""
ASKED_AS: Mapping[str, str] = {"preference": "musicality"}
"""Votes of Music Arena are compared with musicality."""
OUTPUT_DIMENSIONS = ("alignment", "musicality")
CHOICE_ALIASES = {"a": "a", "b": "b", "model_a": "a", "model_b": "b", "both": "tie", "neither": "tie"}
"""Values of the preference columns; any other value is invalid."""
MODALITIES = ("text", "text+lyrics", "text+ref", "text+lyrics+ref")


def detect_dataset(source: str) -> str | None:
    """Return the dataset of a row, or None if its source is unknown."""
    if "PAM" in source:
        return "PAM"
    if "Music Arena" in source:
        return "MusicArena"
    return {"MusicEval": "MusicEval", "SongEval": "MusicEval", "cmi-arena-annotation": "CMI-Pref"}.get(source)


def parse_targets(dataset: str, values: Mapping[str, Any]) -> tuple[dict[str, Json], list[str]]:
    """Return the ratings or preferences of a row by dimension, and the columns without a valid value."""
    is_rated = dataset in RATING_COLUMNS
    columns = (RATING_COLUMNS if is_rated else PREFERENCE_COLUMNS)[dataset]
    targets: dict[str, Json] = {}
    for name, column in columns.items():
        value = values.get(column)
        target = _parse_rating(value) if is_rated else CHOICE_ALIASES.get(str(value).strip().lower())
        if target is not None:
            targets[name] = target
    return targets, [column for name, column in columns.items() if name not in targets]


def _parse_rating(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def assign_groups(dataset: str, values: Mapping[str, Any]) -> dict[str, Json]:
    """Return the groups of a row, as in the authors' tables."""
    if dataset == "MusicArena":
        return {"month": find_month(values)}
    return _cmi_pref_groups(values) if dataset == "CMI-Pref" else {}


def find_month(values: Mapping[str, Any]) -> str:
    """Return the month of a row: the second folder below `MusicArena_data` in its paths."""
    for column in ("audio-path", "audio2"):
        parts = PurePath(str(values.get(column) or "").strip()).parts
        if "MusicArena_data" in parts:
            index = parts.index("MusicArena_data") + 2
            if index < len(parts):
                return parts[index]
    return "unknown"


def _cmi_pref_groups(values: Mapping[str, Any]) -> dict[str, Json]:
    columns = {"lyrics": "lyrics", "ref": "ref-audio-path"}
    present = [name for name, column in columns.items() if has_value(values.get(column))]
    modality = str(values.get("modality") or "").strip() or "+".join(["text", *present])
    groups: dict[str, Json] = {"modality": modality}
    if modality in MODALITIES:
        groups["ref_subset"] = "ref" if modality.endswith("+ref") else "no_ref"
        groups["modality_type"] = "vocal" if "lyrics" in modality else "instru"
    for name in OUTPUT_DIMENSIONS:
        confidence = _parse_rating(values.get(f"confidence_preference-{name}"))
        if confidence is not None:
            groups[f"confidence_{name}"] = "=3" if confidence == 3 else "<3" if confidence < 3 else ">3"
    return groups


# --- evaluation settings in the authors' YAML format -------------------------------------------

DURATION_BINS = (10.0, 30.0, 60.0, 120.0, 500.0)


@dataclass(frozen=True)
class Evaluation:
    """Evaluation settings; without a file, those of the authors' file."""

    split: str = "test"
    include_lcc: bool = True
    include_k_tau: bool = True
    musicarena_by_month: bool = True
    cmi_by_modality: bool = True
    cmi_by_confidence: bool = True
    by_duration: bool = False
    duration_bin: tuple[float, ...] = DURATION_BINS
    summary_csv: str = "metrics_summary.csv"
    detail_csv: str = "metrics_detail.csv"
    json: str = "metrics.json"

    @classmethod
    def read(cls, path: Path) -> Evaluation:
        """Read a YAML file; like in the authors' program, metrics and groups that it does not name are left out."""
        document = read_yaml(path)
        evaluation = cls().with_values({option.name: False for option in fields(cls) if option.type == "bool"})
        for section, names in SECTIONS.items():
            values = document.get(section) or {}
            if not isinstance(values, Mapping):
                raise SpecError(f"{path}: {section} must contain `name: value` lines.")
            settings = {name: values[name] for name in names if name in values}
            evaluation = evaluation.with_values(settings, f"{path}: {section}.")
        return evaluation

    def with_values(self, values: Mapping[str, Any], prefix: str = "") -> Evaluation:
        """Return a copy with other values."""
        return replace(self, **{name: _check_value(name, value, prefix) for name, value in values.items()})

    def document(self) -> dict[str, Any]:
        """Return the settings in the format of the YAML file, for `metrics.json`."""
        bins = self.duration_bin
        return {
            section: {name: list(bins) if name == "duration_bin" else getattr(self, name) for name in names}
            for section, names in SECTIONS.items()
        }

    @property
    def files(self) -> tuple[str, str, str]:
        """The names of the two tables and of the JSON file."""
        return self.summary_csv, self.detail_csv, self.json

    def find_duration_bin(self, seconds: float) -> str | None:
        """Return the bin of a duration in the authors' notation; the last bin includes its end."""
        edges = self.duration_bin
        last = len(edges) - 2
        for index, (left, right) in enumerate(pairwise(edges)):
            if left <= seconds < right or (index == last and seconds == right):
                return f"[{left:g},{right:g}{']' if index == last else ')'}"
        return None


SECTIONS: Mapping[str, tuple[str, ...]] = {
    "filter": ("split",),
    "metrics": ("include_lcc", "include_k_tau"),
    "groups": ("musicarena_by_month", "cmi_by_confidence", "cmi_by_modality", "by_duration", "duration_bin"),
    "outputs": ("summary_csv", "detail_csv", "json"),
}


def _check_value(name: str, value: Any, prefix: str) -> Any:
    if name == "duration_bin":
        return _parse_bins(value, prefix)
    expected_type = type(getattr(Evaluation, name))
    expected = "true or false" if expected_type is bool else "text"
    check_option(f"{prefix}{name}", value, isinstance(value, expected_type), expected)
    is_file_name = expected_type is str and name != "split"
    is_valid = not is_file_name or Path(value).name == value
    return check_option(f"{prefix}{name}", value, is_valid, "a file name without folders")


def _parse_bins(value: Any, prefix: str) -> tuple[float, ...]:
    items = value.split(",") if isinstance(value, str) else value
    try:
        edges = tuple(float(item) for item in items)
    except (TypeError, ValueError):
        edges = ()
    is_valid = len(edges) > 1 and list(edges) == sorted(set(edges))
    check_option(f"{prefix}duration_bin", value, is_valid, "two or more increasing numbers of seconds")
    return edges


# --- samples and tasks -------------------------------------------------------------------------

FILE_NAME = "all_test.jsonl"
FILE_PLACES = (FILE_NAME, f"data/{FILE_NAME}")
"""Where the file is, relative to a folder: in it, or in a checkout of the authors' repository."""
LOCATION_OPTIONS = ("dataset_jsonl", "dataset_root", "root")
EVALUATION_OPTIONS = ("by_duration", "duration_bin")
TASK_OPTIONS = ("name", "metrics", "by", "cluster")
"""Options that override the YAML file."""
DIMENSION_ORDER = ("musicality", "preference", "alignment")


@dataclass(frozen=True)
class CmiSamples(BenchmarkSamples):
    """Samples of one split of the authors' JSONL file, from one dataset or from all four."""

    media_columns: ClassVar[tuple[str, ...]] = ("audio-path", "audio2", "ref-audio-path")

    datasets: tuple[str, ...] = DATASETS
    evaluation: Evaluation = field(default_factory=Evaluation)
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)
    """The rated dimensions by name, with how each is read from a model's answers."""

    def __iter__(self) -> Iterator[Sample | RejectedRow]:
        """Yield one dataset after the other, as the authors' program does; its batches never contain two."""
        datasets: dict[object, list[tuple[int, Row]]] = {name: [] for name in self.datasets}
        for index, row in enumerate(read_rows(self.path)):
            if isinstance(row, RejectedRow):
                yield row
            elif self._is_selected(row):
                datasets.setdefault(detect_dataset(str(row.values.get("source") or "")), []).append((index, row))
        for index, row in chain.from_iterable(datasets.values()):
            yield convert_row(row.origin, self._to_sample, index, row)

    def __len__(self) -> int:
        return sum(isinstance(row, RejectedRow) or self._is_selected(row) for row in read_rows(self.path))

    def items(self) -> Items:
        """Return all rows of the file, because ids are row numbers."""
        return self.bench.read(self.path, self.part)

    def validate(self) -> None:
        """Raise an error if the file has no rows of the selected datasets and split."""
        if next(iter(self), None) is None:
            splits, sources = ({str(row.values.get(name, "")) for row in self._rows()} for name in ("split", "source"))
            raise DataError(
                f"{self.path} has no rows of {', '.join(self.datasets)} in the split {self.part['split']!r}. "
                f"Its splits: {_format_examples(splits)}. Its sources: {_format_examples(sources)}."
            )

    @property
    def revision(self) -> str:
        part = self.datasets[0].lower() if len(self.datasets) == 1 else "all"
        return f"{self.part['split']}.{part}@{file_revision(self.path)}"

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
        return str(row.values.get("split", "")) == self.part["split"]

    def _is_selected(self, row: Row) -> bool:
        """Return whether a row belongs to the split and a selected dataset; rows of no known dataset belong to all."""
        if not self._in_split(row):
            return False
        name = detect_dataset(str(row.values.get("source") or ""))
        return self.datasets == DATASETS if name is None else name in self.datasets

    def _to_sample(self, index: int, row: Row) -> Sample | RejectedRow:
        source = str(row.values.get("source") or "")
        name = detect_dataset(source)
        if name is None:
            expected = "PAM, MusicEval, SongEval, Music Arena, cmi-arena-annotation"
            return RejectedRow(row.origin, f"unknown source {source[:80]!r}: expected one of {expected}")
        return check_storable(self._sample(name, index, row))

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
        columns = {**recordings, "ref_audio": "ref-audio-path", "text": "prompt", "lyrics": "lyrics"}
        cells = {name: str(values[column]) for name, column in columns.items() if has_value(values.get(column))}
        return {
            name: cell if name in ("text", "lyrics") else Audio.of(str(self._base_dir / cell))
            for name, cell in cells.items()
        }

    def _duration_group(self, inputs: Mapping[str, Input]) -> dict[str, Json]:
        """Return the duration bin of a recording, or of the mean of two, if grouping by duration is on."""
        if not self.evaluation.by_duration:
            return {}
        seconds: list[float] = []
        for audio in [cast(Audio, inputs[name]) for name in ("audio", "a", "b") if name in inputs]:
            with suppress(AudioError):  # reported when the sample is sent
                seconds.append(audio.seconds)
        if not seconds:
            return {}
        label = self.evaluation.find_duration_bin(sum(seconds) / len(seconds))
        return {"duration_bin": label} if label else {}


def _format_examples(values: set[str], limit: int = 5) -> str:
    shown = [repr(value[:40]) for value in sorted(values)[:limit]]
    return ", ".join(shown) + (", …" if len(values) > limit else "")


@dataclass(frozen=True, kw_only=True)
class CmiBenchmark(Benchmark):
    """CMI-RewardBench, or one of its four datasets."""

    dataset: str = ""
    """The only dataset; by default, the option `subset` selects one or all."""

    def __call__(self, **arguments: Any) -> Task:
        """Build the task.

        Args:
            **arguments: `dataset_jsonl` (the authors' JSONL file) and `dataset_root` (the folder that its paths are
                relative to), or `root` (a folder with both, or a checkout); for the others, see docs/reward.md.
        """
        options, rest = RewardOptions.from_arguments(arguments, ties="upstream")
        path, folder = self._locate({name: str(rest.pop(name, "")) for name in LOCATION_OPTIONS})
        evaluation = Evaluation.read(Path(text)) if (text := rest.pop("eval_yaml", "")) else Evaluation()
        evaluation = evaluation.with_values({name: rest.pop(name) for name in EVALUATION_OPTIONS if name in rest})
        part = {"split": rest.pop("split", "") or evaluation.split, "subset": self.dataset or rest.pop("subset", "all")}
        rest.pop("subset", "")
        own_options = {name: rest.pop(name, "") for name in TASK_OPTIONS}
        if rest:
            raise SpecError(f"Unknown option of {self.name}: {', '.join(rest)}.", location=(next(iter(rest)),))
        datasets = _resolve_datasets(part["subset"])
        asked = _asked_dimensions(datasets)
        dimensions = {
            name: options.build_dimension(name, ASKED_AS.get(name, name), asked)
            for name in (*OUTPUT_DIMENSIONS, *ASKED_AS)
        }
        samples = CmiSamples(
            path,
            ColumnMapping(target_columns=()),
            root=folder,
            bench=self,
            part=part,
            datasets=datasets,
            evaluation=evaluation,
            dimensions=dimensions,
        )
        return Task(
            samples,
            options.build_inferencer(asked),
            select_metrics(_build_metrics(samples, options.ties), split_list(own_options["metrics"])),
            name=own_options["name"] or (self.name if part["subset"] == "all" else datasets[0].lower()),
            version=self.version,
            licence=self.licence,
            source=self.source,
            citation=self.citation,
            cluster=own_options["cluster"],
            group_by=tuple(split_list(own_options["by"])),
            metrics_depend_on_output=True,
        )

    def describe_arguments(self) -> list[Argument]:
        """Describe the location of the data, the dataset, and the options of reward tasks."""
        location = [
            Argument("root", "folder", help="A folder with the authors' JSONL file and the recordings, or a checkout."),
            Argument("dataset_jsonl", "file", help="The authors' JSONL file.", is_common=False),
            Argument("dataset_root", "folder", help="The folder that its paths are relative to.", is_common=False),
        ]
        subset = [Argument(name, "choice", of[0], tuple(of)) for name, of in self.options.items()]
        return [
            *location,
            *subset,
            *describe_options(RewardOptions),
            *(Argument(name, is_common=False) for name in TASK_OPTIONS),
        ]

    def _locate(self, location: Mapping[str, str]) -> tuple[Path, Path]:
        """Return the JSONL file and the folder that its paths are relative to."""
        file, folder, root = (Path(text).expanduser() if text else None for text in location.values())
        if file:
            return file, folder or root or file.parent
        if root:
            path = find_below(root, *FILE_PLACES)
            return path, folder or path.parent
        raise SpecError(
            f"{self.name} needs the authors' JSONL file: "
            f"`auricle run {self.name} -T dataset_jsonl={FILE_NAME} -T dataset_root=DIR -m MODEL`, "
            "or run the command in a checkout of CMI-RewardBench.",
            location=("dataset_jsonl",),
        )

    def resolve_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments with the working directory as `root` if it has the file and no other is named."""
        is_located = any(arguments.get(name) for name in ("dataset_jsonl", "root"))
        has_file = any(Path(place).is_file() for place in FILE_PLACES)
        return arguments if is_located or not has_file else {**arguments, "root": "."}

    def prepared_task(self, manifest: str, arguments: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
        others = {name: value for name, value in arguments.items() if name not in LOCATION_OPTIONS}
        return [self.name], {"dataset_jsonl": manifest, **others}


def _read(path: Path, _part: BenchmarkPart) -> Items:
    return (row if isinstance(row, RejectedRow) else dict(row.values) for row in read_rows(path))


def _benchmark(name: str, title: str, kind: str, dataset: str = "") -> CmiBenchmark:
    return CmiBenchmark(
        **about(name, title, kind, licence="CC BY-NC-SA 4.0"),
        source="github.com/Haiwen-Xia/CMI-RewardBench",
        splits={"test": None},
        options={} if dataset else {"subset": ("all", *DATASETS)},
        describe_part=lambda part: [] if part["subset"] in ("all", dataset) else [part["subset"]],
        layout=f"{FILE_NAME} and the recordings that it lists",
        read=_read,
        dataset=dataset,
    )


CMI_REWARDBENCH = _benchmark("cmi-rewardbench", "CMI-RewardBench", "reward")
PAM = _benchmark("pam", "PAM", "reward", "PAM")
MUSICEVAL = _benchmark("musiceval", "MusicEval", "reward", "MusicEval")
MUSICARENA = _benchmark("musicarena", "Music Arena", "preference", "MusicArena")
CMI_PREF = _benchmark("cmi-pref", "CMI-Pref", "preference", "CMI-Pref")


def _resolve_datasets(subset: str) -> tuple[str, ...]:
    by_name = {name.lower(): name for name in DATASETS}
    if subset == "all":
        return DATASETS
    if str(subset).lower() not in by_name:
        raise SpecError(f"Invalid subset {subset!r}: expected one of all, {', '.join(DATASETS)}.", location=("subset",))
    return (by_name[subset.lower()],)


def _asked_dimensions(datasets: Iterable[str]) -> list[str]:
    """Return the dimensions to ask a text-generating model about: those that people rated."""
    columns = [{**RATING_COLUMNS.get(name, {}), **PREFERENCE_COLUMNS.get(name, {})} for name in datasets]
    asked = {ASKED_AS.get(dimension, dimension) for dimensions in columns for dimension in dimensions}
    return [dimension for dimension in OUTPUT_DIMENSIONS if dimension in asked]


def _build_metrics(samples: CmiSamples, ties: TiePolicy) -> list[Metric]:
    """Build the metrics of each dimension that people judged: accuracy for pairs, correlations for ratings.

    A dimension that several datasets rate has metrics for each of them: raters and scales differ, so their ratings
    are not pooled.
    """
    included = {"lcc": samples.evaluation.include_lcc, "ktau": samples.evaluation.include_k_tau}
    names = [name for name in RATING_METRICS if included.get(name, True)]
    metrics: list[Metric] = []
    for columns in (PREFERENCE_COLUMNS, RATING_COLUMNS):
        for name in DIMENSION_ORDER:
            datasets = [dataset for dataset in samples.datasets if name in columns.get(dataset, ())]
            dimension_metrics = (
                preference_metrics(samples.dimensions[name], ties)
                if columns is PREFERENCE_COLUMNS
                else rating_metrics(samples.dimensions[name], names)
            )
            is_shared = len(datasets) > 1
            metrics += [_of_dataset(metric, dataset, is_shared) for dataset in datasets for metric in dimension_metrics]
    return metrics


def _of_dataset(metric: Metric, dataset: str, add_name: bool) -> Metric:
    """Restrict a metric to one dataset, whose name is added if others have the same metric."""
    assert isinstance(metric, Restricted)
    applies = metric.applies
    restricted = metric.replace(applies=lambda sample: sample.meta.get("subset") == dataset and applies(sample))
    if not add_name:
        return restricted
    return restricted.replace(name=f"{metric.name}.{dataset.lower()}", title=f"{metric.title}, {dataset}")


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
