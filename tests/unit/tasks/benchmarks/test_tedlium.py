"""Tests of TED-LIUM."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestTedlium(SpeechSuite):
    tasks = ("tedlium",)
