"""Evaluation settings in CMI-RewardBench's YAML format: metrics, groups and file names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.yaml_files import read_yaml
from auricle.tasks.options import check_option

DURATION_BINS = (10.0, 30.0, 60.0, 120.0, 500.0)


@dataclass(frozen=True)
class Evaluation:
    """Evaluation settings; the defaults are those of the authors' file."""

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
        """Read a YAML file; missing settings keep their defaults."""
        document = read_yaml(path)
        evaluation = cls()
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
        return {
            section: {
                name: list(value) if isinstance(value, tuple) else value
                for name in names
                for value in (getattr(self, name),)
            }
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
