"""A glance at the first rows, told before a large run."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Spec
from auricle.api import build_task
from auricle.cli.estimate import estimate_run
from auricle.runs.usage import Price


@pytest.fixture
def told(manifest: Any) -> Any:
    """The forecast of a manifest."""

    def tell(rows: Any, kind: str = "qa", held: int = 0, price: Any = None, total: str = "known") -> Any:
        spec = Spec(task=kind, task_args={"data": str(manifest(rows))}, model="echo")
        return estimate_run(build_task(spec), spec, len(rows) if total == "known" else None, held, price)

    return tell


def questions(number: Any) -> Any:
    return [{"id": str(at), "question": "four", "answer": "x"} for at in range(number)]


def sounds(number: Any, path: Any) -> Any:
    return [{"id": str(at), "audio": str(path), "text": "x"} for at in range(number)]


def test_a_small_run_is_not_forecast(told: Any) -> None:
    assert told(questions(20)) == ""


def test_a_large_run_is_forecast_with_its_hours(told: Any, tone: Any) -> None:
    line = told(sounds(1200, tone("a.wav", seconds=3)), kind="asr")
    assert line == "Forecast: 1,200 samples, about 1 h of audio."


def test_what_is_answered_already_is_not_forecast(told: Any, tone: Any) -> None:
    heard = sounds(2200, tone("a.wav"))
    assert told(heard, kind="asr", held=1500) == ""
    assert told(heard, kind="asr", held=1000).startswith("Forecast: 1,200 samples, about ")


def test_how_many_there_are_is_no_news(told: Any) -> None:
    assert told(questions(2200)) == ""


def test_with_prices_the_cost_is_forecast_with_answers_at_their_longest(told: Any) -> None:
    line = told(questions(10), price=Price("m", output=10))
    assert line.startswith("Forecast: 10 samples, up to 0.0512 USD (answers counted at their longest")


def test_the_tokens_of_sounds_are_said_not_to_be_counted(told: Any, tone: Any) -> None:
    line = told(sounds(5, tone("a.wav")), kind="asr", price=Price("m", input=1))
    assert "the tokens of sounds not counted" in line


def test_minutes_are_forecast_at_their_price(told: Any, tone: Any) -> None:
    price = Price("m", audio_minute=0.6)
    line = told(sounds(100, tone("a.wav", seconds=3)), kind="asr", price=price)
    assert "about 3.00 USD" in line


def test_an_unknown_number_of_samples_is_forecast_by_the_thousand(told: Any) -> None:
    line = told(questions(10), price=Price("m", request=0.01), total="unknown")
    assert line == "Forecast: an unknown number of samples, about 10.00 USD (for each 1,000)."


def test_samples_that_can_be_read_only_once_are_left_alone(tmp_path: Path, auricle: Any) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import Sample, Task\nfrom auricle.tasks.inferencers import Respond\n"
        "def once():\n"
        "    rows = (Sample(id=str(at), inputs={'question': 'x'}) for at in range(3))\n"
        "    return Task(samples=rows, inferencer=Respond('{question}'), metrics=[], name='once')\n"
    )
    spec = Spec(task=f"{tmp_path / 'mine.py'}:once", model="echo")
    task = build_task(spec)
    assert estimate_run(task, spec, None, 0, Price("m", request=1)) == ""
    assert len(list(task.samples)) == 3


def test_the_forecast_stands_before_the_run_on_stderr(auricle: Any, manifest: Any, tone: Any) -> None:
    heard = manifest(sounds(1000, tone("a.wav")))
    done = auricle("run", heard, "--as", "asr", "-m", "echo", "--json")
    assert done.stderr.splitlines()[0].startswith("Forecast: 1,000 samples, about ")
    json.loads(done.stdout)
