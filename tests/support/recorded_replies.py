"""Spoken forms of numbers, and options without their letters.

`tests/golden/replies.json` has, for each function, a list of arguments with the result. To cover more, add arguments
with the result null; after a change of the results on purpose, write them again and read the difference:

    python -m tests.support.recorded_replies
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from auricle.text import chinese_numbers as chinese
from auricle.text import strip_labels
from tests.support import paths

RECORDING = paths.GOLDEN / "replies.json"
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "strip_labels": strip_labels,
    "chinese.read_number": chinese.read_number,
    "chinese.read_numbers": chinese.read_numbers,
    "chinese.read_cardinal": chinese.read_cardinal,
    "chinese.read_contextual_numbers": chinese.read_contextual_numbers,
    "chinese.fold_numerals": chinese.fold_numerals,
    "chinese.spell_digits": chinese.spell_digits,
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
