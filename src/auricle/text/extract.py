"""Answers read from free-form replies.

Every reader returns None where the reply cannot be read; none of them guesses.
"""

from auricle.text.options import extract_label, extract_option
from auricle.text.scalars import extract_number, extract_yes_no

__all__ = ["extract_label", "extract_number", "extract_option", "extract_yes_no"]
