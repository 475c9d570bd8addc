"""Tests of LibriSpeech."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestLibrispeech(SpeechSuite):
    tasks = ("librispeech",)
