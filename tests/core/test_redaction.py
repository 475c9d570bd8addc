"""Secrets are recognised by name and by value, and removed from everything that is stored or shown."""

import base64
import io
from urllib.parse import quote

import orjson
import pytest

from auricle.core.redaction import SECRETS, RedactingStream, find_secrets, is_secret_name, looks_generated, redact

KEY = "sk-live-Ab3dEf6hIj9kLm2nOp5q"
SECRET_NAMES = (
    "api_key apikey api-key apiKey APIKey X-Api-Key api_keys api_key_2 authorization Proxy-Authorization bearer "
    "access_key_id aws_secret_access_key token token2 token_2 hf_token accessToken access_tokens refresh_token "
    "id_token cookie Set-Cookie passphrase password PASSWORD2 passwd pwd secret client_secret credentials private_key "
    "auth basic_auth openai_key Ocp-Apim-Subscription-Key jwt pw pass db_pass pin psk otp totp pem signature sig dsn "
    "connection_string connectionString conn_str mnemonic "
)
HARMLESS_NAMES = (
    "max_tokens max_new_tokens tokens total_tokens tokenizer token_boundary token_count eos_token pad_token ice_token "
    "image_token key keys content_key sort_key answer_key keyword keyboard monkey author authority api_key_env "
    "private_key_path access_token_url passes compass bypass bias class model base_url temperature "
)


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_names_of_secrets_are_recognised_in_any_spelling(name: str) -> None:
    assert is_secret_name(name)
    assert redact({name: "value"}) == {name: "…"}
    assert redact({"extra": [{name: ["value"]}]}) == {"extra": [{name: "…"}]}


@pytest.mark.parametrize("name", HARMLESS_NAMES.split())
def test_harmless_names_are_kept(name: str) -> None:
    assert not is_secret_name(name)
    assert redact({name: "value"}) == {name: "value"}


def test_switches_and_empty_values_are_kept() -> None:
    arguments = {"use_auth_token": True, "api_key": "", "password": None}
    assert redact(arguments) == arguments


def test_only_names_and_references_to_variables_are_kept_of_headers() -> None:
    headers = {"x-team": "abc", "Authorization": "Bearer $MY_KEY", "x-key": "${MY_KEY}"}
    for name in ("headers", "default_headers", "extraHeaders"):
        assert redact({name: headers}) == {name: {**headers, "x-team": "…"}}
    assert redact({"headers": "X-Team: abc"}) == {"headers": "…"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:p4ss-word1@h/x", "http://…@h/x"),
        ("https://p4ss-word1@h/x", "https://…@h/x"),
        ("https://h/v1?code=p4ss-word1&x=1", "https://h/v1?code=…&x=1"),
        ("https://h/v1?anything=p4ss-word1;api-version=2024-02-01", "https://h/v1?anything=…;api-version=2024-02-01"),
        ("https://h/v1?X-Amz-Credential=p4ss-word1/eu", "https://h/v1?X-Amz-Credential=…"),
        ("https://h/v1?p4ss-word1", "https://h/v1?…"),
        ("wss://h/v1?model=m#key=p4ss-word1", "wss://h/v1?model=m#…"),
        ("https://h/services/p4ss0Zq7xK9vL4mW4tR7yB2/x", "https://h/services/…/x"),
    ],
)
def test_everything_in_a_url_that_is_not_known_to_be_public_is_hidden(url: str, shown: str) -> None:
    arguments = {"base_url": url}
    assert redact(arguments) == {"base_url": shown}
    assert any(secret.startswith("p4ss") for secret in find_secrets(arguments))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("Server=db;User Id=me;Password=p4ss-word1;", "Server=db;User Id=me;Password=…;"),
        ("host=db user=me password=p4ss-word1", "host=db user=me password=…"),
        ("AccountName=me;AccountKey=p4ss-word1==;Suffix=net", "AccountName=me;AccountKey=…;Suffix=net"),
        ("-----BEGIN EC PRIVATE KEY-----\np4ss-word1\n-----END EC PRIVATE KEY-----", "…"),
    ],
)
def test_secrets_are_known_by_the_shape_of_what_contains_them(value: str, shown: str) -> None:
    assert redact({"note": value}) == {"note": shown}
    assert any(secret.startswith("p4ss-word1") for secret in find_secrets({"note": value}))


def test_ordinary_words_in_urls_are_hidden_there_but_kept_elsewhere() -> None:
    assert not {"dev-clean", "intro"} & {*find_secrets({"url": "https://h/x?name=dev-clean#intro"})}


@pytest.mark.parametrize(
    "value", [KEY, "hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "AKIAIOSFODNN7EXAMPLE", "0123456789abcdef0123456789abcdef"]
)
def test_values_that_look_generated_are_hidden_under_any_name_but_stay_different(value: str) -> None:
    SECRETS.register({"speaker": value}, {"speaker": f"{value}9"})
    hidden, other = redact({"speaker": value})["speaker"], redact({"speaker": f"{value}9"})["speaker"]
    assert hidden.startswith("…#")
    assert hidden != other
    assert value not in hidden


@pytest.mark.parametrize(
    "value",
    [
        "Qwen2-Audio-7B-Instruct",
        "gpt-4o-mini-transcribe-2025-03-20",
        "openai/whisper-large-v3-turbo",
        "en-US-AvaMultilingualNeural",
        "sk-learn-classifier-large-v2",
        "hf_internal_testing_tiny_model",
        "/cache/models--x/snapshots/0123456789abcdef0123456789abcdef01234567",
        "Transcribe the recording. Answer with the words only.",
    ],
)
def test_names_of_models_paths_and_texts_do_not_look_generated(value: str) -> None:
    assert not looks_generated(value)


@pytest.mark.parametrize("name", ["revision", "voice_id", "checkpoint", "commit_sha", "model"])
def test_arguments_that_name_content_may_look_generated(name: str) -> None:
    value = "0123456789abcdef0123456789abcdef01234567"
    assert redact({name: value}) == {name: value}


def test_arguments_of_tasks_may_look_generated() -> None:
    arguments = {"subset": "0123456789abcdef0123456789abcdef", "hf_token": "abc"}
    assert redact(arguments, hide_generated=False) == {**arguments, "hf_token": "…"}


# --- values ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        KEY.upper(),
        KEY[:12],
        f"{KEY[:14]}********",
        quote(f"={KEY}"),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"me:{KEY}".encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
    ],
    ids=["as it is", "upper case", "beginning", "masked", "in a URL", "base64", "base64 + 3", "base64 + 5"],
)
def test_registered_secrets_are_replaced_in_every_form(text: str) -> None:
    SECRETS.register({"api_key": KEY})
    redacted = SECRETS.redact(f"The key {text}, is wrong.")
    assert text not in redacted
    assert redacted.startswith("The key ")
    assert redacted.endswith("…, is wrong.")


def test_without_secrets_texts_and_lines_are_unchanged() -> None:
    SECRETS.clear()
    line = b"{}"
    assert SECRETS.redact_line(line) is line
    assert SECRETS.redact_bytes(line) is line
    assert SECRETS.redact("text") == "text"


def test_environment_variables_are_read_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_API_KEY", KEY)
    assert SECRETS.redact_line(KEY.encode()) == "…".encode()


@pytest.mark.parametrize("value", ["EMPTY", "secret", "password", "12345678901", "not-needed"])
def test_short_values_words_and_numbers_are_not_searched_for_in_texts(value: str) -> None:
    SECRETS.add([value])
    assert SECRETS.redact(f"an answer with {value}") == f"an answer with {value}"


def test_json_stays_valid_and_other_text_is_kept() -> None:
    awkward = 'quote"back\\slash-1234'
    SECRETS.register({"password": awkward, "api_key": KEY})
    document = {"text": f"before {awkward} after", "n": 1, "words": ["a", KEY, "b"]}
    redacted = orjson.loads(SECRETS.redact_line(orjson.dumps(document)))
    assert redacted == {"text": "before … after", "n": 1, "words": ["a", "…", "b"]}


def test_a_secret_with_punctuation_is_replaced_completely() -> None:
    tokens = ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJlMTIz", "eyJhbGciOiJIUzI1NiJ9.b3RoZXI0NTY3.b3RoZXI")
    SECRETS.register(*({"headers": {"Authorization": f"Bearer {token}"}} for token in tokens))
    for token in tokens:
        assert SECRETS.redact(f"You sent Bearer {token}.") == "You sent …."
        assert SECRETS.redact(f"You sent {token}, {token[:30]}.") == "You sent …, …."


def test_a_passphrase_is_only_hidden_as_a_whole() -> None:
    SECRETS.register({"passphrase": "the quick brown fox jumps"})
    assert SECRETS.redact("the quick brown dog, the quick brown fox jumps") == "the quick brown dog, …"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SERVICE_API_KEY", "correct-horse-battery"),
        ("DB_PASSWORD", "hunter22hunter"),
        ("UNSUSPICIOUS", KEY),
        ("DATABASE_URL", "postgres://me:hunter22hunter@host/db"),
    ],
)
def test_secrets_in_environment_variables_are_registered(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    secret = "hunter22hunter" if "hunter" in value else value
    SECRETS.register()
    assert redact({"text": f"x {secret} y"}) == {"text": "x … y"}
    assert secret not in str(redact({"note": secret}))


@pytest.mark.parametrize(
    ("name", "value"),
    [("SSH_KEY", "/home/me/.ssh/id_ed25519"), ("CI_COMMIT_SHA", "0123456789abcdef0123456789abcdef01234567")],
)
def test_paths_and_commits_in_environment_variables_are_no_secrets(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    SECRETS.register()
    assert SECRETS.redact(f"x {value} y") == f"x {value} y"


def test_variables_that_arguments_refer_to_are_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAM", "team-Swordfish7")
    monkeypatch.setenv("OTHER", "other-Mellon432")
    monkeypatch.setenv("HOST", "ip-10-0-3-77")
    monkeypatch.setenv("PS1", "$HOST $ ")
    SECRETS.register({"headers": {"X-Team": "$TEAM"}, "api_key_env": "OTHER", "prompt": "on $HOST"})
    assert SECRETS.redact("team-Swordfish7 other-Mellon432 ip-10-0-3-77") == "… … ip-10-0-3-77"


def test_headers_of_content_are_no_secrets() -> None:
    headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01-beta", "X-Team": "hdr-Mellon43"}
    assert list(find_secrets({"headers": headers})) == ["hdr-Mellon43"]


def test_a_stream_removes_secrets_from_what_is_written() -> None:
    SECRETS.register({"api_key": KEY})
    log = io.StringIO()
    stream = RedactingStream(log)
    print(f"Using {KEY}", file=stream, flush=True)
    assert log.getvalue() == "Using …\n"
    assert not stream.isatty()
