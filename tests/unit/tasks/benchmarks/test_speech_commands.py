"""Tests of Speech Commands."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestSpeechCommands(UnderstandingSuite):
    tasks = ("speech-commands",)
