"""Sets of metrics of spoken answers."""

from __future__ import annotations

from auricle.tasks.speech.metrics.failures import speech_failures
from auricle.tasks.speech.metrics.full_reference import estoi, pesq_nb, pesq_wb, si_sdr, stoi
from auricle.tasks.speech.metrics.prosody import f0_correlation, f0_rmse, f0_rmse_cents, mcd, mcd_plain, vuv_error
from auricle.tasks.speech.metrics.signal_quality import (
    characters_per_second,
    speech_clipping,
    speech_cut_off,
    speech_duration,
    speech_leading_silence,
    speech_silence,
    speech_trailing_silence,
    words_per_second,
)
from auricle.tasks.speech.metrics.speed import synthesis_rtf, synthesis_rtfx, time_to_first_audible, time_to_first_audio

full_reference = (
    pesq_wb,
    pesq_nb,
    stoi,
    estoi,
    si_sdr,
    mcd,
    mcd_plain,
    f0_rmse,
    f0_rmse_cents,
    f0_correlation,
    vuv_error,
)
"""Metrics that compare an answer with the recording of its row."""

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
    synthesis_rtf,
    synthesis_rtfx,
    time_to_first_audio,
    time_to_first_audible,
    *full_reference,
)
"""All of these metrics, for `--as tts` and `--add-metrics spoken_answers`."""
