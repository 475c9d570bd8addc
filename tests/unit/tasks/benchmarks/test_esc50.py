"""Tests of ESC-50."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestEsc50(UnderstandingSuite):
    tasks = ("esc50",)
