"""Shorten load tests that run in the process of the tests."""

from contextlib import nullcontext

import pytest


def shorten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses before a load starts.

    Garbage is not collected either: a test process has a hundred times the objects of a sender, and what
    `tests.support.run_rules` excludes from collection would be searched again from then on.
    """
    monkeypatch.setattr("auricle.perf.worker.gc_paused", nullcontext)
    monkeypatch.setattr("auricle.perf.worker.IDLE_PROBE_SECONDS", 0.06)
    monkeypatch.setattr("auricle.perf.coordinator.START_DELAY", 0.02)
