"""What is read from many replies: options, labels, numbers, yes or no, and spoken forms of numbers.

`tests/golden/replies.json` has, for each function, a list of arguments with the result. To cover more, add arguments
with the result null; after a change that reads replies differently on purpose, write the results again and read the
difference:

    python -m tests.support.recorded_replies
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from auricle.text import chinese_numbers as chinese
from auricle.text import read_label, read_number, read_option, read_yes_no, strip_labels
from auricle.text.reading import Reading, clean_reply
from tests.support import paths

RECORDING = paths.GOLDEN / "replies.json"
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{function.__name__: function for function in (read_option, read_label, read_number, read_yes_no)},
    **{function.__name__: function for function in (strip_labels, clean_reply)},
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
    results = ((arguments, FUNCTIONS[name](*arguments)) for *arguments, _ in calls)
    return [[*arguments, result.value if isinstance(result, Reading) else result] for arguments, result in results]


if __name__ == "__main__":
    lines = []
    for name, calls in load().items():
        rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in call_all(name, calls))
        lines.append(f"{json.dumps(name)}: [\n{rows}\n]")
    RECORDING.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
