"""`auricle listen`: what models that hear, or do not, are found to do."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from auricle.cli import cli
from auricle.core.errors import ExitStatus
from auricle.runs.metrics import FailureKind, Metrics, ModelFacts, Number, TaskFacts, read_metrics
from auricle.runs.outcome_counts import OutcomeCounts
from auricle.runs.result import RunResult
from auricle.runs.run_directory import Run
from auricle.runs.suites import read_suite_run
from auricle.studies.listening.commands import choose_exit_status
from tests.support.listeners import write_quiz, write_transcripts

LISTENERS = Path(__file__).parents[2] / "support" / "listeners.py"


def listen(data: Path, model: str, out: Path, *options: str, kind: str = "mcq") -> Result:
    command = ["listen", str(data), "--as", kind, "-m", f"{LISTENERS}:{model}", "-o", str(out), *options]
    return CliRunner().invoke(cli, command)


@pytest.fixture(scope="module")
def quiz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_quiz(tmp_path_factory.mktemp("quiz"), 24)


@pytest.fixture(scope="module")
def heard(quiz: Path) -> tuple[Path, Result]:
    out = quiz.parent / "hears"
    return out, listen(quiz, "Hears", out)


@pytest.fixture(scope="module")
def ignored(quiz: Path) -> Path:
    out = quiz.parent / "ignores"
    assert listen(quiz, "Ignores", out).exit_code == 0
    return out


@pytest.fixture(scope="module")
def first(quiz: Path) -> Metrics:
    out = quiz.parent / "first"
    assert listen(quiz, "AlwaysFirst", out, "--quick").exit_code == 0
    return read_metrics(out)


def find(metrics: Metrics, name: str, part: str) -> Number:
    (number,) = [number for number in metrics.numbers if (number.metric, number.group) == (name, part)]
    return number


def test_model_that_hears_gets_the_full_gain(heard: tuple[Path, Result]) -> None:
    out, result = heard
    assert result.exit_code == 0, result.output
    metrics = read_metrics(out)
    gain = metrics["option_accuracy.gain"]
    assert (gain.value, metrics["chance"].value) == (0.75, 0.25)
    assert (gain.low or 0) > 0.4
    assert find(metrics, "option_accuracy", "replace:other").value == 0.0
    assert metrics["flip_rate"].value == 1.0
    assert (metrics["consistency"].value, metrics["robust_accuracy"].value) == (1.0, 1.0)
    assert metrics["position_bias"].value == 0.0
    assert metrics.complete


def test_table_and_estimate_are_printed(heard: tuple[Path, Result]) -> None:
    out, result = heard
    assert "9 conditions of 24 samples, about 216 requests" in result.output
    assert "Option accuracy, listening gain +75.00 pp" in result.output
    assert "the model uses the sound" in result.output
    assert "0 of 24 samples are right in every control without the sound" in result.output
    shown = CliRunner().invoke(cli, ["show", str(out)])
    assert "Option accuracy, listening gain +75.00 pp" in shown.output


def test_folder_states_its_purpose_and_has_a_run_for_each_control(heard: tuple[Path, Result]) -> None:
    out, _ = heard
    suite = read_suite_run(out)
    assert suite.purpose == "listening"
    assert [part.name for part in suite.parts][:3] == ["clean", "no-audio", "replace:silence"]
    assert all((out / part.folder / "metrics.json").exists() for part in suite.parts)


def test_model_that_ignores_the_sound_has_no_gain(ignored: Path) -> None:
    gain = read_metrics(ignored)["option_accuracy.gain"]
    assert gain.value == 0.0
    assert gain.low is not None
    assert gain.high is not None
    assert gain.low < 0 < gain.high
    assert read_metrics(ignored)["flip_rate"].value == 0.0


def test_samples_answered_without_listening_are_stored(ignored: Path) -> None:
    lines = (ignored / "listening_samples.jsonl").read_text().splitlines()
    right = {line["id"] for line in map(json.loads, (ignored / "clean" / "scores.jsonl").read_text().splitlines())
             if line["stats"]["option_accuracy"]}  # fmt: skip
    assert {json.loads(line)["id"] for line in lines} == right
    assert right


def test_model_that_always_answers_a_is_exposed(first: Metrics) -> None:
    assert first["position_bias"].value == pytest.approx(0.75)
    assert first["position_bias"].details["p"] < 0.01
    assert first["consistency"].value == 0.0
    assert first["option_accuracy.gain"].value == 0.0


def test_control_that_the_model_refuses_is_undefined(quiz: Path, tmp_path: Path) -> None:
    result = listen(quiz, "Refuses", tmp_path / "run", "--quick")
    assert result.exit_code == 0, result.output
    metrics = read_metrics(tmp_path / "run")
    assert metrics.not_computed == {"no-audio": "no sample was answered: 400 this model needs audio."}
    assert not [number for number in metrics.numbers if number.group == "no-audio"]
    assert metrics["option_accuracy.gain"].details["control"] == "replace:other"
    assert metrics.complete
    assert "undefined" in result.output


def test_interrupted_check_resumes_without_asking_twice(quiz: Path, tmp_path: Path, ignored: Path) -> None:
    out = tmp_path / "again"
    shutil.copytree(ignored, out)
    shutil.rmtree(out / "options-shift-3")
    journal = out / "replace-other" / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:10]))
    before = {path: path.read_bytes() for path in out.glob("*/outputs.jsonl")}
    assert listen(quiz, "Ignores", out).exit_code == 0
    assert journal.read_bytes().startswith(before.pop(journal))
    assert len(list(Run.load(journal.parent).records())) == 24
    assert len(journal.read_bytes().splitlines()) == 24
    assert all(path.read_bytes() == content for path, content in before.items())
    assert (out / "options-shift-3" / "metrics.json").exists()


def test_recogniser_is_asked_what_it_writes_for_silence(tmp_path: Path) -> None:
    result = listen(write_transcripts(tmp_path, 8), "Recognises", tmp_path / "run", "--json", kind="asr")
    assert result.exit_code == 0
    (document,) = json.loads(result.stdout)
    values: dict[Any, Any] = {(number["metric"], number["group"]): number["value"] for number in document["numbers"]}
    assert values["wer.gain", "all"] == 1.0
    assert values["wer", "replace:other"] == 1.0
    assert values["nonspeech_words_per_minute", "replace:silence"] == pytest.approx(400)  # 4 words in 0.6 s


def test_report_has_the_table(heard: tuple[Path, Result]) -> None:
    page = (heard[0] / "report.html").read_text()
    assert 'id="listening"' in page
    assert "replace-other/report.html" in page
    assert "+75.00" in page


def make_result(part: str, *, failures: dict[str, int] | None = None, answered: int = 5, **fields: Any) -> RunResult:
    kinds = tuple(FailureKind(kind, count) for kind, count in (failures or {}).items())
    outcomes = OutcomeCounts(answered=answered, failed=sum((failures or {}).values()))
    metrics = Metrics(task=TaskFacts("t"), model=ModelFacts("m"), outcomes=outcomes, failures=kinds)
    return RunResult(path=Path("run") / part, outcomes=outcomes, metrics=metrics, **fields)


@pytest.mark.parametrize(
    ("control", "status"),
    [
        (make_result("shuffle"), ExitStatus.OK),
        (make_result("transcript", failures={"RejectedRow": 3}), ExitStatus.OK),
        (make_result("no-audio", failures={"SampleError": 5}, answered=0), ExitStatus.OK),
        (make_result("no-audio", failures={"SampleError": 1}), ExitStatus.FAILURES),
        (make_result("shuffle", complete=False), ExitStatus.INTERRUPTED),
        (make_result("clean", failures={"RejectedRow": 1}), ExitStatus.FAILURES),
    ],
)
def test_exit_code_is_that_of_run_except_for_controls_that_do_not_apply(control: RunResult, status: ExitStatus) -> None:
    assert choose_exit_status([make_result("clean"), control]) == status


def test_task_without_audio_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    path.write_text('{"question": "1 + 1?", "answer": "2"}\n')
    result = listen(path, "Hears", tmp_path / "run", kind="qa")
    assert result.exit_code != 0
    assert "has audio, so nothing can be taken away" in str(result.exception)
