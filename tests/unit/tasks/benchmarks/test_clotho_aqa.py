"""Tests of ClothoAQA."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestClothoAqa(UnderstandingSuite):
    tasks = ("clotho-aqa",)
