"""Folder names, resume commands and estimates of runs."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from auricle import Sample, Spec
from auricle.cli.evaluation import count_completed, estimate_run, resume_command
from auricle.core.types import Record
from auricle.engine.factory import Evaluation
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec
from auricle.runs.shards.store import ShardStore
from auricle.runs.usage import Price
from tests.support.cli_types import RunAuricle, WriteManifest, WriteTone
from tests.support.shards import make_completion, make_parts


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["run", "demo", "-m", "echo", "--fresh"], "auricle run demo -m echo"),
        (["run", "a b.jsonl"], "auricle run 'a b.jsonl'"),
    ],
)
def test_resume_command_repeats_the_command_line(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["auricle", *arguments])
    assert resume_command() == expected


@pytest.mark.parametrize("arguments", [["-M", "api_key=sk-123"], ["-Mapi_key=sk-123"], ["-J", "api_key=sk-123"]])
def test_resume_command_hides_secrets(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["auricle", "run", "demo", *arguments])
    assert "sk-123" not in resume_command()
    assert "api_key=" in resume_command()


def test_folder_name_has_no_characters_that_paths_cannot_have() -> None:
    assert (
        Evaluation.prepare(Spec(task="demo", model="auricle.testing.models:Echo")).folder_name
        == "demo-auricle.testing.models-Echo"
    )


# --- estimates ---------------------------------------------------------------------------------


Rows = list[dict[str, str]]


@pytest.fixture
def estimate(manifest: WriteManifest) -> Callable[..., str]:
    """Return the estimate of a run over some rows."""

    def make(
        rows: Rows, kind: str = "qa", completed: int = 0, price: Price | None = None, size_known: bool = True
    ) -> str:
        spec = Spec(task=kind, task_args={"data": str(manifest(rows))}, model="echo")
        return estimate_run(Evaluation.prepare(spec), len(rows) if size_known else None, completed, price)

    return make


def questions(count: int) -> Rows:
    return [{"id": str(index), "question": "four", "answer": "x"} for index in range(count)]


def recordings(count: int, path: Path) -> Rows:
    return [{"id": str(index), "audio": str(path), "text": "x"} for index in range(count)]


def test_small_run_has_no_estimate(estimate: Callable[..., str]) -> None:
    assert estimate(questions(20)) == ""


def test_large_run_is_estimated_in_hours_of_audio(estimate: Callable[..., str], tone: WriteTone) -> None:
    line = estimate(recordings(1200, tone("a.wav", seconds=3)), kind="asr")
    assert line == "Estimate: 1,200 samples, about 1 h of audio."


def test_completed_samples_are_not_estimated(estimate: Callable[..., str], tone: WriteTone) -> None:
    rows = recordings(2200, tone("a.wav"))
    assert estimate(rows, kind="asr", completed=1500) == ""
    assert estimate(rows, kind="asr", completed=1000).startswith("Estimate: 1,200 samples, about ")


@pytest.mark.parametrize(("complete", "expected"), [(True, 1500), (False, 2)])
def test_the_journal_is_read_to_count_the_samples_of_an_unfinished_run_only(
    tmp_path: Path, complete: bool, expected: int
) -> None:
    assert count_completed(tmp_path / "run") == 0
    with Run.open(tmp_path / "run", RunSpec(identity={}, spec={})) as run:
        for row in range(2):
            run.append(Record(sample=Sample(id=str(row), inputs={}), row=row))
        run.write_progress(Progress(complete=complete, rows=1500))
    assert count_completed(tmp_path / "run") == expected


def test_samples_of_a_sharded_run_that_was_not_merged_are_those_of_its_shards(tmp_path: Path) -> None:
    store = ShardStore.create(tmp_path, make_parts(3, 10))
    store.complete(replace(make_completion(0), rows=10, answered=10))
    assert count_completed(tmp_path) == 10


def test_number_of_samples_alone_is_not_printed(estimate: Callable[..., str]) -> None:
    assert estimate(questions(2200)) == ""


def test_cost_assumes_outputs_of_maximum_length(estimate: Callable[..., str]) -> None:
    line = estimate(questions(10), price=Price("m", output=10))
    assert line == ("Estimate: 10 samples, up to 0.0512 USD (assuming outputs of the maximum length, 512 tokens).")


def test_cost_mentions_that_audio_tokens_are_not_included(estimate: Callable[..., str], tone: WriteTone) -> None:
    line = estimate(recordings(5, tone("a.wav")), kind="asr", price=Price("m", input=1))
    assert "without audio input tokens" in line


def test_audio_minutes_are_priced(estimate: Callable[..., str], tone: WriteTone) -> None:
    price = Price("m", audio_minute=0.6)
    line = estimate(recordings(100, tone("a.wav", seconds=3)), kind="asr", price=price)
    assert "about 3.00 USD" in line


def test_unknown_number_of_samples_is_estimated_per_thousand(estimate: Callable[..., str]) -> None:
    line = estimate(questions(10), price=Price("m", request=0.01), size_known=False)
    assert line == "Estimate: an unknown number of samples, about 10.00 USD per 1,000 samples."


def test_samples_of_an_iterator_are_not_consumed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import Sample, Task\nfrom auricle.engine.inferencers import Respond\n"
        "def once():\n"
        "    rows = (Sample(id=str(at), inputs={'question': 'x'}) for at in range(3))\n"
        "    return Task(samples=rows, inferencer=Respond('{question}'), metrics=[], name='once')\n"
    )
    spec = Spec(task=f"{tmp_path / 'mine.py'}:once", model="echo")
    evaluation = Evaluation.prepare(spec)
    assert estimate_run(evaluation, None, 0, Price("m", request=1)) == ""
    samples: Any = evaluation.task.samples
    assert len(list(samples)) == 3


@pytest.mark.slow
def test_estimate_is_printed_to_stderr_before_the_run(
    auricle: RunAuricle, manifest: WriteManifest, tone: WriteTone
) -> None:
    data = manifest(recordings(1000, tone("a.wav")))
    done = auricle("run", data, "--as", "asr", "-m", "echo", "--json")
    assert done.stderr.splitlines()[0].startswith("Estimate: 1,000 samples, about ")
    json.loads(done.stdout)
