"""Names of the metrics of meetings, for the task kind, which loads them only to compute."""

from __future__ import annotations

SPEAKER_METRICS = (
    "der",
    "der_miss",
    "der_false_alarm",
    "der_confusion",
    "jer",
    "speaker_count_error",
    "speaker_count_accuracy",
)
"""Metrics of who speaks when, the most important first."""
WORD_METRICS = ("cpwer", "tcpwer", "orcwer", "dicpwer", "wder", "segment_errors")
"""Metrics of the words of each speaker, the most important first."""
