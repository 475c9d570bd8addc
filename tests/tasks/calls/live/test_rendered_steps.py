"""The audio of steps, in frames."""

import numpy as np
import pytest

from auricle.core.calls import Step
from auricle.core.errors import AudioError
from auricle.media import Audio
from auricle.tasks.calls.live.rendered_steps import frame_size, render_step
from tests.support.voice_agents import RATE, clip, tone


def test_clips_are_trimmed_and_pauses_are_kept() -> None:
    step = Step(kind="say", audio=(clip(0.5, lead=0.2, tail=0.3), 0.25, clip(1.0)))
    rendered = render_step(step, RATE)
    assert rendered.seconds == 1.75
    assert rendered.lead_seconds == 0.2
    assert rendered.clips == ((0, RATE // 2), (RATE * 3 // 4, RATE * 7 // 4))
    assert np.array_equal(rendered.samples[: RATE // 2], tone(0.5))


def test_a_step_that_is_not_trimmed_keeps_every_sample() -> None:
    step = Step(kind="say", audio=(clip(0.5, lead=0.2, tail=0.3),), trim=False)
    rendered = render_step(step, RATE)
    assert rendered.seconds == 1.0
    assert np.array_equal(rendered.samples, tone(0.5, lead=0.2, tail=0.3))
    assert rendered.clips == ((RATE // 5, RATE * 7 // 10),)
    assert rendered.lead_seconds == 0.2


def test_a_silent_clip_that_is_not_trimmed_has_no_audible_part() -> None:
    silence = Audio.of(np.zeros(RATE, np.float32), rate=RATE)
    rendered = render_step(Step(kind="say", audio=(silence,), trim=False), RATE)
    assert (rendered.seconds, rendered.clips, rendered.lead_seconds) == (1.0, (), 0.0)


def test_the_last_frame_is_filled_with_silence() -> None:
    rendered = render_step(Step(kind="say", audio=(clip(0.03),)), RATE)
    assert [len(frame.samples) for frame in rendered.frames] == [frame_size(RATE)] * 2
    assert not rendered.frames[1].samples[RATE // 100 :].any()
    assert rendered.frames[1].samples[: RATE // 100].all()


def test_a_step_may_have_no_audio() -> None:
    assert render_step(Step(kind="wait"), RATE).frames == ()


def test_a_clip_without_sound_is_refused() -> None:
    quiet = Audio.of(np.full(1000, 0.001, np.float32), rate=RATE)
    with pytest.raises(AudioError, match="nothing audible"):
        render_step(Step(kind="noise", audio=(quiet,)), RATE)
