"""`auricle preview`: requests without the target."""

import json

import pytest

from tests.support.cli_types import RunAuricle, WriteManifest


def test_preview_prints_the_prompt_and_its_settings(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": "Which?", "choices": ["cat", "dog"], "answer": "A", "id": "x"}])
    output = auricle("preview", path, "--as", "mcq").stdout
    assert "A. cat" in output
    assert "max_tokens=512" in output


def test_preview_prints_how_integer_answers_are_read(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": "Which?", "choices": ["cat", "dog"], "answer": answer} for answer in (1, 2)])
    assert "count options from 1" in auricle("preview", path, "--as", "mcq").stderr


def test_preview_does_not_print_the_target(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"audio": "a.wav", "text": "a secret transcript"}])
    assert "secret" not in auricle("preview", path, "--as", "asr").stdout


def test_number_limits_the_samples(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"question": f"question {index}", "answer": "x", "id": str(index)} for index in range(3)])
    output = auricle("preview", path, "--as", "qa", "-n", "2").stdout
    assert "question 1" in output
    assert "question 2" not in output


@pytest.mark.parametrize("column", ["prompt", "text", "question", "instruction"])
def test_any_column_can_be_used_in_a_template_under_its_own_name(
    auricle: RunAuricle, manifest: WriteManifest, column: str
) -> None:
    path = manifest([{column: "Sort a list.", "answer": "x"}])
    output = auricle("preview", path, "--as", "qa", "-T", f"prompt=Task: {{{column}}} / {{question}}").stdout
    assert "Task: Sort a list. / Sort a list." in output


def test_examples_can_show_a_column_that_serves_as_the_question(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"id": number, "text": f"{number} + 1", "answer": number + 1} for number in range(2)])
    task = path.with_name("task.yaml")
    task.write_text(
        f"kind: qa\ndata: {path.name}\nshots: {{use: random, k: 1}}\n"
        "prompt: {examples: [{user: 'Example {text}'}, {assistant: '{target}'}], turns: '{question}'}\n"
    )
    assert "Example 1 + 1" in auricle("preview", task).stdout


def test_a_sample_that_a_template_does_not_fit_is_listed_with_the_reason(
    auricle: RunAuricle, manifest: WriteManifest
) -> None:
    path = manifest([{"question": "Which?", "answer": "x"}, {"question": "Who?", "hint": "A king.", "answer": "y"}])
    result = auricle("preview", path, "--as", "qa", "-n", "2", "-T", "prompt={question} {hint}")
    assert "mine.jsonl:1: rejected: the prompt needs {hint}, but the sample has only question" in result.stdout
    assert "Who? A king." in result.stdout


def test_json_has_the_requests_of_every_sample_without_the_target(auricle: RunAuricle, manifest: WriteManifest) -> None:
    rows = [{"id": "x", "audio": "a.wav", "text": "a secret transcript"}, {"id": "y", "text": "no sound"}]
    result = auricle("preview", manifest(rows), "--as", "asr", "--json", "-n", "9")
    sample, rejected = json.loads(result.stdout)
    assert "secret" not in result.stdout
    assert (sample["id"], sample["rejected"]) == ("x", None)
    (request,) = sample["requests"]
    assert (request["type"], request["max_tokens"], request["rendered"]) == ("Generate", 512, None)
    assert request["turns"][0]["parts"][0]["uri"].endswith("a.wav")
    assert "context" not in request
    assert rejected["requests"] == []
    assert "audio" in rejected["rejected"]


def test_json_has_the_rendered_input_of_a_model(auricle: RunAuricle, manifest: WriteManifest) -> None:
    path = manifest([{"id": "x", "question": "Which?", "answer": "x"}])
    model = ("-m", "completions", "-M", "model=m", "-M", "base_url=http://127.0.0.1:9/v1")
    (sample,) = json.loads(auricle("preview", path, "--as", "qa", *model, "--json").stdout)
    assert "Which?" in sample["requests"][0]["rendered"]


def test_json_has_the_steps_of_a_call(auricle: RunAuricle) -> None:
    (sample,) = json.loads(auricle("preview", "demo-voice", "--json").stdout)
    (request,) = sample["requests"]
    assert request["steps"][0]["text"] == "What time do you open on Sunday?"
    assert request["tools"][0]["name"] == "book_table"
