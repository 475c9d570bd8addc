"""Settings of a run."""

from dataclasses import fields

import auricle
from auricle.engine.settings import Settings


def test_settings_are_exported_and_have_defaults() -> None:
    assert auricle.Settings is Settings
    assert Settings() == Settings(concurrency=64, max_attempts=6, retry_failed=True, batch_timeout=600.0)


def test_settings_do_not_overlap_with_the_spec() -> None:
    """`limit` is in both: the spec decides about it, and the run loop reads it from the settings."""
    shared = {field.name for field in fields(Settings)} & set(auricle.Spec.model_fields)
    assert shared == {"limit"}
