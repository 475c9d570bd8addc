"""What all models behind a server share."""

from typing import Any

import pytest

from auricle.core.errors import SpecError
from auricle.models.gemini import Gemini
from auricle.models.http.service import join_url, merge_extra
from auricle.models.openai import OpenAI
from auricle.models.sessions.realtime import Realtime

KEY = "sk-very-secret-1234567890"


@pytest.mark.parametrize("model_class", [OpenAI, Gemini, Realtime])
def test_keys_and_base64_are_removed_from_messages(model_class: Any) -> None:
    model = model_class(base_url="http://127.0.0.1:1/v1", model="fake", api_key=KEY)
    assert model.redact(f"not {KEY}, {'QUJD' * 30}") == "not …, …"
    assert len(model.redact("word " * 100)) == 300


@pytest.mark.parametrize("model_class", [OpenAI, Realtime])
def test_a_model_needs_a_name(model_class: Any) -> None:
    with pytest.raises(SpecError, match="missing model"):
        model_class(base_url="http://127.0.0.1:1/v1")


def test_a_key_and_a_password_exclude_each_other() -> None:
    with pytest.raises(SpecError, match="Cannot send both an API key and a password"):
        Realtime(base_url="ws://me:secret@127.0.0.1:1/v1", model="fake", api_key=KEY)


@pytest.mark.parametrize(
    ("url", "path", "joined"),
    [
        ("http://h/v1", "/realtime", "http://h/v1/realtime"),
        ("http://h/v1/", "/realtime?model=m", "http://h/v1/realtime?model=m"),
        ("http://h/v1?key=1", "/realtime", "http://h/v1/realtime?key=1"),
        ("http://h/v1?key=1", "/realtime?model=m", "http://h/v1/realtime?model=m&key=1"),
    ],
)
def test_the_query_of_the_address_is_kept(url: str, path: str, joined: str) -> None:
    assert join_url(url, path) == joined


def test_extra_fields_are_merged_and_null_removes_one() -> None:
    merged = merge_extra({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": None, "e": 4}, "d": None})
    assert merged == {"a": {"c": 2, "e": 4}}
