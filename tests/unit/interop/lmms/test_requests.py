from typing import Any

import pytest

from auricle.audio import Audio
from auricle.core.types import Generate, Turn
from auricle.interop.audio_files import AudioFiles
from auricle.interop.lmms.requests import (
    CallableTarget,
    DocCollection,
    RequestDoc,
    build_gen_kwargs,
    count_unpacked_arguments,
    doc_to_messages,
    doc_to_text,
)


class UnpacksSix:
    def generate_until(self, requests: Any) -> None:
        for request in requests:
            _context, _messages, _settings, _doc_id, _task, _split = request.args


class UnpacksElsewhere:
    def generate_until(self, requests: Any) -> Any:
        return self.unpack(requests)

    def unpack(self, requests: Any) -> None:
        _messages, _settings, _doc_id, _task, _split = zip(*requests, strict=True)


def test_unpacked_arguments_are_counted() -> None:
    assert count_unpacked_arguments(UnpacksSix) == 6
    assert count_unpacked_arguments(UnpacksElsewhere) == 5
    assert count_unpacked_arguments(object) is None


def test_every_access_to_a_doc_returns_a_copy(tone: Any) -> None:
    request = Generate(turns=(Turn("user", (Audio.of(tone("a.wav")), "What?")),))
    with AudioFiles() as files:
        docs = DocCollection({7: RequestDoc(request, "array", files)})
        docs[7]["audio"]["array"][:] = 0
        assert docs[7]["audio"]["array"].any()
    with pytest.raises(IndexError, match=r"no doc 0; available: \[7\]"):
        docs[0]


def test_later_rounds_end_the_conversation() -> None:
    doc = {"messages": ["hello"], "question": "What?"}
    assert doc_to_messages(doc) == ["hello"]
    assert doc_to_messages(doc, round_idx=1, previous_output=["a"])[1:3] == (True, ["a"])
    assert doc_to_text(doc, round_idx=1)[2] is True


def test_generation_settings_are_translated() -> None:
    request = Generate(turns=(Turn("user", ("a",)),), max_tokens=8, temperature=0.5, stop=(".",))
    assert build_gen_kwargs(request) == {"max_new_tokens": 8, "temperature": 0.5, "do_sample": True, "until": ["."]}


def test_a_target_can_be_called_or_used_as_text() -> None:
    assert CallableTarget("b")({"doc": 1}) == "b" == CallableTarget("b")
