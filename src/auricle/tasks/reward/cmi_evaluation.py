"""What a YAML file like CMI-RewardBench's says of evaluating: metrics, groups, file names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from auricle.core.errors import SpecError
from auricle.core.yaml_files import read_yaml

DURATION_BINS = (10.0, 30.0, 60.0, 120.0, 500.0)


@dataclass(frozen=True)
class Evaluation:
    """Which numbers and which groups are wanted; by default what upstream's own file says."""

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
        """What a file says; a section it lacks is as in upstream's own file."""
        given = read_yaml(path)
        found = cls()
        for section, names in SECTIONS.items():
            values = given.get(section) or {}
            if not isinstance(values, Mapping):
                raise SpecError(f"{path}: {section} should hold `name: value` lines.")
            said = {name: values[name] for name in names if name in values}
            found = found.with_values(said, f"{path}: {section}.")
        return found

    def with_values(self, values: Mapping[str, Any], prefix: str = "") -> Evaluation:
        """The same with other values."""
        found = {name: _check_value(name, value, prefix) for name, value in values.items()}
        return replace(self, **found)

    def document(self) -> dict[str, Any]:
        """The same as upstream's file has it, for those who look for it in `metrics.json`."""
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
        """How the tables and the document are called."""
        return self.summary_csv, self.detail_csv, self.json

    def find_duration_bin(self, seconds: float) -> str | None:
        """The bin a duration falls into, as upstream writes it; the last one includes its end."""
        edges = self.duration_bin
        last = len(edges) - 2
        for at in range(len(edges) - 1):
            left, right = edges[at], edges[at + 1]
            if left <= seconds < right or (at == last and seconds == right):
                return f"[{left:g},{right:g}{']' if at == last else ')'}"
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
    due = type(getattr(Evaluation, name))
    if not isinstance(value, due):
        what = "true or false" if due is bool else "text"
        raise SpecError(f"{prefix}{name} should be {what}, not {value!r}.", location=(name,))
    if due is str and name != "split" and Path(value).name != value:
        raise SpecError(f"{prefix}{name} should be a file's bare name, not {value!r}.")
    return value


def _parse_bins(value: Any, prefix: str) -> tuple[float, ...]:
    given = value.split(",") if isinstance(value, str) else value
    try:
        edges = tuple(float(each) for each in given)
    except (TypeError, ValueError):
        edges = ()
    if len(edges) < 2 or list(edges) != sorted(set(edges)):
        raise SpecError(
            f"{prefix}duration_bin should be two or more rising numbers of seconds, not {value!r}.",
            location=("duration_bin",),
        )
    return edges
