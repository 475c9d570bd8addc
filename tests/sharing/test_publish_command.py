"""`auricle publish`: formats, folders and hints."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.cli_types import RunAuricle
from tests.support.extras import require_extra

require_extra("huggingface")

IDS = ("--model-id", "org/model", "--dataset-id", "org/data")


def test_files_and_the_next_step_are_printed(
    auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path
) -> None:
    done = auricle("publish", "run", "--to", "hf-eval-results", *IDS, "--task-id", "quiz")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "published/hf-eval-results/.eval_results/org-data--quiz.yaml\n"
    assert (tmp_path / done.stdout.strip()).is_file()
    assert "hf upload org/model published/hf-eval-results/.eval_results .eval_results --create-pr" in done.stderr


def test_the_output_folder_can_be_chosen(auricle: RunAuricle, finished: CompletedProcess[str], tmp_path: Path) -> None:
    done = auricle("publish", "run", "--to", "model-card", *IDS, "--metric", "exact_match", "-o", "card")
    assert done.returncode == 0, done.stderr
    assert "value: 100.0" in (tmp_path / "card" / "model-index.yaml").read_text(encoding="utf-8")


def test_what_is_missing_is_named(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("publish", "run", "--to", "model-card")
    assert done.returncode == 2
    assert "Add --model-id OWNER/NAME" in done.stderr


def test_json_has_the_files_and_the_next_step(auricle: RunAuricle, finished: CompletedProcess[str]) -> None:
    done = auricle("publish", "run", "--to", "hf-eval-results", *IDS, "--task-id", "quiz", "--json")
    document = json.loads(done.stdout)
    assert document["files"] == ["published/hf-eval-results/.eval_results/org-data--quiz.yaml"]
    assert "hf upload org/model" in document["next_step"]
