from pathlib import Path

import pytest

from auricle.core.errors import SpecError
from auricle.interop.aisbench.config_reader import find_datasets, read_config


def test_literals_names_concatenations_and_ranges_are_evaluated(tmp_path: Path) -> None:
    path = tmp_path / "c.py"
    path.write_text(
        '"""A config."""\nhint = "be" " brief"\na = dict(x=[1, -2], **{"y": hint + "!"})\n'
        'b = f"{hint}: {{question}}"\nc = list(range(2, 5))\n'
    )
    values = read_config(path)
    assert values["a"] == {"x": [1, -2], "y": "be brief!"}
    assert values["b"] == "be brief: {question}"
    assert values["c"] == [2, 3, 4]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x = open('/etc/passwd').read()", "is a function call"),
        ("import os\nx = os.system('true')", "is a function call"),
        ("x = [n for n in (1, 2)]", "is not a literal"),
        ("for n in (1, 2):\n    pass", "configs are read, not run"),
        ("x = lambda: 1", "is not a literal"),
        ("x = y", "is not assigned above"),
        ("x = {}\nx['a'] = 1", "assigns to something other than a name"),
        ("x = 'a' * 3", "is not a concatenation"),
    ],
)
def test_code_is_rejected_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "c.py"
    path.write_text(f"a = 1\n{line}\n")
    number = line.count("\n") + 2 if "\nx" in line else 2
    with pytest.raises(SpecError, match=rf"c\.py:{number}: .*{message}"):
        read_config(path)


def test_included_configs_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "c.py"
    path.write_text("with read_base():\n    from .other import things\n")
    with pytest.raises(SpecError, match="contains no dataset"):
        find_datasets(path)
