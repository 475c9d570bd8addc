"""The extension points of Auricle, shown by the files in examples/."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tests.support import paths
from tests.support.code_blocks import read_page

EXAMPLES = paths.EXAMPLES


def body_lines(path: Any, name: Any) -> Any:
    """Count the lines of a top-level function or class, without its docstring."""
    tree = ast.parse(path.read_text())
    (result,) = [node for node in tree.body if getattr(node, "name", "") == name]
    return sum(
        node.end_lineno - node.lineno + 1
        for node in result.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )


def test_a_metric_can_be_one_function(auricle: Any, tmp_path: Path) -> None:
    metric = f"metrics={EXAMPLES / 'metric.py'}:right_length"
    data = EXAMPLES / "dataset.jsonl"
    done = auricle("run", data, "--as", "qa", "-m", "echo", "-T", metric, "-o", "run")
    assert done.returncode == 0, done.stderr
    assert "right_length" in done.stdout
    assert body_lines(EXAMPLES / "metric.py", "right_length") == 1


def test_a_model_can_be_a_class_of_five_lines(auricle: Any) -> None:
    data, model = EXAMPLES / "dataset.jsonl", f"{EXAMPLES / 'model.py'}:Shouting"
    done = auricle("run", data, "--as", "qa", "-m", model, "-o", "run")
    assert done.returncode == 0, done.stderr
    assert "model.py:Shouting" in done.stdout
    assert body_lines(EXAMPLES / "model.py", "Shouting") <= 4


@pytest.mark.parametrize(
    ("name", "kind", "row"),
    [
        ("seconds_in_words", "asr", '{"audio": "a.wav", "text": "1 seconds"}'),
        ("loudness", "classify", '{"audio": "a.wav", "label": "quiet"}'),
    ],
)
def test_a_model_can_be_a_plain_function(
    auricle: Any, manifest: Any, tone: Any, name: str, kind: str, row: str
) -> None:
    tone("a.wav", seconds=1.0)
    model = f"{EXAMPLES / 'model.py'}:{name}"
    done = auricle("run", manifest([row]), "--as", kind, "-m", model, "-o", "run")
    assert done.returncode == 0, done.stderr


def test_a_dataset_can_be_a_jsonl_file_without_code(auricle: Any) -> None:
    done = auricle("run", EXAMPLES / "dataset.jsonl", "--as", "qa", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert "subset=asia" in done.stdout


def test_a_custom_dataset_needs_seven_lines(auricle: Any) -> None:
    done = auricle("run", f"{EXAMPLES / 'dataset.py'}:capitals", "-m", "echo", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert "exact_match" in done.stdout
    assert body_lines(EXAMPLES / "dataset.py", "capitals") <= 7


def test_a_class_in_a_package_needs_no_registration(auricle: Any) -> None:
    model = "auricle.testing.models:Echo"
    done = auricle("run", EXAMPLES / "dataset.jsonl", "--as", "qa", "-m", model, "-o", "run")
    assert done.returncode == 0, done.stderr


def test_prompts_name_no_model_and_models_name_no_task() -> None:
    source = EXAMPLES.parent / "src" / "auricle"
    models = [path.stem for path in (source / "models").glob("*.py") if path.stem != "base"]
    for path in (source / "tasks").glob("*.py"):
        assert not [name for name in models if f"models.{name}" in path.read_text()]


def test_the_page_about_conversations_shows_the_output_of_its_command(auricle: Any, tmp_path: Path) -> None:
    rows, printed, *_ = read_page(paths.DOCS / "conversations.md")
    (tmp_path / "talk.jsonl").write_text(rows.body)
    done = auricle("run", "talk.jsonl", "--as", "chat", "-m", "echo", "-T", "mode=gold", "-o", "run")
    table = [line for line in done.stdout.partition("\n\n")[0].splitlines() if "─" not in line]
    assert "\n".join(table) in printed.body
