"""Tests of VoxPopuli."""

from __future__ import annotations

import pytest

from tests.support.miniatures_suite import SpeechSuite

pytestmark = pytest.mark.slow


class TestVoxpopuli(SpeechSuite):
    tasks = ("voxpopuli",)
