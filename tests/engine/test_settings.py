"""Settings of a run."""

from dataclasses import fields
from typing import Any

import pytest

import auricle
from auricle.engine.settings import Settings


def test_settings_are_exported_and_have_defaults() -> None:
    assert auricle.Settings is Settings
    assert Settings() == Settings(concurrency=64, max_attempts=6, retry_failed=True, timeout=600.0)


def test_settings_do_not_overlap_with_the_spec() -> None:
    """`limit` is in both: the spec decides about it, and the run loop reads it from the settings."""
    shared = {field.name for field in fields(Settings)} & set(auricle.Spec.model_fields)
    assert shared == {"limit"}


def test_defaults_start_no_processes_and_retry_for_a_while() -> None:
    settings = Settings()
    assert (settings.concurrency, settings.processes, settings.replicas, settings.gpus_per_replica) == (64, 1, 1, 0.0)
    assert (settings.max_attempts, settings.initial_backoff, settings.timeout) == (6, 0.25, 600.0)
    assert settings.retry_failed is True


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *((name, 1) for name in ("concurrency", "batch_size", "limit", "max_attempts", "processes", "replicas")),
        *((name, 0) for name in ("initial_backoff", "gpus_per_replica", "timeout")),
    ],
)
def test_too_small_values_are_rejected(name: str, least: int) -> None:
    make_settings: Any = Settings
    assert getattr(make_settings(**{name: least}), name) == least
    with pytest.raises(ValueError, match=f"^{name}: {least - 1} is too small; the least value is {least}$"):
        make_settings(**{name: least - 1})
