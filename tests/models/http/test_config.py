"""Options of models behind an API."""

from typing import Any

import pytest

from auricle.core.errors import Rejected, SpecError
from auricle.models.openai import OpenAI
from tests.support.http_servers import chat, http_reply, run_model

KEY = "sk-very-secret-1234567890"


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


def test_repr_contains_neither_the_key_nor_headers() -> None:
    service = model_at("http://127.0.0.1:1/v1", api_key=KEY, headers={"X-Team": "blue-4711"}).service
    assert KEY not in repr(service)
    assert "blue-4711" not in repr(service)


@pytest.mark.parametrize("value", ["Token $MY_TOKEN", "${MY_TOKEN}", KEY])
def test_header_is_sent_expanded_and_removed_from_messages(
    canned: Any, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("MY_TOKEN", KEY)
    server = canned(http_reply(401, {"error": {"message": f"unknown: {KEY}, or {KEY[:-1]}"}}))
    with pytest.raises(Rejected) as caught:
        run_model(model_at(server, headers={"X-Auth": value}))
    assert server.last.headers["x-auth"].endswith(KEY)
    assert str(caught.value).endswith("unknown: …, or …")


def test_unset_environment_variable_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(SpecError, match="api_key_env: the environment variable NO_SUCH_KEY is not set"):
        model_at("http://127.0.0.1:1/v1", api_key_env="NO_SUCH_KEY")
    with pytest.raises(SpecError, match="headers: the environment variable NO_SUCH_KEY is not set"):
        model_at("http://127.0.0.1:1/v1", headers={"X-Auth": "${NO_SUCH_KEY}"})


@pytest.mark.parametrize(("variable", "options"), [("OPENAI_API_KEY", {}), ("MY_KEY", {"api_key_env": "MY_KEY"})])
def test_api_key_sources(canned: Any, monkeypatch: pytest.MonkeyPatch, variable: str, options: Any) -> None:
    monkeypatch.setenv(variable, f"{KEY}\n")
    server = canned(chat())
    run_model(model_at(server, **options))
    assert server.last.headers["authorization"] == f"Bearer {KEY}"
