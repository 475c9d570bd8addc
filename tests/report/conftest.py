"""Runs to compare."""

from tests.support.compared_runs import models, moods, quiz, run  # noqa: F401
