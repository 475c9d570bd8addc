"""Previews of requests, with and without a chat format."""

import json
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Generate, LogLikelihood, SpecError, Turn
from auricle.models.gemini import Gemini
from auricle.models.openai import Completions, OpenAI
from tests.support.extras import require_extra
from tests.support.http_servers import chat, http_reply, run_model

pytestmark = pytest.mark.slow

FORMAT = {
    "begin": "<s>",
    "roles": {
        "system": {"begin": "S:", "end": "\n", "api_role": "developer"},
        "user": {"begin": "U:", "end": "\n"},
        "assistant": {"begin": "A:", "end": "\n"},
    },
}
TURNS = (Turn("system", ("be brief",)), Turn("user", ("how\nare you?",)))
COMPLETION = {"choices": [{"text": "well", "finish_reason": "stop"}]}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "well"}]}, "finishReason": "STOP"}]}


@pytest.mark.parametrize(
    ("make", "reply"), [(OpenAI, chat()), (Completions, http_reply(body=COMPLETION)), (Gemini, GEMINI)]
)
def test_preview_equals_the_request_that_is_sent(canned: Any, make: Any, reply: Any) -> None:
    server = canned(reply)
    model = make(base_url=server.url, model="fake", extra={"seed": 1})
    request = Generate(turns=TURNS, max_tokens=7, stop=("x",))
    path, _, body = model.preview_request(request).partition("\n")
    run_model(model, request)
    assert server.last.path.endswith(path.removeprefix("POST "))
    assert server.last.json() == json.loads(body)


def test_preview_shows_audio_by_size(tone: Any) -> None:
    model = OpenAI(base_url="http://127.0.0.1:1/v1", model="fake")
    turn = Turn("user", (Audio(str(tone("a.wav"))), "What?"))
    shown = model.preview_request(Generate(turns=(turn,)))
    assert "characters of base64>" in shown
    assert '"text": "What?"' in shown
    assert len(shown) < 600


def test_chat_format_renders_turns_for_completions(canned: Any) -> None:
    server = canned(http_reply(body=COMPLETION))
    model = Completions(base_url=server.url, model="fake", meta_template=FORMAT)
    run_model(model, Generate(turns=TURNS))
    assert server.last.json()["prompt"] == "<s>S:be brief\nU:how\nare you?\nA:"


def test_preview_of_a_likelihood_marks_the_continuation() -> None:
    model = Completions(base_url="http://127.0.0.1:1/v1", model="fake", meta_template=FORMAT)
    turns = (Turn("user", ("2+2?",)), Turn("assistant", ("It is ",)))
    assert model.preview_request(LogLikelihood(turns=turns, continuation="4")) == "<s>U:2+2?\nA:It is⟦ 4⟧"


def test_roles_are_renamed_for_the_server(canned: Any) -> None:
    server = canned(chat())
    model = OpenAI(base_url=server.url, model="fake", meta_template=FORMAT)
    run_model(model, Generate(turns=TURNS))
    assert [item["role"] for item in server.last.json()["messages"]] == ["developer", "user"]


def test_chat_format_replaces_the_template_of_the_tokeniser(tmp_path: Path) -> None:
    require_extra("transformers")
    from auricle.models.transformers.causal import Causal
    from tests.support import tiny_weights

    folder = str(tiny_weights.llama(tmp_path, tiny_weights.CHAT))
    model, plain = Causal(model=folder, meta_template=FORMAT), Causal(model=folder, chat=False)
    ask = Generate(turns=(Turn("user", ("the cat",)),), max_tokens=5)
    assert model.preview_request(ask) == "<s>U:the cat\nA:"
    (answer,) = model.generate([ask])
    bare = LogLikelihood(turns=(Turn("user", ("the cat",)),), continuation=" mat")
    assert model.loglikelihood([bare]) != plain.loglikelihood([bare])
    assert answer.input_tokens == len(model.tokenizer(model.preview_request(ask), add_special_tokens=False)[0])


def test_chat_format_is_part_of_the_run(manifest: Any, tmp_path: Path, auricle: Any) -> None:
    path = manifest([{"question": "hi", "answer": "x"}])
    form = tmp_path / "format.yaml"
    form.write_text(json.dumps(FORMAT))
    words = ["-m", "completions", "-M", "model=x", "-M", "base_url=http://127.0.0.1:9/v1"]
    shown = auricle("preview", path, "--as", "qa", *words, "-M", f"meta_template={form}")
    assert "<s>U:hi\\nA:" in shown.stdout, shown.stderr
    form.write_text(json.dumps({"meta_template": {**FORMAT, "begin": 3}}))
    refused = auricle("preview", path, "--as", "qa", *words, "-M", f"meta_template={form}")
    assert refused.returncode == 2
    assert "The meta_template must have text under begin, not 3." in refused.stderr


def test_content_of_the_chat_format_is_stored_instead_of_its_path(tmp_path: Path) -> None:
    from auricle.engine.spec import Spec

    form = tmp_path / "format.yaml"
    form.write_text(json.dumps(FORMAT))
    spec = Spec(task="demo", model="completions", model_args={"meta_template": str(form)})
    assert spec.resolved().model_args["meta_template"] == FORMAT
    with pytest.raises(SpecError, match="There is no file gone"):
        spec.model_copy(update={"model_args": {"meta_template": "gone"}}).resolved()
