"""Tests of SPGISpeech."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestSpgispeech(SpeechSuite):
    tasks = ("spgispeech",)
