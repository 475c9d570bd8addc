"""Checking the files of a run."""

from pathlib import Path

import pytest

from auricle import Spec, api
from auricle.core.errors import DataError
from auricle.core.types import Failure, Generation, Prediction, Record, Sample
from auricle.media import Audio
from auricle.runs.integrity import Problem, Verification, verify_run
from auricle.runs.progress import Progress
from auricle.runs.run_directory import Run
from auricle.runs.run_spec import RunSpec

SPEECH = b"RIFF and some sound"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    data = tmp_path / "data.csv"
    data.write_text("id,question,answer\n" + "".join(f"{n},{n}?,{n}\n" for n in range(5)))
    arguments = {"data": str(data), "metrics": ["exact_match"]}
    api.evaluate(Spec(task="qa", task_args=arguments, model="echo"), tmp_path / "run")
    return tmp_path / "run"


def edit(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))


def test_complete_run_is_intact(run: Path) -> None:
    result = verify_run(run)
    assert result.is_intact
    assert (result.records, result.problems, result.outdated, result.missing) == (5, (), (), 0)


def test_damaged_lines_and_missing_rows_are_listed(run: Path) -> None:
    edit(run / "outputs.jsonl", b'"id":"2"', b'"id":"7"')
    result = verify_run(run)
    assert [problem.describe() for problem in result.problems] == ["outputs.jsonl:3 does not match its checksum"]
    assert (result.records, result.missing, result.missing_rows, result.is_intact) == (4, 1, (3,), False)
    assert [problem.message for problem in result.outdated] == ["was made from another outputs.jsonl."]


def test_damaged_verdicts_are_listed(run: Path) -> None:
    (run / "verdicts.jsonl").write_bytes(b'{"key": 3}\n')
    result = verify_run(run)
    assert [problem.describe() for problem in result.problems] == ["verdicts.jsonl:1 has no checksum"]
    assert not result.missing


DOCUMENTS = ["spec.json", "progress.json", "prices.json", "audit.json", "labels.json", "judge_check.json"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_damaged_documents_are_listed(run: Path, name: str) -> None:
    (run / name).write_bytes(b'{"format": 1')
    (problem,) = verify_run(run).problems
    assert problem.file == name
    assert problem.message.startswith("is not valid JSON")


@pytest.mark.parametrize("name", ["scores.jsonl", "metrics_summary.csv", "metrics_detail.csv", "report.html"])
def test_changed_and_missing_derived_files_are_listed(run: Path, name: str) -> None:
    with (run / name).open("ab") as file:
        file.write(b"x")
    (problem,) = verify_run(run).outdated
    assert problem.describe() == f"{name} was not written together with metrics.json."
    (run / name).unlink()
    assert [problem.describe() for problem in verify_run(run).outdated] == [f"{name} is missing."]
    assert not verify_run(run).problems


def test_damaged_metrics_are_listed(run: Path) -> None:
    (run / "metrics.json").write_bytes(b"[]")
    (problem,) = verify_run(run).outdated
    assert problem.describe().startswith("metrics.json is not a JSON object.")


def test_run_that_was_not_scored_is_intact(run: Path) -> None:
    for name in ("metrics.json", "scores.jsonl"):
        (run / name).unlink()
    assert verify_run(run).is_intact


def test_speech_is_compared_with_its_name(tmp_path: Path) -> None:
    with Run.open(tmp_path, RunSpec(identity={}, spec={})) as run:
        output = Generation(text="", audio=Audio(data=SPEECH))
        run.append(Record(sample=Sample(id="a", inputs={"text": "x"}), row=0, outputs=(output,)))
    assert verify_run(tmp_path).is_intact
    (speech,) = (tmp_path / "speech").iterdir()
    speech.write_bytes(SPEECH + b"!")
    assert "does not have the content it is named after (sample 'a')" in verify_run(tmp_path).problems[0].message
    speech.unlink()
    (problem,) = verify_run(tmp_path).problems
    assert problem.describe() == f"speech/{speech.name} is missing or empty (sample 'a')."


def test_many_missing_rows_are_counted_and_some_are_listed(tmp_path: Path) -> None:
    with Run.open(tmp_path, RunSpec(identity={}, spec={})) as run:
        run.append(Record(sample=Sample(id="a", inputs={}), row=1, error=Failure("Rejected", "no")))
        run.write_progress(Progress(complete=True, rows=103))
    result = verify_run(tmp_path)
    assert (result.records, result.missing, result.failed) == (1, 102, 1)
    assert result.missing_rows == (1, *range(3, 102))


def test_missing_rows_of_an_unfinished_run_are_unknown(tmp_path: Path) -> None:
    with Run.open(tmp_path, RunSpec(identity={}, spec={})) as run:
        run.append(Record(sample=Sample(id="a", inputs={}), row=1))
    with (tmp_path / "outputs.jsonl").open("ab") as file:
        file.write(b"damaged\n")
    result = verify_run(tmp_path)
    assert (result.records, result.missing, result.missing_rows) == (1, 1, ())


def test_journal_that_is_missing_is_listed(tmp_path: Path) -> None:
    Run.open(tmp_path, RunSpec(identity={}, spec={})).close()
    assert verify_run(tmp_path) == Verification(run=str(tmp_path), records=0, failed=0, missing=0)
    (tmp_path / "outputs.jsonl").unlink()
    result = verify_run(tmp_path)
    assert result == Verification(run=str(tmp_path), problems=(Problem("outputs.jsonl", "is missing."),))
    assert (result.records, result.failed, result.missing, result.missing_rows) == (0, 0, 0, ())
    assert not result.is_intact


def test_speech_in_files_of_the_model_is_not_checked(tmp_path: Path) -> None:
    others = (Generation(text="", audio=Audio("/models/answer.wav")), Prediction(values={"a": 1}, scale="logit"))
    spoken = Generation(text="", audio=Audio(data=SPEECH))
    with Run.open(tmp_path, RunSpec(identity={}, spec={})) as run:
        run.append(Record(sample=Sample(id="a", inputs={}), row=0, outputs=(*others, spoken)))
    assert verify_run(tmp_path).is_intact
    (speech,) = (tmp_path / "speech").iterdir()
    speech.unlink()
    assert [problem.file for problem in verify_run(tmp_path).problems] == [f"speech/{speech.name}"]


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Not a run directory"):
        verify_run(tmp_path)
