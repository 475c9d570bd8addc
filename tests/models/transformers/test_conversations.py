"""Conversations and several answers per sample, with local weights and recording servers."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import api
from auricle.engine.settings import Settings
from auricle.engine.spec import Spec
from auricle.runs.run_directory import Run
from tests.support.extras import require_extra
from tests.support.http_servers import chat

pytestmark = pytest.mark.slow

QUICK = Settings(max_attempts=1, initial_backoff=0.01)


@pytest.fixture
def talk(manifest: Any, tone: Any) -> Any:
    """Write two conversations: one with audio in every turn, one with text only."""
    tone("first.wav", 0.3)
    tone("second.wav", 0.2)
    spoken = [
        {"role": "user", "content": "what is it?", "audio": "first.wav"},
        {"role": "assistant", "content": "a cat"},
        {"role": "user", "content": [{"type": "audio", "audio": "second.wav"}, "and this?"]},
        {"role": "assistant", "content": "a dog"},
    ]
    plain = [{"user": "hello", "assistant": "hi"}, {"user": "bye", "assistant": "so long"}]
    rows = [{"id": "spoken", "messages": spoken, "max_tokens": [3, 5]}, {"id": "plain", "messages": plain}]
    return manifest(rows, "talk.jsonl")


def run(
    data: Any,
    out: Any,
    model: Any,
    model_args: Any = None,
    *,
    kind: str = "chat",
    settings: Any = QUICK,
    **options: Any,
) -> Any:
    spec = Spec(task=kind, task_args={"data": str(data), **options}, model=model, model_args=model_args or {})
    numbers = api.evaluate(spec, out, settings=settings)
    return {number.metric: number for number in numbers}


def records(out: Any) -> Any:
    return {record.sample.id: record for record in Run.load(out).records()}


def answers(out: Any) -> Any:
    return {name: [item.text for item in r.outputs] for name, r in records(out).items()}


def remembering(canned: Any, replies: Any) -> Any:
    """Start a server that replies with the number of messages and records them."""

    def reply(handler: Any) -> None:
        body = handler.server.requests[-1].json()
        content = json.dumps(chat(replies(body["messages"]))).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return canned(reply)


def counted(messages: Any) -> Any:
    return f"answer to {len(messages)}"


def words(message: Any) -> Any:
    """Return the text of a message; audio is shown by the first bytes of its file."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return [part["text"] if part["type"] == "text" else part["type"] for part in content]


def heard_of(server: Any, opening: Any) -> Any:
    """Return the requests of one conversation, each as the texts of its messages."""
    answer = [item.json() for item in server.requests]
    mine = [body for body in answer if opening in str(words(body["messages"][0]))]
    return sorted(([words(item) for item in body["messages"]] for body in mine), key=len)


FIRST = ["input_audio", "what is it?"]
SECOND = ["input_audio", "and this?"]


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("every", [[FIRST], [FIRST, "answer to 1", SECOND]]),
        ("gold", [[FIRST], [FIRST, "a cat", SECOND]]),
        ("last", [[FIRST, "a cat", SECOND]]),
    ],
)
def test_server_receives_the_history_of_the_mode_with_all_audio(
    canned: Any, talk: Any, tmp_path: Path, mode: str, wanted: Any
) -> None:
    server = remembering(canned, counted)
    out = tmp_path / "run"
    run(talk, out, "openai", {"base_url": server.url, "model": "m", "stream": False}, mode=mode)
    assert heard_of(server, "what is it?") == wanted


def test_repeated_audio_is_identical_and_not_stored(canned: Any, talk: Any, tmp_path: Path) -> None:
    server = remembering(canned, counted)
    out = tmp_path / "run"
    run(talk, out, "openai", {"base_url": server.url, "model": "m", "stream": False})
    last = max((item.json() for item in server.requests), key=lambda body: len(str(body)))
    sounds = [
        part["input_audio"]["data"]
        for message in last["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "input_audio"
    ]
    assert len(set(sounds)) == 2
    remaining = b"".join(path.read_bytes() for path in out.iterdir() if path.is_file())
    assert not any(sound[:60].encode() in remaining for sound in sounds)


def test_each_turn_has_its_limit_and_reference(canned: Any, talk: Any, tmp_path: Path) -> None:
    server = remembering(canned, lambda messages: "a cat" if len(messages) == 1 else "Hi!")
    out = tmp_path / "run"
    result = run(talk, out, "openai", {"base_url": server.url, "model": "m", "stream": False})
    limits = {
        len(body["messages"]): body["max_tokens"]
        for body in (item.json() for item in server.requests)
        if "what is it?" in str(words(body["messages"][0]))
    }
    assert limits == {1: 3, 3: 5}
    assert result["exact_match"].value == pytest.approx(1 / 4)
    assert result["exact_match"].details["answers"] == 4
    assert "exact_match:1.basic:2.turns" in str(result["exact_match"].signature)


def test_failed_turn_fails_only_its_conversation(canned: Any, talk: Any, tmp_path: Path) -> None:
    well: list[Any] = []

    def replies(messages: Any) -> Any:
        if not well and "and this?" in str(messages[-1]):
            raise ConnectionError
        return counted(messages)

    server = remembering(canned, replies)
    out = tmp_path / "run"
    arguments = {"base_url": server.url, "model": "m", "stream": False}
    result = run(talk, out, "openai", arguments)
    stored = records(out)
    assert stored["spoken"].error
    assert stored["spoken"].outputs == ()
    assert len(stored["plain"].outputs) == 2
    assert (result["exact_match"].failed, result["exact_match"].scored) == (1, 1)
    well.append(True)
    requests = len(server.requests)
    run(talk, out, "openai", arguments)
    assert answers(out)["spoken"] == ["answer to 1", "answer to 3"]
    assert len(server.requests) == requests + 2, "what was answered is not asked again"


def test_only_a_changed_turn_is_requested_again(canned: Any, talk: Any, tmp_path: Path) -> None:
    server = remembering(canned, counted)
    out = tmp_path / "run"
    arguments = {"base_url": server.url, "model": "m", "stream": False}
    run(talk, out, "openai", arguments)
    requests = len(server.requests)
    talk.write_text(talk.read_text().replace("bye", "good night"))
    run(talk, out, "openai", arguments)
    assert len(server.requests) == requests + 2
    assert "good night" in str(server.requests[-1].json())


@pytest.mark.parametrize("mode", ["every", "gold", "last"])
def test_fake_server_receives_the_bodies_of_the_mode(serve: Any, talk: Any, tmp_path: Path, mode: str) -> None:
    from auricle.core.types import Generate, Turn
    from auricle.models.openai import OpenAI
    from auricle.testing.fake_server import compute_digest

    server = serve(reply="fine")
    arguments = {"base_url": server.url, "model": "m", "stream": False}
    run(talk, tmp_path / "run", "openai", arguments, mode=mode)
    expected = set()
    for name, limits, gold in (("spoken", (3, 5), "a cat"), ("plain", (512, 512), "hi")):
        inputs = records(tmp_path / "run")[name].sample.inputs["turns"]
        first, last = (turn for turn in inputs if turn.role == "user")
        before = Turn("assistant", ("fine" if mode == "every" else gold,))
        requests = [Generate(turns=(first, before, last), max_tokens=limits[mode != "last"])]
        requests += [] if mode == "last" else [Generate(turns=(first,), max_tokens=limits[0])]
        expected |= {compute_digest(OpenAI(**arguments).prepare(request).body) for request in requests}
    assert set(server.stats()["received"]) == expected


def test_conversation_survives_transient_faults(serve: Any, talk: Any, tmp_path: Path) -> None:
    server = serve(faults={"503": 0.5}, fault_attempts=2)
    patient = Settings(max_attempts=6, initial_backoff=0.01)
    arguments = {"base_url": server.url, "model": "m"}
    run(talk, tmp_path / "run", "openai", arguments, settings=patient)
    assert {name: len(answer) for name, answer in answers(tmp_path / "run").items()} == {"spoken": 2, "plain": 2}


# --- local weights ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Any:
    require_extra("transformers")
    from tests.support import tiny_weights

    return str(tiny_weights.qwen2_audio(tmp_path_factory.mktemp("qwen")))


@pytest.mark.parametrize("mode", ["every", "gold", "last"])
def test_local_model_has_a_conversation_with_audio(weights: Any, talk: Any, tmp_path: Path, mode: str) -> None:
    from auricle.core.types import Generate, Turn
    from auricle.models.transformers.audio_chat import AudioChat

    out = tmp_path / "run"
    run(talk, out, "audio-chat", {"model": weights}, mode=mode, max_tokens=6)
    record = records(out)["spoken"]
    custom = [item.text for item in record.outputs]
    assert len(custom) == (1 if mode == "last" else 2)
    users = [turn for turn in record.sample.inputs["turns"] if turn.role == "user"]
    before = custom[0] if mode == "every" else "a cat"
    turns = (users[0], Turn("assistant", (before,)), users[1])
    limit = 3 if mode == "last" else 5
    (expected,) = AudioChat(model=weights).generate([Generate(turns=turns, max_tokens=limit)])
    assert custom[-1] == expected.text
    assert record.outputs[-1].input_tokens == expected.input_tokens


def questions(manifest: Any, count: int = 6) -> Any:
    return manifest([{"id": f"q{at}", "question": f"say {at}", "answer": "x"} for at in range(count)])


SAMPLED: dict[str, Any] = {"kind": "qa", "samples": 5, "temperature": 0.7, "max_tokens": 6, "metrics": "exact_match"}


def test_several_answers_differ_and_are_reproducible(weights: Any, manifest: Any, tmp_path: Path) -> None:
    data = questions(manifest)
    runs = [tmp_path / name for name in ("one", "two")]
    for out in runs:
        run(data, out, "audio-chat", {"model": weights}, answers="mean", **SAMPLED)
    first, second = map(answers, runs)
    assert first == second
    assert all(len(answer) == 5 for answer in first.values())
    assert all(len(set(answer)) > 1 for answer in first.values())


def test_several_answers_of_a_resumed_run_equal_those_of_a_complete_run(
    weights: Any, manifest: Any, tmp_path: Path
) -> None:
    data = questions(manifest)
    full, torn = tmp_path / "whole", tmp_path / "torn"
    run(data, full, "audio-chat", {"model": weights}, answers="mean", **SAMPLED)
    run(data, torn, "audio-chat", {"model": weights}, answers="mean", **SAMPLED)
    journal = torn / "outputs.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][: len(lines[2]) // 2])
    (torn / "progress.json").unlink()
    run(data, torn, "audio-chat", {"model": weights}, answers="mean", **SAMPLED)
    assert answers(torn) == answers(full)


def test_several_answers_are_cached_separately(weights: Any, manifest: Any, tmp_path: Path) -> None:
    from auricle.runs.response_cache import ResponseCache

    data = questions(manifest, 3)
    path = tmp_path / "answers.sqlite"
    result = []
    for name in ("one", "two"):
        with ResponseCache(path, "audio-chat", {"model": weights}) as cache:
            settings = Settings(max_attempts=1, cache=cache)
            out = tmp_path / name
            run(data, out, "audio-chat", {"model": weights}, settings=settings, answers="vote", **SAMPLED)
            result.append((answers(out), [r.cached for r in records(out).values()]))
    assert result[0][0] == result[1][0]
    assert (result[0][1], result[1][1]) == ([0] * 3, [5] * 3)


def test_each_of_several_answers_is_a_request(canned: Any, manifest: Any, tmp_path: Path) -> None:
    answer = []

    def replies(messages: Any) -> Any:
        answer.append(messages[-1]["content"])
        return f"answer {len(answer)}" if len(answer) % 2 else "x"

    server = remembering(canned, replies)
    out = tmp_path / "run"
    data = questions(manifest, 1)
    arguments = {"base_url": server.url, "model": "m", "stream": False}
    result = run(data, out, "openai", arguments, answers="pass@2", **SAMPLED)
    assert len(answer) == 5
    assert all(item.json()["temperature"] == 0.7 for item in server.requests)
    assert result["exact_match.pass@2"].value == pytest.approx(1 - 3 / 10)


def test_most_likely_of_several_answers_can_be_selected(serve: Any, manifest: Any, tmp_path: Path) -> None:
    server = serve()
    arguments = {"base_url": server.url, "model": "m", "logprobs": True}
    result = run(questions(manifest, 2), tmp_path / "run", "openai", arguments, answers="likeliest", **SAMPLED)
    assert result["exact_match"].scored == 2
    assert all(item.logprobs for r in records(tmp_path / "run").values() for item in r.outputs)
