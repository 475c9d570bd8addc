"""Tests of Clotho."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestClotho(UnderstandingSuite):
    tasks = ("clotho",)
