"""A small quiz and a finished run of it."""

from tests.support.finished_quiz import finished, quiz  # noqa: F401
