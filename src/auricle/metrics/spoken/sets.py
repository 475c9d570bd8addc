"""Sets of metrics of spoken answers."""

from __future__ import annotations

from auricle.metrics.spoken.failures import speech_failures
from auricle.metrics.spoken.signal import (
    characters_per_second,
    speech_clipping,
    speech_cut_off,
    speech_duration,
    speech_leading_silence,
    speech_silence,
    speech_trailing_silence,
    words_per_second,
)

spoken_answers = (
    speech_failures,
    speech_silence,
    speech_leading_silence,
    speech_trailing_silence,
    speech_cut_off,
    speech_clipping,
    speech_duration,
    characters_per_second,
    words_per_second,
)
"""All of these metrics, for `--as tts` and `--add-metrics spoken_answers`."""
