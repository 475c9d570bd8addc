"""Tests of CochlScene."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestCochlscene(UnderstandingSuite):
    tasks = ("cochlscene",)
