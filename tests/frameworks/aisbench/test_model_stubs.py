"""Base classes of model classes, where they are not covered by the tests of classes that use them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.frameworks.aisbench.model_stubs import BaseAPIModel, BaseModel
from auricle.frameworks.aisbench.outputs import RequestOutput
from auricle.frameworks.aisbench.prompt_list import PromptList


class Words(BaseModel):
    def generate(self, inputs: Any, max_out_len: int) -> list[str]:
        return ["" for _ in inputs]

    def get_token_len(self, prompt: str) -> int:
        return len(prompt.split())


class Service(BaseAPIModel):
    def _get_url(self) -> str:
        return f"{self.base_url}v1/chat/completions"

    async def get_request_body(self, input_data: Any, max_out_len: int, output: Any, **args: Any) -> Any:
        return {}


@pytest.mark.parametrize(
    ("arguments", "url"),
    [
        ({}, "http://localhost:8080/"),
        ({"host_ip": "::1", "host_port": 9, "enable_ssl": True}, "https://[::1]:9/"),
        ({"url": "host:1/path"}, "http://host:1/path/"),
        ({"url": "https://host/path/?key=1"}, "https://host/path/?key=1"),
    ],
)
def test_the_address_of_a_service_ends_with_a_slash(arguments: Any, url: str) -> None:
    assert Service(**arguments).base_url == url


def test_options_that_are_not_for_the_service_are_removed() -> None:
    service = Service(generation_kwargs={"response_anomaly_enabled": True, "seed": 1})
    assert (service.response_anomaly_enabled, service.generation_kwargs) == (True, {"seed": 1})


@pytest.mark.parametrize("ending", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_events_are_separated_wherever_the_network_cuts_them(ending: bytes) -> None:
    content = ending.join([b"data: 1", b"data: 2", b"data: 3"])

    async def chunks(size: int) -> AsyncIterator[bytes]:
        for start in range(0, len(content), size):
            yield content[start : start + size]

    async def read(size: int) -> list[bytes]:
        return [event async for event in Service().iter_lines(chunks(size))]

    for size in (1, 3, 100):
        assert asyncio.run(read(size)) == [b"data: 1", b"data: 2", b"data: 3"]


def test_perplexity_is_the_mean_negative_log_probability() -> None:
    tokens = [None, {"7": {"logprob": -1.0}}, {"9": {"logprob": -2.0}}]
    assert Service()._calc_ppl(tokens) == 1.5
    with pytest.raises(SampleError, match="no log-probability"):
        Service()._calc_ppl([None])


@pytest.mark.parametrize(
    "call",
    [
        lambda service: service.parse_text_response({}, RequestOutput()),
        lambda service: service.parse_stream_response({}, RequestOutput()),
        lambda service: service.get_ppl_request_body("", 1, RequestOutput()),
    ],
)
def test_optional_methods_name_themselves_if_they_are_missing(call: Any) -> None:
    with pytest.raises(NotImplementedError, match="Service"):
        asyncio.run(call(Service()))
    with pytest.raises(NotImplementedError, match="get_prompt_logprobs"):
        Service().get_prompt_logprobs({})


def test_tokens_of_prompts_are_counted_by_the_class() -> None:
    model = Words("")
    assert model.get_token_len_from_template("one two") == 2
    assert model.get_token_len_from_template(["one two", "three"]) == [2, 1]
    assert model.get_token_len_from_template(PromptList(["one", "two three"])) == 3
    for missing in (lambda: model.encode("a"), lambda: model.decode([1])):
        with pytest.raises(NotImplementedError, match="Words"):
            missing()


def test_a_model_keeps_its_settings() -> None:
    model = Words("weights", max_seq_len=9, meta_template={"round": [], "eos_token_id": 2}, generation_kwargs=None)
    model.set_synthetic()
    assert (model.path, model.max_seq_len, model.eos_token_id, model.is_synthetic) == ("weights", 9, 2, True)
