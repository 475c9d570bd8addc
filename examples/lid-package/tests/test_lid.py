"""Languages are read, and a data file becomes a task that is scored and reported."""

import json
from pathlib import Path

import auricle
import pytest
from auricle import Generation, Sample, Spec

from auricle_lid.languages import are_related, read_names
from auricle_lid.metrics import related_language

ROWS = [("Guten Tag", "de"), ("Goddag", "Danish"), ("Buenos dias", "es")]


@pytest.mark.parametrize(
    ("text", "names"),
    [("fr", ["French"]), ("It is french!", ["French"]), ("French or Italian", ["French", "Italian"]), ("Frenchy", [])],
)
def test_names_are_read_as_words(text: str, names: list[str]) -> None:
    assert read_names(text, ["French", "Italian"]) == names


def test_languages_of_a_set_are_related() -> None:
    assert are_related("German", "Dutch")
    assert not are_related("German", "Polish")


def test_metric_accepts_related_languages() -> None:
    sample = Sample(id="1", inputs={"choices": ["Danish", "German", "Polish"]}, target="German")
    assert related_language.score(sample, Generation(text="Danish")) == 1.0
    assert related_language.score(sample, Generation(text="pl")) == 0.0


def test_a_file_is_scored_and_reported(tmp_path: Path) -> None:
    data = tmp_path / "clips.jsonl"
    data.write_text("".join(json.dumps({"text": text, "language": name}) + "\n" for text, name in ROWS))
    reply = {"reply": "I think it is German."}
    spec = Spec(task="lid", task_args={"data": str(data)}, model="echo", model_args=reply)
    metrics = auricle.evaluate(spec, tmp_path / "run").metrics
    assert metrics
    assert [number.value for number in metrics.overall[:2]] == pytest.approx([1 / 3, 2 / 3])
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Danish was taken for German, which is related." in page
    assert "<li>Spanish for German: 1</li>" in page
