from typing import Any

import pytest

from auricle.core.errors import SampleError
from auricle.core.types import Turn
from auricle.interop.aisbench.prompts import from_aisbench, to_aisbench


def test_a_conversation_with_audio_is_converted_back_unchanged(tone: Any) -> None:
    from auricle import Audio

    audio = Audio.of(tone("a.wav"))
    turns = (
        Turn("system", ("be brief",)),
        Turn("user", (audio, "what?")),
        Turn("assistant", ("a tone",)),
        Turn("user", ("sure?",)),
    )
    assert from_aisbench(to_aisbench(turns)) == turns
    assert from_aisbench(to_aisbench(turns[3:])) == turns[3:]


def test_messages_with_content_are_accepted_and_unknown_roles_rejected() -> None:
    assert from_aisbench([{"role": "user", "content": "hi"}]) == (Turn("user", ("hi",)),)
    with pytest.raises(SampleError, match="role"):
        from_aisbench([{"role": "robot", "prompt": "hi"}])
