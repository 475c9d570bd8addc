"""Tests of GTZAN."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestGtzan(UnderstandingSuite):
    tasks = ("gtzan",)
