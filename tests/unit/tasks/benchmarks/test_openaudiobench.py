"""Tests of OpenAudioBench."""

from __future__ import annotations

from tests.support.miniatures_suite import UnderstandingSuite


class TestOpenaudiobench(UnderstandingSuite):
    tasks = (
        "openaudiobench-alpaca-eval",
        "openaudiobench-llama-questions",
        "openaudiobench-trivia-qa",
        "openaudiobench-web-questions",
        "openaudiobench-reasoning-qa",
    )
