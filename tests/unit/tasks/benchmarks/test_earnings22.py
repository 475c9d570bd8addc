"""Tests of Earnings-22."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestEarnings22(SpeechSuite):
    tasks = ("earnings22",)
