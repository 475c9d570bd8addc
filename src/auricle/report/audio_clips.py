"""Short recordings for the players of a page."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from auricle.audio import Audio
from auricle.core.errors import SampleError
from auricle.core.types import Sample, list_parts

MAX_CLIP_SECONDS = 30.0  # seconds of each recording that are playable
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


class AudioClips:
    """Audio clips for the page, added in order until its size limit is reached.

    Encoding takes longer than the rest of the page, so threads do it in advance.
    """

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._bytes_left = MAX_AUDIO_BYTES
        self._executor = ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="auricle-clips")
        sounds = [sound for sample in samples for sound in get_sounds(sample)]
        self._requested = {id(sound) for sound in sounds}
        self._encoded = {
            id(sound): self._executor.submit(_encode_excerpt, sound) for sound in _limit_total_seconds(sounds)
        }

    def __enter__(self) -> AudioClips:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(cancel_futures=True)

    def get(self, sample: Sample) -> tuple[tuple[bytes, ...], list[str]]:
        """Return a sample's clips, and a note for each that is cut, left out or unreadable."""
        clips: list[bytes] = []
        notes: list[str] = []
        for sound in get_sounds(sample):
            if id(sound) not in self._requested:
                notes.append(RIGHT_ANSWER_NOTE)
                continue
            try:
                taken, note = self._take_clip(sound)
            except SampleError as error:
                taken, note = None, f"The recording cannot be played: {error}"
            clips += [taken] if taken else []
            notes += [note] if note else []
        return tuple(clips), list(dict.fromkeys(notes))

    def _take_clip(self, sound: Audio) -> tuple[bytes | None, str]:
        if not self._bytes_left or id(sound) not in self._encoded:
            return None, PAGE_FULL_NOTE
        clip, seconds = self._encoded[id(sound)].result()
        size = -(-len(clip) // 3) * 4  # in base64, as embedded in the page
        if size > self._bytes_left:
            self._bytes_left = 0  # otherwise it would be arbitrary which later samples have players
            return None, PAGE_FULL_NOTE
        self._bytes_left -= size
        cut = f"The first {MAX_CLIP_SECONDS:g} s of {seconds:.1f} s." if seconds > MAX_CLIP_SECONDS else ""
        return clip, cut


def get_sounds(sample: Sample) -> Iterator[Audio]:
    """Return every recording among a sample's inputs, in order."""
    for value in sample.inputs.values():
        yield from (part for part in list_parts(value) if isinstance(part, Audio))


def _limit_total_seconds(sounds: Sequence[Audio]) -> Iterator[Audio]:
    """Return the first of these recordings whose total duration fits the page."""
    left = MAX_TOTAL_SECONDS
    for sound in sounds:
        with suppress(SampleError):  # reported where its player would be
            left -= min(sound.seconds, MAX_CLIP_SECONDS)
        if left < 0:
            return
        yield sound


def _encode_excerpt(sound: Audio) -> tuple[bytes, float]:
    """Encode the beginning of a recording; return it with the full duration."""
    return encode_clip(sound.segment(0.0, MAX_CLIP_SECONDS)), sound.seconds


def encode_clip(sound: Audio) -> bytes:
    """Encode a recording as Opus in WebM, which current browsers play."""
    import av
    import numpy as np

    values = np.clip(sound.decode(RATE) * 32767.0, -32768.0, 32767.0).astype(np.int16)
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="webm") as container:
        stream = container.add_stream("libopus", rate=RATE, layout="mono", options=ENCODER_OPTIONS)
        stream.bit_rate = BIT_RATE
        frame = av.AudioFrame.from_ndarray(values.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = RATE
        container.mux([*stream.encode(frame), *stream.encode(None)])
    return buffer.getvalue()
