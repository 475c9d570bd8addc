"""A caller that follows a script: which frame it sends next, depending on what the agent does."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from auricle.core.calls import AudioFrame, Event, EventKind, Span, Step, StepKind
from auricle.tasks.calls.live.agent import AgentState
from auricle.tasks.calls.live.rendered_steps import RenderedStep, frame_size

if TYPE_CHECKING:
    from numpy import int16
    from numpy.typing import NDArray

TIME_TOLERANCE = 1e-9
"""Far below the duration of a sample: times on the frame grid are not exact in floating point."""


class CallerFrame(NamedTuple):
    """A frame, and the steps that start and end with it."""

    audio: AudioFrame
    started: Step | None = None
    ended: Step | None = None


class ScriptedCaller:
    """Runs the steps of a script, one after another, on the grid of frames.

    Args:
        steps: What the caller does.
        rate: Sample rate of the frames.
        agent: What is known about the agent.
    """

    def __init__(self, steps: Iterable[RenderedStep], rate: int, agent: AgentState) -> None:
        self._steps = list(steps)
        self._rate = rate
        self._agent = agent
        self._silence = AudioFrame(np.zeros(frame_size(rate), np.int16))
        self._index = 0
        self._frames: deque[AudioFrame] = deque()
        self.previous_end = 0.0
        """When the last audible sample of the current or the previous step is due."""
        self._starts: list[float] = []
        self.events: list[Event] = []
        self.spans: list[Span] = []

    @property
    def is_done(self) -> bool:
        """Whether all steps have been sent."""
        return self._index == len(self._steps)

    @property
    def last_step(self) -> Step | None:
        return self._steps[-1].step if self._steps else None

    def list_unreached(self) -> tuple[StepKind, ...]:
        """Return the kinds of the steps that have not begun."""
        return tuple(rendered.step.kind for rendered in self._steps[len(self._starts) :])

    def add_step(self, step: RenderedStep) -> None:
        """Go on with a further step after all others."""
        self._steps.append(step)

    def make_track(self, seconds: float) -> NDArray[int16]:
        """Return the caller's track as sent."""
        track = np.zeros(round(seconds * self._rate), np.int16)
        for start, step in zip(self._starts, self._steps, strict=False):
            first = round(start * self._rate)
            track[first : first + len(step.samples)] = step.samples[: max(0, len(track) - first)]
        return track

    def next_frame(self, now: float) -> CallerFrame:
        """Return the frame that begins at a time of the call."""
        started = None
        while not self._frames:
            if self.is_done or not self._begin_step(now):
                return CallerFrame(self._silence)
            started = self._steps[self._index].step
            if not self._frames:  # a step without audio
                self._index += 1
        frame = self._frames.popleft()
        if self._frames:
            return CallerFrame(frame, started)
        self._index += 1
        return CallerFrame(frame, started, self._steps[self._index - 1].step)

    def _begin_step(self, now: float) -> bool:
        """Begin the next step if it is due, and return whether it is."""
        rendered = self._steps[self._index]
        step = rendered.step
        due = self._find_due(step, now)
        timed_out = due is None and self._agent.silence(self.previous_end, now) >= step.limit - TIME_TOLERANCE
        if not timed_out and (due is None or due > now + TIME_TOLERANCE):
            return False
        self._starts.append(now)
        self._frames = deque(rendered.frames)
        self._record(rendered, now, timed_out)
        self.previous_end = now + rendered.seconds
        return True

    def _find_due(self, step: Step, now: float) -> float | None:
        """Return when a step is due; None as long as what it waits for has not happened."""
        if step.start == "previous":
            return self.previous_end + step.delay
        if step.start == "agent_start":
            reference = self._agent.find_start(self.previous_end)
        else:
            reference = self._agent.find_end(self.previous_end, now)
        return None if reference is None else reference + step.delay

    def _record(self, rendered: RenderedStep, now: float, timed_out: bool) -> None:
        step = rendered.step
        clips = [(now + first / rendered.rate, now + last / rendered.rate) for first, last in rendered.clips]
        text = step.text
        for start, end in clips:
            self.spans.append(Span(start=start, end=end, kind=step.kind, step=self._index, text=text))
            text = ""
        start, end = (clips[0][0], clips[-1][1]) if clips else (now, now + rendered.seconds)
        data = {"step": self._index}
        started = {**data, "lead": rendered.lead_seconds, **({"timed_out": True} if timed_out else {})}
        self.events += [
            Event(at=start, side="script", kind=EventKind.STEP_STARTED, text=step.text, data=started),
            Event(at=end, side="script", kind=EventKind.STEP_ENDED, data=data),
        ]
