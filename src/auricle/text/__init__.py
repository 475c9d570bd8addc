"""Normaliser profiles, and functions that extract an answer from a free-form reply."""

from auricle.text.extract_number import extract_number as extract_number
from auricle.text.extract_number import extract_yes_no as extract_yes_no
from auricle.text.extract_option import extract_label as extract_label
from auricle.text.extract_option import extract_option as extract_option
from auricle.text.extract_option import strip_labels as strip_labels
from auricle.text.profiles import PROFILES as PROFILES
from auricle.text.profiles import Profile as Profile
from auricle.text.profiles import get_profile as get_profile
from auricle.text.profiles import resolve_profile_name as resolve_profile_name
from auricle.text.profiles import split_characters as split_characters
from auricle.text.profiles import split_mixed as split_mixed
from auricle.text.profiles import split_words as split_words
