"""A real language model behind a third-party server: answers, streams, judges and errors."""

import json
from pathlib import Path
from typing import Any

import pytest

ROWS: list[dict[str, Any]] = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "japan", "question": "What is the capital of Japan?", "answer": "Tokyo"},
    {"id": "legs", "question": "How many legs does a dog have?", "answer": ["4", "four"]},
]
MOST_TOKENS = 8
TERSE = """
name: terse
kind: yes-no
mark: "{}"
template: |
  Question: {question}
  Right answer: {reference}
  Given answer: {answer}
  Is the given answer right? Say yes or no, one word.
"""


@pytest.fixture
def service(language_model: Any) -> Any:
    """Return the options of the served model as arguments of `flag`."""

    def words(flag: str = "-M", **more: Any) -> Any:
        inputs = {"base_url": language_model.url, "model": language_model.model, **more}
        return [word for name, value in inputs.items() for word in (flag, f"{name}={value}")]

    return words


@pytest.fixture
def asked(auricle: Any, manifest: Any, service: Any) -> Any:
    """Run a command with the served model and return its result."""

    def run(out: Any, *words: Any, rows: Any = ROWS, **more: Any) -> Any:
        data = [manifest(rows), "--as", "qa", "-T", f"max_tokens={MOST_TOKENS}"]
        return auricle("run", *data, "-m", "openai", *service(**more), "-o", out, *words)

    return run


def lines(file: Any) -> Any:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def generations(run: Any) -> Any:
    """Return the answer to each sample."""
    return {line["id"]: line["outputs"][0] for line in lines(run / "outputs.jsonl")}


def test_streamed_answers_equal_complete_answers(asked: Any, tmp_path: Path) -> None:
    done = [asked("whole", "--no-stream"), asked("streamed", "--stream")]
    assert [item.returncode for item in done] == [0, 0], [item.stderr for item in done]
    full, streamed = generations(tmp_path / "whole"), generations(tmp_path / "streamed")
    timings = [answer.pop("timing") for answer in streamed.values()]
    assert full == streamed
    assert all(0 < timing["first_token"] <= timing["last_token"] <= timing["done"] for timing in timings)
    assert json.loads((tmp_path / "streamed" / "metrics.json").read_text())["speed"]["ttft_s"]["answers"] == len(ROWS)
    assert full.keys() == {row["id"] for row in ROWS}
    assert "Paris" in full["france"]["text"]
    for answer in full.values():
        assert answer["text"].strip()
        assert 0 < answer["tokens"] <= MOST_TOKENS < answer["input_tokens"]
        assert answer["finish"] in ("stop", "length")
    outcomes = json.loads((tmp_path / "whole" / "metrics.json").read_text())["outcomes"]
    assert outcomes["answered"] == len(ROWS)


def test_unknown_model_name_gives_a_one_line_error(asked: Any) -> None:
    many = [{**row, "id": f"{row['id']}-{at}"} for row in ROWS for at in range(8)]
    done = asked("run", rows=many, model="unknown-model")
    assert done.returncode == 2, done.stdout
    (line,) = done.stderr.strip().splitlines()
    assert "unknown-model" in line
    assert "400" in line


def test_judge_on_the_server_rates_every_answer(auricle: Any, asked: Any, service: Any, tmp_path: Path) -> None:
    (tmp_path / "terse.yaml").write_text(TERSE, encoding="utf-8")
    scoring = ["-T", "metrics=judge-reference", "-T", "rubric=terse.yaml"]
    done = asked("run", *scoring, "--infer-only", rows=ROWS[:2])
    assert done.returncode == 0, done.stderr
    brief = service("-J", extra=json.dumps({"max_tokens": 16}))
    done = auricle("score", "run", "--judge", "openai", *brief)
    assert done.returncode in (0, 3), done.stderr  # two words are beyond a small judge's power

    (judge,) = json.loads((tmp_path / "run" / "metrics.json").read_text(encoding="utf-8"))["judges"]
    assert (judge["verdicts"], judge["failed"], judge["missing"]) == (4, 0, 0)
    assert judge["tokens"] > 4
    scores = lines(tmp_path / "run" / "scores.jsonl")
    for row in scores:
        (answer,) = row["verdicts"]["judge-reference"]
        assert answer.strip()
        for metric in ("judge-reference", "terse"):
            assert (metric in row["stats"]) != bool(row.get("unreadable", {}).get(metric))
    assert any("terse" in row["stats"] for row in scores), "one word is within a small judge's power"
