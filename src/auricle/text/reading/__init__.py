"""Read an option, a label, yes or no, or a number from a free-form reply."""

from auricle.text.reading.numbers import read_number as read_number
from auricle.text.reading.options import strip_labels as strip_labels
from auricle.text.reading.reader import read_label as read_label
from auricle.text.reading.reader import read_option as read_option
from auricle.text.reading.reader import read_yes_no as read_yes_no
from auricle.text.reading.result import Reading as Reading
from auricle.text.reading.result import Strength as Strength
from auricle.text.reading.structure import clean_reply as clean_reply
