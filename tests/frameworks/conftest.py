"""Runs that are exported and imported."""

from tests.support.imported_runs import asr_run, reward_run  # noqa: F401
