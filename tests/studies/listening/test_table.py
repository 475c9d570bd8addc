"""The table of a listening check in the terminal."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle.core.signature import MetricSignature, Signature
from auricle.runs.metrics import Metrics, ModelFacts, Number, PartFacts, TaskFacts
from auricle.studies.listening.table import (
    format_gain,
    format_headline,
    format_listening,
    format_p,
    format_samples,
    list_tables,
)


def make_number(metric: str, group: str = "", value: float | None = 0.5, **fields: object) -> Number:
    signature = Signature(MetricSignature(metric))
    field = "part" if group else ""
    number = Number(metric=metric, value=value, details={}, field=field, group=group or "all", signature=signature)
    values: Any = {"unit": "share", **fields}
    return replace(number, **values)


def make_metrics(*numbers: Number) -> Metrics:
    parts = (
        PartFacts("clean", "clean"),
        PartFacts("no-audio", "no-audio", problem="undefined, because …"),
        PartFacts("replace:other", "replace-other"),
    )
    return Metrics(task=TaskFacts("quiz"), model=ModelFacts("m"), numbers=numbers, parts=parts, purpose="listening")


GAIN = make_number("accuracy.gain", value=0.4, low=0.1, high=0.6, details={"control": "replace:other", "p": 0.01})
METRICS = make_metrics(
    GAIN,
    make_number("chance", value=0.25),
    make_number("accuracy", "clean", 0.9, scored=20),
    make_number("accuracy", "replace:other", 0.5, scored=20),
    make_number(
        "accuracy.gain", "replace:other", 0.4, low=0.1, high=0.6, scored=20, details={"p": 0.01, "adjusted_p": 0.02}
    ),
    make_number("flip_rate", "replace:other", 0.8),
    make_number("change.quality", "replace:other", 1.25, unit=""),
    make_number("position_bias", value=0.3, details={"p": 0.0001}),
    replace(make_number("position_bias", "A", 0.3, low=0.2, high=0.4), field="position"),
)


def test_table_has_a_row_for_each_control() -> None:
    lines = format_listening(METRICS)
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("clean", "no-audio", "replace"))}
    assert rows["clean"] == ["90.00", "%", "20"]
    assert rows["no-audio"] == ["undefined", "0"]
    assert rows["replace:other"] == [
        *("50.00", "%", "+40.00", "pp", "+10.00", "…", "+60.00", "0.010", "0.020", "20", "80.00", "%")
    ]


def test_positions_and_changes_are_listed() -> None:
    text = "\n".join(format_listening(METRICS))
    assert "A +30.00 pp (+20.00 … +40.00); p < 0.001." in text
    assert "replace:other: quality 1.2500" in text


def test_each_metric_has_a_table() -> None:
    more = make_metrics(
        *METRICS.numbers, make_number("uar", "replace:other", 0.2), make_number("uar.gain", "replace:other", 0.2)
    )
    assert [table.metric for table in list_tables(more)] == ["accuracy", "uar"]
    assert list_tables(make_metrics(make_number("accuracy", "clean")))[0].rows[0].score is not None


@pytest.mark.parametrize(
    ("low", "high", "sentence"),
    [
        (0.1, 0.6, "the model uses the sound."),
        (-0.1, 0.2, "nothing shows that the model uses the sound."),
        (-0.5, -0.1, "the model is worse with the sound."),
    ],
)
def test_headline_states_what_the_interval_shows(low: float, high: float, sentence: str) -> None:
    numbers = (replace(GAIN, low=low, high=high), *METRICS.numbers[1:], make_number("accuracy", "no-audio", 0.3))
    first, second = format_headline(make_metrics(*numbers))
    assert sentence in first
    assert "The best score without the sound is that of replace:other." in first
    assert second == "For comparison: text-only score 30.00 %, chance level 25.00 %."


def test_zero_has_no_minus_sign() -> None:
    assert format_gain(make_number("rmse.gain", value=-0.0, unit="")) == "+0"
    assert format_gain(make_number("accuracy.gain", value=-0.0)) == "+0.00 pp"


def test_headline_without_a_control_is_undefined() -> None:
    assert format_headline(make_metrics()) == [
        "No control without the sound has a score, so the listening gain is undefined."
    ]


def test_first_samples_that_need_no_sound_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(f'{{"id":"q{n}","target":"yes","answers":{{"no-audio":"yes"}}}}\n' for n in range(3)))
    metrics = make_metrics(make_number("right_without_listening", scored=20))
    lines = format_samples(path, metrics, 2)
    assert lines[1].startswith("3 of 20 samples are right in every control without the sound")
    assert lines[2:] == [
        *("q0", "  target    yes", "  answers   no-audio: yes", "q1", "  target    yes", "  answers   no-audio: yes"),
        "… and 1 more",
    ]
    assert format_samples(path, make_metrics(), 2) == []


@pytest.mark.parametrize(("value", "text"), [(None, "–"), (0.0004, "< 0.001"), (0.05, "0.050")])
def test_p_values_have_three_decimals(value: float | None, text: str) -> None:
    assert format_p(value) == text
