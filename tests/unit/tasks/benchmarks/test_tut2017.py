"""Tests of TUT Acoustic Scenes 2017."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestTut2017(UnderstandingSuite):
    tasks = ("tut2017",)
