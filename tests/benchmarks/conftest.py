"""Run the tests of a benchmark suite on every miniature of its tasks."""

from __future__ import annotations

import pytest

from tests.support.corpus_files import corpus  # noqa: F401
from tests.support.miniatures_suite import MINIATURES, BenchmarkSuite


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    suite = metafunc.cls
    if "miniature" in metafunc.fixturenames and suite is not None and issubclass(suite, BenchmarkSuite):
        miniatures = [miniature for miniature in MINIATURES if miniature.task in suite.tasks]
        assert miniatures, suite.tasks
        metafunc.parametrize("miniature", miniatures, ids=str)
