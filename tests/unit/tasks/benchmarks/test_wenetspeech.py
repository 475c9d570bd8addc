"""Tests of WenetSpeech."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestWenetspeech(SpeechSuite):
    tasks = ("wenetspeech",)
