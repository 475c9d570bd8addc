"""Runs and load tests read streams with the same code, so that performance is measured on what evaluates a model."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.engine.spec import Spec
from auricle.models.http.answers import AnswerReader
from auricle.models.openai import ChatReader, OpenAI
from auricle.perf.measurement import PerfConfig, measure
from auricle.testing.fake_server import FakeServer, Script
from tests.support import load_tests

pytestmark = pytest.mark.slow


class ShoutingReader(ChatReader):
    """Changes every answer, so that an answer shows who read it."""

    def _add_text(self, piece: str, *kind: Any) -> str:
        return super()._add_text(piece.upper(), *kind)


@pytest.fixture
def run_both(
    manifest: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[list[dict[str, Any]]]]:
    """Run a task and a load test of it, and return the journal lines of each."""

    async def skip(*_: Any) -> None: ...

    load_tests.shorten(monkeypatch)
    monkeypatch.setattr("auricle.perf.worker._preflight", skip)

    def run(script: Script, model: str = "openai", **model_args: Any) -> list[list[dict[str, Any]]]:
        data = manifest({"id": f"s{row}", "question": f"one two {row}", "answer": ""} for row in range(4))
        with FakeServer(script) as server:
            spec = Spec(
                task="qa",
                task_args={"data": str(data)},
                model=model,
                model_args={"base_url": server.url, "model": "fake", "stream": True, **model_args},
            )
            api.evaluate(spec, tmp_path / "run")
            measure(spec, tmp_path / "perf", PerfConfig(loads=("closed:2",), count=4), lambda _: None)
        return [_read_journal(tmp_path / "run"), _read_journal(next(tmp_path.glob("perf/00-*")))]

    return run


def _read_journal(folder: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, (folder / "outputs.jsonl").read_bytes().splitlines())
    return sorted(lines, key=lambda line: str(line["id"]))


def test_a_reader_replaced_in_one_place_is_used_by_runs_and_load_tests(
    run_both: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAI, "reader", ShoutingReader)
    for lines in run_both(Script()):
        assert [line["outputs"][0]["text"] for line in lines] == [f"ONE TWO {row}" for row in range(4)]


def test_an_answer_that_does_not_stop_is_cut_off_in_runs_and_load_tests(run_both: Any) -> None:
    endless = Script(faults={"endless": 1.0}, reply="x" * 9000, pace=500)
    for lines in run_both(endless, "openai"):
        assert len(lines) == 4
        for line in lines:
            assert line["error"]["kind"] == "Rejected"
            assert "and did not stop" in line["error"]["message"]


def test_a_stream_that_times_out_is_the_same_error_in_runs_and_load_tests(run_both: Any) -> None:
    for lines in run_both(Script(faults={"endless": 1.0}), timeout=0.3):
        assert {line["error"]["kind"] for line in lines} == {"Rejected"}
        assert all("raise the limit with -M timeout=SECONDS" in line["error"]["message"] for line in lines)


def test_timing_is_in_both_journals(run_both: Any) -> None:
    for lines in run_both(Script(latency=0.05, pace=100)):
        for line in lines:
            timing = line["outputs"][0]["timing"]
            assert 0.05 <= timing["first_token"] < timing["last_token"] <= timing["done"]


def test_every_api_model_has_a_reader() -> None:
    from auricle.models.gemini import Gemini
    from auricle.models.openai import Completions, VLLMChat
    from auricle.models.transcription import Transcription

    readers = [model.reader for model in (OpenAI, VLLMChat, Completions, Transcription, Gemini)]
    assert all(issubclass(reader, AnswerReader) for reader in readers)
    assert all("generate" not in vars(model) for model in (OpenAI, VLLMChat, Completions, Transcription, Gemini))
