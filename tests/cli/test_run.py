"""`auricle run`: folders, output, resuming, configs and exit codes."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from auricle.cli import cli
from auricle.engine.catalogue import TASKS
from auricle.engine.progress import ProgressEvent
from auricle.engine.task import Task
from tests.support.cli_types import RunAuricle, WriteManifest

RUN_FILES = {
    *("spec.json", "outputs.jsonl", "scores.jsonl", "metrics.json"),
    *("metrics_summary.csv", "metrics_detail.csv", "report.html"),
}


def test_run_prints_metrics_and_report_path(finished: CompletedProcess[str], tmp_path: Path) -> None:
    assert "exact_match ↑" in finished.stdout
    assert "100.00 %" in finished.stdout
    assert "subset=b" in finished.stdout
    assert f"Report: {tmp_path / 'run' / 'report.html'}" in finished.stdout


def test_run_writes_all_documented_files(finished: CompletedProcess[str], tmp_path: Path) -> None:
    assert {path.name for path in (tmp_path / "run").iterdir()} >= RUN_FILES


def test_default_folder_is_named_after_task_and_model(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    assert auricle("run", quiz, "--as", "qa", "-m", "echo").returncode == 0
    assert (tmp_path / "runs" / "qa-quiz-echo" / "metrics.json").exists()


def test_default_folder_gets_a_number_if_it_contains_a_different_run(
    auricle: RunAuricle, quiz: Path, tmp_path: Path
) -> None:
    command = ("run", quiz, "--as", "qa", "-m", "echo")
    assert auricle(*command).returncode == 0
    other = auricle(*command, "-M", "reply=4")
    assert other.returncode == 0
    note = "contains a different run (model_args.reply was not set, now 4). This run is in runs/qa-quiz-echo-2."
    assert note in " ".join(other.stderr.split())
    journal = (tmp_path / "runs" / "qa-quiz-echo-2" / "outputs.jsonl").read_bytes()
    assert auricle(*command, "-M", "reply=4").returncode == 0
    assert (tmp_path / "runs" / "qa-quiz-echo-2" / "outputs.jsonl").read_bytes() == journal
    assert not (tmp_path / "runs" / "qa-quiz-echo-3").exists()


def test_tasks_of_the_same_name_in_one_command_get_a_folder_each(
    auricle: RunAuricle, quiz: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / quiz.name).write_bytes(quiz.read_bytes())
    assert auricle("run", quiz, f"other/{quiz.name}", "--as", "qa", "-m", "echo").returncode == 0
    assert (tmp_path / "runs" / "qa-quiz-echo-2" / "metrics.json").exists()


def test_json_output_contains_nothing_else(auricle: RunAuricle, quiz: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--json")
    (document,) = json.loads(done.stdout)
    assert document["numbers"][0]["metric"] == "exact_match"
    assert document["complete"] is True


def test_options_of_reward_models_become_model_arguments(auricle: RunAuricle, quiz: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "--crop", "2.5", "--score-json", "{}", "--print-config")
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["model_args"] == {"crop": 2.5, "score": {}}


def test_infer_only_writes_no_metrics(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run", "--infer-only")
    assert done.returncode == 0
    assert not (tmp_path / "run" / "metrics.json").exists()
    assert "exact_match" in auricle("score", "run").stdout


def test_infer_only_prints_progress_as_json(auricle: RunAuricle) -> None:
    done = auricle("run", "demo", "-m", "echo", "--limit", "2", "--infer-only", "--json", "-o", "r")
    (run,) = json.loads(done.stdout)
    assert (run["run"], run["complete"], run["rows"]) == ("r", True, 2)


def test_resumed_run_counts_samples_answered_before(
    auricle: RunAuricle, quiz: Path, finished: CompletedProcess[str]
) -> None:
    assert "5 answered before" in auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", "run").stderr


def test_fresh_starts_over_and_keeps_the_old_run(
    auricle: RunAuricle, quiz: Path, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-M", "wrong=1", "-o", "run", "--fresh")
    assert done.returncode == 0
    assert "The earlier run was moved to run.1." in done.stderr
    assert (tmp_path / "run.1" / "metrics.json").exists()


def test_task_can_be_a_yaml_file(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("kind: qa\ndata: quiz.jsonl\nmetrics: [exact_match]\n")
    done = auricle("run", "mine.yaml", "-m", "echo")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "runs" / "mine-echo").exists()


def test_config_file_describes_a_whole_run(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: qa\ntask_args: {data: quiz.jsonl}\nmodel: echo\nlimit: 2\n")
    done = auricle("run", "--config", "run.yaml", "-o", "out", "--json")
    assert json.loads(done.stdout)[0]["outcomes"]["total"] == 2


def test_command_line_model_completes_a_config(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: qa\ntask_args: {data: quiz.jsonl}\n")
    assert auricle("run", "--config", "run.yaml", "-m", "echo", "-o", "out").returncode == 0


def test_streaming_of_audio_selects_its_inferencer() -> None:
    words = ["run", "mine.jsonl", "--as", "asr", "-m", "realtime", "--stream-audio", "--print-config"]
    printed = CliRunner().invoke(cli, words)
    assert yaml.safe_load(printed.stdout)["task_args"] == {"inferencer": "stream-audio"}


def test_several_models_are_run_one_after_the_other(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-m", "fake-api", "--label", "a", "--label", "b", "--json")
    assert done.returncode == 0, done.stderr
    assert [document["model"]["name"] for document in json.loads(done.stdout)] == ["a", "b"]
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"qa-quiz-a", "qa-quiz-b"}


def test_an_experiment_file_is_run_like_a_task(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text(
        f"task: {quiz.name}\nas: qa\nmodel: [echo, {{model: echo, label: fixed, model_args: {{reply: 1}}}}]\n"
    )
    done = auricle("run", "experiment.yaml", "-M", "reply=2", "--json")
    assert done.returncode == 0, done.stderr
    assert [document["model"]["name"] for document in json.loads(done.stdout)] == ["echo", "fixed"]
    specs = [json.loads((path / "spec.json").read_text()) for path in (tmp_path / "runs").iterdir()]
    assert [spec["spec"]["model_args"] for spec in specs] == [{"reply": 2}] * 2


def test_dry_run_checks_everything_and_writes_nothing(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    finished = auricle("run", quiz, "--as", "qa", "-m", "echo", "--dry-run")
    assert finished.returncode == 0
    assert finished.stdout.startswith("ok  qa-quiz × echo")
    failed = auricle("run", quiz, "--as", "qa", "-m", "openai", "--dry-run", "--json")
    assert failed.returncode == 2
    assert json.loads(failed.stdout)["checks"][-1] == {
        "passed": False,
        "text": "openai: missing model. Set it with -M model=…",
    }
    assert not (tmp_path / "runs").exists()


def test_several_tasks_get_a_folder_each(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("run", quiz, quiz, "--as", "qa", "-m", "echo", "-o", "out")
    assert done.returncode == 0
    assert (tmp_path / "out" / "qa-quiz-echo").is_dir()


def test_secrets_are_not_written_to_the_run(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "keyed.py").write_text("def reply(text, api_key=''):\n    return text\n")
    done = auricle("run", quiz, "--as", "qa", "-m", "keyed.py:reply", "-M", "api_key=sk-123", "-o", "run")
    assert done.returncode == 0, done.stderr
    for path in (tmp_path / "run").iterdir():
        assert b"sk-123" not in path.read_bytes()


def test_output_of_a_model_does_not_mix_with_json(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def reply(text):\n    print('LOUD')\n    return text\n")
    done = auricle("run", quiz, "--as", "qa", "-m", "loud.py:reply", "-o", "run", "--json")
    assert json.loads(done.stdout)[0]["outcomes"]["answered"] == 5
    assert "LOUD" in done.stderr


def test_failed_samples_exit_with_three_even_when_skipped(auricle: RunAuricle, quiz: Path) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "fake-api", "-M", "fail=1", "-o", "run")
    assert auricle(*words).returncode == 3
    assert auricle(*words, "--skip-failed").returncode == 3


def test_metric_without_any_value_exits_with_three(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from auricle import metric, Unreadable\n@metric()\n"
        "def never(sample, output):\n    raise Unreadable('nothing to read')\n"
    )
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "-T", "metrics=mine.py:never")
    assert done.returncode == 3
    assert "nothing to read" in done.stdout


def test_signatures_differ_by_model_arguments_and_limit(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    for name, words in {"a": (), "b": ("-M", "wrong=0.5"), "c": ("--limit", "2")}.items():
        auricle("run", quiz, "--as", "qa", "-m", "echo", "-o", name, *words)
    documents = (json.loads((tmp_path / name / "metrics.json").read_text()) for name in "abc")
    assert len({document["numbers"][0]["signature"] for document in documents}) == 3


def test_signature_names_the_profile(auricle: RunAuricle, manifest: WriteManifest, tmp_path: Path) -> None:
    path = manifest([{"id": "1", "question": "Don't!", "answer": "do not"}])
    auricle("run", path, "--as", "qa", "-T", "metrics=wer", "-m", "echo", "-o", "run", "--profile", "whisper-en")
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert "wer:1.pooled.whisper-en:2" in metrics["numbers"][0]["signature"]


@pytest.mark.parametrize("option", ["--address", "--attempts", "--keep-failed"])
def test_old_option_names_are_gone(option: str) -> None:
    result = CliRunner().invoke(cli, ["run", "demo", "-m", "echo", option, "1"])
    assert result.exit_code == 2
    assert f"No such option: {option}" in result.output or f"No such option '{option}'" in result.output


def test_max_cost_requires_prices(auricle: RunAuricle, quiz: Path) -> None:
    done = auricle("run", quiz, "--as", "qa", "-m", "echo", "--max-cost", "1")
    assert done.returncode == 2
    assert "--max-cost requires a price file. Add --prices FILE." in done.stderr


def test_response_cache_is_used_with_cache_path(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    words = ("run", quiz, "--as", "qa", "-m", "echo", "--cache-path", "cache.sqlite")
    assert auricle(*words, "-o", "a").returncode == 0
    assert (tmp_path / "cache.sqlite").exists()


def test_every_option_can_be_given_in_a_config(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    config = f"task: {quiz}\nas: qa\nmodel: fake-api\nconcurrency: 3\nmax-attempts: 2\nlimit: 2\nout: there\n"
    (tmp_path / "run.yaml").write_text(config)
    done = auricle("run", "--config", "run.yaml", "--infer-only", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["rows"] == 2
    assert (tmp_path / "there" / "outputs.jsonl").exists()


def test_command_line_overrides_a_config(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        f"task: {quiz}\nas: qa\nmodel: echo\nconcurrency: 3\nmodel_args: {{a: 1, b: 2}}\n"
    )
    done = auricle("run", "--config", "run.yaml", "-j", "8", "-M", "b=3", "--print-config")
    assert "concurrency: 8" in done.stdout
    assert "a: 1\n  b: 3" in done.stdout
    assert "max_attempts: 6" in done.stdout


def test_printed_config_gives_the_same_config(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    words = ("run", str(quiz), "--as", "qa", "-m", "echo", "-T", "language=en", "--batch-size", "4", "--skip-failed")
    first = auricle(*words, "--print-config").stdout
    (tmp_path / "run.yaml").write_text(first)
    assert auricle("run", "--config", "run.yaml", "--print-config").stdout == first
    assert "retry_failed: false" in first


@pytest.mark.parametrize("field", ["task_args", "model_args"])
@pytest.mark.parametrize("value", ["text", "5", "[a]", "null"])
def test_arguments_in_a_config_must_be_a_mapping(
    auricle: RunAuricle, quiz: Path, tmp_path: Path, field: str, value: str
) -> None:
    (tmp_path / "run.yaml").write_text(f"task: {quiz}\nas: qa\nmodel: echo\n{field}: {value}\n")
    done = auricle("run", "--config", "run.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith(f"auricle: run.yaml: {field}")
    assert done.stderr.count("\n") == 1


def test_unknown_field_of_a_config_is_named(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(f"task: {quiz}\nas: qa\nmodel: echo\nconcurency: 3\n")
    done = auricle("run", "--config", "run.yaml")
    assert done.returncode == 2
    assert done.stderr == "auricle: run.yaml: unknown field 'concurency'. Did you mean 'concurrency'?\n"


def test_progress_can_be_followed_as_events(auricle: RunAuricle, quiz: Path, tmp_path: Path) -> None:
    done = auricle("run", str(quiz), "--as", "qa", "-m", "echo", "-o", "out", "--progress", "json")
    events = [event for line in done.stderr.splitlines() if (event := ProgressEvent.parse(line))]
    assert [event.event for event in events] == ["started", "finished"]
    assert events[0].run == "out"
    assert (events[-1].done, events[-1].failed, events[-1].exit_code) == (events[-1].total, 0, 0)


def test_task_is_built_once_per_command(quiz: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def counting_task(**arguments: Any) -> Task:
        built.append("task")
        task: Task = TASKS.get("qa")(**arguments)
        return task

    monkeypatch.setitem(sys.modules, "counting_tasks", SimpleNamespace(counting=counting_task))
    monkeypatch.chdir(tmp_path)
    for words in (["-o", "a"], ["-o", "a"], ["-o", "b", "--infer-only"]):
        built.clear()
        with pytest.raises(SystemExit) as ended:
            cli(["run", "counting_tasks:counting", "-T", f"data={quiz}", "-m", "echo", *words], standalone_mode=False)
        assert ended.value.code == 0
        assert built == ["task"]
    task = ["counting_tasks:counting", "-T", f"data={quiz}"]
    perf = ["perf", *task, "-m", "echo", "--load", "closed:1", "--load", "closed:2", "--count", "3", "-o", "p"]
    compare = ["compare", "a", "b", "--html", "page.html"]
    for words in (["score", "a"], ["score", "b"], compare, ["preview", *task], perf):
        built.clear()
        with suppress(SystemExit):
            cli(words, standalone_mode=False)
        assert built == ["task"], words
