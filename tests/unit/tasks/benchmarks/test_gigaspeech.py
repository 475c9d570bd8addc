"""Tests of GigaSpeech."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestGigaspeech(SpeechSuite):
    tasks = ("gigaspeech",)
