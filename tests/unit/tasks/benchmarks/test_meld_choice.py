"""Tests of MELD as multiple choice."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestMeldChoice(UnderstandingSuite):
    tasks = ("meld-choice",)
