"""Tests of VocalSound."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestVocalsound(UnderstandingSuite):
    tasks = ("vocalsound",)
