"""Tests of AIR-Bench, MMAU, MMAU-Pro and OpenAudioBench."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestAudioQuestions(UnderstandingSuite):
    tasks = (
        *("air-bench-foundation", "air-bench-chat", "mmau", "mmau-pro", "mmau-pro-open"),
        *("openaudiobench-alpaca-eval", "openaudiobench-llama-questions", "openaudiobench-trivia-qa"),
        *("openaudiobench-web-questions", "openaudiobench-reasoning-qa"),
    )
