"""Fixtures of the contract tests."""

from tests.support.real_server import language_model as language_model
