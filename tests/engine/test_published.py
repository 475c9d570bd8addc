"""Tasks that state where their data comes from."""

from typing import Any

from auricle.benchmarks.base import Benchmark
from auricle.engine.published import load_published


def test_built_in_benchmarks_are_published_and_kinds_are_not() -> None:
    published = load_published()
    assert isinstance(published["librispeech"], Benchmark)
    assert published["librispeech"].provenance.citation == "Panayotov et al., ICASSP 2015"
    assert "asr" not in published


def test_task_that_cannot_be_loaded_is_left_out(install: Any) -> None:
    install("auricle-broken", {"tasks": {"broken-quiz": "no_such_package:quiz"}})
    published = load_published()
    assert "broken-quiz" not in published
    assert "librispeech" in published


def test_benchmark_with_any_language_lists_none() -> None:
    published = load_published()
    assert published["common-voice"].provenance.languages == ()
    assert published["esd"].provenance.languages == ("en", "zh")
