"""Messages serve the forms of lmms-eval's guide and of its code."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auricle.frameworks.lmms.chat_stubs import ChatMessages
from auricle.frameworks.lmms.messages import GuideMessages
from auricle.frameworks.lmms.stubs import stubs_importable

SYSTEM = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
USER = {"role": "user", "content": [{"type": "audio", "url": "a.wav"}, {"type": "text", "text": "What?"}]}


@pytest.fixture
def messages() -> Iterator[Any]:
    with stubs_importable():
        yield GuideMessages([copy.deepcopy(SYSTEM), copy.deepcopy(USER)])


def test_iteration_yields_the_parts_of_all_messages(messages: Any) -> None:
    assert [message.type for message in messages] == ["text", "audio", "text"]
    assert [message["text"] for message in messages if message.type == "text"] == ["Be brief.", "What?"]
    assert [message.url for message in messages if message.type == "audio"] == ["a.wav"]
    assert [(part.role, len(part.content)) for part in messages] == [("system", 1), ("user", 1), ("user", 1)]
    with pytest.raises(AttributeError, match="a part of type text has no url; it has role, content, type, text"):
        next(iter(messages)).url  # noqa: B018 - raises


def test_content_may_be_a_plain_text() -> None:
    assert [(part.type, part["text"]) for part in GuideMessages([{"role": "user", "content": "What?"}])] == [
        ("text", "What?")
    ]


def test_methods_are_those_of_chat_messages(messages: Any) -> None:
    assert messages.extract_media() == ([], [], ["a.wav"])
    assert messages.to_hf_messages()[1]["content"][0] == {"type": "audio", "audio": "a.wav"}
    assert not hasattr(messages, "no_such_method")


def test_the_code_sees_a_list_of_dicts(messages: Any) -> None:
    assert messages == [SYSTEM, USER]
    assert ChatMessages(messages=messages) == ChatMessages.model_validate({"messages": [SYSTEM, USER]})
    assert messages[-1]["content"][-1]["text"] == "What?"
    messages.insert(0, SYSTEM)
    assert len(messages) == 3
    assert [SYSTEM, *messages.copy()] == [SYSTEM] + messages  # noqa: RUF005 - both forms occur


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy])
def test_copies_keep_the_messages(messages: Any, make_copy: Any) -> None:
    duplicate = make_copy(messages)
    assert duplicate == messages
    assert duplicate is not messages
    assert duplicate.extract_media() == messages.extract_media()


def test_an_installed_package_converts_the_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "lmms_eval"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "protocol.py").write_text(
        "from pydantic import BaseModel\n"
        "class ChatMessages(BaseModel):\n"
        "    messages: list[dict]\n"
        "    def extract_media(self): return [message['role'] for message in self.messages]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    try:
        with stubs_importable():
            assert GuideMessages([SYSTEM, USER]).extract_media() == ["system", "user"]
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]:
            del sys.modules[name]
