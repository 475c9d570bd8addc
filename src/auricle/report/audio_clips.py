"""Short recordings for the players of a page."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from auricle.core.errors import SampleError
from auricle.core.types import OTHER_VOICE_INPUT, REFERENCE_INPUT, Generation, Record, list_parts
from auricle.media import Audio
from auricle.report.figures import find_window

MAX_CLIP_SECONDS = 30.0  # seconds of each recording that are playable
MAX_CALL_SECONDS = 120.0  # of the recording of a call, which is heard as a whole
MAX_TOTAL_SECONDS = 300.0  # encoding one second of audio takes 1.5 ms of CPU time
MAX_AUDIO_BYTES = 6_000_000  # base64 bytes of audio, so that the page stays under 10 MB
MEDIA_TYPE = "audio/webm"
RATE = 16_000
BIT_RATE = 24_000
ENCODER_OPTIONS = {"compression_level": "0", "frame_duration": "60"}
"""The fastest mode of Opus, which needs a third of the time of the fastest MP3 encoder and sounds better."""
PAGE_FULL_NOTE = (
    f"No player: the page holds {MAX_AUDIO_BYTES / 1e6:g} MB or {MAX_TOTAL_SECONDS / 60:g} minutes of sound at most."
)
RIGHT_ANSWER_NOTE = "No player: only samples with errors have one."


INPUT_LABELS: Mapping[str, str] = {
    REFERENCE_INPUT: "Reference",
    "prompt_audio": "Voice to imitate",
    OTHER_VOICE_INPUT: "Other voice",
}
"""What the recordings of some inputs are called."""


class Clip(bytes):
    """An encoded recording, which may have a label."""

    label: str = ""


@dataclass(frozen=True, slots=True)
class Sound:
    """A recording, and how much of it is played."""

    audio: Audio
    max_seconds: float = MAX_CLIP_SECONDS
    label: str = ""
    """What it is, if a sample has recordings of several kinds."""
    is_stereo: bool = False
    """Whether both sides of a call are heard on their own side; other recordings become mono."""

    @property
    def played_seconds(self) -> float:
        return min(self.audio.seconds, self.max_seconds)


class AudioClips:
    """Audio clips for the page, added in order until its size limit is reached.

    Encoding takes longer than the rest of the page, so threads do it in advance.

    Args:
        records: The samples that have players.
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self._bytes_left = MAX_AUDIO_BYTES
        self._executor = ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="auricle-clips")
        self._sounds = {id(record): list(get_sounds(record)) for record in records}
        sounds = [sound for sounds in self._sounds.values() for sound in sounds]
        self._encoded = {
            id(sound): self._executor.submit(_encode_excerpt, sound) for sound in _limit_total_seconds(sounds)
        }

    def __enter__(self) -> AudioClips:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)

    def get(self, record: Record) -> tuple[tuple[Clip, ...], list[str]]:
        """Return a sample's clips, and a note for each that is cut, left out or unreadable."""
        clips: list[Clip] = []
        notes: list[str] = []
        if id(record) not in self._sounds:
            return (), [RIGHT_ANSWER_NOTE] if any(get_sounds(record)) else []
        for sound in self._sounds[id(record)]:
            try:
                taken, note = self._take_clip(sound)
            except SampleError as error:
                taken, note = None, f"The recording cannot be played: {error}"
            if taken:
                clip = Clip(taken)
                clip.label = sound.label
                clips.append(clip)
            notes += [note] if note else []
        return tuple(clips), list(dict.fromkeys(notes))

    def _take_clip(self, sound: Sound) -> tuple[bytes | None, str]:
        if not self._bytes_left or id(sound) not in self._encoded:
            return None, PAGE_FULL_NOTE
        clip, seconds = self._encoded[id(sound)].result()
        size = -(-len(clip) // 3) * 4  # in base64, as embedded in the page
        if size > self._bytes_left:
            self._bytes_left = 0  # otherwise it would be arbitrary which later samples have players
            return None, PAGE_FULL_NOTE
        self._bytes_left -= size
        cut = f"The first {sound.max_seconds:g} s of {seconds:.1f} s." if seconds > sound.max_seconds else ""
        return clip, cut


def get_sounds(record: Record) -> Iterator[Sound]:
    """Return the recording of a call, or else the spoken answers of a sample and the recordings among its inputs."""
    if record.call and record.call.audio:
        yield Sound(record.call.audio, MAX_CALL_SECONDS, is_stereo=True)
        return
    answers = [output.audio for output in record.outputs if isinstance(output, Generation) and output.audio]
    for number, audio in enumerate(answers, 1):
        yield Sound(audio, label=f"Spoken answer {number}" if len(answers) > 1 else "Spoken answer")
    window = find_window(record)
    for name, value in record.sample.inputs.items():
        label = INPUT_LABELS.get(name, "Input" if answers else "")
        for part in (part for part in list_parts(value) if isinstance(part, Audio)):
            yield (
                Sound(part.segment(*window), window[1] - window[0], label=label) if window else Sound(part, label=label)
            )


def _limit_total_seconds(sounds: Sequence[Sound]) -> Iterator[Sound]:
    """Return the first of these recordings whose total duration fits the page."""
    left = MAX_TOTAL_SECONDS
    for sound in sounds:
        with suppress(SampleError):  # reported where its player would be
            left -= sound.played_seconds
        if left < 0:
            return
        yield sound


def _encode_excerpt(sound: Sound) -> tuple[bytes, float]:
    """Encode the beginning of a recording; return it with the full duration."""
    excerpt = sound.audio.segment(0.0, sound.max_seconds)
    return encode_clip(excerpt, is_stereo=sound.is_stereo), sound.audio.seconds


def encode_clip(audio: Audio, *, is_stereo: bool = False) -> bytes:
    """Encode a recording as Opus in WebM, which current browsers play."""
    import av
    import numpy as np

    values = np.clip(audio.decode(RATE, mono=not is_stereo) * 32767.0, -32768.0, 32767.0).astype(np.int16)
    layout = "stereo" if values.ndim == 2 and values.shape[1] == 2 else "mono"
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="webm") as container:
        stream = container.add_stream("libopus", rate=RATE, layout=layout, options=ENCODER_OPTIONS)
        stream.bit_rate = BIT_RATE
        frame = av.AudioFrame.from_ndarray(values.reshape(1, -1), format="s16", layout=layout)
        frame.sample_rate = RATE
        container.mux([*stream.encode(frame), *stream.encode(None)])
    return buffer.getvalue()
