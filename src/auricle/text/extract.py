"""Answers read from free-form replies.

Every reader returns None where the reply cannot be read; none of them guesses.
"""

from auricle.text.extract_number import extract_number, extract_yes_no
from auricle.text.extract_option import extract_label, extract_option

__all__ = ["extract_label", "extract_number", "extract_option", "extract_yes_no"]
