"""Tests of AMI."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestAmi(SpeechSuite):
    tasks = ("ami",)
