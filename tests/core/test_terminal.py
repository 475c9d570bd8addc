"""Text from models, servers and data cannot control a terminal."""

import orjson
import pytest

from auricle.core.redaction import SECRETS
from auricle.core.terminal import clean_json, clean_text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[Hcleared", "cleared"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b]52;c;QUFB\x1b\\b", "ab"),
        ("\x1bPq#0\x1b\\z", "z"),
        ("\x9b31mred \x9d0;title\x9cb", "red b"),
        ("unfinished \x1b]0;title", "unfinished 0;title"),
        ("over\rwritten\x08\x00\x7f", "overwritten"),
        ("\x1b(B\x1b7\x1b", ""),
        ("\x9d" * 300_000 + "\x1b]" * 300_000, ""),
        ("tab\tnew\nline\r\nend, Größe, 日本語", "tab\tnew\nline\r\nend, Größe, 日本語"),
    ],
    ids=lambda text: repr(text[:20]),
)
def test_control_sequences_are_removed(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


def test_secrets_are_removed() -> None:
    SECRETS.add(["sk-Sesame1234"])
    assert clean_text("wrong key sk-\x1b[0mSesame1234") == "wrong key …"


def test_json_has_every_control_character_escaped_and_means_the_same() -> None:
    document = {"text": "\x1b[31m \x7f \x9b31m Größe"}
    cleaned = clean_json(orjson.dumps(document))
    assert orjson.loads(cleaned) == document
    assert clean_text(cleaned.decode()) == cleaned.decode()
