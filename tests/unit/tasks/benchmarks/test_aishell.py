"""Tests of AISHELL-1 and AISHELL-2."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestAishell(SpeechSuite):
    tasks = ("aishell", "aishell-2")
