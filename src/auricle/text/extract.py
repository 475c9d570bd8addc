"""Answers read from free-form replies.

Every reader returns None where the reply cannot be read; none of them guesses.
"""

from auricle.text.options import label, option
from auricle.text.scalars import number, yes_no

__all__ = ["label", "number", "option", "yes_no"]
