"""The command line as a stranger meets it."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def quiz(manifest: Any) -> Any:
    rows = [
        {"id": str(at), "question": f"say number {at}", "answer": f"say number {at}", "subset": s}
        for at, s in enumerate("aabbb")
    ]
    return manifest(rows, "quiz.jsonl")


@pytest.fixture
def finished(auricle: Any, quiz: Any) -> Any:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    return done


def test_a_run_prints_its_numbers_and_where_the_report_is(finished: Any, tmp_path: Path) -> None:
    assert "exact_match ↑" in finished.stdout
    assert "100.00 %" in finished.stdout
    assert "subset=b" in finished.stdout
    assert f"Report: {tmp_path / 'run' / 'report.html'}" in finished.stdout


def test_a_run_leaves_the_files_the_design_names(finished: Any, tmp_path: Path) -> None:
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names >= {
        "spec.json",
        "outputs.jsonl",
        "scores.jsonl",
        "metrics.json",
        "metrics_summary.csv",
        "metrics_detail.csv",
        "report.html",
    }


def test_the_run_folder_has_a_name_of_its_own_by_default(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    assert auricle("run", quiz, "--as", "qa", "-m", "echo").returncode == 0
    assert (tmp_path / "runs" / "qa-quiz-echo" / "metrics.json").exists()


def test_json_is_all_that_machines_get(auricle: Any, quiz: Any) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--json")
    (document,) = json.loads(done.stdout)
    assert document["numbers"][0]["metric"] == "exact_match"
    assert document["complete"] is True


def test_inferring_now_and_scoring_later(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--infer-only")
    assert done.returncode == 0
    assert not (tmp_path / "run" / "metrics.json").exists()
    assert "exact_match" in auricle("score", "run").stdout


def test_scoring_under_another_profile_changes_the_signature(auricle: Any, manifest: Any, tmp_path: Path) -> None:
    path = manifest([{"id": "1", "question": "Don't!", "answer": "do not"}])
    auricle("run", path, "--as", "qa", "-T", "metrics=wer", "-m", "echo", "-o", "run")
    assert "100.00 %" in auricle("show", "run").stdout
    assert "0.00 %" in auricle("score", "run", "--profile", "whisper-en").stdout
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "wer:1.pooled.whisper-en:1" in metrics["numbers"][0]["signature"]


def test_a_run_can_be_scored_where_its_data_is_not(auricle: Any, finished: Any, quiz: Any) -> None:
    quiz.unlink()
    assert "100.00 %" in auricle("score", "run").stdout


def test_numbers_by_a_field(auricle: Any, finished: Any) -> None:
    assert "subset=a" in auricle("show", "run", "--by", "subset").stdout
    done = auricle("show", "run", "--by", "speaker")
    assert done.returncode == 2
    assert "No numbers by 'speaker'; there are numbers by subset." in done.stderr


def test_samples_are_listed_worst_first(auricle: Any, quiz: Any) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "wrong=0.3", "-o", "run")
    done = auricle("samples", "run", "--worst", "1", "--json")
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["stats"]["exact_match"] == 0.0
    assert len(auricle("samples", "run", "--json").stdout.splitlines()) == 5


def test_failed_samples_are_listed(auricle: Any, quiz: Any) -> None:
    auricle("run", quiz, "--as", "qa", "-m", "fake-api", "-M", "fail=1", "-o", "run")
    done = auricle("samples", "run", "--failed")
    assert done.stdout.count("SampleError: 400 the fake was told to refuse this one") == 5


def test_a_question_and_its_answer(auricle: Any, tone: Any) -> None:
    tone("hello_there.wav")
    assert auricle("ask", "-m", "echo", "hello_there.wav").stdout == "hello there\n"
    raw = auricle("ask", "-m", "fake-reward", "hello_there.wav", "--text", "a waltz").stdout
    assert json.loads(raw)["scale"] == "continuous"


def test_a_preview_shows_what_is_sent_and_never_the_target(auricle: Any, manifest: Any) -> None:
    path = manifest([{"question": "Which?", "choices": ["cat", "dog"], "answer": "A", "id": "x"}])
    shown = auricle("preview", path, "--as", "mcq").stdout
    assert "A. cat" in shown
    assert "max_tokens=512" in shown
    secret = manifest([{"audio": "a.wav", "text": "a secret transcript"}])
    assert "secret" not in auricle("preview", secret, "--as", "asr").stdout


def test_names_are_listed(auricle: Any) -> None:
    assert "moonshine" in auricle("list", "models").stdout
    assert "classify" in auricle("list", "tasks").stdout
    assert "wer" in auricle("list", "metrics").stdout
    assert "whisper-en" in auricle("list", "profiles").stdout


def test_the_doctor_looks_at_data_and_model(auricle: Any, manifest: Any, tone: Any) -> None:
    tone("a.wav")
    path = manifest([{"audio": "a.wav", "text": "x"}, {"audio": "b.wav", "text": "x"}])
    done = auricle("doctor", path, "--as", "asr", "-m", "echo")
    assert done.returncode == 2
    assert "ok  echo can generate, loglikelihood" in done.stdout
    assert "NO  mine.jsonl:2:" in done.stdout
    assert auricle("doctor").returncode == 0


def test_a_resumed_run_says_what_was_answered_before(auricle: Any, quiz: Any, finished: Any) -> None:
    again = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert "5 answered before" in again.stderr


def test_fresh_begins_again_and_keeps_the_old_run(auricle: Any, quiz: Any, finished: Any, tmp_path: Path) -> None:
    again = auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "wrong=1", "-o", "run", "--fresh")
    assert again.returncode == 0
    assert (tmp_path / "run.1" / "metrics.json").exists()


def test_a_task_in_yaml(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("kind: qa\ndata: quiz.jsonl\nmetrics: [exact_match]\n")
    done = auricle("run", "mine.yaml", "-m", "echo")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "mine-echo").exists()


def test_a_whole_run_in_yaml(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: qa\ntask_args: {data: quiz.jsonl}\nmodel: echo\nlimit: 2\n")
    done = auricle("run", "--config", "run.yaml", "-o", "out", "--json")
    assert json.loads(done.stdout)[0]["outcomes"]["total"] == 2


def test_several_tasks_in_one_command(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    done = auricle("run", quiz, quiz, "--as", "qa", "-m", "echo", "-o", "out")
    assert done.returncode == 0
    assert (tmp_path / "out" / "qa-quiz-echo").is_dir()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "demoo", "-m", "echo"], "No task called 'demoo'. Did you mean demo"),
        (["run", "demo", "-m", "eco"], "No model called 'eco'. Did you mean echo?"),
        (["run", "demo"], "Say which model: -m NAME."),
        (["run", "-m", "echo"], "Say what to run"),
        (["run", "gone.jsonl", "--as", "asr", "-m", "echo"], "There is no file"),
        (["run", "gone.jsonl", "-m", "echo"], "say what it is with --as asr|mcq|qa|open|classify"),
        (["run", "demo", "--as", "asr", "-m", "echo"], "--as asr goes with data"),
        (["run", "demo", "-m", "echo", "-M", "wrng=1"], "unexpected keyword argument 'wrng'"),
        (["run", "demo", "-m", "echo", "-M", "wrong"], "'wrong' should be KEY=VALUE."),
        (["run", "demo", "-m", "fake-reward"], "demo needs a model that can generate"),
        (["run", "demo", "-m", "gone.py:Model"], "There is no file"),
        (["run", "demo", "-m", "json:nothing"], "json has no 'nothing'"),
        (["run", "demo", "-m", "no.such.module:x"], "There is no module 'no.such.module'"),
        (["run", "demo", "-m", "echo", "--profile", "whispr-en"], "whisper-en"),
        (["run", "gone.yaml", "-m", "echo"], "There is no file gone.yaml."),
        (["score", "."], "is no run: it has no spec.json."),
        (["ask", "-m", "echo"], "Ask about something"),
        (["ask", "-m", "moonshine", "gone.wav"], "gone.wav"),
    ],
)
def test_a_mistake_gets_one_line_that_says_what_to_do(auricle: Any, words: Any, told: str) -> None:
    done = auricle(*words)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.startswith("auricle: ")
    assert done.stderr.count("\n") == 1


def test_a_broken_yaml_is_named(auricle: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("kind: [asr\n")
    done = auricle("run", "bad.yaml", "-m", "echo")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "bad.yaml is not valid YAML" in done.stderr


def test_another_model_in_the_same_folder_is_refused(auricle: Any, quiz: Any, finished: Any) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "fake-api", "-o", "run")
    assert done.returncode == 2
    assert "model was 'echo', now 'fake-api'" in done.stderr


def test_secrets_are_not_written_down(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "keyed.py").write_text("def reply(text, api_key=''):\n    return text\n")
    done = auricle("run", quiz, "--as", "qa", "-m", "keyed.py:reply", "-M", "api_key=sk-123", "-o", "run")
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "run").iterdir():
        assert b"sk-123" not in path.read_bytes()


def test_a_model_that_does_not_load_says_where(auricle: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Model:\n    def __init__(self):\n        raise RuntimeError('no weights')\n"
        "    def generate(self, batch):\n        return []\n"
    )
    done = auricle("run", "demo", "-m", "mine.py:Model")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "mine.py:Model raised RuntimeError: no weights (mine.py:3)" in done.stderr


def test_a_mistyped_argument_does_not_spoil_the_folder(auricle: Any, quiz: Any) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "echo", "-o", "run")
    assert auricle(*words, "-M", "wrng=1").returncode == 2
    assert auricle(*words, "-M", "wrong=1").returncode == 0


def test_what_a_model_prints_does_not_mix_with_json(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def reply(text):\n    print('LOUD')\n    return text\n")
    done = auricle("run", quiz, "--as", "qa", "-m", "loud.py:reply", "-o", "run", "--json")
    assert json.loads(done.stdout)[0]["outcomes"]["answered"] == 5
    assert "LOUD" in done.stderr


def test_kept_failures_still_exit_with_three(auricle: Any, quiz: Any) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "fake-api", "-M", "fail=1", "-o", "run")
    assert auricle(*words).returncode == 3
    assert auricle(*words, "--keep-failed").returncode == 3


def test_a_model_on_the_command_line_completes_a_config(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: qa\ntask_args: {data: quiz.jsonl}\n")
    assert auricle("run", "--config", "run.yaml", "-m", "echo", "-o", "out").returncode == 0


def test_a_folder_that_cannot_be_written_is_one_line(auricle: Any, quiz: Any) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "/proc/nowhere")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_signatures_tell_models_with_other_arguments_apart(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    for name, words in {"a": (), "b": ("-M", "wrong=0.5"), "c": ("--limit", "2")}.items():
        auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", name, *words)
    documents = (json.loads((tmp_path / name / "metrics.json").read_text()) for name in "abc")
    assert len({document["numbers"][0]["signature"] for document in documents}) == 3


def test_a_metric_that_scores_nothing_is_told_and_exits_with_three(auricle: Any, quiz: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import metric, Unreadable\n@metric()\n"
        "def never(sample, output):\n    raise Unreadable('nothing to read')\n"
    )
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-T", "metrics=mine.py:never")
    assert done.returncode == 3
    assert "never: no answer could be scored: nothing to read" in done.stdout


def test_machines_are_told_how_far_a_run_is_that_is_scored_later(auricle: Any) -> None:
    told = auricle("run", "demo", "-m", "echo", "--limit", "2", "--infer-only", "--json", "-o", "r")
    (run,) = json.loads(told.stdout)
    assert (run["run"], run["complete"], run["rows"]) == ("r", True, 2)
