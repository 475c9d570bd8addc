"""Tests of MMAU and MMAU-Pro."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestMmau(UnderstandingSuite):
    tasks = ("mmau", "mmau-pro", "mmau-pro-open")
