"""Players of the page: which recordings have one, and how they are encoded."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auricle.core.types import Generation, Record, Sample
from auricle.media import Audio
from auricle.report import audio_clips
from auricle.report.audio_clips import AudioClips, encode_clip, get_sounds
from auricle.tasks.asr import error_rates
from tests.support.call_recordings import make_call_audio, make_recording
from tests.support.report_pages import view_samples
from tests.tasks.meetings.metrics.meetings import make_answer, make_sample


def record(output: str = "", name: str = "a", **inputs: Any) -> Record:
    sample = Sample(id=name, inputs=inputs, target="one two three")
    return Record(sample=sample, row=0, outputs=(Generation(text=output),))


def noise(seconds: Any) -> Any:
    values = np.random.default_rng(0).normal(0, 0.1, round(16_000 * seconds))
    return Audio.of(values.astype(np.float32), rate=16_000)


def test_sound_is_embedded_and_keeps_its_length() -> None:
    (one,) = view_samples([record(audio=[noise(1)])], error_rates.wer)
    assert len(one.audio) == 1
    assert 0.9 < Audio.of(one.audio[0]).seconds < 1.2
    assert one.note == ""


def test_every_sound_of_a_sample_is_embedded() -> None:
    (one,) = view_samples([record(audio=noise(0.2), other=[noise(0.3), "not a sound"])], None)
    assert len(one.audio) == 2


def test_long_sound_is_cut_at_thirty_seconds() -> None:
    (one,) = view_samples([record(audio=[noise(40)])], error_rates.wer)
    assert 29.9 < Audio.of(one.audio[0]).seconds < 30.2
    assert one.note == "The first 30 s of 40.0 s."


def test_missing_sound_is_noted_and_the_rest_goes_on(tmp_path: Path) -> None:
    gone = Audio(str(tmp_path / "gone.wav"))
    first, second = view_samples([record(audio=[gone]), record(audio=[noise(0.2)], name="b")], error_rates.wer)
    assert first.audio == ()
    assert "cannot be played" in first.note
    assert "gone.wav" in first.note
    assert len(second.audio) == 1


def test_sounds_keep_within_their_bytes_the_first_ones_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio_clips, "MAX_AUDIO_BYTES", 20_000)
    views = view_samples([record(audio=[noise(1)], name=str(at)) for at in range(9)], error_rates.wer)
    have = [bool(each.audio) for each in views]
    assert have == sorted(have, reverse=True)
    assert 0 < sum(have) < 9
    assert sum(4 * len(clip) / 3 for each in views for clip in each.audio) <= 20_000
    assert all("No player" in each.note for each in views if not each.audio)


def test_sounds_can_be_left_out() -> None:
    (one,) = view_samples([record(audio=[noise(1)])], error_rates.wer, audio=False)
    assert (one.audio, one.note) == ((), "")


def test_a_perfect_answer_explains_why_it_has_no_player() -> None:
    right = record("one two three", audio=[noise(0.2), noise(0.2)], name="b")
    views = view_samples([record("one", audio=[noise(0.2)]), right, record("one two three", name="c")], error_rates.wer)
    assert [len(each.audio) for each in views] == [1, 0, 0]
    assert [each.note for each in views] == ["", audio_clips.RIGHT_ANSWER_NOTE, ""]


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_clip_sounds_like_its_recording(rate: int) -> None:
    wave = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate) / rate)
    clip = Audio.of(encode_clip(Audio.of(wave.astype(np.float32), rate=rate))).decode(16_000)[2_000:14_000]
    spectrum = np.abs(np.fft.rfft(clip * np.hanning(len(clip))))
    assert np.argmax(spectrum) * 16_000 / len(clip) == pytest.approx(440, abs=2)
    assert np.sqrt(np.mean(clip**2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.1)


def test_loud_samples_are_clipped() -> None:
    wave = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    loud, limit = (Audio.of((size * wave).astype(np.float32), rate=16_000) for size in (4.0, 1.0))
    clip, reference = (Audio.of(encode_clip(sound)).decode(16_000)[2_000:14_000] for sound in (loud, limit))
    assert np.corrcoef(clip, reference)[0, 1] > 0.9


def test_call_is_played_in_stereo_instead_of_the_recordings_of_its_script(tmp_path: Path) -> None:
    audio = make_call_audio()
    (tmp_path / "calls").mkdir()
    (tmp_path / "calls/a.flac").write_bytes(audio.encode("flac", mono=False))
    stored = make_recording(audio=Audio(str(tmp_path / "calls/a.flac")))
    call = Record(sample=Sample(id="a", inputs={"say": noise(0.3)}), row=0, outputs=(stored,))
    with AudioClips([call]) as clips:
        (clip,), notes = clips.get(call)
    assert notes == []
    assert Audio.of(clip).info().channels == 2
    assert 18.9 < Audio.of(clip).seconds < 19.2


def test_call_whose_recording_is_gone_is_noted(tmp_path: Path) -> None:
    call = Record(
        sample=Sample(id="a", inputs={}), row=0, outputs=(make_recording(audio=Audio(str(tmp_path / "a.flac"))),)
    )
    with AudioClips([call]) as clips:
        sounds, (note,) = clips.get(call)
    assert sounds == ()
    assert "cannot be played" in note


def test_spoken_answers_come_first_and_all_recordings_are_labelled() -> None:
    sound = Audio.of(np.full(1600, 0.1, np.float32), rate=16_000)
    sample = Sample(id="1", inputs={"text": "hi", "reference": sound, "prompt_audio": sound}, target="hi")
    spoken = Record(sample=sample, row=0, outputs=(Generation(text="", audio=sound),))
    with AudioClips([spoken]) as clips:
        encoded, _ = clips.get(spoken)
    assert [clip.label for clip in encoded] == ["Spoken answer", "Reference", "Voice to imitate"]
    several = replace(
        spoken, outputs=(*spoken.outputs, *spoken.outputs), sample=replace(sample, inputs={"audio": sound})
    )
    with AudioClips([several]) as clips:
        encoded, _ = clips.get(several)
    assert [clip.label for clip in encoded] == ["Spoken answer 1", "Spoken answer 2", "Input"]


def test_the_part_of_a_meeting_that_is_drawn_is_played() -> None:
    sample = replace(make_sample("A 0 10\nA 70 80"), inputs={"audio": [noise(90)]})
    (sound,) = get_sounds(Record(sample=sample, row=0, outputs=(make_answer("1 0 10\n1 86 88"),)))
    assert (sound.audio.start, sound.audio.end) == (28.0, 88.0)
    assert sound.played_seconds == 60.0
