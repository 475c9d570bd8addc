"""What the caller knows about the agent: whether it speaks, has spoken, or still owes a response."""

from __future__ import annotations

from auricle.tasks.calls.live.player import Player

END_SILENCE = 0.8
"""Seconds of silence after which an agent that does not announce the end of its responses has finished."""


class AgentState:
    """Follows the agent's responses and their playback.

    Args:
        player: Where its audio is played.
    """

    def __init__(self, player: Player) -> None:
        self._player = player
        self._announces_responses = False
        self._is_responding = False
        self._owes_response = False

    def start_response(self) -> None:
        self._announces_responses = self._is_responding = True
        self._owes_response = False
        self._player.start_response()

    def end_response(self) -> None:
        self._announces_responses = True
        self._is_responding = False
        self._player.end_response()

    def go_on(self) -> None:
        """The agent speaks."""
        self._owes_response = False

    def expect_response(self) -> None:
        """The agent has to go on, because it got the result of a tool call."""
        self._owes_response = True

    def find_start(self, since: float) -> float | None:
        """Return when the first speech began that was not over at `since`."""
        return next((start for start, end in self._player.spans if end > since), None)

    def find_end(self, since: float, now: float) -> float | None:
        """Return when speech that was not over at `since` ended; None if there was none, or it is not complete."""
        if not self._player.spans or self._is_responding or self._owes_response:
            return None
        end = self._player.spans[-1][1]
        if not since < end <= now:
            return None
        return end if self._announces_responses or now >= end + END_SILENCE else None

    def is_silent(self, now: float) -> bool:
        """Return whether the agent has nothing to say at the moment."""
        return not self._is_responding and not self._owes_response and self.silence(0.0, now) > 0

    def silence(self, since: float, now: float) -> float:
        """Return for how long the agent has been silent, not counting the time before `since`."""
        before = [(start, end) for start, end in self._player.spans if start <= now]
        return now - max(since, min(before[-1][1], now)) if before else now - since
