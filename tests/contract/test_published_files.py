"""What `auricle publish` writes, read by the packages it is written for, in a virtual environment of their own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.engine.spec import Spec
from auricle.sharing.exports.base import PublishOptions, publish_runs
from tests.support.extras import require_extra
from tests.support.uv_settings import run_uv

require_extra("packaging")
pytestmark = pytest.mark.slow
PACKAGES = ("inspect_ai==0.3.285", "jinja2", "numpy", "pydantic", "pytablewriter", "pyyaml", "requests", "rich")
"""Inspect, and what the readers of the packages below import."""
PACKAGES_ALONE = ("every-eval-ever==0.2.3rc1", "lm_eval==0.4.13")
"""Packages without their dependencies, which are large; the first declares a newer Python than its validator needs."""
OPTIONS = PublishOptions(model_id="org/echo", dataset_ids=("org/data",), organisation="us")

READ_INSPECT_LOGS = """
import json, sys
from inspect_ai.log import list_eval_logs, read_eval_log

logs = [read_eval_log(info) for info in list_eval_logs(sys.argv[1])]
print(json.dumps({
    log.eval.task: {
        "status": log.status,
        "metrics": {score.name: {name: metric.value for name, metric in score.metrics.items()}
                    for score in log.results.scores},
        "answers": [sample.output.completion for sample in log.samples],
        "roles": [[message.role for message in sample.messages] for sample in log.samples],
        "values": [{name: score.value for name, score in sample.scores.items()} for sample in log.samples],
    }
    for log in logs
}))
"""
READ_LM_EVAL_RESULTS = """
import json, sys
from pathlib import Path
from lm_eval import utils
from lm_eval.result_schema import SampleResult
from pydantic import TypeAdapter

names = sorted(str(path) for path in Path(sys.argv[1]).rglob("*.json*"))
tables = {name: utils.make_table(json.loads(Path(name).read_text())) for name in utils.get_results_filenames(names)}
samples = {
    utils.get_file_task_name(Path(name).name): [
        TypeAdapter(SampleResult).validate_json(line) for line in Path(name).read_text().splitlines()
    ]
    for name in utils.get_sample_results_filenames(names)
}
print(json.dumps({"tables": list(tables.values()), "samples": samples}))
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Install the other packages, and return their Python."""
    folder = tmp_path_factory.mktemp("readers")
    python = folder / "environment" / "bin" / "python"
    install = ("pip", "install", "--python", str(python))
    run_uv(folder, "venv", "--python", sys.executable, str(folder / "environment"))
    run_uv(folder, *install, *PACKAGES)
    run_uv(folder, *install, "--no-deps", "--python-version", "3.12", *PACKAGES_ALONE)
    yield str(python)
    shutil.rmtree(folder)  # hundreds of megabytes


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Run a task of recordings and a task of conversations."""
    folder = tmp_path_factory.mktemp("runs")
    data = folder / "talk.jsonl"
    contents = {"user": "say one", "assistant": "one"}, {"user": "say two"}
    turns = [{"role": role, "content": text} for pair in contents for role, text in pair.items()]
    data.write_text(json.dumps({"id": "1", "turns": turns, "answer": "two"}), encoding="utf-8")
    api.evaluate(Spec(task="demo", model="echo", limit=4), folder / "demo")
    api.evaluate(Spec(task="chat", task_args={"data": str(data), "mode": "last"}, model="echo"), folder / "chat")
    return {"demo": folder / "demo", "chat": folder / "chat"}


def published(runs: dict[str, Path], format_name: str, out: Path) -> list[Path]:
    return publish_runs(list(runs.values()), format_name, OPTIONS, out).files


def run_reader(python: str, *words: str, cwd: Path) -> str:
    process = subprocess.run([python, *words], capture_output=True, text=True, check=False, cwd=cwd)
    assert not process.returncode, process.stdout + process.stderr
    return process.stdout


def test_the_validator_of_every_eval_ever_passes_all_files(reader: str, runs: dict[str, Path], tmp_path: Path) -> None:
    files = [str(path.relative_to(tmp_path)) for path in published(runs, "eee", tmp_path)]
    output = run_reader(reader, "-m", "every_eval_ever", "validate", *files, cwd=tmp_path)
    assert f"All {len(files)} file(s) passed validation" in output
    assert len(files) == 4


def test_the_validator_of_every_eval_ever_rejects_a_wrong_file(
    reader: str, runs: dict[str, Path], tmp_path: Path
) -> None:
    path = published(runs, "eee", tmp_path)[0]
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["evaluation_id"]
    path.write_text(json.dumps(document), encoding="utf-8")
    command = [reader, "-m", "every_eval_ever", "validate", str(path.relative_to(tmp_path))]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert process.returncode, process.stdout
    assert "evaluation_id" in process.stdout


def test_inspect_reads_numbers_samples_and_conversations(reader: str, runs: dict[str, Path], tmp_path: Path) -> None:
    published(runs, "inspect", tmp_path)
    logs: dict[str, Any] = json.loads(run_reader(reader, "-c", READ_INSPECT_LOGS, str(tmp_path), cwd=tmp_path))
    numbers = {name: api.load_metrics(path) for name, path in runs.items()}
    demo, chat = logs["demo"], next(log for name, log in logs.items() if name != "demo")
    wer = numbers["demo"]["wer"]
    assert demo["status"] == "success"
    assert demo["metrics"]["wer"] == {"wer": wer.value, "ci_low": wer.low, "ci_high": wer.high}
    assert len(demo["answers"]) == wer.scored == 4
    assert demo["values"][0]["wer"] == 1.0
    assert chat["roles"] == [["user", "assistant", "user", "assistant"]]
    assert chat["answers"] == ["say one\nsay two"]
    assert chat["metrics"].keys() == {number.metric for number in numbers["chat"].overall}


def test_lm_eval_reads_numbers_and_samples(reader: str, runs: dict[str, Path], tmp_path: Path) -> None:
    published({"demo": runs["demo"]}, "lm-eval", tmp_path)
    document = json.loads(run_reader(reader, "-c", READ_LM_EVAL_RESULTS, str(tmp_path), cwd=tmp_path))
    (table,) = document["tables"]
    values = {metric: float(value) for metric, value in re.findall(r"\|(\w+) +\|↓ +\| *([\d.]+)\|", table)}
    numbers = api.load_metrics(runs["demo"]).overall
    assert values == pytest.approx({number.metric: number.value for number in numbers}, abs=0.001)  # as it rounds
    assert [sample["doc_id"] for sample in document["samples"]["demo"]] == [0, 1, 2, 3]
