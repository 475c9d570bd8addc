"""What is read from many replies: options, labels, numbers, yes or no, and spoken forms of numbers.

`tests/golden/replies.json` has, for each function, a list of arguments with the result. To cover more, add arguments
with the result null; after a change that reads replies differently on purpose, write the results again and read the
difference:

    python -m tests.support.recorded_replies
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from auricle.text.chinese_numbers import (
    fold_numerals,
    read_cardinal,
    read_contextual_numbers,
    read_number,
    read_numbers,
    spell_digits,
)
from auricle.text.clean_reply import clean_reply
from auricle.text.extract_number import extract_number, extract_yes_no
from auricle.text.extract_option import extract_label, extract_option, strip_labels
from tests.support import paths

RECORDING = paths.GOLDEN / "replies.json"
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        *(extract_option, extract_label, strip_labels, extract_number, extract_yes_no, clean_reply, read_numbers),
        *(read_contextual_numbers, fold_numerals, spell_digits, read_number, read_cardinal),
    )
}


def load() -> dict[str, list[list[Any]]]:
    """Load the recording: arguments and result of each call, by function."""
    recording: dict[str, list[list[Any]]] = json.loads(RECORDING.read_text(encoding="utf-8"))
    return recording


def call_all(name: str, calls: list[list[Any]]) -> list[list[Any]]:
    """Call a function with every list of arguments, and return them with the results."""
    return [[*arguments, FUNCTIONS[name](*arguments)] for *arguments, _ in calls]


if __name__ == "__main__":
    lines = []
    for name, calls in load().items():
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in call_all(name, calls))
        lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
    RECORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
