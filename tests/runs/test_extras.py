"""Documents that features add to `metrics.json`."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from auricle import Spec, evaluate
from auricle.core.errors import DataError
from auricle.report.terminal import format_readings
from auricle.runs.extras import EXTRAS, Extra
from auricle.runs.integrity import verify_run
from auricle.runs.metrics import Metrics, ModelFacts, TaskFacts, read_metrics, write_metrics

EMPTY = Metrics(task=TaskFacts("t"), model=ModelFacts("m"))


@dataclass(frozen=True, slots=True)
class Weather:
    """What a feature adds."""

    degrees: float


class WeatherExtra(Extra):
    """The weather during a run."""

    kind: ClassVar[Any] = Weather | None
    file = "weather.json"

    def load(self, run_path: Path, metrics: Metrics) -> Weather:
        return Weather(20.0 + len(metrics.overall))

    def describe(self, document: Weather | None) -> str:
        return f"It was {document.degrees:g} degrees." if document else ""

    def check(self, run_path: Path) -> None:
        if (run_path / self.file).exists():
            raise DataError(f"{run_path / self.file}: damaged")


@pytest.fixture
def weather(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS._registered, "weather", WeatherExtra)


@pytest.fixture
def run(tmp_path: Path, weather: None) -> Path:
    evaluate(Spec(task="demo", model="echo", limit=2), tmp_path / "run")
    return tmp_path / "run"


def test_those_of_our_features_are_fields_of_the_document_even_if_empty(tmp_path: Path) -> None:
    write_metrics(tmp_path, EMPTY)
    document = json.loads((tmp_path / "metrics.json").read_text())
    names = [*document]
    at = names.index("audit")
    assert names[at - 1 : at + 4] == ["derived", "audit", "judge_checks", "people_correlations", "parts"]
    assert (document["audit"], document["judge_checks"], document["people_correlations"]["rows"]) == (None, [], [])
    assert "extras" not in document


def test_one_is_computed_with_the_numbers_stored_under_its_name_and_read_again(run: Path) -> None:
    stored = json.loads((run / "metrics.json").read_text())["weather"]
    metrics = read_metrics(run)
    assert metrics.extras["weather"] == Weather(stored["degrees"]) == Weather(20.0 + len(metrics.overall))


def test_a_document_without_it_has_none(tmp_path: Path, weather: None) -> None:
    write_metrics(tmp_path, EMPTY)
    assert read_metrics(tmp_path).extras["weather"] is None


def test_its_line_is_shown_below_how_answers_were_read(run: Path) -> None:
    metrics = replace(EMPTY, extras={"weather": Weather(3.5)})
    assert format_readings(metrics, run) == ["It was 3.5 degrees."]


def test_its_file_is_verified(run: Path) -> None:
    assert verify_run(run).is_intact
    (run / "weather.json").touch()
    assert [problem.describe() for problem in verify_run(run).problems] == ["weather.json damaged"]


def test_a_field_of_another_type_is_named(tmp_path: Path) -> None:
    write_metrics(tmp_path, EMPTY)
    path = tmp_path / "metrics.json"
    path.write_text(path.read_text().replace('"judge_checks": []', '"judge_checks": {}'))
    with pytest.raises(DataError, match="judge_checks: expected a list, not an object"):
        read_metrics(tmp_path)
