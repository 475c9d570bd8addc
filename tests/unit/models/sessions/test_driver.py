"""Holding a call."""

from collections.abc import AsyncIterator

from auricle.core.calls import CallerInput, SessionEvent
from auricle.core.types import Call
from auricle.models.base import SessionModel, abilities


class Quiet(SessionModel):
    async def session(self, call: Call, inputs: AsyncIterator[CallerInput]) -> AsyncIterator[SessionEvent]:
        async for _ in inputs:
            pass
        return
        yield


def test_a_class_with_sessions_holds_calls() -> None:
    assert abilities(Quiet) == ["call"]
