"""Tests of Nonspeech7k."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestNonspeech7k(UnderstandingSuite):
    tasks = ("nonspeech7k",)
