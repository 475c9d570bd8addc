"""Normaliser profiles, and functions that read an answer from a free-form reply."""

from auricle.text.profiles import PROFILES as PROFILES
from auricle.text.profiles import Profile as Profile
from auricle.text.profiles import get_profile as get_profile
from auricle.text.profiles import resolve_profile_name as resolve_profile_name
from auricle.text.profiles import split_characters as split_characters
from auricle.text.profiles import split_mixed as split_mixed
from auricle.text.profiles import split_words as split_words
from auricle.text.reading import Reading as Reading
from auricle.text.reading import Strength as Strength
from auricle.text.reading import read_label as read_label
from auricle.text.reading import read_number as read_number
from auricle.text.reading import read_option as read_option
from auricle.text.reading import read_yes_no as read_yes_no
from auricle.text.reading import strip_labels as strip_labels
