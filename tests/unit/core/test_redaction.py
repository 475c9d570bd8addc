"""Secrets are removed from arguments."""

from auricle.core.redaction import redact


def test_secrets_are_replaced_and_their_names_kept() -> None:
    arguments = {"api_key": "sk-1", "auth_token": "t", "api_key_env": "KEY", "max_tokens": 5, "a": 1}
    assert redact(arguments) == {**arguments, "api_key": "…", "auth_token": "…"}
    assert redact({"tokenizer": "x", "keyword": "y"}) == {"tokenizer": "x", "keyword": "y"}
    assert redact({"c": [{"password": "p"}], "hf_auth": "t", "url": "http://u:p@h/x"}) == {
        "c": [{"password": "…"}],
        "hf_auth": "…",
        "url": "http://…@h/x",
    }


def test_header_values_and_keys_in_urls_are_replaced() -> None:
    assert redact({"headers": {"x-api": "secret"}}) == {"headers": {"x-api": "…"}}
    assert redact({"base_url": "https://host/v1?api_key=abc&x=1"}) == {"base_url": "https://host/v1?api_key=…&x=1"}
