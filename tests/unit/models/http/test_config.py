"""Options of models behind an API."""

from typing import Any

import pytest

pytest.importorskip("aiohttp")


from auricle.core.errors import SpecError
from auricle.models.openai import OpenAI
from tests.support.http_servers import chat, run_model

KEY = "sk-very-secret-1234567890"


def model_at(*servers: Any, **options: Any) -> Any:
    urls = [server if isinstance(server, str) else server.url for server in servers]
    return OpenAI(**{"base_url": urls, "model": "fake", **options})


def test_repr_does_not_contain_the_key() -> None:
    assert KEY not in repr(model_at("http://127.0.0.1:1/v1", api_key=KEY).service)


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
