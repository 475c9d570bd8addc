"""Log-likelihoods from the command line: results, and servers that are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle.testing.fake_server import FakeServer, Script
from auricle.testing.fake_server.response_rendering import compute_logprob

TASK = """
from auricle.tasks.questions.inferencers import Choose, Continue, FirstToken
from auricle.metrics.catalogue import METRICS
from auricle.engine.task import Task
from auricle.core.types import Sample

ROWS = [("is it", ["a cat", "a very big dog"], 0), ("who", ["you", "me and 猫"], "B")]


def _samples():
    return [
        Sample(id=str(at), inputs={"question": question, "choices": choices}, target=target)
        for at, (question, choices, target) in enumerate(ROWS)
    ]


def _task(way, *names):
    return Task(_samples(), way, [METRICS.get(name) for name in names], name="mine")


def choosing():
    way = Choose("{question}", option=" {choice}", unconditional=True, whole=True)
    return _task(way, "acc", "acc_token", "acc_char", "acc_byte", "acc_pmi", "acc_whole")


def first():
    return _task(FirstToken("{question}"), "acc_first")


def continuing():
    return _task(Continue(text="{question} or not"), "token_perplexity", "bits_per_byte")
"""


@pytest.fixture
def server() -> Any:
    def start(**script: Any) -> Any:
        return FakeServer(Script(**script))

    return start


@pytest.fixture
def run(auricle: Any, tmp_path: Path) -> Any:
    (tmp_path / "mine.py").write_text(TASK, encoding="utf-8")

    def call(task: Any, model: Any, server: Any, *more: Any) -> Any:
        service = ("-M", f"base_url={server.url}", "-M", "model=fake")
        return auricle("run", f"mine.py:{task}", "-m", model, *service, *more, "-o", "run")

    return call


def numbers(tmp_path: Path) -> Any:
    document = json.loads((tmp_path / "run" / "metrics.json").read_text(encoding="utf-8"))
    return {item["metric"]: item for item in document["numbers"] if not item["field"]}


def test_chat_api_without_likelihoods_is_refused_before_the_first_request(run: Any, server: Any) -> None:
    with server() as api:
        done = run("choosing", "openai", api)
        assert not api.stats()["requests"]
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "loglikelihood" in line


@pytest.mark.parametrize("model", ["completions", "vllm-chat"])
def test_server_without_prompt_logprobs_is_refused_after_one_request(run: Any, server: Any, model: str) -> None:
    with server(no_logprobs=True) as api:
        done = run("choosing", model, api)
        assert sum(api.stats()["requests"].values()) == 1
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "does not return prompt logprobs" in line
    assert "Models that do" in line


@pytest.mark.parametrize("by", ["prompt_logprobs", "echo"])
def test_all_selection_rules_come_from_one_pass(run: Any, server: Any, tmp_path: Path, by: str) -> None:
    with server() as api:
        done = run("choosing", "completions", api, "-M", "start=<s>", "-M", f"logprobs_by={by}")
        assert done.returncode == 0, done.stderr
        assert sum(api.stats()["requests"].values()) == 1 + 2 * 2 * 3
    result = numbers(tmp_path)
    assert set(result) == {"acc", "acc_token", "acc_char", "acc_byte", "acc_pmi", "acc_whole"}
    assert all(item["scored"] == 2 and item["unit"] == "share" for item in result.values())
    options = {"a cat": [" a", " cat"], "a very big dog": [" a", " very", " big", " dog"]}
    sums = {}
    for text, tokens in options.items():
        before, sums[text] = "is it", 0.0
        for token in tokens:
            sums[text] += compute_logprob(token, before)
            before += token
    lines = (tmp_path / "run" / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])["stats"]
    assert first["acc"][0] == float(sums["a cat"] > sums["a very big dog"])
    assert first["acc_char"][0] == float(sums["a cat"] / 5 > sums["a very big dog"] / 14)


@pytest.mark.parametrize("model", ["openai", "vllm-chat"])
def test_chat_api_chooses_by_first_token(run: Any, server: Any, tmp_path: Path, model: str) -> None:
    with server() as api:
        done = run("first", model, api)
        assert sum(api.stats()["requests"].values()) == 2
    assert done.returncode == 0, done.stderr
    assert set(numbers(tmp_path)) == {"acc_first"}


def test_model_without_first_tokens_is_refused_before_the_first_request(run: Any, server: Any) -> None:
    with server() as api:
        done = run("first", "completions", api)
        assert not api.stats()["requests"]
    assert done.returncode == 2
    assert "probabilities of the first token" in done.stderr


def test_perplexity_of_a_text_through_an_api(run: Any, server: Any, tmp_path: Path) -> None:
    with server() as api:
        done = run("continuing", "completions", api, "-M", "start=<s> ")
    assert done.returncode == 0, done.stderr
    result = numbers(tmp_path)
    assert result["token_perplexity"]["value"] > 1
    assert result["token_perplexity"]["details"]["words"] == 4 + 3
    assert result["bits_per_byte"]["details"]["bytes"] == len("is it or not") + len("who or not")
