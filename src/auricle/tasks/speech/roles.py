"""The roles of models that score spoken answers."""

from __future__ import annotations

from auricle.core.judge_roles import JudgeRole

RECOGNISER = JudgeRole(
    "recogniser", "recogniser", "--recogniser", metrics=("round_trip_wer", "round_trip_cer", "round_trip_floor")
)
"""Transcribes spoken answers."""
SPEAKER = JudgeRole("speaker", "speaker model", "--speaker-model", "predict", metrics=("speaker_similarity",))
"""Rates how similar two voices are."""
QUALITY = JudgeRole(
    "quality",
    "quality model",
    "--quality-model",
    "predict",
    metrics=("predicted_quality",),
    has_own_metrics=True,
    unused="No metric reads what {model} predicts. Write one with make_quality_metric, and name it with --add-metrics; "
    "docs/spoken-answers.md has an example.",
)
"""Predicts how listeners would rate spoken answers."""
