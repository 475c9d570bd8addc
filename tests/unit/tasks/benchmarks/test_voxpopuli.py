"""Tests of VoxPopuli."""

from __future__ import annotations

from tests.support.miniatures_suite import SpeechSuite


class TestVoxpopuli(SpeechSuite):
    tasks = ("voxpopuli",)
