"""`scripts/count_lines.py`: what it counts in a module."""

from pathlib import Path

from scripts.count_lines import Size

CODE = """
from typing import Any

def total(values: dict[str, Any]) -> Any:
    return _add(values) + _half(1) + _half(2)

def _add(values): ...

def _half(value): ...
"""


def test_functions_and_names_of_a_module_are_counted(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(CODE, encoding="utf-8")
    size = Size.of(tmp_path / "module.py")
    assert size == Size(files=1, lines=9, any_names=2, any_dicts=1, functions=3, used_once=1)
    assert Size.sum([size, size]).functions == 6
    assert size.format("here").split() == ["here", "1", "9", "222.2", "111.1", "33.3%"]
