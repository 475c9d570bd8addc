"""Moonshine with its real weights."""

import json
from typing import Any

import pytest

from tests.support.recogniser_checks import RecogniserChecks, word_error_rate

pytestmark = pytest.mark.slow


class TestMoonshine(RecogniserChecks):
    model_name = "moonshine"

    def test_real_recordings_are_recognised(self, recogniser: Any, real_speech: Any) -> None:
        rows = [json.loads(line) for line in (real_speech / "manifest.jsonl").read_text().splitlines()[:12]]
        clips = [(real_speech / row["audio_path"], row["answer"]) for row in rows]
        assert word_error_rate(recogniser, clips) < 0.4
