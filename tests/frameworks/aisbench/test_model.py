"""Model classes written for AISBench run unchanged."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle import Audio, Image
from auricle.core.errors import Rejected, SampleError, SpecError, Transient, Unsupported
from auricle.core.types import Generate, Generation, LogLikelihood, Turn
from auricle.frameworks.aisbench import resolve_model_class
from auricle.frameworks.aisbench.model import cut_at_stop
from auricle.models.base import AsyncModel, BatchModel, abilities
from auricle.testing.fake_server import FakeServer, Script

CLASSES = Path(__file__).with_name("aisbench_model_classes.py")
QUESTION = Generate(turns=(Turn("user", ("one two three",)),), max_tokens=16)
CONVERSATION = (
    Turn("system", ("Be brief.",)),
    Turn("user", ("one",)),
    Turn("assistant", ("two",)),
    Turn("user", ("three",)),
)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as fake_server:
        yield fake_server


def load(name: str) -> Any:
    return resolve_model_class(f"{CLASSES}:{name}")


def seen() -> list[Any]:
    """Return what the objects of the last imported classes were given."""
    return list(sys.modules["auricle_file_aisbench_model_classes"].SEEN)


def get_port(server: FakeServer) -> int:
    return int(server.url.rpartition(":")[2].partition("/")[0])


def ask(name: str, server: FakeServer, request: Any = QUESTION, *, perf: bool = False, **arguments: Any) -> Any:
    """Send one request through a class to a fake server."""

    async def send() -> Any:
        model = load(name)(host_port=get_port(server), **arguments)
        if perf:
            model.prepare_for_load_test()
        try:
            return await (model.loglikelihood if isinstance(request, LogLikelihood) else model.generate)(request)
        finally:
            await model.close()

    return asyncio.run(send())


# --- services -------------------------------------------------------------------------


def test_a_service_class_generates_text(server: FakeServer) -> None:
    answer = ask("MyCustomAPI", server, host_ip="127.0.0.1")
    assert (answer.text, answer.tokens, answer.input_tokens) == ("one two three", 3, 3)
    assert answer.timing.first_token is None


def test_a_streaming_class_reads_each_event(server: FakeServer) -> None:
    answer = ask("MyCustomAPI", server, stream=True)
    assert (answer.text, answer.tokens) == ("one two three", 3)
    assert seen().count("event") >= 3
    assert 0 < answer.timing.first_token <= answer.timing.last_token <= answer.timing.done


def test_outputs_are_in_performance_mode_in_a_load_test(server: FakeServer) -> None:
    ask("MyCustomAPI", server)
    assert seen()[-1][1] is False
    ask("MyCustomAPI", server, perf=True)
    assert seen()[-1][1] is True


def test_a_conversation_arrives_in_the_format_of_the_class(server: FakeServer) -> None:
    ask("MyCustomAPI", server, Generate(turns=CONVERSATION, max_tokens=8))
    assert [(item["role"], item["prompt"]) for item in seen()[-1][0]] == [
        ("SYSTEM", "Be brief."),
        ("HUMAN", "one"),
        ("BOT", "two"),
        ("HUMAN", "three"),
    ]


def test_sound_is_sent_as_a_data_url(server: FakeServer, tone: Any) -> None:
    turns = (Turn("user", (Audio.of(tone("a.wav")), "What is it?")),)
    ask("MyCustomAPI", server, Generate(turns=turns, max_tokens=8))
    audio, text = seen()[-1][0][0]["prompt"]
    assert audio["type"] == "audio_url"
    assert audio["audio_url"]["url"].startswith("data:audio/wav;base64,")
    assert text == {"type": "text", "text": "What is it?"}


def test_images_are_sent_as_data_urls_and_addresses_unchanged(server: FakeServer, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"picture")
    images = (Image.of(str(tmp_path / "a.png")), Image.of("https://example.org/b.png"))
    ask("MyCustomAPI", server, Generate(turns=(Turn("user", images),), max_tokens=8))
    urls = [part["image_url"]["url"] for part in seen()[-1][0][0]["prompt"]]
    assert urls == ["data:image/png;base64,cGljdHVyZQ==", "https://example.org/b.png"]


def test_the_last_failure_is_reported_if_a_class_tries_again(server: FakeServer) -> None:
    with pytest.raises(Rejected, match="HTTP 404"):
        ask("TriesTwice", server)


def test_the_name_of_the_model_comes_from_the_service() -> None:
    with FakeServer(Script(models=("the-only-model",))) as server:
        assert ask("FirstOfService", server).text == "one two three"


def test_a_service_without_models_is_an_error() -> None:
    with pytest.raises(SpecError, match=r"http://localhost:9/v1/models lists none.*-M model=NAME"):
        load("FirstOfService")(host_port=9)


def test_perplexities_come_from_the_log_probabilities_of_the_prompt(server: FakeServer) -> None:
    assert abilities(load("Scorer")) == ["generate", "loglikelihood"]
    request = LogLikelihood(turns=(Turn("user", ("one",)),), continuation="two", include_context=True)
    likelihood = ask("Scorer", server, request)
    assert len(likelihood.logprobs) >= 2
    assert all(logprob <= 0 for logprob in likelihood.logprobs)
    with pytest.raises(Unsupported, match="whole prompts only"):
        ask("Scorer", server, LogLikelihood(turns=request.turns, continuation="two"))


def test_a_class_without_perplexities_only_generates() -> None:
    assert abilities(load("MyCustomAPI")) == ["generate"]
    assert issubclass(load("MyCustomAPI"), AsyncModel)


# --- failures -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MyCustomAPI", "OwnLoop"])
def test_a_status_that_may_pass_is_retried_by_the_engine(name: str) -> None:
    script = Script(faults={"429": 1.0}, retry_after=3)
    with FakeServer(script) as server, pytest.raises(Transient, match="HTTP 429 from localhost") as caught:
        ask(name, server)
    assert caught.value.retry_after == 3


def test_a_final_status_has_the_message_of_the_server() -> None:
    with FakeServer(Script(faults={"400": 1.0})) as server, pytest.raises(Rejected, match="HTTP 400 from localhost: "):
        ask("OwnLoop", server)


def test_a_server_that_is_not_there_is_reported_even_if_the_class_catches_the_error() -> None:
    with FakeServer() as server:
        pass
    with pytest.raises(Transient, match="no connection"):
        ask("OwnLoop", server)


def test_a_missing_method_ends_the_run_with_its_name(server: FakeServer) -> None:
    with pytest.raises(SpecError, match="WithoutStream should implement parse_stream_response if stream is True"):
        ask("WithoutStream", server)


def test_a_temperature_that_would_not_be_sent_is_refused(server: FakeServer) -> None:
    warm = Generate(turns=QUESTION.turns, max_tokens=8, temperature=0.7)
    with pytest.raises(SpecError, match=r"temperature of 0.7 does not reach .*MyCustomAPI.*generation_kwargs"):
        ask("MyCustomAPI", server, warm)
    assert ask("MyCustomAPI", server, warm, generation_kwargs={"temperature": 0.7}).text == "one two three"


def test_an_answer_is_cut_at_a_stop_string(server: FakeServer) -> None:
    assert ask("MyCustomAPI", server, Generate(turns=QUESTION.turns, max_tokens=8, stop=(" two",))).text == "one"


@pytest.mark.parametrize(("stop", "text"), [((), "a b c"), (("x",), "a b c"), (("c", " b", "x"), "a")])
def test_a_text_ends_before_the_first_of_several_stop_strings(stop: tuple[str, ...], text: str) -> None:
    assert cut_at_stop("a b c", stop) == text


def test_a_prompt_that_begins_the_answer_is_refused(server: FakeServer) -> None:
    turns = (*QUESTION.turns, Turn("assistant", ("The answer is",)))
    with pytest.raises(Rejected, match="cannot continue an answer"):
        ask("MyCustomAPI", server, Generate(turns=turns, max_tokens=8))


def test_an_unknown_argument_is_named() -> None:
    with pytest.raises(SpecError, match="unexpected keyword argument 'host_prot'"):
        load("MyCustomAPI")(host_prot=1)


def test_what_is_not_a_model_class_is_refused() -> None:
    with pytest.raises(SpecError, match="is not a model class of AISBench"):
        load("not_a_class")


# --- weights --------------------------------------------------------------------------


def generate(name: str, requests: list[Generate], **arguments: Any) -> list[Generation]:
    return list(load(name)(path="", **arguments).generate(requests))


def test_a_local_class_gets_batches_with_one_limit() -> None:
    assert issubclass(load("MyCustomModel"), BatchModel)
    limits = (4, 2, 4)
    requests = [Generate(turns=(Turn("user", (f"abcde{limit}",)),), max_tokens=limit) for limit in limits]
    assert [answer.text for answer in generate("MyCustomModel", requests)] == ["4edc", "2e", "4edc"]
    assert [call[:2] for call in seen()] == [(["abcde4", "abcde4"], 4), (["abcde2"], 2)]


def test_the_meta_template_of_a_local_class_is_applied() -> None:
    meta_template = {"round": [{"role": "HUMAN", "begin": "Q: "}, {"role": "BOT", "begin": "A:", "generate": True}]}
    generate("MyCustomModel", [QUESTION], meta_template=meta_template)
    assert seen()[-1][0] == ["Q: one two threeA:"]


def test_stop_strings_reach_a_local_class() -> None:
    (answer,) = generate("MyCustomModel", [Generate(turns=QUESTION.turns, max_tokens=99, stop=(" owt",))])
    assert answer.text == "eerht"
    assert seen()[-1][2] == {"stopping_criteria": [" owt"]}


def test_fields_of_a_config_that_are_not_for_the_class_are_accepted() -> None:
    model = load("MyCustomModel")(path="", abbr="mine", attr="local", batch_size=4, max_out_len=7, run_cfg={})
    assert model.batch_size == 4
    assert model._model.max_out_len == 7


def test_too_few_texts_fail_the_batch() -> None:
    with pytest.raises(SampleError, match="generate should return a list of 1 texts for 1 prompts, not str"):
        generate("TooFew", [QUESTION])


# --- commands -------------------------------------------------------------------------


@pytest.mark.slow
def test_model_classes_are_used_on_the_command_line(auricle: Any, manifest: Any, server: FakeServer) -> None:
    path = manifest([{"question": "one two", "answer": "one two"}])
    model = ("-m", f"aisbench:{CLASSES}:MyCustomAPI", "-M", f"host_port={get_port(server)}")
    preview = auricle("preview", path, "--as", "qa", *model).stdout
    assert "POST /v1/chat/completions" in preview
    assert '"content": "one two"' in preview
    result = auricle("run", path, "--as", "qa", *model, "-o", "api")
    assert result.returncode == 0, result.stderr
    assert "100" in result.stdout
    local = auricle("run", path, "--as", "qa", "-m", f"aisbench:{CLASSES}:MyCustomModel", "-M", "path=x", "-o", "local")
    assert local.returncode == 0, local.stderr
