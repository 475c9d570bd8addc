"""Hold a call: send the caller's audio at its pace, play what the model returns, and record everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auricle.core.calls import CallRecording
from auricle.core.types import Call

if TYPE_CHECKING:
    from auricle.models.base import SessionModel


async def hold_call(model: SessionModel, call: Call) -> CallRecording:
    """Hold one call with a model.

    Args:
        model: The agent.
        call: What the caller does.

    Returns:
        The recording of the call.
    """
    raise NotImplementedError
