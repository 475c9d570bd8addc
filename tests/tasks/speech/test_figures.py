"""What a report shows of spoken answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from auricle import Audio, Generation, Sample
from auricle.core.types import Record
from auricle.tasks.speech.figures import SpeechView, build_speech_view, count_answers, draw_speech, list_failures
from auricle.tasks.speech.metrics.failures import speech_failures
from tests.support.spoken import RATE, make_answer, make_sample, make_speech

SPEECH = make_speech(1.0)
PAUSED = np.concatenate([SPEECH, np.zeros(RATE // 2, np.float32), SPEECH])


def make_record(*answers: Generation, sample: Sample | None = None) -> Record:
    return Record(sample=sample or make_sample("good morning"), row=0, outputs=answers)


def view_of(record: Record) -> SpeechView:
    view = build_speech_view(record)
    assert view is not None
    return view


def test_answers_stand_above_the_reference_and_the_imitated_voice() -> None:
    sample = make_sample(reference=SPEECH)
    sample = replace(sample, inputs={**sample.inputs, "prompt_audio": Audio.of(SPEECH, rate=RATE)})
    view = view_of(make_record(make_answer(PAUSED), make_answer(SPEECH), sample=sample))
    assert [track.title for track in view.tracks] == ["Answer 1", "Answer 2", "Reference", "Voice"]
    assert view.is_synthesis
    assert view.has_sound


def test_silence_is_marked_where_it_is() -> None:
    (track,) = view_of(make_record(make_answer(PAUSED))).tracks
    assert track.seconds == pytest.approx(2.5)
    start, end = max(track.pauses, key=lambda pause: pause[1] - pause[0])
    assert start == pytest.approx(1.0, abs=0.08)
    assert end == pytest.approx(1.5, abs=0.08)
    assert 0.45 < max(track.peaks) <= 0.51


def test_records_without_speech_have_no_view_but_an_empty_synthesis_has_one() -> None:
    question = Sample(id="1", inputs={"question": "?"}, target="yes")
    assert build_speech_view(make_record(Generation(text="yes"), sample=question)) is None
    assert build_speech_view(make_record()) is None
    view = view_of(make_record(make_answer(None)))
    assert view.tracks == ()
    assert not view.has_sound


def test_a_recording_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    sample = make_sample()
    sample = replace(sample, inputs={**sample.inputs, "reference": Audio(str(tmp_path / "missing.wav"))})
    assert [track.title for track in view_of(make_record(make_answer(SPEECH), sample=sample)).tracks] == ["Answer"]


def test_the_numbers_of_a_sample_are_shown_with_their_titles() -> None:
    view = view_of(make_record(make_answer(SPEECH)))
    stats = {
        "speech_failures": (0.0, 0.0, 0.0, 1.0, 11),
        "speech_duration": 1.0,
        "mcd": [0, [[10.0, 2], [20.0, 2]]],
        "si_sdr": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        "unknown": 3.0,
    }
    assert dict(view.with_scores(stats).numbers) == {"Duration of speech": "1\u202fs", "MCD (dB)": "7.5"}


def test_the_figure_has_a_lane_and_a_waveform_for_each_recording() -> None:
    view = view_of(make_record(make_answer(SPEECH), sample=make_sample(reference=SPEECH)))
    figure = str(draw_speech(view.with_scores({"speech_duration": 1.0}), "a <b>"))
    assert figure.count('class="wave"') == 2
    assert "Waveforms of a &lt;b&gt;, with silence" in figure
    assert "Duration of speech 1" in figure


def test_failures_are_listed_by_reason_with_the_samples_shown() -> None:
    views = [
        ("fine", view_of(make_record(make_answer(SPEECH)))),
        ("empty", view_of(make_record(make_answer(None)))),
        ("long", view_of(make_record(make_answer(np.tile(SPEECH, 8))))),
    ]
    stats = [stat for _, view in views for stat in view.failure_stats]
    details = {**speech_failures.details([*stats, stats[0]]), "too_long": 7}
    rows = {row.title: row for row in list_failures(details, views)}
    assert rows["Empty"].samples == ("empty",)
    assert rows["Too long"].samples == ("long",)
    assert rows["Too long"].answers == 7
    assert rows["Clipped"].samples == ()
    assert list_failures({}, views) == []
    assert count_answers(None) == 0
