"""Tests of AIR-Bench."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestAirBench(UnderstandingSuite):
    tasks = ("air-bench-foundation", "air-bench-chat")
